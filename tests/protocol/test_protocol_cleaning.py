"""Markup taken out of replies and options."""

from hypothesis import given
from hypothesis import strategies as st

from chronotope.protocol import plain_text

PIECES = "a¦Left-hand¦B.¦-3.2¦_¦{¦}¦ ¦\n¦\t¦  ¦- ¦• ¦● ¦▪ ¦# ¦＃¦> ¦`¦```¦*¦__¦$¦^2¦^{2}¦²¦５¦\\(¦\\,¦\\text{b}¦<b>¦</s>¦<br/>¦<|end|>¦—"


@given(st.lists(st.sampled_from(PIECES.split("¦")), max_size=12).map("".join))
def test_a_text_without_markup_is_read_as_beside_a_line_of_it(text: str) -> None:
    assert plain_text(text) == plain_text(f"*\n{text}")

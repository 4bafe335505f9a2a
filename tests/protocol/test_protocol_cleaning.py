"""Markup taken out of replies and options."""

from hypothesis import given
from hypothesis import strategies as st

from chronotope.protocol import plain_text

WORDS = "a¦Left-hand¦B.¦-3.2¦_¦{¦}¦²¦５¦—¦ ¦\n¦\t"
MARKS = "  ¦- ¦• ¦● ¦▪ ¦# ¦＃¦> ¦`¦```¦*¦__¦$¦^2¦^{2}¦\\(¦\\,¦\\text{b}¦<b>¦</s>¦<br/>¦<|end|>"
PIECES = st.sampled_from(f"{WORDS}¦{MARKS}".split("¦"))


@given(st.lists(PIECES, max_size=12).map("".join))
def test_a_text_without_markup_is_read_as_beside_a_line_of_it(text: str) -> None:
    assert plain_text(text) == plain_text(f"*\n{text}")

"""Two readers of replies: the strict one, and the authors' loose one, which only comparisons use."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.families.ikea.protocol import IKEAProtocol, RunSettings, read_as_published
from chronotope.protocol import MediaFacts, PictureFacts
from chronotope.question import MediaItem, Option, Question

IKEA = IKEAProtocol()
FACTS = MediaFacts({f"{n}.png": PictureFacts(str(n) * 64) for n in range(4)})


def question(options):
    """A recognition question, whose options are pictures."""
    video = MediaItem("video", "frames", ("0.png",))
    pictures = tuple(Option(image=f"{n}.png") for n in range(options))
    return Question("q", "ikea", "T1", "p", "Which diagram shows it?", pictures, (0,), media=(video,))


def letters(reply, options=4, placement="published"):
    """What the published reader and ours take a reply for; "?" is unread."""
    asked = question(options)
    ask = IKEA.asks(asked, RunSettings(placement=placement), FACTS)[-1]
    readings = read_as_published(ask, asked, reply), IKEA.read(ask, asked, reply, False)
    return "".join(
        "?" if one.options is None else "".join("ABCD"[ask.placement.index(i)] for i in one.options) for one in readings
    )


@pytest.mark.parametrize(
    ("reply", "published", "strict"),
    [
        ("Answer: B. Reason: the legs are joined.", "B", "B"),
        ("B", "B", "B"),
        ("c", "C", "C"),
        ("(D)", "D", "D"),
        ("**Answer: C**", "C", "C"),
        ("**Answer:** C. Reason: a leg", "C", "C"),
        ("Answer: **C**. Reason: a leg", "C", "C"),
        (r"The result is \boxed{C}", "C", "C"),
        ("<|begin_of_box|>D<|end_of_box|>", "D", "D"),
        ("answer\n\nB", "B", "B"),
        # loose: no colon, no end of word, any case
        ("The answer depends on the legs.", "D", "?"),
        ("A person attaches a leg to the table.", "A", "?"),
        ("He takes a leg. Answer: B", "B", "B"),
        ("a leg is joined, so the answer is B", "A", "B"),
        ("I cannot tell which one it is.", "?", "?"),
        ("", "?", "?"),
        # thinking
        ("<think>Answer: A</think>Answer: B", "B", "B"),
        ("<think>maybe A", "?", "?"),
        ("<think>x</think>Answer: C<think>Answer: D", "C", "?"),
        ("It may be A.</think>Answer: B", "B", "B"),
        ("It may be A.</think>B. Reason: the legs", "A", "B"),
    ],
)
def test_readers(reply, published, strict):
    assert letters(reply) == published + strict


@pytest.mark.parametrize(
    ("reply", "options", "published", "strict"),
    [
        ("Answer: D", 4, "D", "D"),
        ("Answer: D", 3, "?", "?"),
        ("Answer: E", 3, "?", "?"),
        ("Answer: E. Reason: a leg", 3, "A", "?"),
        ("The answer depends. B", 3, "B", "?"),
        ("Answer: C", 2, "?", "?"),
    ],
)
def test_letters_of_no_option(reply, options, published, strict):
    assert letters(reply, options)[0] == published
    assert letters(reply, options)[1] == strict


@given(st.sampled_from("ABCD"), st.sampled_from(["published", "swap", "rotate"]))
def test_an_answer_as_asked_for_is_read_alike_in_every_placement(letter, placement):
    assert letters(f"Answer: {letter}. Reason: the legs are joined.", placement=placement) == letter * 2


@given(st.text(alphabet="ABCDEabcde nswer:.)(\n<think/>*", max_size=60))
def test_neither_reader_fails_nor_names_what_is_not_there(reply):
    assert set(letters(reply, 3)) <= set("ABC?")

"""Ranges and bounds in replies: none chooses an option by one of its numbers."""

import pytest

from chronotope.protocol import read_choice

LENGTHS = {"A": "15 cm", "B": "35 cm", "C": "40 cm", "D": "120 cm"}
RANGES = {"A": "10-20 cm", "B": "30-40 cm", "C": "40-50 cm", "D": "more than 50 cm"}
COUNTS = {"A": "3", "B": "8", "C": "12"}


def read(reply: str, options: dict[str, str], multiple: bool = False) -> str:
    return "".join(sorted(read_choice(reply, list(options), options=options, multiple=multiple).letters or "-"))


@pytest.mark.parametrize(
    "reply",
    [
        *("35-40 cm", "30-35 cm", "35–40 cm", "35 - 40 cm", "35 to 40 cm", "between 35 and 40 cm", "from 35 to 40 cm"),
        *("35 cm to 40 cm", "It is 30-35 cm long.", "Answer: 30-35 cm", "35 cm-40 cm", "35-40cm", "35…40 cm"),
        "35/40 cm",
        *("\\boxed{35-40 cm}", "<answer>30-35 cm</answer>", "20 – 35 centimetres", "35cm~40cm", "30 bis 35 cm"),
        *("35 or 40 cm", "35 oder 40 cm", "0.30-0.35 m", "35,0-40,0 cm", "35 ± 5 cm", "3 x 35 cm", "35 cm x 20 cm"),
        *("at least 35 cm", "more than 35 cm", "less than 40 cm", ">35 cm", "35+ cm", "over 35 cm", "35 cm or more"),
        *("up to 35 cm", "no more than 35 cm", "35 cm at most", "10-130 cm", "1. 35 cm - 2. 40 cm", "35 cm and 40 cm"),
        "Option D says 120 cm, but it is 35-40 cm.",
    ],
)  # fmt: skip
def test_a_range_or_a_bound_chooses_nothing(reply: str) -> None:
    assert read(reply, LENGTHS) == "-"


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("35 cm", "B"), ("~35 cm", "B"), ("about 35 cm", "B"), ("B. 30-38 cm", "B"), ("B (30-38 cm)", "B"),
        ("60-25 = 35 cm", "B"), ("It is 30-40 cm. The answer is 35 cm.", "B"), ("In frames 10-20 it moves 35 cm.", "B"),
        ("It is 30-40 cm.\nAnswer: C", "C"), ("The length is 35 cm, in 2-3 s.", "B"),
    ],
)  # fmt: skip
def test_other_amounts_are_read(reply: str, letter: str) -> None:
    assert read(reply, LENGTHS) == letter


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        *((said, "B") for said in ("30-40 cm", "30 to 40 cm", "30–40 cm", "between 30 and 40 cm", "from 30 to 40 cm")),
        *((said, "B") for said in ("0.3-0.4 m", "300-400 mm", "30 cm to 40 cm", "Answer: 30 - 40 cm", "B. 30-40 cm")),
        *((said, "B") for said in ("The length is 30-40 cm.",)),
        *((said, "-") for said in ("35-40 cm", "40 cm", "30-50 cm", "30-40 m", "30-40", "20-30 cm", "A. 30-40 cm")),
        *((said, "-") for said in ("30-40 cm or 40-50 cm", "not 30-40 cm")),
        ("more than 50 cm", "D"),
    ],
)  # fmt: skip
def test_an_option_that_is_a_range_is_chosen_by_the_same_range(reply: str, letter: str) -> None:
    assert read(reply, RANGES) == letter


def test_numbers_without_units_and_other_texts() -> None:
    assert [read(one, COUNTS) for one in ("3-5", "3 to 8", "8-12", "There are 3-5.", "8")] == ["-", "-", "-", "-", "B"]
    assert read("2-3 chairs", {"A": "2-3 chairs", "B": "5 chairs"}) == "A"
    assert read("3-5 chairs", {"A": "3 chairs", "B": "5 chairs"}) == "-"
    assert read("1-2-3", {"A": "1-2-3", "B": "2-1-3"}) == "A"
    assert read("Step 2", {"A": "Step 2", "B": "Step 3"}) == "A"
    assert read("The answers are 35 cm and 40 cm.", LENGTHS, multiple=True) == "BC"
    assert read("3 x 4 m", {"A": "3 x 4 m", "B": "4 m"}) == "A"

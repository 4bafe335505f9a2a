"""Open answers settled by rules: a table of answers with planted outcomes, and what must hold of all sets."""

import tomllib
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.protocol import Ask, Settled, read_asked_choice, settle
from chronotope.question import Question

TABLE = tomllib.loads((Path(__file__).parent / "open_answers.toml").read_text(encoding="utf-8"))
OUTCOMES = {"right": True, "wrong": False, "?": None}
ROWS = [(name, *row) for name, of in TABLE.items() for row in of["answers"]]


def test_the_table_is_long_enough() -> None:
    assert len(ROWS) >= 250 and len({(name, answer) for name, answer, _, _ in ROWS}) == len(ROWS)
    assert all(outcome in OUTCOMES for _, _, outcome, _ in ROWS)


@pytest.mark.parametrize(("name", "answer", "outcome", "reason"), ROWS, ids=[f"{row[0]}: {row[1]}" for row in ROWS])
def test_the_table(name: str, answer: str, outcome: str, reason: str) -> None:
    of = TABLE[name]
    settled = settle(answer, of["expected"], of["closed"], of.get("stem", ""))
    assert settled.right is OUTCOMES[outcome], reason
    assert (settled.rule == "none") == (settled.right is None)


def test_what_is_counted_is_only_known_from_the_question() -> None:
    closed = ["1", "2", "3"]
    assert settle("3 apples", "3", closed) == Settled(None, "none")
    assert settle("3 apples", "3", closed, "How many apples are there?") == Settled(True, "number")
    assert settle("3 apples", "3", closed, "What is the number of green apples in the box?") == Settled(None, "none")
    assert settle("3 green apples", "3", closed, "What is the number of green apples in it?") == Settled(True, "number")
    for stem in (
        "plates hold apples",
        "plates hold apples in them",
        "people with apples are there",
        "boxes for apples are in it",
    ):
        assert settle("3 apples", "3", closed, f"How many {stem}?") == Settled(None, "none"), stem


def test_an_answer_that_is_more_than_its_signs() -> None:
    assert settle("10²", "10²", []).right is True
    assert settle("102", "10²", ["102", "10²"]).right is None
    assert settle("4:5", "4-5", []).right is None


# Sets of each kind, and ways to say a member of one that are all the same to a person.

COLOURS = ("red", "green", "blue", "white", "black", "orange", "purple")
THINGS = ("cup", "box", "wooden chair", "lamp", "toy car")
NUMBER_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
COMPASS = {
    "N": "north", "NE": "northeast", "E": "east", "SE": "southeast", "S": "south", "SW": "southwest", "W": "west",
    "NW": "northwest",
}  # fmt: skip
SIDES = ("left", "middle", "right")

named_sets = st.lists(
    st.tuples(st.sampled_from(COLOURS), st.sampled_from(THINGS)).map(" ".join), min_size=2, max_size=6, unique=True
)
counts = st.lists(st.integers(0, 20), min_size=2, max_size=6, unique=True)
millimetres = st.lists(st.integers(1, 60_000), min_size=2, max_size=6, unique=True)


@st.composite
def around(draw: st.DrawFn, text: str) -> str:
    """The text with all that says nothing: case, spaces, an end mark, markup, a sentence around it."""
    text = draw(
        st.sampled_from(["{}", "the {}", "It is {}", "It's {}", "The answer is {}", "The answer is: {}"])
    ).format(text)
    text = draw(st.sampled_from([str.upper, str.lower, str.capitalize, str]))(text)
    marks = draw(st.sampled_from(["{}", "**{}**", '"{}"', "{}.", " {} \n", "`{}`", "{}!"]))
    return marks.format(text)


@given(named_sets, st.data())
def test_a_named_member_is_found_however_it_is_said(closed: list[str], data: st.DataObject) -> None:
    right, said = data.draw(st.sampled_from(closed)), data.draw(st.sampled_from(closed))
    reply = data.draw(around(said))
    assert settle(reply, right, closed).right is (said == right), reply


@given(named_sets, st.data())
def test_a_denied_or_doubled_member_settles_nothing(closed: list[str], data: st.DataObject) -> None:
    right, one, other = data.draw(st.sampled_from(closed)), *data.draw(st.permutations(closed))[:2]
    forms = ["not the {}", "It is not the {}", "neither the {} nor the {}", "the {} or the {}", "the {}, not the {}"]
    forms += ["next to the {}", "the {} behind the {}", "anything but the {}", "first the {}, then the {}", "the {}?"]
    reply = data.draw(st.sampled_from(forms)).format(one, other)
    assert settle(reply, right, closed).right is None, reply


@given(counts, st.data())
def test_counts_are_found_as_figures_and_words(numbers: list[int], data: st.DataObject) -> None:
    words = NUMBER_WORDS.split()
    closed = [str(number) for number in numbers]
    right, said = data.draw(st.sampled_from(numbers)), data.draw(st.integers(0, 20))
    reply = data.draw(around(data.draw(st.sampled_from([str(said), words[said]]))))
    assert settle(reply, str(right), closed).right is (said == right), reply
    assert settle(reply, words[right], [words[number] for number in numbers]).right is (said == right), reply


@given(millimetres, st.data())
def test_lengths_are_equal_in_all_units(lengths: list[int], data: st.DataObject) -> None:
    """Exactly equal is right, another member is wrong unless the right one may have been rounded to it."""
    units = {"m": 1000, "cm": 10, "mm": 1, "km": 1_000_000, "meters": 1000, "centimetres": 10}

    def written(length: int, unit: str) -> str:
        digits = f"{length:d}".rjust(len(str(units[unit])), "0")
        places = len(str(units[unit])) - 1
        number = f"{digits[: len(digits) - places]}.{digits[len(digits) - places :]}".rstrip(".") if places else digits
        if places and data.draw(st.booleans()):
            number = number.rstrip("0").rstrip(".")
        return f"{number}{data.draw(st.sampled_from(['', ' ']))}{unit}"

    closed = [written(length, data.draw(st.sampled_from(["m", "cm"]))) for length in lengths]
    place, said = (data.draw(st.integers(0, len(lengths) - 1)) for _ in range(2))
    reply = written(lengths[said], data.draw(st.sampled_from(list(units))))
    settled = settle(reply, closed[place], closed).right
    if said == place:
        # Unless it reads as another member: 1.234 may be a thousand and more.
        assert settled is True or ("." in reply and settled is None), reply
    else:
        assert settled is not True
        assert settled is False or _may_be_rounded(reply, lengths[place], units) or _has_three_decimals(reply), reply


def _may_be_rounded(reply: str, length: int, units: dict[str, int]) -> bool:
    """Whether a length (mm) rounds to the number that the reply prints."""
    number = reply.rstrip("abcdefghijklmnopqrstuvwxyz ")
    value, unit = Fraction(number), units[reply[len(number) :].strip()]
    step = Fraction(1, 10 ** len(number.partition(".")[2]))
    return abs(Fraction(length, unit) - value) <= step / 2


def _has_three_decimals(reply: str) -> bool:
    return len(reply.rstrip("abcdefghijklmnopqrstuvwxyz ").partition(".")[2]) == 3


@given(st.sampled_from(list(COMPASS)), st.sampled_from(list(COMPASS)), st.booleans(), st.data())
def test_points_of_the_compass(right: str, said: str, words: bool, data: st.DataObject) -> None:
    closed = list(COMPASS.values()) if words else list(COMPASS)
    names = [
        said,
        COMPASS[said],
        COMPASS[said].replace("th", "th-", 1),
        f"to the {COMPASS[said]}",
        f"{COMPASS[said]}ward",
    ]
    reply = data.draw(st.sampled_from([name.strip("-") for name in names]))
    expected = COMPASS[right] if words else right
    assert settle(reply, expected, closed).right is (said == right), reply


@given(st.sampled_from(SIDES), st.sampled_from(SIDES), st.data())
def test_thirds_of_the_frame(right: str, said: str, data: st.DataObject) -> None:
    closed = [f"{side} third" for side in SIDES]
    word = data.draw(st.sampled_from(["middle", "center", "centre"])) if said == "middle" else said
    forms = [
        "{}",
        "{} third",
        "the {} third of the frame",
        "on the {}",
        "{} part of the image",
    ]
    reply = data.draw(around(data.draw(st.sampled_from(forms)).format(word)))
    assert settle(reply, f"{right} third", closed).right is (said == right), reply


@given(st.integers(0, 11), st.integers(0, 11), st.integers(0, 59))
def test_hours_within_ranges(start: int, hour: int, minute: int) -> None:
    """Ranges of one hour all around the clock: a time strictly within one of them says that one."""
    closed = [f"{(first - 1) % 12 + 1}-{first % 12 + 1} o'clock" for first in range(12)]
    reply = f"{(hour - 1) % 12 + 1}:{minute:02d}"
    settled = settle(reply, closed[start], closed).right
    if minute:
        assert settled is (hour == start)
    else:  # the full hour ends one range and begins the next
        assert settled is (False if start not in (hour, (hour - 1) % 12) else None)


@given(st.text(max_size=40), st.text(min_size=1, max_size=20), st.lists(st.text(max_size=20), max_size=4))
def test_any_text_is_taken(value: str, expected: str, others: list[str]) -> None:
    settled = settle(value, expected, [expected, *others])
    assert (settled.right is None) == (settled.rule == "none")
    if value.strip() and value.strip() == expected.strip():
        assert settled.right is not False


@given(named_sets, st.text(alphabet="abcdefghijklmnopqrstuvwxyz ,.?!'\n", max_size=60), st.data())
def test_words_around_a_member_never_make_it_right(closed: list[str], words: str, data: st.DataObject) -> None:
    """Whatever else is said, another member than the right one is never settled as right."""
    right, said = data.draw(st.permutations(closed))[:2]
    for reply in (f"{words} {said}", f"{said} {words}", f"{words}\n{said}"):
        assert settle(reply, right, closed).right is not True, reply


@pytest.mark.parametrize(
    ("reply", "expected", "closed", "right"),
    [
        ("a, b", "B", ["A", "B", "C"], None),  # both of them
        ("a, b, c", "b, c", ["a, b, c", "b, c"], False),
        ("b, c", "a, b, c", ["a, b, c", "b, c"], False),
        ("a b", "b", ["a", "b", "c", "a, b"], None),
        ("lever", "lever a", ["lever a", "lever b"], None),
        ("a lever", "lever a", ["lever a", "lever b"], None),
        ("container a", "container", ["container", "container a"], False),
        ("- 30 degrees", "-30 degrees", ["30 degrees", "-30 degrees"], None),  # a bullet, or a minus
        ("- 30 degrees", "30 degrees", ["30 degrees", "-30 degrees"], None),
        ("> 5 m", "5 m", ["5 m", "7 m"], None),
        ("3 m", "> 3 m", ["> 3 m", "< 3 m"], None),
        ("> 3 m", "> 3 m", ["> 3 m", "< 3 m"], True),
        ("2*3", "23", ["23", "6"], None),
        ("Yes, they are", "Yes, it is", ["Yes, it is", "Yes, they are", "No"], False),
        ("1.000", "1000", ["1000", "1"], None),
        ("1,000", "1", ["1000", "1"], None),
        ("ten to five", "4-5 o'clock", ["4-5 o'clock", "5-10 o'clock"], None),
        ("5 to 4", "4-5 o'clock", ["4-5 o'clock", "3-4 o'clock"], None),
    ],
)
def test_what_reads_two_ways_is_left_to_a_judge(
    reply: str, expected: str, closed: list[str], right: bool | None
) -> None:
    assert settle(reply, expected, closed).right is right


@pytest.mark.parametrize("reply", ["- 30 degrees", "> 5 m", "2*3", "~~red~~"])
def test_signs_reach_the_rules(reply: str) -> None:
    asked = Question("q", "f", "t", "c", "How much?", (), (), "-30 degrees", variant="open", base="b")
    assert read_asked_choice(Ask("q", "q", (), ()), asked, reply, truncated=False).value == reply

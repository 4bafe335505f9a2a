"""Which questions are the same question about two clips that differ in one fact."""

from typing import Any

import pytest

from chronotope.errors import InputError
from chronotope.media import FramePlan
from chronotope.probe.prompts import Prompted
from chronotope.probe.twins import find_pairs
from chronotope.protocol import Ask
from chronotope.question import Option, Question


def prompted(
    side: str, twin: str | None, *answer: int, facts: dict[str, Any] | None = None, frames: int = 4, **change: Any
) -> Prompted:
    stated = {"twin": twin, "fact": "colour", "facts": facts}
    values = {"id": side, "family": "vgenst", "task": "CM_F_EXO_DYN", "cluster": "table", "stem": "What colour?"}
    values |= {"options": (Option("red"), Option("blue")), "answer": answer}
    values |= {"provenance": {name: value for name, value in stated.items() if value is not None}}
    question = Question(**values | change)
    plan = FramePlan("0" * 64, "times", None, tuple(range(frames)), tuple(map(float, range(frames))), None)
    return Prompted("as asked", Ask(side, side, (0, 1), (plan,)), question, (), ())


RED, BLUE = {"colour": "red", "lit": {"left": 1}}, {"colour": "blue", "lit": {"left": 1}}


def test_pairs_with_different_answers_are_found_in_both_directions() -> None:
    one, other = prompted("a", "b", 0, facts=RED), prompted("b", "a", 1, facts=BLUE)
    pairs = find_pairs([one, other])
    assert [(pair.clean, pair.corrupted, pair.fact) for pair in pairs] == [
        (one, other, "colour"),
        (other, one, "colour"),
    ]


@pytest.mark.parametrize(
    "other",
    [
        prompted("b", "a", 0, 1, facts=BLUE),  # has several answers
        prompted("c", "d", 1, facts=BLUE),  # is not the twin that was named
        prompted("b", "a", 0, facts=BLUE),  # has the same answer
    ],
)
def test_other_questions_are_no_pairs(other: Prompted) -> None:
    assert find_pairs([prompted("a", "b", 0, facts=RED), other]) == []


def test_questions_without_provenance_are_no_pairs() -> None:
    assert find_pairs([prompted("a", None, 0), prompted("b", None, 1)]) == []


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (
            {"facts": BLUE | {"lit": {"left": 2}}},
            "twins, but their clips differ in colour and lit: .* differ in one fact",
        ),
        ({"facts": RED}, "twins, but their clips differ in no fact"),
        ({"facts": BLUE | {"size": 3}}, "differ in colour and size"),
        ({"facts": BLUE, "stem": "Which?"}, "questions 'a' and 'b' are twins with different stems"),
        ({"facts": BLUE, "options": (Option("red"), Option("green"))}, "twins with different options"),
        ({"facts": BLUE, "frames": 3}, "show 4 and 3 frames: .* the same number of frames: use --condition frames=N"),
    ],
)
def test_twins_that_differ_in_more_are_refused(other: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        find_pairs([prompted("a", "b", 0, facts=RED), prompted("b", "a", 1, **other)])


def test_twins_name_each_other() -> None:
    with pytest.raises(InputError, match=r"questions 'a' and 'b' are twins, but 'b' has the twin 'c': correct `twin`"):
        find_pairs([prompted("a", "b", 0), prompted("b", "c", 1)])

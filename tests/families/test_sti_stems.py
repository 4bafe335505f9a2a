"""The words of questions about things: a stranger finds the thing, the moment and the measured boxes."""

import re

import pytest
from sti_streets import street
from sti_tables import table

from chronotope.audit.attacks.stems import quantity_of
from chronotope.families import WriteContext, family
from chronotope.recording import Scene

STI = family("sti")
CONFUSING = re.compile(
    r"\bLook (?:also )?at\b|\bamong those\b|\bis taken as\b|\b[Tt]he middle is that of\b|\bthere; the\b"
)
KINDS = {"gap", "gap-at", "centre-distance", "centre-distance-at", "camera-distance", "box", "relation", "pose"}


@pytest.fixture(scope="module")
def questions():
    recordings = [*(table(seed) for seed in range(6)), *(street(seed) for seed in range(6))]
    context = WriteContext(0, "strict", STI.build.Options(per_variant=6))
    return [question for one in recordings for question in STI.build.write(Scene.of(one), context).questions]


def test_a_thing_that_a_moment_identifies_is_introduced_before_anything_is_asked(questions):
    introduced = 0
    for question in questions:
        assert not CONFUSING.search(question.stem), question.stem
        told = [
            one for one in question.mentions if one.role == "stem" and "nearest to the camera at t = " in one.phrase
        ]
        for one in told:
            before = question.stem[: one.start]
            assert before.endswith((" about ", " is ")) and "?" not in before, question.stem
            assert question.stem[one.end] == "." and one.phrase.endswith("at that time")
        introduced += bool(told)
        if told:
            assert question.stem.startswith(("This question is about the ", "The first "))
    assert introduced >= 20


def test_the_boxes_of_two_things_are_told_by_name(questions):
    different = 0
    for question in questions:
        formula, stem = question.provenance["formula"].removesuffix("-at"), question.stem
        if formula == "gap" and (told := re.search(r"It is measured between (.+?)\.", stem)):
            same = told[1] == "the smallest upright boxes around the two things"
            assert same or told[1].startswith("two boxes: ")
            names = re.search(r"gap between (.+?) and ((?:the|this) .+?)\?", stem).groups()
            assert same or all(f"around {name}" in told[1] for name in names), stem
            different += not same
        if formula == "camera-distance":
            [name] = re.search(r"from the middle of (.+?)\?", stem).groups()
            assert f"The middle of {name} is the centre of the" in stem
        if formula == "centre-distance":
            first, second = re.search(r"is the middle of (.+?) from the middle of (.+?)\?", stem).groups()
            same = "The middle of a thing is the centre of" in stem
            assert same or (f"The middle of {first} is" in stem and f"the middle of {second} is" in stem)
    assert different >= 1


def test_baselines_read_what_is_asked(questions):
    seen = set()
    for question in questions:
        formula = question.provenance["formula"]
        if formula in KINDS:
            found = quantity_of(question.stem)
            assert found is not None and found.kind == formula.removesuffix("-at"), question.stem
            seen.add(found.kind)
    assert seen >= {"gap", "centre-distance", "camera-distance", "relation", "pose"}

"""Trajectory description: the texts of courses, and the choice of five options."""

from collections.abc import Sequence
from dataclasses import replace
from math import degrees, radians
from typing import Any

import numpy as np

from chronotope.families.sti.measure import LEAST_STRAIGHT, LEAST_TURN, Leg
from chronotope.families.sti.scale import Scale
from chronotope.families.sti.write.published import adjustment, published_scalars
from chronotope.families.sti.write.worlds import Worlds
from chronotope.question import Reason, Refused
from chronotope.scene import Candidate, Item, number

TASK = "Trajectory Description"
OPTIONS = 5
STEP = 0.01  # m; distances are printed with two decimals
PUBLISHED_CHANGE = (15.0, 45.0)  # degrees; published distractors change a turn by an angle in this range
SHARPEST = radians(170)  # beyond this angle, left and right can hardly be distinguished

Course = tuple[Leg, ...]


def course_text(course: Course) -> str:
    """Print a course: "move forward 185.53m, then turn right 75°".

    Distances have two decimals. Turns are printed in whole degrees.
    """
    return ", then ".join(_leg_text(leg) for leg in course)


def _leg_text(leg: Leg) -> str:
    if leg.kind == "turn":
        return f"turn {'left' if leg.amount > 0 else 'right'} {number(abs(degrees(leg.amount)), 0)}°"
    if leg.kind == "stop":
        return f"stop for {number(leg.amount, 0)}s"
    return f"move {leg.kind} {number(leg.amount, 2)}m"


def course_item(
    generator: np.random.Generator,
    candidates: Sequence[Candidate],
    scale: Scale,
    stems: Sequence[str],
    worlds: Worlds | None,
) -> Item:
    """Make an item whose options are five courses.

    ``stems`` has a stem for each candidate. The options are the course in the five ``worlds``. If ``worlds`` is None,
    the published rule makes the options.

    Raises:
        Refused: If no candidate has valid options.
    """
    if worlds is None:
        courses, facts = _published(generator, candidates[0].value, scale)
        return _item(candidates[0], courses, stems[0], facts)
    return _in_worlds(candidates, worlds, stems)


def _item(candidate: Candidate, courses: Sequence[Course], stem: str, facts: dict[str, Any] | None = None) -> Item:
    """Make a course item; the first course is correct."""
    texts = tuple(course_text(course) for course in courses)
    if len(set(texts)) < OPTIONS:
        raise Refused(Reason.NO_DISTRACTORS)
    value = [[leg.kind, leg.amount] for leg in candidate.value]
    return Item(candidate.place, stem, texts, 0, {"value": value, "unit": "m, rad, s"} | (facts or {}))


def _in_worlds(candidates: Sequence[Candidate], worlds: Worlds, stems: Sequence[str]) -> Item:
    """Make an item from the course in each of the five worlds.

    All options have the same kinds of legs in the same order. Straight pieces are multiplied by a world's factor for
    lengths, and turns by its factor for turns; stops are equal in all worlds. The first candidate whose options are all
    possible answers is used.
    """
    for candidate, stem in zip(candidates, stems, strict=True):
        courses = [
            tuple(_scaled(leg, length, turn) for leg in candidate.value)
            for length, turn in zip(worlds.lengths, worlds.turns, strict=True)
        ]
        if all(_could_be(leg) for course in courses for leg in course):
            return _item(candidate, courses, stem, {"ratio": worlds.ratio})
    raise Refused(Reason.NO_DISTRACTORS)


def _scaled(leg: Leg, length: float, turn: float) -> Leg:
    if leg.kind == "stop":
        return leg
    return replace(leg, amount=float(leg.amount * (turn if leg.kind == "turn" else length)))


def _could_be(leg: Leg) -> bool:
    if leg.kind == "turn":
        return LEAST_TURN <= abs(leg.amount) <= SHARPEST
    return leg.kind == "stop" or leg.amount >= LEAST_STRAIGHT


def _published(generator: np.random.Generator, right: Course, scale: Scale) -> tuple[list[Course], dict[str, Any]]:
    """Make the distractors of the published rule.

    One distractor differs from the answer only in a turn, and one only in a distance. The two other distractors differ
    from the answer in a turn and in a distance.
    """
    straight = [index for index, leg in enumerate(right) if leg.kind in ("forward", "backward")]
    if not straight:
        raise Refused(Reason.NO_DISTRACTORS)
    longest = max(straight, key=lambda index: right[index].amount)
    length = round(right[longest].amount, 2)
    made = published_scalars(generator, length, scale.nearest, lambda v: number(v, 2), STEP, positive=True)

    lengthened = [
        (*right[:longest], replace(right[longest], amount=float(value)), *right[longest + 1 :])
        for value in made.values[1:4]
    ]
    turned = _changed(generator, right, keep=True)
    courses = [right, turned, lengthened[0], *(_changed(generator, one) for one in lengthened[1:])]
    return courses, adjustment(made.gap, made.weight, scale.nearest, made.mirrored)


def _changed(generator: np.random.Generator, right: Course, *, keep: bool = False) -> Course:
    """Change a course at a turn.

    The turn is mirrored, removed, or changed by 15° to 45°. If a course has no turn, a turn is added. If a turn is
    removed, the straight pieces before and after it are joined. With ``keep``, no distance may change, so a turn
    between two straight pieces is changed instead of removed. A turn is changed instead of mirrored if the mirrored
    turn would be next to another turn to the same side.
    """
    turns = [index for index, leg in enumerate(right) if leg.kind == "turn"]
    if not turns:
        angle = radians(float(generator.uniform(degrees(LEAST_TURN), 90))) * float(generator.choice([-1, 1]))
        return (*right, Leg("turn", angle))
    at = turns[int(generator.integers(len(turns)))]
    way = int(generator.integers(3))
    mirrored = (*right[:at], Leg("turn", -right[at].amount), *right[at + 1 :])
    if way == 0 and _joined(mirrored) == mirrored:
        return mirrored
    if way == 1 and len(right) > 1:
        dropped = (*right[:at], *right[at + 1 :])
        joined = _joined(dropped)
        if (joined == dropped or not keep) and all(leg.kind != "turn" or abs(leg.amount) <= SHARPEST for leg in joined):
            return joined
    change = radians(float(generator.uniform(*PUBLISHED_CHANGE)))
    size = abs(right[at].amount)
    size += change if size + change <= SHARPEST else -change
    return (*right[:at], Leg("turn", float(np.copysign(size, right[at].amount))), *right[at + 1 :])


def _joined(course: Course) -> Course:
    """Join neighbouring legs of the same kind (turns: to the same side)."""
    legs: list[Leg] = []
    for leg in course:
        before = legs[-1] if legs else None
        if before is not None and before.kind == leg.kind and before.amount * leg.amount > 0:
            legs[-1] = replace(before, amount=before.amount + leg.amount)
        else:
            legs.append(leg)
    return tuple(legs)

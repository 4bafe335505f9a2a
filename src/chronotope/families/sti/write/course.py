"""Trajectory description: the wording of courses, and the five options."""

from collections.abc import Sequence
from dataclasses import replace
from math import degrees, radians
from typing import Any

import numpy as np

from chronotope.families import Profile
from chronotope.families.sti.measure import LEAST_STRAIGHT, LEAST_TURN, Leg
from chronotope.families.sti.scale import Scale
from chronotope.families.sti.write.published import adjustment, published_scalars
from chronotope.question import Reason, Refused, draw_scalar_offsets, exchangeable_scalars
from chronotope.scene import Candidate, Item, number

__all__ = ["TASK", "course_item", "course_text"]

TASK = "Trajectory Description"
OPTIONS = 5
STEP = 0.01  # m; distances are printed with two decimals
NEAREST_TURN = (5.0, 22.5)  # degrees between the turns of exchangeable options
PUBLISHED_CHANGE = (15.0, 45.0)  # degrees by which a published distractor changes a turn
SHARPEST = radians(170)  # beyond which left and right are one

Course = tuple[Leg, ...]


def course_text(course: Course) -> str:
    """Print a course: "move forward 185.53m, then turn right 75°".

    Distances have two decimals, turns whole degrees.
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
    profile: Profile,
    candidates: Sequence[Candidate],
    scale: Scale,
    stems: Sequence[str],
) -> Item:
    """Return five courses; the correct one belongs to a candidate.

    Each candidate has its stem.

    Raises:
        Refused: If no candidate suits the options.
    """
    if profile == "paper":
        courses, facts = _published(generator, candidates[0].value, scale)
        return _item(candidates[0], courses, stems[0], facts)
    return _exchangeable(generator, candidates, scale, stems)


def _item(candidate: Candidate, courses: Sequence[Course], stem: str, facts: dict[str, Any] | None = None) -> Item:
    """Make a course item; the first course is correct."""
    texts = tuple(course_text(course) for course in courses)
    if len(set(texts)) < OPTIONS:
        raise Refused(Reason.NO_DISTRACTORS)
    value = [[leg.kind, leg.amount] for leg in candidate.value]
    return Item(candidate.place, stem, texts, 0, {"value": value, "unit": "m, rad, s"} | (facts or {}))


def _exchangeable(
    generator: np.random.Generator, candidates: Sequence[Candidate], scale: Scale, stems: Sequence[str]
) -> Item:
    """Make options with the same kinds of legs but different amounts.

    So no option is more similar to the others than another. The longest straight piece and the sharpest turn differ
    between options, and each turn goes equally often to both sides; the rest is equal. Small turns are more common than
    large ones, so the sizes of the sharpest turn come from all candidates, as for other numbers. A course without turns
    has one number only.
    """
    kind = _shape(candidates[int(generator.integers(len(candidates)))].value)
    alike = [index for index, candidate in enumerate(candidates) if _shape(candidate.value) == kind]
    if kind == ("forward",) or kind == ("backward",):
        values = np.array([candidates[index].value[0].amount for index in alike])
        chosen, options = exchangeable_scalars(generator, values, LEAST_STRAIGHT + STEP, scale.nearest, STEP)
        lengths = np.roll(options.values, -options.answer)
        courses = [(Leg(kind[0], float(length)),) for length in lengths]  # type: ignore[arg-type]
        return _item(candidates[alike[chosen]], courses, stems[alike[chosen]])
    sharpest = [_largest(candidates[index].value, ("turn",)) for index in alike]
    turning = [(index, at) for index, at in zip(alike, sharpest, strict=True) if at is not None]
    if turning:
        sizes = np.array([abs(degrees(candidates[index].value[at].amount)) for index, at in turning])
        chosen, options = exchangeable_scalars(generator, sizes, degrees(LEAST_TURN) + 1, NEAREST_TURN, 1.0)
        turns = np.radians(options.values - options.values[options.answer])
        index, at = turning[chosen]
        courses = _varied(generator, candidates[index].value, at, turns, scale)
        if courses is not None:
            return _item(candidates[index], courses, stems[index])
    raise Refused(Reason.NO_DISTRACTORS)


def _shape(course: Course) -> tuple[str, ...]:
    return tuple(leg.kind for leg in course)


def _largest(course: Course, kinds: Sequence[str]) -> int | None:
    """Return the index of the longest leg or sharpest turn.

    Only these kinds count; None if there is none.
    """
    found = [index for index, leg in enumerate(course) if leg.kind in kinds]
    return max(found, key=lambda index: abs(course[index].amount), default=None)


def _varied(
    generator: np.random.Generator, right: Course, sharpest: int, turns: np.ndarray, scale: Scale
) -> list[Course] | None:
    """Return five courses, the first of them correct.

    None if one of them could not be an answer. ``turns`` (5,) rad is added to the sharpest turn of each; it is zero for
    one.
    """
    amounts: dict[int, np.ndarray] = {}
    for index, leg in enumerate(right):
        if leg.kind == "turn":
            larger = _about_zero(generator, turns) if index == sharpest else 0.0
            sides = generator.choice([-1.0, 1.0], OPTIONS)
            sides[0] = np.sign(leg.amount)
            amounts[index] = (abs(leg.amount) + larger) * sides
    longest = _largest(right, ("forward", "backward"))
    if longest is not None:
        offsets = draw_scalar_offsets(generator, scale.nearest, step=STEP)
        amounts[longest] = right[longest].amount + _about_zero(generator, offsets)
    courses = [
        tuple(replace(leg, amount=float(amounts[at][member])) if at in amounts else leg for at, leg in enumerate(right))
        for member in range(OPTIONS)
    ]
    return courses if all(_could_be(leg) for course in courses for leg in course) else None


def _about_zero(generator: np.random.Generator, offsets: np.ndarray) -> np.ndarray:
    """Return offsets with zero, the correct one, first.

    The others are shuffled, because their order would reveal the correct one.
    """
    right = int(np.argmin(np.abs(offsets)))
    return np.concatenate([[0.0], generator.permutation(np.delete(offsets, right))])


def _could_be(leg: Leg) -> bool:
    if leg.kind == "turn":
        return LEAST_TURN <= abs(leg.amount) <= SHARPEST
    return leg.kind == "stop" or leg.amount >= LEAST_STRAIGHT


def _published(generator: np.random.Generator, right: Course, scale: Scale) -> tuple[list[Course], dict[str, Any]]:
    """Make the distractors of the published rule.

    One has the same distance and another turn, one is reversed, and two differ in both.
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
    return courses, adjustment(made.gap, made.weight, scale.nearest, made.attempts)


def _changed(generator: np.random.Generator, right: Course, *, keep: bool = False) -> Course:
    """Change a course at a turn.

    The turn is mirrored, removed, or changed by 15° to 45°; a course without a turn gets one. If a turn is removed, the
    straight pieces before and after it are joined. With ``keep``, no distance may change, so the turn is changed
    instead. It is also changed if the mirrored turn would be next to another one to the same side.
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
    """Join neighbouring legs of one kind, and turns to one side."""
    legs: list[Leg] = []
    for leg in course:
        before = legs[-1] if legs else None
        if before is not None and before.kind == leg.kind and before.amount * leg.amount > 0:
            legs[-1] = replace(before, amount=before.amount + leg.amount)
        else:
            legs.append(leg)
    return tuple(legs)

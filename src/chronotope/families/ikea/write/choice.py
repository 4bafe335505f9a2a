"""T1, T3, T4: recognize one step among several from a clip.

Under ``strict`` the options are drawn from the possible answers by a rule that does not know the correct one, so each
option is equally likely to be correct.
"""

from collections.abc import Sequence
from itertools import pairwise

from chronotope.families import Refused
from chronotope.families.ikea.refusal import Code
from chronotope.families.ikea.write.distractors import cyclic_run, nearest
from chronotope.families.ikea.write.item import Flag, Item, diagram_flags
from chronotope.families.ikea.write.manual import Manual, Showing
from chronotope.question import MediaItem, Option

__all__ = ["next_step", "progress", "recognition", "stretches"]

USUAL, FEWEST = 4, 3  # options


def stretches(manual: Manual) -> Sequence[Showing]:
    """Return every stretch of a clip."""
    return manual.stretches


def recognition(manual: Manual, showing: Showing) -> Item:
    """T1: which diagram shows what the clip shows?"""
    _require_diagrams(manual)
    if fault := manual.fault(showing.step):
        raise Refused(fault)
    name = manual.name("T1", showing.step, showing.name)
    steps = _steps(manual, name, showing.step, manual.askable if manual.strict else manual.usable)
    flags = _flags(manual, steps) | diagram_flags(manual, steps)
    return _item(manual, "T1", name, showing, steps, _pictures(manual, steps), flags)


def progress(manual: Manual, showing: Showing) -> Item:
    """Ask T3: which of the manual's steps does the clip show?

    The text counts steps from 1.
    """
    if manual.strict:
        _require_diagrams(manual)
        if fault := manual.fault(showing.step):
            raise Refused(fault)
    elif len(manual.numbers) < FEWEST:
        raise Refused(Code.FEW_STEPS)
    name = manual.name("T3", showing.step, showing.name)
    steps = _steps(manual, name, showing.step, manual.askable if manual.strict else manual.usable)
    flags = _flags(manual, steps) | diagram_flags(manual, manual.usable)
    if showing.step not in manual.usable:
        flags.add(Flag.RIGHT_DIAGRAM_MISSING)
    texts = tuple(Option(f"Step {step + 1}") for step in steps)
    sequence = tuple(
        MediaItem("diagram", "image", (manual.diagrams[number].path,), f"Step {number + 1}") for number in manual.usable
    )
    return _item(manual, "T3", name, showing, steps, texts, flags, sequence)


def next_step(manual: Manual, showing: Showing) -> Item:
    """Ask T4: which diagram shows the step after the clip's?"""
    _require_diagrams(manual)
    if showing.step == manual.numbers[-1]:
        raise Refused(Code.LAST_STEP)
    following = _following(manual)
    if showing.step not in following:
        raise Refused(Code.NOT_CONSECUTIVE)
    right = following[showing.step]
    if fault := manual.fault(right):
        raise Refused(fault)
    name = manual.name("T4", showing.step, showing.name)
    if manual.strict:
        # The first step follows none, nor does a step whose forerunner no clip shows: they can never be right.
        seen = [step for number, step in following.items() if manual.showings.get(number) and step in manual.usable]
        steps = _steps(manual, name, right, seen, 1 if manual.options.include_current_step else 2)
    else:
        steps = _steps(manual, name, right, [number for number in manual.usable if number != showing.step])
    flags = _flags(manual, steps) | diagram_flags(manual, steps)
    return _item(manual, "T4", name, showing, steps, _pictures(manual, steps), flags)


def _following(manual: Manual) -> dict[int, int]:
    """Return the step after each but the last.

    Under ``strict`` no step of the manual may be missing between the two.
    """
    pairs = pairwise(manual.numbers)
    return {step: after for step, after in pairs if after == step + 1 or not manual.strict}


def _require_diagrams(manual: Manual) -> None:
    if len(manual.usable) < FEWEST:
        raise Refused(Code.FEW_DIAGRAMS)


def _steps(manual: Manual, name: str, right: int, numbers: Sequence[int], stride: int = 1) -> list[int]:
    """Return the steps of the options, the correct one first."""
    generator = manual.draws.of(name, "options")
    if not manual.strict:
        steps = [right, *nearest(generator, right, numbers)]
        if len(steps) < FEWEST:
            raise Refused(Code.FEW_OPTIONS)
        return steps
    count = min(USUAL, len(numbers) // stride)
    if count < (FEWEST if manual.options.allow_short_options else USUAL):
        raise Refused(Code.FEW_OPTIONS)
    members = cyclic_run(generator, right, numbers, count, stride)
    return [right, *(number for number in members if number != right)]


def _flags(manual: Manual, steps: Sequence[int]) -> set[str]:
    flags = {Flag.THREE_OPTIONS} if len(steps) < USUAL else set[str]()
    return flags if manual.strict else flags | {Flag.PUBLISHED_DISTRACTORS}


def _pictures(manual: Manual, steps: Sequence[int]) -> tuple[Option, ...]:
    return tuple(Option(image=manual.diagrams[step].path) for step in steps)


def _item(
    manual: Manual,
    task: str,
    name: str,
    showing: Showing,
    steps: Sequence[int],
    options: tuple[Option, ...],
    flags: set[str],
    sequence: tuple[MediaItem, ...] = (),
) -> Item:
    rule = (
        "consecutive steps on a ring of the possible answers"
        if manual.strict
        else "nearest two and one of the next three"
    )
    facts = {"takes": [showing.take], "steps": [showing.step], "answer_step": steps[0], "rule": rule}
    tags = {"step": str(showing.step)}
    return Item(task, name, (showing.media("video"), *sequence), options, tuple(steps), tags, frozenset(flags), facts)

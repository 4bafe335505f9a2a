"""Writer of the questions of T1, T3 and T4: which of several steps belongs to a clip?

With the profile ``strict``, the options are chosen from the possible answers by a rule that gives each option the same
probability of being correct.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from chronotope.families import Refused
from chronotope.families.ikea.refusal import Code
from chronotope.families.ikea.write.item import Flag, Item, diagram_flags
from chronotope.families.ikea.write.manual import Manual, Showing
from chronotope.question import MediaItem, Option


def nearest(generator: np.random.Generator, right: int, numbers: Sequence[int], count: int = 3) -> list[int]:
    """Choose the steps of wrong options by the published rule.

    The distance of a step is the difference between its number and the correct number. The chosen steps are the nearest
    ``count - 1`` steps, and one of the next three steps at random. Of two equally near steps, the step with the lower
    number comes first. If there are at most ``count`` other steps, all are chosen. With this rule, the correct step is
    usually in the middle of the options, and can therefore be guessed.
    """
    others = sorted((number for number in numbers if number != right), key=lambda n: (abs(n - right), n))
    if len(others) <= count:
        return others
    further = others[count - 1 : count + 2]
    return [*others[: count - 1], further[int(generator.integers(len(further)))]]


def cyclic_run(
    generator: np.random.Generator, right: int, numbers: Sequence[int], count: int, stride: int = 1
) -> list[int]:
    """Choose ``count`` neighbouring numbers that include the correct number.

    The sorted numbers form a ring: the first number follows the last. Every ``stride``-th number of the ring is chosen,
    beginning at a random number. The correct number is always among the chosen numbers, and has each position with the
    same probability. The result is in ascending order. If only the chosen numbers are known, each of them is equally
    likely to be correct. The options therefore give no hint, even at the beginning and the end of a manual. Neighbours
    are chosen because they are the hardest to distinguish. The product ``count * stride`` must not exceed
    ``len(numbers)``.
    """
    ring = sorted(numbers)
    start = ring.index(right) - stride * int(generator.integers(count))
    return sorted(ring[(start + stride * place) % len(ring)] for place in range(count))


USUAL, FEWEST = 4, 3  # options


def stretches(manual: Manual) -> Sequence[Showing]:
    """Return all video segments of all steps."""
    return manual.stretches


def recognition(manual: Manual, showing: Showing) -> Item:
    """Write a T1 question: which diagram shows the step in the clip?"""
    _require_diagrams(manual)
    if fault := manual.fault(showing.step):
        raise Refused(fault)
    name = manual.name("T1", showing.step, showing.name)
    steps = _steps(manual, name, showing.step, manual.askable if manual.strict else manual.usable)
    flags = _flags(manual, steps) | diagram_flags(manual, steps)
    return _item(manual, "T1", name, showing, steps, _pictures(manual, steps), flags)


def progress(manual: Manual, showing: Showing) -> Item:
    """Write a T3 question: which of the steps does the clip show?

    In the texts of the options, steps are counted from 1.
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
    """Write a T4 question: which diagram shows the step after the clip?"""
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
        # A step can be correct only if a clip shows its previous step. All other steps are not offered.
        seen = [step for number, step in following.items() if manual.showings.get(number) and step in manual.usable]
        steps = _steps(manual, name, right, seen, 1 if manual.options.include_current_step else 2)
    else:
        steps = _steps(manual, name, right, [number for number in manual.usable if number != showing.step])
    flags = _flags(manual, steps) | diagram_flags(manual, steps)
    return _item(manual, "T4", name, showing, steps, _pictures(manual, steps), flags)


def _following(manual: Manual) -> dict[int, int]:
    """Return the next step of each step, except for the last step.

    With the profile ``strict``, a step is left out if the manual lacks the step directly after it.
    """
    pairs = pairwise(manual.numbers)
    return {step: after for step, after in pairs if after == step + 1 or not manual.strict}


def _require_diagrams(manual: Manual) -> None:
    if len(manual.usable) < FEWEST:
        raise Refused(Code.FEW_DIAGRAMS)


def _steps(manual: Manual, name: str, right: int, numbers: Sequence[int], stride: int = 1) -> list[int]:
    """Return the steps of the options; the correct step comes first."""
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

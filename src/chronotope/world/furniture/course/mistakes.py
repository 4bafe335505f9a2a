"""Mistakes that a person can make in the assembly of a product, of which each is physically possible."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from chronotope.recording import MISTAKES, MistakeKind
from chronotope.world.furniture.course.course import Course, Slip, entries_of, rewritten
from chronotope.world.furniture.course.places import in_place_of, is_beside, looks_other, moved_group, other_sides
from chronotope.world.furniture.course.undoing import Wrong, steps_to_undo
from chronotope.world.furniture.possible import faults_of_ways
from chronotope.world.furniture.product import AssemblyStep, Entry, Group, Joining, Product

FROM_BELOW = 0.5  # cosine; nothing comes up through the floor
UNDOINGS = ((False, False), (True, False), (False, True), (True, True))  # of the two steps that a take shows


def draw_mistake(generator: np.random.Generator, product: Product, number: int) -> Course | None:
    """Draw a course with a mistake, or None if no mistake is possible.

    The ``number`` of the take in its set chooses the kind, and what has to be undone, if the product has such a
    mistake. Otherwise the next kind is drawn.
    """
    for turn in range(len(MISTAKES)):
        kind = MISTAKES[(number + turn) % len(MISTAKES)]
        # Each kind comes with each answer, and a few takes have all answers.
        wanted = UNDOINGS[(number + number // len(MISTAKES)) % len(UNDOINGS)]
        courses = {step: list(possible_mistakes(product, kind, step)) for step in range(len(product.steps))}
        best = {step: [one for one in of if _undone(one) == wanted] for step, of in courses.items()}
        for found in (best, courses):
            # The step is drawn first: a step with many parts has no more mistakes than others.
            if steps := [step for step, of in found.items() if of]:
                of_step = found[int(generator.choice(steps))]
                return of_step[int(generator.integers(len(of_step)))]
    return None


def _undone(course: Course) -> tuple[bool, ...] | None:
    undo = None if course.slip is None else course.slip.undo
    return None if undo is None else tuple(step in undo for step in course.shown)


def possible_mistakes(product: Product, kind: MistakeKind, step: int) -> Iterator[Course]:
    """Yield the courses with a mistake of a kind in a step."""
    for tried in _TRIES[kind](product, step):
        if (course := _finished(product, tried)) is not None:
            yield course


@dataclass(frozen=True, eq=False)
class _Try:
    product: Product
    order: tuple[int, ...]
    kind: MistakeKind
    step: int
    parts: Group


def _shown(product: Product, step: int) -> list[tuple[Joining, Entry]]:
    """Return the groups of a step that is done once."""
    return entries_of(product.steps[step]) if len(product.steps[step].joinings) == 1 else []


def _with_step(product: Product, number: int, change: Callable[[Entry], Entry | None], of: Entry) -> Product:
    """Return a product in which the entry of a step is changed or left out."""
    steps = list(product.steps)
    joinings = tuple(
        replace(
            joining,
            entries=tuple(
                made for entry in joining.entries if (made := change(entry) if entry is of else entry) is not None
            ),
        )
        for joining in steps[number].joinings
    )
    steps[number] = AssemblyStep(joinings)
    return replace(product, steps=tuple(steps))


def _wrong_part(product: Product, step: int) -> Iterator[_Try]:
    built = {part for other in product.steps[: step + 1] for joining in other.joinings for part in joining.joined}
    for _, entry in _shown(product, step):
        if len(entry.parts) > 1:
            continue
        part = min(entry.parts)
        kinds: set[str] = {product.parts[part].kind}
        for other in range(len(product.parts)):
            if other in built or product.parts[other].kind in kinds or not looks_other(product, part, other):
                continue
            kinds.add(product.parts[other].kind)
            changed = moved_group(product, (other,), in_place_of(product, entry, other))
            before, after = product.steps[:step], product.steps[step:]
            # The other part is used up, and what it replaces is left.
            follow = rewritten(after[1:], gone=[other], others={part: other})
            own = rewritten(after[:1], others={part: other})
            if follow is None or own is None:
                continue
            used = any(other in group.parts for one in after[1:2] for _, group in entries_of(one))
            order = tuple(range(step + (1 if used else 2)))
            yield _Try(replace(changed, steps=(*before, *own, *follow)), order, "wrong_part", step, (other,))


def _wrong_side(product: Product, step: int) -> Iterator[_Try]:
    for joining, entry in _shown(product, step):
        for transform, toward in other_sides(product, joining.base, entry):
            if np.dot(toward, joining.up) > FROM_BELOW:
                continue
            changed = moved_group(product, entry.parts, transform)
            if is_beside(changed, product, entry.parts):
                turned = _with_step(changed, step, lambda one, toward=toward: replace(one, toward=toward), entry)
                yield _Try(turned, tuple(range(step + 2)), "wrong_side", step, entry.parts)


def _wrong_order(product: Product, step: int) -> Iterator[_Try]:
    """Yield the course in which the next step is done before a step."""
    if step + 1 >= len(product.steps) or len(product.steps[step].joinings) > 1:
        return
    late, early = product.steps[step], product.steps[step + 1]
    own = {part for _, entry in entries_of(late) for part in entry.parts}
    moved = rewritten([early], gone=sorted(own))
    if moved is None or not entries_of(moved[0]) or len(entries_of(moved[0])) < len(entries_of(early)):
        return
    [after] = moved[0].joinings if len(moved[0].joinings) == 1 else [None]
    [before] = late.joinings
    if after is None or not set(after.base) <= set(before.joined):
        return
    late = AssemblyStep((replace(before, base=tuple(sorted({*before.base, *after.joined} - own))),))
    steps = (*product.steps[:step], late, moved[0], *product.steps[step + 2 :])
    parts = tuple(sorted(part for entry in after.entries for part in entry.parts))
    yield _Try(replace(product, steps=steps), (*range(step), step + 1, step), "wrong_order", step + 1, parts)


def _left_out(product: Product, step: int) -> Iterator[_Try]:
    """Yield courses without a step, or without a part of it."""
    entries = _shown(product, step)
    for _, entry in entries:
        if len(entries) > 1:
            without = _with_step(product, step, lambda one: None, entry)
            yield from _gone(without, step, entry.parts, tuple(range(step + 2)))
    if entries:
        parts = tuple(sorted(part for _, entry in entries for part in entry.parts))
        order = (*range(step), step + 1, step + 2)
        yield from _gone(product, step, parts, order)


def _gone(product: Product, step: int, parts: Group, order: Sequence[int]) -> Iterator[_Try]:
    steps = rewritten(product.steps, gone=parts)
    if steps is not None:
        yield _Try(replace(product, steps=steps), tuple(order), "left_out", step, parts)


_TRIES: dict[MistakeKind, Callable[[Product, int], Iterator[_Try]]] = {
    "wrong_part": _wrong_part,
    "wrong_side": _wrong_side,
    "wrong_order": _wrong_order,
    "left_out": _left_out,
}


def _finished(product: Product, tried: _Try) -> Course | None:
    """Return the course of a try, or None if it is not physically possible.

    The course ends with the step with the mistake and one more, or, if this is not possible, with the mistake.
    """
    whole = _possible(product, tried, tried.order)
    if whole is not None:
        return whole
    shorter = tried.order[:-1]
    return _possible(product, tried, shorter) if tried.step in shorter and tried.kind != "wrong_order" else None


def _possible(right: Product, tried: _Try, order: tuple[int, ...]) -> Course | None:
    if len(order) < 2 or max(order) >= len(right.steps):
        return None
    steps = tuple(step if number in order else AssemblyStep(()) for number, step in enumerate(tried.product.steps))
    product = replace(tried.product, steps=steps)
    if any(not entries_of(steps[number]) for number in order):
        return None
    first = tried.step - (tried.kind == "wrong_order")
    later = tuple(AssemblyStep(()) if number < first else step for number, step in enumerate(steps))
    if any(faults_of_ways(replace(product, steps=later))):
        return None
    if tried.kind == "left_out" and order[-1] == tried.step and _is_last(right, tried):
        return None
    undo = None
    if tried.kind != "wrong_order":
        first = min(tried.step, order[-1]) if tried.step in order else order[-2]
        undo = steps_to_undo(right, product, _wrong(right, product, tried), [one for one in order if one >= first])
    return Course(product, order, Slip(tried.kind, tried.step, tried.parts, undo))


def _wrong(right: Product, built: Product, tried: _Try) -> Wrong:
    there = next((entry for _, entry in entries_of(built.steps[tried.step]) if entry.parts == tried.parts), None)
    if tried.kind == "wrong_part":
        own = [entry.parts for _, entry in entries_of(built.steps[tried.step])]
        missing = entries_of(right.steps[tried.step])[own.index(tried.parts)]
        return Wrong(there, (missing[1],))
    missing = [entry for _, entry in entries_of(right.steps[tried.step]) if set(entry.parts) <= set(tried.parts)]
    return Wrong(there, tuple(missing))


def _is_last(right: Product, tried: _Try) -> bool:
    """Check whether nothing comes after what is left out."""
    return entries_of(right.steps[tried.step])[-1][1].parts == tried.parts

"""Options that are texts: one or several correct ones, wrong ones, and the option that none is correct."""

from collections.abc import Callable, Iterable, Sequence
from itertools import product

from chronotope.families.m3.tasks import NONE
from chronotope.families.m3.write.drafting import Choice, Listed, Pen
from chronotope.question import Reason

ATTEMPTS = 30  # sets of candidates that are drawn until the best one is clearly ahead


def list_one(
    pen: Pen,
    truth: Choice,
    wrong: Iterable[Choice],
    about: Sequence[str] = (),
    hallucination: bool | None = None,
) -> Listed | None:
    """List one correct option and wrong ones.

    A hallucination is a question that lists no correct option. It has one more wrong option instead, so the number of
    options does not reveal it. By default, a random choice decides whether the question is a hallucination.
    """
    count = pen.draw_count()
    hallucination = pen.draws_hallucination() if hallucination is None else hallucination
    found = _picked(pen, wrong, count - 1, [truth], about)
    if len(found) + 1 < pen.row.least:
        return pen.refuse(Reason.NO_DISTRACTORS)
    if not pen.row.lists_none:
        return shuffled_list(pen, [truth], found)
    if hallucination:
        return shuffled_list(pen, [], found)
    return shuffled_list(pen, [truth], found[:-1])


def list_several(
    pen: Pen,
    truths: Iterable[Choice],
    wrong: Iterable[Choice],
    about: Sequence[str] = (),
    most_removed: int = 2,
    *,
    may_be_empty: bool = False,
) -> Listed | None:
    """List one or more correct options, and wrong options.

    One more option says that no other option is correct. A hallucination lists no correct option; it is possible only
    if ``truths`` has at most ``most_removed`` options. If ``truths`` is empty, the question becomes a hallucination if
    ``may_be_empty`` is true, and is refused otherwise.
    """
    right, wrong = list(truths), list(wrong)
    count = pen.draw_count()
    hallucination = pen.draws_hallucination() and len(right) <= most_removed
    if not right and not may_be_empty:
        return pen.refuse(Reason.NO_DISTRACTORS)
    hallucination |= not right
    if hallucination:
        found = _picked(pen, wrong, count - 1, right, about)
        if len(found) + 1 < pen.row.least:
            return pen.refuse(Reason.NO_DISTRACTORS)
        return shuffled_list(pen, [], found)
    listed = count - 1
    share = int(pen.generator.integers(1, max(2, min(len(right), listed - 1) + 1)))
    share = max(share, pen.row.least - 1 - len(wrong))  # few wrong ones need more correct ones beside them
    chosen = _picked(pen, right, share, [], about)
    found = _picked(pen, wrong, listed - len(chosen), chosen, about, [one.text for one in right])
    if not chosen or not found or len(chosen) + len(found) + 1 < pen.row.least:
        return pen.refuse(Reason.NO_DISTRACTORS)
    return shuffled_list(pen, chosen, found)


def list_drawn(pen: Pen, right: Sequence[Choice], wrong: Sequence[Choice], about: Sequence[str] = ()) -> Listed | None:
    """Draw options among correct and wrong ones, as published.

    If no correct option is drawn, the option which says that no other is correct becomes the correct one.
    """
    drawn = _picked(pen, pen.shuffled([*right, *wrong]), pen.draw_count() - 1, [], about)
    if len(drawn) + 1 < pen.row.least:
        return pen.refuse(Reason.NO_DISTRACTORS)
    return shuffled_list(pen, [one for one in drawn if one in right], [one for one in drawn if one not in right])


def list_extreme(
    pen: Pen,
    candidates: Sequence[tuple[Choice, Sequence[float]]],
    sign: int,
    is_clear: Callable[[float, float], bool],
    *,
    ties: bool = False,
    about: Sequence[str] = (),
    attempts: int = ATTEMPTS,
) -> Listed | None:
    """List some candidates; the one with the extreme value is correct.

    The correct candidate has the largest (``sign`` 1) or smallest (-1) value. A value can have several readings, such
    as the number of frames with any glimpse of an object, and the number with a clear view. Up to ``attempts`` sets of
    candidates are drawn, until each reading of the correct value is clearly ahead of all readings of the other values.
    With ``ties``, all candidates that share the best value are correct.
    """
    values, extreme = dict(candidates), max if sign > 0 else min
    for _ in range(attempts):
        found = _picked(pen, pen.shuffled([choice for choice, _ in candidates]), pen.draw_count(), [], about)
        if len(found) < pen.row.least:
            break
        best = [extreme(reading) for reading in zip(*(values[one] for one in found), strict=True)]
        right = [one for one in found if list(values[one]) == best]
        wrong = [one for one in found if one not in right]
        if not right or not wrong or (len(right) > 1 and not ties):
            continue
        rivals = [value for one in wrong for value in values[one]]
        if all(sign * own > sign * other and is_clear(own, other) for own, other in product(best, rivals)):
            return shuffled_list(pen, right, wrong, none=False)
    return pen.refuse(Reason.NO_DISTRACTORS)


def frames_of(pool: Sequence[tuple[Choice, Sequence[float]]], listed: Listed) -> dict[str, dict[str, int]]:
    """Return the number of frames of each option, as facts of a question."""
    return {"frames": {choice.text: int(value[0]) for choice, value in pool if choice in listed.options}}


def shuffled_list(pen: Pen, right: Sequence[Choice], wrong: Sequence[Choice], *, none: bool | None = None) -> Listed:
    """Put options into a random order."""
    lists_none = pen.row.lists_none if none is None else none
    last = [Choice(NONE)] if lists_none else []
    order = pen.shuffled([*right, *wrong, *last])
    truths = list(right) or last
    return Listed(
        tuple(order), tuple(place for place, one in enumerate(order) if one in truths), hallucination=not right
    )


def _picked(
    pen: Pen,
    pool: Iterable[Choice],
    count: int,
    taken: Sequence[Choice],
    about: Sequence[str],
    texts: Sequence[str] = (),
) -> list[Choice]:
    """Pick options from a pool in its order.

    Texts are distinct, also from ``texts`` and from the options ``taken``. No two options are about the same thing, and
    no object of an option carries an object of another option or of the stem.
    """
    relatives = pen.homes.relatives  # rooms are none, so they never clash
    used = {one.text for one in taken} | set(texts)
    before = {*about, *(name for one in taken for name in one.about)}
    found: list[Choice] = []
    for one in pool:
        if len(found) == count:
            break
        if one.text in used or not all(before.isdisjoint(relatives.get(name, ())) for name in one.about):
            continue
        found.append(one)
        used.add(one.text)
        before.update(one.about)
    return found

"""Options of questions whose answer is one number, and their printed texts."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from chronotope.families.sti.refusal import Code
from chronotope.families.sti.scale import PrintedUnit, Usual
from chronotope.families.sti.write.factors import draw_factors
from chronotope.families.sti.write.published import adjustment, published_scalars
from chronotope.families.sti.write.worlds import Worlds
from chronotope.question import RATIOS, Refused, exchangeable_ratios, ratio_text
from chronotope.scene import Candidate, Item, number

MOST_DECIMALS = 4  # maximum number of printed decimals; a question that needs more decimals is refused

Stem = Callable[[Candidate], str]


def quantity_text(value: float, unit: PrintedUnit) -> str:
    """Print a number with its unit."""
    return f"{number(value, unit.decimals)}{unit.name}"


def published_item(
    generator: np.random.Generator,
    candidate: Candidate,
    unit: PrintedUnit,
    nearest: tuple[float, float],
    stem: Stem,
    *,
    signed: bool = False,
) -> Item:
    """Make an item by the published rule for options (profile ``paper``).

    The candidate's value and ``nearest`` are in the SI unit. The options are printed in ``unit``.
    """
    low, high = (limit * unit.factor for limit in nearest)
    right = round(candidate.value * unit.factor, unit.decimals)
    made = published_scalars(
        generator, right, (low, high), lambda v: quantity_text(v, unit), unit.step, positive=not signed
    )
    facts = adjustment(made.gap, made.weight, nearest, made.mirrored, unit.factor)
    texts = tuple(quantity_text(float(value), unit) for value in made.values)
    return Item(candidate.place, stem(candidate), texts, 0, _facts(candidate, unit) | facts)


def ratio_item(
    generator: np.random.Generator,
    candidates: Sequence[Candidate],
    unit: PrintedUnit,
    least: float,
    stem: Stem,
    ratios: Sequence[float] = RATIOS,
    within: np.ndarray | None = None,
) -> Item:
    """Make an item whose neighbouring options have a ratio from the ladder.

    Values (all positive), ``least`` and the plausible ranges ``within`` (K, 2) are in the SI unit. ``least`` is the
    smallest possible answer.

    Raises:
        Refused: If the drawn options fit no candidate.
    """
    values = np.array([candidate.value for candidate in candidates])
    made = exchangeable_ratios(generator, values, ratios, within)
    return _laddered(candidates[made.chosen], made.options.values, made.options.answer, made.ratio, unit, least, stem)


def usual_item(
    generator: np.random.Generator,
    candidates: Sequence[Candidate],
    usual: Sequence[Usual],
    unit: PrintedUnit,
    least: float,
    stem: Stem,
    ratios: Sequence[float] = RATIOS,
) -> Item:
    """Make an item whose five options are equally likely.

    The options are equally likely for a reader who knows the usual values. ``usual`` has the usual distribution of each
    candidate's answer. The other arguments are as in ``ratio_item``.

    Raises:
        Refused: If every candidate has an option that is too small (BELOW_PRECISION).
    """
    for index in generator.permutation(len(candidates)):
        candidate = candidates[int(index)]
        ratio, factors = draw_factors(generator, partial(usual[int(index)].likelihood, candidate.value), ratios)
        values, answer = candidate.value * factors, int(np.flatnonzero(factors == 1)[0])
        try:
            return _laddered(candidate, values, answer, ratio, unit, least, stem)
        except Refused:
            continue
    raise Refused(Code.BELOW_PRECISION)


def world_item(
    candidates: Sequence[Candidate], worlds: Worlds, unit: PrintedUnit, least: Sequence[float], stem: Stem
) -> Item:
    """Make an item from the value in each of the five worlds.

    ``least`` has the smallest possible magnitude of each candidate's answer, in the SI unit.

    Raises:
        Refused: If every candidate has an option that is too small (BELOW_PRECISION).
    """
    for candidate, smallest in zip(candidates, least, strict=True):
        try:
            return _laddered(candidate, worlds.values(candidate.value), 0, worlds.ratio, unit, smallest, stem)
        except Refused:
            continue
    raise Refused(Code.BELOW_PRECISION)


def _laddered(
    candidate: Candidate, values: np.ndarray, answer: int, ratio: float, unit: PrintedUnit, least: float, stem: Stem
) -> Item:
    """Make an item from ``values`` (5,), a geometric sequence with factor ``ratio``.

    Raises:
        Refused: If a value is smaller than ``least``, or would need too many decimals.
    """
    smallest = float(np.abs(values).min())
    if smallest < least:
        raise Refused(Code.BELOW_PRECISION)
    fine = unit.fine_enough(smallest * unit.factor, ratio)
    if fine.decimals > MOST_DECIMALS:
        raise Refused(Code.BELOW_PRECISION)
    texts = tuple(quantity_text(float(value) * unit.factor, fine) for value in values)
    item = Item(candidate.place, stem(candidate), texts, answer, _facts(candidate, unit) | {"ratio": ratio})
    return replace(item, tags={"spacing": (ratio_text(ratio),)})


def _facts(candidate: Candidate, unit: PrintedUnit) -> dict[str, Any]:
    return {"value": candidate.value, "unit": unit.si}

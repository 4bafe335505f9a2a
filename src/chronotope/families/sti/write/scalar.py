"""Questions whose answer is one number: how their options are made and printed."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from chronotope.families import Profile
from chronotope.families.sti.scale import PrintedUnit
from chronotope.families.sti.write.published import adjustment, published_scalars
from chronotope.question import exchangeable_scalars
from chronotope.scene import Candidate, Item, number

__all__ = ["quantity_text", "scalar_item"]


def quantity_text(value: float, unit: PrintedUnit) -> str:
    """Return a number with its unit, as printed."""
    return f"{number(value, unit.decimals)}{unit.name}"


def scalar_item(
    generator: np.random.Generator,
    profile: Profile,
    candidates: Sequence[Candidate],
    unit: PrintedUnit,
    nearest: tuple[float, float],
    least: Sequence[float],
    stem: Callable[[Candidate], str],
    *,
    signed: bool = False,
) -> Item:
    """Make an item whose options are five numbers, printed in ``unit``.

    Values, ``nearest`` and ``least`` are in the SI unit. ``least`` is the smallest possible magnitude for each
    candidate: an option below it could not be the answer. Under ``strict`` all options have the sign of the correct
    one.

    Raises:
        Refused: If no candidate suits them.
    """
    low, high = (limit * unit.factor for limit in nearest)
    if profile == "paper":
        candidate = candidates[0]
        right = round(candidate.value * unit.factor, unit.decimals)
        made = published_scalars(
            generator, right, (low, high), lambda v: quantity_text(v, unit), unit.step, positive=not signed
        )
        texts = tuple(quantity_text(float(value), unit) for value in made.values)
        facts = adjustment(made.gap, made.weight, nearest, made.attempts, unit.factor)
        return _item(candidate, stem, texts, 0, unit, facts)
    magnitudes = np.array([abs(candidate.value) for candidate in candidates]) * unit.factor
    # Printed values may lie half a step below the true ones.
    floor = np.array(least) * unit.factor + unit.step
    index, options = exchangeable_scalars(generator, magnitudes, floor, (low, high), unit.step)
    candidate = candidates[index]
    texts = tuple(quantity_text(float(np.copysign(v, candidate.value)), unit) for v in options.values)
    return _item(candidate, stem, texts, options.answer, unit, {})


def _item(
    candidate: Candidate,
    stem: Callable[[Candidate], str],
    texts: tuple[str, ...],
    answer: int,
    unit: PrintedUnit,
    facts: dict[str, Any],
) -> Item:
    facts = {"value": candidate.value, "unit": unit.si} | facts
    return Item(candidate.place, stem(candidate), texts, answer, facts)

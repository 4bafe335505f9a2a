"""Sets of options with a constant ratio, which do not reveal the correct option, and the ladder of their spacings.

Each set is made around one of several true values.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chronotope.question.options import OptionSet

RATIOS = (1.05, 1.1, 1.2, 1.4, 2.0)  # ratios of neighbouring lengths, speeds or accelerations
ANGLES = (5.0, 10.0, 20.0, 40.0)  # degrees between neighbouring directions or turns


def ratio_text(ratio: float) -> str:
    """Format a ratio for the tag ``spacing``, such as "1.05"."""
    return f"{ratio:g}"


def angle_text(degrees: float) -> str:
    """Format an angle for the tag ``spacing``, such as "5°"."""
    return f"{degrees:g}°"


def rungs_by_chance(generator: np.random.Generator, rungs: Sequence[float]) -> list[float]:
    """Return all rungs in random order; wide rungs tend to come first.

    The chance of a rung to be the next is proportional to the square of its rank among all rungs. Wide spacings fit
    fewer values than narrow spacings, so with equal chances a benchmark would have few wide spacings.
    """
    weights = np.arange(1, len(rungs) + 1, dtype=np.float64) ** 2
    ascending = sorted(rungs)
    order = generator.choice(len(ascending), len(ascending), replace=False, p=weights / weights.sum()).tolist()
    return [ascending[int(index)] for index in order]


Floats = NDArray[np.float64]

COUNT = 5


@dataclass(frozen=True, eq=False)
class RatioSet:
    """Five values with the same ratio between all neighbours, around the chosen true value."""

    chosen: int
    options: OptionSet
    ratio: float


def exchangeable_ratios(
    generator: np.random.Generator,
    values: Floats,
    ratios: Sequence[float] = RATIOS,
    within: Floats | None = None,
) -> RatioSet:
    """Make five values with a constant ratio, around a true value.

    ``values`` (K,) are positive. ``within`` (K, 2) is the range of plausible answers to each of the K questions, such
    as the possible sizes of things with this name; by default it is the range of ``values``.

    The ratio, the rank of the correct value and the position of the set within the range are drawn first. Then the true
    value nearest to the position of the correct member is chosen. So no member is more plausible than another, given
    the range. A ratio is used only if, for each rank, the set of some true value fits into its range: if the ends of
    the range were refused their middle ranks, the correct value would mostly be the smallest or the largest. If no
    ratio fits, because values are few or nearly equal, the set has the smallest ratio, and its true value is chosen at
    random.
    """
    logs: Floats = np.log(values)
    ends: Floats = np.tile([logs.min(), logs.max()], (len(logs), 1)) if within is None else np.log(within)
    for ratio in rungs_by_chance(generator, ratios):
        step = np.log(ratio)
        room = ends[:, 1] - ends[:, 0] - (COUNT - 1) * step
        rank, share = int(generator.integers(COUNT)), generator.uniform()
        wanted = ends[:, 0] + share * room + rank * step
        lowest = logs - step * np.arange(COUNT)[:, None]  # (COUNT, K), for each rank
        # The tolerance is half a step, because the range is approximate, and few values have exactly the drawn
        # position.
        fits = (lowest >= ends[:, 0] - step / 2) & (lowest + (COUNT - 1) * step <= ends[:, 1] + step / 2) & (room >= 0)
        if not fits.any(axis=1).all():
            continue
        # The first of equally near values is chosen, because rounding errors must not decide.
        away: Floats = np.where(fits[rank], np.abs(logs - wanted), np.inf)
        chosen = int(np.argmin(away.round(9)))
        return RatioSet(chosen, _around(values[chosen], ratio, rank), ratio)
    chosen, rank = int(generator.integers(len(values))), int(generator.integers(COUNT))
    return RatioSet(chosen, _around(values[chosen], min(ratios), rank), min(ratios))


def _around(truth: float, ratio: float, rank: int) -> OptionSet:
    factors: Floats = np.power(ratio, np.arange(COUNT, dtype=np.float64) - rank)
    return OptionSet(truth * factors, rank)

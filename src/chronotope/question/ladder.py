"""The ladder of spacings: the distances between neighbouring options of a question."""

from collections.abc import Sequence

import numpy as np

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

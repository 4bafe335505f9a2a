"""How sure a mean is when items come in clusters: several questions about one clip stand or fall together."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean  # exact: the mean of equal chances is that chance

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, stdtrit  # scipy.stats takes a second to import

__all__ = ["FEWEST_CLUSTERS", "Estimate", "estimate", "korn_graubard"]

FEWEST_CLUSTERS = 6  # below it a variance between clusters is itself too unsure to print (design, section 8)
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A mean over items with its 95 % interval and what chance would reach, all as fractions.

    ``low`` and ``high`` are None where there are fewer than ``FEWEST_CLUSTERS`` clusters ("too few clips"); ``chance``
    is None where no item has one.
    """

    value: float
    low: float | None
    high: float | None
    items: int
    clusters: int
    chance: float | None


def estimate(values: ArrayLike, clusters: Sequence[str], chances: Sequence[float | None] = ()) -> Estimate | None:
    """The mean of values in [0, 1], shape (n,), with its interval over the n cluster names; None where n is 0."""
    array = np.asarray(values, dtype=float)
    if array.size == 0:
        return None
    count = len(set(clusters))
    low, high = korn_graubard(array, clusters) if count >= FEWEST_CLUSTERS else (None, None)
    known = [chance for chance in chances if chance is not None]
    return Estimate(
        value=float(array.mean()),
        low=low,
        high=high,
        items=array.size,
        clusters=count,
        chance=mean(known) if known else None,
    )


def korn_graubard(values: ArrayLike, clusters: Sequence[str]) -> tuple[float, float]:
    """The 95 % Korn-Graubard interval of the mean of values in [0, 1], shape (n,), that come in G >= 2 clusters.

    Clopper-Pearson on the effective sample size n / deff * (t_{n-1} / t_{G-1})^2, at most n. deff, at least 1, is the
    variance of the mean between clusters over that of n independent yes-or-no items of the same mean, p(1-p)/(n-1); it
    is 1 where all values are equal to 0 or to 1 and nothing varies. Source: E. L. Korn and B. I. Graubard, "Confidence
    intervals for proportions with small expected number of positive counts estimated from survey data", Survey
    Methodology 24 (1998).

    Raises ValueError for values outside [0, 1], for lengths that differ and for fewer than two clusters.
    """
    array = np.asarray(values, dtype=float)
    names, members = np.unique(np.asarray(clusters, dtype=str), return_inverse=True)
    n, groups = array.size, len(names)
    if array.shape != members.shape:
        raise ValueError(f"{array.shape} values but {members.shape} clusters: expected one cluster name for each value")
    if groups < 2:
        raise ValueError("an interval needs at least two clusters")
    if not np.all((array >= 0) & (array <= 1)):
        raise ValueError("values must lie in [0, 1]")
    share = float(array.mean())
    sums = np.bincount(members, weights=array - share, minlength=groups)
    between = groups / (groups - 1) * float(sums @ sums) / n**2
    independent = share * (1 - share) / (n - 1)
    deff = max(1.0, between / independent) if independent > 0 else 1.0
    tail = (1 - CONFIDENCE) / 2
    effective = min(float(n), n / deff * float(stdtrit(n - 1, tail) / stdtrit(groups - 1, tail)) ** 2)
    right = share * effective
    low = float(betaincinv(right, effective - right + 1, tail)) if share > 0 else 0.0
    high = float(betaincinv(right + 1, effective - right, 1 - tail)) if share < 1 else 1.0
    return low, high

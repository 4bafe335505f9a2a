"""Intervals of a mean over clusters of dependent items.

Questions about one clip form a cluster, because their answers depend on each other.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean  # rounds correctly: the mean of equal chances is exactly this chance
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FEWEST_CLUSTERS = 6  # minimum number of clusters for an interval; with fewer, their variance is too uncertain
TAIL = (1 - 0.95) / 2  # probability outside the interval, on each side


@dataclass(frozen=True)
class Estimate:
    """A mean over items with its 95 % interval and its chance.

    All values are fractions.

    ``low`` and ``high`` are None if there are fewer than ``FEWEST_CLUSTERS`` clusters ("too few clips"). ``chance`` is
    None if no item has a chance.
    """

    value: float
    low: float | None
    high: float | None
    items: int
    clusters: int
    chance: float | None


@dataclass(frozen=True)
class Difference:
    """The mean of paired differences with its 95 % interval.

    All values are fractions, or have the unit of the differences if `change` computed them.

    ``low`` and ``high`` are None if there are fewer than ``FEWEST_CLUSTERS`` clusters.
    """

    value: float
    low: float | None
    high: float | None
    items: int
    clusters: int


def estimate(values: ArrayLike, clusters: Sequence[str], chances: Sequence[float | None] = ()) -> Estimate | None:
    """Estimate the mean of values (n,) in [0, 1].

    Returns the mean and its interval over the clusters, or None if n is 0. ``clusters`` has one name for each value.
    """
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
    """Compute the 95 % Korn-Graubard interval of a mean.

    ``values`` is an array (n,) of values in [0, 1]. ``clusters`` assigns the values to G >= 2 clusters. The interval is
    the Clopper-Pearson interval for the effective sample size. The effective sample size is n / deff * (t_{n-1} /
    t_{G-1})^2, but at most n. t_k is the quantile of Student's t with k degrees of freedom.

    The design effect deff is a ratio of two variances, but at least 1. The numerator of deff is the variance of the
    mean, computed between clusters. The denominator of deff is the variance of the mean of n independent yes-or-no
    items with the same mean p. The variance of these n items is p(1-p)/(n-1). If all values are 0, or all values are 1,
    deff is 1.

    Source: E. L. Korn and B. I. Graubard, "Confidence intervals for proportions with small expected number of positive
    counts estimated from survey data", Survey Methodology 24 (1998).

    Raises:
        ValueError: If a value is outside [0, 1], if the lengths differ, or if there are fewer than two clusters.
    """
    from scipy.special import betaincinv  # imported late: needs half a second and 16 MB

    array = np.asarray(values, dtype=float)
    if array.ndim != 1 or array.size != len(clusters):
        raise ValueError(f"{array.shape} values but {len(clusters)} clusters: expected one cluster name for each value")
    if not np.all((array >= 0) & (array <= 1)):
        raise ValueError("expected values in [0, 1]")
    between, groups = _variance_between(array, clusters)
    n, share = array.size, float(array.mean())
    independent = share * (1 - share) / (n - 1)
    deff = max(1.0, between / independent) if independent > 0 else 1.0
    effective = min(float(n), n / deff * (_t_quantile(n - 1) / _t_quantile(groups - 1)) ** 2)
    right = share * effective
    low = float(betaincinv(right, effective - right + 1, TAIL)) if share > 0 else 0.0
    high = float(betaincinv(right + 1, effective - right, 1 - TAIL)) if share < 1 else 1.0
    return low, high


def difference(first: ArrayLike, second: ArrayLike, clusters: Sequence[str]) -> Difference | None:
    """Estimate the mean of ``first - second`` with its interval.

    ``first`` and ``second`` are arrays (n,) of values in [0, 1] for the same items. Returns None if n is 0. The
    interval is the interval of Student's t with G-1 degrees of freedom around the mean, clipped to [-1, 1]. The
    variance of the mean is computed between the G clusters, so items of one cluster may depend on each other in any
    way. If this variance is below the variance for n independent items, the latter is used, as in `korn_graubard`:
    differences between clusters may have cancelled by chance.

    If all n differences are the same, the variance is zero. However, the runs may differ in clusters that were not
    sampled. The interval therefore allows for a share of all clusters with other differences. This share is 1 -
    0.025^(1/G), the upper limit of Clopper and Pearson. The interval therefore never has zero width.

    Raises:
        ValueError: If a value is outside [0, 1], or if the lengths differ.
    """
    one, other = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if one.ndim != 1 or one.shape != other.shape or one.size != len(clusters):
        raise ValueError(
            f"{one.shape} and {other.shape} values, {len(clusters)} clusters: expected three sequences of equal length"
        )
    if not np.all((one >= 0) & (one <= 1) & (other >= 0) & (other <= 1)):
        raise ValueError("expected values in [0, 1]")
    n = one.size
    if n == 0:
        return None
    apart = one - other
    value, count = float(apart.mean()), len(set(clusters))
    if count < FEWEST_CLUSTERS:
        return Difference(value, None, None, n, count)
    if np.all(apart == apart[0]):
        unseen = 1 - TAIL ** (1 / count)
        low, high = value - unseen * (value + 1), value + unseen * (1 - value)
    else:
        half = -_t_quantile(count - 1) * _standard_error(apart, clusters)
        low, high = max(-1.0, value - half), min(1.0, value + half)
    return Difference(value, low, high, n, count)


def chance_of(first: ArrayLike, second: ArrayLike, clusters: Sequence[str]) -> tuple[float, float] | None:
    """Compute how probable a mean difference this large is by chance, and its standard error.

    The arguments are those of `difference`. Returns the two-sided p-value and the standard error. The p-value is below
    0.05 where the interval of `difference` excludes 0, and its rule for equal differences gives 2 / (1 + |value|)^G for
    G clusters. The standard error is 0 there. Returns None if there are fewer than ``FEWEST_CLUSTERS`` clusters.
    """
    from scipy.special import stdtr

    apart = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    count = len(set(clusters))
    if count < FEWEST_CLUSTERS:
        return None
    value = float(apart.mean())
    if np.all(apart == apart[0]):
        return min(1.0, 2 * (1 + abs(value)) ** -count), 0.0
    error = _standard_error(apart, clusters)
    return float(2 * stdtr(count - 1, -abs(value) / error)), error


def holm(chances: Sequence[float]) -> list[float]:
    """Adjust p-values for many comparisons.

    With the adjusted values, the probability that any comparison without a difference is below 0.05 is at most 5 %.

    Source: S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6
    (1979).
    """
    order = np.argsort(chances, kind="stable")
    raised = np.asarray(chances, dtype=float)[order] * np.arange(len(order), 0, -1)
    adjusted = np.empty(len(order))
    adjusted[order] = np.minimum(1, np.maximum.accumulate(raised))
    return adjusted.tolist()


def clusters_needed(value: float, error: float, clusters: int, tests: int = 1) -> int | None:
    """Return the number of clusters with which a difference is found in 80 of 100 cases.

    The level of the test is 5 %, divided by the number of ``tests`` that are made together.

    ``error`` is the standard error of the difference ``value``, measured on ``clusters`` clusters. The result is None
    if there is no difference.
    """
    from scipy.special import ndtri

    if value == 0 or not np.isfinite(error):
        return None
    wanted = float(ndtri(1 - TAIL / tests) + ndtri(0.8))  # standard errors that the difference must have
    return max(FEWEST_CLUSTERS, int(np.ceil(clusters * (wanted * error / value) ** 2)))


def contrast(
    values: ArrayLike, first: Sequence[bool], second: Sequence[bool], clusters: Sequence[str]
) -> Difference | None:
    """Estimate the difference of two means over different items, with its interval.

    ``values`` is an array (n,) of values in [0, 1]. ``first`` and ``second`` say which items each mean covers; an item
    can be in both, or in neither. Returns None if a mean covers no item.

    The interval is computed with Student's t with G-1 degrees of freedom. The variance is computed from the sums, over
    each of the G clusters, of the influences of its items: (value - mean) / size for the first mean, minus the same for
    the second. So items of one cluster may depend on each other in any way. The variance is never below the variance
    for independent items. If no value differs from its mean, the rule of `difference` for equal differences is used.
    ``clusters`` of the result is the smaller number of clusters that a mean covers.
    """
    array = np.asarray(values, dtype=float)
    masks = [np.asarray(mask, dtype=bool) for mask in (first, second)]
    if array.ndim != 1 or not array.size == masks[0].size == masks[1].size == len(clusters):
        raise ValueError("expected values, two masks and clusters of equal length")
    if not np.all((array >= 0) & (array <= 1)):
        raise ValueError("expected values in [0, 1]")
    if not all(mask.any() for mask in masks):
        return None
    means = [float(array[mask].mean()) for mask in masks]
    influence = sum(
        sign * np.where(mask, array - centre, 0.0) / mask.sum()
        for sign, mask, centre in zip((1, -1), masks, means, strict=True)
    )
    used = masks[0] | masks[1]
    there = [name for name, of in zip(clusters, used, strict=True) if of]
    names = np.asarray(clusters, dtype=str)
    fewest = min(len(set(names[mask])) for mask in masks)
    value, items = means[0] - means[1], int(used.sum())
    if fewest < FEWEST_CLUSTERS:
        return Difference(value, None, None, items, fewest)
    low, high, _ = interval_of(value, np.asarray(influence)[used], there, fewest)
    return Difference(value, low, high, items, fewest)


def interval_of(
    value: float, influence: ArrayLike, clusters: Sequence[Any], fewest: int | None = None, *,
    sampled: bool = True,
) -> tuple[float | None, float | None, float]:  # fmt: skip
    """Compute the 95 % interval of a difference of means, and its standard error, from influences.

    ``influence`` (n,) is how much each item moves the difference; the sum is 0. The interval and its rule for equal
    differences are those of `difference`, for as many clusters as ``fewest`` says (by default all). If ``sampled`` is
    false, the difference is 0 by design if nothing moves it, and the interval is 0, too. With fewer than
    ``FEWEST_CLUSTERS`` clusters, there is no interval.
    """
    array, count = np.asarray(influence, dtype=float), fewest or len(set(clusters))
    if count < FEWEST_CLUSTERS:
        return None, None, 0.0
    if np.allclose(array, 0):
        unseen = 1 - TAIL ** (1 / count) if sampled else 0.0
        return value - unseen * (value + 1), value + unseen * (1 - value), 0.0
    items = array.size
    between, groups = _variance_between(items * array, clusters)
    error = math.sqrt(max(between, float((array**2).sum()) * items / (items - 1)))
    half = -_t_quantile(groups - 1) * error
    return max(-1.0, value - half), min(1.0, value + half), error


def change(values: ArrayLike, clusters: Sequence[str]) -> Difference | None:
    """Estimate the mean of paired differences in any unit, with its interval.

    ``values`` is an array (n,). The result has the unit of the values. Returns None if n is 0. The interval is the
    interval of Student's t, as in `difference`, but without limits, because the values have no limits.
    """
    apart = np.asarray(values, dtype=float)
    if apart.size == 0:
        return None
    value, count = float(apart.mean()), len(set(clusters))
    if count < FEWEST_CLUSTERS:
        return Difference(value, None, None, apart.size, count)
    half = -_t_quantile(count - 1) * _standard_error(apart, clusters)
    return Difference(value, value - half, value + half, apart.size, count)


def _standard_error(values: NDArray[np.float64], clusters: Sequence[str]) -> float:
    """Compute the standard error of the mean of values (n,), which is at least that of independent values."""
    return math.sqrt(max(_variance_between(values, clusters)[0], float(values.var(ddof=1)) / values.size))


def _variance_between(values: NDArray[np.float64], clusters: Sequence[Any]) -> tuple[float, int]:
    """Compute the variance of the mean of values (n,).

    The variance is computed from the sums over the clusters. Returns the variance and the number of clusters.
    """
    places = {name: place for place, name in enumerate(sorted(set(clusters)))}
    members, groups = np.fromiter((places[name] for name in clusters), np.intp, len(clusters)), len(places)
    if groups < 2:
        raise ValueError("an interval needs at least two clusters")
    sums = np.bincount(members, weights=values - values.mean(), minlength=groups)
    return groups / (groups - 1) * float(sums @ sums) / values.size**2, groups


def _t_quantile(freedom: int) -> float:
    """Return the lower quantile of Student's t for the interval."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, TAIL))

"""Psychometric functions: accuracy by the spacing of options, and the threshold with its interval.

An observer measures a quantity with a Gaussian error and picks the nearest of n equally spaced options. If each option
is equally likely to be correct, the observer's answer is correct with probability 1/n + (1 - 1/n) F, where F =
erf(spacing / (2 sqrt(2) sigma)). F is the psychometric function, and sigma is its only parameter. The threshold is the
spacing with F = 1/2, which is 1.349 sigma.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronotope.evaluate.score.likelihood import ThresholdLikelihood, Trials, told_apart
from chronotope.evaluate.score.statistics import FEWEST_CLUSTERS, TAIL


@dataclass(frozen=True)
class ThresholdFit:
    """A fitted psychometric function: its threshold with a 95 % interval, and its lapse rate.

    ``threshold`` has the unit of the spacings. The threshold is 0 if the accuracy is maximal at every spacing, and
    infinite if the accuracy is not above chance at any spacing. ``low`` can be 0, and ``high`` can be infinite; both
    are None for fewer than ``FEWEST_CLUSTERS`` clusters. ``misfit`` is the probability of points at least as far from
    the curve as the observed points, if the curve is correct. ``misfit`` is None for fewer than three spacings or too
    few clusters.
    """

    threshold: float
    low: float | None
    high: float | None
    lapse: float
    misfit: float | None
    items: int
    clusters: int


@dataclass(frozen=True)
class ThresholdRatio:
    """The threshold of one run divided by the threshold of another run, with a 95 % interval.

    Both runs answered the same questions. ``value`` is None if both thresholds are 0, or both are infinite. ``low`` and
    ``high`` are None for fewer than ``FEWEST_CLUSTERS`` clusters; otherwise ``low`` can be 0 and ``high`` infinite.
    """

    value: float | None
    low: float | None
    high: float | None
    items: int
    clusters: int

    @property
    def inverse(self) -> "ThresholdRatio":
        """Return the ratio of the second run to the first."""
        value, low, high = (_reciprocal(one) for one in (self.value, self.high, self.low))
        return ThresholdRatio(value, low, high, self.items, self.clusters)


def accuracy_at(spacings: ArrayLike, threshold: float, lapse: float, chance: float) -> NDArray[np.float64]:
    """Compute the expected accuracy at some spacings."""
    return chance + (1 - chance - lapse) * told_apart(spacings, threshold)


def fit_threshold(trials: Trials) -> ThresholdFit:
    """Fit a psychometric function by maximum likelihood.

    Accuracy is chance + (1 - chance - lapse) F, with the chance of each question and a lapse rate from 0 to
    `LARGEST_LAPSE`. The interval contains all thresholds whose profile log likelihood is near the maximum: twice the
    difference from the maximum is at most deff * t^2, where t is a quantile of Student's t with G-1 degrees of freedom
    for G clusters. deff, at least 1, is the variance of the estimate between clusters, divided by the variance for
    independent questions. Because of deff, the interval is also valid if the answers in one cluster depend on each
    other.
    """
    of = ThresholdLikelihood(trials)
    best, top = of.maximum
    low = high = misfit = None
    if of.groups >= FEWEST_CLUSTERS:
        found = of.influence(best)
        deff = 1.0 if found is None else max(1.0, of.variance_between(found.values) / found.variance)
        low, high = of.interval(top - deff * _t_squared(of.groups) / 2)
        misfit = of.misfit(best)
    return ThresholdFit(
        threshold=float(np.exp(best)),
        low=low,
        high=high,
        lapse=of.lapse(best),
        misfit=misfit,
        items=trials.values.size,
        clusters=of.groups,
    )


def rises_with_spacing(trials: Trials) -> bool:
    """Check whether accuracy above chance rises significantly with the logarithm of the spacing.

    The test is Student's t of the slope of least squares, with G-1 degrees of freedom for G clusters, at the upper end
    of a 95 % interval. Its variance comes from the sums over clusters, so answers in one cluster may depend on each
    other. With fewer than ``FEWEST_CLUSTERS`` clusters, or with one spacing, nothing is significant.
    """
    places = np.unique(np.asarray(trials.clusters), return_inverse=True)[1]
    groups = int(places.max()) + 1
    apart = np.log(trials.spacings)
    apart -= apart.mean()
    if groups < FEWEST_CLUSTERS or np.allclose(apart, 0):
        return False
    above = (trials.values - trials.chances) / (1 - trials.chances)
    slope = float(apart @ above)
    residuals = above - above.mean() - slope / float(apart @ apart) * apart
    sums = np.bincount(places, weights=apart * residuals)
    variance = groups / (groups - 1) * float(sums @ sums)
    return slope > 0 and slope**2 > _t_squared(groups) * variance


def threshold_ratio(first: Trials, second: Trials) -> ThresholdRatio:
    """Divide one run's threshold by another run's, paired by question.

    The interval contains all ratios whose profile log likelihood is near the maximum, as in `fit_threshold`. Here deff
    is the variance of the difference of log thresholds, divided by its variance for two independent runs. The variance
    of the difference is computed between clusters and between questions, and the larger value is used. deff is below 1
    if the runs succeed at the same questions. However, deff is at least 1 - 0.025^(1/G), so the interval never has zero
    width. The value 1 - 0.025^(1/G) is the upper limit of Clopper and Pearson: even if the runs agree in all G
    clusters, they may differ in this share of all possible clusters.

    Raises:
        ValueError: If the runs answered different questions.
    """
    same = np.array_equal(first.spacings, second.spacings) and np.array_equal(first.chances, second.chances)
    if not same or first.clusters != second.clusters:
        raise ValueError("expected answers to the same questions, in the same order")
    one, other = ThresholdLikelihood(first), ThresholdLikelihood(second)
    (here, top), (there, other_top) = one.maximum, other.maximum
    apart = None if here == there and not np.isfinite(here) else here - there
    value = None if apart is None else float(np.exp(apart))
    items, groups = first.values.size, one.groups
    if groups < FEWEST_CLUSTERS:
        return ThresholdRatio(value, None, None, items, groups)
    allowed = _deff_of_ratio(one, other, here, there) * _t_squared(groups) / 2
    low, high = _ratios(one, other, top + other_top - allowed, apart)
    return ThresholdRatio(value, low, high, items, groups)


def _deff_of_ratio(one: ThresholdLikelihood, other: ThresholdLikelihood, here: float, there: float) -> float:
    """Return the variance of a difference of two runs' log thresholds.

    The result is divided by the variance for independent runs with independent answers.
    """
    found = [of.influence(best) for of, best in ((one, here), (other, there))]
    known = [each for each in found if each is not None]
    if len(known) < 2:  # one threshold is beyond the grid, so the variance of its logarithm is unknown
        of = one if found[0] is not None else other
        return max([1.0, *(of.variance_between(each.values) / each.variance for each in known)])
    first, second = known
    apart = first.values - second.values
    between = max(one.variance_between(apart), float(apart.var(ddof=1)) * apart.size)
    unseen = 1 - TAIL ** (1 / one.groups)
    return max(unseen, between / (first.variance + second.variance))


def _ratios(
    one: ThresholdLikelihood, other: ThresholdLikelihood, least: float, apart: float | None
) -> tuple[float, float]:
    """Return the ratios whose joint profile likelihood is at least ``least``.

    Both likelihoods have the same grid of log thresholds, so a ratio of thresholds is a shift of one grid against the
    other.
    """
    here, there = one.scan, other.scan
    inner, beside = here[1:-1], there[1:-1]
    count = inner.size
    padded = np.concatenate([np.full(count - 1, -np.inf), inner, np.full(count - 1, -np.inf)])
    shifted = np.lib.stride_tricks.sliding_window_view(padded, count)  # (shifts, count): each row is ``inner`` shifted
    joint = np.max(shifted + beside, axis=1)
    # If both thresholds are beyond the same end of the grid, any ratio is possible.
    joint = np.maximum(joint, max(here[0] + there[0], here[-1] + there[-1]))
    shifts: NDArray[np.float64] = one.step * np.arange(1 - count, count, dtype=float)
    smallest = max(here[0] + there.max(), here.max() + there[-1])
    largest = max(here[-1] + there.max(), here.max() + there[0])
    inside = np.flatnonzero(joint >= least)
    low = 0.0 if smallest >= least else _crossing(shifts, joint, least, inside[0], -1) if inside.size else None
    high = np.inf if largest >= least else _crossing(shifts, joint, least, inside[-1], 1) if inside.size else None
    value = None if apart is None else float(np.exp(apart))
    if low is None or high is None:  # the interval is narrower than the grid's step
        assert value is not None
        return value, value
    return (low, high) if value is None else (min(low, value), max(high, value))


def _crossing(shifts: NDArray[np.float64], joint: NDArray[np.float64], least: float, inside: int, step: int) -> float:
    """Interpolate the ratio at which the joint likelihood crosses ``least``."""
    outside = inside + step
    if not 0 <= outside < shifts.size or not np.isfinite(joint[outside]):
        return float(np.exp(shifts[inside]))
    share = (joint[inside] - least) / (joint[inside] - joint[outside])
    return float(np.exp(shifts[inside] + share * (shifts[outside] - shifts[inside])))


def _reciprocal(ratio: float | None) -> float | None:
    return None if ratio is None else np.inf if ratio == 0 else 1 / ratio


def _t_squared(groups: int) -> float:
    """Return the squared quantile of Student's t for a 95 % interval."""
    from scipy.special import stdtrit

    return float(stdtrit(groups - 1, TAIL)) ** 2

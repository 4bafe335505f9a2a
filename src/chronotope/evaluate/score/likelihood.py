"""The likelihood of a threshold, from scores, spacings and chances of questions in clusters."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

HALF = 0.4769362762044699  # erf(HALF) = 1/2
LARGEST_LAPSE = 0.2  # maximum lapse rate: a larger rate could not be distinguished from a large threshold
STEP = 0.04  # distance between points of the grid, in the natural logarithm of the threshold
BELOW, ABOVE = 2.3, 4.6  # how far the grid extends below the smallest and above the largest spacing, in ln(threshold)
ZOOMS, POINTS = 2, 33  # number of finer grids for finding a maximum or a crossing, and their number of points
HALVINGS = 18  # number of bisections of the range of lapse rates, for a precision of 1e-6
SURE = 1e-12  # minimum distance between a probability and 0 or 1
FEW = 2  # a curve with two parameters fits any points at this number of spacings

Array = NDArray[np.float64]


@dataclass(frozen=True, init=False)
class Trials:
    """One run's answers to n questions: scores, spacings, chances, clusters.

    ``values`` (n,) are scores in [0, 1]. ``spacings`` (n,) are distances > 0 between neighbouring options. ``chances``
    (n,) are the probabilities of a correct guess, in [0, 1). ``clusters`` are n names.

    Raises:
        ValueError: If there is no answer, if the lengths of the arrays differ, or if a value is outside the range
            above.
    """

    values: Array
    spacings: Array
    chances: Array
    clusters: tuple[str, ...]

    def __init__(self, values: ArrayLike, spacings: ArrayLike, chances: ArrayLike, clusters: Sequence[str]) -> None:
        score, apart, chance = (np.asarray(of, dtype=float) for of in (values, spacings, chances))
        if not clusters or {score.shape, apart.shape, chance.shape} != {(len(clusters),)}:
            shapes = f"{score.shape}, {apart.shape} and {chance.shape}"
            raise ValueError(f"{shapes} values, {len(clusters)} clusters: expected equal numbers above 0")
        if not (np.all((score >= 0) & (score <= 1)) and np.all((chance >= 0) & (chance < 1))):
            raise ValueError("values must lie in [0, 1] and chances in [0, 1)")
        if not np.all((apart > 0) & np.isfinite(apart)):
            raise ValueError("spacings must be positive and finite")
        named = {"values": score, "spacings": apart, "chances": chance, "clusters": tuple(clusters)}
        for name, value in named.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True)
class Influence:
    """The influence of answers on the log threshold, and the threshold's variance.

    ``values`` (n,) are the influences; their sum is 0 at the maximum of the likelihood. ``variance`` is the variance of
    the log threshold for independent answers.
    """

    values: Array
    variance: float


@dataclass(frozen=True)
class _Profile:
    """The maximum of the likelihood over lapse rates, at several log thresholds (a,).

    ``value`` (a,) are log likelihoods, and ``lapse`` (a,) are the rates. ``told`` (a, m) is F, and ``accuracy`` (a, m)
    is the expected accuracy, for each of m kinds of question.
    """

    value: Array
    lapse: Array
    told: Array
    accuracy: Array


def told_apart(spacings: ArrayLike, thresholds: ArrayLike) -> Array:
    """Compute F, the share of questions whose neighbouring options are distinguished.

    Thresholds can be 0 or infinite.
    """
    from scipy.special import erf  # imported late: takes half a second and 16 MB; asking models needs no SciPy

    with np.errstate(divide="ignore", over="ignore"):
        return erf(HALF * np.asarray(spacings, dtype=float) / np.asarray(thresholds, dtype=float))


class ThresholdLikelihood:
    """The likelihood of the log threshold, maximized over the lapse rate.

    Questions of the same spacing and chance are counted together, as one of m kinds.
    """

    step = STEP

    def __init__(self, trials: Trials) -> None:
        kinds, kind = np.unique(np.stack([trials.spacings, trials.chances]), axis=1, return_inverse=True)
        names, member = np.unique(np.asarray(trials.clusters, dtype=str), return_inverse=True)
        self._spacings, self._chances = kinds
        self._kind, self._member = kind.ravel(), member
        self._values = trials.values
        self.groups = len(names)
        self._asked = np.bincount(self._kind, minlength=kinds.shape[1]).astype(float)
        self._right = np.bincount(self._kind, weights=trials.values, minlength=kinds.shape[1])

    @cached_property
    def grid(self) -> Array:
        """Return evenly spaced log thresholds between minus infinity and infinity.

        At the lowest finite threshold, F is 1 for all spacings. At the highest, F is less than 1 % for all spacings.
        """
        low, high = np.log(self._spacings.min()) - BELOW, np.log(self._spacings.max()) + ABOVE
        return np.concatenate([[-np.inf], np.arange(low, high + STEP, STEP), [np.inf]])

    @cached_property
    def scan(self) -> Array:
        """Return the profile log likelihood at each point of the grid."""
        return self._profile(self.grid).value

    @cached_property
    def maximum(self) -> tuple[float, float]:
        """Return the most likely log threshold, and its log likelihood.

        The threshold is 0 if no other threshold is more likely, and infinite if all other thresholds are less likely.
        """
        place = int(np.argmax(self.scan))
        best, top = float(self.grid[place]), float(self.scan[place])
        if not np.isfinite(best):
            return best, top
        reach = STEP
        for _ in range(ZOOMS):
            near = np.linspace(best - reach, best + reach, POINTS)
            values = self._profile(near).value
            place = int(np.argmax(values))
            if values[place] > top:
                best, top = float(near[place]), float(values[place])
            reach /= (POINTS - 1) / 2
        return best, top

    def interval(self, least: float) -> tuple[float, float]:
        """Return the lowest and the highest likely threshold.

        A threshold is likely if its profile log likelihood is at least ``least``. ``least`` must not exceed the
        maximum.
        """
        inside = np.flatnonzero(self.scan >= least)
        best = self.maximum[0]
        ends: list[float] = []
        for first, step in ((0, -1), (-1, 1)):
            place = int(inside[first]) if inside.size else None
            point = best if place is None else float(self.grid[place])
            if not np.isfinite(point):
                ends.append(point)
                continue
            outside = point + step * STEP
            ends.append(self._crossing(point, outside, least))
        low, high = min(ends[0], best), max(ends[1], best)
        return float(np.exp(low)), float(np.exp(high))

    def influence(self, log: float) -> Influence | None:
        """Return the influence of each answer on the log threshold.

        Returns None if the expected accuracies hardly depend on the threshold, because the threshold is too far from
        all spacings.
        """
        at = self._profile(np.array([log]))
        told, accuracy, lapse = at.told[0], at.accuracy[0], float(at.lapse[0])
        if not np.isfinite(log):
            return None
        scaled = HALF * self._spacings / np.exp(log)
        by_threshold = (1 - self._chances - lapse) * -2 / np.sqrt(np.pi) * scaled * np.exp(-(scaled**2))
        noise = accuracy * (1 - accuracy) / self._asked
        information = float(np.sum(by_threshold**2 / noise))
        slope = by_threshold
        if 0 < lapse < LARGEST_LAPSE:  # at an end of the allowed range, the lapse rate is treated as known
            shared = float(np.sum(by_threshold * -told / noise))
            of_lapse = float(np.sum(told**2 / noise))
            slope = by_threshold + shared / of_lapse * told
            information -= shared**2 / of_lapse
        if not information > SURE:
            return None
        weight = slope / (noise * self._asked) / information
        return Influence((weight * -accuracy)[self._kind] + weight[self._kind] * self._values, 1 / information)

    def variance_between(self, values: Array) -> float:
        """Compute the variance of a sum of values (n,) from cluster sums."""
        sums = np.bincount(self._member, weights=values, minlength=self.groups)
        return self.groups * float(sums.var(ddof=1))

    def lapse(self, log: float) -> float:
        """Return the best lapse rate for a log threshold."""
        return float(self._profile(np.array([log])).lapse[0])

    def misfit(self, log: float) -> float | None:
        """Compute the p-value of the misfit between curve and answers.

        The p-value is the probability of a misfit at least as large as the observed misfit, if the curve is correct.
        The statistic is Pearson's chi-square over the spacings. At each spacing, the larger of two variances is used:
        the variance between clusters, or the variance of independent answers. Student's t accounts for the number of
        clusters. The number of degrees of freedom is the number of spacings minus 1. Only one of the two parameters is
        subtracted, because the fit does not minimise this statistic. Returns None for fewer than three spacings.
        """
        from scipy.special import chdtrc, ndtri, stdtr

        ladder, place = np.unique(self._spacings, return_inverse=True)
        if ladder.size <= FEW:
            return None
        expected = self._profile(np.array([log])).accuracy[0][self._kind]
        errors = self._values - expected
        of = place.ravel()[self._kind]
        total = 0.0
        for number in range(ladder.size):
            own = of == number
            sums = np.bincount(np.unique(self._member[own], return_inverse=True)[1], weights=errors[own])
            between = sums.size * float(sums.var(ddof=1)) if sums.size > 1 else 0.0
            variance = max(between, float(np.sum(expected[own] * (1 - expected[own]))))
            tail = stdtr(max(1, sums.size - 1), -abs(float(sums.sum())) / np.sqrt(variance))
            total += float(ndtri(max(tail, SURE))) ** 2
        return float(chdtrc(ladder.size - 1, total))

    def _profile(self, logs: Array) -> _Profile:
        told = told_apart(self._spacings, np.exp(logs)[:, None])
        lapse = self._best_lapse(told)
        accuracy = self._accuracy(told, lapse)
        value = np.asarray(np.log(accuracy) @ self._right + np.log1p(-accuracy) @ (self._asked - self._right), float)
        return _Profile(value, lapse, told, accuracy)

    def _accuracy(self, told: Array, lapse: Array) -> Array:
        return np.clip(self._chances + (1 - self._chances - lapse[:, None]) * told, SURE, 1 - SURE)

    def _best_lapse(self, told: Array) -> Array:
        """Maximise the likelihood over the lapse rate.

        F has the shape (a, m). The likelihood is concave in the lapse rate, so the sign of its slope shows whether the
        maximum is at a higher or at a lower lapse rate.
        """
        low, high = np.zeros(len(told)), np.full(len(told), LARGEST_LAPSE)
        none, most = self._slope(told, low) <= 0, self._slope(told, high) >= 0
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            rises = self._slope(told, middle) > 0
            low, high = np.where(rises, middle, low), np.where(rises, high, middle)
        return np.where(none, 0.0, np.where(most, LARGEST_LAPSE, (low + high) / 2))

    def _slope(self, told: Array, lapse: Array) -> Array:
        """Return the derivative of the likelihood with respect to the lapse rate."""
        accuracy = self._accuracy(told, lapse)
        return np.sum(((self._asked - self._right) / (1 - accuracy) - self._right / accuracy) * told, axis=1)

    def _crossing(self, inside: float, outside: float, least: float) -> float:
        """Find the point between two log thresholds where the likelihood equals ``least``."""
        for _ in range(ZOOMS):
            between = np.linspace(inside, outside, POINTS)
            enough = np.flatnonzero(self._profile(between).value >= least)
            last = int(enough[-1]) if enough.size else 0
            if last == POINTS - 1:
                return float(outside)
            inside, outside = float(between[last]), float(between[last + 1])
        return inside

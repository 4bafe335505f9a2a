"""A linear probe: can a linear classifier tell whether two pictures show the same thing?

The features of a pair are ``[r1; r2; |r1 - r2|]``. They are standardized on the training pairs, and a logistic
regression with C = 1 is fitted to them. Features are made in blocks, so memory does not grow with the number of pairs.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronotope.probe.measures.pairs import PairSample, Population, sample_pairs, split_groups

__all__ = ["PairClassifier", "Separation", "fit_pairs", "measure_pairs"]

TRAIN, TEST = 20_000, 4_000  # the paper's maximum numbers of pairs
FEWEST_TRAIN, FEWEST_TEST = 100, 50  # with fewer pairs, the paper's code measures nothing
STEPS = 1000  # of L-BFGS, at most
_BLOCK = 2048  # pairs whose features are in memory at the same time

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Separation:
    """How well a linear probe separates pairs of the same thing from pairs of different things.

    All values are fractions, measured on groups that were not used for the fit.

    - ``accuracy`` is the paper's metric. ``majority`` is the accuracy of a classifier that always gives the more
      frequent answer: 0.8 with four negatives for each positive.
    - ``balanced`` is the mean of the accuracies on the two kinds of pairs, decided at the odds of the training pairs.
      Its chance is 0.5. ``low`` and ``high`` are its 95 % interval over resampled test groups; None if there are fewer
      than six test groups.
    - ``auroc`` is the probability that a pair of the same thing has a higher score than a pair of different things.
    - ``across`` is the balanced accuracy on pairs from two different takes; None if one kind of pair is missing.
      Pictures of one take resemble each other without any recognition.
    """

    accuracy: float
    majority: float
    balanced: float
    low: float | None
    high: float | None
    auroc: float
    across: float | None
    train: int
    test: int
    test_groups: int


@dataclass(frozen=True)
class PairClassifier:
    """A fitted classifier of pairs: ``weights`` (3 d,) for raw features, and ``bias``."""

    weights: Vector
    bias: float

    def scores(self, vectors: ArrayLike, pairs: PairSample) -> Vector:
        """Return the log-odds (m,) that each pair shows the same thing."""
        array = np.asarray(vectors, dtype=float)
        return _scores(array, pairs, self.weights) + self.bias


def measure_pairs(
    vectors: ArrayLike, population: Population, *, negatives: int = 4, seed: int = 42
) -> Separation | None:
    """Fit a linear probe on some groups; measure it on the others.

    ``vectors`` (n, d) represents the pictures of the population. ``negatives`` is the number of pairs of different
    things for each pair of the same thing. Returns None if there are fewer than 100 training pairs or 50 test pairs.
    """
    random = np.random.default_rng(seed)
    train_groups, test_groups = split_groups(population.groups)
    train = sample_pairs(population, train_groups, TRAIN, negatives, random)
    test = sample_pairs(population, test_groups, TEST, negatives, random)
    if train.count < FEWEST_TRAIN or test.count < FEWEST_TEST or not 0 < test.same.mean() < 1:
        return None
    scores = fit_pairs(vectors, train).scores(vectors, test)
    right = (scores > 0) == test.same
    # With unequal kinds, log-odds of 0 would call nearly every pair different; the odds of the training pairs are even.
    balanced = (scores > np.log(train.same.mean() / (1 - train.same.mean()))) == test.same
    low, high = _interval(balanced, test, np.asarray(population.groups, dtype=str), random)
    across = test.same[test.across]
    return Separation(
        accuracy=float(right.mean()),
        majority=float(max(test.same.mean(), 1 - test.same.mean())),
        balanced=_balanced(balanced, test.same),
        low=low,
        high=high,
        auroc=_auroc(scores, test.same),
        across=_balanced(balanced[test.across], across) if len(set(across.tolist())) == 2 else None,
        train=train.count,
        test=test.count,
        test_groups=len(set(np.asarray(population.groups, dtype=str)[test.first])),
    )


def fit_pairs(vectors: ArrayLike, pairs: PairSample, *, strength: float = 1.0) -> PairClassifier:
    """Fit a logistic regression to pairs.

    The loss is ``|w|^2 / 2 + C sum log(1 + exp(-y f))`` with C = ``strength``, over standardized features. The bias is
    not penalized.
    """
    from scipy.optimize import minimize

    array = np.asarray(vectors, dtype=float)
    mean, scale = _moments(array, pairs)
    signs = np.where(pairs.same, 1.0, -1.0)

    def loss(at: Vector) -> tuple[float, Vector]:
        weights, bias = at[:-1] / scale, at[-1]
        margins = signs * (_scores(array, pairs, weights) - mean @ weights + bias)
        slopes = -signs * _sigmoid(-margins)
        gradient = strength * (_summed(array, pairs, slopes) - slopes.sum() * mean) / scale
        value = float(at[:-1] @ at[:-1]) / 2 + strength * float(np.logaddexp(0, -margins).sum())
        return value, np.append(at[:-1] + gradient, strength * slopes.sum())

    found = minimize(
        loss, np.zeros(len(mean) + 1), jac=True, method="L-BFGS-B", options={"maxiter": STEPS, "gtol": 1e-4}
    )
    weights = found.x[:-1] / scale
    return PairClassifier(weights, float(found.x[-1] - mean @ weights))


def _blocks(pairs: PairSample) -> list[slice]:
    return [slice(at, at + _BLOCK) for at in range(0, pairs.count, _BLOCK)]


def _features(vectors: Vector, pairs: PairSample, at: slice) -> Vector:
    one, other = vectors[pairs.first[at]], vectors[pairs.second[at]]
    return np.hstack([one, other, np.abs(one - other)])


def _scores(vectors: Vector, pairs: PairSample, weights: Vector) -> Vector:
    return np.concatenate([_features(vectors, pairs, at) @ weights for at in _blocks(pairs)] or [np.zeros(0)])


def _summed(vectors: Vector, pairs: PairSample, slopes: Vector) -> Vector:
    """Return the sum (3 d,) of features, each multiplied by its slope."""
    return sum((slopes[at] @ _features(vectors, pairs, at) for at in _blocks(pairs)), np.zeros(3 * vectors.shape[1]))


def _moments(vectors: Vector, pairs: PairSample) -> tuple[Vector, Vector]:
    """Return the mean and the standard deviation (3 d,) of the features.

    Constant features have the deviation 1.
    """
    mean = _summed(vectors, pairs, np.full(pairs.count, 1 / pairs.count))
    squares = sum(
        (((_features(vectors, pairs, at) - mean) ** 2).sum(axis=0) for at in _blocks(pairs)), np.zeros(len(mean))
    )
    deviation = np.sqrt(squares / pairs.count)
    return mean, np.where(deviation > 1e-12, deviation, 1.0)


def _sigmoid(values: Vector) -> Vector:
    return np.exp(-np.logaddexp(0, -values))


def _balanced(right: NDArray[np.bool_], same: NDArray[np.bool_]) -> float:
    return (float(right[same].mean()) + float(right[~same].mean())) / 2


def _auroc(scores: Vector, same: NDArray[np.bool_]) -> float:
    """Return the area under the ROC curve; ties count half."""
    from scipy.stats import rankdata

    ranks, positive = rankdata(scores), int(same.sum())
    return float((ranks[same].sum() - positive * (positive + 1) / 2) / (positive * (len(same) - positive)))


def _interval(
    right: NDArray[np.bool_], test: PairSample, groups: NDArray[np.str_], random: np.random.Generator
) -> tuple[float | None, float | None]:
    """Return the interval of the balanced accuracy over resampled test groups."""
    from chronotope.evaluate.score import FEWEST_CLUSTERS

    names, members = np.unique(groups[test.first], return_inverse=True)
    if len(names) < FEWEST_CLUSTERS:
        return None, None
    counts = np.array(
        [np.bincount(members, weights=one.astype(float), minlength=len(names)) for one in (
            right & test.same, test.same, right & ~test.same, ~test.same
        )]
    )  # fmt: skip
    drawn = counts[:, random.integers(len(names), size=(1000, len(names)))].sum(axis=2)
    both = (drawn[1] > 0) & (drawn[3] > 0)
    values = (drawn[0][both] / drawn[1][both] + drawn[2][both] / drawn[3][both]) / 2
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)

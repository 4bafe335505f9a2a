"""A linear probe: can a linear classifier tell whether two pictures show the same thing?

The features of a pair are ``[r1; r2; |r1 - r2|]``. They are standardized on the training pairs, and a logistic
regression with C = 1 is fitted to them. Features are made in blocks, so memory does not grow with the number of pairs.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronotope.probe.measures.pairs import SPLITS, PairSample, Population, sample_pairs, split_groups

TRAIN, TEST = 20_000, 4_000  # the paper's maximum numbers of pairs
FEWEST_TRAIN, FEWEST_TEST = 100, 50  # with fewer pairs, the paper's code measures nothing
STEPS = 1000  # of L-BFGS, at most
NULL_PAIRS, NULL_STEPS = 1000, 100  # of a fit to permuted labels, at most: its spread comes from the few test groups
_BLOCK = 2048  # pairs whose features are in memory at the same time

Vector = NDArray[np.float64]
Limits = tuple[float, float]


@dataclass(frozen=True)
class Separation:
    """How well a linear probe separates pairs of the same thing from pairs of different things.

    All values are fractions. The groups are split five times, so that each group is tested once by a probe that was
    fitted on other groups; the values are over the pairs of all splits. A pair of limits is None if there are too few
    groups, or if no labels were permuted.

    - ``accuracy`` is the paper's metric. ``majority`` is the accuracy of a classifier that always gives the more
      frequent answer: 0.8 with four negatives for each positive.
    - ``published`` is the accuracy on the paper's split alone, and ``published_majority`` its chance.
    - ``balanced`` is the mean of the accuracies on the two kinds of pairs, decided at the odds of the training pairs.
      Its chance is 0.5.
    - ``auroc`` is the probability that a pair of the same thing has a higher score than a pair of different things of
      the same split.
    - ``..._limits`` are 95 % intervals over resampled test groups. ``..._null`` are the lowest and the highest value of
      probes whose training labels were permuted.
    - ``across`` is the balanced accuracy on pairs from two different takes; None if one kind of pair is missing.
      Pictures of one take resemble each other without any recognition.
    - ``ratio`` is the number of pairs of different things for each pair of the same thing, in the tested pairs.
    - ``train`` is the smallest number of training pairs of a split.
    """

    accuracy: float
    accuracy_limits: Limits | None
    majority: float
    published: float | None
    published_majority: float | None
    balanced: float
    balanced_limits: Limits | None
    balanced_null: Limits | None
    auroc: float
    auroc_limits: Limits | None
    auroc_null: Limits | None
    across: float | None
    ratio: float
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


@dataclass(frozen=True)
class _Split:
    """The pairs of one split, with the score of each test pair, and the threshold of the even decision."""

    offset: int
    train: PairSample
    test: PairSample
    groups: NDArray[np.str_]
    scores: Vector
    threshold: float

    @property
    def right(self) -> NDArray[np.bool_]:
        return (self.scores > 0) == self.test.same


def measure_pairs(
    vectors: ArrayLike, population: Population, *, negatives: int = 4, permutations: int = 0, seed: int = 42
) -> Separation | None:
    """Fit a linear probe on some groups, and measure it on others.

    Fit and measurement are repeated until each group was tested once.

    ``vectors`` (n, d) represents the pictures of the population. ``negatives`` is the number of pairs of different
    things for each pair of the same thing. ``permutations`` is the number of probes with permuted labels. Returns None
    if a split has fewer than 100 training pairs, or all splits together fewer than 50 test pairs.
    """
    array, splits = np.asarray(vectors, dtype=float), list[_Split]()
    for offset in reversed(range(min(SPLITS, len(set(population.groups))))):
        random = np.random.default_rng(seed if offset == SPLITS - 1 else [seed, offset])
        train_groups, test_groups = split_groups(population.groups, offset)
        train = sample_pairs(population, train_groups, TRAIN, negatives, random)
        test = sample_pairs(population, test_groups, TEST, negatives, random)
        if train.count < FEWEST_TRAIN or not 0 < train.same.mean() < 1:
            return None
        if test.count:
            splits.append(_fitted(array, offset, train, test, np.asarray(population.groups, dtype=str)))
    same = np.concatenate([split.test.same for split in splits]) if splits else np.zeros(0, bool)
    if len(same) < FEWEST_TEST or not 0 < same.mean() < 1:
        return None
    return _told(array, splits, permutations, np.random.default_rng([seed, SPLITS]))


def _fitted(vectors: Vector, offset: int, train: PairSample, test: PairSample, groups: NDArray[np.str_]) -> _Split:
    scores = fit_pairs(vectors, train).scores(vectors, test)
    # With unequal kinds, log-odds of 0 would call nearly every pair different; the odds of the training pairs are even.
    even = float(np.log(train.same.mean() / (1 - train.same.mean())))
    return _Split(offset, train, test, groups[test.first], scores, even)


def _told(vectors: Vector, splits: list[_Split], permutations: int, random: np.random.Generator) -> Separation:
    same, across = (np.concatenate([getattr(split.test, name) for split in splits]) for name in ("same", "across"))
    right, even = np.concatenate([split.right for split in splits]), _even(splits)
    published = next(
        (split for split in splits if split.offset == SPLITS - 1 and split.test.count >= FEWEST_TEST), None
    )
    limits = _limits(splits, random)
    null = [_permuted(vectors, splits, random) for _ in range(permutations)]
    kinds = set(same[across].tolist())
    return Separation(
        accuracy=float(right.mean()),
        accuracy_limits=limits[0],
        majority=_majority(same),
        published=None if published is None else float(published.right.mean()),
        published_majority=None if published is None else _majority(published.test.same),
        balanced=_balanced(even, same),
        balanced_limits=limits[1],
        balanced_null=_range([_balanced(_even(one), same) for one in null]),
        auroc=_auroc(splits),
        auroc_limits=limits[2],
        auroc_null=_range([_auroc(one) for one in null]),
        across=_balanced(even[across], same[across]) if len(kinds) == 2 else None,
        ratio=float((~same).sum() / same.sum()),
        train=min(split.train.count for split in splits),
        test=len(same),
        test_groups=len(set(np.concatenate([split.groups for split in splits]).tolist())),
    )


def _permuted(vectors: Vector, splits: list[_Split], random: np.random.Generator) -> list[_Split]:
    """Fit the probe of each split to permuted labels.

    Each fit uses some of the training pairs.
    """
    found: list[_Split] = []
    for one in splits:
        chosen = one.train.of(random.permutation(one.train.count)[:NULL_PAIRS])
        if 0 < chosen.same.mean() < 1:
            labels = replace(chosen, same=random.permutation(chosen.same))
            scores = fit_pairs(vectors, labels, steps=NULL_STEPS).scores(vectors, one.test)
            odds = float(np.log(labels.same.mean() / (1 - labels.same.mean())))
            found.append(replace(one, scores=scores, threshold=odds))
        else:
            found.append(replace(one, scores=np.zeros(one.test.count)))
    return found


def fit_pairs(vectors: ArrayLike, pairs: PairSample, *, strength: float = 1.0, steps: int = STEPS) -> PairClassifier:
    """Fit a logistic regression to pairs, in at most ``steps`` steps.

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
        loss, np.zeros(len(mean) + 1), jac=True, method="L-BFGS-B", options={"maxiter": steps, "gtol": 1e-4}
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


def _even(splits: list[_Split]) -> NDArray[np.bool_]:
    """Return which decisions at the even odds are right.

    The decisions are those about the test pairs of all splits.
    """
    return np.concatenate([(split.scores > split.threshold) == split.test.same for split in splits])


def _majority(same: NDArray[np.bool_]) -> float:
    return float(max(same.mean(), 1 - same.mean()))


def _balanced(right: NDArray[np.bool_], same: NDArray[np.bool_]) -> float:
    return (float(right[same].mean()) + float(right[~same].mean())) / 2


def _range(values: list[float]) -> Limits | None:
    return (min(values), max(values)) if values else None


def _auroc(splits: list[_Split]) -> float:
    """Return the area under the ROC curve.

    Comparisons are made within each split; ties count half.
    """
    wins, comparisons = _compared(splits)
    return float(wins.sum() / comparisons.sum()) if comparisons.any() else 0.5


def _compared(splits: list[_Split]) -> tuple[Vector, Vector]:
    """Return the wins and the comparisons (g, g).

    Pairs of the same thing in one group are compared with other pairs in another.

    Groups of two splits are not compared, because their scores come from two probes.
    """
    names = np.unique(np.concatenate([split.groups for split in splits]))
    wins, comparisons = np.zeros((2, len(names), len(names)))
    for one in splits:
        members = np.searchsorted(names, one.groups)
        for group in np.unique(members):
            positive = np.sort(one.scores[(members == group) & one.test.same])
            for other in np.unique(members):
                negative = one.scores[(members == other) & ~one.test.same]
                below, until = (np.searchsorted(positive, negative, side=side) for side in ("left", "right"))
                wins[group, other] = (len(positive) - until + (until - below) / 2).sum()
                comparisons[group, other] = len(positive) * len(negative)
    return wins, comparisons


def _limits(splits: list[_Split], random: np.random.Generator) -> list[Limits | None]:
    """Return the intervals over resampled test groups.

    Accuracy, balanced accuracy and AUROC have an interval each.
    """
    from chronotope.evaluate.score import FEWEST_CLUSTERS

    names, members = np.unique(np.concatenate([split.groups for split in splits]), return_inverse=True)
    if len(names) < FEWEST_CLUSTERS:
        return [None, None, None]
    same, even = np.concatenate([split.test.same for split in splits]), _even(splits)
    right = np.concatenate([split.right for split in splits])
    counts = np.array(
        [np.bincount(members, weights=one.astype(float), minlength=len(names)) for one in (
            right, np.ones(len(right)), even & same, same, even & ~same, ~same
        )]
    )  # fmt: skip
    drawn = np.array(
        [np.bincount(one, minlength=len(names)) for one in random.integers(len(names), size=(1000, len(names)))]
    )
    sums = counts @ drawn.T
    wins, comparisons = (np.einsum("rg,gh,rh->r", drawn, one, drawn) for one in _compared(splits))
    both = (sums[3] > 0) & (sums[5] > 0) & (comparisons > 0)
    values = (
        sums[0][both] / sums[1][both],
        (sums[2][both] / sums[3][both] + sums[4][both] / sums[5][both]) / 2,
        wins[both] / comparisons[both],
    )
    return [(float(low), float(high)) for low, high in (np.percentile(value, [2.5, 97.5]) for value in values)]

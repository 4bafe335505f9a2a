"""Centred kernel alignment (CKA) with a linear kernel, its interval and its null distribution.

All values are computed from Gram matrices (n, n), because a representation has more dimensions than there are pairs.

Sources: S. Kornblith et al., "Similarity of neural network representations revisited" (2019); L. Song et al., "Feature
selection via dependence maximization" (2012), equation 5, for the unbiased estimator.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronotope.probe.measures.influence import Change

FEWEST_PAIRS = 10  # with fewer pairs, CKA says nothing about the representations
_VANISHING = 1e-10  # a smaller denominator means that a representation is constant

Gram = NDArray[np.float64]


@dataclass(frozen=True)
class Similarity:
    """The similarity of two representations of the same things, with everything needed to judge it.

    - ``cka`` is linear CKA in [0, 1]. The value is biased upward if there are fewer things than dimensions.
    - ``low`` and ``high`` are the 2.5 and 97.5 percentiles of ``cka`` over resampled things. Resampled things repeat,
      which also biases these two values upward.
    - ``unbiased`` is CKA from unbiased estimates; its expected value is 0 for independent representations.
    - ``unbiased_low`` and ``unbiased_high`` are its 95 % interval, from the jackknife over the clusters; None if there
      are fewer than six clusters.
    - ``null`` and ``null_high`` are the mean and the 95 percentile of ``cka`` over shuffled pairings. ``p`` is the
      share of shuffled pairings, with the true one among them, whose value is at least ``cka``.
    - ``p_within`` is the same share for pairings that are shuffled only inside each cluster. ``p_within`` is None if no
      cluster has two things. A small ``p`` with a large ``p_within`` means that only the clusters are told apart.
    """

    cka: float
    low: float
    high: float
    unbiased: float
    unbiased_low: float | None
    unbiased_high: float | None
    null: float
    null_high: float
    p: float
    p_within: float | None
    items: int
    clusters: int


def similarity(
    x: ArrayLike, y: ArrayLike, clusters: Sequence[str], *, resamples: int = 1000, seed: int = 42
) -> Similarity | None:
    """Measure the similarity of two representations (n, d) and (n, e).

    ``clusters`` has one name for each row. Returns None if n is below ``FEWEST_PAIRS``.

    Raises:
        ValueError: If the numbers of rows and clusters differ.
    """
    kx, ky = _grams(x, y)
    n = len(kx)
    if n != len(clusters):
        raise ValueError(f"{n} rows but {len(clusters)} clusters: expected one cluster name for each row")
    if n < FEWEST_PAIRS:
        return None
    random = np.random.default_rng(seed)
    members = np.unique(np.asarray(clusters, dtype=str), return_inverse=True)[1]
    value = _cka(kx, ky)
    drawn = (random.integers(n, size=n) for _ in range(resamples))
    low, high = np.percentile([_cka(kx[np.ix_(at, at)], ky[np.ix_(at, at)]) for at in drawn], [2.5, 97.5])
    cx, cy = _centred(kx), _centred(ky)
    null = np.array([_aligned(cx, cy, random.permutation(n)) for _ in range(resamples)])
    several = np.bincount(members).max() > 1
    within = (_aligned(cx, cy, _shuffled_within(members, random)) for _ in range(resamples))
    interval = _jackknife(lambda at: _unbiased_at(kx, ky, at), members)
    return Similarity(
        cka=value,
        low=float(low),
        high=float(high),
        unbiased=_unbiased(_without_diagonal(kx), _without_diagonal(ky)),
        unbiased_low=interval[0],
        unbiased_high=interval[1],
        null=float(null.mean()),
        null_high=float(np.percentile(null, 95)),
        p=_share_above(null, value),
        p_within=_share_above(np.array(list(within)), value) if several else None,
        items=n,
        clusters=int(members.max()) + 1,
    )


def similarity_change(
    first: tuple[ArrayLike, ArrayLike], second: tuple[ArrayLike, ArrayLike], clusters: Sequence[str]
) -> Change | None:
    """Compare the unbiased CKA of two pairs of representations of the same things.

    The interval is from the jackknife over the clusters, which are left out of both pairs together. Returns None if
    there are fewer than ``FEWEST_PAIRS`` things.

    Raises:
        ValueError: If the numbers of rows and clusters differ.
    """
    grams = [_grams(*pair) for pair in (first, second)]
    n = len(grams[0][0])
    if any(len(of[0]) != len(clusters) for of in grams):
        raise ValueError(f"{n} rows but {len(clusters)} clusters: expected one cluster name for each row")
    if n < FEWEST_PAIRS:
        return None
    members = np.unique(np.asarray(clusters, dtype=str), return_inverse=True)[1]
    before, after = (_unbiased_at(*of, np.arange(n)) for of in grams)
    low, high = _jackknife(lambda at: _unbiased_at(*grams[1], at) - _unbiased_at(*grams[0], at), members)
    return Change(before, after, after - before, low, high, None, None, None, n, int(members.max()) + 1)


def _grams(x: ArrayLike, y: ArrayLike) -> tuple[Gram, Gram]:
    one, other = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if one.ndim != 2 or other.ndim != 2 or len(one) != len(other):
        raise ValueError(f"representations {one.shape} and {other.shape}: expected the same number of rows")
    # A common offset changes no result, but would cost digits: the means are large beside the differences.
    one, other = one - one.mean(axis=0), other - other.mean(axis=0)
    return one @ one.T, other @ other.T


def _centred(gram: Gram) -> Gram:
    means = gram.mean(axis=0)
    return gram - means - means[:, None] + means.mean()


def _cka(kx: Gram, ky: Gram) -> float:
    return _aligned(_centred(kx), _centred(ky), None)


def _aligned(cx: Gram, cy: Gram, order: NDArray[np.int64] | None) -> float:
    """Return the cosine of centred Gram matrices, the second one reordered."""
    below = float(np.sqrt(np.vdot(cx, cx) * np.vdot(cy, cy)))
    if below < _VANISHING:
        return 0.0
    return float(np.vdot(cx, cy if order is None else cy[np.ix_(order, order)])) / below


def _without_diagonal(gram: Gram) -> Gram:
    return gram - np.diag(np.diag(gram))


def _unbiased(kx: Gram, ky: Gram) -> float:
    """Compute unbiased CKA from two Gram matrices without their diagonals."""
    below = _dependence(kx, kx) * _dependence(ky, ky)
    return _dependence(kx, ky) / float(np.sqrt(below)) if below > _VANISHING**2 else 0.0


def _dependence(kx: Gram, ky: Gram) -> float:
    """Estimate the dependence (HSIC) without bias."""
    n = len(kx)
    sums = kx.sum(axis=0), ky.sum(axis=0)
    total = float(np.vdot(kx, ky)) + float(sums[0].sum() * sums[1].sum()) / ((n - 1) * (n - 2))
    return (total - 2 * float(sums[0] @ sums[1]) / (n - 2)) / (n * (n - 3))


def _shuffled_within(members: NDArray[np.int64], random: np.random.Generator) -> NDArray[np.int64]:
    """Return an order that moves rows only inside their clusters."""
    order = np.arange(len(members))
    for cluster in range(int(members.max()) + 1):
        at = np.flatnonzero(members == cluster)
        order[at] = random.permutation(at)
    return order


def _share_above(null: NDArray[np.float64], value: float) -> float:
    return (1 + int((null >= value - 1e-12).sum())) / (1 + len(null))


def _unbiased_at(kx: Gram, ky: Gram, at: NDArray[np.int64]) -> float:
    """Compute unbiased CKA of some rows."""
    return _unbiased(_without_diagonal(kx[np.ix_(at, at)]), _without_diagonal(ky[np.ix_(at, at)]))


def _jackknife(
    statistic: Callable[[NDArray[np.int64]], float], members: NDArray[np.int64]
) -> tuple[float | None, float | None]:
    """Return the jackknife interval (95 %) of a statistic of rows over clusters."""
    from scipy.special import stdtrit

    from chronotope.evaluate.score import FEWEST_CLUSTERS

    count = int(members.max()) + 1
    left = [np.flatnonzero(members != cluster) for cluster in range(count)]
    if count < FEWEST_CLUSTERS or min(map(len, left)) < 4:
        return None, None
    values = np.array([statistic(at) for at in left])
    error = float(np.sqrt((count - 1) / count * ((values - values.mean()) ** 2).sum()))
    half, value = float(stdtrit(count - 1, 0.975)) * error, statistic(np.arange(len(members)))
    return value - half, value + half

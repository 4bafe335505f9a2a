"""The influence of a modality on the last hidden state, and changes between two conditions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

_Name = TypeVar("_Name")


@dataclass(frozen=True)
class Mean:
    """The mean over items, with their standard deviation and a 95 % interval.

    ``low`` and ``high`` come from resampled clusters; None if there are fewer than six clusters.
    """

    value: float
    deviation: float
    low: float | None
    high: float | None
    items: int
    clusters: int


@dataclass(frozen=True)
class Change:
    """The change of a mean from one condition to another, on the same items.

    ``first`` and ``second`` are the means of the conditions. ``difference`` is ``second - first``, and ``relative`` is
    this difference divided by ``first``; None if ``first`` is 0. The limits of both are 95 % intervals over resampled
    clusters; None if there are fewer than six clusters.
    """

    first: float
    second: float
    difference: float
    low: float | None
    high: float | None
    relative: float | None
    relative_low: float | None
    relative_high: float | None
    items: int
    clusters: int


def modality_influence(states: ArrayLike, positions: Mapping[_Name, ArrayLike]) -> dict[_Name, float]:
    """Compute the influence of each modality on the last hidden state.

    The influence is the cosine of the last hidden state with the mean state of the modality.

    ``states`` (s, d) are the hidden states of one layer. ``positions`` maps each modality to its token positions.
    Modalities without positions are left out. The cosine is 0 if a state is zero.

    Source: IKEA-Bench, layer 2 (arXiv:2604.00913).
    """
    array = np.asarray(states, dtype=np.float64)
    last = array[-1]
    found: dict[_Name, float] = {}
    for name, at in positions.items():
        places = np.asarray(at, dtype=np.int64)
        if places.size:
            mean = array[places].mean(axis=0)
            norm = float(np.linalg.norm(last) * np.linalg.norm(mean))
            found[name] = float(last @ mean) / norm if norm > 0 else 0.0
    return found


def summarize(values: Sequence[float], clusters: Sequence[str], *, resamples: int = 2000, seed: int = 42) -> Mean:
    """Compute the mean of values with its interval over clusters.

    Raises:
        ValueError: If there are no values, or the lengths differ.
    """
    array = np.asarray(values, dtype=float)
    if array.size == 0 or array.size != len(clusters):
        raise ValueError(f"{array.size} values and {len(clusters)} clusters: expected one cluster for each value")
    drawn = _resampled(array[:, None], clusters, resamples, seed)
    low, high = (None, None) if drawn is None else np.percentile(drawn[:, 0], [2.5, 97.5]).tolist()
    deviation = float(array.std(ddof=1)) if array.size > 1 else 0.0
    return Mean(float(array.mean()), deviation, low, high, array.size, len(set(clusters)))


def paired_change(
    first: Sequence[float], second: Sequence[float], clusters: Sequence[str], *, resamples: int = 2000, seed: int = 42
) -> Change:
    """Compare two conditions on the same items.

    Raises:
        ValueError: If there are no values, or the lengths differ.
    """
    both = np.array([first, second], dtype=float).T
    if both.ndim != 2 or len(both) == 0 or len(both) != len(clusters):
        raise ValueError(f"{both.shape} values and {len(clusters)} clusters: expected one cluster for each pair")
    one, other = both.mean(axis=0)
    drawn = _resampled(both, clusters, resamples, seed)
    limits: list[float | None] = [None] * 4
    if drawn is not None:
        limits[:2] = np.percentile(drawn[:, 1] - drawn[:, 0], [2.5, 97.5]).tolist()
        if (drawn[:, 0] != 0).all():
            limits[2:] = np.percentile(drawn[:, 1] / drawn[:, 0] - 1, [2.5, 97.5]).tolist()
    relative = float(other / one - 1) if one != 0 else None
    if relative is None:
        limits[2:] = [None, None]
    return Change(
        float(one), float(other), float(other - one), limits[0], limits[1], relative, limits[2], limits[3],
        len(both), len(set(clusters)),
    )  # fmt: skip


def _resampled(values: np.ndarray, clusters: Sequence[str], resamples: int, seed: int) -> np.ndarray | None:
    """Return the means (resamples, k) of values (n, k) over resampled clusters.

    Returns None if there are too few clusters.
    """
    from chronotope.evaluate.score import FEWEST_CLUSTERS

    names, members = np.unique(np.asarray(clusters, dtype=str), return_inverse=True)
    if len(names) < FEWEST_CLUSTERS or resamples < 1:
        return None
    sums = np.zeros((len(names), values.shape[1]))
    np.add.at(sums, members, values)
    counts = np.bincount(members, minlength=len(names))
    drawn = np.random.default_rng(seed).integers(len(names), size=(resamples, len(names)))
    return sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)[:, None]

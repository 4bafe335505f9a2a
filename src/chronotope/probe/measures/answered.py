"""The difference of a value between correct and wrong answers."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class Contrast:
    """The means of a value over correct and over wrong answers.

    ``difference`` is ``right - wrong``. ``low`` and ``high`` are its 95 % interval over resampled clusters; None if
    there are fewer than six clusters. ``rights`` and ``wrongs`` count the answers that were compared, and ``clusters``
    their clusters.
    """

    right: float
    wrong: float
    difference: float
    low: float | None
    high: float | None
    rights: int
    wrongs: int
    clusters: int


def contrast(
    values: ArrayLike,
    right: Sequence[bool],
    strata: Sequence[Hashable],
    clusters: Sequence[str],
    *,
    resamples: int = 2000,
    seed: int = 42,
) -> Contrast | None:
    """Compare the values (n,) of correct answers with those of wrong answers.

    Only answers of one stratum are compared with each other. A stratum with r correct and w wrong answers has the
    weight ``r * w / (r + w)``, which is inversely proportional to the variance of its difference. Strata without both
    kinds of answers are left out. Returns None if no stratum has both.

    Raises:
        ValueError: If the lengths differ.
    """
    array = np.asarray(values, dtype=float)
    if {array.shape} != {(len(right),), (len(strata),), (len(clusters),)}:
        raise ValueError(f"{array.shape} values: expected one answer, stratum and cluster for each value")
    correct = np.asarray(right, dtype=bool)
    both = {one for one in strata if {*correct[[of == one for of in strata]].tolist()} == {True, False}}
    kept = np.array([one in both for one in strata], dtype=bool)
    if not kept.any():
        return None
    names = {one: place for place, one in enumerate(sorted(both, key=repr))}
    stratum = np.array([names[one] for one in strata if one in both])
    group, member = np.unique(np.asarray(clusters, dtype=str)[kept], return_inverse=True)
    side = correct[kept].astype(int)
    shape = (len(group), len(names), 2)
    at = np.ravel_multi_index((member, stratum, side), shape)
    size = len(group) * len(names) * 2
    # By cluster, stratum and answer: the count, and the sum.
    cells = np.stack([np.bincount(at, of, size).reshape(shape) for of in (None, array[kept])], axis=-1).astype(float)
    [(wrong, well)] = _means(cells.sum(axis=0)[None])
    low, high = _limits(cells, resamples, seed)
    return Contrast(
        float(well), float(wrong), float(well - wrong), low, high,
        int(side.sum()), int((side == 0).sum()), len(group),
    )  # fmt: skip


def _means(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weighted means of wrong and of correct answers.

    The means (k, 2) are of cells (k, strata, 2, 2). A row without a stratum that has both kinds of answers is NaN.
    """
    counts, sums = cells[..., 0], cells[..., 1]
    total = counts.sum(axis=2)
    weight = np.divide(counts.prod(axis=2), total, out=np.zeros_like(total), where=total > 0)
    mean = np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0)
    of_all = weight.sum(axis=1)[:, None]
    weighted = (weight[..., None] * mean).sum(axis=1)
    return np.divide(weighted, of_all, out=np.full_like(weighted, np.nan), where=of_all > 0)


def _limits(cells: NDArray[np.float64], resamples: int, seed: int) -> tuple[float | None, float | None]:
    """Return the interval of the difference over resampled clusters.

    Resamples without comparable answers are left out; if they are the majority, there is no interval.
    """
    from chronotope.evaluate.score import FEWEST_CLUSTERS

    number = len(cells)
    if number < FEWEST_CLUSTERS or resamples < 1:
        return None, None
    drawn = np.random.default_rng(seed).multinomial(number, np.full(number, 1 / number), size=resamples)
    means = _means(np.einsum("rc,csak->rsak", drawn.astype(float), cells))
    differences = (means[:, 1] - means[:, 0])[~np.isnan(means[:, 0])]
    if 2 * len(differences) <= resamples:
        return None, None
    low, high = np.percentile(differences, [2.5, 97.5]).tolist()
    return low, high

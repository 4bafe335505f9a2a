"""Retrieval of pictures of the right thing by the nearest vectors."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

RANKS = (1, 5, 10)  # the numbers of results within which a picture of the right thing is looked for
_SMALLEST = 1e-8  # norm of a vector that has no direction


@dataclass(frozen=True)
class Retrieval:
    """The share of queries with a picture of the right thing among the ``k`` nearest pictures.

    ``chance`` is the expected share for a random order. ``clusters`` is the number of clusters of the queries. ``low``
    and ``high`` are the 95 % interval of ``recall``; None if there are fewer than six clusters.
    """

    k: int
    recall: float
    low: float | None
    high: float | None
    chance: float
    queries: int
    clusters: int


def retrieval(
    queries: ArrayLike,
    gallery: ArrayLike,
    right: Sequence[tuple[str, str]],
    pictures: Sequence[tuple[str, str]],
    *,
    within: bool = False,
    ranks: Sequence[int] = RANKS,
) -> list[Retrieval]:
    """Measure the recall of retrieval by cosine, at each number of results.

    ``right`` has the group and the thing of each query (q, d); ``pictures`` has them for each picture of the gallery
    (g, d). With ``within``, each query searches only the pictures of its own group. Queries without a picture of their
    thing are left out. The result is empty if no query is left.
    """
    from chronotope.evaluate.score import estimate

    cosines = _unit(queries) @ _unit(gallery).T
    things = {thing: number for number, thing in enumerate(dict.fromkeys([*right, *pictures]))}
    groups = {group: number for number, group in enumerate(dict.fromkeys(group for group, _ in things))}
    thing_of = np.array([things[picture] for picture in pictures], dtype=np.int64)
    group_of = np.array([groups[picture[0]] for picture in pictures], dtype=np.int64)
    best: list[int] = []
    sizes: list[tuple[int, int]] = []
    clusters: list[str] = []
    for row, one in zip(cosines, right, strict=True):
        searched = group_of == groups[one[0]] if within else np.ones(len(thing_of), bool)
        hits = searched & (thing_of == things[one])
        if hits.any():
            # Equal cosines count against the query, so that constant vectors find nothing.
            best.append(int((searched & ~hits & (row >= row[hits].max())).sum()))
            sizes.append((int(hits.sum()), int(searched.sum())))
            clusters.append(one[0])
    found: list[Retrieval] = []
    for k in ranks:
        told = estimate([float(rank < k) for rank in best], clusters)
        if told is not None:
            chance = float(np.mean([_chance(hits, total, k) for hits, total in sizes]))
            found.append(Retrieval(k, told.value, told.low, told.high, chance, told.items, told.clusters))
    return found


def _unit(vectors: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(vectors, dtype=float)
    return array / np.maximum(np.linalg.norm(array, axis=1, keepdims=True), _SMALLEST)


def _chance(hits: int, total: int, k: int) -> float:
    """Return the probability of a hit among k random places."""
    places = np.arange(min(k, total))
    return 1.0 - float(np.prod(np.maximum(total - hits - places, 0) / (total - places)))

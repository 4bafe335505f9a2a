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

    told_of = [
        (rank, one[0])
        for rank, one in zip(ranks_of(queries, gallery, right, pictures, within=within), right, strict=True)
    ]
    known = [(rank, cluster) for rank, cluster in told_of if rank is not None]
    clusters = [cluster for _, cluster in known]
    found: list[Retrieval] = []
    for k in ranks:
        told = estimate([float(rank.better < k) for rank, _ in known], clusters)
        if told is not None:
            chance = float(np.mean([_chance(rank.right, rank.searched, k) for rank, _ in known]))
            found.append(Retrieval(k, told.value, told.low, told.high, chance, told.items, told.clusters))
    return found


@dataclass(frozen=True)
class Rank:
    """The result of one query: how many wrong pictures are at least as near as the nearest right one.

    ``searched`` pictures were searched, of which ``right`` show the right thing.
    """

    better: int
    right: int
    searched: int


def ranks_of(
    queries: ArrayLike,
    gallery: ArrayLike,
    right: Sequence[tuple[str, str]],
    pictures: Sequence[tuple[str, str]],
    *,
    within: bool = False,
) -> list[Rank | None]:
    """Search the pictures of a gallery by cosine for each query, as in `retrieval`.

    The result is None for a query without a picture of its thing.
    """
    cosines = _unit(queries) @ _unit(gallery).T
    things = {thing: number for number, thing in enumerate(dict.fromkeys([*right, *pictures]))}
    groups = {group: number for number, group in enumerate(dict.fromkeys(group for group, _ in things))}
    thing_of = np.array([things[picture] for picture in pictures], dtype=np.int64)
    group_of = np.array([groups[picture[0]] for picture in pictures], dtype=np.int64)
    found: list[Rank | None] = []
    for row, one in zip(cosines, right, strict=True):
        searched = group_of == groups[one[0]] if within else np.ones(len(thing_of), bool)
        hits = searched & (thing_of == things[one])
        if not hits.any():
            found.append(None)
            continue
        # Equal cosines count against the query, so that constant vectors find nothing.
        better = int((searched & ~hits & (row >= row[hits].max())).sum())
        found.append(Rank(better, int(hits.sum()), int(searched.sum())))
    return found


def _unit(vectors: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(vectors, dtype=float)
    return array / np.maximum(np.linalg.norm(array, axis=1, keepdims=True), _SMALLEST)


def _chance(hits: int, total: int, k: int) -> float:
    """Return the probability of a hit among k random places."""
    places = np.arange(min(k, total))
    return 1.0 - float(np.prod(np.maximum(total - hits - places, 0) / (total - places)))

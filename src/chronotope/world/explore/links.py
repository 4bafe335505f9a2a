"""Links between shapes: the shortest ways that no detour through other links replaces."""

import numpy as np
from scipy.sparse.csgraph import dijkstra, floyd_warshall

from chronotope.world.explore.grid import STEP, Cell, steps_between
from chronotope.world.explore.shapes import Shape

__all__ = ["link_shapes"]

NEAREST = 4  # shapes to which a shape is linked
ENDS = 4  # further outline points at each end that are tried
DETOUR = 0.01  # m


def link_shapes(free: np.ndarray, shapes: list[Shape]) -> list[tuple[Cell, ...]]:
    """Return the cells of each link, from one shape to another."""
    if len(shapes) < 2:
        return []
    outlines = [np.array(shape.outline) for shape in shapes]
    apart = np.array([[_apart(one, other) for other in outlines] for one in outlines], float)
    np.fill_diagonal(apart, np.inf)
    pairs: set[tuple[int, int]] = set()
    for number, row in enumerate(apart):
        limit = np.sort(row)[min(NEAREST, len(row) - 1) - 1]
        pairs |= {(min(number, int(other)), max(number, int(other))) for other in np.flatnonzero(row <= limit)}
    graph = steps_between(free)
    links = {pair: _shortest(graph, free.shape, outlines[pair[0]], outlines[pair[1]]) for pair in sorted(pairs)}
    return _needed({pair: link for pair, link in links.items() if link}, len(shapes))


def _apart(one: np.ndarray, other: np.ndarray) -> int:
    """Return the Manhattan distance between two outlines."""
    return int(np.abs(one[:, None] - other[None]).sum(axis=2).min())


def _shortest(graph: object, shape: tuple[int, int], one: np.ndarray, other: np.ndarray) -> tuple[Cell, ...]:
    """Return the shortest way between the nearest points of two outlines, or nothing if there is none."""
    starts, ends = _near(one, other), _near(other, one)
    flat = [np.ravel_multi_index(tuple(cells.T), shape) for cells in (starts, ends)]
    lengths, before = dijkstra(graph, unweighted=True, indices=flat[0], return_predecessors=True)
    between = lengths[:, flat[1]]
    if not np.isfinite(between).any():
        return ()
    row, column = np.unravel_index(int(between.argmin()), between.shape)
    way = [int(flat[1][column])]
    while way[-1] != flat[0][row]:
        way.append(int(before[row, way[-1]]))
    return tuple((int(x), int(y)) for x, y in zip(*np.unravel_index(way[::-1], shape), strict=True))


def _near(outline: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the points of an outline that are nearest to another one."""
    away = np.abs(outline[:, None] - other[None]).sum(axis=2).min(axis=1)
    return outline[np.argsort(away, kind="stable")[: 1 + ENDS]]


def _needed(links: dict[tuple[int, int], tuple[Cell, ...]], count: int) -> list[tuple[Cell, ...]]:
    """Drop links that are longer than the shortest way through other links."""
    kept = dict(links)
    for pair, link in sorted(links.items(), key=lambda item: -len(item[1])):
        others = np.full((count, count), np.inf)
        for (one, other), each in kept.items():
            if (one, other) != pair:
                others[one, other] = others[other, one] = STEP * (len(each) - 1)
        if STEP * (len(link) - 1) > floyd_warshall(others, directed=False)[pair] + DETOUR:
            del kept[pair]
    return list(kept.values())

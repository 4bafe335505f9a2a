"""The points that the camera passes, and their order."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse.csgraph import dijkstra

from chronotope.world.explore.grid import STEP, Cell, steps_between
from chronotope.world.explore.shapes import Shape

__all__ = ["choose_waypoints", "order_waypoints"]

EVERY = 3  # cells between way points of an outline or a link
APART = 0.5  # m, least distance between two way points


def choose_waypoints(
    free: np.ndarray, shapes: Sequence[Shape], links: Sequence[tuple[Cell, ...]], required: Sequence[Cell]
) -> list[Cell]:
    """Choose way points by priority.

    The order is: ``required`` points, ends of links, corners of shapes, further points of links, further points of
    outlines. A point that is too near to a chosen point is left out.
    """
    ranked = [
        *required,
        *(cell for link in links for cell in (link[0], link[-1])),
        *(corner for shape in shapes for corner in shape.corners),
        *(cell for link in links for cell in link[::EVERY]),
        *(cell for shape in shapes for cell in shape.outline[::EVERY]),
    ]
    chosen: list[Cell] = []
    for cell in dict.fromkeys(ranked):
        if not free[cell]:
            continue
        away = STEP * np.linalg.norm(np.array(chosen or [(np.inf, np.inf)]) - cell, axis=1)
        if away.min() >= APART - 1e-9:
            chosen.append(cell)
    return chosen


def order_waypoints(free: np.ndarray, start: Cell, waypoints: Sequence[Cell]) -> list[Cell]:
    """Order way points to a short tour with an open end, by nearest neighbours and exchanges of two links."""
    cells = [start, *(cell for cell in waypoints if cell != start)]
    flat = np.ravel_multi_index(tuple(np.array(cells).T), free.shape)
    lengths = dijkstra(steps_between(free), unweighted=True, indices=flat)[:, flat]
    reached = [number for number in range(len(cells)) if np.isfinite(lengths[0, number])]
    tour, left = [0], set(reached) - {0}
    while left:
        following = min(left, key=lambda number: (lengths[tour[-1], number], number))
        tour.append(following)
        left.discard(following)
    return [cells[number] for number in _improved(lengths, np.array(tour))]


def _improved(lengths: np.ndarray, tour: np.ndarray) -> np.ndarray:
    """Reverse stretches of a tour as long as this makes it shorter; its first point stays."""
    count = len(tour)
    is_better = True
    while is_better:
        is_better = False
        for first in range(1, count - 1):
            before = lengths[tour[first - 1], tour[first]]
            ends = tour[first + 1 :]
            after = np.r_[ends[1:], -1]
            # If tour[first..last] is reversed, two links are replaced; the open end has no link after it.
            old = np.where(after >= 0, lengths[ends, after], 0.0) + before
            new = lengths[tour[first - 1], ends] + np.where(after >= 0, lengths[tour[first], after], 0.0)
            gain = old - new
            if gain.max(initial=0.0) > 1e-9:
                last = first + 1 + int(gain.argmax())
                tour[first : last + 1] = tour[first : last + 1][::-1]
                is_better = True
    return tour

"""Choose the way points: the cells that a walk has to pass."""

from collections.abc import Sequence

import numpy as np

from chronotope.world.explore.links import Link
from chronotope.world.explore.maps import Maps
from chronotope.world.explore.rectangles import Shape

__all__ = ["add_parts", "add_stragglers", "way_points"]

EVERY = 3  # cells between way points of an outline or a link
APART = 2.0  # cells, Euclidean
FAR = 8  # cells (2 m): floor outside all shapes that is farther from the way points gets its own


def way_points(shapes: list[Shape], links: list[Link]) -> np.ndarray:
    """Return the way points (N, 2) in cells, the most important first.

    Ends of links come before corners of shapes, then points along links, then points along outlines. A point less than
    two cells from an earlier one is left out.
    """
    candidates = [link.path[[0, -1]] for link in links]
    candidates += [shape.corners for shape in shapes]
    candidates += [link.path[::EVERY] for link in links]
    candidates += [shape.outline[::EVERY] for shape in shapes]
    kept = np.zeros((0, 2), int)
    for cell in np.concatenate(candidates) if candidates else kept:
        if not np.any(((kept - cell) ** 2).sum(axis=1) < APART**2):
            kept = np.concatenate([kept, cell[None]])
    return kept


def add_stragglers(
    points: np.ndarray, outside: np.ndarray, start: np.ndarray, maps: Maps, far: int = FAR
) -> np.ndarray:
    """Add way points for floor that no shape covers.

    Such floor is a corridor one cell wide, for example. ``points`` (N, 2) are the way points so far.
    ``outside`` (X, Y) bool are the cells in no shape. The cell farthest from ``start`` (2,) and all way points is added
    first, until none is farther than ``far`` cells.
    """
    while True:
        distances = np.where(outside, maps.nearest(np.concatenate([points, start[None]])), 0)
        farthest = np.unravel_index(np.argmax(distances), distances.shape)
        if distances[farthest] <= far:
            return points
        points = np.concatenate([points, np.array([farthest])])


def add_parts(points: np.ndarray, parts: Sequence[np.ndarray]) -> np.ndarray:
    """Add a way point for each part of the floor without one.

    A part is a room, for example. ``points`` (N, 2) are the way points so far.
    ``parts`` (X, Y) bool are sets of cells. The added cell is the one nearest to the middle of the part's cells.
    """
    for part in parts:
        if part.any() and not part[tuple(points.T)].any():
            cells = np.argwhere(part)
            middle = np.argmin(np.linalg.norm(cells - cells.mean(axis=0), axis=1))
            points = np.concatenate([points, cells[middle][None]])
    return points

"""The points that a person can reach, on a grid."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import label
from scipy.sparse import coo_matrix, csr_matrix

from chronotope.errors import InputError

__all__ = ["RADIUS", "STEP", "Cell", "Grid", "inside", "reachable_grid"]

STEP = 0.25  # m, distance of neighbouring points
RADIUS = 0.2  # m, radius of the person

Cell = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Grid:
    """Reachable points: ``free`` (X, Y) bool, and the place (2,) m of the point (0, 0)."""

    free: np.ndarray
    origin: np.ndarray

    def place(self, cells: np.ndarray) -> np.ndarray:
        """Return the places (..., 2) m of cells (..., 2)."""
        return self.origin + STEP * np.asarray(cells)

    @property
    def cells(self) -> np.ndarray:
        """Return the reachable cells (N, 2), sorted."""
        return np.argwhere(self.free)

    def component(self, start: Cell) -> "Grid":
        """Return the points that are connected with a start point by steps to the four neighbours.

        Raises:
            InputError: If the start point is not free.
        """
        if not self.free[start]:
            raise InputError(f"the start point {start} is not free: choose a reachable point")
        parts, _ = label(self.free)
        return Grid(parts == parts[start], self.origin)


def inside(points: np.ndarray, polygon: np.ndarray) -> np.ndarray:
    """Find which points (N, 2) lie inside a polygon (M, 2), by counting crossings."""
    x, y = points[:, :1], points[:, 1:]
    (x0, y0), (x1, y1) = polygon.T, np.roll(polygon, -1, axis=0).T
    with np.errstate(divide="ignore", invalid="ignore"):
        crossed = ((y0 > y) != (y1 > y)) & (x < (x1 - x0) * (y - y0) / (y1 - y0) + x0)
    return crossed.sum(axis=1) % 2 == 1


def reachable_grid(walls: np.ndarray, thickness: float, floors: Sequence[np.ndarray], obstacles: np.ndarray) -> Grid:
    """Find the points at which a person can stand.

    ``walls`` (W, 2, 2) m are the middle lines of walls of a ``thickness`` (m), without the gaps at doors. ``floors``
    are polygons (N, 2), and ``obstacles`` (K, 4, 2) are rectangles. The person is a disc of radius ``RADIUS``.
    """
    corners = np.concatenate(list(floors))
    low = np.floor(corners.min(axis=0) / STEP).astype(int)
    high = np.ceil(corners.max(axis=0) / STEP).astype(int)
    shape = tuple(high - low + 1)
    origin = low * STEP
    points = origin + STEP * np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), axis=-1).reshape(-1, 2)
    # A point in a doorway lies on the border of two floors, so it counts if it is inside a slightly shifted floor.
    on_floor = np.zeros(len(points), bool)
    for floor in floors:
        for shift in ((1e-6, 1e-6), (-1e-6, -1e-6)):
            on_floor |= inside(points + shift, floor)
    points_on = points[on_floor]
    free = np.zeros(len(points), bool)
    free[on_floor] = (_from_segments(points_on, walls) >= RADIUS + thickness / 2 - 1e-9) & (
        _from_rectangles(points_on, obstacles) >= RADIUS - 1e-9
    )
    return Grid(free.reshape(shape), origin)


def _from_segments(points: np.ndarray, segments: np.ndarray) -> np.ndarray:
    """Return the distance (N,) m of points from the nearest of the segments (S, 2, 2)."""
    nearest = np.full(len(points), np.inf)
    for start, end in segments:
        side = end - start
        along = np.clip((points - start) @ side / max(float(side @ side), 1e-12), 0, 1)
        nearest = np.minimum(nearest, np.linalg.norm(points - start - along[:, None] * side, axis=1))
    return nearest


def _from_rectangles(points: np.ndarray, rectangles: np.ndarray) -> np.ndarray:
    """Return the distance (N,) m of points from the nearest of the rectangles (K, 4, 2), zero inside."""
    nearest = np.full(len(points), np.inf)
    for corners in rectangles:
        middle, axes = corners.mean(axis=0), np.stack([corners[0] - corners[1], corners[1] - corners[2]])
        half = np.linalg.norm(axes, axis=1) / 2
        beyond = np.maximum(np.abs((points - middle) @ (axes / (2 * half[:, None])).T) - half, 0)
        nearest = np.minimum(nearest, np.linalg.norm(beyond, axis=1))
    return nearest


def steps_between(free: np.ndarray) -> csr_matrix:
    """Return the graph of steps between free points that are neighbours, over the flat index of all points."""
    numbers = np.arange(free.size).reshape(free.shape)
    pairs = [
        np.stack([numbers[first][free[first] & free[second]], numbers[second][free[first] & free[second]]])
        for first, second in ((np.s_[:-1], np.s_[1:]), (np.s_[:, :-1], np.s_[:, 1:]))
    ]
    one, two = np.concatenate(pairs, axis=1)
    ones = np.ones(2 * len(one))
    return coo_matrix((ones, (np.r_[one, two], np.r_[two, one])), (free.size, free.size)).tocsr()

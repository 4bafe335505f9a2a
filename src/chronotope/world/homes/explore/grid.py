"""Find the points of a floor where a camera can stand."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chronotope.geometry.polygons import inside
from chronotope.world.homes.explore.components import components

RADIUS = 0.2
STEP = 0.25
_TOUCH = 1e-9  # m: a disc that only touches a wall is free of it
_ON_WALL = 0.02  # m: a doorway this close to the line of a wall is an opening of that wall


@dataclass(frozen=True)
class Grid:
    """Hold the points of a grid that can be reached.

    ``origin`` (2,) m is the point of cell (0, 0), ``step`` the distance in m between neighbours. ``reachable`` (X, Y)
    bool is indexed by the cell: first along x, then along y.
    """

    origin: np.ndarray
    step: float
    reachable: np.ndarray

    def points(self, cells: np.ndarray) -> np.ndarray:
        """Return the points (..., 2) m of cells (..., 2)."""
        return self.origin + self.step * np.asarray(cells)

    @property
    def cells(self) -> np.ndarray:
        """Return the reachable cells (N, 2), ordered by x, then by y."""
        return np.argwhere(self.reachable)


def free_points(
    rooms: Sequence[np.ndarray],
    doorways: Sequence[np.ndarray],
    obstacles: Sequence[np.ndarray],
    *,
    thickness: float = 0.0,
    radius: float = RADIUS,
    step: float = STEP,
) -> Grid:
    """Return the grid points where a disc touches nothing.

    ``rooms`` are polygons (N, 2) m, ``doorways`` the passable segments (2, 2) m on their edges, and ``obstacles`` the
    corners (4, 2) m of rectangles, in order. Edges of rooms without doorways are walls, with ``thickness`` m centred
    on the edge. The distance of ``radius`` m to walls and obstacles is exact. Grid points are multiples of ``step``.
    The grid can have several components.
    """
    corners = np.concatenate(rooms)
    low = np.floor(corners.min(axis=0) / step + _TOUCH).astype(int)
    high = np.ceil(corners.max(axis=0) / step - _TOUCH).astype(int)
    axes = [step * np.arange(low[axis], high[axis] + 1) for axis in (0, 1)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    free = np.zeros(points.shape[:2], bool)
    for room in rooms:
        free |= inside(points, room)
    for start, end in doorways:  # the crossing rule is undecided on the line between two rooms
        free |= _clearance(points, _slab(start, end, 0.0)) <= _TOUCH
    walls = [_slab(start, end, thickness) for start, end in wall_pieces(rooms, doorways)]
    for box in [*walls, *map(_box_of, obstacles)]:
        near = tuple(_window(axes[axis], box, axis, radius) for axis in (0, 1))
        free[near] &= _clearance(points[near], box) >= radius - _TOUCH
    return Grid(low * step, step, free)


def component_of(grid: Grid, start: tuple[int, int]) -> Grid:
    """Keep only the points connected with ``start`` by 4-neighbours."""
    labels, _ = components(grid.reachable)
    return Grid(grid.origin, grid.step, grid.reachable & (labels == labels[start]))


def largest_component(grid: Grid) -> Grid:
    """Keep only the component with the most points, the first of several."""
    labels, count = components(grid.reachable)
    sizes = np.bincount(labels.ravel(), minlength=count + 1)
    sizes[0] = 0
    return Grid(grid.origin, grid.step, grid.reachable & (labels == np.argmax(sizes)))


def wall_pieces(rooms: Sequence[np.ndarray], doorways: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return the edges of rooms without their doorways.

    The result is a list of segments (2, 2) m.
    """
    pieces = []
    for room in rooms:
        for start, end in zip(room, np.roll(room, -1, axis=0), strict=True):
            length = float(np.hypot(*(end - start)))
            if length:
                way = (end - start) / length
                spans = _closed_spans(start, way, length, doorways)
                pieces += [np.stack([start + low * way, start + high * way]) for low, high in spans]
    return pieces


def _closed_spans(
    start: np.ndarray, way: np.ndarray, length: float, doorways: Sequence[np.ndarray]
) -> list[tuple[float, float]]:
    """Return the intervals of an edge without a doorway, in m."""
    openings = []
    for doorway in doorways:
        offsets = doorway - start
        across = offsets @ np.array([-way[1], way[0]])
        if np.all(np.abs(across) <= _ON_WALL):
            openings.append(sorted(offsets @ way))
    spans, reached = [], 0.0
    for low, high in sorted(openings):
        if low > reached:
            spans.append((reached, min(low, length)))
        reached = max(reached, high)
        if reached >= length:
            return spans
    return [*spans, (reached, length)]


@dataclass(frozen=True)
class _Box:
    """Hold an oriented rectangle.

    The rectangle has a centre (2,) m, unit axes (2, 2) by rows, and half sizes (2,) m.
    """

    centre: np.ndarray
    axes: np.ndarray
    half: np.ndarray


def _slab(start: np.ndarray, end: np.ndarray, thickness: float) -> _Box:
    length = float(np.hypot(*(end - start)))
    way = (end - start) / length if length else np.array([1.0, 0.0])
    axes = np.array([way, [-way[1], way[0]]])
    return _Box((start + end) / 2, axes, np.array([length, thickness]) / 2)


def _box_of(corners: np.ndarray) -> _Box:
    first, second, third, _ = np.asarray(corners, float)
    return _Box((first + third) / 2, _slab(first, second, 0.0).axes, np.hypot(*(np.diff(corners[:3], axis=0).T)) / 2)


def _clearance(points: np.ndarray, box: _Box) -> np.ndarray:
    """Return the distances (...) m of points (..., 2) from a rectangle.

    The distance is 0 inside.
    """
    beyond = np.maximum(np.abs((points - box.centre) @ box.axes.T) - box.half, 0.0)
    return np.hypot(beyond[..., 0], beyond[..., 1])


def _window(values: np.ndarray, box: _Box, axis: int, radius: float) -> slice:
    """Return the part of sorted coordinates that a rectangle can block."""
    reach = float(np.abs(box.axes[:, axis]) @ box.half) + radius + _TOUCH
    low, high = np.searchsorted(values, [box.centre[axis] - reach, box.centre[axis] + reach])
    return slice(int(low), int(high) + 1)

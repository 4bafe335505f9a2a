"""The thinned set of points: the border is removed where the passage is wide."""

from collections import deque

import numpy as np

from chronotope.world.explore.grid import Cell, Grid

__all__ = ["thin"]

NARROW = 3  # cells; points of a run of at most this length are kept
_RING = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
_FOUR = ((1, 0), (0, 1), (-1, 0), (0, -1))


def thin(grid: Grid, start: Cell) -> np.ndarray:
    """Remove border points one by one, as long as the set stays connected.

    Points in narrow passages and the start point are kept. Returns the remaining points (X, Y) bool.
    """
    free = np.pad(grid.free, 1)
    neighbours = sum(np.roll(free, shift, axis=axis).astype(int) for axis in (0, 1) for shift in (1, -1))
    border = free & (neighbours < 4)
    narrow = np.minimum(_runs(free, 0), _runs(free, 1)) <= NARROW
    left = free.copy()
    for x, y in np.argwhere(border & ~narrow):
        if (x - 1, y - 1) != start and _may_go(left, int(x), int(y)):
            left[x, y] = False
    return left[1:-1, 1:-1]


def _runs(free: np.ndarray, axis: int) -> np.ndarray:
    """Return the length of the run of free points that contains each point, along an axis."""
    turned = free if axis == 1 else free.T
    length = np.zeros(turned.shape, int)
    for row, line in enumerate(turned):
        edges = np.flatnonzero(np.diff(np.r_[False, line, False].astype(int)))
        for begin, end in edges.reshape(-1, 2):
            length[row, begin:end] = end - begin
    return length if axis == 1 else length.T


def _may_go(left: np.ndarray, x: int, y: int) -> bool:
    """Check that the set stays connected without a point.

    Most points are decided by their neighbourhood: the four neighbours are connected within the ring around the point.
    Otherwise the whole set is searched.
    """
    beside = [(x + dx, y + dy) for dx, dy in _FOUR if left[x + dx, y + dy]]
    if len(beside) < 2:
        return bool(beside)
    ring = [bool(left[x + dx, y + dy]) for dx, dy in _RING]
    pieces = sum(
        ring[k] and not (ring[k - 1] and ring[k - 2]) for k in range(0, 8, 2)
    )  # a neighbour that is not joined to the previous one through the corner between them begins a new piece
    if pieces <= 1:
        return True
    left[x, y] = False
    is_connected = _joins(left, beside[0], beside[1:])
    left[x, y] = True
    return is_connected


def _joins(free: np.ndarray, start: Cell, others: list[Cell]) -> bool:
    """Check whether steps lead from a point to all others."""
    missing, seen, queue = set(others), {start}, deque([start])
    while queue and missing:
        x, y = queue.popleft()
        for dx, dy in _FOUR:
            beside = (x + dx, y + dy)
            if free[beside] and beside not in seen:
                seen.add(beside)
                missing.discard(beside)
                queue.append(beside)
    return not missing

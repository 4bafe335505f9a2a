"""Light on the grids of cells: places without light of their own, and the mean over neighbours."""

import numpy as np
from scipy.spatial import KDTree

from chronotope.world.light.cells import Cells, points_of
from chronotope.world.light.points import Points

TURN = 0.3  # m, distance that counts as much as a difference of normals of 1
APART = 1e3  # m, distance that counts as much as another piece


def nearest_lit(points: Points, is_lit: np.ndarray, cells: Cells) -> np.ndarray:
    """Return the lit point (T,) next to each place on a grid.

    A place inside a wall, under a cupboard or beyond its triangle takes the light of the nearest point of the same
    piece with a similar normal, so that no edge is dark.
    """
    found = points.of.copy()
    is_lost = (found < 0) | ~is_lit[np.maximum(found, 0)]
    lost = np.flatnonzero(is_lost)
    lit = np.flatnonzero(is_lit)
    if not len(lit) or not len(lost):
        return np.maximum(found, 0)

    def key(where: np.ndarray, normal: np.ndarray, piece: np.ndarray) -> np.ndarray:
        return np.column_stack([where, TURN * normal, APART * piece])

    tree = KDTree(key(points.places[lit], points.normals[lit], points.piece[lit]))
    where, normal, cell = (each[lost] for each in points_of(cells, 0.0))
    found[lost] = lit[tree.query(key(where, normal, cells.piece[cell]))[1]]
    return found


def coarse(cells: Cells) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the cell, row and column (T,) of each place."""
    sizes = cells.shape.prod(axis=1)
    cell = np.repeat(np.arange(len(cells)), sizes)
    number = np.arange(len(cell)) - np.repeat(cells.start - cells.start[:1], sizes)
    return cell, number // cells.shape[cell, 1], number % cells.shape[cell, 1]


def smoothed(cells: Cells, light: np.ndarray) -> np.ndarray:
    """Average the light (T, 3) of grids over neighbours.

    The mean is over 3 x 3 places: such a block has all sets of rays.
    """
    cell, row, column = coarse(cells)
    shape = cells.shape[cell]
    here = np.arange(len(cell))
    for at, size, step in ((row, shape[:, 0], shape[:, 1]), (column, shape[:, 1], np.ones_like(column))):
        before = np.where(at > 0, here - step, here)
        after = np.where(at < size - 1, here + step, here)
        wide = (size > 2)[:, None]
        light = np.where(wide, (light[before] + light + light[after]) / 3, light)
    return light

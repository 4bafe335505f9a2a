"""The points of all cells at which light is gathered."""

from dataclasses import dataclass

import numpy as np

from chronotope.world.light.cells import Cells, points_of
from chronotope.world.light.surfaces import Surfaces

INSET = 0.004  # m, of points from the borders of their cells
LIFT = 0.001  # m, of points above their surfaces
PATTERNS = 9  # sets of rays; neighbours in blocks of 3 x 3 points use different ones


@dataclass(frozen=True, eq=False)
class Points:
    """Points (N, 3) m with normals (N, 3), the indices (N,) of their pieces, and the sets (N,) of their rays.

    ``of`` (T,) is the point of each place in the grids of the cells, or -1 if the place is not drawn.
    """

    places: np.ndarray
    normals: np.ndarray
    piece: np.ndarray
    pattern: np.ndarray
    of: np.ndarray

    def __len__(self) -> int:
        return len(self.places)

    def starts(self, part: np.ndarray) -> np.ndarray:
        """Return the starts (M, 3) m of rays from some points (M,)."""
        return (self.places[part] + LIFT * self.normals[part]).astype(np.float32)


def choose_points(surfaces: Surfaces, cells: Cells, shared: np.ndarray, turns: np.ndarray) -> Points:
    """Choose the points of cells.

    The smallest cells have points only at the vertices of their mesh. Cells with a common vertex share its point. Two
    vertices also share a point if they are less than about ``shared`` (P,) m apart, and if their normals, multiplied by
    ``turns`` (P,), round to the same whole numbers.
    """
    places, normals, cell = points_of(cells, INSET)
    shape = cells.shape[cell]
    number = np.arange(len(cell)) - (cells.start - cells.start[:1])[cell]
    row, column = number // shape[:, 1], number % shape[:, 1]
    is_small = (shape == 2).all(axis=1)
    pattern = np.where(is_small, 0, patterns(row, column))
    is_whole = np.bincount(cells.cell, minlength=len(cells)) == 2
    beyond = row / (shape[:, 0] - 1) + column / (shape[:, 1] - 1) - 1
    allowed = np.where(is_small, 1e-6, 1.01 / np.maximum(shape.min(axis=1) - 1, 1))
    key = np.arange(len(cell))
    corner = cells.origin[cell] + np.einsum("nk,nkd->nd", np.stack([row, column], axis=1) * 1.0, cells.sides[cell])
    piece = cells.piece[cell]
    rows = [np.rint(corner / shared[piece, None]), np.rint(normals * turns[piece, None]), piece[:, None]]
    if is_small.any():
        _, first, which = np.unique(
            _numbered(*(each[is_small] for each in rows)), return_index=True, return_inverse=True
        )
        key[is_small] = np.flatnonzero(is_small)[first[which]]
    kept, of = np.unique(np.where(is_whole[cell] | (beyond <= allowed), key, -1), return_inverse=True)
    if len(kept) and kept[0] < 0:
        kept, of = kept[1:], of - 1
    return Points(places[kept], normals[kept], cells.piece[cell][kept], pattern[kept], of)


def _numbered(*parts: np.ndarray) -> np.ndarray:
    """Number rows (N,) of whole numbers.

    Equal rows have the same number. The parts (N, k) are joined one after another, because sorting numbers is faster
    than sorting rows.
    """
    number = np.zeros(len(parts[0]), np.int64)
    for part in parts:
        low = part.min(axis=0).astype(np.int64)
        spans = part.max(axis=0).astype(np.int64) - low + 1
        joined = np.ravel_multi_index(tuple((part - low).astype(np.int64).T), tuple(spans))
        number = np.unique(number * int(np.prod(spans)) + joined, return_inverse=True)[1]
    return number


def patterns(row: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Number the places of a grid from 0 to 8.

    Each block of 3 x 3 has all numbers.
    """
    return 3 * (row % 3) + column % 3


def points_joined(first: Points, second: Points, pieces: int) -> Points:
    """Join the points of joined surfaces.

    ``pieces`` is the number of pieces to which the ``first`` points belong.
    """
    return Points(
        np.concatenate([first.places, second.places]),
        np.concatenate([first.normals, second.normals]),
        np.concatenate([first.piece, second.piece + pieces]),
        np.concatenate([first.pattern, second.pattern]),
        np.concatenate([first.of, np.where(second.of < 0, -1, second.of + len(first))]),
    )

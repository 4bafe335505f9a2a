"""Plain boxes with textures in true scale, for tables, shelves, floors and walls."""

from collections.abc import Sequence

import numpy as np

from chronotope.world.things import Look, Piece

# For each face: its corners, counter-clockwise from outside, in units of half the size, and the axes of u and v.
_FACES = (
    (((1, -1, -1), (1, 1, -1), (1, 1, 1), (1, -1, 1)), (1, 2)),
    (((-1, 1, -1), (-1, -1, -1), (-1, -1, 1), (-1, 1, 1)), (1, 2)),
    (((1, 1, -1), (-1, 1, -1), (-1, 1, 1), (1, 1, 1)), (0, 2)),
    (((-1, -1, -1), (1, -1, -1), (1, -1, 1), (-1, -1, 1)), (0, 2)),
    (((-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)), (0, 1)),
    (((-1, 1, -1), (1, 1, -1), (1, -1, -1), (-1, -1, -1)), (0, 1)),
)


def corners_of(size: Sequence[float], centre: Sequence[float]) -> np.ndarray:
    """Return the corners (8, 3) m of an upright box."""
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    return np.asarray(centre) + signs * np.asarray(size) / 2


def slab(size: Sequence[float], centre: Sequence[float], look: Look, tile: float = 1.0, sunk: float = 0.0) -> Piece:
    """Make an upright box whose texture repeats every ``tile`` m.

    The shadow of the box is cast by a box that is smaller by ``sunk`` m on each side, but not by more than a third.
    """
    half, middle = np.asarray(size) / 2, np.asarray(centre)
    corners = np.array([[middle + np.array(corner) * half for corner in face] for face, _ in _FACES])
    uv = np.array([face[:, axes] for face, (_, axes) in zip(corners - (middle - half), _FACES, strict=True)]) / tile
    start = 4 * np.arange(6)[:, None]
    faces = np.concatenate([start + np.array(triangle) for triangle in ((0, 1, 2), (0, 2, 3))])
    vertices = corners.reshape(-1, 3)
    inner = 1 - np.minimum(sunk / half, 2 / 3)
    return Piece(vertices, faces, uv.reshape(-1, 2), look, middle + (vertices - middle) * inner if sunk else None)

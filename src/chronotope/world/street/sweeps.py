"""Flat bodies of streets: ribbons along lanes, and plates with any outline, with their pictures in true scale."""

from collections.abc import Iterable

import numpy as np

from chronotope.world.street.lanes import Lane, lane_beside
from chronotope.world.things.mesh import Mesh, merge, triangulate
from chronotope.world.things.thing import Look, Piece

_GRAIN = 4  # decimals of the vertices, in m


def ribbon(lane: Lane, right: float, left: float, low: float, high: float) -> Mesh:
    """Make a closed body along a lane.

    The body reaches from ``right`` to ``left`` (m, to the left of the lane) and from ``low`` to ``high`` (m).
    """
    sides = [lane_beside(lane, away).points[:, :2] for away in (right, left)]
    edges = [np.column_stack([side, np.full(len(side), z)]) for side in sides for z in (low, high)]
    below, above, below_left, above_left = edges
    strips = ((above, above_left), (below_left, below), (below, above), (above_left, below_left))
    meshes = [_strip(lane.along, first, second) for first, second in strips]
    for end, corners in ((0, (below, above, above_left, below_left)), (-1, (below, below_left, above_left, above))):
        points = np.array([corner[end] for corner in corners])
        meshes.append(Mesh(points, np.array([[0, 1, 2], [0, 2, 3]]), points[:, [0, 2]]))
    return merge(*meshes)


def _strip(along: np.ndarray, right: np.ndarray, left: np.ndarray) -> Mesh:
    """Join the right and the left edge (N, 3) m of a surface, as seen from outside."""
    count = len(along)
    wide = float(np.linalg.norm(left[0] - right[0]))
    uv = np.concatenate([np.column_stack([along, np.full(count, across)]) for across in (0.0, wide)])
    start = np.arange(count - 1)
    quads = np.stack([start, start + 1, start + 1 + count, start + count], axis=1)
    return Mesh(np.concatenate([right, left]), np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]), uv)


def plate_of(outline: np.ndarray, low: float, high: float) -> Mesh:
    """Make a closed body with an outline (N, 2) m, counter-clockwise from above."""
    count, lid = len(outline), triangulate(outline)
    top, bottom = (np.column_stack([outline, np.full(count, z)]) for z in (high, low))
    after = np.roll(np.arange(count), -1)
    wall = np.concatenate([bottom, bottom[after], top[after], top])
    each = np.arange(count)
    quads = np.stack([each, each + count, each + 2 * count, each + 3 * count], axis=1)
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(outline[after] - outline, axis=1))])
    around = np.concatenate([along[:-1], along[1:], along[1:], along[:-1]])
    return merge(
        Mesh(top, lid, outline),
        Mesh(bottom, lid[:, ::-1], outline),
        Mesh(wall, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]), np.column_stack([around, wall[:, 2]])),
    )


def surfaced(meshes: Iterable[Mesh], look: Look, tile: float = 1.0) -> Piece:
    """Join bodies to one piece whose picture repeats every ``tile`` m."""
    whole = merge(*meshes)
    uv = None if look.texture is None else np.round(whole.uv / tile, 5)
    return Piece(np.round(whole.vertices, _GRAIN), whole.faces, uv, look)

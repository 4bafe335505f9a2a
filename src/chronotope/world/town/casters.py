"""Smaller bodies inside buildings that cast their shadows, so that a coarse shadow map speckles no large face."""

from dataclasses import replace

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from chronotope.world.things import Piece
from chronotope.world.things.mesh import vertex_normals

INSET, SHARE = 0.6, 0.3  # how far faces are moved inwards: m, and at most this share of a solid's shortest side
FLAT, WIDE = 0.7, 10.0  # m; a solid that is lower and wider is a piece of ground
SUNK = 0.4  # m, how far the caster of such a piece is below it
SMALLER = 0.985  # size of the caster in x and y, so that its edges are not in the walls


def with_caster(piece: Piece) -> Piece:
    """Give a piece of a building a body that casts its shadow.

    Each solid of the piece has its faces moved inwards along their normals. A flat piece of ground is moved down.
    """
    numbers = _solids_of(piece)
    inward = -vertex_normals(piece.vertices, piece.faces)
    caster = piece.vertices.copy()
    for number in range(numbers.max() + 1):
        chosen = numbers == number
        low, high = piece.vertices[chosen].min(axis=0), piece.vertices[chosen].max(axis=0)
        size, middle = high - low, (low + high) / 2
        if size[2] < FLAT and size[:2].min() > WIDE:
            caster[chosen, 2] -= SUNK
            continue
        moved = piece.vertices[chosen] + min(INSET, SHARE * size.min()) * inward[chosen]
        caster[chosen] = middle + (moved - middle) * (SMALLER, SMALLER, 1.0)
    return replace(piece, caster=np.round(caster, 3))


def _solids_of(piece: Piece) -> np.ndarray:
    """Return the number (V,) of the connected solid of each vertex; vertices at one place belong together."""
    _, places = np.unique(np.round(piece.vertices, 3), axis=0, return_inverse=True)
    corners = places.ravel()[piece.faces]
    pairs = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]]])
    count = int(corners.max()) + 1
    graph = coo_matrix((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    return connected_components(graph, directed=False)[1][places.ravel()]

"""Cells: parallelograms on triangles, whose grids of points carry light.

Two triangles that together make a parallelogram share one cell, so that no seam can run along their common side. All
other triangles have a cell of their own, half of which is not drawn.
"""

from dataclasses import dataclass

import numpy as np

from chronotope.world.light.surfaces import Surfaces

# the corners of a cell that belong to the three corners of its first and of its second triangle
_FIRST = np.array([[0, 0], [1, 0], [0, 1]])
_SECOND = np.array([[1, 1], [0, 1], [1, 0]])


@dataclass(frozen=True, eq=False)
class Cells:
    """Parallelograms with grids of points.

    A cell has an ``origin`` (C, 3) m, two ``sides`` (C, 2, 3) m, normals (C, 4, 3) and uv (C, 4, 2) at its corners in
    the order origin, first side, second side, far corner, and the index of its ``piece`` (C,). Its grid has ``shape``
    (C, 2) points along the two sides, numbered from ``start`` (C,), the second side fastest. ``cell`` (F,) is the cell
    of each triangle, and ``places`` (F, 3, 2) are the triangle's corners in units of the sides.
    """

    origin: np.ndarray
    sides: np.ndarray
    normals: np.ndarray
    uv: np.ndarray
    piece: np.ndarray
    shape: np.ndarray
    start: np.ndarray
    cell: np.ndarray
    places: np.ndarray

    def __len__(self) -> int:
        return len(self.origin)

    @property
    def count(self) -> int:
        """Return the number of points."""
        return int(self.shape.prod(axis=1).sum())

    @property
    def areas(self) -> np.ndarray:
        """Return the drawn area (C,) m2 of each cell."""
        halves = np.bincount(self.cell, minlength=len(self))
        return np.linalg.norm(np.cross(self.sides[:, 0], self.sides[:, 1]), axis=1) * halves / 2

    @property
    def lengths(self) -> np.ndarray:
        """Return the lengths (C, 2) m of the sides."""
        return np.linalg.norm(self.sides, axis=2)

    def nearest(self, triangle: np.ndarray, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Find the grid point next to a place on a triangle.

        ``u`` and ``v`` are the weights of the second and the third corner of the triangle.
        """
        # the corners in steps of the grid, once for each triangle: there are far more rays than triangles
        steps = self.places * (self.shape[self.cell] - 1)[:, None]
        start, one, two = steps[:, 0], steps[:, 1] - steps[:, 0], steps[:, 2] - steps[:, 0]
        number = self.start[self.cell]
        total = number[triangle]
        for axis, stride in ((0, self.shape[self.cell, 1]), (1, None)):
            at = start[triangle, axis] + u * one[triangle, axis] + v * two[triangle, axis]
            last = (self.shape[self.cell, axis] - 1)[triangle]
            index = np.clip(np.rint(at), 0, last).astype(np.int64)
            total = total + (index if stride is None else index * stride[triangle])
        return total


def cells_of(surfaces: Surfaces, spacing: np.ndarray, first: int = 0) -> Cells:
    """Cover triangles with cells.

    The points of a grid are at most ``spacing`` (P,) m apart, depending on the piece. Numbers of points begin at
    ``first``.
    """
    corners, mate = _turned(surfaces)
    count = len(corners)
    leader = (mate < 0) | (np.arange(count) < mate)
    cell = np.cumsum(leader) - 1
    cell = np.where(leader, cell, cell[np.where(mate < 0, 0, mate)])
    places = np.where(leader[:, None, None], _FIRST, _SECOND).astype(float)
    own, other = corners[leader], np.where(mate[leader] < 0, -1, corners[mate[leader], 0])
    # the second side is the longer one, so that cells are wide in a picture
    ends = surfaces.vertices[own]
    is_swapped = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) > np.linalg.norm(ends[:, 2] - ends[:, 0], axis=1)
    own = np.where(is_swapped[:, None], own[:, [0, 2, 1]], own)
    places = np.where(is_swapped[cell][:, None, None], places[:, :, ::-1], places)
    points = surfaces.vertices[own]
    sides = points[:, 1:] - points[:, :1]
    far_normal = surfaces.normals[own[:, 1]] + surfaces.normals[own[:, 2]] - surfaces.normals[own[:, 0]]
    far_normal = np.where((other >= 0)[:, None], surfaces.normals[other], far_normal)
    far_uv = surfaces.uv[own[:, 1]] + surfaces.uv[own[:, 2]] - surfaces.uv[own[:, 0]]
    piece = surfaces.piece[leader]
    lengths = np.linalg.norm(sides, axis=2)
    shape = 1 + np.maximum(np.ceil(lengths / spacing[piece][:, None] - 1e-6), 1).astype(np.int64)
    sizes = shape.prod(axis=1)
    return Cells(
        origin=points[:, 0],
        sides=sides,
        normals=np.concatenate([surfaces.normals[own], far_normal[:, None]], axis=1),
        uv=np.concatenate([surfaces.uv[own], far_uv[:, None]], axis=1),
        piece=piece,
        shape=shape,
        start=first + np.cumsum(sizes) - sizes,
        cell=cell,
        places=np.take_along_axis(places, _back(surfaces.faces, corners)[:, :, None], axis=1),
    )


def grids_joined(first: Cells, second: Cells, pieces: int) -> Cells:
    """Join the cells of joined surfaces.

    ``pieces`` is the number of pieces to which the ``first`` cells belong. The numbers of points of the ``second``
    cells follow those of the ``first`` cells.
    """
    return Cells(
        np.concatenate([first.origin, second.origin]),
        np.concatenate([first.sides, second.sides]),
        np.concatenate([first.normals, second.normals]),
        np.concatenate([first.uv, second.uv]),
        np.concatenate([first.piece, second.piece + pieces]),
        np.concatenate([first.shape, second.shape]),
        np.concatenate([first.start, second.start]),
        np.concatenate([first.cell, second.cell + len(first)]),
        np.concatenate([first.places, second.places]),
    )


def _turned(surfaces: Surfaces) -> tuple[np.ndarray, np.ndarray]:
    """Turn triangles: the longest side is opposite to the first corner.

    Returns the corners (F, 3), and for each triangle the other half (F,) of its parallelogram, or -1.
    """
    points = surfaces.vertices[surfaces.faces]
    opposite = np.linalg.norm(np.roll(points, -1, axis=1) - np.roll(points, -2, axis=1), axis=2)
    first = np.argmax(np.round(opposite, 6), axis=1)
    order = (first[:, None] + np.arange(3)) % 3
    corners = np.take_along_axis(surfaces.faces, order, axis=1)
    ends = np.sort(corners[:, 1:], axis=1)
    key = ends[:, 0] * (len(surfaces.vertices) + 1) + ends[:, 1]
    ranked = np.argsort(key, kind="stable")
    mate = np.full(len(key), -1)
    same = np.flatnonzero(key[ranked][1:] == key[ranked][:-1])
    for one, two in ((ranked[same], ranked[same + 1]), (ranked[same + 1], ranked[same])):
        mate[one] = two
    is_mutual = (mate >= 0) & (mate[np.maximum(mate, 0)] == np.arange(len(mate)))
    one, two = corners, corners[np.maximum(mate, 0)]
    place = surfaces.vertices
    gap = place[one[:, 0]] + place[two[:, 0]] - place[one[:, 1]] - place[one[:, 2]]
    skew = np.abs(surfaces.uv[one[:, 0]] + surfaces.uv[two[:, 0]] - surfaces.uv[one[:, 1]] - surfaces.uv[one[:, 2]])
    return corners, np.where(is_mutual & (np.abs(gap).max(axis=1) < 1e-6) & (skew.max(axis=1) < 1e-6), mate, -1)


def _back(faces: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Return the position in ``corners`` of each corner of ``faces``."""
    return np.argmax(corners[:, None, :] == faces[:, :, None], axis=2)


def points_of(cells: Cells, inset: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the points of all grids.

    The result is their places (N, 3) m, their normals (N, 3), and their cells (N,).
    Points at the border are moved inwards by ``inset`` m, but by at most a fifth of a side: exactly at an edge, a point
    would lie on the surface of the neighbour.
    """
    sizes = cells.shape.prod(axis=1)
    cell = np.repeat(np.arange(len(cells)), sizes)
    number = np.arange(len(cell)) - np.repeat(cells.start - cells.start[:1], sizes)
    shape = cells.shape[cell]
    share = np.stack([number // shape[:, 1], number % shape[:, 1]], axis=1) / (shape - 1)
    least = np.minimum(inset / np.maximum(cells.lengths, 1e-9), 0.2)[cell]
    share = np.clip(share, least, 1 - least)
    points = cells.origin[cell] + np.einsum("nk,nkd->nd", share, cells.sides[cell])
    one, two = share[:, :1], share[:, 1:]
    corner = cells.normals[cell]
    normals = (1 - two) * ((1 - one) * corner[:, 0] + one * corner[:, 1]) + two * (
        (1 - one) * corner[:, 2] + one * corner[:, 3]
    )
    return points, normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-18), cell

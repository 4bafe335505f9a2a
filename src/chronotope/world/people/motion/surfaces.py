"""The surface of a thing, and the distance of points from it."""

from collections.abc import Iterable

import numpy as np
from scipy.spatial import KDTree

from chronotope.world.things.thing import Piece

SPACING = 0.003  # m, of the points that find the triangles near a place
MOST = 60_000  # points on a surface, at most
SAME = 0.0005  # m, points nearer than about this are one
BEYOND = 0.04  # m
NEAR = 8  # points near a place whose triangles are looked at


class Surface:
    """The surface of a thing, in the frame of the thing.

    ``triangles`` (F, 3, 3) m have the outward ``normals`` (F, 3). ``points`` (N, 3) m lie on them.
    """

    def __init__(self, pieces: Iterable[Piece]) -> None:
        triangles = np.concatenate([piece.vertices[piece.faces] for piece in pieces])
        normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
        areas = np.linalg.norm(normals, axis=1)
        solid = areas > 1e-12
        self.triangles, self.normals = triangles[solid], normals[solid] / areas[solid, None]
        spacing = max(SPACING, float(np.sqrt(areas.sum() / 2 / MOST)))
        spread, self._faces = _spread(self.triangles, spacing)
        self._tree = KDTree(spread)
        # On edges and corners, the side is that of the mean of the normals of all triangles that meet there.
        _, first, same = np.unique(
            np.round(spread / SAME).astype(np.int64), axis=0, return_index=True, return_inverse=True
        )
        self.points = spread[first]
        self._ways = np.zeros((len(first), 3))
        np.add.at(self._ways, same.ravel(), self.normals[self._faces])
        self._coarse = KDTree(self.points)

    def rough(self, points: np.ndarray) -> np.ndarray:
        """Return about the distances (...) m of points (..., 3) m: those from the nearest of ``points``.

        The side on which a point lies is that of the mean plane at the nearest point. Points farther than ``BEYOND``
        are that far outside.
        """
        distance, near = self._coarse.query(points, distance_upper_bound=BEYOND)
        far = ~np.isfinite(distance)
        distance, near = np.where(far, BEYOND, distance), np.where(far, 0, near)
        side = ((points - self.points[near]) * self._ways[near]).sum(-1)
        return np.where((side < 0) & ~far, -distance, distance)

    def distance(self, points: np.ndarray) -> np.ndarray:
        """Return the distances (...) m of points (..., 3) m from the surface; inside they are negative."""
        shape = points.shape[:-1]
        points = points.reshape(-1, 3)
        _, near = self._tree.query(points, k=NEAR)
        faces = self._faces[near]
        away = points[:, None] - _closest(points[:, None], self.triangles[faces])
        distances = np.linalg.norm(away, axis=-1)
        least = distances.min(1, keepdims=True)
        # Of triangles that are equally near, as at an edge, the one that faces the point most tells the side.
        facing = (away * self.normals[faces]).sum(-1)
        facing = np.where(distances <= least + 1e-6, facing, 0.0)
        side = np.take_along_axis(facing, np.abs(facing).argmax(1)[:, None], 1)[:, 0]
        return (least[:, 0] * np.where(side < 0, -1.0, 1.0)).reshape(shape)


def _spread(triangles: np.ndarray, spacing: float) -> tuple[np.ndarray, np.ndarray]:
    # Points (N, 3) on the triangles at most about ``spacing`` apart, and the triangle (N,) of each of them.
    sides = np.linalg.norm(triangles - np.roll(triangles, 1, axis=1), axis=-1).max(1)
    parts = np.maximum(1, np.ceil(sides / spacing)).astype(int)
    points: list[np.ndarray] = []
    faces: list[np.ndarray] = []
    for count in np.unique(parts):
        chosen = np.flatnonzero(parts == count)
        first, second = np.meshgrid(np.arange(count + 1), np.arange(count + 1), indexing="ij")
        inside = first + second <= count
        u, v = first[inside] / count, second[inside] / count
        shares = np.stack([1 - u - v, u, v], 1)
        points.append(np.einsum("nk,fkc->fnc", shares, triangles[chosen]).reshape(-1, 3))
        faces.append(np.repeat(chosen, len(shares)))
    return np.concatenate(points), np.concatenate(faces)


def _closest(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Return the closest points (..., 3) of triangles (..., 3, 3) to points (..., 3).

    The closest point lies in the triangle if the foot of the perpendicular does; otherwise it is the closest point of
    the three sides.
    """
    a, b, c = triangles[..., 0, :], triangles[..., 1, :], triangles[..., 2, :]
    best = _on_side(points, a, b)
    for start, end in ((b, c), (c, a)):
        other = _on_side(points, start, end)
        nearer = ((points - other) ** 2).sum(-1) < ((points - best) ** 2).sum(-1)
        best = np.where(nearer[..., None], other, best)
    ab, ac, ap = b - a, c - a, points - a
    d00, d01, d11 = (ab * ab).sum(-1), (ab * ac).sum(-1), (ac * ac).sum(-1)
    d20, d21 = (ap * ab).sum(-1), (ap * ac).sum(-1)
    scale = d00 * d11 - d01 * d01
    v, w = (d11 * d20 - d01 * d21) / scale, (d00 * d21 - d01 * d20) / scale
    inside = (v >= 0) & (w >= 0) & (v + w <= 1)
    return np.where(inside[..., None], a + v[..., None] * ab + w[..., None] * ac, best)


def _on_side(points: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    side = end - start
    share = np.clip(((points - start) * side).sum(-1) / (side * side).sum(-1), 0.0, 1.0)
    return start + share[..., None] * side

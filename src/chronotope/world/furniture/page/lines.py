"""Visible lines of meshes, from their depth and identity: outlines and sharp edges, without what is hidden."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from chronotope.world.furniture.page.view import View
from chronotope.world.things.mesh import Mesh

SHARP = np.cos(np.radians(30))
BEHIND = 0.004  # m: a line this far behind a surface is still on it
SHORTEST = 2.5  # px; shorter pieces of a line are specks
FAR = np.inf


@dataclass(frozen=True, eq=False)
class Line:
    """A visible piece of an edge, with ``points`` (2, 2) px. Behind an outline is the background or another part."""

    points: np.ndarray
    is_outline: bool


@dataclass(frozen=True, eq=False)
class Buffers:
    """The ``depth`` (H, W) m and the ``identity`` (H, W) of each pixel; the background is FAR and -1."""

    depth: np.ndarray
    identity: np.ndarray

    def shows(self, flat: np.ndarray, depth: np.ndarray) -> np.ndarray:
        """Return whether points are visible, from their pixels (N, 2) and depths (N,)."""
        high, wide = self.depth.shape
        x, y = np.floor(flat).astype(int).T
        seen = np.full(len(flat), -FAR)
        for dx in (-1, 0, 1):  # at a border, a pixel belongs to either side
            for dy in (-1, 0, 1):
                column, row = np.clip(x + dx, 0, wide - 1), np.clip(y + dy, 0, high - 1)
                seen = np.maximum(seen, self.depth[row, column])
        return depth <= seen + BEHIND


def rasterize(groups: Sequence[Sequence[Mesh]], view: View, size: tuple[int, int]) -> Buffers:
    """Draw the meshes of each group into buffers of ``size`` (width, height) px.

    The identity of a pixel is the number of the group, from 0.
    """
    wide, high = size
    depth, identity = np.full((high, wide), FAR), np.full((high, wide), -1)
    for number, meshes in enumerate(groups):
        for mesh in meshes:
            flat, away = view.flat(mesh.vertices), view.depth(mesh.vertices)
            for face in mesh.faces:
                _fill(flat[face], away[face], number, depth, identity)
    return Buffers(depth, identity)


def _fill(corners: np.ndarray, away: np.ndarray, number: int, depth: np.ndarray, identity: np.ndarray) -> None:
    """Draw one triangle, with corners (3, 2) px and depths (3,)."""
    first, second = corners[1] - corners[0], corners[2] - corners[0]
    area = first[0] * second[1] - first[1] * second[0]
    low = np.maximum(np.floor(corners.min(axis=0)).astype(int), 0)
    end = np.minimum(np.ceil(corners.max(axis=0)).astype(int) + 1, (depth.shape[1], depth.shape[0]))
    if abs(area) < 1e-9 or np.any(end <= low):
        return
    x = np.arange(low[0], end[0])[None] + 0.5 - corners[0, 0]
    y = np.arange(low[1], end[1])[:, None] + 0.5 - corners[0, 1]
    b = (x * second[1] - y * second[0]) / area
    c = (y * first[0] - x * first[1]) / area
    here = away[0] + b * (away[1] - away[0]) + c * (away[2] - away[0])
    window = (slice(low[1], end[1]), slice(low[0], end[0]))
    drawn = (b >= 0) & (c >= 0) & (b + c <= 1) & (here < depth[window])
    depth[window][drawn] = here[drawn]
    identity[window][drawn] = number


def visible_lines(mesh: Mesh, view: View, buffers: Buffers) -> Iterator[Line]:
    """Yield the visible pieces of the edges of a closed mesh."""
    for start, end, is_outline in _edges(mesh, view):
        yield from visible_pieces(np.stack([start, end]), view, buffers, is_outline)


def visible_pieces(way: np.ndarray, view: View, buffers: Buffers, is_outline: bool = False) -> Iterator[Line]:
    """Yield the visible pieces of a straight line between two points (2, 3) m."""
    flat, away = view.flat(way), view.depth(way)
    length = float(np.linalg.norm(flat[1] - flat[0]))
    if length < 0.5:
        return
    share = np.linspace(0, 1, max(3, int(np.ceil(length)) + 1))
    points = flat[0] + share[:, None] * (flat[1] - flat[0])
    shown = buffers.shows(points, away[0] + share * (away[1] - away[0]))
    change = np.flatnonzero(np.diff(np.concatenate([[0], shown.astype(int), [0]])))
    for first, last in zip(change[::2], change[1::2] - 1, strict=True):
        piece = points[[first, last]]
        if np.linalg.norm(piece[1] - piece[0]) >= min(SHORTEST, 0.8 * length):
            yield Line(piece, is_outline)


def _edges(mesh: Mesh, view: View) -> Iterator[tuple[np.ndarray, np.ndarray, bool]]:
    """Yield the ends (3,) of each sharp edge and of each edge of the outline.

    The third value states whether the edge is one of the outline.
    """
    points, which = np.unique(np.round(mesh.vertices, 6), axis=0, return_inverse=True)
    faces = which.reshape(-1)[mesh.faces]
    normals = np.cross(points[faces[:, 1]] - points[faces[:, 0]], points[faces[:, 2]] - points[faces[:, 0]])
    sizes = np.linalg.norm(normals, axis=1)
    faces, normals = faces[sizes > 1e-12], normals[sizes > 1e-12] / sizes[sizes > 1e-12, None]
    facing = normals @ view.axes[2] < 0
    sides: dict[tuple[int, int], list[int]] = {}
    for number, face in enumerate(faces.tolist()):
        for a, b in zip(face, (face[1], face[2], face[0]), strict=True):
            sides.setdefault((min(a, b), max(a, b)), []).append(number)
    for (a, b), found in sides.items():
        if len(found) != 2:
            yield points[a], points[b], True
            continue
        one, other = found
        is_outline = bool(facing[one] != facing[other])
        if is_outline or (facing[one] and normals[one] @ normals[other] < SHARP):
            yield points[a], points[b], is_outline

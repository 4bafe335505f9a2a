"""The bodies that cast the shadows of soft things: coarse, and a little smaller than what is seen.

A fine surface that casts a shadow on itself is speckled in slanted light. So a soft thing itself casts no shadow, but a
body hidden inside it does.
"""

from typing import Any

import numpy as np
from scipy.spatial import KDTree

from chronotope.world.rig import Joined, Weights
from chronotope.world.things.mesh import vertex_normals

GRAIN = 0.03  # m, distance between the vertices of a caster
INSET = 0.014  # m, by which a caster lies inside of what is seen
LEAST = 0.002  # m, least depth of all points of a face below what is seen
MOST_INSET = 0.6  # largest inset, as a share of the distance from the axis of a part
# Least part of the joints' shares that the corners of a face have in common. Other faces are stretched when the joints
# move, such as those of a skirt between two legs, and what lies behind them at rest comes through them then.
COMMON = 0.4
LEAST_LEVER = 0.3  # distance of a joint from the middle of its part, as a share of the mean distance of its vertices
UP = (0.0, 0.0, 1.0)  # axis of a part about its joint, such as hips
ROUNDS = 3  # in which the vertices are brought below the surface
# Points of a face, as shares of its corners, that must be below the surface: between the corners, it spans a hollow.
SPANS = (
    np.array([[1, 1, 1], [1.5, 1.5, 0], [0, 1.5, 1.5], [1.5, 0, 1.5], [2, 0.5, 0.5], [0.5, 2, 0.5], [0.5, 0.5, 2]]) / 3
)


def caster_of(surface: Joined, joints: np.ndarray) -> Joined:
    """Return the body that casts the shadow of a soft surface.

    ``joints`` (J, 3) m are the places of its joints at rest.
    """
    # Parts that different joints move are kept apart, such as two thighs that touch at rest.
    places = np.column_stack([np.floor(surface.vertices / GRAIN).astype(np.int64), _main(surface.weights)])
    cells = np.unique(places, axis=0, return_inverse=True)[1].ravel()
    count = int(cells.max()) + 1
    sizes = np.bincount(cells, minlength=count)
    vertices = np.stack([np.bincount(cells, surface.vertices[:, axis], count) / sizes for axis in range(3)], axis=1)
    dense = np.zeros((count, len(joints)))
    np.add.at(dense, (cells[:, None], surface.weights.bones), surface.weights.shares)
    faces = cells[surface.faces[_common(surface) >= COMMON]]
    is_flat = (faces[:, 0] == faces[:, 1]) | (faces[:, 1] == faces[:, 2]) | (faces[:, 2] == faces[:, 0])
    faces = np.unique(faces[~is_flat], axis=0)
    bones = np.argsort(-dense, axis=1, kind="stable")[:, : surface.weights.bones.shape[1]]
    shares = np.take_along_axis(dense, bones, axis=1)
    weights = Weights(bones, shares / shares.sum(axis=1, keepdims=True))
    outside = _Outside(surface, joints)
    vertices = outside.below(vertices)
    return Joined(vertices, faces[outside.is_below(vertices, faces)], weights)


def _common(surface: Joined) -> np.ndarray:
    """Return the part (F,) of the shares that the least alike corners of each face have in common."""
    bones, shares = surface.weights
    dense = np.zeros((len(bones), int(bones.max()) + 1))
    np.add.at(dense, (np.arange(len(bones))[:, None], bones), shares)
    first, second, third = dense[surface.faces].transpose(1, 0, 2)
    pairs = (first, second), (second, third), (third, first)
    return np.min([np.minimum(one, other).sum(axis=1) for one, other in pairs], axis=0)


def hide(geom: Any) -> None:
    """Make a geom of the engine's scene invisible; it still casts its shadow."""
    geom.matid, geom.transparent = -1, 1
    geom.rgba[3] = 0.0


class _Outside:
    """The outer side of a surface: its vertices (V, 3) m, their normals, and how far a caster lies below them."""

    def __init__(self, surface: Joined, joints: np.ndarray) -> None:
        away = _from_axes(surface, joints)
        distances = np.linalg.norm(away, axis=1)
        normals = vertex_normals(surface.vertices, surface.faces)
        # A cloth has two sides; the outer one looks away from the axis of its part.
        is_outer = np.einsum("vi,vi->v", normals, away) > 0
        self._places, self._normals = surface.vertices[is_outer], normals[is_outer]
        self._inset = np.minimum(INSET, MOST_INSET * distances[is_outer])
        self._tree = KDTree(self._places) if len(self._places) else None

    def below(self, vertices: np.ndarray) -> np.ndarray:
        """Move the vertices (V, 3) m of a caster below the surface."""
        if self._tree is None:
            return vertices
        for _ in range(ROUNDS):
            depth, nearest = self._depths(vertices)
            lack = np.maximum(self._inset[nearest] - depth, 0.0)
            vertices = vertices - lack[:, None] * self._normals[nearest]
        return vertices

    def is_below(self, vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
        """Find the faces (F,) that come through the surface nowhere, as between a collar and a neck."""
        if self._tree is None or not len(faces):
            return np.ones(len(faces), bool)
        points = np.einsum("kc,fci->fki", SPANS, vertices[faces])
        return self._depths(points.reshape(-1, 3))[0].reshape(len(faces), -1).min(axis=1) > LEAST

    def _depths(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return how far (N,) m points lie below the surface, and the nearest vertices."""
        assert self._tree is not None, "the surface has an outer side"
        nearest = np.asarray(self._tree.query(points)[1])
        return np.einsum("ni,ni->n", self._places[nearest] - points, self._normals[nearest]), nearest


def _main(weights: Weights) -> np.ndarray:
    """Return the joint (V,) that moves most of each vertex."""
    return weights.bones[np.arange(len(weights.bones)), weights.shares.argmax(axis=1)]


def _from_axes(surface: Joined, joints: np.ndarray) -> np.ndarray:
    """Return the ways (V, 3) m of vertices from the axis of the part that their joint moves."""
    main = _main(surface.weights)
    away = np.zeros_like(surface.vertices)
    for joint in np.unique(main):
        part = np.flatnonzero(main == joint)
        middle = surface.vertices[part].mean(axis=0)
        offsets = surface.vertices[part] - middle
        # A limb goes on from its joint. The longest side of a chest is from shoulder to shoulder, which is no axis.
        axis = middle - joints[joint]
        length = float(np.linalg.norm(axis))
        if length < LEAST_LEVER * float(np.linalg.norm(offsets, axis=1).mean()):
            axis, length = np.array(UP), 1.0
        away[part] = offsets - np.outer(offsets @ axis, axis) / length**2
    return away

"""The visible part of each thing in a frame: its pixels, their box, and the visible share of its surface."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import find_objects

from chronotope.world.film_set import Placement
from chronotope.world.rig import Rig, Weights, blend

POINTS = 240  # random points on the surface of each thing
GRAZING = 0.1  # least cosine between the line of sight and the normal of a surface that faces the camera


@dataclass(frozen=True, eq=False)
class Surface:
    """Points (N, 3) m on the surfaces of all things, in world coordinates.

    Each point has an outward normal (N, 3) and an identity (N,). ``local`` are points and normals in the thing's own
    coordinates; ``paths`` maps the identities of moving things to their poses (T, 4, 4). ``bodies`` has the points of
    articulated things.
    """

    points: np.ndarray
    normals: np.ndarray
    values: np.ndarray
    local: tuple[np.ndarray, np.ndarray]
    paths: dict[int, np.ndarray]
    bodies: dict[int, "_Articulated"]

    def at(self, frame: int) -> "Surface":
        """Return the surface at the poses of a frame."""
        if not self.paths and not self.bodies:
            return self
        points, normals = self.points.copy(), self.normals.copy()
        for value, path in self.paths.items():
            own, rotation = self.values == value, path[frame, :3, :3]
            points[own] = self.local[0][own] @ rotation.T + path[frame, :3, 3]
            normals[own] = self.local[1][own] @ rotation.T
        for value, body in self.bodies.items():
            own = self.values == value
            points[own], normals[own] = body.at(frame)
        return replace(self, points=points, normals=normals)


@dataclass(frozen=True, eq=False)
class _Articulated:
    """Points on the surface of an articulated thing: the corners (N, 3, 3) m of their triangles at rest.

    ``weights`` are the joints that move the corners, each (N, 3, K), and ``shares`` (N, 3) are the barycentric
    coordinates of the points.
    """

    rig: Rig
    corners: np.ndarray
    weights: Weights
    shares: np.ndarray

    def at(self, frame: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the points (N, 3) and their normals (N, 3) in a frame."""
        count = len(self.corners)
        flat = Weights(*(part.reshape(3 * count, -1) for part in self.weights))
        posed = blend(self.rig.transforms(frame), flat, self.corners.reshape(-1, 3)).reshape(count, 3, 3)
        normals = np.cross(posed[:, 1] - posed[:, 0], posed[:, 2] - posed[:, 0])
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
        return np.einsum("nc,nci->ni", self.shares, posed), normals


def sample_surfaces(generator: np.random.Generator, placements: Sequence[Placement]) -> Surface:
    """Spread points evenly over the surface of each placement."""
    points, normals, values, local = [], [], [], ([], [])
    bodies: dict[int, _Articulated] = {}
    for value, placement in enumerate(placements, 1):
        triangles = np.concatenate([piece.vertices[piece.faces] for piece in placement.thing.pieces])
        crossed = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
        doubled = np.linalg.norm(crossed, axis=1)
        chosen = generator.choice(len(triangles), POINTS, p=doubled / doubled.sum())
        u, v = np.sort(generator.uniform(0, 1, (2, POINTS)), axis=0)
        weights = np.stack([u, v - u, 1 - v], axis=1)
        if placement.rig is not None:
            joined = placement.rig.joined(placement.thing.pieces)
            corners = joined.faces[chosen]
            moved = Weights(joined.weights.bones[corners], joined.weights.shares[corners])
            bodies[value] = _Articulated(placement.rig, triangles[chosen], moved, weights)
        rotation, centre = placement.pose[:3, :3], placement.pose[:3, 3]
        local[0].append((weights[:, :, None] * triangles[chosen]).sum(axis=1))
        local[1].append(crossed[chosen] / doubled[chosen, None])
        points.append(local[0][-1] @ rotation.T + centre)
        normals.append(local[1][-1] @ rotation.T)
        values.append(np.full(POINTS, value))
    paths = {
        value: placement.path
        for value, placement in enumerate(placements, 1)
        if placement.path is not None and placement.rig is None
    }
    own = np.concatenate(local[0]), np.concatenate(local[1])
    return Surface(np.concatenate(points), np.concatenate(normals), np.concatenate(values), own, paths, bodies)


def pixels_of(identities: np.ndarray, count: int) -> np.ndarray:
    """Count the pixels (count,) of identities (H, W) that show each thing."""
    return np.bincount(identities.ravel(), minlength=count + 1)[1 : count + 1]


def boxes_of(identities: np.ndarray, count: int) -> np.ndarray:
    """Return the box x0 y0 x1 y1 (px) around each thing.

    The result is (count, 4), with NaN for things that are not visible.
    """
    boxes = np.full((count, 4), np.nan)
    for index, found in enumerate(find_objects(identities, max_label=count)):
        if found is not None:
            rows, columns = found
            boxes[index] = columns.start, rows.start, columns.stop - 1, rows.stop - 1
    return boxes


def fractions_seen(
    surface: Surface, identities: np.ndarray, pose: np.ndarray, intrinsics: np.ndarray, pixels: np.ndarray
) -> np.ndarray:
    """Return the visible share (count,) of each thing's surface.

    The share is relative to the surface that faces the camera. Parts behind other things and outside the picture are
    not visible. Parts that are hidden only by the same thing count as visible. The share is zero if no part of the
    thing faces the camera. ``pixels`` (count,) has the number of pixels of each thing.
    """
    own = np.flatnonzero(np.concatenate([[False], pixels > 0])[surface.values])  # a frame shows few things
    values, offset = surface.values[own], surface.points[own] - pose[:3, 3]
    towards = -np.einsum("ij,ij->i", offset, surface.normals[own])
    facing = towards > GRAZING * np.sqrt(np.einsum("ij,ij->i", offset, offset))
    values, camera = values[facing], offset[facing] @ pose[:3, :3]
    with np.errstate(divide="ignore", invalid="ignore"):
        places = (camera / camera[:, 2:]) @ intrinsics[:2].T
    columns, rows = np.rint(np.nan_to_num(places, posinf=-1, neginf=-1)).astype(np.int64).T
    height, width = identities.shape
    inside = (camera[:, 2] > 0) & (columns >= 0) & (columns < width) & (rows >= 0) & (rows < height)
    shown = values[inside][identities[rows[inside], columns[inside]] == values[inside]]
    total = np.bincount(values, minlength=len(pixels) + 1)[1:]
    seen = np.bincount(shown, minlength=len(pixels) + 1)[1:]
    return np.divide(seen, total, out=np.zeros(len(pixels)), where=total > 0)

"""The body of an articulated thing in a recording, and the box around its whole motion."""

from contextlib import suppress
from dataclasses import replace

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from chronotope.recording import Body, Entity
from chronotope.world.film_set import Placement
from chronotope.world.rig import Joined, Rig, Weights, blend

DIGITS = 6  # lengths are rounded to micrometres, because smaller digits are noise
WEIGHT_DIGITS = 6
SAME = 0.005  # m; a motion that makes the box larger by less does not change it


def with_body(entity: Entity, placement: Placement, rig: Rig) -> Entity:
    """Add the body of an articulated thing to its entity.

    The poses of the entity are those of the thing, moved to the middle of the box around the whole motion.
    """
    joined = rig.joined(placement.thing.pieces)
    frames = len(rig.path)
    poses = placement.poses if len(placement.poses) > 1 else np.repeat(placement.pose[None], frames, axis=0)
    low, high = _extent(joined, rig, poses)
    shift = np.eye(4)
    shift[:3, 3] = np.round((low + high) / 2, DIGITS)
    length, width, height = np.round(high - low, DIGITS).tolist()
    body = Body(
        joints=rig.joints,
        vertices=np.round(joined.vertices, DIGITS),
        faces=joined.faces,
        bones=joined.weights.bones,
        weights=np.round(joined.weights.shares, WEIGHT_DIGITS),
        rest=rig.rest,
        poses=rig.path,
    )
    found = replace(entity, poses=placement.poses @ shift, size=(length, width, height), size_range=None, body=body)
    if np.abs(np.subtract(found.size, placement.thing.size)).max() <= SAME:
        return replace(found, size_range=entity.size_range)
    return replace(found, attributes=entity.attributes | {"box": "unclear"})  # no one frame shows this box


def _extent(joined: Joined, rig: Rig, poses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest and the highest corner (3,) of the whole motion, in the frame of the thing."""
    outer = _outermost(joined)
    weights = Weights(joined.weights.bones[outer], joined.weights.shares[outer])
    vertices = joined.vertices[outer]
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for frame, pose in enumerate(poses):
        posed = blend(np.linalg.inv(pose) @ rig.transforms(frame), weights, vertices)
        low, high = np.minimum(low, posed.min(axis=0)), np.maximum(high, posed.max(axis=0))
    return low, high


def _outermost(joined: Joined) -> np.ndarray:
    """Return the indices of the vertices that can be on the box.

    The corners of the box are among the corners of the convex hulls of the parts that each joint moves most.
    """
    most = joined.weights.bones[np.arange(len(joined.vertices)), joined.weights.shares.argmax(axis=1)]
    found = []
    for joint in np.unique(most):
        part = np.flatnonzero(most == joint)
        with suppress(QhullError):  # a flat part, or one of few vertices, has no hull
            part = part[ConvexHull(joined.vertices[part]).vertices]
        found.append(part)
    return np.sort(np.concatenate(found))

"""Measure boxes: sides, distances, directions. Arrays in, values out."""

from dataclasses import dataclass

import numpy as np

from chronotope.families.sti.refusal import Code
from chronotope.geometry import Box, bearing, box_distance, heading, rotation_from_vector, sector, wrap_angle
from chronotope.question import Refused

__all__ = [
    "MOUNTS",
    "SECTORS",
    "Direction",
    "direction_of",
    "euler_angles",
    "extents",
    "gap",
    "gap_of_points",
    "heading_in_view",
    "level_axes",
    "mount_of",
    "nearest_point",
    "sector_of",
    "sides",
]

STEEPEST_VIEW = np.radians(75)  # above which a level frame of the camera has no forward

# Words for the negative and the positive side of each axis of the camera: x right, y down, z away.
_WORDS = (("Left", "Right"), ("Up", "Down"), ("Front", "Back"))

MOUNTS = ("Front", "Front-Left", "Front-Right", "Left", "Right")
SECTORS = ("Front", "Front-Left", "Left", "Back-Left", "Back", "Back-Right", "Right", "Front-Right")
BORDER = np.radians(5)  # nearer to the border of two sectors nothing is decided


def sides(box: Box, up: np.ndarray, tolerance: float) -> tuple[float, float, float]:
    """Measure length, width and height (m) of a box.

    Length and width are the longer and the shorter horizontal side; height is the side along up (3,).

    Raises:
        Refused: If the box leans so much that its top exceeds that side by more than the tolerance (m).
    """
    along = np.abs(box.rotation.T @ up)
    upright = int(np.argmax(along))
    if along @ box.size - box.size[upright] > tolerance:
        raise Refused(Code.AMBIGUOUS_AXIS)
    shorter, longer = sorted(float(side) for axis, side in enumerate(box.size) if axis != upright)
    return longer, shorter, float(box.size[upright])


def gap(a: Box, b: Box, round_a: bool, round_b: bool, tolerance: float) -> float:
    """Return the smallest distance (m) between two boxes, zero if they touch.

    A round thing's box may have any rotation about its z axis. The distance is refused if such a rotation changes it by
    more than the tolerance (m), because the rotation is not visible.
    """
    found = [box_distance(x, y) for x in _turns(a, round_a) for y in _turns(b, round_b)]
    if max(found) - min(found) > tolerance:
        raise Refused(Code.SYMMETRIC_OBJECT)
    return found[0]


def gap_of_points(points_a: np.ndarray, a: Box, points_b: np.ndarray, b: Box) -> float:
    """Measure the smallest distance (m) between two scanned things.

    Each is given by points (N, 3) m in the frame of its box.
    """
    from scipy.spatial import KDTree  # half a second that most builds need not pay

    here, there = (box.centre + points @ box.rotation.T for points, box in ((points_a, a), (points_b, b)))
    return float(KDTree(here).query(there)[0].min())


def _turns(box: Box, is_round: bool) -> list[Box]:
    """Return a box in each equally valid rotation.

    The box of a round thing is also rotated by 22.5°, 45° and 67.5°.
    """
    angles = np.radians([0.0, 22.5, 45.0, 67.5] if is_round else [0.0])
    turned = rotation_from_vector(angles[:, None] * np.array([0.0, 0.0, 1.0]))
    return [Box(box.centre, box.size, box.rotation @ turn) for turn in turned]


def nearest_point(box: Box) -> float:
    """Return the distance (m) from the origin to a box."""
    outside = np.maximum(np.abs(box.rotation.T @ box.centre) - box.size / 2, 0.0)
    return float(np.linalg.norm(outside))


def extents(box: Box) -> np.ndarray:
    """Measure how far (3,) m a box reaches along its outer axes.

    It is measured from the box's centre.
    """
    return np.abs(box.rotation) @ (box.size / 2)


@dataclass(frozen=True)
class Direction:
    """The word for the place of one thing relative to another.

    ``nearly`` has words that are almost as true, the best first.
    """

    word: str
    nearly: tuple[str, ...]


def direction_of(offset: np.ndarray, reach: np.ndarray, factor: float) -> Direction | None:
    """Determine the place of a thing relative to another.

    Its centre is ``offset`` (3,) m from the other's, in axes x right, y down, z away. ``reach`` (3,) m is half the sum
    of both extents. None unless the largest component is more than ``factor`` times the second largest and at least as
    large as the reach along its axis. Words of axes with at least half the largest component are almost true.
    """
    strength = np.abs(offset)
    first, second, third = np.argsort(-strength, kind="stable")
    if strength[first] <= factor * strength[second] or strength[first] < reach[first]:
        return None
    words = [_WORDS[axis][int(offset[axis] > 0)] for axis in range(3)]
    nearly = (words[axis] for axis in (second, third) if strength[axis] >= strength[first] / 2)
    return Direction(words[first], tuple(nearly))


def level_axes(world_T_camera: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Return the rotation (3, 3) from the world to level camera axes.

    They are x right, y along gravity, z forward and horizontal, as seen by the camera.

    Raises:
        Refused: If the camera looks too steeply for that.
    """
    looks = world_T_camera[:3, 2]
    if abs(np.arcsin(np.clip(looks @ up, -1, 1))) > STEEPEST_VIEW:
        raise Refused(Code.DEGENERATE_VIEW)
    ahead = looks - (looks @ up) * up
    ahead /= np.linalg.norm(ahead)
    return np.stack([np.cross(-up, ahead), -up, ahead])


def euler_angles(rotation: np.ndarray) -> np.ndarray:
    """Convert rotations (..., 3, 3) to yaw, pitch, roll (..., 3) rad.

    R = Rz(yaw) Ry(pitch) Rx(roll).
    """
    yaw = np.arctan2(rotation[..., 1, 0], rotation[..., 0, 0])
    pitch = np.arcsin(np.clip(-rotation[..., 2, 0], -1.0, 1.0))
    roll = np.arctan2(rotation[..., 2, 1], rotation[..., 2, 2])
    return np.stack([yaw, pitch, roll], axis=-1)


def mount_of(vehicle_T_camera: np.ndarray) -> str:
    """Determine in which direction a camera looks from its vehicle.

    It is the nearest of five directions; the vehicle has x forward, y left, z up.

    Raises:
        Refused: If it looks backwards, or near the border of two directions.
    """
    word = sector_of(vehicle_T_camera[:3, 2], np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]))
    if word not in MOUNTS:
        raise Refused(Code.AMBIGUOUS_AXIS)
    return word


def sector_of(offset: np.ndarray, ahead: np.ndarray, up: np.ndarray) -> str:
    """Determine the sector of 45° of an offset (3,).

    Sectors are about up, counted from ``ahead``.

    Raises:
        Refused: If it lies within 5° of a border.
    """
    word, margin = sector(float(bearing(offset, ahead, up)), SECTORS)
    if margin < BORDER:
        raise Refused(Code.AMBIGUOUS_AXIS)
    return word


def heading_in_view(rotation: np.ndarray, camera: np.ndarray, up: np.ndarray) -> float:
    """Measure a box's heading relative to the camera's view.

    It is the angle about the up axis from the camera's viewing direction to the box's x axis, rad in (-pi, pi], left
    positive. ``rotation`` (3, 3) and ``camera`` (4, 4) are in the world.

    Raises:
        Refused: If the camera looks too steeply.
    """
    if abs(np.arcsin(np.clip(camera[:3, 2] @ up, -1, 1))) > STEEPEST_VIEW:
        raise Refused(Code.DEGENERATE_VIEW)
    return float(wrap_angle(heading(rotation[:, 0], up) - heading(camera[:3, 2], up)))

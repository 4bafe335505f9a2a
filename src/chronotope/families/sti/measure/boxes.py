"""Measurements of boxes: sides, distances and directions."""

from dataclasses import dataclass

import numpy as np

from chronotope.families.sti.refusal import Code
from chronotope.geometry import Box, bearing, box_distance, heading, rotation_from_vector, sector, wrap_angle
from chronotope.question import Refused

STEEPEST_VIEW = np.radians(75)  # rad; maximum angle between the viewing direction and the horizontal

# Words for the negative and the positive side of each axis of the camera: x right, y down, z away.
_WORDS = (("Left", "Right"), ("Up", "Down"), ("Front", "Back"))

MOUNTS = ("Front", "Front-Left", "Front-Right", "Left", "Right")
SECTORS = ("Front", "Front-Left", "Left", "Back-Left", "Back", "Back-Right", "Right", "Front-Right")
BORDER = np.radians(5)  # rad; a vector nearer than this angle to a border of its sector is refused


def sides(box: Box, up: np.ndarray, tolerance: float) -> tuple[float, float, float]:
    """Measure length, width and height (m) of a box.

    Length is the longer horizontal side, width the shorter horizontal side, and height the side along ``up`` (3,).

    Raises:
        Refused: If the vertical extent of the tilted box exceeds its height by more than ``tolerance`` (m).
    """
    along = np.abs(box.rotation.T @ up)
    upright = int(np.argmax(along))
    if along @ box.size - box.size[upright] > tolerance:
        raise Refused(Code.AMBIGUOUS_AXIS)
    shorter, longer = sorted(float(side) for axis, side in enumerate(box.size) if axis != upright)
    return longer, shorter, float(box.size[upright])


def gap(a: Box, b: Box, round_a: bool, round_b: bool, tolerance: float) -> float:
    """Measure the smallest distance (m) between two boxes; 0 if they touch.

    The rotation of a round thing about its z axis is not visible, so its box may have any such rotation.

    Raises:
        Refused: If such a rotation changes the distance by more than ``tolerance`` (m).
    """
    found = [box_distance(x, y) for x in _turns(a, round_a) for y in _turns(b, round_b)]
    if max(found) - min(found) > tolerance:
        raise Refused(Code.SYMMETRIC_OBJECT)
    return found[0]


def gap_of_points(points_a: np.ndarray, a: Box, points_b: np.ndarray, b: Box) -> float:
    """Measure the smallest distance (m) between two scanned things.

    Each thing is given by points (N, 3) in m, in the coordinates of its box.
    """
    from scipy.spatial import KDTree  # imported late: takes half a second, and few builds need it

    here, there = (box.centre + points @ box.rotation.T for points, box in ((points_a, a), (points_b, b)))
    return float(KDTree(here).query(there)[0].min())


def _turns(box: Box, is_round: bool) -> list[Box]:
    """Return a box in all rotations that are equally valid.

    For a round thing, these are the box itself and its rotations by 22.5°, 45° and 67.5°.
    """
    angles = np.radians([0.0, 22.5, 45.0, 67.5] if is_round else [0.0])
    turned = rotation_from_vector(angles[:, None] * np.array([0.0, 0.0, 1.0]))
    return [Box(box.centre, box.size, box.rotation @ turn) for turn in turned]


def nearest_point(box: Box) -> float:
    """Return the distance (m) from the origin to a box."""
    outside = np.maximum(np.abs(box.rotation.T @ box.centre) - box.size / 2, 0.0)
    return float(np.linalg.norm(outside))


def extents(box: Box) -> np.ndarray:
    """Measure the extents (3,) m of a rotated box from its centre.

    The extents are measured along the coordinate axes of ``box``.
    """
    return np.abs(box.rotation) @ (box.size / 2)


@dataclass(frozen=True)
class Direction:
    """The word for the direction from one thing to another.

    ``nearly`` lists other words that are almost correct, the best word first.
    """

    word: str
    nearly: tuple[str, ...]


def direction_of(offset: np.ndarray, reach: np.ndarray, factor: float) -> Direction | None:
    """Determine the direction from one thing to another.

    ``offset`` (3,) m is the vector between the centres, in the axes x right, y down, z away from the camera. ``reach``
    (3,) m is half the sum of the extents of both things. The largest component of ``offset`` gives the word. The result
    is None if the largest component is at most ``factor`` times the second largest component. The result is also None
    if the largest component is smaller than ``reach`` along the same axis. The word of another axis is almost correct
    if its component is at least half the largest component.
    """
    strength = np.abs(offset)
    first, second, third = np.argsort(-strength, kind="stable")
    if strength[first] <= factor * strength[second] or strength[first] < reach[first]:
        return None
    words = [_WORDS[axis][int(offset[axis] > 0)] for axis in range(3)]
    nearly = (words[axis] for axis in (second, third) if strength[axis] >= strength[first] / 2)
    return Direction(words[first], tuple(nearly))


def level_axes(world_T_camera: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Return the rotation (3, 3) from world axes to level camera axes.

    The level camera axes are x to the camera's right, y along gravity, and z horizontal in the direction that the
    camera faces.

    Raises:
        Refused: If the camera faces up or down too steeply.
    """
    looks = world_T_camera[:3, 2]
    if abs(np.arcsin(np.clip(looks @ up, -1, 1))) > STEEPEST_VIEW:
        raise Refused(Code.DEGENERATE_VIEW)
    ahead = looks - (looks @ up) * up
    ahead /= np.linalg.norm(ahead)
    return np.stack([np.cross(-up, ahead), -up, ahead])


def euler_angles(rotation: np.ndarray) -> np.ndarray:
    """Convert rotations (..., 3, 3) to yaw, pitch, roll (..., 3) rad.

    The rotation R is Rz(yaw) Ry(pitch) Rx(roll), where Rx, Ry and Rz are rotations about the three axes.
    """
    yaw = np.arctan2(rotation[..., 1, 0], rotation[..., 0, 0])
    pitch = np.arcsin(np.clip(-rotation[..., 2, 0], -1.0, 1.0))
    roll = np.arctan2(rotation[..., 2, 1], rotation[..., 2, 2])
    return np.stack([yaw, pitch, roll], axis=-1)


def mount_of(vehicle_T_camera: np.ndarray) -> str:
    """Determine the direction in which a vehicle's camera faces.

    The result is the nearest of five directions. The vehicle's axes are x forward, y left, z up.

    Raises:
        Refused: If the camera faces backwards, or its direction is near the border of two directions.
    """
    word = sector_of(vehicle_T_camera[:3, 2], np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]))
    if word not in MOUNTS:
        raise Refused(Code.AMBIGUOUS_AXIS)
    return word


def sector_of(offset: np.ndarray, ahead: np.ndarray, up: np.ndarray) -> str:
    """Determine the sector, one of eight, of a vector ``offset`` (3,).

    Each sector is an angle of 45° about ``up``. The first sector is centred on ``ahead``.

    Raises:
        Refused: If the vector is within 5° of the border of two sectors.
    """
    word, margin = sector(float(bearing(offset, ahead, up)), SECTORS)
    if margin < BORDER:
        raise Refused(Code.AMBIGUOUS_AXIS)
    return word


def heading_in_view(rotation: np.ndarray, camera: np.ndarray, up: np.ndarray) -> float:
    """Measure a box's heading (rad) relative to the camera's view.

    The heading is the angle about ``up`` from the camera's viewing direction to the box's x axis. The angle is in
    (-pi, pi], and positive to the left. ``rotation`` (3, 3) is world_R_box, and ``camera`` (4, 4) is world_T_camera.

    Raises:
        Refused: If the camera faces up or down too steeply.
    """
    if abs(np.arcsin(np.clip(camera[:3, 2] @ up, -1, 1))) > STEEPEST_VIEW:
        raise Refused(Code.DEGENERATE_VIEW)
    return float(wrap_angle(heading(rotation[:, 0], up) - heading(camera[:3, 2], up)))

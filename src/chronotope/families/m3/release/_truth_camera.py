"""The camera: convert the simulator's trajectory to poses of the recording.

The simulator's axes are left-handed: x right, y up, z forward. The recording's world is right-handed with z up, and its
(x, y, z) is (x, z, y) of the simulator; swapping two axes also changes the handedness. Yaw is 0 along the simulator's
+z (the world's +y) and grows clockwise seen from above, towards +x; a positive pitch looks down. So a camera with yaw a
and pitch b looks along (sin a cos b, cos a cos b, -sin b), and its right-hand direction is (cos a, -sin a, 0). The
logged position is that of the camera itself; if its height is missing, the eye height is used.
"""

import numpy as np

from chronotope.families.m3.release._truth_files import Point, Step
from chronotope.geometry import as_pose

__all__ = ["EYE_HEIGHT", "FIELD_OF_VIEW", "intrinsics", "poses", "true_yaws", "world_point"]

EYE_HEIGHT = 1.576  # m, where the trajectory tells no height
FIELD_OF_VIEW = 120.0  # degrees, vertical, where the trajectory tells none
_MOVED, _TURNED = 1e-3, 0.1  # m and degrees: less is the noise of the simulator


def world_point(point: Point, height: float = 0.0) -> tuple[float, float, float]:
    """Convert a point of the simulator to the world.

    ``height`` (m) is used if it has none.
    """
    return point.x, point.z, height if point.y is None else point.y


def true_yaws(steps: list[Step]) -> tuple[np.ndarray, bool]:
    """Return the yaw (N,) of each step's frame in degrees.

    It is NaN if unknown. The second value says whether the log is one step late: the authors' pipeline logs the yaw
    before the turn. A step either moves or turns. A log is late if some step does both, but no step does after each
    takes the yaw of the next; a log that names its actions is never late. The last step of a late log keeps its own yaw
    if it moved; if it turned, its yaw is unknown.
    """
    yaw = np.array([step.yaw for step in steps], float)
    if len(steps) < 2 or any(step.action is not None for step in steps):
        return yaw, False
    places = np.array([world_point(step.position, EYE_HEIGHT) for step in steps])
    moved = np.linalg.norm(np.diff(places, axis=0), axis=1) > _MOVED
    if not (moved & _turns(yaw)).any():
        return yaw, False
    later = np.append(yaw[1:], yaw[-1])
    if (moved & _turns(later)).any():
        return yaw, False
    later[-1] = yaw[-1] if moved[-1] else np.nan
    return later, True


def _turns(yaw: np.ndarray) -> np.ndarray:
    """Return between which of the yaws (N,) the camera turned, (N-1,) bool."""
    return np.abs((np.diff(yaw) + 180) % 360 - 180) > _TURNED


def poses(steps: list[Step], yaws: np.ndarray) -> np.ndarray:
    """Compute world_T_camera (N, 4, 4), camera axes OpenCV, of steps.

    Their yaws (N,) are in degrees; NaN gives NaN.
    """
    a, b = np.radians(yaws), np.radians([step.pitch for step in steps])
    right = np.stack([np.cos(a), -np.sin(a), np.zeros_like(a)], axis=-1)
    forward = np.stack([np.sin(a) * np.cos(b), np.cos(a) * np.cos(b), -np.sin(b)], axis=-1)
    rotation = np.stack([right, np.cross(forward, right), forward], axis=-1)
    made = as_pose(rotation, np.array([world_point(step.position, EYE_HEIGHT) for step in steps]))
    made[~np.isfinite(yaws)] = np.nan
    return made


def intrinsics(step: Step, width: int, height: int) -> np.ndarray:
    """Return the camera matrix (3, 3) px.

    Both axes have the same focal length; the principal point is the picture's centre.
    """
    focal = height / 2 / np.tan(np.radians(step.fov or FIELD_OF_VIEW) / 2)
    return np.array([[focal, 0.0, (width - 1) / 2], [0.0, focal, (height - 1) / 2], [0.0, 0.0, 1.0]])

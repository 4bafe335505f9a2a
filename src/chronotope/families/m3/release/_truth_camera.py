"""Conversion of the simulator's camera trajectory to the poses of a recording.

The simulator's axes are left-handed: x right, y up, z forward. The recording's world is right-handed with z up. The
recording's coordinates (x, y, z) are the simulator's (x, z, y), because swapping two axes also changes the handedness.
Yaw is 0 along the simulator's +z, which is the world's +y. Seen from above, yaw grows clockwise, towards +x. With a
positive pitch the camera faces down. In the world, a camera with yaw a and pitch b faces the direction (sin a cos b,
cos a cos b, -sin b), and the direction to its right is (cos a, -sin a, 0). The log contains the position of the camera
itself. If the log has no height, ``EYE_HEIGHT`` is used.
"""

import numpy as np

from chronotope.families.m3.release._truth_files import Point, Step
from chronotope.geometry import as_pose

EYE_HEIGHT = 1.576  # m, used if the trajectory has no height
FIELD_OF_VIEW = 120.0  # degrees, vertical, used if the trajectory has no field of view
_MOVED, _TURNED = 1e-3, 0.1  # m and degrees; minimum motion: smaller changes are noise of the simulator


def world_point(point: Point, height: float = 0.0) -> tuple[float, float, float]:
    """Convert a point from the simulator's axes to the world's axes (m).

    If the point has no height, ``height`` (m) is used.
    """
    return point.x, point.z, height if point.y is None else point.y


def true_yaws(steps: list[Step]) -> tuple[np.ndarray, bool]:
    """Return the yaw (N,) in degrees at the frame of each step.

    The second value is true if the yaw in the log is one step late. The authors' pipeline writes the yaw to the log
    before the turn, so each line has the yaw of the previous frame. A late log can be recognised because no real step
    both moves and turns the camera. The function compares two assumptions: the yaw of a line belongs to this line's
    step, or to the previous step. The log is late if a step both moves and turns the camera under the first assumption,
    but no step does both under the second assumption. A log that names its actions is never late. In a late log, the
    last step keeps its own yaw if the camera moved; otherwise its yaw is unknown (NaN).
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
    """Check which successive yaws (N,) differ by a turn; return (N-1,) bool."""
    return np.abs((np.diff(yaw) + 180) % 360 - 180) > _TURNED


def poses(steps: list[Step], yaws: np.ndarray) -> np.ndarray:
    """Compute world_T_camera (N, 4, 4) of steps, in OpenCV camera axes.

    ``yaws`` (N,) are in degrees. If the yaw of a step is NaN, its pose is NaN.
    """
    a, b = np.radians(yaws), np.radians([step.pitch for step in steps])
    right = np.stack([np.cos(a), -np.sin(a), np.zeros_like(a)], axis=-1)
    forward = np.stack([np.sin(a) * np.cos(b), np.cos(a) * np.cos(b), -np.sin(b)], axis=-1)
    rotation = np.stack([right, np.cross(forward, right), forward], axis=-1)
    made = as_pose(rotation, np.array([world_point(step.position, EYE_HEIGHT) for step in steps]))
    made[~np.isfinite(yaws)] = np.nan
    return made


def intrinsics(step: Step, width: int, height: int) -> np.ndarray:
    """Compute the camera matrix (3, 3) in px for a step.

    Both axes have the same focal length, and the principal point is the centre of the picture.
    """
    focal = height / 2 / np.tan(np.radians(step.fov or FIELD_OF_VIEW) / 2)
    return np.array([[focal, 0.0, (width - 1) / 2], [0.0, focal, (height - 1) / 2], [0.0, 0.0, 1.0]])

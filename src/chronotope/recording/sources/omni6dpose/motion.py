"""The camera's motion, computed from the poses of things that do not move (as in STI-Bench).

A thing that is seen in frames 0 and k gives the camera's motion between the two frames: c0_T_ck is c0_T_thing *
inverse(ck_T_thing). In this formula, c0_T_thing and ck_T_thing are the poses of the thing in the two cameras. If
several things are seen, their results are averaged, positions and rotations separately. The world coordinates are the
coordinates of the camera in the first frame with a known thing. If a thing is not seen in this frame, its pose is
computed from frames whose camera pose is already known.
"""

from dataclasses import dataclass

import numpy as np

from chronotope.geometry import as_pose, invert, project_to_so3, rotation_angle

_CANDIDATES = 50  # number of poses from which the medoid is chosen
_NEAR = np.radians(5)  # rad, largest angle between the medoid and a rotation that is averaged


@dataclass(frozen=True, eq=False)
class Motion:
    """The camera poses world_T_camera (T, 4, 4), and the agreement between the things.

    A pose is NaN if no thing determines it. ``reference`` is the frame whose camera defines the world coordinates.
    ``frames`` is the number of frames with several things. ``metres`` and ``radians`` measure the disagreement between
    the camera poses from different things. Both values are medians over the frames with several things. In each such
    frame, the disagreement is the root mean square difference of the camera poses from their mean.
    """

    world_T_camera: np.ndarray  # noqa: N815
    reference: int
    frames: int
    metres: float
    radians: float


def camera_motion(camera_T_things: np.ndarray) -> Motion:
    """Compute the camera's motion from things that do not move.

    ``camera_T_things`` are the poses of the things (things, T, 4, 4), NaN if unknown. At least one pose must be
    known.
    """
    known = np.asarray(np.isfinite(camera_T_things).all(axis=(2, 3)))
    reference = int(np.argmax(known.any(axis=0)))
    world_T_things = camera_T_things[:, reference].copy()
    while True:
        placed = np.asarray(np.isfinite(world_T_things).all(axis=(1, 2)))
        told = known & placed[:, None]
        votes = [world_T_things[told[:, k]] @ invert(camera_T_things[told[:, k], k]) for k in range(known.shape[1])]
        cameras = np.array([_mean(poses) if len(poses) else np.full((4, 4), np.nan) for poses in votes])
        seen = np.asarray(np.isfinite(cameras).all(axis=(1, 2)))
        new = [thing for thing in np.flatnonzero(~placed) if (known[thing] & seen).any()]
        if not new:
            break
        for thing in new:
            at = known[thing] & seen
            world_T_things[thing] = middle_pose(cameras[at] @ camera_T_things[thing, at])
    several = [(poses, mean) for poses, mean in zip(votes, cameras, strict=True) if len(poses) > 1]
    apart = np.array([_apart(poses, mean) for poses, mean in several]).reshape(-1, 2)
    metres, radians = np.median(apart, axis=0) if len(apart) else (0.0, 0.0)
    return Motion(cameras, reference, len(several), float(metres), float(radians))


def middle_pose(poses: np.ndarray) -> np.ndarray:
    """Average the measured poses (N, 4, 4) of a thing at rest.

    The result is one pose (4, 4) and is robust against a few outliers. The position of the result is the median
    position. The rotation of the result is the mean of the rotations near the medoid. Rotations far from the medoid
    are ignored, because the measured rotation of a thing with several equal sides can jump between these sides.
    """
    rotations = poses[:, :3, :3]
    chosen = rotations[np.unique(np.linspace(0, len(poses) - 1, _CANDIDATES).astype(int))]
    away = rotation_angle(np.swapaxes(chosen, -1, -2)[:, None] @ chosen[None])
    centre = chosen[int(np.argmin(away.sum(axis=1)))]
    near = rotations[rotation_angle(centre.T @ rotations) <= _NEAR]
    return as_pose(project_to_so3(near.mean(axis=0)), np.median(poses[:, :3, 3], axis=0))


def _mean(poses: np.ndarray) -> np.ndarray:
    return as_pose(project_to_so3(poses[:, :3, :3].mean(axis=0)), poses[:, :3, 3].mean(axis=0))


def _apart(poses: np.ndarray, mean: np.ndarray) -> tuple[float, float]:
    """Return the root mean square difference of poses from their mean.

    The result is a distance (m) and an angle (rad).
    """
    metres = np.linalg.norm(poses[:, :3, 3] - mean[:3, 3], axis=1)
    angles = rotation_angle(mean[:3, :3].T @ poses[:, :3, :3])
    return float(np.sqrt((metres**2).mean())), float(np.sqrt((angles**2).mean()))

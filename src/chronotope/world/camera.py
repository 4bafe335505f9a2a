"""Cameras: their poses and their optics."""

import numpy as np
from numpy.typing import ArrayLike


def look_at(positions: np.ndarray, targets: np.ndarray, right: ArrayLike | None = None) -> np.ndarray:
    """Return poses world_T_camera (T, 4, 4) of cameras at positions that face targets, both (T, 3) m.

    The cameras are level. A camera that looks straight down has no level side: then ``right`` (3,) or (T, 3) is the
    direction in the world to the right of the picture.

    Raises:
        ValueError: If a camera looks straight up or down, or along ``right``.
    """
    forward = targets - positions
    forward /= np.linalg.norm(forward, axis=1, keepdims=True)
    if right is None:
        side = np.cross(forward, [0.0, 0.0, 1.0])
    else:
        side = np.asarray(right, float) - forward * (forward * right).sum(axis=1, keepdims=True)
    lengths = np.linalg.norm(side, axis=1, keepdims=True)
    if (lengths < 1e-6).any():
        raise ValueError("a camera looks straight up or down, or along its right side: state another right side")
    side /= lengths
    poses = np.tile(np.eye(4), (len(positions), 1, 1))
    poses[:, :3] = np.stack([side, np.cross(forward, side), forward, positions], axis=2)
    return poses


def intrinsics_of(field_of_view: float, width: int, height: int) -> np.ndarray:
    """Make the intrinsics (3, 3) px of a camera.

    The intrinsics are computed from the vertical field of view (degrees) and the size of the picture (px).
    """
    focal = height / 2 / np.tan(np.radians(field_of_view) / 2)
    return np.array([[focal, 0.0, (width - 1) / 2], [0.0, focal, (height - 1) / 2], [0.0, 0.0, 1.0]])

"""Cameras: their poses and their optics."""

import numpy as np


def look_at(positions: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Return poses world_T_camera (T, 4, 4) of level cameras.

    The cameras are at positions (T, 3) and face targets (T, 3), both in m.
    """
    forward = targets - positions
    forward /= np.linalg.norm(forward, axis=1, keepdims=True)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right, axis=1, keepdims=True)
    poses = np.tile(np.eye(4), (len(positions), 1, 1))
    poses[:, :3] = np.stack([right, np.cross(forward, right), forward, positions], axis=2)
    return poses


def intrinsics_of(field_of_view: float, width: int, height: int) -> np.ndarray:
    """Make the intrinsics (3, 3) px of a camera.

    The intrinsics are computed from the vertical field of view (degrees) and the size of the picture (px).
    """
    focal = height / 2 / np.tan(np.radians(field_of_view) / 2)
    return np.array([[focal, 0.0, (width - 1) / 2], [0.0, focal, (height - 1) / 2], [0.0, 0.0, 1.0]])

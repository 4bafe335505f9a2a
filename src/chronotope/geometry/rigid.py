# pyright: reportMissingTypeStubs=false, reportUnknownArgumentType=false
"""Rigid transforms: poses as homogeneous (4, 4) matrices, rotations, and the camera axes of other conventions.

SciPy's rotations are imported where they are used: that takes a third of a second and 20 MB, and who asks a model needs
none.
"""

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]

_NO_DIRECTION = 1e-6  # a quaternion this short (a printed one has length 1) is a row of zeros, not a rotation
_LAST_ROW_ERROR = 1e-6


class Axes(StrEnum):
    """What a camera's x, y and z axes point at."""

    OPENCV = "opencv"  # x right, y down, z forward
    FLU = "flu"  # x forward, y left, z up (vehicles)
    OPENGL = "opengl"  # x right, y up, z backward


# For each convention, the rotation that turns its coordinates into OpenCV's.
_TO_OPENCV = {
    Axes.OPENCV: ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    Axes.FLU: ((0, -1, 0), (0, 0, -1), (1, 0, 0)),
    Axes.OPENGL: ((1, 0, 0), (0, -1, 0), (0, 0, -1)),
}


def as_pose(rotation: ArrayLike, translation: ArrayLike) -> FloatArray:
    """Poses (..., 4, 4) from rotations (..., 3, 3) and translations (..., 3) m; leading axes broadcast."""
    R = np.asarray(rotation, dtype=float)
    t = np.asarray(translation, dtype=float)
    pose = np.zeros((*np.broadcast_shapes(R.shape[:-2], t.shape[:-1]), 4, 4))
    pose[..., :3, :3] = R
    pose[..., :3, 3] = t
    pose[..., 3, 3] = 1.0
    return pose


def invert(T: ArrayLike) -> FloatArray:
    """Inverse (..., 4, 4) of rigid transforms (..., 4, 4): the rotation transposed, no system solved.

    Right only for true rotations: repair rounded ones first (``project_to_so3``).
    """
    pose = np.asarray(T, dtype=float)
    R = np.swapaxes(pose[..., :3, :3], -1, -2)
    return as_pose(R, -(R @ pose[..., :3, 3:])[..., 0])


def transform_points(T: ArrayLike, points: ArrayLike) -> FloatArray:
    """Points (N, 3) mapped by one transform (4, 4) to (N, 3), or by each of (..., 4, 4) to (..., N, 3)."""
    pose = np.asarray(T, dtype=float)
    rotated = np.asarray(points, dtype=float) @ np.swapaxes(pose[..., :3, :3], -1, -2)
    return rotated + pose[..., None, :3, 3]


def relative_pose(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """inverse(a) @ b, (..., 4, 4): from world_T_a and world_T_b the pose a_T_b."""
    return invert(a) @ np.asarray(b, dtype=float)


def project_to_so3(R: ArrayLike) -> FloatArray:
    """The rotations (..., 3, 3) nearest to matrices (..., 3, 3) in the Frobenius norm, by singular values.

    Raises ValueError where an entry is not finite.
    """
    matrix = np.asarray(R, dtype=float)
    if not np.isfinite(matrix).all():
        raise ValueError("A rotation matrix holds an entry that is not finite.")
    U, _, Vt = np.linalg.svd(matrix)
    # A reflection is turned into a rotation along the axis that changes the matrix least: the last.
    U[..., :, 2] *= np.linalg.det(U @ Vt)[..., None]
    return U @ Vt


def is_rigid(T: ArrayLike, tolerance: float = 0.01) -> NDArray[np.bool_]:
    """Whether each of (..., 4, 4) is a rigid transform up to rounding, so that it can be repaired: (...) bool.

    Finite, last row 0 0 0 1, determinant within ``tolerance`` of 1 and every entry of R^T R within it of the identity.
    """
    pose = np.asarray(T, dtype=float)
    finite = np.asarray(np.isfinite(pose).all(axis=(-2, -1)))
    pose = np.where(finite[..., None, None], pose, 0.0)
    R = pose[..., :3, :3]
    gram = np.swapaxes(R, -1, -2) @ R
    orthonormal = (np.abs(gram - np.eye(3)) <= tolerance).all(axis=(-2, -1))
    proper = np.abs(np.linalg.det(R) - 1) <= tolerance
    last_row = (np.abs(pose[..., 3, :] - (0, 0, 0, 1)) <= _LAST_ROW_ERROR).all(axis=-1)
    return finite & orthonormal & proper & last_row


def rotation_from_quaternion(q_xyzw: ArrayLike) -> FloatArray:
    """Rotations (..., 3, 3) from quaternions (..., 4), scalar last, of any length: printed ones are rounded.

    Raises ValueError where a quaternion is zero or not finite.
    """
    q = np.asarray(q_xyzw, dtype=float)
    if q.shape[-1:] != (4,):
        raise ValueError(f"Quaternions need 4 numbers (x y z w) each; the array has shape {q.shape}.")
    if not np.isfinite(q).all():
        raise ValueError("A quaternion holds a number that is not finite.")
    length = np.linalg.norm(q, axis=-1, keepdims=True)
    if (length < _NO_DIRECTION).any():
        raise ValueError("A quaternion is zero: it stands for no rotation.")
    from scipy.spatial.transform import Rotation

    return Rotation.from_quat((q / length).reshape(-1, 4)).as_matrix().reshape(*q.shape[:-1], 3, 3)


def rotation_from_vector(vectors: ArrayLike) -> FloatArray:
    """Rotations (..., 3, 3) about vectors (..., 3) by their lengths, rad."""
    from scipy.spatial.transform import Rotation

    v = np.asarray(vectors, dtype=float)
    return Rotation.from_rotvec(v.reshape(-1, 3)).as_matrix().reshape(*v.shape, 3)


def rotation_vector(R: ArrayLike) -> FloatArray:
    """Vectors (..., 3) along the axes of rotations (..., 3, 3), as long as their angles in rad."""
    from scipy.spatial.transform import Rotation

    matrices = np.asarray(R, dtype=float)
    return Rotation.from_matrix(matrices.reshape(-1, 3, 3)).as_rotvec().reshape(matrices.shape[:-1])


def rotation_angle(R: ArrayLike) -> FloatArray:
    """Angle (...) in [0, pi] by which rotations (..., 3, 3) turn; exact to rounding at both ends."""
    matrix = np.asarray(R, dtype=float)
    skew = matrix - np.swapaxes(matrix, -1, -2)
    twice_sine = np.sqrt(skew[..., 2, 1] ** 2 + skew[..., 0, 2] ** 2 + skew[..., 1, 0] ** 2)
    return np.arctan2(twice_sine, np.trace(matrix, axis1=-2, axis2=-1) - 1)


def axes_rotation(source: Axes, target: Axes) -> FloatArray:
    """The rotation (3, 3) that maps coordinates in ``source`` axes to coordinates in ``target`` axes."""
    return np.array(_TO_OPENCV[target], dtype=float).T @ np.array(_TO_OPENCV[source], dtype=float)


def change_camera_axes(T: ArrayLike, source: Axes, target: Axes) -> FloatArray:
    """Poses world_T_camera (..., 4, 4) of cameras with ``source`` axes, as those of the same with ``target`` axes.

    Only the camera's side changes; the world and the camera's place stay.
    """
    return np.asarray(T, dtype=float) @ as_pose(axes_rotation(target, source), np.zeros(3))


def interpolate_linearly(times: ArrayLike, values: ArrayLike, at: ArrayLike) -> FloatArray:
    """Values (T, D) at times (T,) s, interpolated linearly at (K,) s: (K, D).

    Raises ValueError where the times do not increase strictly or where ``at`` leaves them: nothing is extrapolated.
    """
    t = np.asarray(times, dtype=float)
    wanted = np.atleast_1d(np.asarray(at, dtype=float))
    table = np.asarray(values, dtype=float)
    if t.ndim != 1 or len(t) == 0 or len(t) != len(table):
        raise ValueError(f"Interpolation needs one time per sample; got {t.shape} times and {table.shape} samples.")
    # Written so that NaN fails too.
    if not (np.diff(t) > 0).all() or not np.isfinite(t[[0, -1]]).all():
        raise ValueError("Interpolation needs finite times that increase strictly.")
    if not ((wanted >= t[0]) & (wanted <= t[-1])).all():
        raise ValueError(f"A time to interpolate at lies outside {t[0]} to {t[-1]} s, the samples' own range.")
    return np.stack([np.interp(wanted, t, column) for column in table.T], axis=-1)


def interpolate_pose(times: ArrayLike, poses: ArrayLike, at: ArrayLike) -> FloatArray:
    """Poses (T, 4, 4) at times (T,) s, at the times (K,) s between them: (K, 4, 4).

    Translations linearly, rotations by slerp along the shorter way. Raises ValueError where times do not increase
    strictly, a pose is not finite, or ``at`` leaves the samples: nothing is extrapolated.
    """
    t = np.asarray(times, dtype=float)
    samples = np.asarray(poses, dtype=float)
    wanted = np.atleast_1d(np.asarray(at, dtype=float))
    if samples.shape[1:] != (4, 4) or not np.isfinite(samples).all():
        raise ValueError("Interpolation needs finite poses (T, 4, 4); take the valid samples only.")
    positions = interpolate_linearly(t, samples[:, :3, 3], wanted)
    if len(t) == 1:
        return as_pose(samples[[0] * len(wanted), :3, :3], positions)
    return as_pose(slerp(t, samples[:, :3, :3])(wanted), positions)


def slerp(times: ArrayLike, rotations: ArrayLike) -> Callable[[ArrayLike], FloatArray]:
    """What gives the rotations (K, 3, 3) at times (K,) s between those of samples (T, 3, 3) at times (T,) s, T >= 2.

    Along the shorter way; made once for a way that is asked about often. Raises ValueError where the times do not
    increase strictly, and when asked for a time outside them.
    """
    from scipy.spatial.transform import Rotation, Slerp

    between = Slerp(np.asarray(times, dtype=float), Rotation.from_matrix(np.asarray(rotations, dtype=float)))
    return partial(_rotations_at, between)


def _rotations_at(between: Any, at: ArrayLike) -> FloatArray:
    return between(np.atleast_1d(np.asarray(at, dtype=float))).as_matrix()

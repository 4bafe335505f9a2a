# pyright: reportMissingTypeStubs=false, reportUnknownArgumentType=false
"""Rigid transforms: homogeneous (4, 4) poses, rotations, and conversions between conventions of camera axes.

SciPy's rotations are imported inside the functions that use them. This import takes a third of a second and 20 MB, and
evaluating a model does not need SciPy.
"""

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]

_NO_DIRECTION = 1e-6  # length below which a quaternion is treated as zero; printed quaternions have a length of about 1
_LAST_ROW_ERROR = 1e-6


class Axes(StrEnum):
    """A convention for the directions of a camera's x, y and z axes."""

    OPENCV = "opencv"  # x right, y down, z forward
    FLU = "flu"  # x forward, y left, z up (vehicles)
    OPENGL = "opengl"  # x right, y up, z backward


# For each convention, the rotation that converts its coordinates to OpenCV coordinates.
_TO_OPENCV = {
    Axes.OPENCV: ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    Axes.FLU: ((0, -1, 0), (0, 0, -1), (1, 0, 0)),
    Axes.OPENGL: ((1, 0, 0), (0, -1, 0), (0, 0, -1)),
}


def as_pose(rotation: ArrayLike, translation: ArrayLike) -> FloatArray:
    """Build poses (..., 4, 4) from rotations and translations.

    ``rotation`` is (..., 3, 3) and ``translation`` is (..., 3) m. The leading axes of ``rotation`` and
    ``translation`` are broadcast.
    """
    R = np.asarray(rotation, dtype=float)
    t = np.asarray(translation, dtype=float)
    pose = np.zeros((*np.broadcast_shapes(R.shape[:-2], t.shape[:-1]), 4, 4))
    pose[..., :3, :3] = R
    pose[..., :3, 3] = t
    pose[..., 3, 3] = 1.0
    return pose


def invert(T: ArrayLike) -> FloatArray:
    """Invert rigid transforms (..., 4, 4) by transposing their rotations.

    The result is correct only for exact rotations. Rotations with rounding errors must be repaired first
    (``project_to_so3``).
    """
    pose = np.asarray(T, dtype=float)
    R = np.swapaxes(pose[..., :3, :3], -1, -2)
    return as_pose(R, -(R @ pose[..., :3, 3:])[..., 0])


def transform_points(T: ArrayLike, points: ArrayLike) -> FloatArray:
    """Map points (N, 3) with a transform (4, 4).

    The result is (N, 3). Several transforms (..., 4, 4) give (..., N, 3).
    """
    pose = np.asarray(T, dtype=float)
    rotated = np.asarray(points, dtype=float) @ np.swapaxes(pose[..., :3, :3], -1, -2)
    return rotated + pose[..., None, :3, 3]


def relative_pose(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """Compute the pose a_T_b (..., 4, 4), which is inverse(a) @ b.

    ``a`` is world_T_a, and ``b`` is world_T_b.
    """
    return invert(a) @ np.asarray(b, dtype=float)


def project_to_so3(R: ArrayLike) -> FloatArray:
    """Find the rotations (..., 3, 3) nearest to matrices (..., 3, 3).

    The nearest rotation has the smallest Frobenius distance from the matrix. The nearest rotation is computed by
    singular value decomposition.

    Raises:
        ValueError: If an entry is not finite.
    """
    matrix = np.asarray(R, dtype=float)
    if not np.isfinite(matrix).all():
        raise ValueError("A rotation matrix contains an entry that is not finite.")
    U, _, Vt = np.linalg.svd(matrix)
    # A reflection becomes a rotation by reversing the last axis, because this changes the matrix least.
    U[..., :, 2] *= np.linalg.det(U @ Vt)[..., None]
    return U @ Vt


def is_rigid(T: ArrayLike, tolerance: float = 0.01) -> NDArray[np.bool_]:
    """Check which of the matrices ``T`` (..., 4, 4) are rigid transforms.

    The result is bool, with one value per matrix. Small rounding errors are allowed, because they can be repaired.
    A matrix is rigid if it fulfils four conditions:

    - All entries of the matrix are finite.
    - The last row of the matrix is 0 0 0 1.
    - The determinant of the rotation block R is within ``tolerance`` of 1.
    - Every entry of R^T R is within ``tolerance`` of the identity matrix.
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
    """Convert quaternions (..., 4) to rotations (..., 3, 3).

    The scalar is the last number of a quaternion. Quaternions can have any length above zero, because printed
    quaternions are rounded.

    Raises:
        ValueError: If a quaternion is zero or not finite.
    """
    q = np.asarray(q_xyzw, dtype=float)
    if q.shape[-1:] != (4,):
        raise ValueError(f"Each quaternion needs 4 numbers (x y z w); the array has shape {q.shape}.")
    if not np.isfinite(q).all():
        raise ValueError("A quaternion contains a number that is not finite.")
    length = np.linalg.norm(q, axis=-1, keepdims=True)
    if (length < _NO_DIRECTION).any():
        raise ValueError("A quaternion is zero, so it does not define a rotation.")
    from scipy.spatial.transform import Rotation

    return Rotation.from_quat((q / length).reshape(-1, 4)).as_matrix().reshape(*q.shape[:-1], 3, 3)


def rotation_from_vector(vectors: ArrayLike) -> FloatArray:
    """Convert rotation vectors (..., 3) rad to rotations (..., 3, 3)."""
    from scipy.spatial.transform import Rotation

    v = np.asarray(vectors, dtype=float)
    return Rotation.from_rotvec(v.reshape(-1, 3)).as_matrix().reshape(*v.shape, 3)


def rotation_vector(R: ArrayLike) -> FloatArray:
    """Convert rotations (..., 3, 3) to rotation vectors (..., 3).

    A rotation vector is along the axis of the rotation. The length of a rotation vector is the angle of the
    rotation in rad.
    """
    from scipy.spatial.transform import Rotation

    matrices = np.asarray(R, dtype=float)
    return Rotation.from_matrix(matrices.reshape(-1, 3, 3)).as_rotvec().reshape(matrices.shape[:-1])


def rotation_angle(R: ArrayLike) -> FloatArray:
    """Compute the angles (...) rad of rotations (..., 3, 3).

    The angles are in [0, pi]. The angles are exact except for rounding, also near 0 and near pi.
    """
    matrix = np.asarray(R, dtype=float)
    skew = matrix - np.swapaxes(matrix, -1, -2)
    twice_sine = np.sqrt(skew[..., 2, 1] ** 2 + skew[..., 0, 2] ** 2 + skew[..., 1, 0] ** 2)
    return np.arctan2(twice_sine, np.trace(matrix, axis1=-2, axis2=-1) - 1)


def axes_rotation(source: Axes, target: Axes) -> FloatArray:
    """Return the rotation (3, 3) from ``source`` axes to ``target`` axes."""
    return np.array(_TO_OPENCV[target], dtype=float).T @ np.array(_TO_OPENCV[source], dtype=float)


def change_camera_axes(T: ArrayLike, source: Axes, target: Axes) -> FloatArray:
    """Convert poses from ``source`` to ``target`` camera axes.

    ``T`` are poses world_T_camera (..., 4, 4). Only the camera's axes change; the world and the camera's position
    do not change.
    """
    return np.asarray(T, dtype=float) @ as_pose(axes_rotation(target, source), np.zeros(3))


def interpolate_linearly(times: ArrayLike, values: ArrayLike, at: ArrayLike) -> FloatArray:
    """Interpolate values (T, D) linearly at the times ``at`` (K,) s.

    The result is (K, D). ``times`` (T,) s are the times of the values.

    Raises:
        ValueError: If ``times`` do not increase strictly, or if a time in ``at`` is outside ``times``. The function
        does not extrapolate.
    """
    t = np.asarray(times, dtype=float)
    wanted = np.atleast_1d(np.asarray(at, dtype=float))
    table = np.asarray(values, dtype=float)
    if t.ndim != 1 or len(t) == 0 or len(t) != len(table):
        raise ValueError(
            f"Interpolation needs one time per sample; got times of shape {t.shape} and samples of shape {table.shape}."
        )
    # These conditions also refuse NaN.
    if not (np.diff(t) > 0).all() or not np.isfinite(t[[0, -1]]).all():
        raise ValueError("Interpolation needs finite times that increase strictly.")
    if not ((wanted >= t[0]) & (wanted <= t[-1])).all():
        raise ValueError(f"A requested time is outside the range of the samples, {t[0]} to {t[-1]} s.")
    return np.stack([np.interp(wanted, t, column) for column in table.T], axis=-1)


def interpolate_pose(times: ArrayLike, poses: ArrayLike, at: ArrayLike) -> FloatArray:
    """Interpolate poses (T, 4, 4) at the times ``at`` (K,) s.

    The result is (K, 4, 4). ``times`` (T,) s are the times of the poses. Translations are interpolated linearly.
    Rotations are interpolated by slerp along the shorter arc.

    Raises:
        ValueError: If ``times`` do not increase strictly, if a pose is not finite, or if a time in ``at`` is
        outside ``times``. The function does not extrapolate.
    """
    t = np.asarray(times, dtype=float)
    samples = np.asarray(poses, dtype=float)
    wanted = np.atleast_1d(np.asarray(at, dtype=float))
    if samples.shape[1:] != (4, 4) or not np.isfinite(samples).all():
        raise ValueError("Interpolation needs finite poses (T, 4, 4); pass only the valid samples.")
    positions = interpolate_linearly(t, samples[:, :3, 3], wanted)
    if len(t) == 1:
        return as_pose(samples[[0] * len(wanted), :3, :3], positions)
    return as_pose(slerp(t, samples[:, :3, :3])(wanted), positions)


def slerp(times: ArrayLike, rotations: ArrayLike) -> Callable[[ArrayLike], FloatArray]:
    """Return a function that interpolates rotations along the shorter arc.

    ``rotations`` (T, 3, 3) are samples at the times ``times`` (T,) s, with T >= 2. The returned function maps times
    (K,) s to rotations (K, 3, 3). For samples that are used often, make this function once and call it several times.

    Raises:
        ValueError: If the times do not increase strictly. The returned function raises ValueError for a time
            outside ``times``.
    """
    from scipy.spatial.transform import Rotation, Slerp

    between = Slerp(np.asarray(times, dtype=float), Rotation.from_matrix(np.asarray(rotations, dtype=float)))
    return partial(_rotations_at, between)


def _rotations_at(between: Any, at: ArrayLike) -> FloatArray:
    return between(np.atleast_1d(np.asarray(at, dtype=float))).as_matrix()

"""Repair of poses from files: small errors of rotations are corrected, and poses with large errors become invalid."""

from dataclasses import dataclass

import numpy as np

from chronotope.errors import InputError
from chronotope.geometry import as_pose, project_to_so3, rotation_from_quaternion

_ROUNDING = 1e-3  # rounding can explain a norm or a scale that differs from 1 by at most this
_REPAIRABLE = 0.05  # a norm or a scale that differs from 1 by at most this is repaired
FARTHEST = 1e9  # m; a larger coordinate is a placeholder for a lost pose


@dataclass(frozen=True)
class Repaired:
    """Poses world_T_camera (N, 4, 4) after repair.

    ``valid`` (N,) is False for invalid poses, which are NaN. ``notes`` has a sentence for each kind of repair.
    """

    poses: np.ndarray
    valid: np.ndarray
    notes: tuple[str, ...]


def from_matrices(matrices: np.ndarray, name: str) -> Repaired:
    """Repair poses that are (N, 3, 4) or (N, 4, 4) matrices.

    A matrix of NaN means that the source has no such pose. A 3 x 3 rotation block whose three singular values are
    within 5 % of 1 is replaced by the nearest rotation. A block that is mirrored, more distorted, zero or not finite is
    invalid. Each note begins with ``name``.
    """
    blocks, positions = matrices[:, :3, :3], matrices[:, :3, 3]
    absent = np.asarray(np.isnan(matrices).all(axis=(1, 2)))
    finite = _finite(positions) & np.asarray(np.isfinite(blocks).all(axis=(1, 2)))
    zero = finite & (blocks == 0).all(axis=(1, 2))
    bounded = finite & (np.abs(blocks) < 2).all(axis=(1, 2))
    safe = np.where(bounded[:, None, None], blocks, np.eye(3))
    off = np.abs(np.linalg.svd(safe, compute_uv=False) - 1).max(axis=-1, initial=0)
    rigid = bounded & (off <= _REPAIRABLE) & (np.linalg.det(safe) > 0)
    if matrices.shape[1] == 4:
        rigid &= np.abs(np.nan_to_num(matrices[:, 3], nan=np.inf) - [0, 0, 0, 1]).max(axis=-1, initial=0) <= _ROUNDING
    rotations = project_to_so3(np.where(rigid[:, None, None], safe, np.eye(3))) if len(blocks) else safe
    repaired = rigid & (off > _ROUNDING / 100)
    notes = [
        _count(name, absent, "have no pose, and count as invalid"),
        _count(name, ~finite & ~absent, "have a pose that is not finite, and count as invalid"),
        _count(name, zero, "have a rotation of zeros, and count as invalid"),
        _count(name, finite & ~zero & ~rigid, "have a matrix that is not a rigid pose, and count as invalid"),
        _count(
            name,
            repaired,
            f"have a rotation with an error of up to {off[repaired].max(initial=0):.2g}, which was corrected",
        ),
    ]
    return _assemble(rotations, positions, rigid, notes)


def from_quaternions(positions: np.ndarray, quaternions: np.ndarray, name: str) -> Repaired:
    """Repair poses given as positions (N, 3) m and quaternions (N, 4).

    Quaternions are x y z w. A quaternion whose norm is within 5 % of 1 is normalised; any other quaternion is
    invalid. A note reports norms that differ from 1 by more than 0.001, because rounding cannot explain such a
    difference. Each note begins with ``name``.
    """
    finite = _finite(positions) & np.isfinite(quaternions).all(axis=1)
    bounded = finite & np.asarray((np.abs(quaternions) < 2).all(axis=1))
    off = np.abs(np.linalg.norm(np.where(bounded[:, None], quaternions, 0), axis=1) - 1)
    unit = finite & (off <= _REPAIRABLE)
    repaired = unit & (off > _ROUNDING)
    safe = np.where(unit[:, None], quaternions, [0.0, 0.0, 0.0, 1.0])
    notes = [
        _count(name, ~finite, "have a pose that is not finite, and count as invalid"),
        _count(name, finite & ~unit, "have a quaternion that is not of unit length and count as invalid"),
        _count(
            name,
            repaired,
            f"have a quaternion whose norm differs from 1 by up to {off[repaired].max(initial=0):.2g}, and were "
            "normalised",
        ),
    ]
    return _assemble(rotation_from_quaternion(safe), positions, unit, notes)


def require_poses(valid: np.ndarray, where: str, notes: tuple[str, ...]) -> None:
    """Check that at least two poses are valid.

    Raises:
        InputError: If fewer than two poses are valid. The message has the notes about the invalid poses.
    """
    count = int(valid.sum())
    if count < 2:
        told = f" ({'; '.join(notes)})" if notes else ""
        raise InputError(f"{where}: {count} of {len(valid)} poses are valid{told}; a recording needs at least two")


def _finite(positions: np.ndarray) -> np.ndarray:
    near = np.abs(np.nan_to_num(positions)) < FARTHEST
    return np.asarray((np.isfinite(positions) & near).all(axis=1))


def _count(name: str, rows: np.ndarray, what: str) -> str | None:
    return f"{name}: {int(rows.sum())} of {len(rows)} samples {what}" if rows.any() else None


def _assemble(rotations: np.ndarray, positions: np.ndarray, valid: np.ndarray, notes: list[str | None]) -> Repaired:
    safe = np.where(valid[:, None], positions, 0)
    poses = np.full((len(valid), 4, 4), np.nan)
    poses[valid] = as_pose(rotations[valid], safe[valid])
    return Repaired(poses, valid, tuple(note for note in notes if note))

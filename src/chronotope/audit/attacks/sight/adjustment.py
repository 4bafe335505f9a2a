"""Bundle adjustment: the cameras, points and focal length that fit the tracks best."""

from dataclasses import dataclass, replace

import numpy as np

from chronotope.geometry import rotation_from_vector

STEPS = 12
ROBUST = 1.5  # px; a projection error above this limit counts linearly, not as its square
VIEW_DEVIATION = 0.12  # deviation of the logarithm of an unknown focal length


@dataclass(frozen=True, eq=False)
class Bundle:
    """Cameras that look at points.

    ``poses`` (F, 4, 4) map the world to cameras (OpenCV axes); ``points`` are (P, 3); ``focal`` is in px. The
    observations are ``frames``, ``numbers`` (N,) and ``pixels`` (N, 2), relative to the middle of the picture.
    """

    poses: np.ndarray
    points: np.ndarray
    focal: float
    frames: np.ndarray
    numbers: np.ndarray
    pixels: np.ndarray


def residuals(bundle: Bundle) -> tuple[np.ndarray, np.ndarray]:
    """Return projection errors (N, 2) in px and points (N, 3).

    There is one point for each observation, in the coordinates of the observing camera.
    """
    poses = bundle.poses[bundle.frames]
    seen = np.einsum("nij,nj->ni", poses[:, :3, :3], bundle.points[bundle.numbers]) + poses[:, :3, 3]
    depth = np.where(np.abs(seen[:, 2]) < 1e-6, 1e-6, seen[:, 2])
    return bundle.focal * seen[:, :2] / depth[:, None] - bundle.pixels, seen


def adjust(bundle: Bundle, free_focal: bool, steps: int = STEPS) -> Bundle:
    """Improve a bundle by Levenberg and Marquardt's method.

    The first camera is fixed. Points are eliminated (Schur complement). If the focal length is free, its logarithm has
    a normal prior: the mean is the logarithm of the given focal length, and the deviation is ``VIEW_DEVIATION``.
    """
    damping, guess = 1e-3, np.log(bundle.focal)
    cost = _cost(bundle, guess, free_focal)
    for _ in range(steps):
        change = _step(bundle, damping, guess, free_focal)
        moved = _moved(bundle, *change)
        after = _cost(moved, guess, free_focal)
        if after < cost:
            done = cost - after < 1e-4 * cost
            bundle, cost, damping = moved, after, damping / 5
            if done:
                break
        else:
            damping *= 8
    return bundle


def _cost(bundle: Bundle, guess: float, free_focal: bool) -> float:
    errors, seen = residuals(bundle)
    size = np.linalg.norm(errors, axis=1)
    cost = np.where(size <= ROBUST, size**2, 2 * ROBUST * size - ROBUST**2).sum() + 1e4 * (seen[:, 2] < 1e-3).sum()
    return float(cost + (((np.log(bundle.focal) - guess) / VIEW_DEVIATION) ** 2 if free_focal else 0.0))


def _moved(bundle: Bundle, cameras: np.ndarray, points: np.ndarray, focal: float) -> Bundle:
    poses = bundle.poses.copy()
    turns = rotation_from_vector(cameras[:, :3])
    poses[:, :3, :3] = turns @ poses[:, :3, :3]
    poses[:, :3, 3] = np.einsum("fij,fj->fi", turns, poses[:, :3, 3]) + cameras[:, 3:]
    return replace(bundle, poses=poses, points=bundle.points + points, focal=bundle.focal * float(np.exp(focal)))


def _step(bundle: Bundle, damping: float, guess: float, free_focal: bool) -> tuple[np.ndarray, np.ndarray, float]:
    """Solve the normal equations for one step.

    Returns changes of the cameras (F, 6), the points (P, 3) and the log focal length.
    """
    errors, seen = residuals(bundle)
    weights = np.minimum(1.0, ROBUST / np.maximum(np.linalg.norm(errors, axis=1), 1e-9))
    by_camera, by_point, by_focal = _derivatives(bundle, seen)
    frames, points = len(bundle.poses), len(bundle.points)
    size = 6 * frames + 1
    weighted = by_camera * weights[:, None, None]
    normal, side = np.zeros((size, size)), np.zeros(size)
    own = np.zeros((frames, 6, 6))
    np.add.at(own, bundle.frames, weighted.transpose(0, 2, 1) @ by_camera)
    pull, border = np.zeros((frames, 6)), np.zeros((frames, 6))
    np.add.at(pull, bundle.frames, np.einsum("nki,nk->ni", weighted, errors))
    np.add.at(border, bundle.frames, np.einsum("nki,nk->ni", weighted, by_focal))
    for frame in range(frames):
        normal[6 * frame : 6 * frame + 6, 6 * frame : 6 * frame + 6] = own[frame]
    normal[:-1, -1] = normal[-1, :-1] = border.ravel()
    normal[-1, -1] = (weights * (by_focal**2).sum(axis=1)).sum() + VIEW_DEVIATION**-2
    side[:-1], side[-1] = pull.ravel(), (weights * (by_focal * errors).sum(axis=1)).sum()
    side[-1] += (np.log(bundle.focal) - guess) / VIEW_DEVIATION**2
    blocks, pulls = np.zeros((points, 3, 3)), np.zeros((points, 3))
    weighted_points = by_point * weights[:, None, None]
    np.add.at(blocks, bundle.numbers, weighted_points.transpose(0, 2, 1) @ by_point)
    np.add.at(pulls, bundle.numbers, np.einsum("nki,nk->ni", weighted_points, errors))
    mixed = np.zeros((frames, 6, points, 3))
    np.add.at(mixed.transpose(0, 2, 1, 3), (bundle.frames, bundle.numbers), weighted.transpose(0, 2, 1) @ by_point)
    across = np.zeros((points, 3))
    np.add.at(across, bundle.numbers, np.einsum("nk,nkj->nj", by_focal, weighted_points))
    together = np.concatenate([mixed.reshape(6 * frames, points, 3), across[None]])
    blocks += (damping * np.einsum("pii->pi", blocks)[:, :, None] + 1e-9) * np.eye(3)
    inverse = np.linalg.inv(blocks)
    reached = (together.transpose(1, 0, 2) @ inverse).transpose(1, 0, 2).reshape(size, -1)
    normal += damping * np.diag(np.diag(normal)) + 1e-9 * np.eye(size)
    flat = together.reshape(size, -1)
    reduced, rest = normal - reached @ flat.T, side - reached @ pulls.ravel()
    free = np.arange(6, size if free_focal else size - 1)  # the first camera is fixed
    solved = np.zeros(size)
    solved[free] = np.linalg.lstsq(reduced[np.ix_(free, free)], -rest[free], rcond=1e-12)[0]
    moved = np.einsum("pij,pj->pi", inverse, -pulls - (solved @ flat).reshape(-1, 3))
    return solved[:-1].reshape(frames, 6), moved, float(solved[-1])


def _derivatives(bundle: Bundle, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the derivatives of the projections.

    There are derivatives by camera (N, 2, 6), by point (N, 2, 3) and by log focal length (N, 2).
    """
    depth = np.where(np.abs(seen[:, 2]) < 1e-6, 1e-6, seen[:, 2])
    slopes = seen[:, :2] / depth[:, None]
    by_seen = np.zeros((len(seen), 2, 3))
    by_seen[:, 0, 0] = by_seen[:, 1, 1] = bundle.focal / depth
    by_seen[:, :, 2] = -bundle.focal * slopes / depth[:, None]
    turned = np.zeros((len(seen), 3, 3))  # derivatives of the cross product of w and seen, by a small rotation w
    turned[:, 0, 1], turned[:, 0, 2], turned[:, 1, 2] = seen[:, 2], -seen[:, 1], seen[:, 0]
    turned[:, 1, 0], turned[:, 2, 0], turned[:, 2, 1] = -seen[:, 2], seen[:, 1], -seen[:, 0]
    by_camera = np.concatenate([by_seen @ turned, by_seen], axis=2)
    return by_camera, by_seen @ bundle.poses[bundle.frames][:, :3, :3], bundle.focal * slopes

"""The reconstruction of the camera's motion and of points from tracks, up to scale."""

from dataclasses import dataclass

import cv2
import numpy as np

from chronotope.audit.attacks.sight.adjustment import Bundle, adjust, residuals
from chronotope.audit.attacks.sight.tracking import Tracks
from chronotope.geometry import invert

USUAL_VIEW = 60.0  # assumed horizontal field of view (degrees) of a camera, if none is stated
LEAST_POINTS = 24
LEAST_PARALLAX = 12.0  # minimum parallax (px) of a pair of frames; more than 3 times this value does not help
OUTLIER = 3.0  # px
LEAST_ANGLE = np.radians(1.2)  # least angle between two rays for triangulation


@dataclass(frozen=True, eq=False)
class Structure:
    """A reconstruction in arbitrary units.

    ``poses`` (F, 4, 4) are world_T_camera, OpenCV axes; ``points`` (P, 3) are in the world, NaN if unknown; ``pixels``
    (F, P, 2) are the positions of the points in the frames, NaN if not seen; ``focal`` is in px; ``size`` is the
    pictures' width and height.
    """

    poses: np.ndarray
    points: np.ndarray
    pixels: np.ndarray
    focal: float
    size: tuple[int, int]

    def camera(self, frame: int, points: np.ndarray) -> np.ndarray:
        """Convert world points (N, 3) to the coordinates of a frame's camera."""
        pose = self.poses[frame]
        return (points - pose[:3, 3]) @ pose[:3, :3]

    def rays(self, pixels: np.ndarray) -> np.ndarray:
        """Return the directions (N, 3) of pixels (N, 2).

        The directions are in the coordinates of the camera and have depth 1.
        """
        off = (pixels - (np.array(self.size) - 1) / 2) / self.focal
        return np.concatenate([off, np.ones((len(off), 1))], axis=1)

    def project(self, points: np.ndarray) -> np.ndarray:
        """Return the pixels (N, 2) of points (N, 3).

        Pixels are NaN for points behind the camera.
        """
        depth = np.where(points[:, 2] > 1e-9, points[:, 2], np.nan)
        return self.focal * points[:, :2] / depth[:, None] + (np.array(self.size) - 1) / 2


def focal_of_view(view: float, width: int) -> float:
    """Return the focal length (px) for a horizontal field of view (degrees)."""
    return width / 2 / np.tan(np.radians(view) / 2)


def reconstruct(tracks: Tracks, size: tuple[int, int], view: float | None) -> Structure | None:
    """Reconstruct cameras and points from tracks.

    Returns None if the tracks show too little parallax. ``view`` is the horizontal field of view in degrees; if
    ``view`` is None, the field of view is estimated, too.
    """
    centred = tracks.points - (np.array(size) - 1) / 2
    focal = focal_of_view(USUAL_VIEW if view is None else view, size[0])
    best: Bundle | None = None
    for pair in _pairs(centred):
        started = _start(centred, focal, pair)
        if started is None:
            continue
        grown = _grow(centred, focal, *started)
        if grown is None:
            continue
        if best is None or len(grown.pixels) > len(best.pixels):
            best = grown
        if len(np.unique(best.frames)) == len(centred):
            break
    if best is None or len(np.unique(best.frames)) < len(centred):
        return None
    bundle = adjust(_without_outliers(adjust(best, free_focal=view is None), OUTLIER), free_focal=view is None)
    points = np.full((centred.shape[1], 3), np.nan)
    known = np.unique(bundle.numbers)
    points[known] = bundle.points[known]
    pixels = np.full(tracks.points.shape, np.nan)
    pixels[bundle.frames, bundle.numbers] = tracks.points[bundle.frames, bundle.numbers]
    poses = np.stack([invert(pose) for pose in bundle.poses])
    first = invert(poses[0])
    moved = np.einsum("ij,pj->pi", first[:3, :3], points) + first[:3, 3]
    return Structure(first @ poses, moved, pixels, bundle.focal, size)


def _pairs(centred: np.ndarray) -> list[tuple[int, int]]:
    """Return pairs of frames to start from, best first.

    Good pairs have many common points and much parallax.
    """
    seen = np.isfinite(centred[:, :, 0])
    rated: list[tuple[float, int, int]] = []
    for first in range(0, len(centred), max(1, len(centred) // 8)):
        for second in range(first + 1, len(centred)):
            both = seen[first] & seen[second]
            if both.sum() < LEAST_POINTS:
                break
            moved = centred[second, both] - centred[first, both]
            parallax = float(np.median(np.linalg.norm(moved - np.median(moved, axis=0), axis=1)))
            rated.append((min(parallax, 3 * LEAST_PARALLAX) * min(both.sum(), 120), first, second))
    rated.sort(reverse=True)
    return [(first, second) for _, first, second in rated[:4]]


def _start(centred: np.ndarray, focal: float, pair: tuple[int, int]) -> tuple[dict[int, np.ndarray], np.ndarray] | None:
    """Return the poses of two frames and the points (P, 3).

    Points that cannot be triangulated from the two frames are NaN.
    """
    first, second = (centred[frame] / focal for frame in pair)
    both = np.flatnonzero(np.isfinite(first[:, 0]) & np.isfinite(second[:, 0]))
    essential, kept = cv2.findEssentialMat(first[both], second[both], np.eye(3), cv2.RANSAC, 0.999, 1.0 / focal)
    if essential is None or essential.shape != (3, 3):
        return None
    count, turn, step, _ = cv2.recoverPose(essential, first[both], second[both], np.eye(3), mask=kept.copy())
    if count < LEAST_POINTS // 2:
        return None
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = turn, step.ravel()
    poses = {pair[0]: np.eye(4), pair[1]: pose}
    points = np.full((centred.shape[1], 3), np.nan)
    _triangulate(centred, focal, poses, points, both[kept.ravel() > 0])
    return (poses, points) if np.isfinite(points[:, 0]).sum() >= LEAST_POINTS // 2 else None


def _grow(centred: np.ndarray, focal: float, poses: dict[int, np.ndarray], points: np.ndarray) -> Bundle | None:
    """Add the other frames one by one, nearest first.

    After each frame, further points are triangulated.
    """
    seen = np.isfinite(centred[:, :, 0])
    while len(poses) < len(centred):
        known = np.isfinite(points[:, 0])
        waiting = [frame for frame in range(len(centred)) if frame not in poses]
        frame = max(waiting, key=lambda one: (seen[one] & known).sum() - 3 * min(abs(one - other) for other in poses))
        shared = np.flatnonzero(seen[frame] & known)
        pose = _placed(centred[frame, shared] / focal, points[shared], focal, _nearest(poses, frame))
        if pose is None:
            break
        poses[frame] = pose
        _triangulate(centred, focal, poses, points, np.flatnonzero(seen[frame] & ~known))
        if len(poses) % 6 == 0:
            bundle = adjust(_bundle(centred, focal, poses, points), free_focal=False, steps=3)
            _take_over(bundle, sorted(poses), poses, points)
    if len(poses) < 2:
        return None
    return _without_outliers(_bundle(centred, focal, poses, points), 3 * OUTLIER)


def _nearest(poses: dict[int, np.ndarray], frame: int) -> np.ndarray:
    return poses[min(poses, key=lambda other: abs(other - frame))]


def _placed(pixels: np.ndarray, points: np.ndarray, focal: float, guess: np.ndarray) -> np.ndarray | None:
    """Return the pose of a camera from known points (N, 3).

    ``pixels`` (N, 2) are the normalized pixels of these points. Returns None if no pose is found.
    """
    if len(points) < 8:
        return None
    turn, step = cv2.Rodrigues(guess[:3, :3])[0], guess[:3, 3].reshape(3, 1).copy()
    good, turn, step, inliers = cv2.solvePnPRansac(
        points, pixels, np.eye(3), None, turn, step, True, 200, 4.0 / focal, 0.999, flags=cv2.SOLVEPNP_ITERATIVE
    )
    if not good or inliers is None or len(inliers) < max(8, len(points) // 3):
        return None
    kept = np.asarray(inliers).ravel().astype(int)
    turn, step = cv2.solvePnPRefineLM(points[kept], pixels[kept], np.eye(3), None, turn, step)
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = cv2.Rodrigues(turn)[0], step.ravel()
    return pose


def _triangulate(
    centred: np.ndarray, focal: float, poses: dict[int, np.ndarray], points: np.ndarray, numbers: np.ndarray
) -> None:
    """Triangulate points from the first and the last frame that see them.

    Only posed frames are used. Points whose rays are nearly parallel stay unknown.
    """
    frames = np.array(sorted(poses))
    for number in numbers.tolist():
        sees = frames[np.isfinite(centred[frames, number, 0])]
        if len(sees) < 2:
            continue
        one, other = int(sees[0]), int(sees[-1])
        rows = []
        for frame in (one, other):
            (x, y), pose = centred[frame, number] / focal, poses[frame]
            rows += [x * pose[2] - pose[0], y * pose[2] - pose[1]]
        solved = np.linalg.svd(np.stack(rows))[2][-1]
        if abs(solved[3]) < 1e-9:
            continue
        point = solved[:3] / solved[3]
        seen = np.stack([poses[frame][:3, :3] @ point + poses[frame][:3, 3] for frame in (one, other)])
        if (seen[:, 2] <= 0).any():
            continue
        rays = [poses[frame][:3, :3].T @ ray for frame, ray in zip((one, other), seen, strict=True)]
        angle = np.arccos(np.clip(rays[0] @ rays[1] / np.linalg.norm(rays[0]) / np.linalg.norm(rays[1]), -1, 1))
        errors = np.abs(seen[:, :2] / seen[:, 2:] * focal - centred[[one, other], number]).max()
        if angle >= LEAST_ANGLE and errors < 2 * OUTLIER:
            points[number] = point


def _bundle(centred: np.ndarray, focal: float, poses: dict[int, np.ndarray], points: np.ndarray) -> Bundle:
    """Return the observations of known points in posed frames.

    Frames without a pose have no observations.
    """
    order = sorted(poses)
    seen = np.isfinite(centred[order, :, 0]) & np.isfinite(points[:, 0])
    rows, numbers = np.nonzero(seen)
    known = np.where(np.isfinite(points), points, 0.0)
    return Bundle(
        np.stack([poses[frame] for frame in order]),
        known,
        focal,
        rows,
        numbers,
        centred[np.array(order)[rows], numbers],
    )


def _take_over(bundle: Bundle, order: list[int], poses: dict[int, np.ndarray], points: np.ndarray) -> None:
    poses |= dict(zip(order, bundle.poses, strict=True))
    known = np.isfinite(points[:, 0])
    points[known] = bundle.points[known]


def _without_outliers(bundle: Bundle, most: float) -> Bundle:
    """Drop observations with large errors.

    Points that are then seen fewer than three times are dropped too.
    """
    errors, seen = residuals(bundle)
    good = (np.linalg.norm(errors, axis=1) < most) & (seen[:, 2] > 0)
    count = np.bincount(bundle.numbers[good], minlength=len(bundle.points))
    good &= count[bundle.numbers] >= min(3, len(bundle.poses))
    return Bundle(
        bundle.poses, bundle.points, bundle.focal, bundle.frames[good], bundle.numbers[good], bundle.pixels[good]
    )

"""Outlines of boxes in a camera's picture, and the rule that decides which boxes count as visible.

The rule is taken from STI-Bench, which uses it for Waymo. A box counts as visible if it fulfils five conditions:

- The box has an outline in the picture.
- The box contains at least 5 lidar points.
- At least half of the outline is inside the picture.
- The short side of the outline has at least 12 px in the published clip of 640 x 360 px.
- The outlines of nearer boxes cover at most 60 % of the outline inside the picture.
"""

from dataclasses import dataclass

import numpy as np

from chronotope.geometry import EDGES, corners_at

LEAST_POINTS = 5
_LEAST_INSIDE = 0.5
_LEAST_SIDE = 12.0  # px in the published clip
_LARGEST_COVER = 0.6
_NEAR = 0.1  # m; parts of a box that are nearer to the camera's plane are cut off


@dataclass(frozen=True, eq=False)
class Lens:
    """A camera's intrinsics (3, 3) px, distortion (5,) and picture size in px.

    The distortion is k1 k2 p1 p2 k3, in OpenCV's order.
    """

    intrinsics: np.ndarray
    distortion: np.ndarray
    width: int
    height: int

    def project(self, points: np.ndarray) -> np.ndarray:
        """Project points (..., 3) m to pixels (..., 2).

        The points are in OpenCV camera axes, and all points are in front of the camera (z > 0). The distortion
        polynomial was fitted inside the picture, and outside the picture it is not monotonic. So a point that is
        farther from the axis than every corner of the picture gets the distortion at the farthest corner.
        """
        k1, k2, p1, p2, k3 = self.distortion
        plane = points[..., :2] / points[..., 2:]
        radius = np.linalg.norm(plane, axis=-1)
        x, y = np.moveaxis(plane * np.minimum(1.0, self._radius / np.maximum(radius, 1e-12))[..., None], -1, 0)
        r2 = x * x + y * y
        factor = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
        tangential = np.stack([2 * p1 * x * y + p2 * (r2 + 2 * x * x), p1 * (r2 + 2 * y * y) + 2 * p2 * x * y], -1)
        bent = plane * factor[..., None] + tangential
        return bent @ self.intrinsics[:2, :2].T + self.intrinsics[:2, 2]

    @property
    def _radius(self) -> float:
        """Return the largest distance of a picture corner from the optical axis.

        The distance is measured at a depth of 1, without distortion.
        """
        corners = np.array([[x, y, 1.0] for x in (0, self.width) for y in (0, self.height)])
        return float(np.linalg.norm((corners @ np.linalg.inv(self.intrinsics).T)[:, :2], axis=1).max())


def outlines(lens: Lens, poses: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the axis-aligned rectangles (N, 4) px that enclose boxes.

    A rectangle is x0 y0 x1 y1. The boxes have sizes (N, 3) m and poses camera_T_box (N, 4, 4) in OpenCV axes. A
    rectangle can reach far outside the picture. A box that crosses the camera's plane is cut 0.1 m in front of this
    plane. The rectangle is NaN if no part of the box is more than 0.1 m in front of the camera's plane.
    """
    corners = corners_at(poses, sizes)
    start, end = corners[:, EDGES[:, 0]], corners[:, EDGES[:, 1]]
    along = end[..., 2] - start[..., 2]
    crosses = (start[..., 2] > _NEAR) != (end[..., 2] > _NEAR)
    share = np.where(crosses, (_NEAR - start[..., 2]) / np.where(crosses, along, 1.0), 0.0)
    points = np.concatenate([corners, start + share[..., None] * (end - start)], axis=1)
    shown = np.concatenate([corners[..., 2] > _NEAR, crosses], axis=1)
    safe = np.where(shown[..., None], points, [0.0, 0.0, 1.0])
    pixels = lens.project(safe)
    low = np.where(shown[..., None], pixels, np.inf).min(axis=1)
    high = np.where(shown[..., None], pixels, -np.inf).max(axis=1)
    any_shown = np.asarray(shown.any(axis=1))
    return np.where(any_shown[:, None], np.concatenate([low, high], axis=1), np.nan)


def inside_picture(lens: Lens, rectangles: np.ndarray) -> np.ndarray:
    """Limit rectangles (N, 4) px to the picture.

    A rectangle that is completely outside the picture becomes NaN.
    """
    clipped = np.clip(rectangles, 0.0, [lens.width, lens.height, lens.width, lens.height])
    filled = np.asarray(_area(clipped) > 0)
    return np.where(filled[:, None], clipped, np.nan)


def _area(rectangles: np.ndarray) -> np.ndarray:
    return np.prod(np.maximum(rectangles[..., 2:] - rectangles[..., :2], 0.0), axis=-1)


def visible_boxes(
    lens: Lens,
    clip_scale: tuple[float, float],
    frames: np.ndarray,
    whole: np.ndarray,
    shown: np.ndarray,
    distances: np.ndarray,
    points: np.ndarray,
) -> np.ndarray:
    """Decide which boxes (N,) count as visible.

    The rule is described at the top of this module. The arrays have one row per box: ``frames`` (N,) is the sample of
    the box, and ``whole`` (N, 4) px is the outline of the box. ``shown`` (N, 4) px is the rectangle of the box in the
    picture, NaN if the box is not in the picture. ``distances`` (N,) m are the distances of the centres from the
    camera. ``points`` (N,) are the numbers of lidar points. ``clip_scale`` is the number of px of the published clip
    per px of the picture, along x and y.
    """
    inside = _area(np.nan_to_num(inside_picture(lens, whole))) / np.maximum(np.nan_to_num(_area(whole)), 1e-12)
    sides = (shown[:, 2:] - shown[:, :2]) * clip_scale
    seen = np.isfinite(shown).all(axis=1)
    candidates = seen & (points >= LEAST_POINTS) & (inside >= _LEAST_INSIDE) & (sides.min(axis=1) >= _LEAST_SIDE)
    order = np.argsort(frames[seen], kind="stable")
    rows = np.flatnonzero(seen)[order]
    for group in np.split(rows, np.flatnonzero(np.diff(frames[rows])) + 1):
        for row in group[candidates[group]]:
            nearer = group[distances[group] < distances[row]]
            candidates[row] = _covered(shown[row], shown[nearer]) <= _LARGEST_COVER
    return candidates


def _covered(target: np.ndarray, others: np.ndarray) -> float:
    """Return the covered share (0 to 1) of the rectangle ``target`` (4,).

    The rectangles ``others`` (M, 4) can cover parts of the target, and can overlap each other.
    """
    cut = np.concatenate([np.maximum(others[:, :2], target[:2]), np.minimum(others[:, 2:], target[2:])], axis=1)
    cut = cut[_area(cut) > 0]
    if len(cut) < 2:
        return float(_area(cut).sum() / _area(target))
    xs, ys = np.unique(cut[:, ::2]), np.unique(cut[:, 1::2])
    across = (cut[:, :1] <= xs[:-1]) & (xs[1:] <= cut[:, 2:3])
    down = (cut[:, 1:2] <= ys[:-1]) & (ys[1:] <= cut[:, 3:])
    union = (across[:, :, None] & down[:, None, :]).any(axis=0)
    return float(np.diff(xs) @ union @ np.diff(ys) / _area(target))

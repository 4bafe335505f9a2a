"""Oriented boxes (corners, exact distance, the box around points) and pinhole projection."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from chronotope.geometry.rigid import FloatArray, as_pose

_FLAT = 1e-6  # m; minimum length of an edge: the direction of a shorter edge is undefined
_FITS = 5e-3  # m; maximum distance of a given corner from the corner of the fitted box
_TRIM = 0.005  # share of points that is ignored at each end of each axis

# The corners in units of half the size. If bit 2, 1 or 0 of i is zero, corner i has a negative x, y or z.
_SIGNS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
# The indices (12, 2) of the two corners of each edge.
EDGES = np.array([(i, i | bit) for bit in (4, 2, 1) for i in range(8) if not i & bit])


@dataclass(frozen=True, eq=False)
class Box:
    """An oriented box: centre, size along its own axes, and frame_R_box.

    A size of zero is allowed; the box is then flat.

    Raises:
        ValueError: If an array has a wrong shape, a number is not finite, or a size is negative.
    """

    centre: FloatArray  # (3,) m
    size: FloatArray  # (3,) m: length along its x, width along its y, height along its z
    rotation: FloatArray  # (3, 3)

    def __post_init__(self) -> None:
        for name, shape in (("centre", (3,)), ("size", (3,)), ("rotation", (3, 3))):
            value = np.asarray(getattr(self, name), dtype=float)
            if value.shape != shape or not np.isfinite(value).all():
                raise ValueError(f"The {name} of a box needs finite numbers of shape {shape}; got {value.tolist()}.")
            object.__setattr__(self, name, value)
        if (self.size < 0).any():
            raise ValueError(f"The size of a box cannot be negative; got {self.size.tolist()}.")


def corners(box: Box) -> FloatArray:
    """Return a box's corners (8, 3) m in its outer frame.

    The corners are ordered from (-x, -y, -z) to (x, y, z) of the box's own axes; z changes fastest.
    """
    return box.centre + (_SIGNS * box.size / 2) @ box.rotation.T


def box_from_corners(points: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the size (3,) m and the pose of a box.

    The pose is (4, 4). ``points`` (8, 3) m are the corners of the box, in any order. The z axis of the box is its most
    vertical axis. Of the two other axes, the one nearest to the direction ``right`` (3,) is the x axis.

    Raises:
        ValueError: If the points are not the corners of a box.
    """
    centre = points.mean(axis=0)
    axes = _axes(points)
    up = axes[np.argmax(np.abs(axes[:, 2]))]
    up = up * (1 if up[2] > 0 else -1)
    level = np.array([axis for axis in axes if abs(axis @ up) < 0.5])
    along = level @ right
    nearest = int(np.argmax(np.abs(along)))
    x = level[nearest] * (1 if along[nearest] >= 0 else -1)
    rotation = np.stack([x, np.cross(up, x), up], axis=1)
    reach: np.ndarray = (points - centre) @ rotation
    half = np.abs(reach).max(axis=0)
    found = {tuple(row) for row in np.sign(np.round(reach / _FITS)).tolist()}
    full = 2 ** int((half > _FITS).sum())
    if np.abs(np.abs(reach) - half).max() > _FITS or len(found) < full:
        raise ValueError("The points are not the 8 corners of a box.")
    return 2 * half, as_pose(rotation, centre)


def _axes(points: FloatArray) -> FloatArray:
    """Return the directions (3, 3) of a box's edges, one per row.

    ``points`` are the corners (8, 3) of the box. The edges start at the first corner. Each edge is a vector from the
    first corner to another corner: the shortest of the vectors that are perpendicular to all previous edges. If the box
    is flat, a missing edge is any direction that is perpendicular to the other edges.
    """
    ways = points[1:] - points[0]
    lengths = np.linalg.norm(ways, axis=1)
    taken: list[np.ndarray] = []
    for index in np.argsort(lengths):
        if lengths[index] > _FLAT and len(taken) < 3:
            way = ways[index] / lengths[index]
            if all(abs(way @ other) < 0.02 for other in taken):
                taken.append(way)
    for spare in np.eye(3)[[2, 0, 1]]:
        rest = spare - sum((spare @ axis) * axis for axis in taken)
        if len(taken) < 3 and np.linalg.norm(rest) > 0.5:
            taken.append(rest / np.linalg.norm(rest))
    # The corners are rounded, so the edges are not exactly perpendicular; the nearest perpendicular edges are used.
    u, _, v = np.linalg.svd(np.array(taken))
    return u @ v


def corners_at(poses: ArrayLike, sizes: ArrayLike) -> FloatArray:
    """Return the corners (..., 8, 3) m of boxes with given poses.

    ``poses`` (..., 4, 4) have the centre of a box as origin. ``sizes`` (3,) or (..., 3) m are along the axes of
    each box. The order of the corners is the same as in ``corners``. If a pose is NaN, its corners are NaN.
    """
    poses, half = np.asarray(poses, dtype=float), np.asarray(sizes, dtype=float) / 2
    return (_SIGNS * half[..., None, :]) @ np.swapaxes(poses[..., :3, :3], -1, -2) + poses[..., None, :3, 3]


def _in_box(box: Box, points: ArrayLike) -> FloatArray:
    """Convert points (..., 3) to a box's coordinates, relative to its centre."""
    return (np.asarray(points, dtype=float) - box.centre) @ box.rotation


def box_distance(a: Box, b: Box) -> float:
    """Compute the smallest distance (m) between two solid oriented boxes.

    The distance is zero if the boxes touch or intersect. The distance is exact except for rounding. Two boxes intersect
    if an edge of one box has a point in the other box. If the boxes do not intersect, their nearest points are on a
    corner and a face, or on two edges; the function tries all pairs. Boxes can be flat (a size of zero).
    """
    # Coordinates relative to the centre of `a`, because squares of large coordinates lose digits.
    here = Box(np.zeros(3), a.size, a.rotation)
    there = Box(b.centre - a.centre, b.size, b.rotation)
    if _any_edge_meets(here, there) or _any_edge_meets(there, here):
        return 0.0
    return min(_corner_distance(here, there), _corner_distance(there, here), _edge_distance(here, there))


def _any_edge_meets(edged: Box, solid: Box) -> bool:
    """Check whether an edge of ``edged`` has a point in ``solid``.

    Each edge is clipped by the three slabs of ``solid``.
    """
    ends = _in_box(solid, corners(edged))[EDGES]
    start, along = ends[:, 0], ends[:, 1] - ends[:, 0]
    half = solid.size / 2
    parallel = along == 0
    scale = np.where(parallel, 1.0, along)
    low, high = (-half - start) / scale, (half - start) / scale
    inside = np.abs(start) <= half
    enter = np.where(parallel, np.where(inside, 0.0, np.inf), np.minimum(low, high)).max(axis=1)
    leave = np.where(parallel, np.where(inside, 1.0, -np.inf), np.maximum(low, high)).min(axis=1)
    return bool((np.maximum(enter, 0.0) <= np.minimum(leave, 1.0)).any())


def _corner_distance(cornered: Box, solid: Box) -> float:
    """Compute the smallest distance (m) from one box's corners to the other."""
    outside = np.maximum(np.abs(_in_box(solid, corners(cornered))) - solid.size / 2, 0.0)
    return float(np.linalg.norm(outside, axis=1).min())


def _edge_distance(a: Box, b: Box) -> float:
    """Compute the smallest distance (m) between interior points of two edges.

    Parallel edges are skipped, because for them the distances from the corners are sufficient.
    """
    ends_a, ends_b = corners(a)[EDGES], corners(b)[EDGES]
    p, d = ends_a[:, None, 0], (ends_a[:, 1] - ends_a[:, 0])[:, None]
    q, e = ends_b[None, :, 0], (ends_b[:, 1] - ends_b[:, 0])[None]
    gap = p - q
    dd, ee, de = (d * d).sum(-1), (e * e).sum(-1), (d * e).sum(-1)
    dg, eg = (d * gap).sum(-1), (e * gap).sum(-1)
    spread = dd * ee - de**2
    # Rounding errors of s and t are harmless: the points stay on the edges, so the result is not below the true
    # distance.
    s = np.clip((de * eg - ee * dg) / np.where(spread > 0, spread, 1.0), 0.0, 1.0)
    t = np.clip((s * de + eg) / np.where(ee > 0, ee, 1.0), 0.0, 1.0)
    between = gap + s[..., None] * d - t[..., None] * e
    return float(np.linalg.norm(between, axis=-1).min())


def box_from_points(points: ArrayLike) -> Box:
    """Fit an upright box to ``points`` (N, 3) m; z is up.

    The rule is taken from STI-Bench. Along each axis, points below the 0.5 percentile or above the 99.5 percentile
    are ignored; with at most 200 points, none are ignored. In the ground plane, the box is the rectangle of
    smallest area around the remaining points. Along z, the box reaches from the lowest to the highest remaining
    point. The length of the box is its longer horizontal side. The yaw of the box is the direction of this side, in
    (-pi/2, pi/2].

    Raises:
        ValueError: If there are no points, or a coordinate is not finite.
    """
    cloud = np.asarray(points, dtype=float)
    if cloud.ndim != 2 or cloud.shape[1] != 3 or len(cloud) == 0 or not np.isfinite(cloud).all():
        raise ValueError(f"A box needs at least one point and finite coordinates (N, 3); got shape {cloud.shape}.")
    # Percentiles are not interpolated, because interpolated percentiles would cut off points even if there are few.
    low = np.quantile(cloud, _TRIM, axis=0, method="lower")
    high = np.quantile(cloud, 1 - _TRIM, axis=0, method="higher")
    kept = cloud[((cloud >= low) & (cloud <= high)).all(axis=1)]
    centre, sides, yaw = least_rectangle(kept[:, :2])
    bottom, top = kept[:, 2].min(), kept[:, 2].max()
    c, s = np.cos(yaw), np.sin(yaw)
    return Box(
        np.array([*centre, (bottom + top) / 2]),
        np.array([*sides, top - bottom]),
        np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]),
    )


def least_rectangle(points: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """Find the rectangle of smallest area around ``points`` (N, 2).

    The function returns the centre (2,) of the rectangle, its side lengths (2,) with the longer side first, and its
    yaw (rad). One side of the smallest rectangle is always along an edge of the convex hull, so only the directions
    of these edges are tried.
    """
    origin = points.mean(axis=0)
    hull = _convex_hull(points - origin)
    edges = np.roll(hull, -1, axis=0) - hull
    yaws = np.arctan2(edges[:, 1], edges[:, 0])
    x_axes = np.stack([np.cos(yaws), np.sin(yaws)], axis=-1)
    y_axes = np.stack([-x_axes[:, 1], x_axes[:, 0]], axis=-1)
    along = np.stack([x_axes @ hull.T, y_axes @ hull.T], axis=1)  # (directions, 2, hull)
    low, high = along.min(axis=-1), along.max(axis=-1)
    best = int(np.argmin((high - low).prod(axis=-1)))
    sides, middle = (high - low)[best], (high + low)[best] / 2
    centre = origin + middle[0] * x_axes[best] + middle[1] * y_axes[best]
    yaw = float(yaws[best])
    if sides[1] > sides[0]:
        sides, yaw = sides[::-1], yaw + np.pi / 2
    return centre, sides, float(np.pi / 2 - np.mod(np.pi / 2 - yaw, np.pi))


def _convex_hull(points: FloatArray) -> FloatArray:
    """Return the corners (H, 2) of the convex hull, counter-clockwise.

    The first corner has the smallest x; of several such corners, it is the corner with the smallest y. The hull of
    points on one line has two corners. ``points`` (N, 2) have their mean at the origin.
    """
    from scipy.spatial import ConvexHull, QhullError  # pyright: ignore[reportMissingTypeStubs]

    try:
        corners = ConvexHull(points).vertices
    except QhullError:  # the points lie on one line, or are fewer than three
        end = np.argmax(np.linalg.norm(points, axis=1))
        return points[[end, np.argmax(np.linalg.norm(points - points[end], axis=1))]]
    hull = points[corners]
    return np.roll(hull, -np.lexsort(hull.T[::-1])[0], axis=0)


def project_points(points_camera: ArrayLike, K: ArrayLike) -> FloatArray:
    """Project points (N, 3) m to pixels (N, 2).

    The points are in an OpenCV camera frame. ``K`` (3, 3) are pinhole intrinsics without distortion. The pixel of a
    point that is not in front of the camera (z <= 0) is NaN.
    """
    p = np.asarray(points_camera, dtype=float)
    depth = np.where(p[:, 2] > 0, p[:, 2], np.nan)
    return (p / depth[:, None]) @ np.asarray(K, dtype=float)[:2].T

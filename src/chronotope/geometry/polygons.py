"""Points and polygons of the plane."""

import numpy as np

ON_BORDER = 1e-6  # m: a point this close to the border is on it


def area_of(polygon: np.ndarray) -> float:
    """Return the area (m2) of a polygon (N, 2) m."""
    x, y = polygon.T
    return float(abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2)


def inside(points: np.ndarray, polygon: np.ndarray) -> np.ndarray:
    """Return whether points (..., 2) lie inside a polygon (N, 2).

    The result on the border is undecided.
    """
    x, y = points[..., 0], points[..., 1]
    found = np.zeros(x.shape, bool)
    for (ax, ay), (bx, by) in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        if ay != by:
            found ^= ((ay > y) != (by > y)) & (x < ax + (y - ay) * (bx - ax) / (by - ay))
    return found


def distance_to_border(points: np.ndarray, polygon: np.ndarray) -> np.ndarray:
    """Return the distances (...) of points (..., 2) to a polygon's border.

    ``polygon`` (N, 2) and the points are in m.
    """
    starts = polygon
    ways = np.roll(polygon, -1, axis=0) - starts
    offsets = points[..., None, :] - starts
    squares = np.maximum((ways**2).sum(axis=1), np.finfo(float).tiny)
    along = np.clip((offsets * ways).sum(axis=-1) / squares, 0, 1)
    return np.linalg.norm(offsets - along[..., None] * ways, axis=-1).min(axis=-1)


def well_inside(points: np.ndarray, polygon: np.ndarray) -> np.ndarray:
    """Return whether points lie inside a polygon, not on its border.

    ``points`` (..., 2) and ``polygon`` (N, 2) are in m.
    """
    return inside(points, polygon) & (distance_to_border(points, polygon) > ON_BORDER)

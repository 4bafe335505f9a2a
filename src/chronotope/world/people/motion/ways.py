"""Curves on the floor along which people walk."""

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter1d

from chronotope.errors import InputError

FINE = 0.01  # m, step of a way
ROUND = 0.06  # m, by which corners are rounded
CHORD = 0.12  # m; the heading is that of a chord over twice this length


@dataclass(frozen=True, eq=False)
class Way:
    """A curve on the floor, as points (N, 2) m in even steps; beyond its ends it goes on straight ahead."""

    points: np.ndarray
    step: float

    @property
    def length(self) -> float:
        """Return the length (m) of the curve."""
        return self.step * (len(self.points) - 1)

    def at(self, distance: np.ndarray) -> np.ndarray:
        """Return the points (..., 2) m at distances (...) m from the start."""
        distance = np.asarray(distance, float)
        inner = np.clip(distance, 0.0, self.length)
        number = np.minimum((inner / self.step).astype(int), len(self.points) - 2)
        share = (inner / self.step - number)[..., None]
        point = (1 - share) * self.points[number] + share * self.points[number + 1]
        ahead = self.points[number + 1] - self.points[number]
        return point + (distance - inner)[..., None] / self.step * ahead

    def heading(self, distance: np.ndarray) -> np.ndarray:
        """Return the direction (...) rad of the curve at distances (...) m, without jumps along the curve."""
        grid = np.linspace(0.0, self.length, max(2, round(self.length / FINE)) + 1)
        chords = self.at(grid + CHORD) - self.at(grid - CHORD)
        return np.interp(distance, grid, np.unwrap(np.arctan2(chords[:, 1], chords[:, 0])))

    def radius(self, distance: np.ndarray) -> np.ndarray:
        """Return the radius (...) m of the curve at distances (...) m; it is at most 1000 m."""
        turn = np.abs(self.heading(distance + CHORD) - self.heading(distance - CHORD))
        return 2 * CHORD / np.maximum(turn, 2 * CHORD / 1000.0)


def way_of(points: np.ndarray) -> Way:
    """Return the curve through points (N, 2) m; its corners are rounded a little.

    Raises:
        InputError: If there are fewer than two different points.
    """
    points = np.asarray(points, float)
    if points.ndim != 2 or points.shape[-1] != 2 or len(points) < 2 or not np.isfinite(points).all():
        raise InputError(f"a way has the shape {points.shape}", expected="finite points (N, 2) m, at least two")
    points = points[np.r_[True, (np.diff(points, axis=0) != 0).any(axis=1)]]
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if lengths.sum() < 5 * FINE:
        raise InputError(f"a way is {lengths.sum():.3f} m long", expected=f"at least {5 * FINE} m")
    way, step = _even(points)
    if len(points) > 2:
        # Both ends are mirrored through the end points, which so stay where they are.
        pad = min(len(way) - 1, round(4 * ROUND / step))
        before, after = 2 * way[0] - way[pad:0:-1], 2 * way[-1] - way[-2 : -pad - 2 : -1]
        way = gaussian_filter1d(np.concatenate([before, way, after]), ROUND / step, axis=0)[pad:-pad]
        way, step = _even(way)
    return Way(way, step)


def _even(points: np.ndarray) -> tuple[np.ndarray, float]:
    at = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    grid = np.linspace(0.0, at[-1], max(2, round(at[-1] / FINE)) + 1)
    return np.column_stack([np.interp(grid, at, points[:, axis]) for axis in (0, 1)]), float(grid[1])

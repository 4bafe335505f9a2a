"""The way of a camera or a thing, resampled and smoothed once for every question (specification, section 5)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronotope.families import Refused
from chronotope.families.sti.refusal import Code
from chronotope.families.sti.scale import Scale
from chronotope.geometry import (
    SmoothTrack,
    as_pose,
    path_between,
    path_length,
    positions_at,
    resample,
    slerp,
    smooth,
    split_at_gaps,
)

__all__ = ["Piece", "Track", "track_of"]

GRID_RATE = 10.0  # Hz; the grid of derivatives and paths is min(fps, GRID_RATE)
MAX_GAP = 0.5  # s without a pose that splits a track
_EPSILON = 1e-6  # s


@dataclass(frozen=True, eq=False)
class Piece:
    """A stretch without gaps: the valid samples (times (T,) s, poses (T, 4, 4)) and their smoothed grid."""

    times: np.ndarray
    poses: np.ndarray
    rate: float
    unsmoothed: np.ndarray  # (G, 3) m, the resampled positions before smoothing
    smoothed: SmoothTrack

    def covers(self, start: float, end: float) -> bool:
        """Whether no value between the two times would be extrapolated."""
        grid = self.smoothed.times
        return bool(grid[0] - _EPSILON <= start and end <= grid[-1] + _EPSILON)

    def _clip(self, times: np.ndarray | float) -> np.ndarray:
        return np.clip(times, self.smoothed.times[0], self.smoothed.times[-1])

    def positions(self, times: np.ndarray) -> np.ndarray:
        """Smoothed positions (K, 3) m in the world."""
        return positions_at(self.smoothed, self._clip(times))

    def poses_at(self, times: np.ndarray) -> np.ndarray:
        """Poses in the world (K, 4, 4): smoothed positions, rotations by slerp between the samples."""
        return as_pose(self._rotations(np.clip(times, self.times[0], self.times[-1])), self.positions(times))

    @cached_property
    def _rotations(self) -> Callable[[ArrayLike], NDArray[np.float64]]:
        return slerp(self.times, self.poses[:, :3, :3])

    def speed(self, time: float) -> float:
        """|dp/dt| (m/s) of the local quadratic."""
        return float(np.linalg.norm(self._derivative(self.smoothed.velocities, time)))

    def tangential_acceleration(self, time: float) -> float:
        """Change of speed per second (m/s²) of the local quadratic, along the direction of motion; NaN without one."""
        velocity = self._derivative(self.smoothed.velocities, time)
        speed = float(np.linalg.norm(velocity))
        return float(self._derivative(self.smoothed.accelerations, time) @ velocity) / speed if speed > 0 else np.nan

    def _derivative(self, values: np.ndarray, time: float) -> np.ndarray:
        at = float(self._clip(time))
        return np.array([np.interp(at, self.smoothed.times, column) for column in values.T])

    def path(self, start: float, end: float) -> float:
        """Length (m) of the smoothed way between two times."""
        low, high = self._clip(np.array([start, end]))
        return path_between(self.smoothed, float(low), float(high))

    def raw_path(self, start: float, end: float) -> float:
        """Length (m) of the way through the source's own samples between two times."""
        inside = self.times[(self.times > start) & (self.times < end)]
        at = np.clip(np.concatenate([[start], inside, [end]]), self.times[0], self.times[-1])
        return path_length(np.stack([np.interp(at, self.times, self.poses[:, i, 3]) for i in range(3)], axis=-1))

    def _window(self, start: float, end: float) -> np.ndarray:
        grid = self.smoothed.times
        return (grid >= start - _EPSILON) & (grid <= end + _EPSILON)

    def noise(self, start: float, end: float) -> float:
        """Root mean square distance (m) between the positions before and after smoothing."""
        inside = self._window(start, end)
        gap = self.unsmoothed[inside] - self.smoothed.positions[inside]
        return float(np.sqrt((gap**2).sum(1).mean()))

    def wander(self, start: float, end: float) -> float:
        """Largest distance (m) from the median position."""
        inside = self.unsmoothed[self._window(start, end)]
        return float(np.linalg.norm(inside - np.median(inside, axis=0), axis=1).max())

    def rests(self, start: float, end: float, still: float, slow: float) -> bool:
        """Whether it stays within ``still`` (m) of one place, and goes slower than ``slow`` (m/s) on average."""
        speeds = np.linalg.norm(self.smoothed.velocities[self._window(start, end)], axis=1)
        return self.wander(start, end) < still and float(speeds.mean()) < slow


@dataclass(frozen=True, eq=False)
class Track:
    """All pieces of a way, with the constants of its kind of scene; ``still`` (m) is how far one at rest may wander."""

    scale: Scale
    still: float
    pieces: tuple[Piece, ...]

    def piece(self, start: float, end: float) -> Piece:
        """The piece that covers a window; refused where the window spans a gap or ends where no pose is known."""
        for piece in self.pieces:
            if piece.covers(start, end):
                return piece
        ends_known = [any(piece.covers(time, time) for piece in self.pieces) for time in (start, end)]
        raise Refused(Code.TRACK_GAP if all(ends_known) else Code.INVALID_POSE)

    def moving(self, start: float, end: float) -> Piece:
        """The piece that covers a window; refused where it is at rest then, too."""
        piece = self.piece(start, end)
        if piece.rests(start, end, self.still, self.scale.slow):
            raise Refused(Code.STATIONARY)
        return piece


def track_of(
    times: np.ndarray, poses: np.ndarray, valid: np.ndarray, fps: float | None, scale: Scale, still: float
) -> Track:
    """Split poses (T, 4, 4) at times (T,) s where ``valid`` (T,) at their gaps, resample each piece and smooth it.

    Pieces shorter than the smoothing window are left out: no derivative is known there.
    """
    rate = min(fps or GRID_RATE, GRID_RATE)
    pieces: list[Piece] = []
    for part in split_at_gaps(times, valid, MAX_GAP):
        if times[part[-1]] - times[part[0]] < max(scale.smoothing, 2 / rate):
            continue
        grid, on_grid = resample(times[part], poses[part], rate)
        positions = on_grid[:, :3, 3]
        try:
            smoothed = smooth(grid, positions, scale.smoothing)
        except ValueError:
            continue
        pieces.append(Piece(times[part], poses[part], rate, positions, smoothed))
    return Track(scale, still, tuple(pieces))

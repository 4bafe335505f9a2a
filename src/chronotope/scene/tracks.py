"""The track of a camera or a thing: split at gaps, resampled and smoothed once."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
from chronotope.question import Reason, Refused
from chronotope.recording import Entity, Kind, Recording

__all__ = ["GRID_RATE", "MOTION_LIMITS", "MotionLimits", "Piece", "Track", "camera_track", "thing_track", "track_of"]

GRID_RATE = 10.0  # Hz; the grid of derivatives and paths is min(fps, GRID_RATE)
MAX_GAP = 0.5  # s without a pose that splits a track
_EPSILON = 1e-6  # s


@dataclass(frozen=True)
class MotionLimits:
    """Limits that depend on the scene's size: smoothing and rest.

    - ``smoothing`` (s): the window of the Savitzky-Golay filter.
    - ``still_camera``, ``still_thing`` (m): how far the position of a resting camera or thing may vary.
    - ``slow`` (m/s): the speed below which either may be at rest. It is a fifth of the least gap between two speeds
      that STI-Bench offers, so that a rest printed as zero is nearer to zero than to any other option.
    """

    smoothing: float
    still_camera: float
    still_thing: float
    slow: float


MOTION_LIMITS = {
    Kind.DESKTOP: MotionLimits(smoothing=0.5, still_camera=0.005, still_thing=0.005, slow=0.001),
    Kind.INDOOR: MotionLimits(smoothing=0.5, still_camera=0.03, still_thing=0.03, slow=0.01),
    Kind.OUTDOOR: MotionLimits(smoothing=1.0, still_camera=0.05, still_thing=0.5, slow=0.1),
}


@dataclass(frozen=True, eq=False)
class Piece:
    """A stretch without gaps: its valid samples and their smoothed grid.

    Samples are times (T,) s and poses (T, 4, 4).
    """

    times: np.ndarray
    poses: np.ndarray
    rate: float
    unsmoothed: np.ndarray  # (G, 3) m, the resampled positions before smoothing
    smoothed: SmoothTrack

    def covers(self, start: float, end: float) -> bool:
        """Check whether no value between the two times (s) would be extrapolated."""
        grid = self.smoothed.times
        return bool(grid[0] - _EPSILON <= start and end <= grid[-1] + _EPSILON)

    def _clip(self, times: np.ndarray | float) -> np.ndarray:
        return np.clip(times, self.smoothed.times[0], self.smoothed.times[-1])

    def positions(self, times: np.ndarray) -> np.ndarray:
        """Return the smoothed positions (K, 3) m in the world."""
        return positions_at(self.smoothed, self._clip(times))

    def poses_at(self, times: np.ndarray) -> np.ndarray:
        """Return the poses in the world (K, 4, 4).

        Positions are smoothed; rotations are slerped between the samples.
        """
        return as_pose(self._rotations(np.clip(times, self.times[0], self.times[-1])), self.positions(times))

    @cached_property
    def _rotations(self) -> Callable[[ArrayLike], NDArray[np.float64]]:
        return slerp(self.times, self.poses[:, :3, :3])

    def speed(self, time: float) -> float:
        """Return |dp/dt| (m/s) of the local quadratic."""
        return float(np.linalg.norm(self._derivative(self.smoothed.velocities, time)))

    def tangential_acceleration(self, time: float) -> float:
        """Return the change of speed per second (m/s²).

        It is that of the local quadratic; NaN at rest.
        """
        velocity = self._derivative(self.smoothed.velocities, time)
        speed = float(np.linalg.norm(velocity))
        return float(self._derivative(self.smoothed.accelerations, time) @ velocity) / speed if speed > 0 else np.nan

    def _derivative(self, values: np.ndarray, time: float) -> np.ndarray:
        at = float(self._clip(time))
        return np.array([np.interp(at, self.smoothed.times, column) for column in values.T])

    def path(self, start: float, end: float) -> float:
        """Return the length (m) of the smoothed path between two times (s)."""
        low, high = self._clip(np.array([start, end]))
        return path_between(self.smoothed, float(low), float(high))

    def raw_path(self, start: float, end: float) -> float:
        """Return the path length (m) through the source's own samples.

        It is the path from one time (s) to another.
        """
        inside = self.times[(self.times > start) & (self.times < end)]
        at = np.clip(np.concatenate([[start], inside, [end]]), self.times[0], self.times[-1])
        return path_length(np.stack([np.interp(at, self.times, self.poses[:, i, 3]) for i in range(3)], axis=-1))

    def _window(self, start: float, end: float) -> np.ndarray:
        grid = self.smoothed.times
        return (grid >= start - _EPSILON) & (grid <= end + _EPSILON)

    def noise(self, start: float, end: float) -> float:
        """Return how far (m, root mean square) smoothing moves positions."""
        inside = self._window(start, end)
        gap = self.unsmoothed[inside] - self.smoothed.positions[inside]
        return float(np.sqrt((gap**2).sum(1).mean()))

    def wander(self, start: float, end: float) -> float:
        """Return the largest distance (m) from the median position."""
        inside = self.unsmoothed[self._window(start, end)]
        return float(np.linalg.norm(inside - np.median(inside, axis=0), axis=1).max())

    def rests(self, start: float, end: float, still: float, slow: float) -> bool:
        """Check whether it rests.

        At rest it stays within ``still`` (m) of one place, and is slower than ``slow`` (m/s) on average.
        """
        speeds = np.linalg.norm(self.smoothed.velocities[self._window(start, end)], axis=1)
        return self.wander(start, end) < still and float(speeds.mean()) < slow


@dataclass(frozen=True, eq=False)
class Track:
    """All pieces of a track through a scene of one ``kind``.

    ``still`` (m) is how far its position may vary at rest.
    """

    kind: Kind
    still: float
    pieces: tuple[Piece, ...]

    @property
    def limits(self) -> MotionLimits:
        """Return the limits of its kind of scene."""
        return MOTION_LIMITS[self.kind]

    def piece(self, start: float, end: float) -> Piece:
        """Return the piece that covers a window (s).

        Raises:
            Refused: If the window contains a gap (TRACK_GAP), or no pose is known at its start or end (INVALID_POSE).
        """
        for piece in self.pieces:
            if piece.covers(start, end):
                return piece
        ends_known = [any(piece.covers(time, time) for piece in self.pieces) for time in (start, end)]
        raise Refused(Reason.TRACK_GAP if all(ends_known) else Reason.INVALID_POSE)

    def moving(self, start: float, end: float) -> Piece:
        """Return the piece that covers a window (s).

        Raises:
            Refused: As ``piece``, and if it is at rest in the window (STATIONARY).
        """
        piece = self.piece(start, end)
        if piece.rests(start, end, self.still, self.limits.slow):
            raise Refused(Reason.STATIONARY)
        return piece


def track_of(
    times: np.ndarray, poses: np.ndarray, valid: np.ndarray, fps: float | None, kind: Kind, still: float
) -> Track:
    """Split poses (T, 4, 4) at gaps, resample and smooth each piece.

    ``times`` are (T,) s; ``valid`` (T,) bool states which poses are known; ``kind`` and ``still`` (m) go into the
    Track. Pieces shorter than the smoothing window are omitted, because they have no derivatives.
    """
    rate, smoothing = min(fps or GRID_RATE, GRID_RATE), MOTION_LIMITS[kind].smoothing
    pieces: list[Piece] = []
    for part in split_at_gaps(times, valid, MAX_GAP):
        if times[part[-1]] - times[part[0]] < max(smoothing, 2 / rate):
            continue
        grid, on_grid = resample(times[part], poses[part], rate)
        positions = on_grid[:, :3, 3]
        try:
            smoothed = smooth(grid, positions, smoothing)
        except ValueError:
            continue
        pieces.append(Piece(times[part], poses[part], rate, positions, smoothed))
    return Track(kind, still, tuple(pieces))


def camera_track(recording: Recording) -> Track:
    """Follow the camera of a recording."""
    kind, poses = recording.kind, recording.world_T_camera
    still = MOTION_LIMITS[kind].still_camera
    return track_of(recording.times, poses, recording.valid, recording.fps, kind, still)


def thing_track(recording: Recording, entity: Entity) -> Track:
    """Follow the centre of an entity's box."""
    kind, poses = recording.kind, np.broadcast_to(entity.poses, (len(recording.times), 4, 4))
    known = np.asarray(np.isfinite(poses).all(axis=(1, 2)))
    return track_of(recording.times, poses, known, recording.fps, kind, MOTION_LIMITS[kind].still_thing)

"""The track of a camera or a thing: its poses, split at gaps, resampled and smoothed once."""

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
    rotation_angle,
    slerp,
    smooth,
    split_at_gaps,
)
from chronotope.question import Reason, Refused
from chronotope.recording import Entity, Kind, Recording

GRID_RATE = 10.0  # Hz; derivatives and paths use a grid with the rate min(fps, GRID_RATE)
MAX_GAP = 0.5  # a longer time (s) without a pose splits a track
_EPSILON = 1e-6  # s, and m
LEAST_STEPS = 10  # steps of a camera that moves in steps
LEAST_TURN = 0.05  # rad, of such a camera in one frame
_SAME_STEP = 1e-3  # m and rad; steps and turns that differ by less are equal


@dataclass(frozen=True)
class MotionLimits:
    """Limits for smoothing and rest, which depend on the size class of the scene.

    - ``smoothing`` (s): the window of the Savitzky-Golay filter.
    - ``still_camera``, ``still_thing`` (m): the largest variation in the position of a camera or thing at rest.
    - ``slow`` (m/s): the speed below which a camera or thing can be at rest. The value is a fifth of the smallest
      gap between two speeds in the options of STI-Bench. So a speed that counts as rest, and is printed as zero, is
      nearer to zero than to any other option.
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
    """A piece of a track without gaps: its valid samples, and a smoothed track on a uniform grid.

    ``times`` (T,) s and ``poses`` (T, 4, 4) are the samples.
    """

    times: np.ndarray
    poses: np.ndarray
    rate: float
    unsmoothed: np.ndarray  # (G, 3) m, the resampled positions before smoothing
    smoothed: SmoothTrack

    def covers(self, start: float, end: float) -> bool:
        """Check whether this piece covers the interval between two times (s)."""
        grid = self.smoothed.times
        return bool(grid[0] - _EPSILON <= start and end <= grid[-1] + _EPSILON)

    def _clip(self, times: np.ndarray | float) -> np.ndarray:
        return np.clip(times, self.smoothed.times[0], self.smoothed.times[-1])

    def positions(self, times: np.ndarray) -> np.ndarray:
        """Return the smoothed positions (K, 3) m in the world."""
        return positions_at(self.smoothed, self._clip(times))

    def poses_at(self, times: np.ndarray) -> np.ndarray:
        """Return the world poses (K, 4, 4) at times (K,) s.

        Positions are smoothed. Rotations are interpolated between the samples by slerp.
        """
        return as_pose(self._rotations(np.clip(times, self.times[0], self.times[-1])), self.positions(times))

    @cached_property
    def _rotations(self) -> Callable[[ArrayLike], NDArray[np.float64]]:
        return slerp(self.times, self.poses[:, :3, :3])

    def speed(self, time: float) -> float:
        """Return the speed (m/s) at one time (s), from the smoothed track."""
        return float(np.linalg.norm(self._derivative(self.smoothed.velocities, time)))

    def tangential_acceleration(self, time: float) -> float:
        """Return the change of speed per second (m/s²) at one time (s).

        The change is computed from the smoothed track. The result is NaN at rest.
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

        ``start`` and ``end`` (s) are the two ends of the path.
        """
        inside = self.times[(self.times > start) & (self.times < end)]
        at = np.clip(np.concatenate([[start], inside, [end]]), self.times[0], self.times[-1])
        return path_length(np.stack([np.interp(at, self.times, self.poses[:, i, 3]) for i in range(3)], axis=-1))

    def _window(self, start: float, end: float) -> np.ndarray:
        grid = self.smoothed.times
        return (grid >= start - _EPSILON) & (grid <= end + _EPSILON)

    def noise(self, start: float, end: float) -> float:
        """Return the typical distance (m) by which smoothing moves positions.

        The result is the root mean square of these distances between two times (s).
        """
        inside = self._window(start, end)
        if not inside.any():
            return np.inf
        gap = self.unsmoothed[inside] - self.smoothed.positions[inside]
        return float(np.sqrt((gap**2).sum(1).mean()))

    def wander(self, start: float, end: float) -> float:
        """Return the largest distance (m) from the median position.

        The positions are the positions between two times (s), before smoothing.
        """
        inside = self.unsmoothed[self._window(start, end)]
        return float(np.linalg.norm(inside - np.median(inside, axis=0), axis=1).max())

    def rests(self, start: float, end: float, still: float, slow: float) -> bool:
        """Check whether it is at rest between two times (s).

        At rest, the position of the camera or thing stays within ``still`` (m) of the median position, and the mean
        speed is less than ``slow`` (m/s).
        """
        speeds = np.linalg.norm(self.smoothed.velocities[self._window(start, end)], axis=1)
        return self.wander(start, end) < still and float(speeds.mean()) < slow


@dataclass(frozen=True, eq=False)
class Track:
    """All pieces of a track through a scene with the size class ``kind``.

    ``still`` (m) is the largest variation in the position at rest.
    """

    kind: Kind
    still: float
    pieces: tuple[Piece, ...]

    @property
    def limits(self) -> MotionLimits:
        """Return the limits of motion for the size class of the scene."""
        return MOTION_LIMITS[self.kind]

    def piece(self, start: float, end: float) -> Piece:
        """Return the piece of the track that covers a time window (s).

        Raises:
            Refused: If the window contains a gap (TRACK_GAP), or if no pose is known at its start or end
            (INVALID_POSE).
        """
        for piece in self.pieces:
            if piece.covers(start, end):
                return piece
        ends_known = [any(piece.covers(time, time) for piece in self.pieces) for time in (start, end)]
        raise Refused(Reason.TRACK_GAP if all(ends_known) else Reason.INVALID_POSE)

    def moving(self, start: float, end: float) -> Piece:
        """Return the piece that covers a time window (s) with motion.

        Raises:
            Refused: If the camera or thing is at rest in the window (STATIONARY), if the window contains a gap
                (TRACK_GAP), or if no pose is known at its start or end (INVALID_POSE).
        """
        piece = self.piece(start, end)
        if piece.rests(start, end, self.still, self.limits.slow):
            raise Refused(Reason.STATIONARY)
        return piece


def track_of(
    times: np.ndarray, poses: np.ndarray, valid: np.ndarray, fps: float | None, kind: Kind, still: float
) -> Track:
    """Make a track: split poses (T, 4, 4) at gaps, then smooth.

    ``times`` are (T,) s. ``valid`` (T,) bool is True for the known poses. ``kind`` and ``still`` (m) become fields
    of the track. Pieces shorter than the smoothing window are omitted, because they have no derivatives.
    """
    rate, smoothing = min(fps or GRID_RATE, GRID_RATE), MOTION_LIMITS[kind].smoothing
    pieces: list[Piece] = []
    for part in split_at_gaps(times, valid, MAX_GAP):
        if times[part[-1]] - times[part[0]] < max(smoothing, 2 / rate):
            continue
        # The rate of a recording with gaps is far below the rate within its parts.
        own = float((len(part) - 1) / (times[part[-1]] - times[part[0]]))
        own = min(own, GRID_RATE) if own > 1.5 * rate else rate
        grid, on_grid = resample(times[part], poses[part], own)
        positions = on_grid[:, :3, 3]
        try:
            smoothed = smooth(grid, positions, smoothing)
        except ValueError:
            continue
        pieces.append(Piece(times[part], poses[part], own, positions, smoothed))
    return Track(kind, still, tuple(pieces))


def camera_track(recording: Recording) -> Track:
    """Return the track of a recording's camera."""
    kind, poses = recording.kind, recording.world_T_camera
    still = MOTION_LIMITS[kind].still_camera
    return track_of(recording.times, poses, recording.valid, recording.fps, kind, still)


def thing_track(recording: Recording, entity: Entity) -> Track:
    """Return the track of the centre of an entity's box."""
    kind, poses = recording.kind, np.broadcast_to(entity.poses, (len(recording.times), 4, 4))
    known = np.asarray(np.isfinite(poses).all(axis=(1, 2)))
    return track_of(recording.times, poses, known, recording.fps, kind, MOTION_LIMITS[kind].still_thing)


@dataclass(frozen=True)
class Steps:
    """The length (m) of each step, and the angle (rad) of each turn, of a camera that moves in steps."""

    length: float
    turn: float


def moves_in_steps(recording: Recording) -> bool:
    """Check whether the camera jumps by equal steps and turns (``steps_of``)."""
    return steps_of(recording) is not None


def steps_of(recording: Recording) -> Steps | None:
    """Return the size of the steps and turns of a camera, or None.

    The result is None unless the camera jumps by equal steps and equal turns, as simulated agents do: between two
    frames it moves by one length, or turns by one angle. Paths and turns of such a camera are whole numbers of steps.
    """
    poses = recording.world_T_camera[recording.valid]
    steps = np.linalg.norm(np.diff(poses[:, :3, 3], axis=0), axis=1)
    walked = steps > _EPSILON
    if walked.sum() < LEAST_STEPS or walked.all():
        return None
    turned = rotation_angle(poses[:-1, :3, :3].transpose(0, 2, 1) @ poses[1:, :3, :3])
    is_even = turned[walked].max() < _SAME_STEP and np.ptp(steps[walked]) < _SAME_STEP
    if not is_even or np.ptp(turned[~walked]) >= _SAME_STEP or turned[~walked].max() <= LEAST_TURN:
        return None
    return Steps(float(np.median(steps[walked])), float(np.median(turned[~walked])))

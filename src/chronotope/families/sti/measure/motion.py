"""Measurements of the distance, speed and direction of a moving camera or thing.

A measurement that is not reliable raises Refused with a reason. The labels in brackets, such as (d1), are the paper's
names of the rules.
"""

from math import radians

import numpy as np

from chronotope.families.sti.refusal import Code
from chronotope.families.sti.scale import SCALES
from chronotope.geometry import elevation, forward_of, heading, relative_pose, rotation_angle, wrap_angle
from chronotope.question import Reason, Refused
from chronotope.scene import Piece, Track

NOISE_FACTOR = 3.0
UNSTABLE_SHARE = 0.1
STEEPEST_VIEW = radians(75)
LARGEST_STEP = radians(60)
HALF_TURN_MARGIN = radians(10)
LEAST_TURN_OF_POSE = radians(5)


def _above_limits(track: Track, value: float, noise: float) -> float:
    """Return ``value`` if it is large enough for a question.

    Raises:
        Refused: If the value is smaller than three times the noise, or smaller than the minimum gap between options.
    """
    if not value >= NOISE_FACTOR * noise:  # also true for NaN
        raise Refused(Code.MOTION_BELOW_NOISE)
    if value < SCALES[track.kind].nearest[0]:
        raise Refused(Code.BELOW_PRECISION)
    return value


def displacement(track: Track, start: float, end: float) -> float:
    """Measure the straight distance (m) between two smoothed positions (d1)."""
    piece = track.moving(start, end)
    first, last = piece.positions(np.array([start, end]))
    return _above_limits(track, float(np.linalg.norm(last - first)), piece.noise(start, end))


def _stable_path(track: Track, start: float, end: float) -> tuple[float, float]:
    """Return the length of the smoothed path, and its noise (m).

    Raises:
        Refused: If the smoothed and the original path have clearly different lengths.
    """
    piece = track.moving(start, end)
    length = piece.path(start, end)
    if abs(piece.raw_path(start, end) - length) > max(UNSTABLE_SHARE * length, SCALES[track.kind].nearest[0]):
        raise Refused(Code.PATH_UNSTABLE)
    return length, piece.noise(start, end)


def path(track: Track, start: float, end: float) -> float:
    """Measure the length (m) of the smoothed path between two times (d2)."""
    return _above_limits(track, *_stable_path(track, start, end))


def average_speed(track: Track, start: float, end: float) -> float:
    """Measure the average speed (m/s): path length divided by time (e1)."""
    length, noise = _stable_path(track, start, end)
    return _above_limits(track, length / (end - start), noise / (end - start))


def _instant(track: Track, time: float) -> tuple[Piece, float]:
    """Return the track around one time, and its noise (m).

    Raises:
        Refused: If the camera or thing is at rest at this time and shortly before and after it.
    """
    half = track.limits.smoothing / 2
    piece = track.piece(time - half, time + half)
    if piece.speed(time) < track.limits.slow:
        track.moving(time - half, time + half)
    return piece, piece.noise(time - half, time + half)


def speed(track: Track, time: float) -> float:
    """Measure the speed (m/s) at one time (e2).

    The speed comes from a quadratic function that is fitted to the positions around this time.
    """
    piece, noise = _instant(track, time)
    return _above_limits(track, piece.speed(time), noise / track.limits.smoothing)


def average_acceleration(track: Track, start: float, end: float) -> float:
    """Measure the average acceleration along the path (m/s²).

    The acceleration is the change of speed divided by the time, and is positive if the speed grows.
    """
    piece = track.moving(start, end)
    value = (piece.speed(end) - piece.speed(start)) / (end - start)
    if abs(value) * (end - start) < SCALES[track.kind].speed_change:
        raise Refused(Code.MOTION_BELOW_NOISE)
    # The speeds at both ends are as noisy as the speed at one moment.
    noise = 2**0.5 * piece.noise(start, end) / track.limits.smoothing / (end - start)
    _above_limits(track, abs(value), noise)
    return value


def tangential_acceleration(track: Track, time: float) -> float:
    """Measure the rate of change of the speed (m/s²) at one time.

    The rate comes from a quadratic function that is fitted to the positions around this time.
    """
    piece, noise = _instant(track, time)
    value = piece.tangential_acceleration(time)
    _above_limits(track, abs(value), noise / track.limits.smoothing**2)
    return value


def turn(track: Track, up: np.ndarray, start: float, end: float) -> float:
    """Measure the change of the viewing direction's azimuth (rad).

    The azimuth is the angle about ``up`` (3,). The change is positive to the left.

    Raises:
        Refused: If the camera faces too steeply up or down at either time, the azimuth jumps, or the change from start
            to end is more than 170°: a turn of 240° to the right ends like a turn of 120° to the left.
    """
    piece = track.piece(start, end)
    inside = piece.times[(piece.times > start) & (piece.times < end)]
    forward = forward_of(piece.poses_at(np.concatenate([[start], inside, [end]])))
    azimuth = heading(forward, up)
    if np.abs(elevation(forward[[0, -1]], up)).max() > STEEPEST_VIEW:
        raise Refused(Code.DEGENERATE_VIEW)
    steps = wrap_angle(np.diff(azimuth))
    if np.abs(steps).max() >= LARGEST_STEP:
        raise Refused(Code.DEGENERATE_VIEW)
    change = float(steps.sum())
    if abs(change) >= np.pi - HALF_TURN_MARGIN:
        raise Refused(Code.DEGENERATE_VIEW)
    return change


def pose_change(track: Track, start: float, end: float) -> tuple[np.ndarray, np.ndarray]:
    """Return world_T_camera (4, 4) at two times.

    Raises:
        Refused: If the camera hardly moved and hardly turned between the two times.
    """
    first, last = track.piece(start, end).poses_at(np.array([start, end]))
    if hardly_moved(track, first, last):
        raise Refused(Reason.STATIONARY)
    return first, last


def hardly_moved(track: Track, first: np.ndarray, last: np.ndarray) -> bool:
    """Check whether the motion between two poses is too small.

    The motion is too small if both the translation and the rotation are too small.
    """
    step = relative_pose(first, last)
    moved = float(np.linalg.norm(step[:3, 3]))
    return moved < SCALES[track.kind].nearest[0] and float(rotation_angle(step[:3, :3])) < LEAST_TURN_OF_POSE

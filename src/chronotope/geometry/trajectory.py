# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false
"""Trajectories: lengths and turns, gaps, uniform grids, and smoothing by local quadratics."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronotope.geometry.directions import wrap_angle
from chronotope.geometry.rigid import FloatArray, interpolate_linearly, interpolate_pose

_STAMP_ERROR = 1e-6  # seconds; precision of time stamps: sources state times in microseconds
_WHOLE = 1e-4  # a number of samples is rounded up if it is below a whole number by at most this


def path_length(positions: ArrayLike) -> float:
    """Compute the length (m) of the polyline through ``positions`` (T, 3) m.

    The length is zero for fewer than two positions.
    """
    return float(np.linalg.norm(np.diff(np.asarray(positions, dtype=float), axis=0), axis=-1).sum())


def displacement(positions: ArrayLike) -> float:
    """Compute the straight-line distance (m) from first to last position.

    ``positions`` is (T, 3) m.
    """
    p = np.asarray(positions, dtype=float)
    return float(np.linalg.norm(p[-1] - p[0]))


def accumulated_turn(headings: ArrayLike) -> float:
    """Add up the turns (rad, left positive) between ``headings`` (T,) rad.

    Each turn between two headings is the shorter of the two possible turns.
    """
    return float(wrap_angle(np.diff(np.asarray(headings, dtype=float))).sum())


def split_at_gaps(times: ArrayLike, valid: ArrayLike, max_gap: float) -> list[NDArray[np.intp]]:
    """Split the indices of valid samples at gaps longer than ``max_gap`` s.

    ``times`` (T,) s increase. ``valid`` is (T,) bool. Each part of the result has only valid samples, in order. A
    gap that is longer than ``max_gap`` by less than a microsecond (the precision of time stamps) is ignored.
    """
    known = np.flatnonzero(np.asarray(valid, dtype=bool))
    if len(known) == 0:
        return []
    steps = np.diff(np.asarray(times, dtype=float)[known])
    return np.split(known, np.flatnonzero(steps > max_gap + _STAMP_ERROR) + 1)


def resample(times: ArrayLike, poses: ArrayLike, rate: float) -> tuple[FloatArray, FloatArray]:
    """Resample poses (T, 4, 4) to a uniform grid of ``rate`` Hz.

    The function returns the times of the grid (G,) s and its poses (G, 4, 4). The grid starts at the first sample
    and never goes beyond the last sample. Translations are interpolated linearly, and rotations by slerp.

    Raises:
        ValueError: If ``rate`` is not positive, or if the samples cannot be interpolated.
    """
    t = np.asarray(times, dtype=float)
    if not rate > 0 or len(t) == 0:
        raise ValueError(f"A grid needs a rate above zero Hz and at least one sample; got {rate} Hz, {len(t)} samples.")
    steps = int(np.floor((t[-1] - t[0]) * rate + _WHOLE))
    grid = np.minimum(t[0] + np.arange(steps + 1) / rate, t[-1])
    return grid, interpolate_pose(t, poses, grid)


@dataclass(frozen=True, eq=False)
class SmoothTrack:
    """A smoothed trajectory on a uniform grid, with its derivatives.

    The derivatives and the positions come from the same local quadratics.
    """

    times: FloatArray  # (G,) s
    positions: FloatArray  # (G, 3) m
    velocities: FloatArray  # (G, 3) m/s
    accelerations: FloatArray  # (G, 3) m/s²


def smooth(times: ArrayLike, positions: ArrayLike, window: float) -> SmoothTrack:
    """Smooth ``positions`` (G, 3) m by local quadratics over ``window`` s.

    ``times`` (G,) s are a uniform grid. The filter is a centred Savitzky-Golay filter of order 2, as in STI-Bench.
    The half-width of the filter is floor(window * rate / 2) samples, but at least 1. In this formula, rate is the
    number of samples per second. For example, at 10 Hz a window of 0.5 s has 5 samples, and a window of 1.0 s has
    11. At each end of the grid, the quadratic of the outermost full window is used. With a half-width of 1, the
    quadratic passes through three samples, so the positions do not change, and the derivatives are central
    differences.

    Raises:
        ValueError: If the grid is not uniform, or if it is shorter than the window.
    """
    # Not at the top, because this import takes over a second, and few commands need it.
    from scipy.signal import savgol_filter

    t = np.asarray(times, dtype=float)
    p = np.asarray(positions, dtype=float)
    if p.shape != (len(t), 3) or not np.isfinite(p).all():
        raise ValueError(f"Smoothing needs one finite position (3 numbers) per time; got {p.shape} for {len(t)} times.")
    if len(t) < 3:
        raise ValueError(f"The trajectory has {len(t)} samples, but the smallest smoothing window has 3 samples.")
    step = float(t[-1] - t[0]) / (len(t) - 1)
    if not (np.abs(np.diff(t) - step) < 0.01 * step).all():
        raise ValueError("Smoothing needs a uniform grid of times: resample the trajectory first.")
    half = max(1, int(np.floor(window / step / 2 + _WHOLE)))
    length = 2 * half + 1
    if len(t) < length:
        raise ValueError(f"The trajectory has {len(t)} samples, but the smoothing window has {length} samples.")
    origin = p[0]  # subtracted below, because the filter loses digits of large coordinates
    smoothed, velocity, acceleration = (
        np.asarray(savgol_filter(p - origin, length, 2, deriv=order, delta=step, axis=0, mode="interp"), dtype=float)
        for order in range(3)
    )
    return SmoothTrack(t, smoothed + origin, velocity, acceleration)


def positions_at(track: SmoothTrack, times: ArrayLike) -> FloatArray:
    """Return smoothed positions (K, 3) m at ``times`` (K,) s.

    Positions are interpolated linearly between the samples.

    Raises:
        ValueError: If a time is outside the track.
    """
    return interpolate_linearly(track.times, track.positions, times)


def path_between(track: SmoothTrack, t0: float, t1: float) -> float:
    """Compute the length (m) of the smoothed path from ``t0`` to ``t1``.

    The times ``t0`` and ``t1`` are in s. The positions at both times are interpolated, so the lengths of adjacent
    time windows add up.

    Raises:
        ValueError: If ``t1`` is before ``t0``, or if one of the times is outside the track.
    """
    if t1 < t0:
        raise ValueError(f"A path needs an end time after its start time; got {t0} to {t1} s.")
    inside = (track.times > t0) & (track.times < t1)
    first, last = positions_at(track, [t0, t1])
    return path_length(np.vstack([first, track.positions[inside], last]))

"""Search for the ends of a turn in the unsmoothed heading, because smoothing makes the ends less precise."""

from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np

TURNING = np.radians(1)  # rad/s; minimum rate of change of the heading during a turn
BEFORE, AFTER = 1.0, 0.6  # seconds before and after the beginning of a turn that are used for the fit
STEP = 0.02  # seconds between two beginnings that are tried
SHAPES = (1, 2, 3)  # exponents of time in the fitted heading; a turn with a higher exponent begins more gently
FIT = np.radians(0.03)  # rad; two fits are equally good if their mean squared errors differ by at most FIT squared
WORSE = 1.6  # maximum ratio of the sums of squares of equally good fits (F test, one parameter, 95 %, ten samples)
LEAST_SAMPLES = 7  # minimum number of samples for a fit with 4 parameters
LEAST_LEVEL = 3  # minimum number of samples before the beginning of a turn
_EPSILON = 1e-9


@dataclass(frozen=True)
class Corner:
    """The estimated time (s) at which a turn starts or ends, with the earliest and the latest possible time."""

    at: float
    low: float
    high: float


def corner(times: np.ndarray, azimuth: np.ndarray, near: float, room: tuple[float, float]) -> Corner | None:
    """Find the time at which a constant heading begins to change.

    ``times`` (T,) s and ``azimuth`` (T,) rad are the samples of the heading, and ``near`` (s) is an estimate of the
    time. The heading must not be smoothed, because a window of one second would widen a turn by half a second at both
    ends. The fitted heading is first constant, and then grows with a power of time. The turn begins when the fitted
    heading changes by 1° per second. Only samples within ``room`` (earliest and latest time, s) are used. The result is
    None if there are too few samples, or if no fitted heading turns.
    """
    inside = (times >= max(near - BEFORE, room[0])) & (times <= min(near + AFTER + BEFORE / 2, room[1]))
    t, facing = times[inside], azimuth[inside]
    if len(t) < LEAST_SAMPLES:
        return None
    tried = product(np.arange(t[LEAST_LEVEL - 1], t[-2], STEP), SHAPES)
    fits = [fit for at, power in tried if (fit := _fit(t, facing, at, power))]
    if not fits:
        return None
    best = min(fits)
    bound = max(WORSE * best[0], best[0] + len(t) * FIT**2)
    good = [begins for squares, begins in fits if squares <= bound]
    half = float(times[1] - times[0]) / 2  # half a sample: the time of the corner cannot be more certain
    return Corner(best[1], min([*good, best[1] - half]), max([*good, best[1] + half]))


def _fit(times: np.ndarray, facing: np.ndarray, at: float, power: int) -> tuple[float, float] | None:
    """Fit a turn; return the sum of squares (rad²) and start (s).

    The fitted heading is constant until the time ``at`` and then grows with a power of time. The start is the time at
    which the fitted heading changes by 1° per second. The result is None if the fitted heading never turns.
    """
    rising = np.maximum(times - at, 0.0) ** power
    spread = rising - rising.mean()
    scale = float(spread @ (facing - facing.mean())) / float(spread @ spread)
    rest = facing - facing.mean() - scale * spread
    if abs(scale) < _EPSILON:
        return None
    later = 0.0 if power == 1 else float((TURNING / (power * abs(scale))) ** (1 / (power - 1)))
    return float(rest @ rest), at + later


def longest_straight(times: np.ndarray, azimuth: np.ndarray, way: np.ndarray, cut: tuple[bool, bool]) -> float:
    """Measure the longest straight path (m) within a turn.

    ``azimuth`` (T,) rad is the heading and ``way`` (T,) m is the distance driven, at ``times`` (T,) s. A path is
    straight if the heading changes by less than 1° per second between successive samples. A path of a single step
    between two samples does not count, because such a step may separate a turn to one side from a turn to the other
    side. ``cut`` states whether the time window cuts off the beginning and the end of the turn. If the path begins or
    ends at such a cut, a path of a single step counts, too.
    """
    turning = np.abs(np.diff(azimuth)) > TURNING * np.diff(times)
    edges = np.flatnonzero(np.concatenate([[not cut[0]], turning, [not cut[1]]]))
    runs = [(int(first), int(last) - 1) for first, last in pairwise(edges) if last - first > 2]
    if turning.any():
        runs += [(0, int(turning.argmax()))] * cut[0] + [(len(turning) - int(turning[::-1].argmax()), -1)] * cut[1]
    return max((float(way[last] - way[first]) for first, last in runs), default=0.0)

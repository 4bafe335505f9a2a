"""Description of a vehicle's course as a sequence of straight legs, turns and stops."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal
from weakref import WeakKeyDictionary

import numpy as np

from chronotope.families.sti.measure.turn_ends import TURNING, Corner, corner, longest_straight
from chronotope.families.sti.refusal import Code
from chronotope.families.sti.scale import SCALES
from chronotope.geometry import heading, smooth, wrap_angle
from chronotope.question import Reason, Refused
from chronotope.scene import Piece, Track

LEAST_TURN = np.radians(15)
MOST_BEND = np.radians(2.5)  # rad; maximum change of heading outside turns: half the minimum gap between turn options
TURN_PAUSE = 1.0  # seconds; two turns to the same side with a shorter pause between them count as one turn
ADJOINING = 0.3  # seconds; after a shorter gap, a turn follows the previous part directly
STANDING, LEAST_STOP = 0.2, 2.0  # m/s, seconds
LEAST_REVERSE = 1.0  # seconds
LEAST_STRAIGHT = 1.0  # m; minimum length of a straight leg
UNSURE = 0.02  # maximum relative uncertainty of a length whose uncertainty exceeds the gap between options
MOST_LEGS = 4
STRAIGHTNESS = 0.01  # a straight piece may be longer than the distance between its ends by this share
LARGEST_STEP = np.radians(60)
_EPSILON = 1e-6
# Results of `_facing_on_grid` for each piece, because all windows of a piece need the same results.
_FACINGS: WeakKeyDictionary[Piece, dict[tuple[float, ...], tuple[np.ndarray, np.ndarray, np.ndarray]]] = (
    WeakKeyDictionary()
)


@dataclass(frozen=True)
class Leg:
    """One leg of a course: straight, turn or stop.

    ``amount`` is the length of a straight leg (m), the angle of a turn (rad, positive to the left), or the duration of
    a stop (s).
    """

    kind: Literal["forward", "backward", "turn", "stop"]
    amount: float


@dataclass(frozen=True)
class _Part:
    """A turn or a stop: its angle (rad) or duration (s), and its beginning and end."""

    kind: Literal["turn", "stop"]
    amount: float
    begins: Corner
    ends: Corner


def course(track: Track, ahead: np.ndarray, up: np.ndarray, start: float, end: float) -> tuple[Leg, ...]:
    """Split the course of a vehicle between two times (s) into legs.

    ``ahead`` (3,) is the unit vector towards the front of the vehicle, in the vehicle's own axes. ``up`` (3,) is the
    unit vector away from the ground. A turn lasts as long as the heading changes. The distance driven during a turn
    does not belong to the straight legs.

    Raises:
        Refused: If the course cannot be described reliably in at most four legs. These are the reasons:

            - The vehicle never moves, or its heading jumps.
            - There are more than four legs.
            - Outside the turns, the heading changes clearly, but by less than the minimum angle of a turn.
            - The course is a single straight leg, but is longer than the distance between its ends.
            - A straight piece is too short for a leg, but longer than the minimum gap between options.
            - The length of a straight leg is too uncertain, because the ends of a turn are uncertain.
    """
    piece = track.moving(start, end)
    times, least = _times(piece, start, end), SCALES[track.kind].nearest[0]
    facing = _facing(piece, ahead, up, track.limits.smoothing)
    grid = piece.smoothed.times
    yaw, rate = (np.interp(times, grid, column) for column in facing[1:])
    along = _along(piece, yaw, up, times)
    stops = [run for run in _runs(np.abs(along) < STANDING) if _lasts(times, run) >= LEAST_STOP]
    standing = np.zeros(len(times), bool)
    for first, last in stops:
        standing[first : last + 1] = True
    turns = _turns(times, np.where(standing, 0.0, rate), yaw)
    _require_clear(yaw, stops, turns)
    parts = [
        *_with_ends(track, piece, facing[0], times, yaw, turns),
        *(_Part("stop", _lasts(times, run), _surely(times[run[0]]), _surely(times[run[1]])) for run in stops),
    ]
    told = [time for part in parts for time in (part.begins.at, part.ends.at) if start < time < end]
    times = np.unique(np.concatenate([times, told]))
    along = _along(piece, np.interp(times, grid, facing[1]), up, times)
    legs = _in_order(times, _way(piece, times), along, sorted(parts, key=lambda part: part.begins.at), least)
    if not any(leg.kind in ("forward", "backward", "turn") for leg in legs):
        raise Refused(Reason.STATIONARY)
    if len(legs) > MOST_LEGS:
        raise Refused(Code.TOO_MANY_SEGMENTS)
    if len(legs) == 1 and legs[0].kind != "turn":
        first, last = piece.positions(np.array([start, end]))
        if abs(legs[0].amount - float(np.linalg.norm(last - first))) > STRAIGHTNESS * legs[0].amount:
            raise Refused(Code.PATH_UNSTABLE)
    return tuple(legs)


def _surely(time: float) -> Corner:
    return Corner(float(time), float(time), float(time))


def _way(piece: Piece, times: np.ndarray) -> np.ndarray:
    """Return the distance (m) driven from the first time to each time."""
    return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(piece.positions(times), axis=0), axis=1))])


def _times(piece: Piece, start: float, end: float) -> np.ndarray:
    grid = piece.smoothed.times
    return np.concatenate([[start], grid[(grid > start + _EPSILON) & (grid < end - _EPSILON)], [end]])


def _facing(
    piece: Piece, ahead: np.ndarray, up: np.ndarray, window: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the azimuth (G,) rad, the smoothed azimuth, and its rate.

    All three arrays have one value for each of the G times in the piece's grid. The azimuths are unwrapped; the rate is
    in rad/s.
    """
    known, key = _FACINGS.setdefault(piece, {}), (*ahead.tolist(), *up.tolist(), window)
    if key not in known:
        known[key] = _facing_on_grid(piece, ahead, up, window)
    return known[key]


def _facing_on_grid(
    piece: Piece, ahead: np.ndarray, up: np.ndarray, window: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    grid = piece.smoothed.times
    azimuth = heading(piece.poses_at(grid)[:, :3, :3] @ ahead, up)
    steps = wrap_angle(np.diff(azimuth))
    if np.abs(steps).max() >= LARGEST_STEP:
        raise Refused(Code.DEGENERATE_VIEW)
    unwrapped = azimuth[0] + np.concatenate([[0.0], np.cumsum(steps)])
    smoothed = smooth(grid, np.stack([unwrapped, np.zeros_like(grid), np.zeros_like(grid)], axis=1), window)
    return unwrapped, smoothed.positions[:, 0], smoothed.velocities[:, 0]


def _along(piece: Piece, yaw: np.ndarray, up: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return the speed (K,) m/s, negative if the vehicle moves backward."""
    at = np.clip(times, piece.smoothed.times[0], piece.smoothed.times[-1])
    velocity = np.stack([np.interp(at, piece.smoothed.times, column) for column in piece.smoothed.velocities.T], axis=1)
    level = velocity - (velocity @ up)[:, None] * up
    speed = np.linalg.norm(velocity, axis=1)
    moving = np.linalg.norm(level, axis=1) > _EPSILON
    off = np.zeros(len(times))
    if moving.any():
        off[moving] = wrap_angle(heading(level[moving], up) - yaw[moving])
    return np.where(np.abs(off) > np.pi / 2, -speed, speed)


def _runs(mask: np.ndarray) -> list[tuple[int, int]]:
    """Return the first and last index of each sequence of True values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])))
    return [(int(first), int(last) - 1) for first, last in edges.reshape(-1, 2)]


def _lasts(times: np.ndarray, run: tuple[int, int]) -> float:
    return float(times[run[1]] - times[run[0]])


def _turns(times: np.ndarray, rate: np.ndarray, yaw: np.ndarray) -> list[tuple[int, int]]:
    """Find the first and last index of each turn.

    Turns to the same side with a short pause between them are joined. A turn counts only if its angle is at least
    ``LEAST_TURN``.
    """
    found: list[tuple[int, int]] = []
    for sign in (1, -1):
        joined: list[tuple[int, int]] = []
        for run in _runs(sign * rate > TURNING):
            if joined and times[run[0]] - times[joined[-1][1]] < TURN_PAUSE:
                joined[-1] = (joined[-1][0], run[1])
            else:
                joined.append(run)
        found += [run for run in joined if sign * (yaw[run[1]] - yaw[run[0]]) >= LEAST_TURN]
    return sorted(found)


def _require_clear(yaw: np.ndarray, stops: list[tuple[int, int]], turns: list[tuple[int, int]]) -> None:
    """Check that stops and turns are separate, and the rest is straight.

    Raises:
        Refused: If a stop and a turn overlap, or the heading changes clearly outside the turns.
    """
    end = len(yaw) - 1
    told = [(0, 0), *sorted([*stops, *turns]), (end, end)]
    between = [(last, first) for (_, last), (first, _) in pairwise(told)]
    if any(first < last or np.ptp(yaw[last : first + 1]) > MOST_BEND for last, first in between):
        raise Refused(Code.UNCLEAR_TURNS)
    if any(np.ptp(yaw[first : last + 1]) > MOST_BEND for first, last in stops):
        raise Refused(Code.UNCLEAR_TURNS)
    untold = yaw[-1] - yaw[0] - sum(yaw[last] - yaw[first] for first, last in turns)
    if abs(untold) > MOST_BEND:
        raise Refused(Code.UNCLEAR_TURNS)


def _with_ends(
    track: Track, piece: Piece, azimuth: np.ndarray, times: np.ndarray, yaw: np.ndarray, turns: list[tuple[int, int]]
) -> list[_Part]:
    """Find the true beginnings and ends of turns.

    ``azimuth`` (G,) rad is the unsmoothed heading at the times of the grid.

    Raises:
        Refused: If a turn contains a straight path that is at least as long as the minimum gap between two options.
            Such a path is a pause in the turn, or is too close to an end of the turn for a clear separation.
    """
    grid, parts, smoothing = piece.smoothed.times, [], track.limits.smoothing
    bounds = [-np.inf, *(float(time) for run in turns for time in times[list(run)]), np.inf]
    for index, (first, last) in enumerate(turns):
        before, low, high, after = bounds[2 * index : 2 * index + 4]
        middle = (low + high) / 2
        begins = _begins(grid, azimuth, low, (before, middle), first == 0, smoothing)
        ends = _mirrored(
            _begins(-grid[::-1], azimuth[::-1], -high, (-after, -middle), last == len(times) - 1, smoothing)
        )
        begins, ends = _within(begins, times), _within(ends, times)
        inside = grid[(grid > begins.at + _EPSILON) & (grid < ends.at - _EPSILON)]
        inside = np.concatenate([[begins.at], inside, [ends.at]])
        facing, way = np.interp(inside, grid, azimuth), _way(piece, inside)
        turning = np.flatnonzero(np.abs(np.diff(facing)) > TURNING * np.diff(inside))
        # If an end was found by a fit, the slow rotation near this end belongs to the turn.
        cut = slice(
            turning[0] if len(turning) and begins.low < begins.at else 0,
            turning[-1] + 2 if len(turning) and ends.high > ends.at else None,
        )
        by_window = (first == 0, last == len(times) - 1)
        if longest_straight(inside[cut], facing[cut], way[cut], by_window) >= SCALES[track.kind].nearest[0]:
            raise Refused(Code.UNCLEAR_TURNS)
        parts.append(_Part("turn", float(yaw[last] - yaw[first]), begins, ends))
    return parts


def _begins(
    grid: np.ndarray, azimuth: np.ndarray, near: float, room: tuple[float, float], under_way: bool, smoothing: float
) -> Corner:
    """Find the true beginning of a turn near a time (s).

    At the time ``near``, the smoothed rate begins to grow. The turn itself may begin up to half a smoothing window
    later.
    """
    if under_way:
        return _surely(near)
    if near - room[0] < ADJOINING:
        return _surely((near + room[0]) / 2)
    return corner(grid, azimuth, near, room) or Corner(near, near, near + smoothing / 2)


def _mirrored(found: Corner) -> Corner:
    return Corner(-found.at, -found.high, -found.low)


def _within(found: Corner, times: np.ndarray) -> Corner:
    at, low, high = np.clip([found.at, found.low, found.high], times[0], times[-1]).tolist()
    return Corner(at, low, high)


def _in_order(times: np.ndarray, way: np.ndarray, along: np.ndarray, parts: list[_Part], least: float) -> list[Leg]:
    legs: list[Leg] = []
    here = _surely(times[0])  # ``legs`` describe the course up to this time
    for part in [*parts, None]:
        there = part.begins if part else _surely(times[-1])
        if there.at > here.at:
            first, last = (int(np.argmin(np.abs(times - one.at))) for one in (here, there))
            _require_sure(times, way, here, there, least)
            legs += _straight(way, along, times, first, last, least)
        if part is None:
            break
        if part.kind == "turn" and legs and legs[-1].kind == "turn" and legs[-1].amount * part.amount > 0:
            legs[-1] = Leg("turn", legs[-1].amount + part.amount)
        else:
            legs.append(Leg(part.kind, part.amount))
        here = part.ends
    return legs


def _require_sure(times: np.ndarray, way: np.ndarray, here: Corner, there: Corner, least: float) -> None:
    """Check that the length of the path between two corners is certain.

    Raises:
        Refused: If the uncertainty of the length is larger than ``least`` (m) and larger than the share ``UNSURE`` of
            the length.
    """
    shortest, longest = (
        np.diff(np.interp(ends, times, way))[0] for ends in ((here.high, there.low), (here.low, there.high))
    )
    length = np.diff(np.interp((here.at, there.at), times, way))[0]
    if max(longest - length, length - shortest) > max(least, UNSURE * length):
        raise Refused(Code.UNCLEAR_TURNS)


def _straight(way: np.ndarray, along: np.ndarray, times: np.ndarray, first: int, last: int, least: float) -> list[Leg]:
    """Return the straight legs from index ``first`` to ``last``.

    A leg is backward if the vehicle moves backward for longer than a second. Pieces shorter than both
    ``LEAST_STRAIGHT`` and ``least`` (m) are left out.

    Raises:
        Refused: If a leg is shorter than ``LEAST_STRAIGHT``, but not shorter than ``least``.
    """
    backward = [(low + first, high + first) for low, high in _runs(along[first : last + 1] < 0)]
    edges = sorted({first, last, *(index for run in backward if _lasts(times, run) > LEAST_REVERSE for index in run)})
    legs: list[Leg] = []
    for low, high in pairwise(edges):
        kind = "backward" if along[low : high + 1].mean() < 0 else "forward"
        length = float(way[high] - way[low])
        if legs and legs[-1].kind == kind:
            legs[-1] = Leg(kind, legs[-1].amount + length)
        elif length >= LEAST_STRAIGHT:
            legs.append(Leg(kind, length))
        elif length >= least:
            raise Refused(Code.UNCLEAR_TURNS)
    return legs

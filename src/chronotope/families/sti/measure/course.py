"""The course that a vehicle took: straight pieces, turns and stops, in their order (specification, 6g)."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal
from weakref import WeakKeyDictionary

import numpy as np

from chronotope.families import Refused
from chronotope.families.sti.measure.track import Piece, Track
from chronotope.families.sti.refusal import Code
from chronotope.geometry import heading, smooth, wrap_angle

__all__ = ["LEAST_STRAIGHT", "LEAST_TURN", "Leg", "course"]

TURNING = np.radians(3)  # rad/s above which it turns
LEAST_TURN = np.radians(15)
TURN_PAUSE = 1.0  # s between two turns to one side that are one turn
STANDING, LEAST_STOP = 0.2, 2.0  # m/s, s
LEAST_REVERSE = 1.0  # s
LEAST_STRAIGHT = 1.0  # m; shorter pieces belong to their neighbours
MOST_LEGS = 4
STRAIGHTNESS = 0.01  # by which a straight piece may be longer than the straight line
LARGEST_STEP = np.radians(60)
_EPSILON = 1e-6
# What `_facing_on_grid` gave for a piece: every window of it asks for the same.
_FACINGS: WeakKeyDictionary[Piece, dict[tuple[float, ...], tuple[np.ndarray, np.ndarray]]] = WeakKeyDictionary()


@dataclass(frozen=True)
class Leg:
    """One part of a course: m driven forward or backward, a turn (rad, left positive), or a stop (s)."""

    kind: Literal["forward", "backward", "turn", "stop"]
    amount: float


def course(track: Track, ahead: np.ndarray, up: np.ndarray, start: float, end: float) -> tuple[Leg, ...]:
    """The legs between two times (s) of what faces along ``ahead`` (3,), a unit vector in its own axes.

    ``up`` (3,) is the unit vector away from the ground. What is driven within a turn counts with the straight piece
    after it, or before it where none follows. Refused where it rests all the time, where its facing jumps, where there
    are more than four legs, and where a piece without turns bends so slowly that it is not straight either.
    """
    piece = track.piece(start, end)
    if piece.wander(start, end) < track.still:
        raise Refused(Code.STATIONARY)
    times = _times(piece, start, end)
    yaw, rate = _facing(piece, ahead, up, track.scale.smoothing, times)
    along = _along(piece, yaw, up, times)
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(piece.positions(times), axis=0), axis=1))])
    stops = [run for run in _runs(np.abs(along) < STANDING) if _lasts(times, run) >= LEAST_STOP]
    standing = np.zeros(len(times), bool)
    for first, last in stops:
        standing[first : last + 1] = True
    turns = _turns(times, np.where(standing, 0.0, rate), yaw)
    legs = _in_order(times, way, along, yaw, stops, turns)
    if not any(leg.kind in ("forward", "backward", "turn") for leg in legs):
        raise Refused(Code.STATIONARY)
    if len(legs) > MOST_LEGS:
        raise Refused(Code.TOO_MANY_SEGMENTS)
    if len(legs) == 1 and legs[0].kind != "turn":
        first, last = piece.positions(np.array([start, end]))
        if abs(legs[0].amount - float(np.linalg.norm(last - first))) > STRAIGHTNESS * legs[0].amount:
            raise Refused(Code.PATH_UNSTABLE)
    return tuple(legs)


def _times(piece: Piece, start: float, end: float) -> np.ndarray:
    grid = piece.smoothed.times
    return np.concatenate([[start], grid[(grid > start + _EPSILON) & (grid < end - _EPSILON)], [end]])


def _facing(
    piece: Piece, ahead: np.ndarray, up: np.ndarray, window: float, times: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Smoothed azimuth (K,) rad, unwrapped, and its rate (K,) rad/s."""
    known, key = _FACINGS.setdefault(piece, {}), (*ahead.tolist(), *up.tolist(), window)
    if key not in known:
        known[key] = _facing_on_grid(piece, ahead, up, window)
    azimuths, rates = known[key]
    grid = piece.smoothed.times
    at = np.clip(times, grid[0], grid[-1])
    return np.interp(at, grid, azimuths), np.interp(at, grid, rates)


def _facing_on_grid(piece: Piece, ahead: np.ndarray, up: np.ndarray, window: float) -> tuple[np.ndarray, np.ndarray]:
    grid = piece.smoothed.times
    azimuth = heading(piece.poses_at(grid)[:, :3, :3] @ ahead, up)
    steps = wrap_angle(np.diff(azimuth))
    if np.abs(steps).max() >= LARGEST_STEP:
        raise Refused(Code.DEGENERATE_VIEW)
    unwrapped = azimuth[0] + np.concatenate([[0.0], np.cumsum(steps)])
    smoothed = smooth(grid, np.stack([unwrapped, np.zeros_like(grid), np.zeros_like(grid)], axis=1), window)
    return smoothed.positions[:, 0], smoothed.velocities[:, 0]


def _along(piece: Piece, yaw: np.ndarray, up: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Speed (K,) m/s, negative where it moves against its facing."""
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
    """First and last index of each stretch of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])))
    return [(int(first), int(last) - 1) for first, last in edges.reshape(-1, 2)]


def _lasts(times: np.ndarray, run: tuple[int, int]) -> float:
    return float(times[run[1]] - times[run[0]])


def _turns(times: np.ndarray, rate: np.ndarray, yaw: np.ndarray) -> list[tuple[int, int]]:
    """First and last index of each turn: runs to one side, joined over short pauses, that come to a clear turn."""
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


def _in_order(
    times: np.ndarray,
    way: np.ndarray,
    along: np.ndarray,
    yaw: np.ndarray,
    stops: list[tuple[int, int]],
    turns: list[tuple[int, int]],
) -> list[Leg]:
    legs: list[Leg] = []
    carried, here = 0.0, 0  # m driven within a turn; the index up to which everything is told
    for first, last in [*sorted([*stops, *turns]), (len(times) - 1, len(times) - 1)]:
        legs, carried = _straight(legs, carried, way, along, times, here, max(here, first))
        if (first, last) in turns:
            angle = float(yaw[last] - yaw[first])
            if legs and legs[-1].kind == "turn" and legs[-1].amount * angle > 0:
                angle += legs.pop().amount
            legs.append(Leg("turn", angle))
            carried += float(way[last] - way[max(here, first)])
        elif (first, last) in stops:
            legs.append(Leg("stop", _lasts(times, (first, last))))
        here = max(here, last)
    return _with_rest(legs, carried)


def _straight(
    legs: list[Leg], carried: float, way: np.ndarray, along: np.ndarray, times: np.ndarray, first: int, last: int
) -> tuple[list[Leg], float]:
    """The legs with what was driven from index ``first`` to ``last``; too short a piece is carried on."""
    backward = [(low + first, high + first) for low, high in _runs(along[first : last + 1] < 0)]
    edges = sorted({first, last, *(index for run in backward if _lasts(times, run) > LEAST_REVERSE for index in run)})
    for low, high in pairwise(edges):
        middle = along[low : high + 1].mean()
        kind = "backward" if middle < 0 else "forward"
        length = float(way[high] - way[low]) + carried
        if length < LEAST_STRAIGHT:
            carried = length
            continue
        carried = 0.0
        if legs and legs[-1].kind == kind:
            length += legs.pop().amount
        legs = [*legs, Leg(kind, length)]
    return legs, carried


def _with_rest(legs: list[Leg], rest: float) -> list[Leg]:
    """What is left over at the end counts with the last straight piece."""
    for index in range(len(legs) - 1, -1, -1):
        if legs[index].kind in ("forward", "backward"):
            return [*legs[:index], Leg(legs[index].kind, legs[index].amount + rest), *legs[index + 1 :]]
    return legs

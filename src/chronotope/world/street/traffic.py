"""Traffic: vehicles that follow each other on a lane and never collide.

Each driver obeys the intelligent driver model (Treiber, Hennecke and Helbing 2000): the vehicle approaches its desired
speed, and keeps a distance that grows with its speed and with the speed at which it closes in.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from chronotope.errors import InputError

STEP = 0.02  # s, of the simulation
_ACCELERATION, _BRAKING = 1.4, 2.0  # m/s2, as in the published model for cars in towns
_COMFORT = 1.5  # m/s2, at which drivers brake before a bend
_REACTION = 1.0  # s, that drivers look ahead of a bend besides
_HARDEST = 9.0  # m/s2, what brakes can do
GAP, HEADWAY = 2.0, 1.3  # m between standing vehicles, and s between moving ones


class Zone(NamedTuple):
    """A part of a lane with a speed limit: its ``start`` and ``end`` (m), and the highest ``speed`` (m/s)."""

    start: float
    end: float
    speed: float


@dataclass(frozen=True, eq=False)
class Traffic:
    """The vehicles of a lane, the first one ahead of the others.

    ``distances`` (T, N) m are their middles from the start of the lane, ``speeds`` (T, N) m/s their speeds, and
    ``desired`` (N,) m/s the speeds that they would have alone.
    """

    distances: np.ndarray
    speeds: np.ndarray
    desired: np.ndarray


def draw_traffic(
    generator: np.random.Generator,
    times: np.ndarray,
    lengths: np.ndarray,
    leader: float = 0.0,
    speeds: tuple[float, float] = (6.0, 13.0),
    gaps: tuple[float, float] = (6.0, 30.0),
) -> Traffic:
    """Draw the desired speeds and the first places of vehicles on a lane, and let them drive.

    ``times`` (T,) s increase, ``lengths`` (N,) m are those of the vehicles, and the first vehicle has its middle at
    ``leader`` (m). ``speeds`` (m/s) and ``gaps`` (m between bumpers) are ranges.
    """
    lengths = np.asarray(lengths, float)
    desired = generator.uniform(*speeds, len(lengths))
    between = generator.uniform(*gaps, max(len(lengths) - 1, 0))
    starts = leader - np.concatenate([[0.0], np.cumsum(between + (lengths[1:] + lengths[:-1]) / 2)])
    return follow(times, lengths, starts, desired)


def follow(
    times: np.ndarray,
    lengths: np.ndarray,
    starts: np.ndarray,
    desired: np.ndarray,
    stops: tuple[tuple[float, float, float], ...] = (),
    limits: Sequence[Sequence[Zone]] = (),
) -> Traffic:
    """Let vehicles drive on one lane.

    ``starts`` (N,) m are the middles of the vehicles at the first of the ``times`` (T,) s, the first one ahead; their
    first speeds are those at which they can stop behind each other. Each of the ``stops`` has a place (m), and the time
    (s) from which and until which nobody passes it, such as a red light. ``limits`` has the speed limits of each
    vehicle; drivers brake before a limit begins.

    Raises:
        InputError: If vehicles overlap at the start, or if the times do not increase.
    """
    times, lengths, starts = (np.asarray(values, float) for values in (times, lengths, starts))
    desired = np.asarray(desired, float)
    if (np.diff(times) <= 0).any():
        raise InputError("world: the times of traffic do not increase: give the times of the frames in order")
    room = starts[:-1] - starts[1:] - (lengths[:-1] + lengths[1:]) / 2
    if (room < GAP / 2).any():
        raise InputError(f"world: vehicles stand {room.min():.2f} m apart: expected at least {GAP / 2} m")
    place = starts.copy()
    speed = _allowed(place, np.zeros(len(place)), desired, limits)
    if len(speed) > 1:  # a follower begins at a speed from which it can brake behind the vehicle ahead
        for number in range(1, len(speed)):
            speed[number] = min(speed[number], speed[number - 1] + np.sqrt(_BRAKING * max(room[number - 1] - GAP, 0.0)))
    clock = times[0]
    distances, speeds = [place.copy()], [speed.copy()]
    for moment in times[1:]:
        count = max(1, int(np.ceil((moment - clock) / STEP - 1e-9)))
        step = (moment - clock) / count
        for number in range(count):
            wish = _allowed(place, speed, desired, limits)
            pull = _acceleration(place, speed, wish, lengths, clock + number * step, stops)
            after = np.maximum(speed + step * pull, 0.0)
            place, speed = place + step * (speed + after) / 2, after
        clock = moment
        distances.append(place.copy())
        speeds.append(speed.copy())
    return Traffic(np.round(distances, 6), np.round(speeds, 6), desired)


def _allowed(place: np.ndarray, speed: np.ndarray, desired: np.ndarray, limits: Sequence[Sequence[Zone]]) -> np.ndarray:
    """Return the speeds (N,) m/s that drivers wish for, given the limits at and ahead of them."""
    wish = desired.copy()
    for number, zones in enumerate(limits):
        for zone in zones:
            if place[number] < zone.end:
                before = max(zone.start - place[number] - _REACTION * speed[number], 0.0)
                wish[number] = min(wish[number], np.sqrt(zone.speed**2 + 2 * _COMFORT * before))
    return wish


def _acceleration(
    place: np.ndarray,
    speed: np.ndarray,
    desired: np.ndarray,
    lengths: np.ndarray,
    clock: float,
    stops: tuple[tuple[float, float, float], ...],
) -> np.ndarray:
    """Return the accelerations (N,) m/s2 of the model."""
    gap = np.full(len(place), np.inf)
    closing = np.zeros(len(place))
    gap[1:] = place[:-1] - place[1:] - (lengths[:-1] + lengths[1:]) / 2
    closing[1:] = speed[1:] - speed[:-1]
    found = _free(speed, desired) - _near(gap, speed, closing)
    for line, first, last in stops:
        room = line - place - lengths / 2
        # Who is too near to stop in time passes, as at a light that has just turned.
        waits = (first <= clock < last) & (room > -0.05) & (room >= speed**2 / (2 * _HARDEST) - 0.05)
        before = _free(speed, desired) - _near(np.where(waits, room + GAP / 2, np.inf), speed, speed)
        found = np.minimum(found, before)
    return np.clip(found, -_HARDEST, _ACCELERATION)


def _free(speed: np.ndarray, desired: np.ndarray) -> np.ndarray:
    return _ACCELERATION * (1 - (speed / np.maximum(desired, 1e-6)) ** 4)


def _near(gap: np.ndarray, speed: np.ndarray, closing: np.ndarray) -> np.ndarray:
    wanted = GAP + np.maximum(0.0, HEADWAY * speed + speed * closing / (2 * np.sqrt(_ACCELERATION * _BRAKING)))
    return _ACCELERATION * (wanted / np.maximum(gap, 0.1)) ** 2

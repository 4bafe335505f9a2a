"""Walks along straight legs with rounded corners, at an even pace and with the sway of a person."""

from dataclasses import dataclass

import numpy as np

from chronotope.world.camera import look_at

RADIUS = 0.8  # m, of the turns
SWAY, BEAT = 0.012, 1.8  # m and Hz, of the steps
START = 0.5  # s in which a walk gains or loses its speed
FINE = 0.01  # m


@dataclass(frozen=True, eq=False)
class Walk:
    """A way along ``corners`` (N, 2) m, with a turn of 90 degrees (1 right, -1 left) at each inner corner.

    The walk begins at ``start`` and ends at ``end`` (s). The camera is ``eye`` m high and looks down by ``down`` (rad).
    """

    corners: np.ndarray
    turns: tuple[int, ...]
    eye: float
    start: float
    end: float
    radius: float = RADIUS
    down: float = np.radians(6.0)


def walk_along(walk: Walk, times: np.ndarray) -> np.ndarray:
    """Return the poses world_T_camera (T, 4, 4) of a walk."""
    places, headings = _way(walk)
    runs = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(places, axis=0), axis=1))])
    run = _run(times, walk.start, walk.end) * runs[-1]
    at = np.stack([np.interp(run, runs, places[:, axis]) for axis in (0, 1)], axis=1)
    heading = np.interp(run, runs, headings)
    speed = np.gradient(run, times) / max(float(np.gradient(run, times).max()), 1e-9)
    beat = 2 * np.pi * BEAT * times
    side = np.stack([np.cos(heading), -np.sin(heading)], axis=1)
    at = at + (SWAY * speed * np.sin(beat / 2))[:, None] * side
    positions = np.column_stack([at, walk.eye + 0.6 * SWAY * speed * np.cos(beat)])
    forward = np.stack(
        [np.sin(heading) * np.cos(walk.down), np.cos(heading) * np.cos(walk.down),
         np.full(len(times), -np.sin(walk.down))], axis=1,
    )  # fmt: skip
    return look_at(positions, positions + forward)


def _run(times: np.ndarray, start: float, end: float) -> np.ndarray:
    """Return the share (T,) of the way at each time: an even pace that begins and ends smoothly."""
    fine = np.linspace(start, end, 2001)
    ramp = np.minimum(1, np.minimum(fine - start, end - fine) / START)
    pace = ramp**2 * (3 - 2 * ramp)
    gone = np.concatenate([[0.0], np.cumsum((pace[1:] + pace[:-1]) / 2)])
    return np.interp(times, fine, gone / gone[-1])


def _way(walk: Walk) -> tuple[np.ndarray, np.ndarray]:
    """Return fine points (N, 2) m of the way, and headings (N,) rad clockwise from +y.

    The heading turns smoothly around each corner.
    """
    places, headings, heading = [walk.corners[0]], [0.0], 0.0
    radius = walk.radius
    for number, corner in enumerate(walk.corners[1:]):
        turn = walk.turns[number] if number < len(walk.turns) else 0
        way = np.array([np.sin(heading), np.cos(heading)])
        stop = corner - way * radius * abs(turn)
        count = max(2, int(np.linalg.norm(stop - places[-1]) / FINE))
        line = np.linspace(places[-1], stop, count)[1:]
        places += list(line)
        headings += [heading] * len(line)
        if turn:
            side = np.array([way[1], -way[0]]) * turn
            centre = stop + side * radius
            share = np.linspace(0, 1, max(8, int(np.pi / 2 * radius / FINE)))[1:]
            angles = share * np.pi / 2
            places += [centre - side * radius * np.cos(a) + way * radius * np.sin(a) for a in angles]
            headings += list(heading + turn * np.pi / 2 * share**2 * (3 - 2 * share))
            heading += turn * np.pi / 2
    return np.array(places), np.array(headings)

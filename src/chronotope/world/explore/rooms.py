"""The rooms of a walk: the room of each frame, and the visits."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from chronotope.world.explore.explore import Route
from chronotope.world.explore.grid import inside

__all__ = ["OUTSIDE", "Visit", "room_of_frames", "rooms_entered", "visits"]

OUTSIDE = -1
_BORDER = 1e-6  # m


class Visit(NamedTuple):
    """Name a room and the first and last frame of an unbroken stay in it."""

    room: int
    first: int
    last: int


def rooms_entered(route: Route, rooms: Sequence[np.ndarray]) -> list[int]:
    """Return the numbers of the rooms with at least one frame, in the order of the first."""
    return list(dict.fromkeys(visit.room for visit in visits(room_of_frames(route, rooms)) if visit.room != OUTSIDE))


def room_of_frames(route: Route, rooms: Sequence[np.ndarray]) -> np.ndarray:
    """Return the number of the room (T,) of each frame, -1 outside of all.

    ``rooms`` are polygons (N, 2) m. The first that contains the point counts. A point on a border belongs to the room
    of the previous frame, else to the nearest room.
    """
    points = route.poses[:, :2]
    gaps = np.array([_distance_to_border(points, room) for room in rooms])
    within = np.array([inside(points, room) for room in rooms])
    found: list[int] = []
    for gap, contains in zip(gaps.T, within.T, strict=True):
        if gap.min() > _BORDER:
            found.append(int(np.argmax(contains)) if contains.any() else OUTSIDE)
        elif found and found[-1] != OUTSIDE and (gap[found[-1]] <= _BORDER or contains[found[-1]]):
            found.append(found[-1])
        else:
            found.append(int(np.argmin(gap)))
    return np.array(found)


def _distance_to_border(points: np.ndarray, polygon: np.ndarray) -> np.ndarray:
    """Return the distances (T,) m of points (T, 2) to the border of a polygon (N, 2)."""
    starts = polygon
    ways = np.roll(polygon, -1, axis=0) - starts
    offsets = points[:, None] - starts
    squares = np.maximum((ways**2).sum(axis=1), np.finfo(float).tiny)
    along = np.clip((offsets * ways).sum(axis=2) / squares, 0, 1)
    return np.linalg.norm(offsets - along[..., None] * ways, axis=2).min(axis=1)


def visits(room_of_frame: np.ndarray) -> list[Visit]:
    """Return the unbroken stays in rooms, in order, those outside of all rooms (-1) included."""
    borders = np.flatnonzero(np.diff(room_of_frame)) + 1
    firsts = [0, *borders.tolist()]
    lasts = [*(borders - 1).tolist(), len(room_of_frame) - 1]
    return [Visit(int(room_of_frame[first]), first, last) for first, last in zip(firsts, lasts, strict=True)]

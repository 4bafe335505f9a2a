"""Find the room of each frame of a walk, and the visits."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from chronotope.geometry.polygons import ON_BORDER, distance_to_border, inside
from chronotope.world.homes.explore.explore import Route

OUTSIDE = -1


class Visit(NamedTuple):
    """Hold a room and the first and last frame of a stay."""

    room: int
    first: int
    last: int


def rooms_entered(route: Route, rooms: Sequence[np.ndarray]) -> list[int]:
    """Return the numbers of the rooms with frames, in the order entered."""
    return list(dict.fromkeys(visit.room for visit in visits(room_of_frames(route, rooms)) if visit.room != OUTSIDE))


def room_of_frames(route: Route, rooms: Sequence[np.ndarray]) -> np.ndarray:
    """Return the number of the room (T,) of each frame.

    The number is -1 outside of all rooms. ``rooms`` are polygons (N, 2) m. If several rooms contain the point of a
    frame, the first of them counts. A point on a border belongs to the room of the previous frame, else to the nearest
    room.
    """
    points = route.poses[:, :2]
    if not rooms:
        return np.full(len(points), OUTSIDE)
    gaps = np.array([distance_to_border(points, room) for room in rooms])
    within = np.array([inside(points, room) for room in rooms])
    found: list[int] = []
    for gap, contains in zip(gaps.T, within.T, strict=True):
        if gap.min() > ON_BORDER:
            found.append(int(np.argmax(contains)) if contains.any() else OUTSIDE)
        elif found and found[-1] != OUTSIDE and (gap[found[-1]] <= ON_BORDER or contains[found[-1]]):
            found.append(found[-1])
        else:
            found.append(int(np.argmin(gap)))
    return np.array(found)


def visits(room_of_frame: np.ndarray) -> list[Visit]:
    """Return the unbroken stays in rooms, in order.

    Stays outside of all rooms (-1) are included.
    """
    borders = np.flatnonzero(np.diff(room_of_frame)) + 1
    firsts = [0, *borders.tolist()]
    lasts = [*(borders - 1).tolist(), len(room_of_frame) - 1]
    return [Visit(int(room_of_frame[first]), first, last) for first, last in zip(firsts, lasts, strict=True)]

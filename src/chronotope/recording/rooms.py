"""The rooms of a home: the room of a point, and the room of the camera in each frame."""

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from chronotope.geometry.polygons import ON_BORDER, distance_to_border, inside
from chronotope.recording.types import Recording, Room

Stay = tuple[str | None, int, int]  # a room, and the first and the last frame of an unbroken stay in it


def camera_rooms(recording: Recording) -> tuple[str | None, ...]:
    """Return the id of the camera's room in each frame.

    The room is computed from the poses and the floors, so it is known for every recording with rooms. It is None if a
    frame has no pose, or the recording has no rooms. `rooms_along` says what counts on a border.
    """
    return rooms_along(recording.rooms, recording.world_T_camera[:, :2, 3])


def room_at(rooms: Sequence[Room], point: np.ndarray) -> str | None:
    """Return the id of the room at a point (2,) m.

    If several floors contain the point, the first of these rooms counts. The result is None outside all rooms.
    """
    return next((room.id for room in rooms if inside(point, room.floor)), None)


def rooms_along(rooms: Sequence[Room], points: np.ndarray) -> tuple[str | None, ...]:
    """Return the id of each point's room along a way.

    ``points`` is (T, 2) m.

    A point on a border, or outside all rooms, is in the room of the previous point, if this room is at the point's
    border, and otherwise in the nearest room. A point that is not finite has no room.
    """
    within = np.array([inside(points, room.floor) for room in rooms]).reshape(len(rooms), len(points))
    away = np.array([distance_to_border(points, room.floor) for room in rooms]).reshape(within.shape)
    finite: np.ndarray = np.asarray(np.isfinite(points).all(axis=1))
    found: list[str | None] = []
    for known, contains, distance in zip(finite, within.T, away.T, strict=True):
        found.append(_room(rooms, contains, distance, found[-1] if found else None) if known else None)
    return tuple(found)


def _room(rooms: Sequence[Room], contains: np.ndarray, away: np.ndarray, last: str | None) -> str | None:
    if not rooms:
        return None
    well = np.flatnonzero(contains & (away > ON_BORDER))
    if len(well):
        return rooms[int(well[0])].id
    reach = np.where(contains, 0.0, away)
    nearest = reach <= reach.min() + ON_BORDER
    near: Sequence[str] = [room.id for room, is_near in zip(rooms, nearest, strict=True) if is_near]
    return last if last in near else near[0]


def stays(rooms: Sequence[str | None]) -> list[Stay]:
    """Return the unbroken stays in rooms, in order.

    ``rooms`` has one room for each frame.
    """
    found: list[Stay] = []
    for room, run in groupby(rooms):
        first = found[-1][2] + 1 if found else 0
        found.append((room, first, first + sum(1 for _ in run) - 1))
    return found

"""The floor plan of a home: rooms, doors and windows; x and y in m, seen from above."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from chronotope.geometry.polygons import area_of, inside
from chronotope.world.grounds import footprint_of

THICKNESS = 0.12  # m, of walls
LEAF = 0.04  # m, thickness of a door leaf
_EDGE = 1e-6


def inset(polygon: np.ndarray, by: float) -> np.ndarray:
    """Move the sides of a polygon (N, 2) inwards.

    The polygon is counter-clockwise, and no two neighbouring sides are parallel. ``by`` is the distance (m).
    """
    towards = np.roll(polygon, -1, axis=0) - polygon
    towards /= np.linalg.norm(towards, axis=1, keepdims=True)
    inward = np.stack([-towards[:, 1], towards[:, 0]], axis=1)
    before = np.roll(inward, 1, axis=0)
    return polygon + by * (inward + before) / (1 + (inward * before).sum(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False)
class RoomPlan:
    """A room: its polygon (N, 2) m is counter-clockwise, on the middle lines of the walls."""

    id: str
    type: str
    polygon: np.ndarray
    height: float

    @property
    def inner(self) -> np.ndarray:
        """Return the polygon (N, 2) m of the walls' inner sides."""
        return inset(self.polygon, THICKNESS / 2)

    def holds(self, point: np.ndarray) -> bool:
        """Check whether a point (2,) m lies in the room."""
        return bool(inside(point[None], self.polygon)[0])

    @property
    def area(self) -> float:
        """Return the area (m2) between the middle lines of the walls."""
        return area_of(self.polygon)


@dataclass(frozen=True, eq=False)
class DoorPlan:
    """A door in a wall: ``segment`` (2, 2) m is its opening on the middle line of the wall.

    ``rooms`` are the two rooms that it joins; both are the same for an outside door. A door without a leaf is a bare
    frame. The leaf of an inside door is usually open: it stands in the room ``opens_into``, at a right angle to the
    wall, at the first point of the segment. The leaf of an outside door is closed, and so is the leaf of an inside door
    whose ``is_shut`` is true.
    """

    id: str
    rooms: tuple[str, str]
    segment: np.ndarray
    height: float
    opens_into: str | None = None
    side: np.ndarray | None = None
    is_shut: bool = False

    @property
    def is_closed(self) -> bool:
        """Check whether nobody can walk through."""
        return self.is_shut or self.is_outside

    @property
    def is_outside(self) -> bool:
        """Check whether the door leads outside."""
        return self.rooms[0] == self.rooms[1]

    @property
    def leaf(self) -> np.ndarray | None:
        """Return the corners (4, 2) m of an open leaf from above."""
        if self.side is None:
            return None
        along = self.segment[1] - self.segment[0]
        width = float(np.linalg.norm(along)) - 0.02
        along = along / np.linalg.norm(along)
        middle = self.segment[0] + along * LEAF / 2 + self.side * (THICKNESS + width) / 2
        return footprint_of(np.array([width, LEAF]), middle, float(np.arctan2(self.side[1], self.side[0])))


@dataclass(frozen=True, eq=False)
class WindowPlan:
    """A window in an outside wall of a room, between the heights ``low`` and ``high`` (m)."""

    id: str
    room: str
    segment: np.ndarray
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class FloorPlan:
    """The rooms of a home, with their doors and windows."""

    rooms: tuple[RoomPlan, ...]
    doors: tuple[DoorPlan, ...]
    windows: tuple[WindowPlan, ...]

    @cached_property
    def by_id(self) -> dict[str, RoomPlan]:
        """Return the rooms by their ids."""
        return {room.id: room for room in self.rooms}

    def neighbours(self, room: str) -> tuple[str, ...]:
        """Return the rooms to which doors lead from a room."""
        joined = [door.rooms for door in self.doors if room in door.rooms and not door.is_closed]
        return tuple(dict.fromkeys(other for pair in joined for other in pair if other != room))

    def can_leave_out(self, room: str) -> bool:
        """Check whether a walk can leave out a room.

        The doors must join all other rooms without going through it.
        """
        others = {each.id for each in self.rooms} - {room}
        reached: set[str] = set()
        waiting = sorted(others)[:1]
        while waiting:
            one = waiting.pop()
            reached.add(one)
            waiting += [each for each in self.neighbours(one) if each in others - reached]
        return bool(others) and reached == others


def without(start: np.ndarray, end: np.ndarray, openings: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Cut openings (2, 2) out of a straight piece of wall.

    Openings in other walls are ignored.
    """
    length = float(np.linalg.norm(end - start))
    along = (end - start) / length
    across = np.array([-along[1], along[0]])
    gaps: list[tuple[float, float]] = []
    for opening in openings:
        places, away = (opening - start) @ along, np.abs((opening - start) @ across).max()
        if away < _EDGE and places.max() > _EDGE and places.min() < length - _EDGE:
            gaps.append((float(places.min()), float(places.max())))
    pieces, at = [], 0.0
    for low, high in [*sorted(gaps), (length, length)]:
        if low - at > _EDGE:
            pieces.append(np.stack([start + along * at, start + along * low]))
        at = max(at, high)
    return pieces


def within(area: np.ndarray, polygon: np.ndarray) -> bool:
    """Check whether a rectangle (4, 2) lies inside a polygon (N, 2).

    Both are in m; their sides may touch.
    """
    inner = area + (area.mean(axis=0) - area) * 1e-4
    if not inside(inner, polygon).all() or inside(polygon, inner).any():
        return False
    return not _crosses(inner, polygon)


def _crosses(area: np.ndarray, polygon: np.ndarray) -> bool:
    # Check whether a side of a rectangle crosses a side of a polygon.
    p, r = area, np.roll(area, -1, axis=0) - area
    q, s = polygon, np.roll(polygon, -1, axis=0) - polygon
    across = r[:, None, 0] * s[None, :, 1] - r[:, None, 1] * s[None, :, 0]
    away = q[None] - p[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (away[..., 0] * s[None, :, 1] - away[..., 1] * s[None, :, 0]) / across
        u = (away[..., 0] * r[:, None, 1] - away[..., 1] * r[:, None, 0]) / across
    return bool(((t > 0) & (t < 1) & (u > 0) & (u < 1)).any())

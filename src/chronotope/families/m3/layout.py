"""Rooms of a home: their areas, shapes and connections."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from chronotope.geometry.polygons import area_of
from chronotope.recording import Room

OTHER_SHAPE = "other shape"
SHAPES = ("rectangle", "L-shape", "concave", "staircase", "T-shape", "Z-shape", OTHER_SHAPE)
FUNCTIONS = {"bedroom": "sleeping", "kitchen": "cooking", "living room": "entertaining", "bathroom": "bathing"}

_STRAIGHT = 1e-3  # sine of the largest turn at a corner that does not count
_RIGHT = 1e-2  # largest cosine of a right angle
_OF_DISTANCE = {1: "concave", 2: "staircase", 3: "T-shape", 4: "Z-shape"}  # distance of the reflex corners


def words_of(name: str) -> str:
    """Return a name as words; ``CoffeeMachine`` becomes ``coffee machine``."""
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return " ".join(word if word.isupper() and len(word) > 1 else word.lower() for word in split.split())


def shape_of(polygon: np.ndarray) -> str:
    """Return the name of the shape of a polygon (N, 2) m.

    The name depends neither on the winding nor on corners in the middle of a straight edge.
    """
    corners = _corners(np.asarray(polygon, np.float64))
    before, after = corners - np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0) - corners
    scale = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    turns = (before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]) / scale
    right = np.abs((before * after).sum(axis=1) / scale) < _RIGHT
    if not right.all():
        return OTHER_SHAPE
    reflex = np.flatnonzero(turns * np.sign(turns.sum()) < 0)
    match len(corners), len(reflex):
        case 4, 0:
            return "rectangle"
        case 6, 1:
            return "L-shape"
        case 8, 2:
            away = int(reflex[1] - reflex[0])
            return _OF_DISTANCE[min(away, 8 - away)]
        case _:
            return OTHER_SHAPE


def _corners(polygon: np.ndarray) -> np.ndarray:
    """Drop repeated corners, and corners where the border goes straight on."""
    kept = polygon
    while len(kept) > 3:
        before, after = kept - np.roll(kept, 1, axis=0), np.roll(kept, -1, axis=0) - kept
        scale = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
        turns = np.abs(before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0])
        flat = np.flatnonzero(turns <= _STRAIGHT * scale)
        if len(flat) == 0:
            break
        kept = np.delete(kept, flat[0], axis=0)
    return kept


@dataclass(frozen=True, eq=False)
class Layout:
    """The rooms of a home, with the same ids in all its states."""

    rooms: tuple[Room, ...]

    @cached_property
    def by_id(self) -> dict[str, Room]:
        """Return the rooms by their ids."""
        return {room.id: room for room in self.rooms}

    @cached_property
    def areas(self) -> dict[str, float]:
        """Return the area (m2) of each room."""
        return {room.id: area_of(room.floor) for room in self.rooms}

    @cached_property
    def shapes(self) -> dict[str, str]:
        """Return the name of the shape of each room."""
        return {room.id: shape_of(room.floor) for room in self.rooms}

    @cached_property
    def types(self) -> dict[str, str]:
        """Return the type of each room in words."""
        return {room.id: words_of(room.type) for room in self.rooms}

    @cached_property
    def type_counts(self) -> Counter[str]:
        """Count the rooms of each type."""
        return Counter(self.types.values())

    @cached_property
    def pairs(self) -> frozenset[frozenset[str]]:
        """Return the pairs of rooms that a passable door joins."""
        there = self.by_id
        return frozenset(
            frozenset((room.id, other))
            for room in self.rooms
            for other in room.connections
            if other in there and other != room.id
        )

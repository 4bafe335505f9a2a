"""Houses for tests of walks: rectangles cut into rooms, with doorways and furniture."""

from dataclasses import dataclass, replace

import numpy as np

from chronotope.geometry.polygons import inside
from chronotope.world.homes.explore import Grid, free_points, largest_component

STEP = 0.25
DOOR = 1.0


@dataclass(frozen=True)
class House:
    """Rooms are polygons (N, 2), doorways segments (2, 2), obstacles rectangles (4, 2), all in m."""

    rooms: list[np.ndarray]
    doorways: list[np.ndarray]
    obstacles: list[np.ndarray]

    def grid(self) -> Grid:
        return largest_component(free_points(self.rooms, self.doorways, self.obstacles))

    def mapped(self, matrix: np.ndarray) -> "House":
        """Return the house after a linear map of the plane."""
        return House(*([one @ matrix.T for one in part] for part in (self.rooms, self.doorways, self.obstacles)))


def box(x0: float, y0: float, x1: float, y1: float) -> np.ndarray:
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], float)


def draw_house(seed: int, rooms: int, things: int = 14, area: float = 20.0) -> House:
    """Draw a house whose rooms are all connected, with up to ``things`` pieces of furniture in each room."""
    generator = np.random.default_rng([seed, rooms])
    side = np.sqrt(rooms * area)
    whole = (0.0, 0.0, _snap(side * generator.uniform(0.85, 1.15)), _snap(side))
    parts = _cut(whole, rooms, generator)
    house = House([box(*part) for part in parts], _doorways(parts, generator), [])
    for part in parts:
        fuller = replace(house, obstacles=house.obstacles + _furniture(part, house.doorways, things, generator))
        if _all_open(fuller):
            house = fuller
    return house


def _snap(length: float) -> float:
    return round(length / STEP) * STEP


def _cut(part: tuple, count: int, generator: np.random.Generator) -> list[tuple]:
    if count == 1:
        return [part]
    x0, y0, x1, y1 = part
    first = count // 2
    share = first / count * generator.uniform(0.85, 1.15)
    if x1 - x0 > y1 - y0:
        middle = _snap(x0 + (x1 - x0) * share)
        parts = (x0, y0, middle, y1), (middle, y0, x1, y1)
    else:
        middle = _snap(y0 + (y1 - y0) * share)
        parts = (x0, y0, x1, middle), (x0, middle, x1, y1)
    return _cut(parts[0], first, generator) + _cut(parts[1], count - first, generator)


def _shared(one: tuple, other: tuple) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the ends of the wall that two rooms share."""
    for axis in (0, 1):
        low = max(one[1 - axis], other[1 - axis])
        high = min(one[3 - axis], other[3 - axis])
        if high - low < DOOR + 0.5:
            continue
        for line in {one[axis], one[axis + 2]} & {other[axis], other[axis + 2]}:
            ends = np.full((2, 2), line)
            ends[:, 1 - axis] = low, high
            return ends[0], ends[1]
    return None


def _doorways(parts: list[tuple], generator: np.random.Generator) -> list[np.ndarray]:
    """Join all rooms by a tree of doorways, and some by one more."""
    group, doorways = list(range(len(parts))), []
    for one in range(len(parts)):
        for other in range(one + 1, len(parts)):
            ends = _shared(parts[one], parts[other])
            if ends is None or (group[one] == group[other] and generator.random() < 0.75):
                continue
            group = [group[one] if which == group[other] else which for which in group]
            length = float(np.linalg.norm(ends[1] - ends[0]))
            way = (ends[1] - ends[0]) / length
            place = _snap(generator.uniform(0.25, length - DOOR - 0.25))
            doorways.append(np.stack([ends[0] + place * way, ends[0] + (place + DOOR) * way]))
    assert len(set(group)) == 1
    return doorways


def _furniture(part: tuple, doorways: list[np.ndarray], count: int, generator: np.random.Generator) -> list[np.ndarray]:
    """Put rectangles at walls, and some, turned, into the room, none before a doorway."""
    x0, y0, x1, y1 = part
    placed = []
    for number in range(count):
        size = generator.uniform(0.25, [1.6, 0.7] if number < 4 else [0.6, 0.5])
        angle = generator.integers(4) * np.pi / 2 if number % 3 else generator.uniform(0, np.pi)
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        corners = box(*-size / 2, *size / 2) @ turn.T
        reach = np.abs(corners).max(axis=0)
        centre = generator.uniform(np.array([x0, y0]) + reach, np.array([x1, y1]) - reach)
        if number % 3:
            wall = int(generator.integers(4))
            centre[wall % 2] = (x0 + reach[0], y0 + reach[1], x1 - reach[0], y1 - reach[1])[wall]
        if all(np.linalg.norm(doorway.mean(axis=0) - centre) > 0.9 + reach.max() for doorway in doorways):
            placed.append(corners + centre)
    return placed


def _all_open(house: House) -> bool:
    """Return whether all rooms have reachable floor."""
    grid = house.grid()
    points = grid.points(grid.cells)
    return all(np.count_nonzero(inside(points, room)) >= 12 for room in house.rooms)

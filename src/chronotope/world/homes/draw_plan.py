"""Random floor plans: rooms that grow on a grid until they fill the home, joined by doors."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.ndimage import label

from chronotope.errors import InputError
from chronotope.geometry.polygons import area_of
from chronotope.world.homes.floor_plan import DoorPlan, FloorPlan, RoomPlan, WindowPlan, without
from chronotope.world.homes.room_floor import RoomFloor

STEP = 0.25  # m, to which walls are aligned
CELL = (1.25, 1.75)  # m, smallest and largest distance of neighbouring grid lines
MOST_ROOMS = 10
ATTEMPTS = 400
COMPACT = (0.8, 0.72)  # least share of a square's outline in the outline of a room; 0.8 is a rectangle of 1 to 4
STARTS = 4  # cells that are drawn for the start of a room
MOST_CORNERS = 10
AREAS = {"LivingRoom": 21.0, "Kitchen": 13.0, "Bedroom": 13.0, "Bathroom": 6.5}  # m2
LEAST_AREA = {"LivingRoom": 12.0, "Kitchen": 8.0, "Bedroom": 8.0, "Bathroom": 4.0}
MOST_AREA = {"LivingRoom": 38.0, "Kitchen": 21.0, "Bedroom": 22.0, "Bathroom": 11.0}
DOOR = 0.95  # m
DOOR_HEIGHT = 2.05
FROM_CORNER = 0.3
EXTRA_DOOR = 0.25  # probability of a door that is not needed
WITH_LEAF = 0.4
BEHIND_NO_LEAF = 0.95  # least share of a room's free floor that a person reaches with the leaf open
WINDOW = (0.9, 1.9)  # m, smallest and largest width
_SIDES = ((1, 0), (0, 1), (-1, 0), (0, -1))
# How unusual a door between two types of rooms is.
_COST = {
    frozenset({"LivingRoom"}): 1.0, frozenset({"LivingRoom", "Kitchen"}): 1.0,
    frozenset({"LivingRoom", "Bedroom"}): 1.2, frozenset({"LivingRoom", "Bathroom"}): 1.4,
    frozenset({"Kitchen", "Bedroom"}): 2.5, frozenset({"Bedroom"}): 4.0, frozenset({"Kitchen", "Bathroom"}): 3.0,
    frozenset({"Bedroom", "Bathroom"}): 1.6, frozenset({"Bathroom"}): 9.0, frozenset({"Kitchen"}): 3.0,
}  # fmt: skip


def draw_plan(generator: np.random.Generator, rooms: int | None = None, other_than: int | None = None) -> FloorPlan:
    """Draw a floor plan of 1 to 10 rooms.

    If the number of ``rooms`` is not given, it is random, but never ``other_than``.

    Raises:
        InputError: If the number of rooms is not between 1 and 10, or no plan was found.
    """
    if rooms is not None and not 1 <= rooms <= MOST_ROOMS:
        raise InputError(f"a home has 1 to {MOST_ROOMS} rooms, not {rooms}")
    count = rooms
    while count is None or (rooms is None and count == other_than):
        count = int(generator.choice(np.arange(1, 11), p=_SHARES))
    for _ in range(ATTEMPTS):
        plan = _attempt(generator, _room_types(generator, count))
        if plan is not None:
            return plan
    raise InputError(f"no floor plan of {count} rooms was found in {ATTEMPTS} attempts: use another seed")


_SHARES = np.array([4, 6, 12, 16, 18, 16, 12, 8, 5, 3]) / 100
"""The shares of homes with 1 to 10 rooms; their mean is 5.1."""


def _room_types(generator: np.random.Generator, count: int) -> list[str]:
    # Draw the types of the rooms; larger homes have one kitchen, a living room and a bathroom.
    if count == 1:
        return [str(generator.choice(list(AREAS)))]
    if count == 2:
        return [str(each) for each in generator.permutation(list(AREAS))[:2]]
    types = ["LivingRoom", "Kitchen", "Bathroom", *["Bedroom"] * (count - 3)]
    if count >= 5 and generator.random() < 0.6:
        types[-1] = "Bathroom"
    if count >= 7 and generator.random() < 0.4:
        types[-2] = "LivingRoom"
    return types


def _attempt(generator: np.random.Generator, types: list[str]) -> FloorPlan | None:
    """Draw one plan; return None if the plan breaks a rule."""
    lines = _grid_lines(generator, sum(AREAS[each] for each in types) * float(generator.uniform(0.95, 1.25)))
    shape = (len(lines[0]) - 1, len(lines[1]) - 1)
    sides = [np.diff(each) for each in lines]
    areas = np.outer(*sides)
    if areas.size < 2 * len(types):
        return None
    owners = _grow(generator, shape, areas, np.array([AREAS[each] for each in types]))
    if owners is None:
        return None
    polygons = [_outline(owners == number, lines) for number in range(len(types))]
    height = round(float(min(2.5 + 4.5 * generator.beta(1.25, 5.5), 4.0)), 2)
    rooms: list[RoomPlan] = []
    for number, (kind, polygon) in enumerate(zip(types, polygons, strict=True), 1):
        if polygon is None or len(polygon) > MOST_CORNERS:
            return None
        rooms.append(RoomPlan(f"room|{number}", kind, polygon, height))
        if not LEAST_AREA[kind] <= rooms[-1].area <= MOST_AREA[kind] or _is_corridor(polygon):
            return None
    doors = _doors(generator, rooms)
    if doors is None:
        return None
    windows = _windows(generator, rooms, doors)
    return FloorPlan(tuple(rooms), tuple(doors), tuple(windows))


def _is_corridor(polygon: np.ndarray) -> bool:
    # Compare the outline of a room with that of a square of its area.
    outline = np.linalg.norm(np.roll(polygon, -1, axis=0) - polygon, axis=1).sum()
    return bool(4 * np.sqrt(area_of(polygon)) < COMPACT[len(polygon) > 4] * outline)


def _grid_lines(generator: np.random.Generator, area: float) -> tuple[np.ndarray, np.ndarray]:
    # Draw the grid lines of an outline that is about ``area`` (m2) large.
    ratio = float(generator.uniform(0.75, 1.35))
    lines: list[np.ndarray] = []
    for wanted in (np.sqrt(area * ratio), np.sqrt(area / ratio)):
        places = [0.0]
        while places[-1] < wanted - CELL[0] / 2:
            steps = np.arange(CELL[0], CELL[1] + STEP / 2, STEP)
            places.append(places[-1] + float(generator.choice(steps)))
        lines.append(np.array(places))
    return lines[0], lines[1]


def _grow(
    generator: np.random.Generator, shape: tuple[int, int], areas: np.ndarray, wanted: np.ndarray
) -> np.ndarray | None:
    """Let rooms grow from single cells until they fill the grid.

    First each room grows by complete sides, so that it stays a rectangle. Then it also grows by parts of a side.
    Returns the number of the room of each cell, or None if cells are left.
    """
    owners = np.full(shape, -1)
    for number in range(len(wanted)):
        owners[_start(generator, owners)] = number
    for is_whole in (True, False):
        growing = set(range(len(wanted)))
        while growing:
            lacking = np.array([max(wanted[n] - areas[owners == n].sum(), 0.01) for n in sorted(growing)])
            if is_whole and lacking.max() <= 0.01:
                break
            number = sorted(growing)[int(generator.choice(len(lacking), p=lacking / lacking.sum()))]
            if not _extend(generator, owners, number, is_whole):
                growing.discard(number)
    return owners if (owners >= 0).all() else None


def _start(generator: np.random.Generator, owners: np.ndarray) -> tuple[int, ...]:
    # Of a few free cells, choose the one that is farthest from the other rooms: neighbours would become corridors.
    free, taken = np.argwhere(owners < 0), np.argwhere(owners >= 0)
    drawn = free[generator.permutation(len(free))[:STARTS]]
    apart = np.abs(drawn[:, None] - taken).sum(axis=2).min(axis=1, initial=np.iinfo(int).max)
    return tuple(int(each) for each in drawn[int(apart.argmax())])


def _extend(generator: np.random.Generator, owners: np.ndarray, number: int, is_whole: bool) -> bool:
    # Add a row of free cells at one side of a room, first where the room is narrow; False if there is none.
    own = owners == number
    extent = own.any(axis=1).sum(), own.any(axis=0).sum()
    for side in sorted(generator.permutation(4), key=lambda side: extent[0 if _SIDES[side][0] else 1]):
        dx, dy = _SIDES[int(side)]
        beside = np.zeros_like(own)
        source = own[max(0, -dx) : own.shape[0] - max(0, dx), max(0, -dy) : own.shape[1] - max(0, dy)]
        beside[max(0, dx) : own.shape[0] + min(0, dx), max(0, dy) : own.shape[1] + min(0, dy)] = source
        beside &= ~own
        free = beside & (owners < 0)
        if is_whole:
            if free.any() and (free == beside).all() and beside.sum() == own.any(axis=1 if dx == 0 else 0).sum():
                owners[free] = number
                return True
        elif free.any():
            parts = label(free)[0]  # pyright: ignore[reportGeneralTypeIssues, reportIndexIssue] (SciPy has no types)
            sizes = np.bincount(np.ravel(parts))[1:]
            owners[parts == 1 + int(sizes.argmax())] = number
            return True
    return False


def _outline(own: np.ndarray, lines: tuple[np.ndarray, np.ndarray]) -> np.ndarray | None:
    # Return the counter-clockwise outline (N, 2) m of cells, or None if it has a hole or touches itself.
    following: dict[tuple[int, int], tuple[int, int]] = {}
    padded = np.pad(own, 1)
    for x, y in np.argwhere(own):
        corners = [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)]
        for side, (dx, dy) in enumerate(((0, -1), (1, 0), (0, 1), (-1, 0))):
            if not padded[x + 1 + dx, y + 1 + dy]:
                start, end = corners[side], corners[(side + 1) % 4]
                if start in following:
                    return None
                following[int(start[0]), int(start[1])] = (int(end[0]), int(end[1]))
    first = min(following)
    ring = [first]
    while (after := following[ring[-1]]) != first:
        ring.append(after)
    if len(ring) != len(following):
        return None
    points = np.array([(lines[0][x], lines[1][y]) for x, y in ring])
    before, after_ = points - np.roll(points, 1, axis=0), np.roll(points, -1, axis=0) - points
    turns = np.abs(before[:, 0] * after_[:, 1] - before[:, 1] * after_[:, 0]) > 1e-9
    return points[turns]


def shared_walls(one: np.ndarray, other: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the pieces of wall (2, 2) m that two rooms share.

    The first room is on the left of each piece.
    """
    for start, end in zip(one, np.roll(one, -1, axis=0), strict=True):
        length = float(np.linalg.norm(end - start))
        along = (end - start) / length
        across = np.array([-along[1], along[0]])
        for begin, finish in zip(other, np.roll(other, -1, axis=0), strict=True):
            if max(abs((begin - start) @ across), abs((finish - start) @ across)) > 1e-6:
                continue
            low, high = sorted(((begin - start) @ along, (finish - start) @ along))
            low, high = max(low, 0.0), min(high, length)
            if high - low > 1e-6:
                yield np.stack([start + along * low, start + along * high])


def _doors(generator: np.random.Generator, rooms: list[RoomPlan]) -> list[DoorPlan] | None:
    # Join all rooms by the most usual doors, add a few, and a door to the outside; None if it is impossible.
    places: dict[tuple[int, int], list[np.ndarray]] = {}
    for one in range(len(rooms)):
        for other in range(one + 1, len(rooms)):
            walls = list(shared_walls(rooms[one].polygon, rooms[other].polygon))
            if fitting := [wall for wall in walls if np.linalg.norm(wall[1] - wall[0]) >= DOOR + 2 * FROM_CORNER]:
                places[one, other] = fitting
    costs = {
        pair: _COST[frozenset({rooms[pair[0]].type, rooms[pair[1]].type})] * float(generator.uniform(0.8, 1.25))
        for pair in places
    }
    joined, chosen = {0}, []
    while len(joined) < len(rooms):
        open_pairs = [pair for pair in costs if (pair[0] in joined) != (pair[1] in joined)]
        if not open_pairs:
            return None
        pair = min(open_pairs, key=costs.__getitem__)
        chosen.append(pair)
        joined |= set(pair)
    for pair, cost in costs.items():
        if pair not in chosen and cost < 2.5 and generator.random() < EXTRA_DOOR:
            chosen.append(pair)
    doors: list[DoorPlan] = []
    for one, other in chosen:
        walls = places[one, other]
        wall = walls[int(generator.integers(len(walls)))]
        into = None if generator.random() >= WITH_LEAF else (one, other)[int(generator.integers(2))]
        doors.append(_door(generator, wall, (rooms[one], rooms[other]), None if into is None else rooms[into]))
    return [*_hung(doors, rooms), *_outside_door(generator, rooms)]


def _hung(doors: list[DoorPlan], rooms: list[RoomPlan]) -> list[DoorPlan]:
    # Take off each leaf that cuts off a part of its room: in a narrow room, nobody gets past it, or sees behind it.
    kept = list(doors)
    by_id = {room.id: room for room in rooms}
    for number, door in enumerate(doors):
        if door.opens_into is not None:
            room = by_id[door.opens_into]
            here = [each for each in kept if room.id in each.rooms]
            leaves = [each.leaf for each in here if each.leaf is not None]
            floor = RoomFloor(room.inner, outline=room.polygon, doorways=[each.segment for each in here], leaves=leaves)
            if not floor.stays_walkable(connected=BEHIND_NO_LEAF):
                kept[number] = replace(door, opens_into=None, side=None)
    return kept


def _door(
    generator: np.random.Generator, wall: np.ndarray, rooms: tuple[RoomPlan, RoomPlan], into: RoomPlan | None
) -> DoorPlan:
    # Place a door in a wall (2, 2), with its middle on the grid of walking.
    length = float(np.linalg.norm(wall[1] - wall[0]))
    along = (wall[1] - wall[0]) / length
    least = DOOR / 2 + FROM_CORNER
    steps = np.arange(np.ceil((least - 1e-9) / STEP), np.floor((length - least + 1e-9) / STEP) + 1) * STEP
    middle = wall[0] + along * float(generator.choice(steps if len(steps) else np.array([length / 2])))
    segment = np.stack([middle - along * DOOR / 2, middle + along * DOOR / 2])
    if generator.random() < 0.5:
        segment = segment[::-1]
    side = None
    if into is not None:  # the first room is on the left of the wall
        left = np.array([-along[1], along[0]])
        side = left if into is rooms[0] else -left
    name = "|".join(["door", *(room.id.partition("|")[2] for room in rooms)])
    return DoorPlan(name, (rooms[0].id, rooms[1].id), segment, DOOR_HEIGHT, None if into is None else into.id, side)


def _outside_walls(room: RoomPlan, rooms: list[RoomPlan]) -> list[np.ndarray]:
    # Return the pieces of a room's walls (2, 2) m behind which there is no room.
    inner = [wall for other in rooms if other is not room for wall in shared_walls(room.polygon, other.polygon)]
    ends = np.roll(room.polygon, -1, axis=0)
    return [piece for start, end in zip(room.polygon, ends, strict=True) for piece in without(start, end, inner)]


def _outside_door(generator: np.random.Generator, rooms: list[RoomPlan]) -> list[DoorPlan]:
    # Place a closed door to the outside in a living room or a kitchen, else in any room.
    for room in sorted(rooms, key=lambda each: list(AREAS).index(each.type)):
        walls = _outside_walls(room, rooms)
        fitting = [wall for wall in walls if np.linalg.norm(wall[1] - wall[0]) >= DOOR + 2 * FROM_CORNER]
        if fitting:
            return [_door(generator, fitting[int(generator.integers(len(fitting)))], (room, room), None)]
    return []


def _windows(generator: np.random.Generator, rooms: list[RoomPlan], doors: list[DoorPlan]) -> list[WindowPlan]:
    # Place windows in the outside walls, with a distance from corners and doors.
    outside = [_widened(door.segment, 0.3) for door in doors if door.is_outside]
    windows: list[WindowPlan] = []
    for room in rooms:
        low, high = (1.35, 1.95) if room.type == "Bathroom" else (float(generator.choice([0.75, 0.9, 1.0])), 2.1)
        for wall in _outside_walls(room, rooms):
            for piece in without(wall[0], wall[1], outside):
                length = float(np.linalg.norm(piece[1] - piece[0]))
                width = min(float(generator.uniform(*WINDOW)), 1.0 if room.type == "Bathroom" else 9.0)
                if length < width + 2 * FROM_CORNER or generator.random() < 0.35:
                    continue
                along = (piece[1] - piece[0]) / length
                slack = length / 2 - width / 2 - FROM_CORNER
                middle = piece.mean(axis=0) + along * float(generator.uniform(-slack, slack))
                segment = np.stack([middle - along * width / 2, middle + along * width / 2])
                name = f"window|{room.id.partition('|')[2]}|{len(windows)}"
                windows.append(WindowPlan(name, room.id, segment, low, min(high, room.height - 0.25)))
    return windows


def _widened(segment: np.ndarray, by: float) -> np.ndarray:
    along = (segment[1] - segment[0]) / np.linalg.norm(segment[1] - segment[0])
    return np.stack([segment[0] - along * by, segment[1] + along * by])

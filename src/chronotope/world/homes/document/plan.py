"""The floor plan of a house file: rooms, walls, doors and windows."""

from collections.abc import Iterator

import numpy as np

from chronotope.errors import InputError
from chronotope.geometry.polygons import inside
from chronotope.world.homes.document.schema import (
    EXTERIOR,
    HIGHEST,
    LARGEST,
    WIDEST,
    HouseDocument,
    OpeningEntry,
    Point,
    RoomEntry,
    WallEntry,
)
from chronotope.world.homes.draw_plan import AREAS, shared_walls
from chronotope.world.homes.floor_plan import DoorPlan, FloorPlan, RoomPlan, WindowPlan, without

_LEVEL = 1e-3  # m: coordinates closer than this are equal
_WIDEST_LEAF = 1.25  # m; wider doors have two leaves, and are built as bare frames
_JAMB = 0.06  # m of wall that stays at each end of an empty wall
_LINTEL = 0.1  # m of wall that stays above an empty wall
_OPEN_WAYS = ("start", "end")


def plan_of(house: HouseDocument, where: str) -> FloorPlan:
    """Build the floor plan of a house file.

    Where a wall between two rooms is empty, the plan has a wide opening. ``where`` names the file in errors.

    Raises:
        InputError: If a room has another type than homes have, or walls that are not parallel to x or z, or if the
            hole of a door or a window is not in its wall.
    """
    walls = {wall.id: wall for wall in house.walls}
    rooms = {room.id: _room(room, house.walls, where) for room in house.rooms}
    _check_size(rooms, where)
    for hole in (*house.doors, *house.windows):
        _check_hole(hole, walls[hole.wall0], rooms, where)
    doors = [_door(door, walls[door.wall0], rooms) for door in house.doors]
    windows = [_window(window, walls[window.wall0]) for window in house.windows]
    plan = FloorPlan(tuple(rooms.values()), (*doors, *_openings(house.walls, rooms)), tuple(windows))
    try:  # the house can be described only if each opening is in the walls of both its rooms
        doors_and_windows(plan, rooms_and_walls(plan)[1])
    except LookupError as error:
        raise InputError(f"{where}: {error.args[0]}: put its hole into a wall of each of its rooms") from error
    return plan


def _room(room: RoomEntry, walls: tuple[WallEntry, ...], where: str) -> RoomPlan:
    if room.room_type not in AREAS:
        known = ", ".join(AREAS)
        raise InputError(f"{where}: the type of {room.id} is {room.room_type!r}: expected one of {known}")
    polygon = np.array([point.world[:2] for point in room.floor_polygon])
    after = np.roll(polygon, -1, axis=0)
    if (np.abs(after - polygon).min(axis=1) > _LEVEL).any():
        raise InputError(f"{where}: {room.id} has a wall that is not parallel to x or z: only such walls can be built")
    polygon = _without_straight_corners(polygon)
    if len(polygon) < 4:
        raise InputError(f"{where}: the floor of {room.id} has no area: expected at least four corners")
    x, y = polygon.T
    if x @ np.roll(y, -1) < y @ np.roll(x, -1):  # clockwise from above
        polygon = np.roll(polygon[::-1], 1, axis=0)
    heights = [wall.height for wall in walls if wall.room_id == room.id]
    if not heights or max(heights) < 2:
        raise InputError(f"{where}: {room.id} has no walls of at least 2 m: list its walls with its id as roomId")
    return RoomPlan(room.id, room.room_type, polygon, max(heights))


def _check_size(rooms: dict[str, RoomPlan], where: str) -> None:
    # Grids and light are computed over the whole home, so their memory grows with its size.
    corners = np.concatenate([room.polygon for room in rooms.values()])
    extent, area = float(np.ptp(corners, axis=0).max()), sum(room.area for room in rooms.values())
    height = max(room.height for room in rooms.values())
    if extent > WIDEST or area > LARGEST or height > HIGHEST:
        raise InputError(
            f"{where}: the home is {extent:.0f} m wide, {height:.0f} m high and has {area:.0f} m² of floor: expected "
            f"at most {WIDEST:.0f} m, {HIGHEST:.0f} m and {LARGEST:.0f} m², with lengths in metres"
        )


def _without_straight_corners(polygon: np.ndarray) -> np.ndarray:
    """Remove repeated corners, and corners on straight walls."""
    kept = polygon[np.abs(np.roll(polygon, -1, axis=0) - polygon).max(axis=1) > _LEVEL]
    before, after = kept - np.roll(kept, 1, axis=0), np.roll(kept, -1, axis=0) - kept
    return kept[np.abs(before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]) > _LEVEL**2]


def _check_hole(hole: OpeningEntry, wall: WallEntry, rooms: dict[str, RoomPlan], where: str) -> None:
    length = float(np.linalg.norm(wall.lower[1] - wall.lower[0]))
    (low, high), (bottom, top) = [sorted(getattr(p, axis) for p in hole.hole_polygon) for axis in "xy"]
    room = rooms[hole.room0]
    if low < -_LEVEL or high > length + _LEVEL or bottom < -_LEVEL or top > room.height or high - low < 0.2:
        raise InputError(
            f"{where}: the hole of {hole.id} is from {low:.2f} to {high:.2f} m along its wall and from {bottom:.2f} to "
            f"{top:.2f} m high: expected a hole of at least 0.2 m in a wall of {length:.2f} x {room.height:.2f} m"
        )


def _segment(hole: OpeningEntry, wall: WallEntry) -> np.ndarray:
    # Return the ends (2, 2) m of an opening.
    start, end = wall.lower
    along = (end - start) / np.linalg.norm(end - start)
    return np.array([start + along * point.x for point in hole.hole_polygon])


def _heights(hole: OpeningEntry) -> tuple[float, float]:
    low, high = sorted(point.y for point in hole.hole_polygon)
    return low, high


def _door(door: OpeningEntry, wall: WallEntry, rooms: dict[str, RoomPlan]) -> DoorPlan:
    segment, (_, height) = _segment(door, wall), _heights(door)
    pair = (door.room0, door.room1)
    own = door.chronotope or {}
    if own.get("hinge") == _OPEN_WAYS[1]:
        segment = segment[::-1]
    bare = DoorPlan(door.id, pair, segment, height, is_shut=door.openness == 0 and pair[0] != pair[1])
    width = float(np.linalg.norm(segment[1] - segment[0]))
    if bare.is_closed or not door.openable or width > _WIDEST_LEAF:
        return bare
    along = (segment[1] - segment[0]) / width
    across = np.array([-along[1], along[0]])
    chosen = own.get("opensInto")
    for room in [rooms[name] for name in pair if chosen in (None, name)]:
        for side in (across, -across):
            open_door = DoorPlan(door.id, pair, segment, height, room.id, side)
            assert open_door.leaf is not None
            if inside(open_door.leaf + (open_door.leaf.mean(axis=0) - open_door.leaf) * 1e-3, room.inner).all():
                return open_door
    return bare


def _window(window: OpeningEntry, wall: WallEntry) -> WindowPlan:
    return WindowPlan(window.id, window.room0, _segment(window, wall), *_heights(window))


def _openings(walls: tuple[WallEntry, ...], rooms: dict[str, RoomPlan]) -> Iterator[DoorPlan]:
    """Yield an opening for each empty wall between two rooms."""
    empty = [wall for wall in walls if wall.empty and wall.room_id in rooms]
    made: list[np.ndarray] = []
    for number, wall in enumerate(empty):
        for other in empty[number + 1 :]:
            if other.room_id == wall.room_id:
                continue
            for piece in shared_walls(wall.lower, other.lower):
                length = float(np.linalg.norm(piece[1] - piece[0]))
                if length < 4 * _JAMB + 0.6 or any(np.allclose(np.sort(piece, 0), np.sort(one, 0)) for one in made):
                    continue
                made.append(piece)
                inward = (piece[1] - piece[0]) / length * _JAMB * 2
                pair = (wall.room_id, other.room_id)
                height = min(rooms[name].height for name in pair) - _LINTEL
                name = "|".join(["opening", *(each.rpartition("|")[2] for each in pair), str(len(made))])
                yield DoorPlan(name, pair, np.stack([piece[0] + inward, piece[1] - inward]), height)


def rooms_and_walls(plan: FloorPlan) -> tuple[tuple[RoomEntry, ...], tuple[WallEntry, ...]]:
    """Return the rooms and the walls of a plan for a file.

    A wall between two rooms is listed twice: once for each side. A wall to the outside is also listed twice: with its
    inner and its outer side.
    """
    rooms = tuple(
        RoomEntry(
            id=room.id,
            room_type=room.type,
            floor_polygon=tuple(Point.of(corner) for corner in _clockwise(room.polygon)),
        )
        for room in plan.rooms
    )
    walls = tuple(wall for room in plan.rooms for wall in _walls_of(plan, room))
    return rooms, walls


def _clockwise(polygon: np.ndarray) -> np.ndarray:
    # Keep the first corner first.
    return np.roll(polygon[::-1], 1, axis=0)


def _walls_of(plan: FloorPlan, room: RoomPlan) -> Iterator[WallEntry]:
    corners = _clockwise(room.polygon)
    others = [other.polygon for other in plan.rooms if other.id != room.id]
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        # The pieces of a wall have one neighbour each, because a door names the two sides of one wall.
        both = (piece for other in others for piece in shared_walls(np.stack([start, end]), other))
        shared = [piece for piece in both if (piece[1] - piece[0]) @ (end - start) > 0]
        for piece in shared:
            yield _wall(room.id, piece, room.height)
        for piece in without(start, end, shared):
            yield _wall(room.id, piece, room.height)
            yield _wall(EXTERIOR, piece, room.height)


def _wall_name(room: str, piece: np.ndarray) -> str:
    low, high = sorted(tuple(map(float, end)) for end in piece)
    numbers = "|".join(f"{value:.2f}" for value in (*low, *high))
    return f"wall|{room.rpartition('|')[2]}|{numbers}"


def _wall(room: str, piece: np.ndarray, height: float) -> WallEntry:
    points = [Point.of(np.array([*end, level])) for level in (0.0, height) for end in piece]
    return WallEntry(id=_wall_name(room, piece), room_id=room, polygon=tuple(points))


def doors_and_windows(
    plan: FloorPlan, walls: tuple[WallEntry, ...]
) -> tuple[tuple[OpeningEntry, ...], tuple[OpeningEntry, ...]]:
    """Return the doors and the windows of a plan for a file.

    ``walls`` come from `rooms_and_walls`.
    """
    doors = []
    for door in plan.doors:
        one, other = door.rooms
        entry = _opening(door.id, (one, other), door.segment, (0.0, door.height), walls)
        has_leaf = door.opens_into is not None
        own = {"hinge": _hinge(door.segment, walls, entry.wall0)} | ({"opensInto": door.opens_into} if has_leaf else {})
        openness = 0.0 if door.is_closed else 1.0 if has_leaf else None
        known = {"asset_id": "Doorway_1" if has_leaf or door.is_closed else "Doorframe_1", "chronotope": own}
        doors.append(entry.model_copy(update={"openable": has_leaf, "openness": openness, **known}))
    windows = []
    for window in plan.windows:
        entry = _opening(window.id, (window.room, window.room), window.segment, (window.low, window.high), walls)
        windows.append(entry.model_copy(update={"asset_id": "Window_Fixed_1"}))
    return tuple(doors), tuple(windows)


def _side_of(room: str, segment: np.ndarray, walls: tuple[WallEntry, ...]) -> WallEntry:
    """Find the side of a wall in which an opening is.

    Raises:
        LookupError: If the opening is in no wall of the room.
    """
    for wall in walls:
        start, end = wall.lower
        length = float(np.linalg.norm(end - start))
        along = (end - start) / length
        away = np.abs((segment - start) @ np.array([-along[1], along[0]])).max()
        places = (segment - start) @ along
        if wall.room_id == room and away < _LEVEL and places.min() > -_LEVEL and places.max() < length + _LEVEL:
            return wall
    raise LookupError(f"no wall of {room} has the opening from {segment[0].tolist()} to {segment[1].tolist()}")


def _opening(
    name: str,
    rooms: tuple[str, str],
    segment: np.ndarray,
    heights: tuple[float, float],
    walls: tuple[WallEntry, ...],
) -> OpeningEntry:
    wall = _side_of(rooms[0], segment, walls)
    behind = _side_of(EXTERIOR if rooms[0] == rooms[1] else rooms[1], segment, walls)
    low, high = sorted(float(place) for place in _along(segment, wall))
    return OpeningEntry(
        id=name,
        room0=rooms[0],
        room1=rooms[1],
        wall0=wall.id,
        wall1=behind.id,
        hole_polygon=(Point(x=low, y=heights[0]), Point(x=high, y=heights[1])),
        asset_position=Point(x=(low + high) / 2, y=sum(heights) / 2),
    )


def _along(segment: np.ndarray, wall: WallEntry) -> np.ndarray:
    start, end = wall.lower
    return (segment - start) @ ((end - start) / np.linalg.norm(end - start))


def _hinge(segment: np.ndarray, walls: tuple[WallEntry, ...], name: str) -> str:
    wall = next(wall for wall in walls if wall.id == name)
    first, last = _along(segment, wall)
    return _OPEN_WAYS[0] if first < last else _OPEN_WAYS[1]

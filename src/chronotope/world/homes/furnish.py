"""Furniture of a home: what stands in each room, hangs on its walls, and lies on its furniture."""

from dataclasses import replace

import numpy as np

from chronotope.world.grounds import footprint_of, overlap
from chronotope.world.homes.assets import Assets
from chronotope.world.homes.floor_plan import FloorPlan, RoomPlan, WindowPlan, within
from chronotope.world.homes.home import Home, HomeObject, pose_at
from chronotope.world.homes.programme import PROGRAMMES, Item, WallItem
from chronotope.world.homes.room_floor import WALL_DEPTH, RoomFloor, Spot
from chronotope.world.homes.small_things import new_object, place_on, put_small_things

TRIES = 40  # attempts to find a place for one piece of furniture
GAP = 0.03  # m, free margin around furniture
PASSAGE = 0.8  # m, depth of the free floor on each side of a door
DENSITY = 3.0  # factor of the shares of small things in hand-built rooms, so that homes are as full as ProcTHOR's
NEAR = (0.03, 0.15)  # m, usual distance from the piece that is faced
TALL = 0.8  # m, largest height of furniture before a window
SHOPS = 12  # things that are looked at for a window, or for each way of a needed piece
BESIDE, ABOVE = (0.06, 0.5), (0.06, 0.16)  # m by which curtains are wider than their window, and reach above it
FOOT = 0.02  # m, least height of curtains above the floor


def furnish(generator: np.random.Generator, plan: FloorPlan, assets: Assets | None = None) -> Home:
    """Furnish a floor plan.

    The same state of the generator and the same ``assets`` give the same home.
    """
    home = Home(plan, {}, assets)
    for room in plan.rooms:
        floor = floor_of(plan, room)
        for item in PROGRAMMES[room.type].furniture:
            home = _add_item(generator, home, room, floor, item)
        for window in (each for each in plan.windows if each.room == room.id):
            home = _dress(generator, home, room, floor, window)
        for item in PROGRAMMES[room.type].walls:
            home = _add_wall_item(generator, home, room, floor, item)
    return put_small_things(generator, home, {room.id: room.type for room in plan.rooms}, DENSITY)


def floor_of(plan: FloorPlan, room: RoomPlan) -> RoomFloor:
    """Return the free floor of an empty room."""
    inner_doors = [door for door in plan.doors if room.id in door.rooms and not door.is_closed]
    floor = RoomFloor(
        room.inner,
        outline=room.polygon,
        doorways=[door.segment for door in inner_doors],
        leaves=[door.leaf for door in inner_doors if door.leaf is not None],
    )
    for door in plan.doors:
        if room.id in door.rooms:
            floor.passages.append(_around(door.segment, 0.1, PASSAGE))
            floor.hung.append((_around(door.segment, 0.5, WALL_DEPTH), 0.0, 2.4))
            if door.leaf is not None:
                floor.passages.append(door.leaf)
                floor.hung.append((door.leaf, 0.0, 2.4))
    for window in plan.windows:
        if window.room == room.id:
            floor.windows.append(_around(window.segment, 0.0, 0.6))
            floor.hung.append((_around(window.segment, 0.4, WALL_DEPTH), 0.5, 3.0))
    return floor


def _around(segment: np.ndarray, wider: float, deep: float) -> np.ndarray:
    # The rectangle (4, 2) m on both sides of an opening (2, 2), longer than the opening by ``wider``.
    along = segment[1] - segment[0]
    size = np.array([float(np.linalg.norm(along)) + wider, 2 * deep])
    return footprint_of(size, segment.mean(axis=0), float(np.arctan2(along[1], along[0])))


def _add_item(generator: np.random.Generator, home: Home, room: RoomPlan, floor: RoomFloor, item: Item) -> Home:
    # Place one piece of furniture if it is wanted and there is room for it.
    if generator.random() >= item.chance:
        return home
    furnished = _place_item(generator, home, room, floor, item)
    if furnished is None and item.needed:
        # In a narrow room, a piece stands in a corner or along the wall, if need be before a window.
        ways = (
            replace(item, where=where, front=0.3, before_windows=may)
            for may in (False, True)
            for where in ("corner", "along") * SHOPS
        )
        furnished = next(filter(None, (_place_item(generator, home, room, floor, way) for way in ways)), None)
    return home if furnished is None else furnished


def _place_item(
    generator: np.random.Generator, home: Home, room: RoomPlan, floor: RoomFloor, item: Item
) -> Home | None:
    # Place one new piece of furniture; returns None if no free place is found.
    thing = new_object(generator, home, item.type, room.id)
    length, width, height = thing.made.closed
    for _ in range(TRIES):
        spot, served = _propose(generator, home, room, floor, item, length + GAP, width + GAP)
        is_tall = item.tall or (height > TALL and not item.before_windows)
        if spot is None or not floor.is_free(spot.area, is_tall, served):
            continue
        before = None
        if item.front:
            towards = np.array([np.cos(spot.yaw), np.sin(spot.yaw)])
            middle = spot.middle + towards * (length + item.front) / 2
            before = footprint_of(np.array([item.front, width]), middle, spot.yaw)
            if not within(before, floor.polygon) or any(overlap(before, other) for other in floor.taken):
                continue
        placed = replace(thing, pose=pose_at(np.array([*spot.middle, 0.0]), spot.yaw))
        if not home.has_room_for(placed) or not floor.stays_walkable(spot.area):
            continue
        if before is not None:
            floor.reserved[thing.id] = before
        floor.taken.append(spot.area)
        floor.hung.append((footprint_of(np.array([length + 0.2, width]), spot.middle, spot.yaw), 0.0, height + 0.1))
        home = home.with_object(placed)
        return home if item.bears is None else _put_on_top(generator, home, room, placed, item.bears)
    return None


def _propose(
    generator: np.random.Generator,
    home: Home,
    room: RoomPlan,
    floor: RoomFloor,
    item: Item,
    length: float,
    width: float,
) -> tuple[Spot | None, str | None]:
    # Propose a place for a piece of furniture, and the furniture that it belongs to.
    if item.before is not None or item.beside is not None:
        anchors = [each for each in home if each.room == room.id and each.name == (item.before or item.beside)]
        if not anchors:
            return None, None
        anchor = anchors[int(generator.integers(len(anchors)))]
        if item.before is not None:
            return _before(generator, anchor, item, length, width), anchor.id
        return _beside(generator, anchor, length, width), None
    if item.where in ("edge", "corner"):
        return floor.against_wall(generator, length, width, corner=item.where == "corner"), None
    if item.where == "along":
        spot = floor.against_wall(generator, width, length, corner=True)
        turn = float(generator.choice([-1.0, 1.0])) * np.pi / 2
        return None if spot is None else replace(spot, yaw=spot.yaw + turn), None
    yaw = float(generator.integers(4)) * np.pi / 2
    return floor.anywhere(generator, length, width, yaw), None


def _before(generator: np.random.Generator, anchor: HomeObject, item: Item, length: float, width: float) -> Spot:
    # Propose a place at a side of another piece of furniture, facing it; sofas and desks have only a front.
    deep, wide, _ = anchor.made.closed
    yaw = anchor.yaw
    side = 0 if anchor.use.sides == 1 else int(generator.integers(anchor.use.sides))
    reach, across = (deep, wide) if side % 2 == 0 else (wide, deep)
    turned = yaw + side * np.pi / 2
    towards, sideways = np.array([np.cos(turned), np.sin(turned)]), np.array([-np.sin(turned), np.cos(turned)])
    away = reach / 2 + length / 2 + (float(generator.uniform(*NEAR)) if item.away is None else item.away)
    slack = max(across - width, 0.0) / 2
    middle = anchor.pose[:2, 3] + towards * away + sideways * float(generator.uniform(-slack, slack))
    return Spot(middle, turned + np.pi, footprint_of(np.array([length, width]), middle, turned + np.pi))


def _beside(generator: np.random.Generator, anchor: HomeObject, length: float, width: float) -> Spot:
    # Propose a place at the left or the right of another piece, with both backs on one line.
    deep, wide, _ = anchor.made.closed
    yaw = anchor.yaw
    towards, sideways = np.array([np.cos(yaw), np.sin(yaw)]), np.array([-np.sin(yaw), np.cos(yaw)])
    side = float(generator.choice([-1.0, 1.0]))
    middle = anchor.pose[:2, 3] + sideways * side * (wide + width + 0.1) / 2 - towards * (deep - length) / 2
    return Spot(middle, yaw, footprint_of(np.array([length, width]), middle, yaw))


def _put_on_top(generator: np.random.Generator, home: Home, room: RoomPlan, parent: HomeObject, name: str) -> Home:
    """Place a thing on the highest shelf of a piece of furniture."""
    if not parent.shelves:
        return home
    highest = max(range(len(parent.shelves)), key=lambda number: parent.shelves[number].centre[2])
    placed = place_on(generator, home, new_object(generator, home, name, room.id), parent, (highest,))
    return home if placed is None else home.with_object(placed)


def _add_wall_item(
    generator: np.random.Generator, home: Home, room: RoomPlan, floor: RoomFloor, item: WallItem
) -> Home:
    # Hang one thing on a wall if it is wanted and there is room for it.
    if generator.random() >= item.chance:
        return home
    thing = new_object(generator, home, item.type, room.id)
    _, width, height = thing.made.closed
    anchors = [each for each in home if each.room == room.id and each.name == item.above]
    for _ in range(TRIES):
        low = float(generator.uniform(*item.low))
        if item.above is not None and anchors:
            spot = _above(floor, anchors[int(generator.integers(len(anchors)))], width)
        else:
            spot = floor.on_wall(generator, width)
        if spot is None or low + height > room.height - 0.05 or not floor.is_bare(spot.area, low, low + height):
            continue
        placed = replace(thing, pose=pose_at(np.array([*spot.middle, low]), spot.yaw))
        if not home.has_room_for(placed):
            continue
        floor.hung.append((spot.area, low, low + height))
        return home.with_object(placed)
    return home


def _above(floor: RoomFloor, anchor: HomeObject, width: float) -> Spot | None:
    """Propose the piece of wall behind a piece of furniture."""
    yaw = anchor.yaw
    for wall in floor.walls:
        at = float((anchor.pose[:2, 3] - wall.start) @ wall.along)
        away = float((anchor.pose[:2, 3] - wall.start) @ wall.inward)
        if abs(np.cos(wall.yaw - yaw) - 1) < 1e-6 and width / 2 < at < wall.length - width / 2 and 0 < away < 0.8:
            point = wall.start + wall.along * at
            return Spot(point, wall.yaw, footprint_of(np.array([2 * WALL_DEPTH, width]), point, wall.yaw))
    return None


def _dress(generator: np.random.Generator, home: Home, room: RoomPlan, floor: RoomFloor, window: WindowPlan) -> Home:
    """Hang curtains or blinds before a window.

    The window stays bare if there is not enough room for curtains or blinds of the right size.
    """
    spot, across = _behind(floor, window)
    for item in PROGRAMMES[room.type].windows:
        if spot is None or generator.random() >= item.chance:
            continue
        for _ in range(SHOPS):
            thing = new_object(generator, home, item.type, room.id)
            _, width, height = thing.made.closed
            low = min(window.high + float(generator.uniform(*ABOVE)), room.height - 0.03) - height
            if not (BESIDE[0] <= width - across <= BESIDE[1] and FOOT <= low <= window.low):
                continue
            placed = replace(thing, pose=pose_at(np.array([*spot.middle, low]), spot.yaw))
            if home.has_room_for(placed):
                floor.hung.append((footprint_of(np.array([2 * WALL_DEPTH, width]), spot.middle, spot.yaw), low, 3.0))
                return home.with_object(placed)
    return home


def _behind(floor: RoomFloor, window: WindowPlan) -> tuple[Spot | None, float]:
    """Return the middle of a window and its width (m).

    The middle is a place on the wall.
    """
    middle, across = window.segment.mean(axis=0), float(np.linalg.norm(window.segment[1] - window.segment[0]))
    for wall in floor.walls:
        at, away = ((middle - wall.start) @ way for way in (wall.along, wall.inward))
        if abs(away) < WALL_DEPTH and across / 2 < at < wall.length - across / 2:
            point = wall.start + wall.along * float(at)
            return Spot(point, wall.yaw, footprint_of(np.array([2 * WALL_DEPTH, across]), point, wall.yaw)), across
    return None, across

"""The objects of a house file, and complete homes."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any
from zlib import crc32

import numpy as np

from chronotope.errors import InputError
from chronotope.world.grounds import footprint_of, overlap
from chronotope.world.homes.assets import Assets
from chronotope.world.homes.document.plan import doors_and_windows, plan_of, rooms_and_walls
from chronotope.world.homes.document.schema import (
    Agent,
    AssetsEntry,
    HouseDocument,
    Metadata,
    ObjectEntry,
    Own,
    Point,
    Turn,
    UsedAsset,
    file_degrees,
    world_yaw,
)
from chronotope.world.homes.explore import Route
from chronotope.world.homes.furnish import floor_of
from chronotope.world.homes.home import Home, HomeObject, pose_at
from chronotope.world.homes.room_floor import RoomFloor
from chronotope.world.homes.small_things import ground_of, place_on
from chronotope.world.things import HOME_KINDS, HomeState

SCHEMA = "1.0.0"  # version of the format
BASE = 0.901  # m, height of the agent's position in AI2-THOR
VARIANTS = 6  # shapes of a type that are tried until one has room
# Places beside the stated one (m): the built-in shapes are not as large as the assets of the file.
_RINGS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.45)
_HANG = 0.5  # m, largest distance of a hung thing from its wall


def _require_assets(house: HouseDocument, where: str, assets: Assets | None) -> None:
    # A house that has assets needs the folder from which they came.
    stated = house.metadata.assets
    if stated is None or (assets is not None and assets.sha256 == stated.sha256):
        return
    found = "none was given" if assets is None else f"{assets.folder} has the hash {assets.sha256[:12]}"
    raise InputError(
        f"{where}: has things of a folder of assets with the hash {stated.sha256[:12]}, and {found}: give this folder "
        "with --assets"
    )


@dataclass
class _Loading:
    """A home while the objects of a file are put into it."""

    generator: np.random.Generator
    home: Home
    floors: dict[str, RoomFloor]
    left_out: list[str] = field(default_factory=list[str])


def home_of(house: HouseDocument, where: str, assets: Assets | None = None) -> tuple[Home, tuple[str, ...]]:
    """Build the home of a house file.

    Objects that `document_of` wrote are built exactly as they were. Other objects get a built-in shape of their type,
    chosen by their asset, near the stated place. ``where`` names the file in errors. Returns the home, and the ids of
    the objects for which there is no shape or not enough room.

    Raises:
        InputError: If the floor plan cannot be built, or if ``assets`` are not the assets of the house.
    """
    _require_assets(house, where, assets)
    plan = plan_of(house, where)
    floors = {room.id: floor_of(plan, room) for room in plan.rooms}
    loading = _Loading(np.random.default_rng(crc32(house.text().encode())), Home(plan, {}, assets), floors)
    for entry in house.objects:
        _add(loading, entry, None, where)
    return loading.home, tuple(loading.left_out)


def _add(loading: _Loading, entry: ObjectEntry, parent: HomeObject | None, where: str) -> None:
    """Add an object, and then the objects on it.

    Objects without a shape or without enough room are listed instead.
    """
    if entry.type not in HOME_KINDS or "___" in entry.id:  # parts of assets are no objects of their own
        placed = None
    elif entry.chronotope is not None:
        placed = _own(loading, entry, entry.chronotope, parent, where)
    else:
        variants = (_foreign(loading, entry, number) for number in range(VARIANTS))
        tried = (_place(loading, entry, each, parent) for each in variants if each is not None)
        placed = next((each for each in tried if each is not None), None)
    if placed is None:
        loading.left_out += [each.id for each in _with_children(entry)]
        return
    loading.home = loading.home.with_object(placed)
    for child in entry.children:
        _add(loading, child, placed, where)


def _with_children(entry: ObjectEntry) -> Iterator[ObjectEntry]:
    yield entry
    for child in entry.children:
        yield from _with_children(child)


def _own(loading: _Loading, entry: ObjectEntry, own: Own, parent: HomeObject | None, where: str) -> HomeObject:
    # Build an object that was written by `document_of`.
    if own.room not in loading.floors:
        raise InputError(f"{where}: {entry.id} is in the room {own.room!r}, and there is no such room")
    if parent is not None and own.shelf >= len(parent.shelves):
        raise InputError(
            f"{where}: {entry.id} is on shelf {own.shelf} of {parent.id}, which has {len(parent.shelves)} shelves"
        )
    name = None if parent is None else parent.id
    assets = loading.home.assets
    asset = None if own.asset is None or assets is None else assets.named(own.asset)
    state = HomeState(**own.state)
    thing = HomeObject(entry.id, entry.type, own.seed, own.room, np.eye(4), state, name, own.shelf, asset)
    pose = pose_at(np.zeros(3), world_yaw(entry.rotation.y))
    pose[:3, 3] = np.round(entry.position.world + pose[:3, :3] @ thing.made.origin, 6)
    return replace(thing, pose=pose)


def _foreign(loading: _Loading, entry: ObjectEntry, number: int) -> HomeObject | None:
    """Choose a built-in shape for an object.

    Returns None if the object is in no room.
    """
    place = entry.position.world[:2]
    rooms = loading.home.plan.rooms
    room = next((room.id for room in rooms if room.holds(place)), None)
    if room is None:
        return None
    seed = crc32(f"{entry.asset_id}|{number}".encode()) >> 1
    return HomeObject(entry.id, entry.type, seed, room, np.eye(4), _state_of(entry))


def _state_of(entry: ObjectEntry) -> HomeState:
    stated = {"openness": entry.openness, "on": entry.is_on, "dirty": entry.is_dirty}
    shows = HOME_KINDS[entry.type].shows
    return HomeState(**{key: value for key, value in stated.items() if value is not None and key in shows})


def _place(loading: _Loading, entry: ObjectEntry, thing: HomeObject, parent: HomeObject | None) -> HomeObject | None:
    if parent is not None:
        return _on_shelf(loading, entry, thing, parent)
    if HOME_KINDS[thing.name].mount == "wall":
        return _on_wall(loading, entry, thing)
    return _on_floor(loading, entry, thing)


def _around(place: np.ndarray) -> Iterator[np.ndarray]:
    """Yield a position (2,) m, and then positions around this position.

    The nearest positions come first.
    """
    yield place
    for ring in _RINGS[1:]:
        for turn in np.arange(8) * np.pi / 4:
            yield place + ring * np.array([np.cos(turn), np.sin(turn)])


def _on_floor(loading: _Loading, entry: ObjectEntry, thing: HomeObject) -> HomeObject | None:
    floor = loading.floors[thing.room]
    yaw = world_yaw(entry.rotation.y)
    length, width, _ = thing.made.closed
    for middle in _around(entry.position.world[:2]):
        area = footprint_of(np.array([length, width]), middle, yaw)
        if any(overlap(area, other) for other in floor.passages):
            continue
        placed = replace(thing, pose=pose_at(np.array([*middle, 0.0]), yaw))
        if loading.home.has_room_for(placed) and floor.stays_walkable(area):
            floor.taken.append(area)
            return placed
    return None


def _on_wall(loading: _Loading, entry: ObjectEntry, thing: HomeObject) -> HomeObject | None:
    """Hang a thing on the wall nearest to the stated place."""
    floor, place = loading.floors[thing.room], entry.position.world
    wall = min(floor.walls, key=lambda each: abs(float((place[:2] - each.start) @ each.inward)))
    away, along = float((place[:2] - wall.start) @ wall.inward), float((place[:2] - wall.start) @ wall.along)
    _, width, height = thing.made.closed
    low = place[2] - height / 2
    room = loading.home.plan.by_id[thing.room]
    if abs(away) > _HANG or not width / 2 <= along <= wall.length - width / 2 or low + height > room.height:
        return None
    placed = replace(thing, pose=pose_at(np.array([*(wall.start + wall.along * along), max(low, 0.0)]), wall.yaw))
    return placed if loading.home.has_room_for(placed) else None


def _on_shelf(loading: _Loading, entry: ObjectEntry, thing: HomeObject, parent: HomeObject) -> HomeObject | None:
    """Put a thing on a shelf of its furniture.

    The shelf that is nearest to the stated place is tried first.
    """
    if not parent.shelves:
        return None
    bottom = entry.position.world[2] - thing.made.thing.size[2] / 2
    heights = [abs(float(parent.pose[2, 3]) + shelf.centre[2] - bottom) for shelf in parent.shelves]
    number = int(np.argmin(heights))
    ground = ground_of(loading.home, parent, number)
    placed = replace(thing, parent=parent.id, shelf=number, room=parent.room)
    pose = pose_at(np.array([*entry.position.world[:2], ground.middle[2]]), world_yaw(entry.rotation.y))
    pose[:2, 3] = np.round(pose[:2, 3] + pose[:2, :2] @ thing.made.origin[:2], 6)
    placed = replace(placed, pose=pose)
    is_free = ground.holds(placed.footprint()) and not ground.meets(placed.footprint())
    if is_free and thing.made.thing.size[2] <= ground.ceiling and loading.home.has_room_for(placed):
        return placed
    numbers = [number, *(each for each in range(len(parent.shelves)) if each != number)]
    tried = (place_on(loading.generator, loading.home, thing, parent, (each,)) for each in numbers)
    return next((each for each in tried if each is not None), None)


def document_of(home: Home, route: Route | None = None) -> HouseDocument:
    """Describe a home as a house file.

    The agent stands at the start of ``route``.
    """
    rooms, walls = rooms_and_walls(home.plan)
    doors, windows = doors_and_windows(home.plan, walls)
    agent = None if route is None else _agent(route.poses[0])
    metadata = Metadata(
        schema=SCHEMA, room_spec_id=f"chronotope-{len(rooms)}-room", agent=agent, assets=_assets_of(home)
    )
    objects = tuple(_entry(home, each) for each in home if each.parent is None)
    return HouseDocument(rooms=rooms, walls=walls, doors=doors, windows=windows, objects=objects, metadata=metadata)


def _assets_of(home: Home) -> AssetsEntry | None:
    if home.assets is None:
        return None
    return AssetsEntry(sha256=home.assets.sha256, used=tuple(UsedAsset(**each) for each in home.used_assets()))


def _agent(pose: np.ndarray) -> Agent:
    x, y, yaw, pitch = map(float, pose)
    turn = Turn(y=file_degrees(yaw))
    return Agent(position=Point(x=x, y=BASE, z=y), rotation=turn, horizon=float(np.degrees(pitch)), standing=True)


def _entry(home: Home, thing: HomeObject) -> ObjectEntry:
    state, standard = thing.state, HomeState()
    changed: dict[str, Any] = {
        key: getattr(state, key) for key in vars(standard) if getattr(state, key) != getattr(standard, key)
    }
    shows = thing.shows
    return ObjectEntry(
        id=thing.id,
        asset_id=thing.asset_id,
        position=Point.of(thing.thing_pose[:3, 3]),
        rotation=Turn(y=file_degrees(thing.yaw)),
        kinematic=not (thing.can("pickupable") or thing.can("moveable")),
        children=tuple(_entry(home, each) for each in home.children(thing.id)),
        openness=state.openness if "openness" in shows else None,
        is_on=state.on if "on" in shows else None,
        is_dirty=state.dirty if "dirty" in shows else None,
        chronotope=Own(
            seed=thing.seed,
            room=thing.room,
            shelf=thing.shelf,
            state=changed,
            asset=None if thing.asset is None else thing.asset.entry.id,
        ),
    )

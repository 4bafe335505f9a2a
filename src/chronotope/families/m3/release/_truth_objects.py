"""Reader of the contents of a house: objects as entities, rooms, and changes between the states."""

import re
from pathlib import Path
from typing import Any

import numpy as np
from pydantic.alias_generators import to_camel

from chronotope.errors import InputError
from chronotope.families.m3.release._truth_camera import world_point
from chronotope.families.m3.release._truth_files import (
    House,
    ObjectRecord,
    ObjectStates,
    Operations,
    Place,
    Point,
    StaticRooms,
    read_file,
)
from chronotope.geometry import as_pose, box_from_corners
from chronotope.recording import Change, Entity, Room

# Each property, and the ability that an object must have for this property.
_STATES = {
    "openness": "openable",
    "is_open": "openable",
    "is_sliced": "sliceable",
    "is_broken": "breakable",
    "is_toggled": "toggleable",
    "is_dirty": "dirtyable",
    "is_cooked": "cookable",
    "is_filled_with_liquid": "can_fill_with_liquid",
    "fill_liquid": "can_fill_with_liquid",
    "is_used_up": "can_be_used_up",
}
_STRUCTURE = frozenset(["wall", "floor", "room", "door", "doorway", "doorframe", "window", "ceiling"])
_SWAP = np.array([[1.0, 0, 0], [0, 0, 1], [0, 1, 0]])  # converts the simulator's coordinates to the world's


def is_structure(identifier: str) -> bool:
    """Check whether an id belongs to a part of the building.

    Walls, doors and similar parts of the building are not entities.
    """
    return identifier.split("|")[0].casefold() in _STRUCTURE


def read_entities(path: Path, assets: Path) -> tuple[Entity, ...]:
    """Read the objects of objects_state.json, sorted by id.

    Each entity has a single pose, because the objects do not move within a state. Walls and other parts of the building
    are left out.
    """
    records = _read_records(path)
    mapping = read_file(assets, dict[str, str]) if assets.is_file() else {}
    return tuple(_entity(path, name, one, mapping) for name, one in records.items() if not is_structure(name))


def _read_records(path: Path) -> dict[str, ObjectRecord]:
    """Read the records of all objects.

    The authors' pipeline writes a frame around the records; other writers do not.
    """
    if "objects_state" in read_file(path, dict[str, Any]):
        return read_file(path, ObjectStates).objects_state
    return read_file(path, dict[str, ObjectRecord])


def _entity(path: Path, name: str, record: ObjectRecord, assets: dict[str, str]) -> Entity:
    kind = record.object_type
    asset = assets.get(name, record.asset_id)
    told = {"assetId": asset, "room": record.room_name}
    for state, ability in _STATES.items():
        if getattr(record, ability) is not False:
            told[to_camel(state)] = _word(getattr(record, state))
    size, pose = _box(f"{path}: field {name!r}", record)
    return Entity(
        id=name,
        label=re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", kind).lower(),
        category=kind,
        size=size,
        poses=pose[None],
        attributes={key: value for key, value in told.items() if value is not None},
        parent=next(iter(record.parent_receptacles or ()), None),
    )


def _word(value: bool | float | str | None) -> str | None:
    """Convert the value of a property to the text used in recordings."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float | int) else value


def _box(where: str, record: ObjectRecord) -> tuple[tuple[float, float, float], np.ndarray]:
    """Return the size (m) and world_T_entity (4, 4) of an object's box.

    The object's oriented box is used if it has one, otherwise its box along the axes of the house. The z axis of the
    entity is the most vertical axis of the box. Of the two other axes of the box, the axis nearest to the object's
    right-hand direction is the x axis of the entity.
    """
    own = record.object_oriented_bounding_box
    if own is None:
        box = record.axis_aligned_bounding_box
        size = world_point(box.size)
        if min(size) < 0:
            raise InputError(
                f"{where}, 'axisAlignedBoundingBox.size' is {size}, expected lengths in m that are not negative"
            )
        return size, as_pose(np.eye(3), np.array(world_point(box.center)))
    yaw = np.radians(record.rotation.y if record.rotation is not None else 0.0)
    points, right = np.array(own.corner_points) @ _SWAP.T, np.array([np.cos(yaw), -np.sin(yaw), 0.0])
    try:
        (length, width, height), pose = box_from_corners(points, right)
    except ValueError as error:
        raise InputError(
            f"{where}, 'objectOrientedBoundingBox.cornerPoints' does not contain the 8 corners of a box"
        ) from error
    return (length, width, height), pose


def read_rooms(home: Path) -> tuple[Room, ...]:
    """Read the rooms of a house, with outlines on the ground (m).

    The rooms come from house.json, or from room_static_analysis.json if house.json has no rooms. In house.json, two
    rooms are connected if there is a doorway between them whose openness is missing or 1.
    """
    house, analysis = home / "house.json", home / "room_static_analysis.json"
    if house.is_file() and (told := read_file(house, House)).rooms:
        known = {room.id for room in told.rooms}
        joined: dict[str, dict[str, None]] = {room.id: {} for room in told.rooms}
        for door in told.doors:
            if door.room0 != door.room1 and door.openness in (None, 1) and {door.room0, door.room1} <= known:
                joined[door.room0][door.room1] = joined[door.room1][door.room0] = None
        return tuple(
            Room(room.id, room.room_type, _floor(room.floor_polygon), tuple(joined[room.id])) for room in told.rooms
        )
    if not analysis.is_file():
        return ()
    rooms = read_file(analysis, StaticRooms).room_static_details
    names = {str(room.room_id): room.room_name for room in rooms}
    return tuple(
        Room(
            room.room_name,
            room.room_type,
            _floor(room.polygon_coordinates),
            tuple(names.get(str(other), str(other)) for other in room.connected_rooms),
        )
        for room in rooms
    )


def _floor(points: tuple[Point | tuple[float, float], ...]) -> np.ndarray:
    return np.array([(point.x, point.z) if isinstance(point, Point) else point for point in points], float)


def read_operations(path: Path, scene: str) -> list[Change]:
    """Read the changes of a scene from its log, in order.

    The fields ``before`` and ``after`` of a change have the object's properties from the log. Both fields also have the
    ``position`` (m, in the world of the recordings), the ``rotation`` (degrees, in the simulator's axes) and the
    ``receptacle`` of the object, if the log contains these values. ``automatic`` is true if the simulator opened a
    receptacle only to put something into it.

    Raises:
        InputError: If two operations have the same ``execution_order``.
    """
    operations = read_file(path, Operations).operations
    order = [operation.execution_order for operation in operations]
    if all(number is not None for number in order):
        if len(set(order)) < len(order):
            raise InputError(f"{path}: two operations have the same 'execution_order', expected different numbers")
        operations = tuple(sorted(operations, key=lambda one: one.execution_order or 0))
    return [
        Change(
            scene=scene,
            operation=operation.action,
            object=operation.object_id,
            parameters=operation.parameters,
            automatic=operation.auto,
            before=_side(operation.before, operation.old_pos, operation.old_receptacle),
            after=_side(operation.after, operation.new_pos, operation.new_receptacle),
        )
        for operation in operations
    ]


def _side(states: dict[str, Any] | None, place: Place | Point | None, receptacle: str | None) -> dict[str, Any]:
    """Return an object's properties before or after an operation."""
    told = dict(states or {})
    if place is not None:
        told["position"] = list(world_point(place.position if isinstance(place, Place) else place))
    if isinstance(place, Place) and place.rotation is not None:
        told["rotation"] = place.rotation
    if receptacle is not None:
        told["receptacle"] = receptacle
    return told

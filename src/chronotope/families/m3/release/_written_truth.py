"""Ground truth of a recording as the files of the authors' pipeline.

Positions are in metres in the simulator's left-handed axes: x right, y up, z forward; angles are in degrees.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.families.m3.layout import Layout
from chronotope.families.m3.release._truth_states import OBJECTS, TRAJECTORY
from chronotope.io import write_json
from chronotope.recording import Change, Entity, Recording, camera_rooms, room_at

_SWAP = [0, 2, 1]  # the world's (x, y, z) is the simulator's (x, z, y)
_SIGNS = np.array(list(product((-1, 1), repeat=3)), float)
# The names of a state in recordings, the ability that an object needs for it, and the name in the authors' records.
_STATES = (
    (("on", "isToggled"), "toggleable", "isToggled"),
    (("dirty", "isDirty"), "dirtyable", "isDirty"),
    (("cooked", "isCooked"), "cookable", "isCooked"),
    (("broken", "isBroken"), "breakable", "isBroken"),
    (("sliced", "isSliced"), "sliceable", "isSliced"),
    (("used_up", "isUsedUp"), "canBeUsedUp", "isUsedUp"),
)
_LIQUIDS, _DRY = ("liquid", "fillLiquid"), ("", "none", "empty")
_PLACES = {"openness": "openness", "liquid": "liquid_type"}  # parameters that the authors' log has beside `params`


def rooms(recording: Recording) -> dict[str, Any]:
    """Return the content of room_static_analysis.json."""
    layout = Layout(recording.rooms)
    places = {room.id: place for place, room in enumerate(recording.rooms)}
    joined = [[places[other] for other in room.connections if other in places] for room in recording.rooms]
    areas = list(layout.areas.values())
    types = [room.type for room in recording.rooms]
    return {
        "total_rooms": len(places),
        "total_area": sum(areas),
        "average_room_area": sum(areas) / len(areas) if areas else 0.0,
        "room_static_details": [
            {
                "room_id": place,
                "room_name": room.id,
                "room_type": room.type,
                "area": area,
                "connected_rooms": near,
                "polygon_coordinates": room.floor.round(3).tolist(),
            }
            for place, (room, area, near) in enumerate(zip(recording.rooms, areas, joined, strict=True))
        ],
        "room_types": types,
        "room_type_distribution": {name: types.count(name) for name in dict.fromkeys(types)},
        "room_connectivity": {str(place): near for place, near in enumerate(joined)},
    }


def state_files(recording: Recording, place: Path, scene: str) -> None:
    """Write agent_trajectory.jsonl and objects_state.json of a state."""
    lines = (json.dumps(line, ensure_ascii=False) for line in _steps(recording))
    (place / TRAJECTORY).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    records = dict(_records(recording))
    about = {"split": "train", "scene_id": scene, "manipulation_path": place.name}
    write_json(place / OBJECTS, {"scene_info": about, "objects_count": len(records), "objects_state": records})


def _steps(recording: Recording) -> Iterator[dict[str, Any]]:
    """Yield a line for each frame."""
    near = camera_rooms(recording)
    numbers = {room.id: place for place, room in enumerate(recording.rooms)}
    last: tuple[np.ndarray, float] | None = None
    for k, room in enumerate(near):
        pose = recording.camera_at(k)
        forward, position = pose[:3, 2], pose[:3, 3]
        yaw = float(np.degrees(np.arctan2(forward[0], forward[1])) % 360)
        matrix = recording.intrinsics_at(k)
        height = None if recording.clip is None else recording.clip.height
        pixels = {
            entity.id: int(entity.visible_pixels[k])
            for entity in recording.entities
            if entity.visible_pixels is not None
        }
        line: dict[str, Any] = {
            "step_count": k,
            "position": _point(position),
            "rotation": round(yaw, 6) % 360,
            "pitch": round(float(np.degrees(np.arcsin(np.clip(-forward[2], -1, 1)))), 6),
            "action": _action(last, (position, yaw)),
            "room_id": -1 if room is None else numbers[room],
            "room_name": "Unknown" if room is None else room,
            "visible_objects": [
                entity.id for entity in recording.entities if entity.visible is not None and entity.visible[k]
            ],
        }
        if matrix is not None and height is not None:
            line["fov"] = float(2 * np.degrees(np.arctan(height / 2 / matrix[1, 1])))
        if pixels:
            line["pixels"] = {name: count for name, count in pixels.items() if count}
        last = position, yaw
        yield line


def _action(last: tuple[np.ndarray, float] | None, now: tuple[np.ndarray, float]) -> str:
    """Return the action between two frames."""
    if last is None:
        return "Pass"
    turn = (now[1] - last[1] + 180) % 360 - 180
    if abs(turn) > 0.1:
        return "RotateRight" if turn > 0 else "RotateLeft"
    return "MoveAhead" if np.linalg.norm(now[0] - last[0]) > 1e-3 else "Pass"


def _records(recording: Recording) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the id of each object with its record."""
    numbers = {room.id: place for place, room in enumerate(recording.rooms)}
    known = {entity.id: entity for entity in recording.entities}
    held: dict[str, list[str]] = {}
    for one in recording.entities:
        if one.parent is not None:
            held.setdefault(one.parent, []).append(one.id)
    for one in recording.entities:
        pose, told = one.pose_at(0), one.attributes
        yaw = float(np.degrees(np.arctan2(-pose[1, 0], pose[0, 0]))) % 360
        if not np.isfinite(pose).all():
            continue
        room = told.get("room") or room_at(recording.rooms, pose[:2, 3])
        yield (
            one.id,
            {
                "objectType": one.id.split("|")[0] if "|" in one.id else one.category,
                "position": _point(pose[:3, 3]),
                "rotation": {
                    "x": 0.0,
                    "y": round(yaw, 6),
                    "z": 0.0,
                },
                "room_id": numbers.get(room or "", -1),
                "room_name": room or "Unknown",
                "parentReceptacles": _carriers(one, known) or None,
                "receptacleObjectIds": held.get(one.id),
                "receptacle": one.id in held,
                "pickupable": told.get("role") != "furniture" if "role" in told or "material" in told else None,
                "moveable": False,
                **_states_of(told),
                **_boxes(one, pose),
            },
        )


def _carriers(one: Entity, known: Mapping[str, Entity]) -> list[str]:
    """Return the chain of things on which an object rests."""
    chain: list[str] = []
    while one.parent is not None and one.parent not in chain:
        chain.append(one.parent)
        if one.parent not in known:
            break
        one = known[one.parent]
    return chain


def _states_of(told: Mapping[str, str]) -> dict[str, Any]:
    """Return the abilities and the states of an object."""
    openness = told.get("openness")
    found: dict[str, Any] = {
        "openable": openness is not None,
        "openness": float(openness or 0.0),
        "isOpen": float(openness or 0.0) > 0,
    }
    for keys, ability, name in _STATES:
        value = next((told[key] for key in keys if key in told), None)
        found |= {ability: value is not None, name: (value or "").casefold() == "true"}
    liquid = next((told[key] for key in (*_LIQUIDS, "isFilledWithLiquid") if key in told), None)
    filled = liquid is not None and liquid.casefold() not in (*_DRY, "false")
    found |= {"canFillWithLiquid": liquid is not None, "isFilledWithLiquid": filled}
    return found | {"fillLiquid": liquid if filled else None}


def _boxes(one: Entity, pose: np.ndarray) -> dict[str, Any]:
    """Return the two boxes of an object."""
    size = np.array(one.size)
    extent = np.abs(pose[:3, :3]) @ size
    aligned = (pose[:3, 3] + _SIGNS / 2 * extent)[:, _SWAP]
    oriented = (pose[:3, 3] + (_SIGNS / 2 * size) @ pose[:3, :3].T)[:, _SWAP]
    return {
        "axisAlignedBoundingBox": {
            "center": _point(pose[:3, 3]),
            "size": _point(extent),
            "cornerPoints": aligned.round(6).tolist(),
        },
        "objectOrientedBoundingBox": {"cornerPoints": oriented.round(6).tolist()},
    }


def attributes_of(recording: Recording, assets: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Return the looks of each asset, as in the authors' object_attributes.json."""
    return {
        assets[entity.id]: {
            "shape": entity.attributes.get("shape"),
            "color": entity.attributes.get("colour") or entity.attributes.get("color"),
            "other_features": entity.attributes.get("material") or entity.attributes.get("other_features"),
            "description": entity.attributes.get("description") or entity.label,
            "object_category": entity.category,
            "function": entity.attributes.get("function"),
        }
        for entity in recording.entities
        if entity.id in assets
    }


def operations(changes: Sequence[Change], scene: str) -> dict[str, Any]:
    """Return the content of operations_log.json."""
    return {
        "scene_info": {"split": "train", "scene_id": scene, "manipulation_path": "state_1"},
        "operations_count": len(changes),
        "operations": [_operation(number, change) for number, change in enumerate(changes, 1)],
    }


def _operation(number: int, change: Change) -> dict[str, Any]:
    beside = {_PLACES[key]: value for key, value in change.parameters.items() if key in _PLACES}
    found: dict[str, Any] = {
        "execution_order": number,
        "action": change.operation,
        "object_id": change.object,
        "object_type": change.object.split("|")[0],
        "description": f"{change.operation} {change.object}",
        "params": change.parameters,
        **beside,
        "auto": change.automatic,
    }
    for when, facts in (("old", change.before), ("new", change.after)):
        position, receptacle = facts.get("position"), facts.get("receptacle")
        found[f"{when}_pos"] = None if position is None else _point(np.array(position))
        found[f"{when}_receptacle"] = receptacle
        rest = {key: value for key, value in facts.items() if key not in ("position", "receptacle")}
        found["before" if when == "old" else "after"] = rest
    return found


def _point(point: np.ndarray) -> dict[str, float]:
    """Return a point or size (3,) m in the simulator's axes."""
    x, y, z = np.round(point, 6)[_SWAP].tolist()
    return {"x": x, "y": y, "z": z}

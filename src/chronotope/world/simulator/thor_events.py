"""Conversion of the events of AI2-THOR."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from chronotope.errors import InputError
from chronotope.world.left_handed import Vector
from chronotope.world.simulator.events import Event, Pictures
from chronotope.world.simulator.metadata import Agent, Metadata, ObjectRecord

STRUCTURE = frozenset({"Ceiling", "Doorframe", "Doorway", "Floor", "Room", "Wall", "Window"})
"""Object types of AI2-THOR that are parts of the house, and not things in it."""

_BEFORE_FAR = 0.05  # m; depths less than this before the far plane are of rays that hit nothing


class ThorEvent(Protocol):
    """The part of ``ai2thor.server.Event`` that is read.

    ``frame`` (H, W, 3) and ``instance_segmentation_frame`` (H, W, 3) are uint8, and ``depth_frame`` (H, W) is float32
    in m. Each is None if it was not rendered.
    """

    metadata: Any
    frame: np.ndarray | None
    depth_frame: np.ndarray | None
    instance_segmentation_frame: np.ndarray | None
    color_to_object_id: Mapping[tuple[int, ...], str]


def event_of(told: ThorEvent, action: str, error: str | None, returned: Any, far: float) -> Event:
    """Convert an event.

    ``action`` is the name of the action in the interface. ``error`` is the reason why the action failed, or None.
    ``returned`` is the value that the action returned. ``far`` (m) is the depth to which AI2-THOR draws.

    Raises:
        InputError: If AI2-THOR's metadata lacks a field.
    """
    records = records_in(told)
    metadata = Metadata(
        agent=agent_in(told),
        objects=records,
        lastAction=action,
        lastActionSuccess=error is None,
        errorMessage=error or "",
        actionReturn=returned,
    )
    names = [each["objectId"] for each in records]
    return Event(metadata, lambda camera: _pictures(told, names, far))


def agent_in(told: ThorEvent) -> Agent:
    """Return the agent's pose."""
    agent = told.metadata["agent"]
    return Agent(
        position=_vector(agent["position"]),
        rotation=_vector(agent["rotation"]),
        cameraHorizon=float(agent["cameraHorizon"]),
    )


def records_in(told: ThorEvent) -> list[ObjectRecord]:
    """Return the records of all things, without the parts of the house.

    Raises:
        InputError: If a record lacks a field.
    """
    every = told.metadata["objects"]
    parts = {each["objectId"] for each in every if each["objectType"] in STRUCTURE}
    return [_record(each, parts) for each in every if each["objectId"] not in parts]


def _record(told: Mapping[str, Any], parts: set[str]) -> ObjectRecord:
    missing = [key for key in ObjectRecord.__annotations__ if key not in told]
    if missing:
        raise InputError(
            f"AI2-THOR tells no {missing[0]!r} of {told['objectId']}", fix="use the build of ai2thor 5 or a later one"
        )
    record = ObjectRecord(**{key: told[key] for key in ObjectRecord.__annotations__})
    # Floors and walls are no records, so they carry nothing.
    carriers = [each for each in told["parentReceptacles"] or () if each not in parts]
    record["parentReceptacles"] = carriers or None
    record["fillLiquid"] = told["fillLiquid"] or None
    record["assetId"] = told["assetId"] or ""
    return record


def _vector(told: Mapping[str, float]) -> Vector:
    return Vector(x=float(told["x"]), y=float(told["y"]), z=float(told["z"]))


def _pictures(told: ThorEvent, names: Sequence[str], far: float) -> Pictures:
    frame, depth, colours = told.frame, told.depth_frame, told.instance_segmentation_frame
    if frame is None or depth is None or colours is None:
        raise InputError(
            "AI2-THOR rendered no colours, depth or instance segmentation",
            fix="start it with renderDepthImage=True and renderInstanceSegmentation=True",
        )
    metres = depth.astype(np.float32)
    metres[metres >= far - _BEFORE_FAR] = np.nan
    return Pictures(np.ascontiguousarray(frame), metres, identities_of(colours, told.color_to_object_id, names))


def identities_of(
    colours: np.ndarray, color_to_object_id: Mapping[tuple[int, ...], str], names: Sequence[str]
) -> np.ndarray:
    """Turn the colours of objects into identities (H, W) uint16.

    ``colours`` is (H, W, 3) uint8. Value v is the object ``names[v - 1]``. Colours of anything else become 0.
    """
    values = {name: value for value, name in enumerate(names, 1)}
    known = sorted((_code(colour), values[name]) for colour, name in color_to_object_id.items() if name in values)
    codes = np.array([code for code, _ in known], np.uint32)
    found = np.array([value for _, value in known], np.uint16)
    seen = colours.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32)
    if not len(codes):
        return np.zeros(seen.shape, np.uint16)
    nearest = np.minimum(np.searchsorted(codes, seen), len(codes) - 1)
    return np.where(codes[nearest] == seen, found[nearest], 0).astype(np.uint16)


def _code(colour: tuple[int, ...]) -> int:
    red, green, blue = (int(part) for part in colour[:3])
    return (red << 16) + (green << 8) + blue

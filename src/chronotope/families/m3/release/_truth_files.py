"""Data models of the ground truth files of a scene.

Positions are in metres in the simulator's left-handed axes: x right, y up, z forward. Angles are in degrees.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from chronotope.errors import InputError
from chronotope.io import canonical_json, read_json, read_text, reading
from chronotope.io.fields import first_fault

_Read = TypeVar("_Read")
Number = Annotated[float, Field(allow_inf_nan=False)]


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", alias_generator=to_camel)


class _Snake(_File):
    model_config = ConfigDict(alias_generator=lambda name: name)


class Point(_File):
    """A position in metres; the height ``y`` may be missing."""

    x: Number
    z: Number
    y: Number | None = None


class Turn(_File):
    """A rotation. Only the angle about the vertical axis is read."""

    y: Number


class Step(_Snake):
    """A line of agent_trajectory.jsonl: the camera's pose, and the objects that are visible."""

    position: Point
    rotation: Number | Turn
    pitch: Number = 0.0
    fov: Annotated[float, Field(gt=0, lt=180)] | None = None
    action: str | None = None
    visible_objects: tuple[str, ...] | None = None
    pixels: dict[str, Annotated[int, Field(ge=0)]] | None = None

    @property
    def yaw(self) -> float:
        """Return the yaw of the camera, in degrees from +z towards +x."""
        return self.rotation.y if isinstance(self.rotation, Turn) else self.rotation


class Aligned(_File):
    """A box whose edges are parallel to the axes of the house."""

    center: Point
    size: Point


class Oriented(_File):
    """A box in any orientation, given by its eight corners in any order."""

    corner_points: Annotated[tuple[tuple[Number, Number, Number], ...], Field(min_length=8, max_length=8)]


class ObjectRecord(_File):
    """An object of objects_state.json. Abilities such as ``openable`` are false or missing if the object lacks them."""

    object_type: str
    asset_id: str | None = None
    rotation: Turn | None = None
    parent_receptacles: tuple[str, ...] | None = None
    axis_aligned_bounding_box: Aligned
    object_oriented_bounding_box: Oriented | None = None
    room_name: str | None = Field(None, alias="room_name")
    openable: bool | None = None
    sliceable: bool | None = None
    breakable: bool | None = None
    toggleable: bool | None = None
    dirtyable: bool | None = None
    cookable: bool | None = None
    can_fill_with_liquid: bool | None = None
    can_be_used_up: bool | None = None
    openness: Number | None = None
    is_open: bool | None = None
    is_sliced: bool | None = None
    is_broken: bool | None = None
    is_toggled: bool | None = None
    is_dirty: bool | None = None
    is_cooked: bool | None = None
    is_filled_with_liquid: bool | None = None
    fill_liquid: str | None = None
    is_used_up: bool | None = None


Polygon = Annotated[tuple[Point, ...], Field(min_length=3)]


class HouseRoom(_File):
    """A room of house.json."""

    id: str
    room_type: str
    floor_polygon: Polygon


class Door(_File):
    """A doorway of house.json; ``openness`` is missing if the doorway has only a frame and no door."""

    room0: str
    room1: str
    openness: Number | None = None


class House(_File):
    """The fields of house.json that are read."""

    rooms: tuple[HouseRoom, ...] = ()
    doors: tuple[Door, ...] = ()


class StaticRoom(_Snake):
    """A room of room_static_analysis.json, with the names or numbers of the rooms that are connected to it."""

    room_id: int | str
    room_name: str
    room_type: str
    connected_rooms: tuple[int | str, ...] = ()
    polygon_coordinates: Annotated[tuple[tuple[Number, Number] | Point, ...], Field(min_length=3)]


class StaticRooms(_Snake):
    """The fields of room_static_analysis.json that are read."""

    room_static_details: tuple[StaticRoom, ...] = ()


class ObjectStates(_Snake):
    """The content of objects_state.json as the authors' pipeline writes it; other writers leave out the frame."""

    objects_state: dict[str, ObjectRecord]


class Place(_File):
    """A pose of an object: position and rotation."""

    position: Point
    rotation: dict[str, Number] | None = None


class Operation(_Snake):
    """One operation on an object in operations_log.json."""

    execution_order: int | None = None
    action: str
    object_id: str
    params: dict[str, Any] | None = None
    old_pos: Place | Point | None = None
    new_pos: Place | Point | None = None
    old_receptacle: str | None = None
    new_receptacle: str | None = None
    auto: bool = False
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None
    openness: Number | None = None
    liquid_type: str | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """Return the parameters, some of which the authors' log has beside ``params``."""
        beside = {"openness": self.openness, "liquid": self.liquid_type}
        return {key: value for key, value in beside.items() if value is not None} | (self.params or {})


class Operations(_Snake):
    """The fields of operations_log.json that are read."""

    operations: tuple[Operation, ...]


def read_file(path: Path, kind: type[_Read]) -> _Read:
    """Read a JSON file and validate its content.

    Raises:
        InputError: If the content is invalid. The message names the first invalid field.
    """
    return _checked(path, "", read_json(path), kind)


def read_steps(path: Path) -> list[Step]:
    """Read the steps of a trajectory file, one step on each line.

    Raises:
        InputError: If a line is not a valid step (the message names the line), if a field is missing in only some of
            the lines, or if the file is empty.
    """
    with reading(path):
        lines = read_text(path, path.stat().st_size).splitlines()
    steps: list[Step] = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                value = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise InputError(f"{path}: line {number} is not JSON, expected a JSON object for each frame") from error
            steps.append(_checked(path, f"line {number}, ", value, Step))
    if not steps:
        raise InputError(f"{path}: the file is empty, expected one line for each frame")
    for name in ("visible_objects", "pixels"):
        _all_or_none(path, name, [getattr(step, name) for step in steps])
    return steps


def _all_or_none(path: Path, name: str, values: Sequence[Any]) -> None:
    absent = [number for number, value in enumerate(values, 1) if value is None]
    if 0 < len(absent) < len(values):
        raise InputError(
            f"{path}: step {absent[0]} lacks the field {name!r}, expected the field in all lines or in none of them"
        )


def _checked(path: Path, place: str, value: Any, kind: type[_Read]) -> _Read:
    try:
        return TypeAdapter(kind).validate_json(canonical_json(value), strict=True)
    except ValidationError as error:
        raise InputError(f"{path}: {place}{first_fault(error)}") from error
    except (ValueError, RecursionError) as error:  # canonical JSON refuses NaN, Infinity and unpaired surrogates
        raise InputError(
            f"{path}: {place}contains NaN, Infinity or an unpaired surrogate, expected plain JSON"
        ) from error

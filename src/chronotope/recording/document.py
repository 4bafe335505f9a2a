"""The file recording.json, which has all data of a recording except tables over time and point clouds."""

import math
from pathlib import Path, PurePath
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chronotope.errors import InputError
from chronotope.geometry import Axes
from chronotope.io import canonical_json, read_json
from chronotope.io.fields import first_fault
from chronotope.recording.types import Kind

SCHEMA = 2

Number = Annotated[float, Field(allow_inf_nan=False)]
Vector = tuple[Number, Number, Number]
PerFrame = Literal["visible", "visible_pixels", "visible_fraction", "box2d", "label_speed"]


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ArrayFile(_Row):
    """A small array in recording.json: its shape and its numbers in row-major order."""

    shape: tuple[Annotated[int, Field(ge=0)], ...]
    values: tuple[Number, ...]

    @classmethod
    def of(cls, array: np.ndarray | None) -> "ArrayFile | None":
        """Convert an array for recording.json; None stays None."""
        if array is None:
            return None
        return cls.model_construct(shape=array.shape, values=tuple(np.asarray(array, np.float64).ravel().tolist()))

    def array(self, where: str, *shapes: tuple[int | None, ...]) -> np.ndarray:
        """Return the numbers as a float64 array of the stated shape.

        ``shapes`` lists the allowed shapes. If a shape in ``shapes`` contains None, any length along that axis is
        allowed. Without ``shapes``, every shape is allowed.

        Raises:
            InputError: If the array's shape is not one of ``shapes``, or if it does not match the number of values.
        """
        fits = not shapes or any(
            len(self.shape) == len(shape) and all(b in (None, a) for a, b in zip(self.shape, shape, strict=True))
            for shape in shapes
        )
        if not fits or math.prod(self.shape) != len(self.values):
            expected = (
                " or ".join(str(shape).replace("None", "any") for shape in shapes)
                or "one number for each element of this shape"
            )
            raise InputError(f"{where}: {len(self.values)} numbers of shape {self.shape}, expected {expected}")
        return np.array(self.values, np.float64).reshape(self.shape)


class ClipFile(_Row):
    """The clip in recording.json; ``path`` is relative to the recording's folder."""

    path: str
    sha256: str
    fps: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    width: Annotated[int, Field(ge=1)]
    height: Annotated[int, Field(ge=1)]


class ChangeFile(_Row):
    """A state change of an entity, as stored in recording.json."""

    frame: int
    key: str
    value: str


class EntityFile(_Row):
    """An entity in recording.json, with the names of its columns in tracks.parquet."""

    id: str
    label: str
    category: str
    size: Vector
    attributes: dict[str, str]
    parent: str | None
    symmetry: str | None
    static: bool
    per_frame: tuple[PerFrame, ...]
    points: bool
    changes: tuple[ChangeFile, ...]
    size_range: tuple[Vector, Vector] | None = None  # missing in recordings of earlier versions
    joints: tuple[str, ...] | None = None  # only of articulated entities


class RoomFile(_Row):
    """A room, as stored in recording.json."""

    id: str
    type: str
    floor: ArrayFile
    connections: tuple[str, ...]


class EventFile(_Row):
    """An event, as stored in recording.json."""

    kind: str
    start: Number
    end: Number
    agent: str | None
    object: str | None
    parameters: dict[str, Any]


class RecordingFile(_Row):
    """The content of recording.json."""

    schema_version: int
    id: str
    kind: Kind
    source: str
    samples: Annotated[int, Field(ge=0)]
    clip: ClipFile | None
    gravity: Vector | None
    intrinsics: ArrayFile | None
    distortion: ArrayFile | None
    native_axes: Axes | None
    depth: bool
    identities: bool
    intrinsics_per_frame: bool
    vehicle_pose: bool
    velocity: bool = False  # since schema version 2
    depth_scale: Annotated[float, Field(gt=0)] | None = None  # since schema version 2
    scene: str | None
    state: str | None
    camera_mount: ArrayFile | None
    entities: tuple[EntityFile, ...]
    rooms: tuple[RoomFile, ...]
    events: tuple[EventFile, ...]
    licence: str | None
    provenance: dict[str, Any]


def plain(value: Any, where: str) -> Any:
    """Convert a value to a value that JSON can store without loss.

    Raises:
        InputError: If JSON cannot store a field of the value. The message names the field.
    """
    if isinstance(value, BaseModel):
        value = vars(value)
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise InputError(f"{where}: the name {key!r} in a mapping is not text, but JSON allows only text there")
        return {plain(key, where): plain(value[key], f"{where}.{key}") for key in sorted(value)}
    if isinstance(value, (list, tuple)):
        return [plain(item, f"{where}.{index}") for index, item in enumerate(value)]
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"{where}: {value} is not a finite number, and JSON allows only finite numbers")
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise InputError(f"{where}: the text {value!a} cannot be written as UTF-8") from error
    if value is None or isinstance(value, (str, int, float)):
        return value
    kind = "path" if isinstance(value, PurePath) else type(value).__name__
    raise InputError(
        f"{where}: a value of type {kind} cannot be stored in JSON; expected text, numbers, lists and mappings"
    )


def read_document(path: Path) -> RecordingFile:
    """Read a file recording.json.

    Raises:
        InputError: If the file is missing, is damaged, or has a newer schema version than this code can read.
    """
    if not path.is_file():
        raise InputError(f"{path}: no such file; a recording is a folder with recording.json and camera.parquet")
    value = read_json(path)
    version = value.get("schema_version") if isinstance(value, dict) else None
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise InputError(f"{path}: field 'schema_version' is {version!r}, expected a whole number from 1 to {SCHEMA}")
    if version > SCHEMA:
        raise InputError(
            f"{path}: has schema version {version}, but this chronotope reads only versions up to {SCHEMA}: update "
            "chronotope"
        )
    try:
        return RecordingFile.model_validate_json(canonical_json(value), strict=True)
    except ValidationError as error:
        raise InputError(f"{path}: {first_fault(error)}") from error
    except ValueError as error:  # canonical JSON has no NaN, no Infinity and no unpaired surrogate
        raise InputError(
            f"{path}: contains NaN, Infinity or an unpaired surrogate, expected finite numbers and Unicode text"
        ) from error

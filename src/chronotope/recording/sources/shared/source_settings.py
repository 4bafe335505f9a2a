"""Settings that a format lacks, taken from flags, chronotope.yaml or the data set's convention."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from chronotope.errors import InputError
from chronotope.io import read_yaml
from chronotope.io.fields import first_fault
from chronotope.recording.sources.shared.repair import Repaired
from chronotope.recording.sources.shared.types import Given
from chronotope.recording.types import Kind

SETTINGS_FILE = "chronotope.yaml"
WIDEST_ROOM = 100.0  # m, largest extent of an indoor trajectory along one axis
Gravity = tuple[float, float, float] | Literal["unknown"]
_EXPECTED_GRAVITY = "expected an axis such as -z or +y, three numbers such as 0,0,-1, or unknown"


def kind_of_extent(repaired: Repaired) -> tuple[Kind, dict[str, str]]:
    """Return outdoor for a trajectory too wide for a room, otherwise indoor.

    The second value maps "kind" to the reason for choosing outdoor, in the form that ``settle`` expects. For
    indoor, this mapping is empty.
    """
    positions = repaired.poses[repaired.valid][:, :3, 3]
    wide = float(np.ptp(positions, axis=0).max()) if len(positions) else 0.0
    if wide <= WIDEST_ROOM:
        return Kind.INDOOR, {}
    return Kind.OUTDOOR, {"kind": f"because the trajectory is {wide:.0f} m wide (--kind overrides this)"}


def parse_gravity(text: str) -> Gravity:
    """Parse the direction of gravity: ``-z``, ``+y``, ``0,0,-1``, ``unknown``.

    The returned vector has unit length. The text comes from --gravity or from chronotope.yaml.

    Raises:
        InputError: If the text has none of these forms.
    """
    word = text.strip().lower()
    if word == "unknown":
        return "unknown"
    if len(word) == 2 and word[0] in "+-" and word[1] in "xyz":
        unit = [0.0, 0.0, 0.0]
        unit["xyz".index(word[1])] = 1.0 if word[0] == "+" else -1.0
        return unit[0], unit[1], unit[2]
    try:
        x, y, z = (float(part) for part in word.split(","))
    except ValueError as error:
        raise InputError(f"gravity {text!r}: {_EXPECTED_GRAVITY}") from error
    return _unit((x, y, z), repr(text))


def _unit(vector: tuple[float, float, float], told: str) -> Gravity:
    length = math.hypot(*vector)
    if not (math.isfinite(length) and length > 1e-9):
        raise InputError(f"gravity {told}: has no direction; {_EXPECTED_GRAVITY}")
    return vector[0] / length, vector[1] / length, vector[2] / length


def _read_gravity(value: Any) -> Gravity:
    if isinstance(value, str):
        return parse_gravity(value)
    if isinstance(value, list) and len(value) == 3 and all(type(part) in (int, float) for part in value):
        return _unit((float(value[0]), float(value[1]), float(value[2])), str(value))
    raise ValueError(_EXPECTED_GRAVITY)


_LOWEST_FPS, _HIGHEST_FPS = 0.1, 1000.0
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class _SettingsFile(BaseModel):
    """The content of chronotope.yaml in the folder of a source."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fps: Annotated[float, Field(ge=_LOWEST_FPS, le=_HIGHEST_FPS, allow_inf_nan=False)] | None = None
    kind: Kind | None = None
    gravity: Annotated[Gravity, BeforeValidator(_read_gravity)] | None = None
    depth_scale: Positive | None = None


@dataclass(frozen=True)
class Settled:
    """The settings of a source, with the origin of each setting.

    ``said_by`` maps the name of each setting to its origin: "flag", "chronotope.yaml" or "convention". A setting
    without a value is not in ``said_by``.
    """

    kind: Kind
    fps: float | None
    gravity: np.ndarray | None
    depth_scale: float | None
    said_by: dict[str, str]
    notes: tuple[str, ...]


def settle(
    given: Given,
    folder: Path,
    title: str,
    *,
    kind: Kind,
    fps: float | None = None,
    gravity: np.ndarray | None = None,
    depth_scale: float | None = None,
    reasons: Mapping[str, str] | None = None,
) -> Settled:
    """Choose the value of each setting that a format lacks.

    Flags override ``folder``/chronotope.yaml, and this file overrides the conventions, which are the keyword arguments.
    Each convention that is used adds a note. ``reasons`` maps the name of a setting to the reason for its convention,
    if the data set alone does not explain the convention. ``title`` is the name of the form of the source in the notes.

    Raises:
        InputError: If the frame rate is less than 0.1 or more than 1000, or if chronotope.yaml is not valid.
    """
    if given.fps is not None and not _LOWEST_FPS <= given.fps <= _HIGHEST_FPS:
        raise InputError(f"--fps {given.fps:g}: expected {_LOWEST_FPS:g} to {_HIGHEST_FPS:g} pictures per second")
    if given.gravity is not None and given.gravity != "unknown":
        _unit(given.gravity, str(given.gravity))
    file = _read_settings(folder / SETTINGS_FILE)
    conventions = {"fps": fps, "kind": kind, "gravity": gravity, "depth_scale": depth_scale}
    values: dict[str, Any] = {}
    said_by: dict[str, str] = {}
    notes: list[str] = []
    for name, convention in conventions.items():
        flag, written = getattr(given, name, None), getattr(file, name)
        said = ("flag", flag) if flag is not None else (SETTINGS_FILE, written)
        if said[1] is not None:
            said_by[name], values[name] = said
        else:
            values[name] = convention
            if convention is not None:
                said_by[name] = "convention"
                reason = (reasons or {}).get(name, "by convention")
                notes.append(f"{title}: {_tell(name, convention)} {reason}")
    if values["gravity"] is None:
        notes.append(
            f"{title}: gravity is unknown, so questions about the up direction are refused; set gravity with --gravity "
            "or in "
            f"{SETTINGS_FILE}"
        )
    return Settled(
        Kind(values["kind"]), values["fps"], _vector(values["gravity"]), values["depth_scale"], said_by, tuple(notes)
    )


def _read_settings(path: Path) -> _SettingsFile:
    if not path.is_file():
        return _SettingsFile()
    try:
        return _SettingsFile.model_validate(read_yaml(path))
    except ValidationError as error:
        raise InputError(f"{path}: {first_fault(error)}") from error


def _vector(gravity: Any) -> np.ndarray | None:
    if gravity is None or isinstance(gravity, str):
        return None
    vector = np.asarray(gravity, np.float64)
    return vector / np.linalg.norm(vector)


def _tell(name: str, value: Any) -> str:
    if name == "fps":
        return f"{value:g} fps"
    if name == "gravity":
        return f"gravity along ({', '.join(f'{round(part, 4) + 0.0:g}' for part in value)}) of the world"
    if name == "depth_scale":
        return f"depth divided by {value:g} gives metres"
    return f"{name} {value}"

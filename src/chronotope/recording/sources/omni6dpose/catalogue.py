"""Reader of ``real_obj_meta.json``, the catalogue of the things in Omni6DPose ROPE.

The field ``instance_dict`` maps the ``oid`` of each thing to its facts. ``dimensions`` (3,) multiplied by the
``scale`` of a scene gives the side lengths of the thing. In ``tag``, ``upAxis`` lists possible up axes, such as "y"
or "-z", and ``symmetry`` has the fields ``any``, ``x``, ``y`` and ``z``. The fields ``x``, ``y`` and ``z`` have the
value "none", "half", "quarter" or "any".
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chronotope.errors import InputError
from chronotope.io import read_json
from chronotope.io.fields import first_fault

NAME = "real_obj_meta.json"
_AXES = {"x": 0, "y": 1, "z": 2}
_Turns = Literal["none", "half", "quarter", "any"]
_Side = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class _Symmetry(BaseModel):
    model_config = ConfigDict(frozen=True)

    any: bool
    x: _Turns
    y: _Turns
    z: _Turns


class _Tag(BaseModel):
    model_config = ConfigDict(frozen=True)

    symmetry: _Symmetry
    upAxis: tuple[str, ...] | str | None = None  # noqa: N815


class _Instance(BaseModel):
    model_config = ConfigDict(frozen=True)

    tag: _Tag
    dimensions: tuple[_Side, _Side, _Side]


@dataclass(frozen=True, eq=False)
class About:
    """The facts about a thing in the catalogue: side lengths (3,) at scale 1, up axes, and symmetry.

    ``up`` lists the possible up axes, each as an axis number and a sign. ``symmetry`` is the rotational symmetry about
    the up axis, in the axes of ``thing_T_upright``: "any", "quarter", "half" or "none". The value is also "half" if the
    thing is symmetric only about another axis, because a picture of such a thing does not clearly show a rotation about
    the up axis.
    """

    dimensions: np.ndarray
    up: tuple[tuple[int, int], ...]
    symmetry: str


def find_catalogue(scene: Path) -> Path | None:
    """Find the catalogue for a scene's folder, or None."""
    place = scene.resolve()
    folders = (place, place.parent, place.parent.parent)
    files = (file for folder in folders for file in (folder / NAME, folder / "Meta" / NAME) if file.is_file())
    return next(files, None)


def read_catalogue(scene: Path, wanted: set[str]) -> dict[str, About] | None:
    """Read the facts about some things from the nearest catalogue.

    ``wanted`` has the oids of the things, and the result maps each oid to its facts. The catalogue is searched in
    the scene's folder, in the two folders above it, and in the subfolders ``Meta`` of these three folders. The
    result is None if there is no catalogue.

    Raises:
        InputError: If the catalogue cannot be read or has a wrong field.
    """
    file = find_catalogue(scene)
    if file is None:
        return None
    document = read_json(file)
    instances: Any = document.get("instance_dict") if isinstance(document, dict) else None
    if not isinstance(instances, dict):
        raise InputError(f"{file}: field 'instance_dict': expected a mapping from the oid of each thing to its facts")
    return {oid: _about(file, oid, instances[oid]) for oid in sorted(wanted) if oid in instances}


def _about(path: Path, oid: str, value: Any) -> About:
    try:
        instance = _Instance.model_validate(value)
    except ValidationError as error:
        raise InputError(f"{path}, instance_dict, {oid}: {first_fault(error)}") from error
    told = instance.tag.upAxis or ()
    names = [name.lower() for name in ((told,) if isinstance(told, str) else told)]
    up = tuple((_AXES[name.lstrip("+-")], -1 if name.startswith("-") else 1) for name in names if _is_axis(name))
    return About(np.array(instance.dimensions), up, _symmetry(instance.tag.symmetry, up))


def _is_axis(name: str) -> bool:
    return name.lstrip("+-") in _AXES


def _symmetry(label: _Symmetry, up: tuple[tuple[int, int], ...]) -> str:
    turns = (label.x, label.y, label.z)
    upright = turns[up[0][0]] if up else turns[2]
    if label.any:
        return "any"
    if upright != "none":
        return upright
    return "none" if set(turns) == {"none"} else "half"


def thing_T_upright(up: tuple[tuple[int, int], ...]) -> np.ndarray:  # noqa: N802
    """Return the rotation (3, 3) from an entity's axes to the source's.

    The z axis of the entity is the first possible up axis of the thing. The sides along x, y and z are permuted in the
    same way as the axes. If the catalogue lists no up axis, the z axis does not change.
    """
    axis, sign = up[0] if up else (2, 1)
    columns = np.zeros((3, 3))
    columns[axis, 2] = sign
    columns[(axis + 1) % 3, 0] = 1
    columns[:, 1] = np.cross(columns[:, 2], columns[:, 0])
    return columns

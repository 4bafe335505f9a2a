"""The facts of ``real_obj_meta.json`` about the things in Omni6DPose ROPE: sides, symmetry, up axis.

``instance_dict`` has for each ``oid`` its ``dimensions`` (3,), which give its sides when multiplied by the ``scale`` of
a scene, and in ``tag`` its ``upAxis`` (axes such as "y" or "-z") and ``symmetry`` (``any``, and for x, y and z each
"none", "half", "quarter" or "any").
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chronotope.errors import InputError
from chronotope.io import read_json
from chronotope.io.fields import first_fault

__all__ = ["About", "find_catalogue", "read_catalogue", "thing_T_upright"]

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
    """A thing of the catalogue: sides (3,) at scale 1, up axes, and symmetry.

    The possible up axes are unit vectors. ``symmetry`` is the symmetry about the upright axis, in the axes of
    ``thing_T_upright``: "any", "quarter", "half" or "none". It is "half" also if only another axis has a symmetry,
    because then the rotation is not clearly visible either.
    """

    dimensions: np.ndarray
    up: tuple[tuple[int, int], ...]
    symmetry: str


def find_catalogue(scene: Path) -> Path | None:
    """Find the catalogue of a scene's folder, or None."""
    place = scene.resolve()
    folders = (place, place.parent, place.parent.parent)
    files = (file for folder in folders for file in (folder / NAME, folder / "Meta" / NAME) if file.is_file())
    return next(files, None)


def read_catalogue(scene: Path, wanted: set[str]) -> dict[str, About] | None:
    """Read the requested things, by oid, from the nearest catalogue.

    It is in the scene's folder, beside it, or one level above, in each case also in a folder ``Meta``. The result is
    None if there is no catalogue.

    Raises:
        InputError: If the catalogue is broken.
    """
    file = find_catalogue(scene)
    if file is None:
        return None
    document = read_json(file)
    instances: Any = document.get("instance_dict") if isinstance(document, dict) else None
    if not isinstance(instances, dict):
        raise InputError(f"{file}: field 'instance_dict': expected the things by their oid")
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

    The entity's z is the first possible up axis. The sides along (x, y, z) are permuted like the axes. Without a
    possible up axis, z does not change.
    """
    axis, sign = up[0] if up else (2, 1)
    columns = np.zeros((3, 3))
    columns[axis, 2] = sign
    columns[(axis + 1) % 3, 0] = 1
    columns[:, 1] = np.cross(columns[:, 2], columns[:, 0])
    return columns

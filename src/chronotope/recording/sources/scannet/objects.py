"""Reader of the objects of a ScanNet scan: groups of mesh vertices, each with a label.

The mesh is ``<scan>_vh_clean_2.ply`` (m). ``<scan>_vh_clean_2.0.010000.segs.json`` has the segment of each vertex
(``segIndices``). ``<scan>.aggregation.json`` has the segments of each object (``segGroups``, with ``objectId``,
``label`` and ``segments``). The mesh, the segments and the aggregation belong together. For the finer mesh
``<scan>_vh_clean.ply``, corresponding files exist. The points of a thing are the vertices of its segments.

The box of a thing is upright and encloses its points. Along each axis, points below the 0.5 percentile or above the
99.5 percentile are ignored. The heading of the box is the direction of its longer side, modulo pi. The heading does
not show the front of the thing.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chronotope.errors import InputError
from chronotope.geometry import as_pose, box_from_points, invert, transform_points
from chronotope.io import read_json, slug
from chronotope.io.fields import first_fault
from chronotope.recording.sources.scannet.ply import read_vertices
from chronotope.recording.sources.shared.labels import SCANNET, kind_of, plain_label
from chronotope.recording.types import Entity

LEAST_VERTICES = 500  # least number of vertices for a reliable size (STI-Bench)

# Labels for parts of a room and of its walls. These parts have no size of their own.
_BOUNDS = (
    *("wall", "walls", "floor", "floors", "ceiling", "window", "windows", "windowsill", "window sill", "window frame"),
    *("windowframe", "doorframe", "door frame", "doorway", "door wall", "closet wall", "closet walls", "shower wall"),
    *("shower walls", "shower floor", "closet floor", "closet ceiling", "bathroom wall", "pillar", "column", "beam"),
    *("baseboard", "molding", "moulding", "structure", "rail", "stair rail", "banister", "ledge", "blind", "blinds"),
)
# Labels that do not name a kind of thing.
_NAMELESS = (
    *("object", "objects", "unknown", "remove", "misc", "unlabeled", "unannotated", "void", "stuff", "clutter", "item"),
    *("other", "otherprop", "otherfurniture", "otherstructure", "other prop", "other furniture", "other structure"),
)
NO_THINGS = frozenset((*_BOUNDS, *_NAMELESS))

# Each row has the file names, without the scan's name, of an aggregation, segments and a mesh that belong together.
# The first row whose three files exist is used.
_SETS = (
    (".aggregation.json", "_vh_clean_2.0.010000.segs.json", "_vh_clean_2.ply"),
    ("_vh_clean.aggregation.json", "_vh_clean.segs.json", "_vh_clean.ply"),
    ("_vh_clean.aggregation.json", "_vh_clean_2.0.010000.segs.json", "_vh_clean_2.ply"),
)
_LEAST_KNOWN = 0.5  # least share of a thing's segments in the mesh; below it, the files belong to different meshes


_Whole = Annotated[int, Field(ge=0, lt=2**62)]


class _Group(BaseModel):
    model_config = ConfigDict(frozen=True)

    objectId: _Whole  # noqa: N815
    label: str
    segments: tuple[_Whole, ...]


class _Aggregation(BaseModel):
    model_config = ConfigDict(frozen=True)

    segGroups: tuple[_Group, ...]  # noqa: N815


@dataclass(frozen=True, eq=False)
class Objects:
    """The objects of a scan, all at rest; their visibility is not included.

    ``numbers`` are the objectIds of the entities. ``whole`` is True for each entity that has enough vertices for a
    reliable size.
    """

    entities: tuple[Entity, ...] = ()
    numbers: tuple[int, ...] = ()
    whole: tuple[bool, ...] = ()
    notes: tuple[str, ...] = ()


def read_objects(folder: Path, scan: str, world_T_mesh: np.ndarray) -> Objects:
    """Read the objects of the scan called ``scan`` in a folder.

    The objects are moved by ``world_T_mesh`` (4, 4). If a file is missing, the result has no objects, and a note
    reports the missing file.

    Raises:
        InputError: If a file is damaged, or if the files belong to different meshes.
    """
    sets = [tuple(folder / f"{scan}{ending}" for ending in endings) for endings in _SETS]
    whole = next((files for files in sets if all(file.is_file() for file in files)), None)
    if whole is None:
        missing = ", ".join(file.name for file in sets[0] if not file.is_file())
        return Objects(notes=(f"{scan}: has no objects, because {missing} is missing",))
    aggregation, segments, mesh = whole
    vertices = transform_points(world_T_mesh, read_vertices(mesh))
    owners = _read_segments(segments, len(vertices), mesh)
    groups = _read_groups(aggregation)
    entities: list[Entity] = []
    numbers: list[int] = []
    things: list[bool] = []
    small = empty = 0
    for place, group in enumerate(groups):
        label = plain_label(group.label, SCANNET)
        if label in NO_THINGS or not label:
            continue
        wanted = np.unique(np.array(group.segments, np.int64))
        _require_known(aggregation, segments, place, wanted, owners)
        points = vertices[np.isin(owners, wanted)]
        if len(points) == 0:
            empty += 1
            continue
        entities.append(_entity(group.objectId, label, points))
        numbers.append(group.objectId)
        things.append(len(points) >= LEAST_VERTICES)
        small += len(points) < LEAST_VERTICES
    notes = []
    if small:
        notes.append(
            f"{aggregation.name}: {small} of {len(entities)} objects have fewer than {LEAST_VERTICES} vertices; their "
            "visibility is unknown, so no questions are asked about them"
        )
    if empty:
        notes.append(f"{aggregation.name}: {empty} objects without vertices are omitted")
    return Objects(tuple(entities), tuple(numbers), tuple(things), tuple(notes))


def _read_segments(path: Path, vertices: int, mesh: Path) -> np.ndarray:
    """Return the segment of each vertex as int64 (N,)."""
    value = read_json(path)
    indices = value.get("segIndices") if isinstance(value, dict) else None
    if not isinstance(indices, list) or not all(type(index) is int for index in indices):
        raise InputError(f"{path}: field 'segIndices': expected a list of whole numbers, one for each vertex")
    if len(indices) != vertices:
        raise InputError(
            f"{path}: field 'segIndices' has {len(indices)} numbers, expected one for each of the {vertices} vertices "
            f"of {mesh.name}"
        )
    try:
        return np.array(indices, np.int64)
    except OverflowError as error:
        raise InputError(f"{path}: field 'segIndices': a number is out of range") from error


def _read_groups(path: Path) -> tuple[_Group, ...]:
    try:
        groups = _Aggregation.model_validate(read_json(path)).segGroups
    except ValidationError as error:
        raise InputError(f"{path}: {first_fault(error)}") from error
    seen: set[int] = set()
    for place, group in enumerate(groups):
        if group.objectId in seen:
            raise InputError(f"{path}: field 'segGroups.{place}.objectId': the number {group.objectId} is used twice")
        seen.add(group.objectId)
    return groups


def _require_known(path: Path, segments: Path, place: int, wanted: np.ndarray, owners: np.ndarray) -> None:
    known = np.isin(wanted, owners).sum()
    if known < _LEAST_KNOWN * len(wanted):
        raise InputError(
            f"{path}: field 'segGroups.{place}.segments': {len(wanted) - known} of {len(wanted)} segments are not in "
            f"{segments.name}: the two files belong to different meshes"
        )


def _entity(number: int, label: str, points: np.ndarray) -> Entity:
    """Return an entity at rest, with the box around its points.

    The points are (N, 3) m in the world.
    """
    box = box_from_points(points)
    pose = as_pose(box.rotation, box.centre)
    length, width, height = (float(side) for side in box.size)
    return Entity(
        id=slug(f"{label}-{number}"),
        label=label,
        category=kind_of(label),
        size=(length, width, height),
        poses=pose[None],
        points=transform_points(invert(pose), points).astype(np.float32),
    )

"""A recording stored as a folder: recording.json, camera.parquet, tracks.parquet, points.npz and bodies.npz.

Saving and loading a recording preserves every bit of its fields. Two equal recordings are saved as files with equal
bytes. Arrays are stored as float64, with these exceptions:

- ``valid`` and ``visible`` are stored as bool.
- ``visible_pixels`` is stored as int64.
- ``points`` keeps its number type.
- The faces of a body are stored as int32, and its bones as uint16.

``attributes``, ``parameters`` and ``provenance`` are stored as JSON, so a tuple in one of these fields becomes a
list.
"""

import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from chronotope.errors import InputError
from chronotope.io import read_json, write_atomically, write_json
from chronotope.io.arrays import read_arrays
from chronotope.recording.checks import check_recording
from chronotope.recording.document import SCHEMA, ArrayFile, EntityFile, RecordingFile, plain, read_document
from chronotope.recording.tables import PER_FRAME, camera_table, read_camera, read_tracks, tracks_table, write_table
from chronotope.recording.types import Body, Clip, Entity, Event, Recording, Room, StateChange

_DOCUMENT, _CAMERA, _TRACKS = "recording.json", "camera.parquet", "tracks.parquet"
_POINTS, _BODIES = "points.npz", "bodies.npz"
_FILES = (_CAMERA, _TRACKS, _POINTS, _BODIES, _DOCUMENT)  # in the order in which they are put into place

# The arrays of a body in bodies.npz, with their number types.
_OF_BODY = {
    "vertices": np.float64, "faces": np.int32, "bones": np.uint16, "weights": np.float64, "rest": np.float64,
    "poses": np.float64,
}  # fmt: skip

# The fields that recording.json has as they are in memory.
_SAME = ("id", "kind", "source", "native_axes", "scene", "state", "licence", "provenance")
_SAME_OF_ENTITIES = ("id", "label", "category", "size", "attributes", "parent", "symmetry", "size_range")
_MOST_POINTS = 4 << 30  # bytes


def save_recording(recording: Recording, folder: Path) -> None:
    """Write a complete recording into ``folder``, or nothing if writing fails.

    In an existing folder, other files (depth, identities) are kept. An older recording in that folder is replaced.
    The new recording.json is written last, so a folder with recording.json always contains one complete recording.

    Raises:
        InputError: If two fields of the recording are inconsistent, or if a field cannot be stored without loss.
    """
    check_recording(recording, f"recording {recording.id!r}")
    values = _document(recording, folder)
    document = {name: plain(value, f"recording {recording.id!r}: field '{name}'") for name, value in values.items()}
    if folder.is_dir():
        staging = Path(tempfile.mkdtemp(dir=folder, prefix=".", suffix=".partial"))
        try:
            _write_files(recording, document, staging)
            for name in reversed(_FILES):
                (folder / name).unlink(missing_ok=True)
            for name in _FILES:
                if (staging / name).is_file():
                    (staging / name).replace(folder / name)
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    elif folder.exists():
        raise InputError(
            f"{folder}: is an existing file, expected a folder or a new path; choose another path for the recording"
        )
    else:
        with write_atomically(folder) as staging:
            staging.mkdir()
            _write_files(recording, document, staging)


def copy_recording(saved: Path, recording: Recording, folder: Path) -> None:
    """Copy a saved recording into a folder that has no recording yet.

    ``recording`` is what ``saved`` contains, but its clip may be elsewhere. Its files are copied, not written again.
    """
    document = read_json(saved / _DOCUMENT)
    clip = None if recording.clip is None else plain(_clip(recording.clip, folder), f"recording {recording.id!r}: clip")
    if document["schema_version"] != SCHEMA:
        return save_recording(recording, folder)
    folder.mkdir(parents=True, exist_ok=True)
    needed = [_CAMERA, *([_TRACKS] if recording.entities else [])]
    needed += [_POINTS] if any(entity.points is not None for entity in recording.entities) else []
    needed += [_BODIES] if any(entity.body is not None for entity in recording.entities) else []
    for name in needed:
        shutil.copyfile(saved / name, folder / name)
    if document["clip"] == clip:
        shutil.copyfile(saved / _DOCUMENT, folder / _DOCUMENT)
    else:
        write_json(folder / _DOCUMENT, document | {"clip": clip})


def _write_files(recording: Recording, document: dict[str, Any], staging: Path) -> None:
    write_table(camera_table(recording), staging / _CAMERA)
    tracks = tracks_table(recording)
    if tracks is not None:
        write_table(tracks, staging / _TRACKS)
    points = {f"entity_{i}": e.points for i, e in enumerate(recording.entities) if e.points is not None}
    if points:
        np.savez_compressed(staging / _POINTS, **points)  # pyright: ignore[reportArgumentType] (no parameter is entity_N)
    bodies = {
        f"entity_{i}_{name}": np.asarray(getattr(entity.body, name), kind)
        for i, entity in enumerate(recording.entities)
        if entity.body is not None
        for name, kind in _OF_BODY.items()
    }
    if bodies:
        np.savez_compressed(staging / _BODIES, **bodies)  # pyright: ignore[reportArgumentType] (as above)
    write_json(staging / _DOCUMENT, document)


def _document(recording: Recording, folder: Path) -> dict[str, Any]:
    """Return the content of recording.json, as values that ``plain`` can convert."""
    per_frame = recording.intrinsics is not None and recording.intrinsics.ndim == 3
    return {
        **_values(recording, RecordingFile.model_fields),
        **{name: getattr(recording, name) is not None for name in ("depth", "identities", "vehicle_pose", "velocity")},
        "schema_version": SCHEMA,
        "samples": len(recording.times),
        "clip": None if recording.clip is None else _clip(recording.clip, folder),
        "gravity": None if recording.gravity is None else np.asarray(recording.gravity, np.float64).tolist(),
        "intrinsics": None if per_frame else ArrayFile.of(recording.intrinsics),
        "intrinsics_per_frame": per_frame,
        "distortion": ArrayFile.of(recording.distortion),
        "depth_scale": None if recording.depth_scale is None else float(recording.depth_scale),
        "camera_mount": ArrayFile.of(recording.camera_mount),
        "entities": [_entity(entity) for entity in recording.entities],
        "rooms": [vars(room) | {"floor": ArrayFile.of(room.floor)} for room in recording.rooms],
        "events": [vars(event) | {"start": float(event.start), "end": float(event.end)} for event in recording.events],
    }


def _values(of: object, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(of, name, None) for name in names}


def _clip(clip: Clip, folder: Path) -> dict[str, Any]:
    path = PurePath(os.path.relpath(clip.path, folder)).as_posix()
    return vars(clip) | {"path": path, "fps": float(clip.fps)}


def _entity(entity: Entity) -> dict[str, Any]:
    bounds = entity.size_range
    joints = {} if entity.body is None else {"joints": entity.body.joints}
    return {
        **_values(entity, EntityFile.model_fields.keys() - {"joints"}),
        **joints,
        "size": [float(length) for length in entity.size],
        "static": len(entity.poses) == 1,
        "per_frame": [name for name in PER_FRAME if getattr(entity, name) is not None],
        "points": entity.points is not None,
        "changes": [vars(change) for change in entity.changes],
        "size_range": None if bounds is None else [[float(length) for length in bound] for bound in bounds],
    }


def load_recording(folder: Path) -> Recording:
    """Read a recording that ``save_recording`` wrote.

    Raises:
        InputError: If a file, field or column is missing or damaged. The message names this file, field or column.
    """
    path = folder / _DOCUMENT
    document = read_document(path)
    camera = read_camera(folder / _CAMERA, document)
    if document.intrinsics is not None:
        if document.intrinsics_per_frame:
            raise InputError(
                f"{path}: field 'intrinsics' has numbers, but 'intrinsics_per_frame' is true: remove one of the two "
                "fields"
            )
        camera["intrinsics"] = document.intrinsics.array(f"{path}: field 'intrinsics'", (3, 3))
    recording = Recording(
        clip=_load_clip(document, folder),
        gravity=None if document.gravity is None else np.array(document.gravity, np.float64),
        distortion=_small(document.distortion, path, "distortion"),
        depth_scale=document.depth_scale if document.schema_version > 1 else _older_depth_scale(document),
        camera_mount=_small(document.camera_mount, path, "camera_mount"),
        entities=_load_entities(document, folder),
        rooms=tuple(
            Room(**dict(vars(room), floor=room.floor.array(f"{path}: field 'rooms.{i}.floor'")))
            for i, room in enumerate(document.rooms)
        ),
        events=tuple(Event(**vars(event)) for event in document.events),
        **_values(document, _SAME),
        **camera,
    )
    check_recording(recording, str(folder))
    return recording


def _older_depth_scale(document: RecordingFile) -> float | None:
    """Return the depth scale of a recording saved with schema version 1."""
    scale = document.provenance.get("depth_scale")
    return float(scale) if isinstance(scale, int | float) and scale > 0 else None


def _small(array: ArrayFile | None, path: Path, field: str) -> np.ndarray | None:
    return None if array is None else array.array(f"{path}: field {field!r}")


def _load_clip(document: RecordingFile, folder: Path) -> Clip | None:
    if document.clip is None:
        return None
    clip = document.clip
    # The clip can be outside the folder, as in a benchmark. Its hash shows whether it is the correct file.
    if clip.path.startswith("/") or set(clip.path) & set("\\\0"):
        raise InputError(
            f"{folder / _DOCUMENT}: field 'clip.path' is {clip.path!r}, expected a path relative to the folder, "
            "with slashes"
        )
    # The path was written without resolving links, so no link is resolved here: a resolved link before ".." would lead
    # to another folder.
    path = Path(os.path.normpath(Path.cwd() / folder / clip.path))
    return Clip(**dict(vars(clip), path=path))


def _load_entities(document: RecordingFile, folder: Path) -> tuple[Entity, ...]:
    if not document.entities:
        return ()
    tracks = read_tracks(folder / _TRACKS, document)
    clouds = _load_points(folder / _POINTS, document)
    bodies = _load_bodies(folder / _BODIES, document)
    return tuple(
        Entity(
            points=clouds.get(f"entity_{index}"),
            body=bodies.get(index),
            changes=tuple(StateChange(**vars(change)) for change in entity.changes),
            **dict(_values(entity, _SAME_OF_ENTITIES), **track),
        )
        for index, (entity, track) in enumerate(zip(document.entities, tracks, strict=True))
    )


def _load_points(path: Path, document: RecordingFile) -> dict[str, np.ndarray]:
    names = [f"entity_{index}" for index, entity in enumerate(document.entities) if entity.points]
    if not names:
        return {}
    found = read_arrays(path, names, _MOST_POINTS)
    for name in names:
        if name not in found:
            raise InputError(
                f"{path}: array {name!r} is missing, but recording.json states that this entity has points"
            )
    return found


def _load_bodies(path: Path, document: RecordingFile) -> dict[int, Body]:
    """Read the bodies of articulated entities, by the index of the entity."""
    joints = {index: entity.joints for index, entity in enumerate(document.entities) if entity.joints is not None}
    if not joints:
        return {}
    names = [f"entity_{index}_{name}" for index in joints for name in _OF_BODY]
    found = read_arrays(path, names, _MOST_POINTS)
    for name in names:
        kind = _OF_BODY[name.rpartition("_")[2]]
        if name not in found or found[name].dtype != kind:
            raise InputError(
                f"{path}: array {name!r} is {'missing' if name not in found else f'of type {found[name].dtype}'}, "
                f"but recording.json states that this entity has joints, expected an array of type {np.dtype(kind)}; "
                "make the recording again"
            )
    return {
        index: Body(joints=names, **{name: found[f"entity_{index}_{name}"] for name in _OF_BODY})
        for index, names in joints.items()
    }

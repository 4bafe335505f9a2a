"""Rules for every recording, checked when a recording is saved or loaded."""

import numpy as np

from chronotope.errors import InputError
from chronotope.recording.types import Body, Entity, Recording


def check_recording(recording: Recording, where: str) -> None:
    """Check that the fields of a recording are consistent.

    The rules for a recording are:

    - All arrays have the expected shapes.
    - The times start at zero and increase strictly.
    - The poses marked as valid are finite.
    - The gravity vector has length 1.
    - No two entities have the same id.
    - The paths of depth and identity pictures are relative to the recording's folder.

    Each error message begins with ``where``.

    Raises:
        InputError: If a field breaks one of these rules. The message names the field.
    """
    samples = len(recording.times)
    if samples == 0:
        raise InputError(f"{where}: field 'times' is empty, expected at least one sample")
    _shape(where, "times", recording.times, (samples,))
    _shape(where, "valid", recording.valid, (samples,))
    _shape(where, "world_T_camera", recording.world_T_camera, (samples, 4, 4))
    _shape(where, "vehicle_pose", recording.vehicle_pose, (samples, 4, 4))
    _shape(where, "velocity", recording.velocity, (samples, 3))
    _shape(where, "intrinsics", recording.intrinsics, (3, 3), (samples, 3, 3))
    _shape(where, "gravity", recording.gravity, (3,))
    _shape(where, "camera_mount", recording.camera_mount, (4, 4))
    if recording.gravity is not None and not abs(np.linalg.norm(recording.gravity) - 1) < 1e-6:
        raise InputError(f"{where}: field 'gravity' is {recording.gravity.tolist()}, expected a vector of length 1")
    _check_times(where, recording.times)
    lost = np.flatnonzero(recording.valid & ~np.isfinite(recording.world_T_camera).all(axis=(1, 2)))
    if len(lost):
        raise InputError(
            f"{where}: field 'world_T_camera', sample {lost[0]}: this sample is marked as valid, but its pose is not "
            "finite"
        )
    for field, files in (("depth", recording.depth), ("identities", recording.identities)):
        _check_files(where, field, files, samples)
    names = [entity.id for entity in recording.entities]
    for index, entity in enumerate(recording.entities):
        if entity.id in names[:index]:
            raise InputError(f"{where}: two entities have the id {entity.id!r}: give each entity a different id")
        _check_entity(f"{where}, entity {entity.id!r}", entity, samples)
    for room in recording.rooms:
        if room.floor.ndim != 2 or room.floor.shape[1] != 2:
            raise InputError(f"{where}, room {room.id!r}: field 'floor' has shape {room.floor.shape}, expected (N, 2)")


def _check_times(where: str, times: np.ndarray) -> None:
    if times[0] != 0 or not np.isfinite(times).all():
        raise InputError(f"{where}: field 'times' must be finite and start at 0 s, but the first time is {times[0]}")
    back = np.flatnonzero(np.diff(times) <= 0)
    if len(back):
        raise InputError(
            f"{where}: field 'times' does not increase from sample {back[0]} to sample {back[0] + 1}, expected "
            "increasing times"
        )


def _check_files(where: str, field: str, files: tuple[str | None, ...] | None, samples: int) -> None:
    if files is None:
        return
    if len(files) != samples:
        raise InputError(
            f"{where}: field {field!r} has {len(files)} values, expected one file name or null for each of {samples} "
            "samples"
        )
    for name in files:
        if name is not None and name.startswith("/"):
            raise InputError(
                f"{where}: field {field!r}: the path {name} is absolute, expected a path relative to the recording's "
                "folder"
            )


def _check_entity(where: str, entity: Entity, samples: int) -> None:
    _shape(where, "poses", entity.poses, (1, 4, 4), (samples, 4, 4))
    for field in ("visible", "visible_pixels", "visible_fraction"):
        _shape(where, field, getattr(entity, field), (samples,))
    _shape(where, "box2d", entity.box2d, (samples, 4))
    _shape(where, "label_speed", entity.label_speed, (samples, 3))
    if entity.size_range is not None:
        least, most = entity.size_range
        if not all(low <= high for low, high in zip(least, most, strict=True)):
            raise InputError(
                f"{where}: field 'size_range' goes from {least} to {most}, expected the smallest sizes first"
            )
    if entity.body is not None:
        _check_body(where, entity.body, samples)
    cloud = entity.points
    if cloud is not None and (cloud.ndim != 2 or cloud.shape[1] != 3 or cloud.dtype.kind != "f"):
        raise InputError(
            f"{where}: field 'points' has type {cloud.dtype} and shape {cloud.shape}, expected floats of shape (N, 3)"
        )


def _check_body(where: str, body: Body, samples: int) -> None:
    joints, vertices, bones = len(body.joints), len(body.vertices), body.bones
    _shape(where, "body.vertices", body.vertices, (vertices, 3))
    _shape(where, "body.faces", body.faces, (len(body.faces), 3))
    _shape(where, "body.bones", bones, (vertices, *bones.shape[1:2]))
    _shape(where, "body.weights", body.weights, bones.shape)
    _shape(where, "body.rest", body.rest, (joints, 4, 4))
    _shape(where, "body.poses", body.poses, (samples, joints, 4, 4))
    for field, numbers, count in (("faces", body.faces, vertices), ("bones", bones, joints)):
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < count:
            raise InputError(
                f"{where}: field 'body.{field}' has numbers from {numbers.min()} to {numbers.max()}, expected numbers "
                f"from 0 to {count - 1}"
            )


def _shape(where: str, field: str, array: np.ndarray | None, *shapes: tuple[int, ...]) -> None:
    if array is not None and array.shape not in shapes:
        expected = " or ".join(str(shape) for shape in shapes)
        raise InputError(f"{where}: field {field!r} has shape {array.shape}, expected {expected}")

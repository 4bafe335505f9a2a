"""Reader of the frames of an Omni6DPose ROPE scene: ``<6 digits>_color.png`` and ``<6 digits>_meta.json``.

A meta file has ``camera.intrinsics`` (fx, fy, cx, cy, width, height) and ``objects``. The name of each object begins
with the id that the thing has in the mask. An object has the pose of the thing in the camera: ``quaternion_wxyz`` and
``translation``, in OpenCV axes and metres. The origin of the thing's pose is the middle of its box. An object also has
``is_valid`` and, in ``meta``, the fields ``oid``, ``class_name``, ``scale``, ``bbox_side_len`` (m) and
``is_background``. Things in the background are ignored.
"""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chronotope.errors import InputError
from chronotope.geometry import rotation_from_quaternion
from chronotope.io import read_json
from chronotope.io.fields import first_fault
from chronotope.media import PICTURE_FAULTS, open_picture
from chronotope.recording.sources.shared.repair import from_quaternions

_FILE = re.compile(r"([0-9]{6})_(color\.png|meta\.json)")
_MASK_ID = re.compile(r"([0-9]{1,9})(?:_.*)?", re.DOTALL)

_Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_Three = tuple[float, float, float]
_Four = tuple[float, float, float, float]


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True)


class _Intrinsics(_Row):
    fx: _Positive
    fy: _Positive
    cx: Annotated[float, Field(allow_inf_nan=False)]
    cy: Annotated[float, Field(allow_inf_nan=False)]
    width: Annotated[int, Field(gt=0)]
    height: Annotated[int, Field(gt=0)]

    @property
    def matrix(self) -> np.ndarray:
        """Return the camera matrix (3, 3) px."""
        return np.array([[self.fx, 0, self.cx], [0, self.fy, self.cy], [0, 0, 1]])


class _Camera(_Row):
    intrinsics: _Intrinsics
    quaternion: _Four | None = None


class _About(_Row):
    oid: str
    class_name: str
    scale: tuple[_Positive, _Positive, _Positive]
    bbox_side_len: tuple[_Positive, _Positive, _Positive]
    is_background: bool = False


class _Object(_Row):
    meta: _About
    quaternion_wxyz: _Four
    translation: _Three
    is_valid: bool


class _Meta(_Row):
    camera: _Camera
    objects: dict[str, _Object]


@dataclass(frozen=True, eq=False)
class PosedThing:
    """One thing in T frames of a scene.

    ``camera_T_thing`` (T, 4, 4) is NaN if the source has no valid pose. ``mask_ids`` (T,) is -1 in frames that do
    not list the thing. ``scale`` and ``sides`` (3,) are medians over the frames.
    """

    oid: str
    class_name: str
    scale: np.ndarray
    sides: np.ndarray
    camera_T_thing: np.ndarray  # noqa: N815
    mask_ids: np.ndarray

    @property
    def valid(self) -> np.ndarray:
        """Return whether the thing has a valid pose in each frame (T,)."""
        return np.asarray(np.isfinite(self.camera_T_thing).all(axis=(1, 2)))


@dataclass(frozen=True, eq=False)
class Frames:
    """The frames of a scene: their numbers (T,), pictures and things.

    ``turns`` (T, 3, 3) are the rotations of the source's own camera poses, NaN if missing. The source does not
    state whether a rotation maps camera to world or world to camera.
    """

    numbers: np.ndarray
    pictures: tuple[Path, ...]
    intrinsics: np.ndarray | None
    size: tuple[int, int] | None
    things: tuple[PosedThing, ...]
    turns: np.ndarray
    notes: tuple[str, ...]


def list_frames(folder: Path) -> dict[str, dict[int, Path]]:
    """List the files as {"color" | "meta": {frame number: file}}."""
    files: dict[str, dict[int, Path]] = {"color": {}, "meta": {}}
    for file in sorted(folder.iterdir()):
        match = _FILE.fullmatch(file.name)
        if match:
            files[match[2].split(".")[0]][int(match[1])] = file
    return files


def read_frames(folder: Path) -> Frames:
    """Read all frames of a scene's folder.

    Raises:
        InputError: If the folder has fewer than two pictures, or a file is damaged.
    """
    files = list_frames(folder)
    numbers = sorted(files["color"])
    if len(numbers) < 2:
        raise InputError(f"{folder}: {len(numbers)} pictures such as 000000_color.png, expected at least two")
    metas = [_read_meta(files["meta"][k]) if k in files["meta"] else None for k in numbers]
    cameras = [None if meta is None else meta.camera for meta in metas]
    lost = sum(meta is None for meta in metas)
    extra = len(files["meta"].keys() - files["color"].keys())
    things, notes = _things(folder, metas)
    if lost:
        notes += (f"{folder.name}: {lost} pictures have no meta file, and count as frames without a pose",)
    if extra:
        notes += (f"{folder.name}: {extra} meta files without a picture are omitted",)
    intrinsics, size = _intrinsics(files["color"][numbers[0]], cameras)
    turns = np.array([_turn(None if camera is None else camera.quaternion) for camera in cameras])
    pictures = tuple(files["color"][k] for k in numbers)
    return Frames(np.array(numbers), pictures, intrinsics, size, things, turns, notes)


def _read_meta(path: Path) -> _Meta:
    try:
        meta = _Meta.model_validate(read_json(path))
    except ValidationError as error:
        raise InputError(f"{path}: {first_fault(error)}") from error
    for name in meta.objects:
        if _mask_id(name) < 0:
            raise InputError(f"{path}: field 'objects': {name[:40]!r} does not begin with the mask's id of the thing")
    return meta


def _things(folder: Path, metas: list[_Meta | None]) -> tuple[tuple[PosedThing, ...], tuple[str, ...]]:
    """Collect the things of all frames by oid.

    If a frame has two things with the same oid, the two things are distinguished by their ids in the mask.
    """
    listed = [
        (frame, _mask_id(name), thing)
        for frame, meta in enumerate(metas)
        if meta is not None
        for name, thing in meta.objects.items()
        if not thing.meta.is_background
    ]
    counts = Counter((frame, thing.meta.oid) for frame, _, thing in listed)
    twins = {oid for (_, oid), count in counts.items() if count > 1}
    rows: dict[tuple[str, int], list[int]] = {}
    for row, (_, mask_id, thing) in enumerate(listed):
        rows.setdefault((thing.meta.oid, mask_id if thing.meta.oid in twins else -1), []).append(row)
    quaternions = np.array([np.roll(thing.quaternion_wxyz, -1) for _, _, thing in listed]).reshape(-1, 4)
    positions = np.array([thing.translation for _, _, thing in listed]).reshape(-1, 3)
    valid = np.array([thing.is_valid for _, _, thing in listed], bool)
    repaired = from_quaternions(positions, quaternions, f"{folder.name}: poses of objects")
    poses = np.where(valid[:, None, None], repaired.poses, np.nan)
    things: list[PosedThing] = []
    for (oid, _), chosen in rows.items():
        abouts = [listed[row][2].meta for row in chosen]
        placed, ids = np.full((len(metas), 4, 4), np.nan), np.full(len(metas), -1)
        at = [listed[row][0] for row in chosen]
        placed[at], ids[at] = poses[chosen], [listed[row][1] for row in chosen]
        scale, sides = (np.median([getattr(about, name) for about in abouts], axis=0) for name in _LENGTHS)
        things.append(PosedThing(oid, abouts[0].class_name, scale, sides, placed, ids))
    return tuple(things), repaired.notes


_LENGTHS = ("scale", "bbox_side_len")


def _mask_id(name: str) -> int:
    """Return the mask's id at the start of a thing's name.

    The result is -1 if the name does not begin with an id.
    """
    match = _MASK_ID.fullmatch(name)
    return -1 if match is None else int(match[1])


def _turn(quaternion: _Four | None) -> np.ndarray:
    """Return the rotation (3, 3) of a quaternion w x y z.

    The result is NaN if the quaternion is None or is not a rotation.
    """
    length = 0.0 if quaternion is None else float(np.linalg.norm(quaternion))
    if quaternion is None or not (np.isfinite(length) and length > 0.5):
        return np.full((3, 3), np.nan)
    return rotation_from_quaternion(np.roll(quaternion, -1) / length)


def _intrinsics(picture: Path, cameras: list[_Camera | None]) -> tuple[np.ndarray | None, tuple[int, int] | None]:
    """Return the intrinsics and the size of the pictures.

    The intrinsics are (3, 3), or (T, 3, 3) if they vary. A missing value is copied from the previous frame.
    """
    known = [camera.intrinsics for camera in cameras if camera is not None]
    if not known:
        return None, None
    try:
        with open_picture(picture) as opened:
            size = opened.size
    except PICTURE_FAULTS as error:
        raise InputError(f"{picture}: cannot be read as a picture ({error}): download the file again") from error
    if size != (known[0].width, known[0].height):
        raise InputError(
            f"{picture}: has {size[0]} x {size[1]} pixels, but its intrinsics are for {known[0].width} x "
            f"{known[0].height} pixels: the pictures and the meta files do not match"
        )
    matrices, last = [], known[0].matrix
    for camera in cameras:
        last = last if camera is None else camera.intrinsics.matrix
        matrices.append(last)
    stacked = np.array(matrices)
    return (stacked[0] if (stacked == stacked[0]).all() else stacked), size

"""Reader of the Waymo Open Dataset, perception, version 1.4: one TFRecord file per segment.

Each record is a protocol buffer ``Frame``. The packages protobuf and google-crc32c (extra ``waymo``) read it, without
TensorFlow. The module ``tfrecord`` describes the layout of the file, ``messages`` describes the content of a frame, and
``drive`` describes the conventions. One pass over the file checks every record and finds the positions of the pictures.
The pictures are then read one at a time. Gravity is -z, and the kind of scene is "outdoor".
"""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.io import reading
from chronotope.recording.sources.shared.tracks import Boxes, upright
from chronotope.recording.sources.shared.types import Decoded, Given, Loaded
from chronotope.recording.sources.waymo.drive import Drive, Projected, decode_jpeg, part_name, typed
from chronotope.recording.sources.waymo.frame import Frame, Picture, read_frames
from chronotope.recording.sources.waymo.recording import drive_loaded

NAME = "waymo_tfrecord"
TITLE = "Waymo perception v1.4"
EXPECTED = "a file with the suffix .tfrecord"


def matches(path: Path) -> bool:
    """Check whether the path looks like ``EXPECTED``."""
    return path.suffix.lower() == ".tfrecord" and path.is_file()


def parts(path: Path) -> list[str]:
    """Return ``<segment>_camera_<n>`` for each calibrated camera.

    If no camera is calibrated, the only recording is the segment.
    """
    return list(_cameras(path))


def _cameras(path: Path) -> dict[str, int | None]:
    """Map the name of each recording to its camera."""
    first = next(_read_frames(path, None))
    return {part_name(first.segment, number): number for number in first.cameras} or {first.segment: None}


def _read_frames(path: Path, camera: int | None) -> "Iterator[Frame]":
    try:
        for package in ("google.protobuf", "google_crc32c"):
            import_module(package)
    except ImportError as error:
        told = f"reading TFRecord files needs protobuf and google-crc32c ({error})"
        raise InputError(f"{path}: {told}: pip install 'chronotope[waymo]'") from error
    return read_frames(path, camera)


def load(path: Path, given: Given, part: str | None = None) -> Loaded:
    """Read the recording of one camera of a segment.

    Raises:
        InputError: If the file does not have the form described at the top of this module.
    """
    cameras = _cameras(path)
    if part is None and len(cameras) == 1:
        part = next(iter(cameras))
    if part is None or part not in cameras:
        told = "choose one of these recordings" if part is None else f"{part} is not one of these recordings"
        raise InputError(f"{path}: contains {len(cameras)} recordings ({', '.join(cameras)}); {told}")
    frames = sorted(_read_frames(path, cameras[part]), key=lambda frame: frame.stamp)
    return drive_loaded(NAME, TITLE, path, given, _drive(path, frames))


def _drive(path: Path, frames: "list[Frame]") -> Drive:
    """Make a drive from the frames of one camera.

    If the camera has pictures, frames without a picture are omitted.
    """
    segment, camera = frames[0].segment, frames[0].camera
    other = [frame.segment for frame in frames if frame.segment != segment]
    if other:
        raise InputError(f"{path}: contains frames of {segment} and of {other[0]}, expected frames of only one segment")
    if any(frame.picture for frame in frames):
        frames = [frame for frame in frames if frame.picture]
    stamps = np.array([frame.stamp for frame in frames])
    twice = np.flatnonzero(np.diff(stamps) == 0)
    if len(twice):
        raise InputError(f"{path}: the stamp {stamps[twice[0]]} occurs twice, expected each frame once")
    pictures = [frame.picture for frame in frames if frame.picture]
    return Drive(
        segment,
        stamps,
        np.stack([frame.vehicle for frame in frames]),
        camera,
        np.stack([picture.vehicle for picture in pictures]) if pictures else None,
        np.stack([picture.velocity for picture in pictures]) if pictures else None,
        laser_boxes(path, frames),
        _projected(frames),
        Decoded(range(len(pictures)), _Jpegs(path, pictures)) if pictures else (),
    )


def laser_boxes(path: Path, frames: "list[Frame]") -> Boxes:
    """Join the laser labels of frames into one table of boxes.

    Sample k has the boxes of ``frames[k]``.
    """
    labels = [frame.labels for frame in frames]
    return Boxes(
        np.repeat(np.arange(len(frames)), [len(found.ids) for found in labels]),
        np.array([name for found in labels for name in found.ids], dtype=str),
        typed(str(path), np.concatenate([found.types for found in labels])),
        upright(np.concatenate([found.centres for found in labels]), np.concatenate([f.headings for f in labels])),
        np.concatenate([found.sizes for found in labels]),
        np.concatenate([found.points for found in labels]),
        np.concatenate([found.speeds for found in labels]),
        str(path),
        "field 'box' of a laser label",
    )


def _projected(frames: "list[Frame]") -> Projected:
    found = [(k, name, box) for k, frame in enumerate(frames) for name, box in frame.rectangles.items()]
    return Projected(
        np.array([k for k, _, _ in found], np.int64),
        np.array([name for _, name, _ in found], dtype=str),
        np.array([box for _, _, box in found]).reshape(-1, 4),
    )


class _Jpegs:
    """The pictures of a file; each picture is read from the file on request."""

    def __init__(self, path: Path, pictures: "list[Picture]") -> None:
        self._path, self._pictures = path, pictures

    def __call__(self, number: int) -> np.ndarray:
        picture = self._pictures[number]
        with reading(self._path), self._path.open("rb") as file:
            file.seek(picture.offset)
            data = file.read(picture.length)
        return decode_jpeg(data, f"{self._path}, picture {number} (from 0)")

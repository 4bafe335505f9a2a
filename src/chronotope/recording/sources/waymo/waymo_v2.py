"""Reader of the Waymo Open Dataset, perception, version 2: a folder per component, a Parquet file per segment.

Files are ``<split>/<component>/<segment>.parquet``. The source is the folder of the split, or one file in its
folder vehicle_pose. The columns are ``key.*`` (segment, stamp in microseconds, camera, laser object) and
``[<Class>].field``. The reader uses these components; all except vehicle_pose are optional:

- ``vehicle_pose`` has the 16 numbers of world_T_vehicle. The numbers are stored as float32. Therefore, poses far from
  the world's origin have rounding errors of 1 to 4 mm.
- ``camera_calibration`` has the calibration of each camera. Without ``camera_calibration``, only the vehicle's
  trajectory is known.
- ``camera_image`` has JPEG pictures, with the vehicle's pose and velocity at the time of each picture. Without
  ``camera_image``, the reader uses a clip ``<segment>_camera_<n>.mp4`` in the folder of the split or in its folder
  ``clips``. Frame k of the clip belongs to sample k. The clip can have any size.
- ``lidar_box`` and ``projected_lidar_box`` have the boxes.

The module ``drive`` describes the conventions. Gravity is -z, and the kind is outdoor.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.recording.sources.shared.columns import Columns, open_parquet, read_parquet
from chronotope.recording.sources.shared.tracks import Boxes, upright
from chronotope.recording.sources.shared.types import Decoded, Given, Loaded
from chronotope.recording.sources.waymo.drive import (
    Drive,
    Projected,
    WaymoCamera,
    calibrated,
    decode_jpeg,
    part_name,
    require_camera,
    split_part,
    typed,
)
from chronotope.recording.sources.waymo.recording import drive_loaded

NAME = "waymo_v2"
TITLE = "Waymo perception v2"
EXPECTED = "a folder with a file vehicle_pose/<segment>.parquet, or such a file"
_POSES = "vehicle_pose"
_SEGMENT = "key.segment_context_name"
_STAMP, _CAMERA, _OBJECT = "key.frame_timestamp_micros", "key.camera_name", "key.laser_object_id"
_POSE = "[VehiclePoseComponent].world_from_vehicle.transform"
_CALIBRATION, _IMAGE = "[CameraCalibrationComponent].", "[CameraImageComponent]."
_BOX, _PROJECTED = "[LiDARBoxComponent].", "[ProjectedLiDARBoxComponent]."
_INTRINSIC = [f"{_CALIBRATION}intrinsic.{name}" for name in ("f_u", "f_v", "c_u", "c_v", "k1", "k2", "p1", "p2", "k3")]
_PICTURE = f"{_IMAGE}image"
_BATCH = 16  # number of pictures that are read at once


def matches(path: Path) -> bool:
    """Check whether the path looks like ``EXPECTED``."""
    if path.is_file():
        return path.suffix.lower() == ".parquet" and path.parent.name == _POSES
    return (path / _POSES).is_dir() and any((path / _POSES).glob("*.parquet"))


def parts(path: Path) -> list[str]:
    """Return ``<segment>_camera_<n>`` for each calibrated camera.

    A segment without calibrated cameras has only one recording, named like the segment.
    """
    root, segments = _segments(path)
    found: list[str] = []
    for segment in segments:
        file = root / "camera_calibration" / f"{segment}.parquet"
        cameras = np.unique(read_parquet(file, _CAMERA.__eq__).whole(_CAMERA)).tolist() if file.is_file() else []
        found += [part_name(segment, camera) for camera in cameras] or [segment]
    return found


def _segments(path: Path) -> tuple[Path, list[str]]:
    """Return the folder of the split, and the segments at the path."""
    if path.is_file():
        return path.parent.parent, [path.stem]
    return path, sorted(file.stem for file in (path / _POSES).glob("*.parquet"))


def companions(path: Path) -> list[Path]:
    """Return the files of all components of a segment, given one file."""
    return [] if path.is_dir() else list(path.parent.parent.glob(f"*/{path.name}"))


def load(path: Path, given: Given, part: str | None = None) -> Loaded:
    """Read the recording of one camera of one segment.

    Raises:
        InputError: If the files do not have the form described at the top of this module.
    """
    root, segments = _segments(path)
    if part is None:
        names = parts(path)
        if len(names) != 1:
            listed = ", ".join(names[:5]) or "none"
            raise InputError(
                f"{path}: contains {len(names)} recordings ({listed}), expected one; choose one of these recordings"
            )
        part = names[0]
    segment, number = (part, None) if part in segments else split_part(part)
    if segment not in segments:
        raise InputError(f"{path}: there is no {_POSES}/{segment}.parquet; expected one of the segments in the folder")
    return drive_loaded(NAME, TITLE, path, given, _read_drive(root, segment, number))


def _read_drive(root: Path, segment: str, number: int | None) -> Drive:
    vehicle = read_parquet(root / _POSES / f"{segment}.parquet")
    _require_segment(vehicle, segment)
    stamps, rows = _by_stamp(vehicle, vehicle.whole(_STAMP))
    drive = Drive(segment, stamps, vehicle.matrices(_POSE)[rows])
    camera, notes, clip = None, [], None
    pictures: Sequence[np.ndarray] = ()
    taken, velocity = None, None
    if number is not None:
        camera = _read_camera(root / "camera_calibration" / f"{segment}.parquet", number)
        images = root / "camera_image" / f"{segment}.parquet"
        if images.is_file():
            drive, taken, velocity, pictures = _read_images(images, number, drive)
        else:
            clip = _find_clip(root, part_name(segment, number))
            if clip is None:
                notes.append(
                    f"there are no pictures: camera_image and {part_name(segment, number)}.mp4 are both missing"
                )
    elif any(_find_clip(root, part_name(segment, camera)) for camera in range(1, 6)):
        notes.append("the clips are not used, because camera_calibration is missing")
    boxes = root / "lidar_box" / f"{segment}.parquet"
    projected = root / "projected_lidar_box" / f"{segment}.parquet"
    return Drive(
        segment,
        drive.stamps,
        drive.vehicle,
        camera,
        taken,
        velocity,
        _read_boxes(boxes, drive.stamps) if boxes.is_file() else None,
        _read_projected(projected, number, drive.stamps) if number is not None and projected.is_file() else None,
        pictures,
        clip,
        tuple(notes),
    )


def _require_segment(columns: Columns, segment: str) -> None:
    others = set(columns.texts(_SEGMENT).tolist()) - {segment}
    if others:
        raise InputError(
            f"{columns.path}: column {_SEGMENT!r} contains {min(others)!r}, expected only {segment!r}, the name of the "
            "file"
        )


def _by_stamp(columns: Columns, stamps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return stamps (T,) in increasing order, and the row of each stamp.

    Raises:
        InputError: If a stamp occurs twice.
    """
    order = np.argsort(stamps, kind="stable")
    twice = np.flatnonzero(np.diff(stamps[order]) == 0)
    if len(twice):
        raise InputError(
            f"{columns.path}: column {_STAMP!r}: {stamps[order][twice[0]]} occurs twice, expected each stamp once"
        )
    return stamps[order], order


def _find_clip(root: Path, name: str) -> Path | None:
    return next((file for folder in (root, root / "clips") if (file := folder / f"{name}.mp4").is_file()), None)


def _read_camera(path: Path, number: int) -> WaymoCamera:
    columns = read_parquet(path)
    require_camera(f"{path}: column {_CAMERA!r}", number)
    found = np.flatnonzero(columns.whole(_CAMERA) == number)
    if len(found) != 1:
        raise InputError(f"{path}: column {_CAMERA!r} has camera {number} in {len(found)} rows, expected one")
    row = found[0]
    width, height = (int(columns.whole(f"{_CALIBRATION}{side}")[row]) for side in ("width", "height"))
    extrinsic = columns.matrices(f"{_CALIBRATION}extrinsic.transform")[row]
    return calibrated(str(path), number, columns.vectors(_INTRINSIC)[row], extrinsic, (width, height))


def _read_images(
    path: Path, number: int, drive: Drive
) -> tuple[Drive, np.ndarray | None, np.ndarray | None, Sequence[np.ndarray]]:
    """Return the samples that have a picture, and the pictures.

    The vehicle's poses and velocities at the times of the pictures are returned too.
    """
    columns = read_parquet(path, lambda name: name != _PICTURE)
    mine = np.flatnonzero(columns.whole(_CAMERA) == number)
    if not len(mine):
        raise InputError(f"{path}: column {_CAMERA!r} has no row of camera {number}, expected one for each sample")
    stamps, order = _by_stamp(columns, columns.whole(_STAMP)[mine])
    rows = mine[order]
    at, known = _samples(drive.stamps, stamps)
    vehicle = np.full((len(stamps), 4, 4), np.nan)
    vehicle[known] = drive.vehicle[at[known]]
    pose, speeds = f"{_IMAGE}pose.transform", [f"{_IMAGE}velocity.linear_velocity.{axis}" for axis in "xyz"]
    taken = columns.matrices(pose)[rows] if pose in columns else None
    velocity = columns.vectors(speeds, missing=True)[rows] if all(name in columns for name in speeds) else None
    pictures = Decoded(range(len(rows)), _Pictures(path, rows))
    return Drive(drive.segment, stamps, vehicle), taken, velocity, pictures


def _samples(stamps: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find the sample of each requested stamp (N,).

    ``stamps`` (T,) are in order. The second value is True for each requested stamp that has a sample.
    """
    at = np.clip(np.searchsorted(stamps, wanted), 0, len(stamps) - 1)
    return at, stamps[at] == wanted


class _Pictures:
    """The pictures in a Parquet file, by their index in ``rows``.

    The encoded pictures of one row group are kept in memory.
    """

    def __init__(self, path: Path, rows: np.ndarray) -> None:
        self._path, self._rows = path, rows
        self._packed: dict[int, bytes | None] = {}

    def __call__(self, number: int) -> np.ndarray:
        row = int(self._rows[number])
        if row not in self._packed:
            self._packed = {}  # frees the previous row group before the next one is read
            self._packed = self._read_group(row)
        data = self._packed[row]
        if data is None:
            raise InputError(f"{self._path}: column {_PICTURE!r}, row {row} (from 0) is empty, expected a JPEG picture")
        return decode_jpeg(data, f"{self._path}, column {_PICTURE!r}, row {row} (from 0)")

    def _read_group(self, row: int) -> dict[int, bytes | None]:
        """Read the requested encoded pictures of the row group that contains ``row``."""
        wanted = set(self._rows.tolist())
        with open_parquet(self._path) as file:
            if file.schema_arrow.names.count(_PICTURE) != 1:
                raise InputError(f"{self._path}: column {_PICTURE!r} is missing, expected JPEG pictures")
            sizes = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
            group = int(np.searchsorted(np.cumsum(sizes), row, side="right"))
            first = sum(sizes[:group])
            packed: dict[int, bytes | None] = {}
            for batch in file.iter_batches(_BATCH, row_groups=[group], columns=[_PICTURE], use_threads=False):
                for value in batch.column(0):
                    if first in wanted:
                        packed[first] = value.as_py()
                    first += 1
        return packed


def _read_boxes(path: Path, stamps: np.ndarray) -> Boxes:
    columns = read_parquet(path)
    frames, known = _samples(stamps, columns.whole(_STAMP))
    columns, frames = columns.rows(known), frames[known]
    speeds = [f"{_BOX}speed.{axis}" for axis in "xyz"]
    return Boxes(
        frames,
        columns.texts(_OBJECT),
        typed(str(path), columns.whole(f"{_BOX}type")),
        upright(columns.metres([f"{_BOX}box.center.{axis}" for axis in "xyz"]), columns.numbers(f"{_BOX}box.heading")),
        columns.metres([f"{_BOX}box.size.{axis}" for axis in "xyz"]),
        columns.counts(f"{_BOX}num_lidar_points_in_box"),
        columns.vectors(speeds, missing=True) if all(name in columns for name in speeds) else None,
        str(path),
        f"column {_BOX + 'box.size'!r}",
    )


def _read_projected(path: Path, camera: int, stamps: np.ndarray) -> Projected:
    columns = read_parquet(path)
    frames, known = _samples(stamps, columns.whole(_STAMP))
    mine = known & (columns.whole(_CAMERA) == camera)
    columns = columns.rows(mine)
    centre, size = (columns.vectors([f"{_PROJECTED}box.{what}.{axis}" for axis in "xy"]) for what in ("center", "size"))
    rectangles = np.concatenate([centre - size / 2, centre + size / 2], axis=1)
    return Projected(frames[mine], columns.texts(_OBJECT), rectangles)

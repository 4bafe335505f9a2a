"""Reader of frames in Waymo's version 1.4 (the protocol buffer ``Frame``).

In projected labels, the length of a box is its extent along the picture's x axis, and its width is its extent along
the y axis. The id of a projected label is the id of the laser label with the suffix ``_<CAMERA>``.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.errors import InputError
from chronotope.recording.sources.shared.repair import FARTHEST
from chronotope.recording.sources.waymo.drive import CAMERAS, WaymoCamera, calibrated
from chronotope.recording.sources.waymo.messages import NotAMessageError, parse_frame, require
from chronotope.recording.sources.waymo.tfrecord import Stored, read_records

_BOX = ("center_x", "center_y", "center_z", "length", "width", "height", "heading")


@dataclass(frozen=True, eq=False)
class Picture:
    """The position of a JPEG picture in the file, and the vehicle's motion at its time.

    ``vehicle`` is the vehicle's pose (4, 4) and ``velocity`` (3,) m/s is its velocity.
    """

    offset: int
    length: int
    vehicle: np.ndarray
    velocity: np.ndarray


@dataclass(frozen=True, eq=False)
class LaserLabels:
    """The boxes (N,) of one frame, in the vehicle frame.

    A box has a centre (N, 3), a size (N, 3) as length, width and height, a heading (N,) rad, a type, a number of
    lidar points, and a speed (N, 3) m/s in world coordinates. An unknown speed is NaN.
    """

    ids: list[str]
    centres: np.ndarray
    sizes: np.ndarray
    headings: np.ndarray
    types: np.ndarray
    points: np.ndarray
    speeds: np.ndarray


@dataclass(frozen=True, eq=False)
class Frame:
    """The data of one frame, for one camera or for none.

    ``rectangles`` maps the id of each laser object to x0 y0 x1 y1 px. ``cameras`` are the numbers of the calibrated
    cameras.
    """

    segment: str
    stamp: int
    vehicle: np.ndarray
    cameras: list[int]
    camera: WaymoCamera | None
    picture: Picture | None
    labels: LaserLabels
    rectangles: dict[str, np.ndarray]


def read_frames(path: Path, camera: int | None) -> Iterator[Frame]:
    """Yield the frames of a file in order, with one camera's data.

    Only one frame is in memory at a time.

    Raises:
        InputError: If a record is damaged, or if a required field is missing. The message names file and record.
    """
    for record in read_records(path):
        where = f"{path}: record {record.number} (from 0)"
        try:
            frame = _frame(where, record, camera)
        except NotAMessageError as error:
            raise InputError(f"{where}: {error}; expected a frame of the Waymo Open Dataset") from error
        yield frame


def _frame(where: str, record: Stored, number: int | None) -> Frame:
    frame = parse_frame(record.payload)
    require(frame, "context", "timestamp_micros", "pose")
    require(frame.context, "name")
    calibrations = _by_camera(frame.context.camera_calibrations)
    camera = None
    if number is not None:
        if number not in calibrations:
            raise InputError(f"{where}: camera {number} has a calibration in the first record, but not in this record")
        camera = _camera(where, number, calibrations[number])
    images = _by_camera(frame.images)
    return Frame(
        segment=_text(frame.context, "name"),
        stamp=frame.timestamp_micros,
        vehicle=_transform(frame, "pose"),
        cameras=sorted(calibrations),
        camera=camera,
        picture=_picture(images[number], record) if number in images else None,
        labels=_labels(where, frame.laser_labels),
        rectangles=_rectangles(frame, number) if number is not None else {},
    )


def _by_camera(messages: Iterable[Any]) -> dict[int, Any]:
    """Map the number of each camera to its last message."""
    found: dict[int, Any] = {}
    for message in messages:
        require(message, "name")
        found[message.name] = message
    return found


def _text(message: Any, field: str) -> str:
    require(message, field)
    try:
        return getattr(message, field).decode()
    except UnicodeDecodeError as error:
        raise NotAMessageError(
            f"field {field!r} of the message {message.DESCRIPTOR.name} is not text in UTF-8"
        ) from error


def _transform(message: Any, field: str) -> np.ndarray:
    values = np.array(getattr(message, field).transform, np.float64)
    if len(values) != 16:
        told = f"of the message {message.DESCRIPTOR.name} has {len(values)} numbers, expected 16"
        raise NotAMessageError(f"the transform {field!r} {told}")
    return values.reshape(4, 4)


def _camera(where: str, number: int, message: Any) -> WaymoCamera:
    require(message, "extrinsic", "width", "height")
    intrinsic = np.array(message.intrinsic, np.float64)
    size = message.width, message.height
    return calibrated(where, number, intrinsic, _transform(message, "extrinsic"), size)


def _picture(image: Any, record: Stored) -> Picture:
    require(image, "image")
    pose = _transform(image, "pose") if image.HasField("pose") else np.full((4, 4), np.nan)
    velocity = [_value(image.velocity, name, np.nan) for name in ("v_x", "v_y", "v_z")]
    # The library does not tell where the bytes are. If the record has them twice, either place gives the same picture.
    offset = record.offset + record.payload.find(image.image)
    return Picture(offset, len(image.image), pose, np.array(velocity))


def _value(message: Any, field: str, default: float) -> float:
    return getattr(message, field) if message.HasField(field) else default


def _labels(where: str, labels: Sequence[Any]) -> LaserLabels:
    values = np.array([_box(label, *_BOX) for label in labels], np.float64).reshape(-1, len(_BOX))
    wrong = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(wrong):
        raise InputError(f"{where}: field 'box' of laser label {wrong[0]} is not finite, expected finite numbers")
    lengths, headings = values[:, :6], values[:, 6]
    wrong = np.flatnonzero((np.abs(lengths) >= FARTHEST).any(axis=1))
    if len(wrong):
        told = f"{lengths[wrong[0]].tolist()}, expected lengths of less than {FARTHEST:g} m"
        raise InputError(f"{where}: field 'box' of laser label {wrong[0]} is {told}")
    points = np.array([label.num_lidar_points_in_box for label in labels], np.int64)
    wrong = np.flatnonzero(points < 0)
    if len(wrong):
        told = f"has {points[wrong[0]]} lidar points (field 7), expected 0 or more"
        raise InputError(f"{where}: laser label {wrong[0]} {told}")
    return LaserLabels(
        ids=[_text(label, "id") for label in labels],
        centres=lengths[:, :3],
        sizes=lengths[:, 3:],
        headings=headings,
        types=np.array([label.type for label in labels], np.int64),
        points=points,
        speeds=np.array([_speed(label) for label in labels], np.float64).reshape(-1, 3),
    )


def _box(label: Any, *fields: str) -> list[float]:
    require(label, "box")
    require(label.box, *fields)
    return [getattr(label.box, field) for field in fields]


def _speed(label: Any) -> list[float]:
    """Return the speed of a label, m/s in world coordinates.

    Older files have no vertical speed. For files without a vertical speed, the result has the vertical speed 0,
    because real vertical speeds are nearly 0.
    """
    if not label.HasField("metadata"):
        return [np.nan] * 3
    speeds = label.metadata
    return [_value(speeds, "speed_x", np.nan), _value(speeds, "speed_y", np.nan), _value(speeds, "speed_z", 0.0)]


def _rectangles(frame: Any, number: int) -> dict[str, np.ndarray]:
    """Return the projected laser labels of a camera.

    The result maps the id of each laser label to x0 y0 x1 y1 px.
    """
    found: dict[str, np.ndarray] = {}
    for view in frame.projected_lidar_labels:
        require(view, "name")
        for label in view.labels if view.name == number else ():
            x, y, width, height = _box(label, "center_x", "center_y", "length", "width")
            name = _text(label, "id").removesuffix(f"_{CAMERAS[number]}")
            found[name] = np.array([x - width / 2, y - height / 2, x + width / 2, y + height / 2])
    return found

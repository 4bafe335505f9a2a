"""Reader of frames in Waymo's version 1.4 (the protocol buffer ``Frame``), by field number.

The messages have the following fields; the number of each field is in parentheses:

- A frame has its context (1), stamp in microseconds (2), world_T_vehicle (3), images (4), laser labels (6) and
  projected lidar labels (9).
- A context has its name (1) and camera calibrations (2).
- A calibration has its camera (1), intrinsic (2), extrinsic (3), width (4) and height (5).
- An image has its camera (1), JPEG bytes (2), world_T_vehicle at its time (3) and velocity (4). The fields 1 to 3
  of a velocity are its linear components as floats, in m/s in the world.
- Projected labels have their camera (1) and labels (2).
- A label has its box (1), metadata (2), type (3), id (4) and number of lidar points (7).
- A box has its centre (1 to 3), width (4), length (5), height (6) and heading (7).
- Metadata have the speeds along x (1), y (2) and z (5).
- A transform has 16 numbers (1).

In projected labels, the length of a box is its extent along the picture's x axis, and its width is its extent along
the y axis. The id of a projected label is the id of the laser label with the suffix ``_<CAMERA>``.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.recording.sources.shared.repair import FARTHEST
from chronotope.recording.sources.waymo.drive import CAMERAS, Camera, calibrated
from chronotope.recording.sources.waymo.protobuf import Message, WireError
from chronotope.recording.sources.waymo.tfrecord import Stored, read_records

__all__ = ["Frame", "LaserLabels", "Picture", "read_frames"]


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
    camera: Camera | None
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
        with _told(path, record):
            frame = _frame(path, record, camera)
        yield frame


@contextmanager
def _told(path: Path, record: Stored) -> Iterator[None]:
    try:
        yield
    except WireError as error:
        raise InputError(
            f"{path}: record {record.number} (from 0): {error}; expected a frame of the Waymo Open Dataset"
        ) from error


def _frame(path: Path, record: Stored, number: int | None) -> Frame:
    frame = Message(memoryview(record.payload), record.offset, "the frame")
    context = frame.message(1, "context")
    calibrations = {found.whole(1, "camera"): found for found in context.messages(2, "calibration")}
    where = f"{path}, record {record.number} (from 0)"
    camera = None
    if number is not None:
        if number not in calibrations:
            raise InputError(f"{where}: camera {number} has a calibration in the first record, but not in this record")
        camera = _camera(where, number, calibrations[number])
    images = {found.whole(1, "camera"): found for found in frame.messages(4, "image")}
    return Frame(
        segment=context.text(1, "name"),
        stamp=frame.whole(2, "time stamp"),
        vehicle=_transform(frame.message(3, "pose"), "pose"),
        cameras=sorted(calibrations),
        camera=camera,
        picture=_picture(images[number]) if number in images else None,
        labels=_labels(where, frame.messages(6, "laser label")),
        rectangles=_rectangles(frame, number) if number is not None else {},
    )


def _transform(message: Message, name: str) -> np.ndarray:
    values = message.doubles(1, "transform")
    if len(values) != 16:
        raise WireError(f"the transform of the {name} has {len(values)} numbers, expected 16")
    return values.reshape(4, 4)


def _camera(where: str, number: int, message: Message) -> Camera:
    extrinsic = _transform(message.message(3, "extrinsic"), "extrinsic")
    size = message.whole(4, "width"), message.whole(5, "height")
    return calibrated(where, number, message.doubles(2, "intrinsic"), extrinsic, size)


def _picture(image: Message) -> Picture:
    pose = _transform(image.message(3, "pose"), "image's pose") if 3 in image else np.full((4, 4), np.nan)
    velocity = np.full(3, np.nan)
    if 4 in image:
        found = image.message(4, "velocity")
        # The three linear components are floats of 4 bytes.
        velocity = np.array([found.single(field, "linear velocity", np.nan) for field in (1, 2, 3)])
    return Picture(*image.span(2, "JPEG picture"), pose, velocity)


def _labels(where: str, labels: list[Message]) -> LaserLabels:
    boxes = [label.message(1, "box") for label in labels]
    fields = ((1, "centre x"), (2, "centre y"), (3, "centre z"), (5, "length"), (4, "width"), (6, "height"))
    values = np.array([[box.double(*field) for field in fields] for box in boxes]).reshape(-1, 6)
    headings = np.array([box.double(7, "heading") for box in boxes])
    wrong = np.flatnonzero(~np.isfinite(values).all(axis=1) | ~np.isfinite(headings))
    if len(wrong):
        raise InputError(f"{where}: field 'box' of laser label {wrong[0]} is not finite, expected finite numbers")
    wrong = np.flatnonzero((np.abs(values) >= FARTHEST).any(axis=1))
    if len(wrong):
        told = f"{values[wrong[0]].tolist()}, expected lengths of less than {FARTHEST:g} m"
        raise InputError(f"{where}: field 'box' of laser label {wrong[0]} is {told}")
    points = np.array([label.whole(7, "lidar points", 0) for label in labels], np.int64)
    wrong = np.flatnonzero(points < 0)
    if len(wrong):
        told = f"has {points[wrong[0]]} lidar points (field 7), expected 0 or more"
        raise InputError(f"{where}: laser label {wrong[0]} {told}")
    return LaserLabels(
        ids=[label.text(4, "id") for label in labels],
        centres=values[:, :3],
        sizes=values[:, 3:],
        headings=headings,
        types=np.array([label.whole(3, "type", 0) for label in labels], np.int64),
        points=points,
        speeds=np.array([_speed(label) for label in labels]).reshape(-1, 3),
    )


def _speed(label: Message) -> list[float]:
    """Return the speed of a label, m/s in world coordinates.

    Older files have no vertical speed. For files without a vertical speed, the result has the vertical speed 0,
    because real vertical speeds are nearly 0.
    """
    if 2 not in label:
        return [np.nan] * 3
    metadata = label.message(2, "metadata")
    return [metadata.double(1, "speed x", np.nan), metadata.double(2, "speed y", np.nan), metadata.double(5, "z", 0.0)]


def _rectangles(frame: Message, number: int) -> dict[str, np.ndarray]:
    """Return the projected laser labels of a camera.

    The result maps the id of each laser label to x0 y0 x1 y1 px.
    """
    found: dict[str, np.ndarray] = {}
    for view in frame.messages(9, "projected labels"):
        if view.whole(1, "camera") != number:
            continue
        for label in view.messages(2, "projected label"):
            box = label.message(1, "box")
            x, y, width, height = (box.double(field, "side") for field in (1, 2, 5, 4))
            name = label.text(4, "id").removesuffix(f"_{CAMERAS[number]}")
            found[name] = np.array([x - width / 2, y - height / 2, x + width / 2, y + height / 2])
    return found

"""The conventions of the Waymo Open Dataset (perception) and the types that both of its readers return.

The vehicle frame is FLU (x forward, y left, z up) with its origin at the rear axle. The camera frames are FLU too:
the x axis points out of the lens. The extrinsic matrix maps the camera frame to the vehicle frame. The z axis of
the world points up. Boxes are upright, and are given in the vehicle frame at the stamp of the box. The heading of a
box is a rotation about +z, measured from +x. Label speeds are given in the world frame.

The camera's pose is computed from the vehicle's pose at the time of the picture (``camera_vehicle``). If this pose
is unknown, the vehicle's pose at the stamp of the sample is used. Stamps are in microseconds. The data set has
about 10 samples per second.

Each camera of a segment gives one recording, with the same name as the benchmark's clip (``<segment>_camera_<n>``).
The scene of such a recording is the segment. If no camera has a calibration, the segment is one recording, which
has only the vehicle's trajectory.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import simplejpeg

from chronotope.errors import InputError
from chronotope.recording.sources.shared.repair import from_matrices
from chronotope.recording.sources.shared.sight import Lens
from chronotope.recording.sources.shared.tracks import Boxes

CAMERAS = {1: "FRONT", 2: "FRONT_LEFT", 3: "FRONT_RIGHT", 4: "SIDE_LEFT", 5: "SIDE_RIGHT"}
LABELS = {1: "vehicle", 2: "pedestrian", 3: "sign", 4: "cyclist"}


@dataclass(frozen=True, eq=False)
class WaymoCamera:
    """A camera: its number, vehicle_T_camera (4, 4) with FLU camera axes, and its lens."""

    number: int
    extrinsic: np.ndarray
    lens: Lens


@dataclass(frozen=True, eq=False)
class Projected:
    """The source's own rectangles (M, 4) px around laser objects in the pictures.

    A rectangle is x0 y0 x1 y1. ``ids`` (M,) are the objects and ``frames`` (M,) are the samples.
    """

    frames: np.ndarray
    ids: np.ndarray
    rectangles: np.ndarray


@dataclass(frozen=True, eq=False)
class Drive:
    """T samples of a segment and of at most one camera, from either format.

    ``stamps`` (T,) are in microseconds. ``vehicle`` (T, 4, 4) is world_T_vehicle at the stamps, and
    ``camera_vehicle`` (T, 4, 4) is world_T_vehicle at the times of the pictures. Unknown poses are NaN.
    ``velocity`` (T, 3) m/s is in world coordinates. ``clip`` is a video file that replaces the pictures.
    """

    segment: str
    stamps: np.ndarray
    vehicle: np.ndarray
    camera: WaymoCamera | None = None
    camera_vehicle: np.ndarray | None = None
    velocity: np.ndarray | None = None
    boxes: Boxes | None = None
    projected: Projected | None = None
    pictures: Sequence[np.ndarray] = ()
    clip: Path | None = None
    notes: tuple[str, ...] = ()

    def cut(self, kept: slice) -> "Drive":
        """Return the part of the drive with the samples ``kept``."""
        boxes, projected = self.boxes, self.projected
        if boxes is not None:
            boxes = boxes.rows((boxes.frames >= kept.start) & (boxes.frames < kept.stop), kept.start)
        if projected is not None:
            inside = (projected.frames >= kept.start) & (projected.frames < kept.stop)
            projected = Projected(
                projected.frames[inside] - kept.start, projected.ids[inside], projected.rectangles[inside]
            )
        return replace(
            self,
            stamps=self.stamps[kept],
            vehicle=self.vehicle[kept],
            camera_vehicle=None if self.camera_vehicle is None else self.camera_vehicle[kept],
            velocity=None if self.velocity is None else self.velocity[kept],
            boxes=boxes,
            projected=projected,
            pictures=self.pictures[kept],
        )


def part_name(segment: str, camera: int) -> str:
    """Return the name of the recording of a segment's camera."""
    return f"{segment}_camera_{camera}"


def split_part(part: str) -> tuple[str, int | None]:
    """Split a recording's name into the segment and the camera.

    The camera is None if the name is only a segment.
    """
    found = re.fullmatch(r"(.+)_camera_([0-9]+)", part)
    return (found[1], int(found[2])) if found else (part, None)


def require_camera(where: str, number: int) -> None:
    """Check that ``number`` belongs to one of the five cameras.

    Raises:
        InputError: If there is no camera with this number. The message begins with ``where``.
    """
    if number not in CAMERAS:
        raise InputError(f"{where}: camera {number} is unknown, expected 1 to 5 ({', '.join(CAMERAS.values())})")


def calibrated(
    where: str, number: int, intrinsic: np.ndarray, extrinsic: np.ndarray, size: tuple[int, int]
) -> WaymoCamera:
    """Make a camera from a segment's calibration.

    ``intrinsic`` (9,) is f_u f_v c_u c_v k1 k2 p1 p2 k3. ``extrinsic`` is vehicle_T_camera (4, 4) in FLU axes.
    ``size`` is the width and height in px.

    Raises:
        InputError: If there is no camera with this number, or if the values are not a valid calibration. The
        message begins with ``where``.
    """
    require_camera(where, number)
    where = f"{where}, camera {number}"
    if len(intrinsic) != 9 or not np.isfinite(intrinsic).all() or not (intrinsic[:2] > 0).all():
        raise InputError(
            f"{where}: field 'intrinsic' is {intrinsic.tolist()}, expected 9 numbers that begin with two focal "
            "lengths above 0"
        )
    if min(size) < 1:
        raise InputError(f"{where}: the picture is {size[0]} x {size[1]} px, expected width and height above 0")
    mounted = from_matrices(extrinsic[None], "extrinsic")
    if not mounted.valid[0]:
        raise InputError(
            f"{where}: field 'extrinsic' is not a rigid pose, expected the 16 numbers of the matrix vehicle_T_camera"
        )
    f_u, f_v, c_u, c_v = intrinsic[:4]
    matrix = np.array([[f_u, 0.0, c_u], [0.0, f_v, c_v], [0.0, 0.0, 1.0]])
    return WaymoCamera(number, mounted.poses[0], Lens(matrix, intrinsic[4:], *size))


def typed(where: str, types: np.ndarray) -> np.ndarray:
    """Return the labels (N,) for box types (N,).

    Type 0 means unknown, and its label is empty.

    Raises:
        InputError: If a type is not a number from 0 to 4.
    """
    wrong = np.flatnonzero((types < 0) | (types > max(LABELS)))
    if len(wrong):
        raise InputError(f"{where}: a box has type {types[wrong[0]]}, expected 1 to 4 ({', '.join(LABELS.values())})")
    return np.array(["", *LABELS.values()])[types]


def decode_jpeg(data: bytes, where: str) -> np.ndarray:
    """Decode a JPEG picture to (height, width, 3) RGB uint8.

    Raises:
        InputError: If the bytes are not a JPEG picture. The message begins with ``where``.
    """
    try:
        return simplejpeg.decode_jpeg(data, colorspace="RGB")
    except ValueError as error:
        raise InputError(f"{where}: cannot be decoded as a JPEG picture ({error}); download the file again") from error

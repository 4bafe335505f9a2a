"""The frames in which the objects of a ScanNet scan are visible (as in STI-Bench).

``<scan>_2d-instance-filt.zip`` contains masks ``instance-filt/<frame>.png`` of 8 bits. The value of a pixel is the
objectId + 1, or 0 for no object. If there are masks, an object is visible in each frame in which it has at least 400
pixels.

If there are no masks, an object is visible if at least a quarter of its vertices are in the picture and have a depth
that agrees with the depth picture. If an object has more than 256 vertices, only 256 vertices are used. The mask or the
depth of a frame is read once for all objects and is not kept in memory.
"""

import re
import zipfile
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.media import PICTURE_FAULTS, open_picture

LEAST_PIXELS = 400
LEAST_SHARE = 0.25  # least visible share of an object's vertices
VERTICES = 256  # largest number of vertices that are checked per object
_MOST_MASK = 1 << 28  # largest size (bytes) of an unpacked mask
_NEAREST = 0.05  # m; points nearer to the camera do not count as visible


@dataclass(frozen=True, eq=False)
class ScanCamera:
    """A pinhole camera with intrinsics (3, 3) px, width and height (px)."""

    intrinsics: np.ndarray
    size: tuple[int, int]

    def pixels(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Project points (N, 3) m to pixel columns and rows (N,) int.

        The points are in camera axes. The last value (N,) is True for each point that is in front of the camera and
        inside the picture.
        """
        before = points[:, 2] > _NEAREST
        depth = np.where(before, points[:, 2], 1.0)
        places = points @ self.intrinsics.T
        width, height = self.size
        columns, rows = (np.clip(np.rint(places[:, axis] / depth), -1, 2**30).astype(np.int64) for axis in (0, 1))
        return columns, rows, before & (columns >= 0) & (columns < width) & (rows >= 0) & (rows < height)


def seen_by_depth(
    clouds: Iterable[np.ndarray],
    world_T_camera: np.ndarray,
    colour: ScanCamera,
    depth: ScanCamera,
    read_depth: Callable[[int], np.ndarray | None],
) -> np.ndarray:
    """Find the frames in which each object is visible: (objects, T).

    ``clouds`` has the points (N, 3) m of each object in the world. ``world_T_camera`` are the poses (T, 4, 4).
    ``read_depth`` returns the depth (H, W) m of the frame with a given index; pixels without depth are NaN. In a
    frame whose pose or depth is unknown, no object is visible.
    """
    chosen = [cloud[np.linspace(0, len(cloud) - 1, min(len(cloud), VERTICES)).astype(int)] for cloud in clouds]
    owners = np.repeat(np.arange(len(chosen)), [len(cloud) for cloud in chosen])
    points = np.concatenate(chosen)
    least = LEAST_SHARE * np.bincount(owners, minlength=len(chosen))
    seen = np.zeros((len(chosen), len(world_T_camera)), bool)
    for frame, pose in enumerate(world_T_camera):
        if not np.isfinite(pose).all() or (measured := read_depth(frame)) is None:
            continue
        local = (points - pose[:3, 3]) @ pose[:3, :3]
        columns, rows, inside = depth.pixels(local)
        inside &= colour.pixels(local)[2]
        far = local[inside, 2]
        off = np.abs(far - measured[rows[inside], columns[inside]])
        agree = off < 0.05 + 0.02 * far  # False for NaN, which means no depth
        seen[:, frame] = np.bincount(owners[inside][agree], minlength=len(chosen)) >= least
    return seen


def mask_pixels(path: Path, frames: Iterable[int], numbers: Iterable[int]) -> tuple[np.ndarray, int]:
    """Count the mask pixels of each objectId: (objects, T) int64.

    ``frames`` are the numbers of the T frames. The second value is the number of frames without a mask. In a frame
    without a mask, every object has 0 pixels.

    Raises:
        InputError: If the archive or a mask cannot be read.
    """
    values = np.array([number + 1 for number in numbers], np.int64)
    wanted = list(frames)
    pixels = np.zeros((len(values), len(wanted)), np.int64)
    known = values < 256  # larger values do not fit into 8 bits
    missing = 0
    try:
        with zipfile.ZipFile(path) as archive:
            names = {
                int(match[1]): name
                for name in archive.namelist()
                if (match := re.fullmatch(r"(?:.*/)?(\d+)\.png", name))
            }
            for place, frame in enumerate(wanted):
                if frame not in names:
                    missing += 1
                    continue
                counts = np.bincount(_read_mask(path, archive, names[frame]).ravel(), minlength=256)
                pixels[known, place] = counts[values[known]]
    except (OSError, zipfile.BadZipFile) as error:
        raise InputError(f"{path}: cannot be read as a zip archive ({error}): download the archive again") from error
    return pixels, missing


def _unpacked(path: Path, archive: zipfile.ZipFile, name: str) -> bytes:
    if (size := archive.getinfo(name).file_size) > _MOST_MASK:
        raise InputError(
            f"{path}, {name}: {size >> 20} MB when unpacked, which is too large for a mask: download the archive again"
        )
    return archive.read(name)


def _read_mask(path: Path, archive: zipfile.ZipFile, name: str) -> np.ndarray:
    try:
        with open_picture(BytesIO(_unpacked(path, archive, name))) as picture:
            if picture.mode not in ("L", "P"):
                raise InputError(f"{path}, {name}: is a picture of mode {picture.mode}, expected an 8-bit grey picture")
            return np.asarray(picture)
    except (*PICTURE_FAULTS, zlib.error, zipfile.BadZipFile, RuntimeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{path}, {name}: cannot be read as an 8-bit mask ({error}): download the archive again"
        ) from error

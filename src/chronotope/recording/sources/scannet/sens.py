"""ScanNet's .sens file: colour, depth and poses of a scan, some GB, little endian.

u32 version 4; u64 length and name of the sensor; four 4 x 4 float32 matrices (colour intrinsics, colour extrinsics,
depth intrinsics, depth extrinsics), row by row; i32 colour codec, i32 depth codec; u32 colour width and height, depth
width and height; f32 depth shift; u64 number of frames. A frame is 16 float32 (camera to world, row by row), u64 colour
stamp, u64 depth stamp, u64 colour bytes, u64 depth bytes, and then both. The data after the frames (of the inertial
sensor) is not read.

The file is indexed once without reading a picture; pictures and depth are read on request.
"""

import os
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import simplejpeg

from chronotope.errors import InputError
from chronotope.io import reading

__all__ = ["Sens", "index_sens"]

_VERSION = 4
_JPEG, _ZLIB = 2, 1
_COLOUR_CODECS = {0: "raw", 1: "PNG", 2: "JPEG"}
_DEPTH_CODECS = {0: "raw", 1: "zlib", 2: "occi"}
_LONGEST_NAME = 4096
_WIDEST = 65535
_CODECS, _SIZES = struct.Struct("<ii"), struct.Struct("<IIIIf")
_FRAME = struct.Struct("<16f4Q")


@dataclass(frozen=True, eq=False)
class Sens:
    """The places of all data of N frames in a .sens file.

    ``matrices`` (N, 4, 4) are world_T_camera as stored; ``stamps`` (N,) are the stamps of the colour pictures as
    stored. Sizes are width and height (px). ``blobs`` (N, 3) int64 has, per frame, the byte at which its colour picture
    begins, the length of the picture, and the length of the depth data after it.
    """

    path: Path
    colour_intrinsics: np.ndarray
    depth_intrinsics: np.ndarray
    colour_size: tuple[int, int]
    depth_size: tuple[int, int]
    depth_shift: float
    matrices: np.ndarray
    stamps: np.ndarray
    blobs: np.ndarray

    def picture(self, frame: int) -> np.ndarray:
        """Read the colour picture (height, width, 3) RGB uint8 of a frame.

        Raises:
            InputError: If it cannot be decoded.
        """
        start, size, _ = (int(part) for part in self.blobs[frame])
        try:
            picture = simplejpeg.decode_jpeg(self._bytes(start, size), "RGB")
        except ValueError as error:
            raise InputError(
                f"{self.path}, frame {frame}: its colour picture is not a complete JPEG ({error})"
            ) from error
        width, height = self.colour_size
        if picture.shape != (height, width, 3):
            raise InputError(
                f"{self.path}, frame {frame}: its colour picture has {picture.shape[1]} x {picture.shape[0]} pixels, "
                f"expected the {width} x {height} of the file's head"
            )
        return picture

    def depth(self, frame: int) -> np.ndarray | None:
        """Read depth (height, width) float32 m along the optical axis.

        Pixels without depth are NaN; the result is None if the frame has no depth.
        """
        start, colour, size = (int(part) for part in self.blobs[frame])
        if size == 0:
            return None
        width, height = self.depth_size
        expected = 2 * width * height
        inflater = zlib.decompressobj()
        try:
            raw = inflater.decompress(self._bytes(start + colour, size), expected + 1)
        except zlib.error as error:
            raise InputError(
                f"{self.path}, frame {frame}: its depth is not a complete zlib stream ({error})"
            ) from error
        if len(raw) != expected:
            found = f"more than {expected}" if len(raw) > expected else f"{len(raw)}"
            raise InputError(
                f"{self.path}, frame {frame}: its depth has {found} bytes, expected {expected} ({width} x {height} "
                "numbers of 16 bits)"
            )
        values = np.frombuffer(raw, "<u2").reshape(height, width).astype(np.float32)
        values[values == 0] = np.nan
        return values / np.float32(self.depth_shift)

    def _bytes(self, start: int, size: int) -> bytes:
        with reading(self.path), self.path.open("rb") as file:
            file.seek(start)
            return file.read(size)


def index_sens(path: Path) -> Sens:
    """Index a .sens file in one pass.

    Raises:
        InputError: If the file has another format, is cut off, or has another coding.
    """
    with reading(path), path.open("rb") as file:
        return _index(_Reader(path, file, os.fstat(file.fileno()).st_size))


@dataclass
class _Reader:
    """A file that is read from its start, and its size in bytes."""

    path: Path
    file: BinaryIO
    size: int

    def take(self, count: int, what: str) -> bytes:
        """Read the next bytes.

        Raises:
            InputError: If the file ends too early.
        """
        data = self.file.read(count)
        if len(data) < count:
            raise self.cut_off(what)
        return data

    def cut_off(self, what: str) -> InputError:
        return InputError(
            f"{self.path}: ends in {what}, after {self.size} bytes: the file is incomplete, download it again"
        )


def _index(reader: _Reader) -> Sens:
    path = reader.path
    version, named = struct.unpack("<IQ", reader.take(12, "its head"))
    if version != _VERSION or named > _LONGEST_NAME:
        raise InputError(f"{path}: begins with version {version}, expected the {_VERSION} of a .sens file of ScanNet")
    reader.take(named, "its head")
    matrices = np.frombuffer(reader.take(4 * 64, "its head"), "<f4").reshape(4, 4, 4).astype(np.float64)
    colour, depth = _CODECS.unpack(reader.take(_CODECS.size, "its head"))
    if colour != _JPEG:
        raise InputError(f"{path}: field 'colour codec' is {_told(colour, _COLOUR_CODECS)}, expected {_JPEG} (JPEG)")
    if depth != _ZLIB:
        raise InputError(f"{path}: field 'depth codec' is {_told(depth, _DEPTH_CODECS)}, expected {_ZLIB} (zlib)")
    *sizes, shift = _SIZES.unpack(reader.take(_SIZES.size, "its head"))
    if not (np.isfinite(shift) and shift > 0):
        raise InputError(f"{path}: field 'depth shift' is {shift:g}, expected a number above 0 (1000 for mm)")
    if not 0 < min(sizes) <= max(sizes) <= _WIDEST:
        raise InputError(f"{path}: its pictures have {sizes} pixels, expected 1 to {_WIDEST} in width and height")
    (count,) = struct.unpack("<Q", reader.take(8, "its head"))
    frames = _index_frames(reader, count)
    stored = np.array([frame[:16] for frame in frames], np.float64).reshape(-1, 4, 4)
    return Sens(
        path=path,
        colour_intrinsics=matrices[0][:3, :3],
        depth_intrinsics=matrices[2][:3, :3],
        colour_size=(sizes[0], sizes[1]),
        depth_size=(sizes[2], sizes[3]),
        depth_shift=float(shift),
        matrices=stored,
        stamps=np.array([frame[16] for frame in frames], np.uint64),
        blobs=np.array([frame[17:] for frame in frames], np.int64).reshape(-1, 3),
    )


def _index_frames(reader: _Reader, count: int) -> list[tuple]:
    """Index the frames of a file.

    Each frame has its 16 numbers, its colour stamp, the start of its picture, and the lengths in bytes of both blobs.
    """
    frames: list[tuple] = []
    for number in range(count):
        what = f"frame {number} of {count}"
        *pose, stamp, _, colour, depth = _FRAME.unpack(reader.take(_FRAME.size, what))
        start = reader.file.tell()
        if start + colour + depth > reader.size:
            raise reader.cut_off(what)
        reader.file.seek(colour + depth, os.SEEK_CUR)
        frames.append((*pose, stamp, start, colour, depth))
    return frames


def _told(code: int, names: dict[int, str]) -> str:
    return f"{code} ({names[code]})" if code in names else str(code)

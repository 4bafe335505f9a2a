"""Reader of ScanNet's .sens files, which contain the colour pictures, depth and poses of a scan.

A .sens file has several GB, and all its numbers are little endian. The file begins with a header:

- The header begins with the version (u32), which is 4.
- The length (u64) of the sensor's name and the name itself follow.
- Then the header has four 4 x 4 float32 matrices, row by row: colour intrinsics, colour extrinsics, depth
  intrinsics, depth extrinsics.
- The colour codec and the depth codec follow, both i32.
- The colour width, colour height, depth width and depth height follow, all u32.
- The header ends with the depth shift (f32) and the number of frames (u64).

A frame begins with 16 float32 numbers (the matrix world_T_camera, row by row). Four u64 numbers follow: the colour
stamp, the depth stamp, the number of colour bytes and the number of depth bytes. The frame ends with the colour
bytes and the depth bytes. After the frames, the file has data of the inertial sensor, which this reader ignores.

The reader first finds the position of every picture in the file, without decoding pictures. A picture or a depth
map is decoded when it is requested.
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
    """The positions of all data of N frames in a .sens file.

    ``matrices`` (N, 4, 4) are world_T_camera as stored. ``stamps`` (N,) are the stamps of the colour pictures as
    stored. Sizes are width and height (px). ``blobs`` (N, 3) int64 has three numbers per frame: the position
    (bytes) of the colour picture in the file, the length of this picture, and the length of the depth data after
    it.
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
        """Read a frame's colour picture, (height, width, 3) RGB uint8.

        Raises:
            InputError: If the picture cannot be decoded.
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
                f"but the header of the file states {width} x {height} pixels"
            )
        return picture

    def depth(self, frame: int) -> np.ndarray | None:
        """Read depth (height, width) float32 m along the optical axis.

        Pixels without depth are NaN. The result is None if the frame has no depth.
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
    """Find the positions of all frames in a .sens file.

    Raises:
        InputError: If the file has another format or is incomplete, or if its codecs are not JPEG for colour and zlib
            for depth.
    """
    with reading(path), path.open("rb") as file:
        return _index(_Reader(path, file, os.fstat(file.fileno()).st_size))


@dataclass
class _Reader:
    """A file that is read from its start, with its size in bytes."""

    path: Path
    file: BinaryIO
    size: int

    def take(self, count: int, what: str) -> bytes:
        """Read the next bytes of the file.

        Raises:
            InputError: If the file ends before the last of these bytes.
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
    version, named = struct.unpack("<IQ", reader.take(12, "its header"))
    if version != _VERSION or named > _LONGEST_NAME:
        raise InputError(f"{path}: begins with version {version}, expected version {_VERSION} of ScanNet's .sens files")
    reader.take(named, "its header")
    matrices = np.frombuffer(reader.take(4 * 64, "its header"), "<f4").reshape(4, 4, 4).astype(np.float64)
    colour, depth = _CODECS.unpack(reader.take(_CODECS.size, "its header"))
    if colour != _JPEG:
        raise InputError(f"{path}: field 'colour codec' is {_told(colour, _COLOUR_CODECS)}, expected {_JPEG} (JPEG)")
    if depth != _ZLIB:
        raise InputError(f"{path}: field 'depth codec' is {_told(depth, _DEPTH_CODECS)}, expected {_ZLIB} (zlib)")
    *sizes, shift = _SIZES.unpack(reader.take(_SIZES.size, "its header"))
    if not (np.isfinite(shift) and shift > 0):
        raise InputError(f"{path}: field 'depth shift' is {shift:g}, expected a number above 0 (1000 for mm)")
    if not 0 < min(sizes) <= max(sizes) <= _WIDEST:
        raise InputError(f"{path}: the widths and heights of the pictures are {sizes}, expected 1 to {_WIDEST} px")
    (count,) = struct.unpack("<Q", reader.take(8, "its header"))
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
    """Find the positions of the frames in a file.

    The result for each frame has its 16 numbers, its colour stamp, the position of its picture, and the lengths in
    bytes of picture and depth.
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

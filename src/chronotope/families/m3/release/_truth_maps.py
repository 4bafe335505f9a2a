"""Conversion of the depth maps and identity maps of a state to the files of a recording.

A depth map is a 16-bit PNG in millimetres, or an array (.npz, .npy). Arrays of whole numbers are in millimetres, arrays
of other numbers in metres. An identity map is a 16-bit PNG or an array of whole numbers, with an object's number at
each pixel. A JSON file next to the identity maps lists the numbers of all objects: ``{"Mug|1": 7}`` or
``{"7": "Mug|1"}``. An array file has one frame (H, W), all frames (N, H, W), or one named array for each frame. The
frames are converted one at a time. Pickled arrays are never opened, because opening a pickle can execute code.
"""

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from chronotope.errors import InputError
from chronotope.families.m3.release._truth_files import read_file
from chronotope.io import unreadable
from chronotope.recording import read_depth, write_depth, write_identities

DEPTH_SCALE = 1000.0  # values per metre
PICKLED = "pickled arrays, which are never opened (give 16-bit PNG or .npz)"
_PICKLES = {".pkl", ".pickle", ".pk", ".p"}
_ARRAYS = (".npz", ".npy")
_BROKEN = (ValueError, EOFError, SyntaxError, zipfile.BadZipFile, zlib.error, struct.error, RuntimeError)


class LeftOutError(Exception):
    """The error for unusable depth or identity maps. The rest of the scene is still imported."""


def frame_files(state: Path, name: str) -> list[Path]:
    """Return the files of a state's depth or identity maps in order.

    ``name`` is the name of the maps' folder, or of the array file. The files are sorted by the last number in their
    names. The files are either only pictures, or only array files. If the state has no maps, the list is empty.

    Raises:
        LeftOutError: If the maps are pickled arrays, or no file has a readable format.
    """
    folder = state / name
    alone = [state / f"{name}{suffix}" for suffix in _ARRAYS]
    inside = sorted(folder.iterdir()) if folder.is_dir() else [file for file in alone if file.is_file()][:1]
    files = [file for file in inside if file.is_file() and not file.name.startswith(".") and file.suffix != ".json"]
    if any(_PICKLES & set(file.suffixes) for file in files):
        raise LeftOutError(PICKLED)
    for suffixes in ((".png",), _ARRAYS):
        found = [file for file in files if file.suffix.lower() in suffixes]
        if found:
            return sorted(found, key=lambda file: _order(file.stem))
    if files:
        raise LeftOutError("neither .png nor .npz nor .npy")
    return []


def _order(name: str) -> tuple[int, str]:
    numbers = re.findall("[0-9]+", name)
    return (int(numbers[-1]) if numbers else -1), name


def keep_depth(files: Sequence[Path], size: tuple[int, int], samples: int, inside: Path) -> tuple[str | None, ...]:
    """Write the depth maps of a state, and return their file names.

    The result has one relative path for each sample, or None for a sample without a map. The files are written into the
    folder ``inside``. ``size`` is (height, width) in px.
    """
    names: list[str | None] = [None] * samples
    (inside / "depth").mkdir(parents=True)
    for sample, frame in _frames("depth", files, size, samples):
        names[sample] = f"depth/{sample:06d}.png"
        whole = frame.dtype.kind in "iu"
        write_depth(inside / f"depth/{sample:06d}.png", frame / DEPTH_SCALE if whole else frame, DEPTH_SCALE)
    return tuple(names)


def keep_identities(
    state: Path, files: Sequence[Path], size: tuple[int, int], names: Set[str], samples: int, inside: Path
) -> tuple[tuple[str | None, ...], list[str]]:
    """Write the identity maps of a state into the folder ``inside``.

    Returns the relative path of each sample's file (None for a sample without a map), and the ids of the visible
    things. In the written maps, the things have numbers from 1, in the order of their first appearance. The entities of
    the recording must have the same order. ``names`` are the ids of the entities. All other things, such as parts of
    the house, have the number 0 in the written maps. The written pictures have 8 bits, or 16 bits if there are more
    than 255 things.

    Raises:
        LeftOutError: If there is no JSON file with the numbers of the objects.
        InputError: If a map has a number that is missing in this JSON file, or has values that are not whole numbers
            from 0 to 65535.
    """
    ids = _ids(state)
    kept = np.min_scalar_type(max(1, len(set(ids.values()) & set(names))))
    seen: dict[str, int] = {}
    numbers = np.full(2**16, -1, np.int64)  # the new number of each released number, -1 before its first appearance
    numbers[0] = 0
    made: list[str | None] = [None] * samples
    (inside / "identities").mkdir(parents=True)
    for sample, frame in _frames("segmentation", files, size, samples):
        if frame.dtype.kind not in "iu" or frame.min() < 0 or frame.max() >= 2**16:
            raise InputError(
                f"{files[0].parent}: sample {sample} contains values of type {frame.dtype}, expected whole numbers "
                "from 0 to 65535"
            )
        for value in np.flatnonzero(np.bincount(frame.ravel())).tolist():
            if value in ids:
                known = ids[value] in names
                numbers[value] = seen.setdefault(ids[value], len(seen) + 1) if known else 0
            elif numbers[value] < 0:
                raise InputError(
                    f"{files[0].parent}: sample {sample} contains the number {value}, which is missing in the .json "
                    "file of this folder: expected every number in that file"
                )
        made[sample] = f"identities/{sample:06d}.png"
        write_identities(inside / f"identities/{sample:06d}.png", numbers[frame].astype(kept))
    return tuple(made), list(seen)


def _ids(state: Path) -> dict[int, str]:
    """Read the id of the object for each number in identity maps.

    The JSON file is in the folder of the maps, or next to that folder.
    """
    tables = sorted((state / "segmentation").glob("*.json")) or sorted(state.glob("segmentation.json"))
    if len(tables) != 1:
        raise LeftOutError("expected one .json file with the ids next to it")
    found: dict[int, str] = {}
    for key, value in read_file(tables[0], dict[str, Any]).items():
        number, name = (int(key), value) if key.isdecimal() and isinstance(value, str) else (value, key)
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 2**16 or number in found:
            raise InputError(
                f"{tables[0]}: found {key!r}: {value!r}, expected the id of an object and a number below 65536 that no "
                "other object has"
            )
        found[number] = name
    return found


def _frames(name: str, files: Sequence[Path], size: tuple[int, int], samples: int) -> Iterator[tuple[int, np.ndarray]]:
    """Yield the index of each sample with its map (H, W).

    The number of maps may differ from the number of frames by one. If there is one map more, the first map is left out.
    If there is one map fewer, the first frame has no map.
    """
    count = sum(1 for file in files for _ in _shapes(file, size))
    first = samples - count
    if abs(first) > 1:
        raise InputError(
            f"{files[0].parent}: contains {count} maps of {name}, expected one map for each of the {samples} frames of "
            "the clip"
        )
    sample = first
    for file in files:
        for frame in _each(file, size):
            if sample >= 0:
                yield sample, frame
            sample += 1


def _shapes(file: Path, size: tuple[int, int]) -> Iterator[None]:
    """Yield None for each frame of a file, to count its frames."""
    if file.suffix.lower() == ".png":
        yield None
        return
    with _guarded(file):
        for stream, where in _streams(file):
            yield from [None] * _header(stream, where, size)[0]


def _each(file: Path, size: tuple[int, int]) -> Iterator[np.ndarray]:
    """Yield the frames of a file, one at a time."""
    if file.suffix.lower() == ".png":
        frame = np.nan_to_num(read_depth(file, 1.0)).astype(np.uint16)  # with scale 1, the values are as stored
        if frame.shape != size:
            raise InputError(
                f"{file}: has {_wide(frame.shape)} pixels, but the clip has {_wide(size)}: scale the map to the "
                "size of the clip"
            )
        yield frame
        return
    with _guarded(file):
        for stream, where in _streams(file):
            count, dtype, turned = _header(stream, where, size)
            for _ in range(count):
                data = stream.read(size[0] * size[1] * dtype.itemsize)
                if len(data) < size[0] * size[1] * dtype.itemsize:
                    raise InputError(f"{where}: ends too early, expected {count} frames of {_wide(size)} pixels")
                yield np.frombuffer(data, dtype).reshape(size, order="F" if turned else "C")


def _streams(file: Path) -> Iterator[tuple[IO[bytes], str]]:
    """Yield the arrays of a file as open streams, with their names."""
    if file.suffix.lower() == ".npy":
        with file.open("rb") as stream:
            yield stream, str(file)
        return
    with zipfile.ZipFile(file) as archive:
        for member in sorted(archive.namelist(), key=lambda name: _order(Path(name).stem)):
            with archive.open(member) as stream:
                yield stream, f"{file}: array {Path(member).stem!r}"


@contextmanager
def _guarded(file: Path) -> Iterator[None]:
    """Turn an error in reading arrays into an InputError with one sentence."""
    try:
        yield
    except InputError:
        raise
    except OSError as error:
        raise InputError(unreadable(file, error)) from error
    except _BROKEN as error:
        raise InputError(
            f"{file}: cannot be read as arrays ({' '.join(str(error).split())}): make the file again"
        ) from error


def _header(stream: IO[bytes], where: str, size: tuple[int, int]) -> tuple[int, np.dtype[Any], bool]:
    """Read the number, data type and memory order of a stream's frames.

    The memory order is True for Fortran order (column by column).
    """
    version = np.lib.format.read_magic(stream)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, turned, dtype = read(stream)
    if dtype.hasobject:
        raise LeftOutError(PICKLED)
    stacked = len(shape) == 3
    if dtype.kind not in "fiu" or tuple(shape[-2:]) != size or len(shape) not in (2, 3) or (stacked and turned):
        raise InputError(
            f"{where}: has type {dtype} and shape {shape}, expected numbers of the clip's shape {size}, or of shape "
            f"(N, {size[0]}, {size[1]}) for N frames"
        )
    return (shape[0] if stacked else 1), dtype, turned


def _wide(size: tuple[int, ...]) -> str:
    return f"{size[1]} x {size[0]}"

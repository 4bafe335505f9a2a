"""Depth and identities of a state, converted one frame at a time for a recording.

Depth is 16-bit PNG in millimetres, or arrays (.npz, .npy): whole numbers are millimetres, others metres. Identities are
16-bit PNG, or arrays of whole numbers, and next to them one table of ids as JSON: ``{"Mug|1": 7}`` or ``{"7":
"Mug|1"}``. An array file has one frame (H, W), all frames (N, H, W), or one named array per frame. Pickled
arrays are never opened, because that could execute code.
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

__all__ = ["DEPTH_SCALE", "LeftOutError", "frame_files", "keep_depth", "keep_identities"]

DEPTH_SCALE = 1000.0  # values for each metre
PICKLED = "pickled arrays, which are never opened (give 16-bit PNG or .npz)"
_PICKLES = {".pkl", ".pickle", ".pk", ".p"}
_ARRAYS = (".npz", ".npy")
_BROKEN = (ValueError, EOFError, SyntaxError, zipfile.BadZipFile, zlib.error, struct.error, RuntimeError)


class LeftOutError(Exception):
    """Maps that cannot be imported although the scene has no error; the message says why."""


def frame_files(state: Path, name: str) -> list[Path]:
    """Return the files of a state's maps in order.

    They are sorted by their last number, and are all pictures or all arrays; empty if there are no maps. LeftOutError
    is raised for pickled arrays, and if no file can be read.
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
    """Write the depth of a state; return each sample's file name.

    The files go under ``inside``; ``size`` is (height, width).
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
    """Write the identities of a state under ``inside``.

    Returns the name of each sample's file, and the ids of the visible things. Things get numbers from 1 in the order of
    their first appearance; the entities of the recording must have the same order. ``names`` are the ids of the
    entities; other ids of the table, such as parts of the house, become 0. Pictures have 16 bits if the table has more
    than 255 things. LeftOutError is raised if there is no table of ids.

    Raises:
        InputError: If the table lacks a number.
    """
    ids = _ids(state)
    kept = np.min_scalar_type(max(1, len(set(ids.values()) & set(names))))
    seen: dict[str, int] = {}
    numbers = np.full(2**16, -1, np.int64)  # what stands for a value, -1 while it has not been met
    numbers[0] = 0
    made: list[str | None] = [None] * samples
    (inside / "identities").mkdir(parents=True)
    for sample, frame in _frames("segmentation", files, size, samples):
        if frame.dtype.kind not in "iu" or frame.min() < 0 or frame.max() >= 2**16:
            raise InputError(f"{files[0].parent}: sample {sample} holds {frame.dtype}, expected ids from 0 to 65535")
        for value in np.flatnonzero(np.bincount(frame.ravel())).tolist():
            if value in ids:
                known = ids[value] in names
                numbers[value] = seen.setdefault(ids[value], len(seen) + 1) if known else 0
            elif numbers[value] < 0:
                raise InputError(
                    f"{files[0].parent}: sample {sample} holds the id {value}, which its table lacks: expected each id "
                    "in it"
                )
        made[sample] = f"identities/{sample:06d}.png"
        write_identities(inside / f"identities/{sample:06d}.png", numbers[frame].astype(kept))
    return tuple(made), list(seen)


def _ids(state: Path) -> dict[int, str]:
    """Return the id of each number.

    The table is in the folder of the maps, or next to it.
    """
    tables = sorted((state / "segmentation").glob("*.json")) or sorted(state.glob("segmentation.json"))
    if len(tables) != 1:
        raise LeftOutError("no table of ids beside it (one .json)")
    found: dict[int, str] = {}
    for key, value in read_file(tables[0], dict[str, Any]).items():
        number, name = (int(key), value) if key.isdecimal() and isinstance(value, str) else (value, key)
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 2**16 or number in found:
            raise InputError(f"{tables[0]}: {key!r}: {value!r}, expected an object's id and its own number below 65536")
        found[number] = name
    return found


def _frames(name: str, files: Sequence[Path], size: tuple[int, int], samples: int) -> Iterator[tuple[int, np.ndarray]]:
    """Yield each sample with its frame (H, W).

    If the number of frames differs from the clip's by one, the start view is the extra or missing frame.
    """
    count = sum(1 for file in files for _ in _shapes(file, size))
    first = samples - count
    if abs(first) > 1:
        raise InputError(f"{files[0].parent}: {count} frames of {name}, expected one for each of the {samples} frames")
    sample = first
    for file in files:
        for frame in _each(file, size):
            if sample >= 0:
                yield sample, frame
            sample += 1


def _shapes(file: Path, size: tuple[int, int]) -> Iterator[None]:
    """Yield one None for each frame of a file."""
    if file.suffix.lower() == ".png":
        yield None
        return
    with _guarded(file):
        for stream, where in _streams(file):
            yield from [None] * _header(stream, where, size)[0]


def _each(file: Path, size: tuple[int, int]) -> Iterator[np.ndarray]:
    """Yield the frames of a file, one at a time."""
    if file.suffix.lower() == ".png":
        frame = np.nan_to_num(read_depth(file, 1.0)).astype(np.uint16)  # the values themselves
        if frame.shape != size:
            raise InputError(f"{file}: {_wide(frame.shape)} pixels, the clip has {_wide(size)}: give it that size")
        yield frame
        return
    with _guarded(file):
        for stream, where in _streams(file):
            count, dtype, turned = _header(stream, where, size)
            for _ in range(count):
                data = stream.read(size[0] * size[1] * dtype.itemsize)
                if len(data) < size[0] * size[1] * dtype.itemsize:
                    raise InputError(f"{where}: is cut short, expected {count} frames of {_wide(size)} pixels")
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
    """Turn errors of reading arrays into one sentence."""
    try:
        yield
    except InputError:
        raise
    except OSError as error:
        raise InputError(unreadable(file, error)) from error
    except _BROKEN as error:
        raise InputError(f"{file}: cannot be read as arrays ({' '.join(str(error).split())}): make it again") from error


def _header(stream: IO[bytes], where: str, size: tuple[int, int]) -> tuple[int, np.dtype[Any], bool]:
    """Read the number, type and order of a stream's frames.

    The order is True if columns come first.
    """
    version = np.lib.format.read_magic(stream)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, turned, dtype = read(stream)
    if dtype.hasobject:
        raise LeftOutError(PICKLED)
    stacked = len(shape) == 3
    if dtype.kind not in "fiu" or tuple(shape[-2:]) != size or len(shape) not in (2, 3) or (stacked and turned):
        raise InputError(
            f"{where}: {dtype} of shape {shape}, expected numbers of shape {size} as the clip has, or frames of it"
        )
    return (shape[0] if stacked else 1), dtype, turned


def _wide(size: tuple[int, ...]) -> str:
    return f"{size[1]} x {size[0]}"

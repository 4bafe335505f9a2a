"""Reader of NumPy archives (.npz) from unknown authors, with a limit on memory."""

import lzma
import math
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import IO, BinaryIO

import numpy as np

from chronotope.errors import InputError
from chronotope.io.system import irregular

_HEADER = 10_000  # bytes, longest header of an array
_NUMBERS = "biuf"  # kinds of number types
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, tokenize.TokenError, OSError, EOFError),
    *(SyntaxError, MemoryError, RuntimeError, ValueError, LookupError, TypeError, AttributeError),
)


def read_arrays(path: Path, names: Sequence[str], most: int, file: BinaryIO | None = None) -> dict[str, np.ndarray]:
    """Read arrays of numbers by their names.

    At most ``most`` bytes are unpacked. Names that the archive lacks are left out. The sizes of all arrays are compared
    with their headers before memory is allocated. ``file`` has the bytes of ``path``, if they are read already.

    Raises:
        InputError: If the file is not an archive of arrays, or if an array does not consist of numbers or is too large.
    """
    if file is None and (fault := irregular(path)):
        raise InputError(fault)
    try:
        with zipfile.ZipFile(file or path) as archive:
            members = {name: archive.NameToInfo.get(f"{name}.npy") for name in names}
            found = {name: member for name, member in members.items() if member is not None}
            if (size := sum(member.file_size for member in found.values())) > most:
                raise InputError(f"{path}: has {size / 1e9:.1f} GB when unpacked, expected at most {most / 1e9:.2g} GB")
            return {name: _read(archive, member) for name, member in found.items()}
    except InputError:
        raise
    except _BROKEN as error:
        why = " ".join(str(error).split())[:200] or type(error).__name__
        raise InputError(f"{path}: cannot be read as NumPy arrays ({why}): make the file again") from error


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> np.ndarray:
    with archive.open(member) as file:
        shape, kind = _header(file)
        if kind.kind not in _NUMBERS:
            raise ValueError(f"{member.filename} has values of the type {kind}, not numbers")
        if any(length < 0 for length in shape) or math.prod(shape) * kind.itemsize != member.file_size - file.tell():
            raise ValueError(f"{member.filename} states the shape {shape}, which its {member.file_size} bytes have not")
        file.seek(0)
        return np.lib.format.read_array(file, allow_pickle=False, max_header_size=_HEADER)


def _header(file: IO[bytes]) -> tuple[tuple[int, ...], np.dtype]:
    version = np.lib.format.read_magic(file)
    read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}.get(version)
    if read is None:
        raise ValueError(f"version {version} of the format of arrays is unknown")
    shape, _, kind = read(file, max_header_size=_HEADER)
    return shape, kind

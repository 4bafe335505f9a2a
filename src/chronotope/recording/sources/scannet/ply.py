"""Reader of the vertices of a binary PLY mesh that begins with its vertices, such as ScanNet's meshes."""

import os
import re
from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.io import reading
from chronotope.recording.sources.shared.repair import FARTHEST

_TYPES = {
    **{"char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2", "ushort": "u2"},
    **{"uint16": "u2", "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4", "float": "f4", "float32": "f4"},
    **{"double": "f8", "float64": "f8"},
}
_ORDERS = {"binary_little_endian": "<", "binary_big_endian": ">"}
_LONGEST_HEAD = 65536
_COUNT = re.compile(r"[0-9]{1,18}")


def read_vertices(path: Path) -> np.ndarray:
    """Read the coordinates (N, 3) float64 of a mesh's vertices.

    The coordinates are in the unit of the file. The faces of the mesh are not read.

    Raises:
        InputError: If the file is not a binary PLY mesh that begins with its vertices, or if the file is
        incomplete.
    """
    with reading(path), path.open("rb") as file:
        lines = _head(path, file.read(_LONGEST_HEAD))
        count, layout, length = _layout(path, lines)
        there = file.seek(0, os.SEEK_END) - length
        if there < count * layout.itemsize:
            raise InputError(
                f"{path}: ends in vertex {there // layout.itemsize} of {count}: the file is incomplete, download it "
                "again"
            )
        file.seek(length)
        data = file.read(count * layout.itemsize)
    rows = np.frombuffer(data, layout)
    vertices = np.stack([rows[axis].astype(np.float64) for axis in "xyz"], axis=1)
    wrong = np.flatnonzero(~(np.abs(vertices) < FARTHEST).all(axis=1))
    if len(wrong):
        told = f"is {vertices[wrong[0]].tolist()}: expected coordinates between -{FARTHEST:g} and {FARTHEST:g} m"
        raise InputError(f"{path}: vertex {wrong[0]} {told}")
    return vertices


def _head(path: Path, start: bytes) -> bytes:
    """Return the file's header with its last line end."""
    text, end, rest = start.partition(b"end_header")
    if not start.startswith(b"ply") or not end:
        raise InputError(
            f"{path}: does not begin with the header of a PLY mesh: expected lines from 'ply' to 'end_header'"
        )
    line_end = rest[: rest.find(b"\n") + 1]
    return text + end + line_end


def _layout(path: Path, head: bytes) -> tuple[int, np.dtype, int]:
    """Return the number of vertices, their data type, and the data's start."""
    order, count = "", -1
    fields: list[tuple[str, str]] = []
    for line in head.decode("ascii", "replace").splitlines():
        words = line.split()
        if words[:1] == ["format"]:
            order = _ORDERS.get(words[1] if len(words) > 1 else "", "")
            if not order:
                raise InputError(f"{path}: line {line.strip()!r}: expected a binary PLY, little or big endian")
        elif words[:1] == ["element"]:
            if count >= 0:
                break
            if len(words) != 3 or words[1] != "vertex" or not _COUNT.fullmatch(words[2]):
                raise InputError(
                    f"{path}: line {line.strip()[:60]!r}: expected 'element vertex N' before any other element"
                )
            count = int(words[2])
        elif words[:1] == ["property"]:
            if len(words) != 3 or words[1] not in _TYPES or words[2] in dict(fields):
                raise InputError(
                    f"{path}: line {line.strip()!r}: expected 'property TYPE NAME' with one number per vertex"
                )
            fields.append((words[2], order + _TYPES[words[1]]))
    missing = [axis for axis in "xyz" if axis not in dict(fields)]
    if missing or count < 0:
        raise InputError(f"{path}: the vertices have no property {missing[0] if missing else 'x'}: expected x, y and z")
    return count, np.dtype(fields), len(head)

"""Text files of numbers, read as rows with line numbers; each error message names file and line."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.io import irregular

NANOSECOND_DIGITS = 13  # a whole number with at least this many digits is a time stamp in nanoseconds

_SNIFFED_BYTES = 65536
_MOST_BYTES = 1 << 30
_TEXT_SUFFIXES = {".txt", ".csv", ".tum", ".kitti"}
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]?(?:nan|inf|infinity)", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class TextRow:
    """One line with data: its number in the file (from 1) and its fields."""

    line: int
    fields: tuple[str, ...]
    commas: bool


def read_rows(path: Path) -> list[TextRow]:
    """Read the rows of a text file.

    The function skips a byte order mark, ``#`` comments and blank lines. Fields are separated by commas or by
    spaces.

    Raises:
        InputError: If the file cannot be read as UTF-8 text.
    """
    if fault := irregular(path):
        raise InputError(fault)
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise InputError(
                f"{path}: has more than {_MOST_BYTES >> 30} GB of text, expected rows of numbers; split the file"
            )
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start} is not UTF-8; save the file as plain UTF-8 text") from error
    return list(_rows(text))


def _rows(text: str) -> Iterator[TextRow]:
    for line, content in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1):
        data = content.split("#", 1)[0].strip()
        if not data:
            continue
        commas = "," in data
        fields = tuple(part.strip() for part in data.removesuffix(",").split(",")) if commas else tuple(data.split())
        yield TextRow(line, fields, commas)


def may_hold_rows(path: Path) -> bool:
    """Check whether a file has the suffix of a text file."""
    return path.suffix.lower() in _TEXT_SUFFIXES


def first_row(path: Path) -> TextRow | None:
    """Read the first row of a text file of numbers.

    The result is None if the file has other content. The function reads only the start of the file and never
    raises.
    """
    if not may_hold_rows(path) or irregular(path):
        return None
    try:
        with path.open("rb") as file:
            text = file.read(_SNIFFED_BYTES).decode("utf-8-sig", errors="replace")
    except OSError:
        return None
    row = next(_rows(text), None)
    return row if row is not None and all(_NUMBER.fullmatch(field) for field in row.fields) else None


def numbers(path: Path, rows: list[TextRow], meaning: str, *, start: int = 0, exact: bool = True) -> np.ndarray:
    """Parse the fields of every row as float64, from column ``start`` on.

    ``meaning`` has the names of the file's columns, separated by spaces. The result has the shape (number of rows,
    number of names - ``start``). If ``exact`` is True, additional columns are an error.

    Raises:
        InputError: If a row has a wrong number of columns, or text instead of a number. The message names file and
        line.
    """
    width = len(meaning.split())
    values = np.empty((len(rows), width - start))
    for index, row in enumerate(rows):
        if len(row.fields) < width or (exact and len(row.fields) > width):
            least = "" if exact else "at least "
            raise InputError(
                f"{path}, line {row.line}: {len(row.fields)} columns, expected {least}{width} ({meaning}); correct "
                "the line, or comment it out with '#'"
            )
        for column in range(start, width):
            values[index, column - start] = _number(path, row, column)
    return values


def _number(path: Path, row: TextRow, column: int) -> float:
    text = row.fields[column]
    if not _NUMBER.fullmatch(text):
        raise InputError(
            f"{path}, line {row.line}: column {column + 1} is {text[:40]!r}, expected a number; correct the line, or "
            "comment it out with '#'"
        )
    return float(text)


def read_matrix(path: Path, shape: tuple[int, int]) -> np.ndarray:
    """Read a text file that contains only one matrix.

    Raises:
        InputError: If the matrix does not have the shape ``shape``.
    """
    rows = read_rows(path)
    if len(rows) != shape[0]:
        raise InputError(f"{path}: {len(rows)} rows of numbers, expected {shape[0]} rows of {shape[1]}")
    return numbers(path, rows, " ".join(f"m{column}" for column in range(shape[1])))


def read_intrinsics(path: Path) -> np.ndarray:
    """Read a camera matrix (3, 3) px from a text file.

    Raises:
        InputError: If the file does not contain a camera matrix.
    """
    matrix = read_matrix(path, (3, 3))
    if not (np.isfinite(matrix).all() and (np.diag(matrix) > 0).all()):
        raise InputError(
            f"{path}: is not a camera matrix: expected finite numbers, and numbers above 0 on the diagonal"
        )
    return matrix


@dataclass(frozen=True)
class Stamps:
    """The exact time stamps of rows, in the unit of the file.

    An element of ``decimals`` is None if the stamp is not a finite number. ``texts`` has the stamps as they are written
    in the file.
    """

    decimals: list[Decimal | None]
    texts: list[str]


def stamps(path: Path, rows: list[TextRow]) -> Stamps:
    """Parse the first field of every row as an exact number.

    The result does not use float64, which would round nanoseconds since 1970 to multiples of 256.

    Raises:
        InputError: If a field is text. The message names file and line.
    """
    decimals: list[Decimal | None] = []
    for row in rows:
        finite = math.isfinite(_number(path, row, 0))
        try:
            decimals.append(Decimal(row.fields[0]) if finite else None)
        except InvalidOperation as error:
            raise InputError(
                f"{path}, line {row.line}: the time stamp {row.fields[0][:40]!r} is out of range"
            ) from error
    return Stamps(decimals, [row.fields[0] for row in rows])

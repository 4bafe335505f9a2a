"""Columns of Arrow tables (Parquet, Feather), read as arrays and checked.

Each error message names the faulty column.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.feather as feather
import pyarrow.parquet as pq

from chronotope.errors import InputError
from chronotope.io.parquet import arrow_path, reading_table
from chronotope.recording.sources.shared.repair import FARTHEST


@dataclass(frozen=True)
class Columns:
    """The columns of one file.

    All methods raise InputError if a column is missing or wrong. The message names the file and the column.
    """

    path: Path
    table: pa.Table

    def __len__(self) -> int:
        return self.table.num_rows

    def __contains__(self, name: str) -> bool:
        return name in self.table.column_names

    def numbers(self, name: str, *, missing: bool = False) -> np.ndarray:
        """Return a column of finite numbers as float64 (N,).

        If ``missing`` is True, empty cells and NaN are allowed and become NaN.
        """
        column = self._column(name, _is_number, "numbers", nulls=missing)
        values = np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False), np.float64)
        wrong = np.flatnonzero(np.isinf(values) if missing else ~np.isfinite(values))
        if len(wrong):
            raise InputError(
                f"{self.path}: column {name!r}, row {wrong[0]} (from 0), is {values[wrong[0]]}, expected a finite "
                "number"
            )
        return values

    def vectors(self, names: list[str], *, missing: bool = False) -> np.ndarray:
        """Return several columns of numbers as one array.

        The array has shape (N, number of names).
        """
        return np.stack([self.numbers(name, missing=missing) for name in names], axis=-1)

    def metres(self, names: list[str]) -> np.ndarray:
        """Return columns of positions or side lengths in m.

        The array has shape (N, number of names). Every value must be small enough that results computed from it
        stay finite.
        """
        values = self.vectors(names)
        wrong = np.argwhere(np.abs(values) >= FARTHEST)
        if len(wrong):
            row, column = wrong[0]
            raise InputError(
                f"{self.path}: column {names[column]!r}, row {row} (from 0), is {values[row, column]:g}, expected a "
                f"length of less than {FARTHEST:g} m"
            )
        return values

    def counts(self, name: str) -> np.ndarray:
        """Return a column of whole numbers as int64 (N,).

        Every number must be 0 or more.
        """
        values = self.whole(name)
        wrong = np.flatnonzero(values < 0)
        if len(wrong):
            raise InputError(
                f"{self.path}: column {name!r}, row {wrong[0]} (from 0), is {values[wrong[0]]}, expected 0 or more"
            )
        return values

    def whole(self, name: str) -> np.ndarray:
        """Return a column of whole numbers as int64 (N,)."""
        column = self._column(name, pa.types.is_integer, "whole numbers")
        try:
            return np.asarray(column.cast(pa.int64()).to_numpy(), np.int64)
        except pa.ArrowInvalid as error:  # unsigned numbers that are too large for int64
            raise InputError(
                f"{self.path}: column {name!r} has a number of 2^63 or more, expected smaller numbers"
            ) from error

    def texts(self, name: str) -> np.ndarray:
        """Return a column of text as an array of str (N,)."""
        return np.array(self._column(name, _is_text, "text").to_pylist(), dtype=str).reshape(len(self))

    def matrices(self, name: str) -> np.ndarray:
        """Return a column of 16-number lists as (N, 4, 4) matrices."""
        column = self._column(name, _is_list, "lists of 16 numbers")
        rows = column.combine_chunks()
        lengths = np.asarray(pc.call_function("list_value_length", [rows]).to_numpy(zero_copy_only=False))
        wrong = np.flatnonzero(lengths != 16)
        if len(wrong):
            raise InputError(
                f"{self.path}: column {name!r}, row {wrong[0]} (from 0), has {lengths[wrong[0]]} numbers, expected 16"
            )
        flat = rows.flatten()
        if flat.null_count:
            raise InputError(
                f"{self.path}: column {name!r} has an empty number in a matrix, expected 16 numbers in each row"
            )
        return np.asarray(flat.cast(pa.float64()).to_numpy(zero_copy_only=False)).reshape(-1, 4, 4)

    def rows(self, mask: np.ndarray) -> "Columns":
        """Return the rows for which the mask (N,) is True."""
        return Columns(self.path, self.table.filter(pa.array(mask)))

    def _column(
        self, name: str, fits: Callable[[pa.DataType], bool], expected: str, *, nulls: bool = False
    ) -> pa.ChunkedArray:
        if self.table.column_names.count(name) != 1:
            raise InputError(f"{self.path}: column {name!r} is missing, expected {expected}")
        column = self.table.column(name)
        if not fits(column.type):
            raise InputError(f"{self.path}: column {name!r} is of type {column.type}, expected {expected}")
        if column.null_count and not nulls:
            raise InputError(f"{self.path}: column {name!r} has {column.null_count} empty cells, expected none")
        return column


def _is_number(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_floating(kind)


def _is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def _is_list(kind: pa.DataType) -> bool:
    lists = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    return lists and _is_number(kind.value_type)


@contextmanager
def _readable(path: Path, form: str) -> Iterator[None]:
    if not path.is_file():
        raise InputError(f"{path}: no such file; add the file")
    with reading_table(path, form):
        yield


@contextmanager
def open_parquet(path: Path) -> Iterator[pq.ParquetFile]:
    """Open a Parquet file that is then read in pieces.

    The file is memory-mapped and not read at once, because a page of a Parquet file can contain half a gigabyte of
    pictures.

    Raises:
        InputError: If the file is missing, or is not a readable Parquet file.
    """
    with _readable(path, "Parquet"), pq.ParquetFile(arrow_path(path), memory_map=True, pre_buffer=False) as file:
        yield file


def read_parquet(path: Path, wanted: Callable[[str], bool] = lambda name: True) -> Columns:
    """Read some columns of a Parquet file.

    ``wanted`` returns True for the names of the columns to read.

    Raises:
        InputError: If the file cannot be read or has no rows.
    """
    with open_parquet(path) as file:
        return _checked(path, file.read(columns=[name for name in file.schema_arrow.names if wanted(name)]))


def read_feather(path: Path) -> Columns:
    """Read all columns of a Feather file.

    Raises:
        InputError: If the file cannot be read or has no rows.
    """
    with _readable(path, "Feather"):
        return _checked(path, feather.read_table(arrow_path(path), memory_map=False))


def _checked(path: Path, table: pa.Table) -> Columns:
    table.validate(full=True)
    if table.num_rows == 0:
        raise InputError(f"{path}: the table has no rows, expected at least one")
    return Columns(path, table)

"""Reader of Parquet tables from unknown authors, with limits on memory.

The limits are needed because a small compressed file can expand to gigabytes. Where a table is read in batches, the
limits grow with its file: Chronotope itself writes tables of millions of asks.
"""

# PyArrow has no type stubs.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false, reportMissingTypeStubs=false

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from chronotope.errors import InputError
from chronotope.io.system import irregular, unreadable

_BATCH = 4096
# Limits for a table. The largest released set has 33,386 questions and about 40 MB of text.
_SMALL = 16 << 20  # bytes of a file; the limits of a larger file are as many times higher as it is larger
_MOST_ROWS = 5_000_000
_MOST_VALUES = 20_000_000  # values in one column, including all elements of lists
_MOST_BYTES = 2 << 30  # bytes of all pages when unpacked, as stated in the file
_MOST_TEXT = 2 << 30
_FEW = 64 << 20  # bytes of text that are neither counted nor shared
_SHORTER = "no benchmark is that large: get the table again from its author"


class TooLargeError(InputError):
    """The error for a table that exceeds a limit of this module."""


def arrow_path(path: Path) -> str:
    """Return a path that PyArrow does not take for a URL.

    PyArrow reads a relative path such as ``sti:v1/questions.parquet`` as a URL with the scheme ``sti``.
    """
    return str(path.absolute())


@contextmanager
def reading_table(path: Path, form: str = "Parquet", remedy: str = "fetch it again") -> Iterator[None]:
    """Turn an error of Arrow or the operating system into one sentence.

    ``form`` is the name of the expected format. ``remedy`` is the advice that ends the message if the file does not
    have this format.

    Raises:
        InputError: If the table cannot be read. The message names the file and the reason.
    """
    try:
        yield
    except InputError:
        raise
    except (OSError, ValueError, KeyError, pa.ArrowException) as error:  # ValueError: text that is not UTF-8
        if isinstance(error, OSError) and error.errno:
            raise InputError(unreadable(path, error)) from error
        why = " ".join(str(error).split())[:200]
        raise InputError(f"{path}: is not a {form} file that can be read ({why}); {remedy}") from error


def table_batches(path: Path, names: Sequence[str], *, together: bool = False) -> Iterator[pa.RecordBatch]:
    """Yield the named columns of a file in batches of rows.

    Dictionary-encoded text stays encoded, so equal texts are one object in memory. Before the table is unpacked, its
    size is checked against the limits of this module. With ``together``, the caller keeps all rows as they are, so the
    limits do not grow with the file. PyArrow's exceptions for a damaged file are not caught.

    Raises:
        TooLargeError: If the table would take too much memory.
        InputError: If the file is a pipe or a device.
    """
    if fault := irregular(path, "a Parquet file"):
        raise InputError(fault)
    times = 1.0 if together else max(1.0, path.stat().st_size / _SMALL)
    with pq.ParquetFile(arrow_path(path)) as file:
        values, total = _sizes(file, names)
        if fault := _size_fault(file.metadata.num_rows, values, total, times):
            raise TooLargeError(f"{path}: {fault}")
        if max(values.values(), default=0) * total <= _FEW:  # no text is longer than all pages
            yield from _batches(file, names)
            return
        texts = _text_leaves(file, names)
    with pq.ParquetFile(arrow_path(path), read_dictionary=texts) as file:
        unpacked, most = 0, times * _MOST_TEXT
        for batch in _batches(file, names):
            unpacked += _text_bytes(batch)
            if unpacked > most:
                raise TooLargeError(f"{path}: its text exceeds {most / 2**30:.0f} GB when unpacked; {_SHORTER}")
            yield batch


def _batches(file: pq.ParquetFile, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Yield batches of each row group, because Arrow cannot join lists of two row groups in one batch."""
    for group in range(file.num_row_groups):
        threads = file.metadata.row_group(group).num_rows > _BATCH  # for few rows, they take longer to start
        yield from file.iter_batches(_BATCH, row_groups=[group], columns=list(names), use_threads=threads)


def column_names(path: Path) -> list[str]:
    """Return the names of the columns of a Parquet file.

    PyArrow's exceptions for a damaged file are not caught.

    Raises:
        InputError: If the file is a pipe or a device.
    """
    if fault := irregular(path, "a Parquet file"):
        raise InputError(fault)
    return list(pq.read_schema(arrow_path(path)).names)


def read_bounded(path: Path, names: Sequence[str]) -> list[dict[str, Any]]:
    """Read all rows of the named columns as Python values.

    Raises:
        InputError: If the table would take too much memory, or the file is a pipe or a device.
    """
    return [row for batch in table_batches(path, names, together=True) for row in table_rows(batch, names)]


def _sizes(file: pq.ParquetFile, names: Sequence[str]) -> tuple[dict[str, int], int]:
    """Return the number of values of each named column, and the bytes of all their pages when unpacked.

    The sizes are read from the file's metadata.
    """
    facts = file.metadata
    values: dict[str, int] = {}
    total = 0
    for group in range(facts.num_row_groups):
        for number in range(facts.num_columns):
            column = facts.row_group(group).column(number)
            name = column.path_in_schema
            if name.split(".")[0] in names:
                values[name] = values.get(name, 0) + column.num_values
                total += column.total_uncompressed_size
    return values, total


def _size_fault(rows: int, values: dict[str, int], total: int, times: float) -> str | None:
    """Describe the limit that a table exceeds, or return None.

    ``values`` and ``total`` are those of `_sizes`. The limits are ``times`` those of this module.
    """
    most_rows, most_values, most_bytes = (int(times * most) for most in (_MOST_ROWS, _MOST_VALUES, _MOST_BYTES))
    if rows > most_rows:
        return f"{rows:,} rows, expected at most {most_rows:,}; {_SHORTER}"
    name = max(values, key=values.__getitem__, default="")
    if values and values[name] > most_values:
        return f"column {name.split('.')[0]!r}: {values[name]:,} values, expected at most {most_values:,}; {_SHORTER}"
    if total > most_bytes:
        return f"{total / 2**30:.1f} GB when unpacked, expected at most {most_bytes >> 30} GB; {_SHORTER}"
    return None


def _text_leaves(file: pq.ParquetFile, names: Sequence[str]) -> list[str]:
    """Return the paths of dictionary-encoded text columns.

    Text columns inside lists and structs are included.
    """
    facts = file.metadata
    groups = [facts.row_group(number) for number in range(facts.num_row_groups)]
    columns = [group.column(number) for group in groups for number in range(group.num_columns)]
    kept = {column.path_in_schema for column in columns if any("DICTIONARY" in each for each in column.encodings)}
    leaves = (file.schema.column(number) for number in range(len(file.schema)))
    return [
        leaf.path
        for leaf in leaves
        if leaf.physical_type == "BYTE_ARRAY" and leaf.path in kept and leaf.path.split(".")[0] in names
    ]


def _text_bytes(batch: pa.RecordBatch) -> int:
    """Return the size of an unpacked batch in bytes."""
    return sum(_unpacked(column) for column in batch.columns)


def _unpacked(array: pa.Array) -> int:
    kinds = pa.types
    if kinds.is_dictionary(array.type):
        # Arrow computes this, because the conversion to NumPy imports pandas if installed (60 MB, one second).
        lengths = pc.call_function("binary_length", [array.dictionary])
        return pc.call_function("sum", [pc.take(lengths, array.indices)]).as_py() or 0
    if kinds.is_struct(array.type):
        return sum(_unpacked(array.field(number)) for number in range(array.type.num_fields))
    if kinds.is_list(array.type) or kinds.is_large_list(array.type) or kinds.is_fixed_size_list(array.type):
        return _unpacked(array.flatten())
    return array.nbytes


def table_rows(batch: pa.RecordBatch, names: Sequence[str]) -> list[dict[str, Any]]:
    """Convert a batch to rows of Python values.

    The conversion works column by column, and takes a third of the time of ``RecordBatch.to_pylist``.
    """
    columns = [_values(batch.column(batch.schema.get_field_index(name))) for name in names]
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def _values(array: pa.Array) -> list[Any]:
    """Convert an array to Python values.

    Equal dictionary-encoded texts become one Python object.
    """
    kind = array.type
    if pa.types.is_dictionary(kind):
        if len(array.dictionary) > len(array):  # a large dictionary: only the texts of this batch are decoded
            return array.dictionary_decode().to_pylist()
        texts: list[Any] = [*array.dictionary.to_pylist(), None]
        none = len(texts) - 1
        return [texts[none if index is None else index] for index in array.indices.to_pylist()]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        # In a slice, the offsets begin at the start of the slice, but `values` are the values of the whole array.
        ends = array.offsets.to_pylist()
        values = _values(array.values.slice(ends[0], ends[-1] - ends[0])) if ends else []
        found: list[Any] = [values[a - ends[0] : b - ends[0]] for a, b in pairwise(ends)]
    elif pa.types.is_struct(kind):
        names = [kind.field(number).name for number in range(kind.num_fields)]
        columns = [_values(array.field(number)) for number in range(kind.num_fields)]
        found = [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]
    else:
        return array.to_pylist()
    if array.null_count:
        found = [value if valid else None for value, valid in zip(found, array.is_valid().to_pylist(), strict=True)]
    return found

"""The Parquet tables of a benchmark folder: their columns, their version, reading and writing."""

# PyArrow has no type stubs; in this folder, only this module imports it.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false, reportMissingTypeStubs=false

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from chronotope.errors import InputError
from chronotope.io import irregular_kind, unreadable, write_atomically
from chronotope.io.parquet import arrow_path, table_batches, table_rows

SCHEMA_VERSION = 2
"""The version increases when a column changes its meaning. Readers accept older versions and refuse newer versions."""

_VERSION_KEY = b"chronotope.schema_version"


# Columns of lists that were added in schema version 2; if they are missing, the lists are empty.
_LATER = ("recordings", "mentions")


def _need(name: str, kind: pa.DataType) -> pa.Field:
    return pa.field(name, kind, nullable=False)


def _list(kind: pa.DataType) -> pa.DataType:
    return pa.list_(pa.field("element", kind, nullable=False))


_METADATA = {_VERSION_KEY: str(SCHEMA_VERSION).encode()}
_TIME = pa.float64()

QUESTIONS_SCHEMA: Any = pa.schema(
    [
        _need("id", pa.string()),
        _need("family", pa.string()),
        _need("task", pa.string()),
        _need("cluster", pa.string()),
        _need("stem", pa.string()),
        _need("options", _list(pa.struct([pa.field("text", pa.string()), pa.field("image", pa.string())]))),
        _need("answer", _list(pa.int32())),
        pa.field("expected", pa.string()),
        _need("multiple", pa.bool_()),
        _need("variant", pa.string()),
        pa.field("base", pa.string()),
        pa.field("window", pa.struct([_need("start", _TIME), _need("end", _TIME)])),
        _need(
            "media",
            _list(
                pa.struct(
                    [
                        _need("role", pa.string()),
                        pa.field("label", pa.string()),
                        _need("kind", pa.string()),
                        _need("paths", _list(pa.string())),
                        pa.field("start", _TIME),
                        pa.field("end", _TIME),
                    ]
                )
            ),
        ),
        _need("tags", _list(pa.struct([_need("key", pa.string()), _need("values", _list(pa.string()))]))),
        _need("flags", _list(pa.string())),
        _need("recordings", _list(pa.string())),
        _need(
            "mentions",
            _list(
                pa.struct(
                    [
                        _need("entity", pa.string()),
                        _need("role", pa.string()),
                        pa.field("phrase", pa.string()),
                        pa.field("start", pa.int32()),
                        pa.field("end", pa.int32()),
                    ]
                )
            ),
        ),
        _need("provenance", pa.string()),
    ],
    metadata=_METADATA,
)
"""The columns of ``questions.parquet``. Maps are stored as lists of structs, so that ``datasets`` can read the file."""

MEDIA_SCHEMA: Any = pa.schema(
    [
        _need("path", pa.string()),
        _need("sha256", pa.string()),
        _need("kind", pa.string()),
        _need("width", pa.int32()),
        _need("height", pa.int32()),
        pa.field("frames", pa.int32()),
        pa.field("fps", pa.float64()),
        pa.field("duration_s", pa.float64()),
    ],
    metadata=_METADATA,
)
"""The columns of ``media.parquet``: sizes in px, rates in frames per second, durations in s."""

DESCRIPTIONS_SCHEMA: Any = pa.schema(
    [
        _need("image", pa.string()),
        _need("dimension", pa.string()),
        _need("text", pa.string()),
        _need("author", pa.string()),
        pa.field("original", pa.string()),
    ],
    metadata=_METADATA,
)
"""Columns of ``descriptions.parquet``."""


# Columns with many repeated values. In other columns, a dictionary would only cost time in writing and reading.
_REPEATED = [
    *("family", "task", "cluster", "variant", "base", "flags.list.element", "kind", "image", "dimension", "author"),
    *(f"media.list.element.{name}" for name in ("role", "label", "kind", "paths.list.element")),
    *("tags.list.element.key", "tags.list.element.values.list.element", "recordings.list.element"),
    *(f"mentions.list.element.{name}" for name in ("entity", "role", "phrase")),
]


ROW_GROUP = 50_000  # rows that are written together
_CONVERTED = 1_000  # rows that are converted together; as Python values, a row needs five times the memory


def write_rows(path: Path, rows: Iterable[dict[str, Any]], schema: Any) -> None:
    """Write rows in the given order.

    The file is written completely or not at all. Equal rows give equal bytes. At most ``ROW_GROUP`` rows are in memory,
    as columns of Arrow.
    """
    rest = iter(rows)
    with (
        write_atomically(path) as temporary,
        pq.ParquetWriter(arrow_path(temporary), schema, compression="zstd", use_dictionary=_REPEATED) as file,  # pyright: ignore[reportArgumentType] (a list is accepted)
    ):
        file.write_table(_row_group(rest, schema))
        while (group := _row_group(rest, schema)).num_rows:
            file.write_table(group)


def _row_group(rows: Iterator[dict[str, Any]], schema: pa.Schema) -> pa.Table:
    """Take the next rows as a table.

    Each column is one piece, because the pages of the file depend on the pieces.
    """
    rest, pool = islice(rows, ROW_GROUP), pa.default_memory_pool()
    joined = pa.Table.from_pylist(list(islice(rest, _CONVERTED)), schema=schema)
    while few := list(islice(rest, _CONVERTED)):
        table, columns = pa.Table.from_pylist(few, schema=schema), joined.columns
        del few, joined
        for number, column in enumerate(table.columns):  # of one column at a time, both the old and the new are there
            columns[number] = pa.concat_arrays([*columns[number].chunks, *column.chunks])
        joined = pa.Table.from_arrays(columns, schema=schema)
        pool.release_unused()  # otherwise, the pool keeps several times the memory of the rows
    return joined


class TableError(InputError):
    """The error for a table that cannot be read, with all faults of the table.

    The message is a sentence about the first fault.
    """

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__(faults[0])
        self.faults = list(faults)


@dataclass(frozen=True)
class Batch:
    """Several consecutive rows of a table.

    ``first`` is the number of the first row, counted from 1. ``nulls`` lists every null that the schema forbids. Each
    entry has the number of the row, the column, and the position in the column, such as ``media[0].paths``. ``plain``
    is true if the columns have exactly the types of the schema.
    """

    first: int
    rows: list[dict[str, Any]]
    nulls: list[tuple[int, str, str]]
    plain: bool


def read_rows(path: Path, schema: Any) -> Batch:
    """Read all rows of a table.

    See ``read_batches`` for the accepted tables and the errors.
    """
    rows: list[dict[str, Any]] = []
    nulls: list[tuple[int, str, str]] = []
    for batch in read_batches(path, schema):
        rows += batch.rows
        nulls += batch.nulls
    return Batch(1, rows, nulls, plain=False)


def read_batches(path: Path, schema: Any) -> Iterator[Batch]:
    """Read a table in batches of a few thousand rows.

    ``schema`` is one of our schemas (a pyarrow.Schema). Files of other tools are accepted if their columns fit this
    schema. Such files can have:

    - wider integers and strings,
    - other kinds of lists,
    - columns and fields in another order,
    - further columns, which are ignored,
    - no version in the metadata.

    Raises:
        TableError: If the file cannot be read, if its columns do not fit, or if the uncompressed table would exceed the
            limits of this module.
    """
    try:
        found = pq.read_schema(arrow_path(path)) if irregular_kind(path) is None else schema
        if faults := _schema_faults(found, schema):
            raise TableError([f"{path}{fault}" for fault in faults])
        first, plain = 1, found.equals(schema)
        lacking = [name for name in schema.names if name in _LATER and name not in found.names]
        names = [name for name in schema.names if name not in lacking]
        for batch in table_batches(path, names):
            rows = table_rows(batch, names)
            if lacking:
                rows = [row | {name: [] for name in lacking} for row in rows]
            yield Batch(first, rows, _forbidden(batch, rows, first, schema), plain)
            first += len(rows)
    except FileNotFoundError:
        raise TableError([f"{path}: missing; expected the table of a benchmark folder"]) from None
    except UnicodeDecodeError as error:
        raise TableError([f"{path}: cannot be read as Parquet (a text is not UTF-8: {error.reason})"]) from error
    except InputError as error:
        raise error if isinstance(error, TableError) else TableError([str(error)]) from error
    except (OSError, ValueError, pa.ArrowException) as error:  # ValueError: a text is not UTF-8
        if isinstance(error, OSError) and error.errno:
            raise TableError([unreadable(path, error)]) from error
        raise TableError([f"{path}: cannot be read as Parquet ({' '.join(str(error).split())})"]) from error


def _forbidden(
    batch: pa.RecordBatch, rows: list[dict[str, Any]], first: int, schema: pa.Schema
) -> list[tuple[int, str, str]]:
    # Arrow quickly reports whether a column has forbidden nulls. Only a column that has forbidden nulls is searched row
    # by row.
    there = [field for field in schema if field.name in batch.schema.names]
    suspects = [field for field in there if _has_null(batch.column(batch.schema.get_field_index(field.name)), field)]
    return [
        (number, field.name, place)
        for number, row in enumerate(rows if suspects else [], first)
        for field in suspects
        for place in _nulls(row[field.name], field, field.name)
    ]


def version_fault(version: str | int) -> str | None:
    """Describe the fault of a schema version, or return None."""
    try:
        number = int(version)
    except ValueError:
        return f"schema version {version!r} is not a number: expected 1 to {SCHEMA_VERSION}"
    if number > SCHEMA_VERSION:
        return f"schema version {number}, but this version reads up to {SCHEMA_VERSION}: update Chronotope"
    return None if number >= 1 else f"schema version {number} does not exist: expected 1 to {SCHEMA_VERSION}"


def _schema_faults(found: pa.Schema, schema: pa.Schema) -> list[str]:
    version = (found.metadata or {}).get(_VERSION_KEY)
    fault = None if version is None else version_fault(version.decode(errors="replace"))
    if fault is not None:
        return [f": {fault}"]
    wanted = [field for field in schema if field.name not in _LATER or field.name in found.names]
    return [f", {fault}" for field in wanted for fault in _column_faults(found, field)]


def _has_null(array: pa.Array, field: pa.Field) -> bool:
    """Check whether an array contains a forbidden null at any depth."""
    if array.null_count == len(array):
        return len(array) > 0 and not field.nullable
    if array.null_count and not field.nullable:
        return True
    if pa.types.is_list(field.type):
        # `flatten` loads Arrow's compute functions (0.1 s). It is needed only if null lists may hide values. Without
        # `flatten`, a slice can have values outside its rows. A null among these values only causes an unnecessary
        # search.
        return _has_null(array.flatten() if array.null_count else array.values, field.type.value_field)
    if pa.types.is_struct(field.type):
        present = array.filter(array.is_valid()) if array.null_count else array
        return any(_has_null(present.field(child.name), child) for child in field.type.fields)
    return False


def _nulls(value: Any, field: pa.Field, place: str) -> Iterator[str]:
    if value is None:
        if not field.nullable:
            yield place
    elif pa.types.is_list(field.type):
        for index, element in enumerate(value):
            yield from _nulls(element, field.type.value_field, f"{place}[{index}]")
    elif pa.types.is_struct(field.type):
        for child in field.type.fields:
            yield from _nulls(value[child.name], child, f"{place}.{child.name}")


def _column_faults(found: pa.Schema, field: pa.Field) -> Iterator[str]:
    indices = found.get_all_field_indices(field.name)
    if len(indices) != 1:
        count = "missing" if not indices else f"there {len(indices)} times"
        yield f"column {field.name!r}: {count}; expected one column of type {field.type}"
    elif not _fits(found.field(indices[0]).type, field.type):
        yield f"column {field.name!r}: expected type {field.type}, found {found.field(indices[0]).type}"


def _fits(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Check whether two Arrow types give the same Python values.

    Arrow's type null, for a column that contains only nulls, always fits.
    """
    kinds = pa.types
    if kinds.is_dictionary(found):
        found = found.value_type
    if kinds.is_null(found):
        return True
    if kinds.is_list(wanted):
        lists = (
            kinds.is_list,
            kinds.is_large_list,
            kinds.is_fixed_size_list,
            kinds.is_list_view,
            kinds.is_large_list_view,
        )
        return any(is_kind(found) for is_kind in lists) and _fits(found.value_type, wanted.value_type)
    if kinds.is_struct(wanted):
        return kinds.is_struct(found) and all(
            found.get_field_index(child.name) >= 0 and _fits(found.field(child.name).type, child.type)
            for child in wanted.fields
        )
    if kinds.is_string(wanted):
        return kinds.is_string(found) or kinds.is_large_string(found) or kinds.is_string_view(found)
    if kinds.is_integer(wanted):
        return kinds.is_integer(found)
    if kinds.is_floating(wanted):
        return kinds.is_floating(found) or kinds.is_integer(found)
    return found == wanted

"""The formats of the tables of a report, a row for each: CSV, Parquet and LaTeX."""

import csv
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from chronotope.errors import InputError
from chronotope.io.parquet import arrow_path
from chronotope.report.out.latex import latex_table
from chronotope.report.table import Table
from chronotope.view.score_rows import arrow_table

Lines = Iterable[Mapping[str, Any]]
_TOGETHER = 16_384  # lines that are kept as objects at a time

_FORMULA = {"=", "+", "-", "@"}  # the first characters of a formula


def parse_formats(text: str | None) -> tuple[str, ...]:
    """Parse a list of formats, separated by commas.

    Raises:
        InputError: If a format in the list is unknown.
    """
    named = tuple(dict.fromkeys(part.strip() for part in text.split(","))) if text else ()
    if unknown := [name for name in named if name not in FORMATS]:
        raise InputError(
            f"--format: expected one or more of {', '.join(FORMATS)}, separated by commas, found {unknown[0]!r}"
        )
    return named


def write_lines(
    file: Path, lines_of: Callable[[], Lines], formats: Collection[str], schema: pa.Schema | None = None
) -> None:
    """Write lines in those ``formats`` that have values; the ending of each is added to ``file``.

    ``lines_of`` returns the lines each time they are needed, because the lines of a large report do not fit into
    memory. Without ``schema``, the columns are those of all lines, and Parquet has the types of the values.
    """
    names = schema.names if schema is not None else list(dict.fromkeys(name for line in lines_of() for name in line))
    for form, (ending, write) in VALUES.items():
        if form in formats:
            whole = ({name: line.get(name) for name in names} for line in lines_of())
            write(file.with_name(f"{file.name}.{ending}"), names, whole, schema)


def write_texts(file: Path, tables: Sequence[tuple[Table, str]], formats: Collection[str]) -> None:
    """Write tables, each with the word for a cluster, in those ``formats`` that have text."""
    for name, (ending, text_of) in TEXTS.items():
        if name in formats:
            text = "\n".join(text_of(table, cluster) for table, cluster in tables)
            file.with_name(f"{file.name}.{ending}").write_text(text, encoding="utf-8", errors="replace")


def _write_csv(file: Path, columns: Sequence[str], lines: Lines, schema: pa.Schema | None) -> None:
    with file.open("w", newline="", encoding="utf-8", errors="replace") as opened:
        table = csv.DictWriter(opened, columns)
        table.writeheader()
        table.writerows({name: _inert(value) for name, value in line.items()} for line in lines)


def _write_parquet(file: Path, columns: Sequence[str], lines: Lines, schema: pa.Schema | None) -> None:
    if schema is None:
        lines = list(lines)
        schema = pa.schema([(column, _type_of([line[column] for line in lines])) for column in columns])
    rest = iter(lines)
    parts = [arrow_table(schema, _texts(schema, some)) for some in iter(lambda: list(islice(rest, _TOGETHER)), [])]
    pq.write_table(pa.concat_tables(parts) if parts else arrow_table(schema, []), arrow_path(file))


def _type_of(values: Sequence[Any]) -> pa.DataType:
    """Return the type of a column: numbers if all known values are numbers, else texts."""
    kinds = {type(value) for value in values if value is not None}
    for kinds_of, found in (({bool}, pa.bool_()), ({int}, pa.int64()), ({int, float}, pa.float64())):
        if kinds and kinds <= kinds_of:
            return found
    return pa.string()


def _texts(schema: pa.Schema, lines: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Format the values of columns that have texts."""
    texts = {of.name for of in schema if of.type == pa.string()}
    return [
        {name: str(value) if name in texts and value is not None else value for name, value in line.items()}
        for line in lines
    ]


def _inert(value: Any) -> Any:
    """Protect a text that a spreadsheet would run as a formula.

    An apostrophe before the text makes it a plain text.
    """
    return f"'{value}" if isinstance(value, str) and value.lstrip()[:1] in _FORMULA else value


# The formats by name, each with the ending of its files and its writer: of values, and of text.
VALUES: dict[str, tuple[str, Callable[[Path, Sequence[str], Lines, pa.Schema | None], None]]] = {
    "csv": ("csv", _write_csv),
    "parquet": ("parquet", _write_parquet),
}
TEXTS: dict[str, tuple[str, Callable[[Table, str], str]]] = {"latex": ("tex", latex_table)}
LOGS = {"inspect": "eval"}  # forms of a whole run, which `log_files` writes
FORMATS = tuple(sorted([*VALUES, *TEXTS, *LOGS]))

"""Tables of scores and questions for other tools: CSV, Parquet and LaTeX."""

import csv
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from chronotope.errors import InputError
from chronotope.io.parquet import arrow_path
from chronotope.report.out.latex import latex_table
from chronotope.report.out.report_folder import TABLES
from chronotope.report.runs.run_rows import RunRow
from chronotope.report.section import Section
from chronotope.report.table import Table, run_table, score_cell
from chronotope.view.score_rows import ASK_FIELDS, SCORE_FIELDS, arrow_table, ask_row, score_rows
from chronotope.view.words import called

FORMATS = ("csv", "latex", "parquet")

_SCORES = pa.schema(
    [*((name, pa.string()) for name in ("benchmark", "profile", "family", "run", "model")), *SCORE_FIELDS]
)
_QUESTIONS = pa.schema([*((name, pa.string()) for name in ("benchmark", "run", "model")), *ASK_FIELDS])
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


def write_tables(folder: Path, sections: Sequence[Section], formats: Collection[str]) -> list[str]:
    """Write the tables of a report; return their paths.

    The tables are written into the folder ``tables`` inside ``folder``. The table ``scores`` has a line for each score
    of each run. The table ``questions`` has a line for each ask, and is not written as LaTeX. The columns ``right`` and
    ``chosen`` contain the letters under which the correct and the chosen options were shown. The column ``placement``
    lists the published letters of the options, in the order in which the options were shown. In CSV files, a text that
    a spreadsheet would run as a formula gets an apostrophe before its first character.
    """
    if not formats:
        return []
    place = folder / TABLES
    place.mkdir()
    scores = score_lines(sections)
    questions = [line for section in sections for row in section.rows for line in _question_lines(section, row)]
    for name, schema, lines in (("scores", _SCORES, scores), ("questions", _QUESTIONS, questions)):
        _write_lines(place, name, schema.names, lines, schema, formats)
    if "latex" in formats:
        _write_latex(place / "scores.tex", [_score_table(section) for section in sections])
    for name, tables in _part_tables(sections).items():
        lines = [line for section, table in tables for line in _table_lines(section, table)]
        names = list(dict.fromkeys(column for line in lines for column in line))
        _write_lines(
            place, name, names, [{column: line.get(column) for column in names} for line in lines], None, formats
        )
        if "latex" in formats:
            _write_latex(place / f"{name}.tex", [latex_table(table, section.cluster) for section, table in tables])
    return sorted(f"{TABLES}/{file.name}" for file in place.iterdir())


def _write_lines(
    place: Path,
    name: str,
    columns: Sequence[str],
    lines: Sequence[Mapping[str, Any]],
    schema: pa.Schema | None,
    formats: Collection[str],
) -> None:
    """Write one table as CSV and as Parquet; without ``schema``, Parquet has the types of the values."""
    if "csv" in formats:
        with (place / f"{name}.csv").open("w", newline="", encoding="utf-8", errors="replace") as file:
            table = csv.DictWriter(file, columns)
            table.writeheader()
            table.writerows({name: _inert(value) for name, value in line.items()} for line in lines)
    if "parquet" in formats:
        schema = schema or pa.schema([(column, _type_of([line[column] for line in lines])) for column in columns])
        pq.write_table(arrow_table(schema, _texts(schema, lines)), arrow_path(place / f"{name}.parquet"))


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


def _write_latex(file: Path, tables: Sequence[str]) -> None:
    file.write_text("\n".join(tables), encoding="utf-8", errors="replace")


def _part_tables(sections: Sequence[Section]) -> dict[str, list[tuple[Section, Table]]]:
    """Return the tables of parts without values of their own, by the name of their file.

    The first table of a part has the part's name, and each further table also has its number.
    """
    found: dict[str, list[tuple[Section, Table]]] = {}
    for section in sections:
        for name, part in section.parts.items():
            for number, table in enumerate(part.tables if part.data is None else (), start=1):
                found.setdefault(name if number == 1 else f"{name}-{number}", []).append((section, table))
    return found


def _table_lines(section: Section, table: Table) -> Iterator[dict[str, Any]]:
    """Yield a line for each row; a column with an interval becomes several columns."""
    for row in table.rows:
        line: dict[str, Any] = {"benchmark": section.name}
        for column, cell in zip(table.columns, row.cells, strict=False):
            name = called(f"{column.group} {column.name}".strip(), section.cluster)
            line |= {f"{name}{end}": _known(value, section.cluster) for end, value in cell.values.items()}
        yield line


def _known(value: Any, cluster: str) -> Any:
    return called(value, cluster) if isinstance(value, str) else value


def _inert(value: Any) -> Any:
    """Protect a text that a spreadsheet would run as a formula.

    An apostrophe before the text makes it a plain text.
    """
    return f"'{value}" if isinstance(value, str) and value.lstrip()[:1] in _FORMULA else value


def score_lines(sections: Sequence[Section]) -> list[dict[str, Any]]:
    """Return a line for each score of each run.

    A line has the subject of the score, the estimate, and the difference between the estimate and chance. The values
    are fractions. Lines of the groups "threshold, ratio" and "threshold, degrees" have ratios or degrees instead of
    fractions, and have no chance.
    """
    return [line for section in sections for row in section.rows for line in _score_lines(section, row)]


def _score_lines(section: Section, row: RunRow) -> Iterator[dict[str, Any]]:
    card, compared = section.benchmark.card, row.compared
    about = {
        "benchmark": section.name,
        "profile": card.profile,
        "family": card.family,
        "run": compared.name,
        "model": compared.run.card.model,
    }
    if compared.replied:
        yield from (about | line for line in score_rows(row.scores))


def _question_lines(section: Section, row: RunRow) -> Iterator[dict[str, Any]]:
    run = row.compared.run
    about = {"benchmark": section.name, "run": row.compared.name, "model": run.card.model}
    yield from (about | ask_row(run, one) for one in run.answered)


def _score_table(section: Section) -> str:
    """Write the accuracies of a benchmark's runs in percent as a LaTeX table."""
    form = section.forms[0]
    rows = [
        (row, [score_cell(row.scores.overall), *map(score_cell, map(row.scores.tasks.get, form.tasks))])
        for row in form.own
    ]
    label = f"{section.name}: accuracy in percent with 95 % intervals by {section.cluster}"
    return latex_table(run_table(label, ["Overall", *form.tasks], rows, first="Model"), section.cluster)

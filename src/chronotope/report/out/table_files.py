"""Tables of scores and questions for other tools: CSV, Parquet and LaTeX."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from chronotope.report.compared_runs.run_rows import RunRow
from chronotope.report.out.report_folder import TABLES
from chronotope.report.out.table_formats import TEXTS, VALUES, write_lines, write_texts
from chronotope.report.section import Section
from chronotope.report.table import Table, run_table, score_cell
from chronotope.view.score_rows import ASK_FIELDS, SCORE_FIELDS, ask_row, score_rows
from chronotope.view.words import called

_SCORES = pa.schema(
    [*((name, pa.string()) for name in ("benchmark", "profile", "family", "run", "model")), *SCORE_FIELDS]
)
_QUESTIONS = pa.schema([*((name, pa.string()) for name in ("benchmark", "run", "model")), *ASK_FIELDS])


def write_tables(folder: Path, sections: Sequence[Section], formats: Collection[str]) -> list[str]:
    """Write the tables of a report; return their paths.

    The tables are written into the folder ``tables`` inside ``folder``. The table ``scores`` has a line for each score
    of each run. The table ``questions`` has a line for each ask, and is not written as LaTeX. The columns ``right`` and
    ``chosen`` contain the letters under which the correct and the chosen options were shown. The column ``placement``
    lists the published letters of the options, in the order in which the options were shown. In CSV files, a text that
    a spreadsheet would run as a formula gets an apostrophe before its first character.
    """
    if not set(formats) & {*VALUES, *TEXTS}:
        return []
    place = folder / TABLES
    place.mkdir()
    scores = score_lines(sections)
    write_lines(place / "scores", lambda: scores, formats, _SCORES)
    write_lines(place / "questions", lambda: _question_lines(sections), formats, _QUESTIONS)
    write_texts(place / "scores", [(_score_table(section), section.cluster) for section in sections], formats)
    for name, tables in _part_tables(sections).items():
        lines = [line for section, table in tables for line in _table_lines(section, table)]
        write_lines(place / name, lambda lines=lines: lines, formats)
        write_texts(place / name, [(table, section.cluster) for section, table in tables], formats)
    return sorted(f"{TABLES}/{file.name}" for file in place.iterdir())


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


def _question_lines(sections: Sequence[Section]) -> Iterator[dict[str, Any]]:
    for section in sections:
        for row in section.rows:
            run = row.compared.run
            about = {"benchmark": section.name, "run": row.compared.name, "model": run.card.model}
            yield from (about | ask_row(run, one) for one in run.answered)


def _score_table(section: Section) -> Table:
    """Make the table of the accuracies of a benchmark's runs, in percent."""
    form = section.forms[0]
    rows = [
        (row, [score_cell(row.scores.overall), *map(score_cell, map(row.scores.tasks.get, form.tasks))])
        for row in form.own
    ]
    label = f"{section.name}: accuracy in percent with 95 % intervals by {section.cluster}"
    return run_table(label, ["Overall", *form.tasks], rows, first="Model")

"""Tables of scores and questions for other tools: CSV, Parquet and LaTeX."""

import csv
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from chronotope.errors import InputError
from chronotope.evaluate.score import Estimate
from chronotope.io.parquet import arrow_path
from chronotope.report.out.report_folder import TABLES
from chronotope.report.runs.run_rows import Row
from chronotope.report.sections import Section
from chronotope.view.tables import ASK_FIELDS, SCORE_FIELDS, arrow_table, ask_row, score_rows

FORMATS = ("csv", "latex", "parquet")

_SCORES = pa.schema(
    [*((name, pa.string()) for name in ("benchmark", "profile", "family", "run", "model")), *SCORE_FIELDS]
)
_QUESTIONS = pa.schema([*((name, pa.string()) for name in ("benchmark", "run", "model")), *ASK_FIELDS])
_FORMULA = {"=", "+", "-", "@"}  # the first characters of a formula
_SPECIAL = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--"},
}


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
        if "csv" in formats:
            with (place / f"{name}.csv").open("w", newline="", encoding="utf-8", errors="replace") as file:
                table = csv.DictWriter(file, schema.names)
                table.writeheader()
                table.writerows({name: _inert(value) for name, value in line.items()} for line in lines)
        if "parquet" in formats:
            pq.write_table(arrow_table(schema, lines), arrow_path(place / f"{name}.parquet"))
    if "latex" in formats:
        (place / "scores.tex").write_text("\n".join(map(_latex, sections)), encoding="utf-8", errors="replace")
    return sorted(f"{TABLES}/{file.name}" for file in place.iterdir())


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


def _score_lines(section: Section, row: Row) -> Iterator[dict[str, Any]]:
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


def _question_lines(section: Section, row: Row) -> Iterator[dict[str, Any]]:
    run = row.compared.run
    about = {"benchmark": section.name, "run": row.compared.name, "model": run.card.model}
    yield from (about | ask_row(run, one) for one in run.answered)


def _latex(section: Section) -> str:
    """Write a LaTeX table of a benchmark's accuracies in percent.

    Each run has one row. The intervals are in small type.
    """
    tasks = section.forms[0].tasks
    rows = [
        " & ".join([_escaped(row.compared.name), *(_cell(one) for one in _of_table(row, tasks))]) + r" \\"
        for row in section.forms[0].own
    ]
    heads = " & ".join(map(_escaped, ["Model", "Overall", *tasks])) + r" \\"
    return "\n".join(
        [
            f"% {section.name}: accuracy in percent with 95 % intervals by {section.cluster}; ".replace("\n", " ")
            + "needs the package booktabs",
            rf"\begin{{tabular}}{{l{'r' * (len(tasks) + 1)}}}",
            *(r"\toprule", heads, r"\midrule", *rows, r"\bottomrule"),
            r"\end{tabular}",
            "",
        ]
    )


def _of_table(row: Row, tasks: Sequence[str]) -> list[Estimate | None]:
    return [row.scores.overall, *(row.scores.tasks.get(task) for task in tasks)]


def _cell(one: Estimate | None) -> str:
    if one is None:
        return "--"
    value = f"{100 * one.value:.1f}"
    if one.low is None or one.high is None:
        return value
    return f"{value} {{\\small ({100 * one.low:.0f}--{100 * one.high:.0f})}}"


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(character, character) for character in text)

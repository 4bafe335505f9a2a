"""Tables of scores and questions for other tools: CSV, Parquet and LaTeX."""

import csv
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from chronotope.errors import InputError
from chronotope.evaluate.score import Answered, Estimate
from chronotope.io import canonical_json
from chronotope.protocol import option_letters
from chronotope.report.data import estimate_data
from chronotope.report.folder import TABLES
from chronotope.report.rows import Row
from chronotope.report.sections import Section
from chronotope.view.answers import asked_state
from chronotope.view.precision import precision_data, spacing_words

__all__ = ["FORMATS", "parse_formats", "score_lines", "write_tables"]

FORMATS = ("csv", "latex", "parquet")

_SCORES = pa.schema(
    [
        *((name, pa.string()) for name in ("benchmark", "profile", "family", "run", "model")),
        *((name, pa.string()) for name in ("variant", "strategy", "group", "name")),
        *((name, pa.float64()) for name in ("value", "low", "high", "chance", "gap")),
        *((name, pa.int64()) for name in ("items", "clusters")),
    ]
)
_QUESTIONS = pa.schema(
    [
        *((name, pa.string()) for name in ("benchmark", "run", "model", "ask", "question", "task", "variant")),
        *((name, pa.string()) for name in ("strategy", "input", "placement", "cluster", "tags", "state")),
        *((name, pa.string()) for name in ("right", "chosen", "value", "rule", "reply", "error")),
        *((name, pa.int64()) for name in ("input_tokens", "output_tokens")),
        ("money", pa.float64()),
    ]
)
_OF_CALL = ("reply", "error", "input_tokens", "output_tokens", "money")
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
    ``chosen`` contain the letters under which the options were shown. The column ``placement`` lists the published
    letters of the options, in the order in which the options were shown. In CSV files, a text that a spreadsheet would
    run as a formula gets an apostrophe before its first character.
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
            columns = [pa.array([_text(line[field.name]) for line in lines], field.type) for field in schema]
            pq.write_table(pa.table(columns, schema=schema), place / f"{name}.parquet")
    if "latex" in formats:
        (place / "scores.tex").write_text("\n".join(map(_latex, sections)), encoding="utf-8", errors="replace")
    return sorted(f"{TABLES}/{file.name}" for file in place.iterdir())


def _inert(value: Any) -> Any:
    """Protect a text that a spreadsheet would run as a formula.

    An apostrophe before the text makes it a plain text.
    """
    return f"'{value}" if isinstance(value, str) and value.lstrip()[:1] in _FORMULA else value


def _text(value: Any) -> Any:
    """Replace unpaired surrogates, because UTF-8 cannot encode them."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _figures(row: Row) -> Iterator[tuple[str, str, Estimate]]:
    """Yield every score of a run, with its group and its name."""
    scores = row.scores
    if not row.compared.replied:
        return
    named = {"accuracy": scores.overall, "covered": scores.covered, "circular": scores.circular}
    for name, one in (named | {"position": scores.position}).items():
        if one is not None:
            yield "overall", name, one
    groups = {"task": scores.tasks, "variant": scores.variants, "strategy": scores.strategies}
    groups |= {"letter": scores.positions, **{f"tag {key}": of for key, of in scores.tags.items()}}
    for group, of in groups.items():
        for name, one in of.items():
            yield group, name, one
    for precision in scores.precision:
        subject = precision.subject
        for point in precision.points:
            yield f"{subject.name} by spacing", spacing_words(point.spacing, subject.unit), point.accuracy


def score_lines(sections: Sequence[Section]) -> list[dict[str, Any]]:
    """Return a line for each score of each run.

    A line has the subject of the score, the estimate, and the difference between the estimate and chance. The values
    are fractions. Lines of the groups "threshold, ratio" and "threshold, degrees" have ratios or degrees instead, and
    no chance.
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
        "variant": row.scores.counted,
        "strategy": row.scores.strategy,
    }
    for group, name, one in _figures(row):
        own = {"variant": name} if group == "variant" else {"strategy": name} if group == "strategy" else {}
        yield about | own | {"group": group, "name": name} | (estimate_data(one) or {})
    for one in row.scores.precision:
        told = precision_data(one, row.scores.cluster)
        figures = {name: told[name] for name in ("low", "high", "items", "clusters")}
        named = {"group": f"threshold, {one.subject.unit}", "name": one.subject.name, "value": told["threshold"]}
        yield about | named | figures | {"chance": None, "gap": None}


def _question_lines(section: Section, row: Row) -> Iterator[dict[str, Any]]:
    run = row.compared.run
    about = {"benchmark": section.name, "run": row.compared.name, "model": run.card.model}
    for one in run.answered:
        question, ask, line = one.question, one.ask, one.line
        yield about | {
            "ask": ask.id,
            "question": question.id,
            "task": question.task,
            "variant": question.variant,
            "strategy": ask.strategy,
            "input": ask.input,
            "placement": "".join(option_letters(len(ask.placement))[option] for option in ask.placement),
            "cluster": question.cluster,
            "tags": canonical_json({key: list(values) for key, values in question.tags.items()}),
            "state": asked_state(run, one),
            "right": _letters(one, question.answer),
            "chosen": _letters(one, None if one.reading is None else one.reading.options),
            "value": None if one.reading is None else one.reading.value,
            "rule": None if one.reading is None else one.reading.rule,
            **{name: getattr(line, name, None) for name in _OF_CALL},
        }


def _letters(one: Answered, options: Collection[int] | None) -> str | None:
    """Return the letters under which options were shown.

    Returns None if there are no options.
    """
    letters = option_letters(len(one.ask.placement))
    return "".join(sorted(letters[one.ask.placement.index(option)] for option in options)) if options else None


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

"""The rows of tables: a row for each score of a run, and a row for each ask."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pyarrow as pa

from chronotope.evaluate.score import Answered, Estimate, RunResults, Scores
from chronotope.io import canonical_json
from chronotope.protocol import option_letters
from chronotope.view.answers import asked_state
from chronotope.view.precision import precision_data, spacing_words

# The columns of the rows, with their types.
SCORE_FIELDS = [
    *((name, pa.string()) for name in ("variant", "strategy", "group", "name")),
    *((name, pa.float64()) for name in ("value", "low", "high", "chance", "gap")),
    *((name, pa.int64()) for name in ("items", "clusters")),
]
ASK_FIELDS = [
    *((name, pa.string()) for name in ("ask", "question", "task", "variant")),
    *((name, pa.string()) for name in ("strategy", "input", "placement", "cluster", "tags", "state")),
    *((name, pa.string()) for name in ("right", "chosen", "value", "rule", "reply", "error")),
    *((name, pa.int64()) for name in ("input_tokens", "output_tokens")),
    ("money", pa.float64()),
]
_OF_CALL = ("reply", "error", "input_tokens", "output_tokens", "money")


def arrow_table(schema: pa.Schema, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Make a table; each row must have a value for every column.

    Unpaired surrogates are replaced, because UTF-8 cannot encode them.
    """
    columns = [pa.array([_encodable(row[field.name]) for row in rows], field.type) for field in schema]
    return pa.table(columns, schema=schema)


def _encodable(value: Any) -> Any:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def estimate_data(one: Estimate | None) -> dict[str, Any] | None:
    """Return an estimate and its difference to chance, as fractions."""
    if one is None:
        return None
    return asdict(one) | {"gap": None if one.chance is None else one.value - one.chance}


def score_rows(scores: Scores) -> Iterator[dict[str, Any]]:
    """Yield a row for each score of a run, as fractions.

    A row has its variant and strategy, its group (such as ``task``), its name in the group, the estimate, and the
    difference between the estimate and chance. Rows of the groups "threshold, ratio" and "threshold, degrees" have
    ratios or degrees instead of fractions, and have no chance.
    """
    about = {"variant": scores.counted, "strategy": scores.strategy}
    for group, name, one in _figures(scores):
        own = {"variant": name} if group == "variant" else {"strategy": name} if group == "strategy" else {}
        yield about | own | {"group": group, "name": name} | (estimate_data(one) or {})
    for one in scores.precision:
        told = precision_data(one, scores.cluster)
        figures = {name: told[name] for name in ("low", "high", "items", "clusters")}
        named = {"group": f"threshold, {one.subject.unit}", "name": one.subject.name, "value": told["threshold"]}
        yield about | named | figures | {"chance": None, "gap": None}


def _figures(scores: Scores) -> Iterator[tuple[str, str, Estimate]]:
    """Yield every score of a run, with its group and its name."""
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


def ask_row(run: RunResults, one: Answered) -> dict[str, Any]:
    """Return the row of one ask of a run.

    ``right`` and ``chosen`` are the letters under which the correct and the chosen options were shown. ``placement``
    lists the published letters of the options, in the order shown.
    """
    question, ask, line = one.question, one.ask, one.line
    return {
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

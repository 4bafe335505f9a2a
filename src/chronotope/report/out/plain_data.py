"""All scores of a report, as plain values for programs."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from chronotope.evaluate.score import Estimate, Scores, metric_mean
from chronotope.io.packed import group, select
from chronotope.protocol import Scored
from chronotope.report.compared_runs.run_rows import RunRow
from chronotope.report.section import Section
from chronotope.report.table import Part, Table
from chronotope.view.precision import precision_data
from chronotope.view.score_rows import estimate_data
from chronotope.view.words import called


def section_data(section: Section) -> dict[str, Any]:
    """Return the scores of one benchmark's runs, and their differences.

    All values are fractions, except in ``tables``. ``headline`` is the name of the main score in the paper of the
    benchmark. Each estimate has these fields:

    - ``low`` and ``high`` are the limits of the 95 % interval, or None if there are too few clusters.
    - ``chance`` is the expected score of a random guess.
    - ``gap`` is the difference between the estimate and chance.

    ``precision`` has the thresholds of each run. ``precision_ratios`` has, for each pair of runs, the thresholds of the
    earlier run divided by the thresholds of the later run. A threshold is a spacing: a ratio, or an angle in degrees.
    """
    card, family = section.benchmark.card, section.rows[0].compared.run.family
    return {
        "name": section.name,
        "family": family.name,
        "profile": card.profile,
        "content_hash": card.content_hash,
        "questions": len(section.benchmark.questions),
        "headline": family.paper.headline,
        "runs": [_run(row, family.paper.headline) for row in section.rows],
        **{key: value for name, part in section.parts.items() for key, value in _part(section, name, part).items()},
    }


def _part(section: Section, name: str, part: Part) -> Mapping[str, Any]:
    """Return the values of a part: its own, or those of its tables."""
    return {name: [_table(one, section.cluster) for one in part.tables]} if part.data is None else part.data


def _table(table: Table, cluster: str) -> dict[str, Any]:
    """Return the label of a table, and its rows by the names of the columns."""
    rows = [
        {called(column.name, cluster): cell.plain for column, cell in zip(table.columns, row.cells, strict=False)}
        for row in table.rows
    ]
    return {"table": called(table.label, cluster), "rows": rows}


def _run(row: RunRow, headline: str) -> dict[str, Any]:
    scores, compared = row.scores, row.compared
    replied = compared.replied
    figures = {
        "accuracy": estimate_data(scores.overall) if replied else None,  # zeros would look like a score
        "covered": estimate_data(scores.covered),
        "circular": estimate_data(scores.circular),
        "position": estimate_data(scores.position),
    }
    return {
        "name": compared.name,
        "model": compared.run.card.model,
        "folder": str(compared.run.folder),
        "marks": [mark.words for mark in row.marks],
        "notes": list(row.notes),
        "headline": figures["circular" if headline == "circular" else "accuracy"],
        "variant": scores.counted,
        "strategy": scores.strategy,
        "asked": scores.overall.items if replied else 0,
        "planned": scores.planned,
        **figures,
        "by_letter": _estimates(scores.positions),
        "tasks": _estimates(scores.tasks if replied else {}),
        "tags": {key: _estimates(of) for key, of in scores.tags.items()},
        "precision": [precision_data(one, scores.cluster) for one in scores.precision],
        "scales": {name: _estimates(of) for name, of in scores.scales.items()},
        "variants": _estimates(scores.variants),
        "strategies": _estimates(scores.strategies if replied else {}),
        "forms": _forms(scores) if replied else [],
        "states": dict(scores.states),
        "readings": dict(scores.readings),
        "open_answers": asdict(scores.open_answers),
        "letters": scores.letters,
        "right_letters": scores.right_letters,
        "tables": [asdict(table) for table in scores.tables],
        "spent": asdict(row.spent),
    }


def _estimates(of: Mapping[str, Estimate]) -> dict[str, Any]:
    return {name: estimate_data(one) for name, one in of.items()}


def _forms(scores: Scores) -> list[dict[str, Any]]:
    """Return the accuracy of each variant, strategy and placement.

    The accuracy is given for all questions together, and for each task.
    """
    found: list[dict[str, Any]] = []
    for (variant, strategy), scored in group(scores.scored, lambda one: (one.question.variant, one.strategy)).items():
        for placement, metric in (("published", "strict"), ("every", "circular")):
            having = select(scored, lambda one, metric=metric: one.metrics.get(metric) is not None)
            tasks = group(having, lambda one: one.question.task)
            if having:
                found.append(
                    {
                        "variant": variant,
                        "strategy": strategy,
                        "placement": placement,
                        "overall": estimate_data(_estimate(having, metric)),
                        "tasks": {task: estimate_data(_estimate(of, metric)) for task, of in tasks.items()},
                    }
                )
    return found


def _estimate(scored: Sequence[Scored], metric: str) -> Estimate | None:
    """Estimate the mean of a metric.

    The chance is included only for the metric ``strict``. For the metric ``circular``, which needs every placement, the
    chance is unknown.
    """
    found = metric_mean(scored, metric)
    return found if found is None or metric == "strict" else replace(found, chance=None)

"""The scores of runs over one variant of the questions, or over the base questions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chronotope.report.compared_runs.run_differences import Differences, differences, strict_values
from chronotope.report.compared_runs.run_marks import BASE
from chronotope.report.compared_runs.run_rows import RunRow


@dataclass(frozen=True)
class Form:
    """The overall scores of the runs over one variant of the questions.

    - ``rows`` are the rows of the table.
    - ``own`` are the rows of runs that have an accuracy over this variant. Only these runs are plotted and compared.
    - ``unlike`` states the numbers of questions of these runs, or is None if the runs have the same questions.
    """

    variant: str
    rows: list[RunRow]
    own: list[RunRow]
    tasks: list[str]
    circular: bool
    unlike: str | None
    differences: Differences | None


def make_forms(rows: Sequence[RunRow], known: Sequence[str]) -> list[Form]:
    """Make a table for each variant that a run's accuracy covers.

    The base questions come first. Tasks are in the order of ``known``. The first table has a row for every run, so that
    no run is missing in the report.
    """
    told = [row for row in rows if row.compared.replied] or rows
    variants = sorted({row.scores.counted for row in told}, key=lambda variant: (variant != BASE, variant))
    return [_form(variant, rows, number == 0, known) for number, variant in enumerate(variants)]


def distinct(names: Iterable[Iterable[str]]) -> list[str]:
    """Return the different names, in order of first appearance."""
    return list(dict.fromkeys(name for some in names for name in some))


def _form(variant: str, rows: Sequence[RunRow], first: bool, known: Sequence[str]) -> Form:
    own = [row for row in rows if row.counts(variant)]
    scores = [row.scores for row in own]
    tasks = distinct(of.tasks for of in scores)
    tasks.sort(key=lambda task: (known.index(task) if task in known else len(known), task))
    return Form(
        variant=variant,
        rows=list(rows) if first else own,
        own=own,
        tasks=tasks,
        circular=any(of.circular for of in scores),
        unlike=_unlike(own),
        differences=differences(scores),
    )


def _unlike(rows: Sequence[RunRow]) -> str | None:
    """Describe the runs' numbers of questions.

    Returns None if all runs have the same questions.
    """
    asked = [frozenset(strict_values(row.scores)) for row in rows] if len(rows) > 1 else []
    if len(set(asked)) < 2:
        return None
    counts = sorted({len(of) for of in asked}, reverse=True)
    if len(counts) == 1:
        return f"{counts[0]} questions each, but not the same"
    return f"{', '.join(map(str, counts[:-1]))} and {counts[-1]} questions"

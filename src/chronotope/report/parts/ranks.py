"""The ranks of the runs, with intervals that hold for all of them at once."""

from collections.abc import Iterator

from chronotope.evaluate.score.ranks import Rank, rank_runs
from chronotope.report.compared_runs.run_rows import RunRow
from chronotope.report.compared_runs.variant_scores import Form
from chronotope.report.section import Section
from chronotope.report.table import Cell, Fold, Part, Table, run_table
from chronotope.view.words import CLUSTER, TOO_FEW, UNKNOWN, count, percent, points

PLACE = 12
FEWEST = 3  # runs; the difference of two runs tells everything about two ranks


def make(section: Section) -> Part | None:
    """Rank the runs of each variant."""
    tables = tuple(table for form in section.forms for table in _tables(section, form))
    return Part((Fold("Ranks", tables, "which runs are significantly better than others"),)) if tables else None


def most_asked(form: Form) -> list[RunRow]:
    """Return the runs with the most questions; a run over few questions would leave few in common."""
    most = max((row.scores.overall.items for row in form.own), default=0)
    return [row for row in form.own if row.scores.overall.items == most]


def _tables(section: Section, form: Form) -> Iterator[Table]:
    rows = most_asked(form)
    ranking = rank_runs([row.scores for row in rows]) if len(rows) >= FEWEST else None
    if ranking is None:
        return
    left_out = [row.compared.here for row in form.own if row not in rows]
    pairs = len(rows) * (len(rows) - 1) // 2
    words = (
        f"Runs in the order of their accuracy on {count(ranking.questions)} common questions of "
        f"{count(ranking.clusters)} {CLUSTER}s. The interval has all ranks that a run may have: if the interval of the "
        "first run is 1–2, one other run is not significantly worse. “More than the next” is the difference to the run "
        "in the next row, in percentage points; p is the probability of a difference at least this large if both runs "
        f"are equally good (paired by question, clustered by {CLUSTER}, corrected for {pairs} comparisons by "
        "Holm's method), and runs have ranks apart only if p < 0.05. So all true ranks are inside the intervals with "
        f"a probability of at least 95 %. “{CLUSTER}s needed” says with about how many {CLUSTER}s the difference would "
        "be significant in 80 of 100 cases, if only these two runs were compared."
    )
    notes = [words]
    if left_out:
        notes.append(f"Left out, because they were asked fewer questions: {', '.join(left_out)}.")
    columns = ("rank", "95 % interval of the rank", "accuracy", "more than the next", "p (Holm)")
    label = section.label("Ranks" + ("" if len(section.forms) == 1 else f" of the variant {form.variant}"))
    lines = [(rows[one.run], list(_cells(one))) for one in ranking.ranks]
    yield run_table(label, (*columns, f"{CLUSTER}s needed"), lines, notes)


def _cells(one: Rank) -> Iterator[Cell]:
    yield Cell(str(one.rank), one.rank, strong=True)
    if one.best is None or one.worst is None:
        yield Cell(TOO_FEW)
    else:
        ends = str(one.best) if one.best == one.worst else f"{one.best}–{one.worst}"
        yield Cell(ends, [one.best, one.worst])
    yield Cell(percent(one.accuracy), one.accuracy)
    step = one.step
    yield Cell() if step is None else Cell(points(step.difference), step.difference)
    chance = None if step is None else step.chance
    yield Cell() if chance is None else Cell("<0.001" if chance < 0.001 else f"{chance:.3f}", chance)
    needed = None if step is None else step.needed
    yield Cell(UNKNOWN) if needed is None else Cell(count(needed), needed)

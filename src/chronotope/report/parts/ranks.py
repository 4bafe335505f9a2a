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
    return Part((Fold("Ranks", tables, "which runs are certainly better than others"),)) if tables else None


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
    words = (
        f"Runs by accuracy on {count(ranking.questions)} common questions of {count(ranking.clusters)} {CLUSTER}s. "
        "The intervals of all ranks together hold the true ranks with a probability of at least 95 %: two runs have "
        f"ranks apart only if their difference, by {CLUSTER}, excludes chance after Holm's correction for all pairs. "
        f"“{CLUSTER}s needed” is how many {CLUSTER}s would tell a run from the next one, alone, in 80 of 100 cases."
    )
    notes = [words]
    if left_out:
        notes.append(f"Left out, because they were asked fewer questions: {', '.join(left_out)}.")
    columns = ("rank", "95 % interval of the rank", "accuracy", "more than the next", "by chance (p)")
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

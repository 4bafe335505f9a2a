"""The scores of all runs: bars, numbers with intervals, variants, and the differences between runs."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from markupsafe import Markup

from chronotope.evaluate.score import FEWEST_CLUSTERS, Pair
from chronotope.report.compared_runs.run_differences import Differences
from chronotope.report.compared_runs.run_marks import BASE
from chronotope.report.compared_runs.run_rows import RunRow
from chronotope.report.compared_runs.variant_scores import Form, distinct
from chronotope.report.section import Section
from chronotope.report.table import (
    APART,
    Block,
    Cell,
    Column,
    Fold,
    Note,
    Panels,
    Part,
    Table,
    TableRow,
    change_cell,
    change_cells,
    run_cell,
    run_table,
    score_cell,
)
from chronotope.view.words import CLUSTER, percent

PLACE = 10


def make(section: Section) -> Part:
    """Show the scores of the runs, and compare each run with the others."""
    compared = [(form, form.differences) for form in section.forms if form.differences]
    return Part(
        front=tuple(_front(section)),
        folds=(
            Fold("Scores in numbers", tuple(_numbers(section)), "with intervals, and numbers of questions"),
            *(_differences(section, form, found) for form, found in compared),
        ),
        data={"differences": [one for form, found in compared for one in _difference_data(form, found)]},
    )


def _front(section: Section) -> Iterator[Block]:
    """Yield the bars of each variant, and what the options alone give away."""
    for form in section.forms:
        if form.own:
            if len(section.forms) > 1:
                words = "Questions in their first form" if form.variant == BASE else f"Questions{_of_variant(form)}"
                yield Note(f"{words}:", kind="quiet")
            yield Panels(section.label(f"Plot of the scores{_of_variant(form)}"), form)
    shapes = [
        row.compared for row in section.forms[0].own if row.compared.run.card.model.startswith("baseline/option-shape")
    ]
    if shapes:
        best = max(shapes, key=lambda one: one.scores.overall.value)
        several = f" (the best of {len(shapes)} such runs)" if len(shapes) > 1 else ""
        yield Note(
            f"{best.here}, which sees only the options{several}: {percent(best.scores.overall.value)} % "
            f"(chance {percent(best.scores.overall.chance)} %). To see what options give away, run “chronotope audit”.",
            kind="quiet",
        )


def _of_variant(form: Form) -> str:
    return "" if form.variant == BASE else f" of the variant {form.variant.replace('_', ' ')}"


def _numbers(section: Section) -> Iterator[Block]:
    """Yield the tables of the accuracies, and of the accuracies by variant."""
    variants = sorted(distinct(row.scores.variants for row in section.rows), key=lambda variant: variant != BASE)
    several = len(variants) > 1
    yield Note(_words(section, several=several))
    for number, form in enumerate(section.forms):
        if number:
            yield Note(f"Scores{_of_variant(form)}", "h4")
            yield Note("These runs were asked no base question.")
        if form.unlike:
            common = "; the differences below use common questions" if form.differences else ""
            yield Note(f"{form.unlike}: the rows have different questions{common}.", kind="unlike-asked")
        yield _accuracies(section, form)
    if several:
        rows = [(row, [score_cell(row.scores.variants.get(name)) for name in variants]) for row in section.rows]
        heads = [name.replace("_", " ") for name in variants]
        yield run_table(section.label("Scores by variant"), heads, rows, heading="By variant")


def _words(section: Section, *, several: bool) -> str:
    first = section.forms[0]
    about = ""
    if first.variant != BASE:
        name = first.variant.replace("_", " ")
        about = f" over questions of the variant “{name}” (no base question was asked)"
    elif several or len(section.forms) > 1:
        about = " over questions in their first form"
    placed = any(row.scores.circular is not None for row in section.rows)
    orders = " If a question was asked in several orders of its options, the published order counts."
    return (
        f"Accuracy in percent{about}; missing and unreadable answers count as wrong, and questions that were not asked "
        f"yet are left out. Below each accuracy are its 95 % interval by {CLUSTER} (for at least {FEWEST_CLUSTERS} "
        f"{CLUSTER}s), and the numbers of questions (q) and {CLUSTER}s. It is by {CLUSTER}, because answers about one "
        f"{CLUSTER} depend on each other. “Covered” leaves out missing and unreadable answers."
        f"{orders if placed else ''}"
    )


def _accuracies(section: Section, form: Form) -> Table:
    columns = ["model", "Overall", *form.tasks, "chance", "covered"]
    columns += ["right in every placement"] if form.circular else []
    rows = (TableRow((run_cell(row, whole=True), *_cells(row, form, len(columns) - 1))) for row in form.rows)
    label = section.label(f"Scores{_of_variant(form)}")
    return Table(label, tuple(map(Column, columns)), tuple(rows))


def _cells(row: RunRow, form: Form, count: int) -> list[Cell]:
    """Return the accuracies of a run, which are unknown if the run has none over this variant."""
    if not row.counts(form.variant):
        return [Cell()] * count
    scores = row.scores
    covered = scores.covered
    shown = Cell() if covered is None else Cell(percent(covered.value), covered.value, small=(f"{covered.items} q",))
    return [
        score_cell(scores.overall, strong=True, planned=scores.planned),
        *(score_cell(scores.tasks.get(task)) for task in form.tasks),
        Cell(percent(scores.overall.chance), scores.overall.chance),
        shown,
        *([score_cell(scores.circular)] if form.circular else []),
    ]


def _differences(section: Section, form: Form, found: Differences) -> Fold:
    """Compare each run with the best, and all pairs of runs."""
    of_variant, best = _of_variant(form), form.own[found.best]
    among = " among the runs with the most questions" if form.unlike else ""
    words = Markup(
        "The difference of each run to the best run{}, <b>{}</b>, in percentage points. Each line, with both "
        "accuracies, uses the questions that both runs were asked. {} marks 95 % intervals that exclude 0: if this "
        "were the only comparison, the random choice of {}s would not explain the difference. The marks are not "
        "corrected for the number of comparisons, so among many some are there by chance; the ranks are corrected. "
        "With fewer than {} {}s there is no interval."
    ).format(among, best.compared.here, APART, CLUSTER, FEWEST_CLUSTERS, CLUSTER)
    columns = ["accuracy", "the best", "difference", f"95 % interval by {CLUSTER}", "questions", f"{CLUSTER}s"]
    rows = [
        (row, _to_best(found.pairs[place][found.best], len(columns)))
        for place, row in enumerate(form.own)
        if place != found.best
    ]
    blocks: list[Block] = [
        run_table(section.label(f"Differences to the best run{of_variant}"), columns, rows, (words,))
    ]
    if len(form.own) > 2:
        words = Markup(
            "The run of the row minus the run of the column, in percentage points. Below each difference are both "
            "accuracies over the common questions, the 95 % interval of the difference, and the numbers of questions "
            "and {}s. {} marks intervals that exclude 0, as above."
        ).format(CLUSTER, APART)
        label = section.label(f"Differences of all pairs of runs{of_variant}")
        pairs = [
            (row, [Cell("") if other == place else _pair(pair) for other, pair in enumerate(found.pairs[place])])
            for place, row in enumerate(form.own)
        ]
        names = [row.compared.here for row in form.own]
        blocks.append(run_table(label, names, pairs, (words,), heading="All pairs of runs", first="minus"))
    return Fold(f"Differences{of_variant}", tuple(blocks), "each run against the best, and all pairs")


def _to_best(pair: Pair | None, count: int) -> list[Cell]:
    if pair is None:
        return [Cell("no question in common", span=count)]
    both = [Cell(percent(value), value) for value in (pair.first, pair.second)]
    return [*both, *change_cells(pair.difference)]


def _pair(pair: Pair | None) -> Cell:
    if pair is None:
        return Cell()
    return change_cell(pair.difference, [f"{percent(pair.first)} and {percent(pair.second)}"])


def _difference_data(form: Form, found: Differences) -> Iterator[dict[str, Any]]:
    """Yield the difference of each pair of runs, as fractions.

    The difference is the score of the earlier run minus the score of the later run, on their common questions.
    """
    for place, pairs in enumerate(found.pairs):
        for other, pair in enumerate(pairs):
            if pair is not None and other > place:
                first, second = form.own[place].compared.name, form.own[other].compared.name
                yield {"variant": form.variant, "first": first, "second": second, **asdict(pair.difference)}

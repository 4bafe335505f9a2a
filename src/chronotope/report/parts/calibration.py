"""Calibration in the report: confidence against accuracy, and the margin of the correct letter."""

from dataclasses import asdict

from chronotope.evaluate.score import Calibration, calibrate
from chronotope.io.packed import select
from chronotope.report.compared_runs.run_rows import RunRow
from chronotope.report.plots.run_plots import reliability_plot
from chronotope.report.section import Section
from chronotope.report.table import Cell, Fold, Part, Plot, number_cell, run_table
from chronotope.view.words import CLUSTER, change_interval, percent, signed

PLACE = 60


def make(section: Section) -> Part:
    """Show the calibration of the runs whose probabilities of letters are known."""
    rows = [row for row in section.forms[0].own if row.compared.replied]
    found = [(row, known) for row in rows if (known := _calibration(row)) is not None]
    if not found:
        return Part(data={"calibration": []})
    words = (
        "From the probabilities of the option letters, scaled so that their sum is 1. The confidence is the largest of "
        "them. A calibrated model is right in 70 % of its answers with a confidence of 70 %. The expected calibration "
        "error is the mean distance between the two, over ten bins of confidence; with few answers it is above 0 by "
        "chance alone. The margin is the log-probability of the correct letter minus the largest of another letter, in "
        "nats."
    )
    columns = ["mean confidence", "likeliest letter correct", "expected calibration error", "margin"]
    columns += [f"95 % interval by {CLUSTER}", "answers"]
    cells = [(row, _cells(known)) for row, known in found]
    table = run_table(section.label("Calibration"), columns, cells, (words,))
    curves = reliability_plot([row.plot_name for row, _ in found], [known.bins for _, known in found])
    plot = Plot(section.label("Accuracy by confidence"), curves)
    data = [{"run": row.compared.name, **asdict(known)} for row, known in found]
    fold = Fold("Calibration", (table, plot), "does the model know when it is right?")
    return Part((fold,), data={"calibration": data})


def _cells(known: Calibration) -> list[Cell]:
    margin = [Cell(), Cell()]
    if known.margin is not None:
        value = Cell(signed(known.margin.value), known.margin.value, strong=True)
        margin = [value, Cell(change_interval(known.margin))]
    return [
        Cell(percent(known.confidence), known.confidence),
        Cell(percent(known.accuracy), known.accuracy),
        Cell(percent(known.error), known.error, strong=True),
        *margin,
        number_cell(known.items),
    ]


def _calibration(row: RunRow) -> Calibration | None:
    """Compute the calibration over the asks of the run's accuracy, in all orders of their options."""
    counted, strategy = row.scores.counted, row.scores.strategy
    return calibrate(
        select(row.compared.run.answered, lambda one: (one.question.variant, one.ask.strategy) == (counted, strategy))
    )

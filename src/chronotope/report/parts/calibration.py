"""Calibration in the report: confidence against accuracy, and the margin of the correct letter."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from chronotope.evaluate.score import Calibration, calibrate
from chronotope.report.plots.run_plots import reliability_plot
from chronotope.report.runs.run_rows import Row
from chronotope.report.section import Section
from chronotope.report.table import AnyCell, Cell, Fold, Part, Plot, number_cell, run_table
from chronotope.view.words import CLUSTER, change_interval, percent, signed

PLACE = 60


def make(section: Section) -> Part:
    """Show the calibration of the runs whose probabilities of letters are known."""
    found = make_calibration(section.forms[0].own)
    if found is None:
        return Part(data={"calibration": []})
    words = (
        "From the probabilities of the option letters, scaled so that their sum is 1. The confidence is the largest of "
        "them. A calibrated model is right in 70 % of the asks with a confidence of 70 %. The expected calibration "
        "error is the mean distance between the two, over ten bins of confidence; with few asks it is above 0 by "
        "chance alone. The margin is the log-probability of the correct letter minus the largest of another letter, in "
        "nats."
    )
    columns = ["mean confidence", "likeliest letter correct", "expected calibration error", "margin"]
    columns += [f"95 % interval by {CLUSTER}", "asks"]
    rows = [(row, _cells(known)) for row, known in found.rows]
    table = run_table(section.label("Calibration"), columns, rows, (words,))
    plot = Plot(section.label("Accuracy by confidence"), found.plot)
    data = [{"run": row.compared.name, **asdict(known)} for row, known in found.rows]
    fold = Fold("Calibration", (table, plot), "does the model know when it is right?")
    return Part((fold,), data={"calibration": data})


def _cells(known: Calibration) -> list[AnyCell]:
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


@dataclass(frozen=True)
class CalibratedRuns:
    """The calibration of the runs whose probabilities of letters are known, with the plot of all curves."""

    rows: tuple[tuple[Row, Calibration], ...]
    plot: str


def make_calibration(rows: Sequence[Row]) -> CalibratedRuns | None:
    """Compute the calibration of each run.

    The asks are those of the run's accuracy, in all orders of their options. The result is None if
    no run has log-probabilities of letters.
    """
    found = [(row, known) for row in rows if row.compared.replied and (known := _calibration(row)) is not None]
    if not found:
        return None
    plot = reliability_plot([row.plot_name for row, _ in found], [known.bins for _, known in found])
    return CalibratedRuns(tuple(found), plot)


def _calibration(row: Row) -> Calibration | None:
    counted, strategy = row.scores.counted, row.scores.strategy
    return calibrate(
        [one for one in row.compared.run.answered if (one.question.variant, one.ask.strategy) == (counted, strategy)]
    )

"""Calibration in the report: confidence against accuracy, and the margin of the correct letter."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from chronotope.evaluate.score import Calibration, calibrate
from chronotope.report.plots.run_plots import reliability_plot
from chronotope.report.runs.run_rows import Row


@dataclass(frozen=True)
class CalibrationPart:
    """The calibration of the runs whose probabilities of letters are known, with the plot of all curves."""

    rows: tuple[tuple[Row, Calibration], ...]
    plot: str


def make_calibration(rows: Sequence[Row]) -> CalibrationPart | None:
    """Compute the calibration of each run.

    The asks are those of the run's accuracy, in all orders of their options. The result is None if
    no run has log-probabilities of letters.
    """
    found = [(row, known) for row in rows if row.compared.replied and (known := _calibration(row)) is not None]
    if not found:
        return None
    plot = reliability_plot([row.plot_name for row, _ in found], [known.bins for _, known in found])
    return CalibrationPart(tuple(found), plot)


def _calibration(row: Row) -> Calibration | None:
    counted, strategy = row.scores.counted, row.scores.strategy
    return calibrate(
        [one for one in row.compared.run.answered if (one.question.variant, one.ask.strategy) == (counted, strategy)]
    )


def calibration_data(part: CalibrationPart | None) -> list[dict[str, Any]]:
    """Return the calibration as plain values: fractions, and nats."""
    return [] if part is None else [{"run": row.compared.name, **asdict(known)} for row, known in part.rows]

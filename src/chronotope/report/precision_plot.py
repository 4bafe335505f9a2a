"""Plots of accuracy by spacing, with the fitted curves and thresholds."""

from collections.abc import Sequence
from textwrap import fill

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from chronotope.evaluate.score import Precision, PrecisionSubject, accuracy_at
from chronotope.view.drawing import GRID, INK, drawing, legend_size, look, plain, svg
from chronotope.view.precision import spacing_words

__all__ = ["precision_plot"]

_COLUMNS = 3
_PANEL = 2.6  # height in inches, without the lines of the thresholds
_LINE = 0.09  # height in inches of the line of a threshold
_LEAST, _MOST = 0, 100  # %
_BESIDE = 1.45  # the axis extends beyond the spacings by this factor
_SPREAD = 0.03  # distance between the points of two runs, as a factor of the spacing
_TICKS = 7  # largest number of ticks whose numbers do not overlap
_LETTERS = 28  # largest number of characters in a line of a panel's title
_CURVE = 80  # number of points of a curve


def precision_plot(
    names: Sequence[str], quantities: Sequence[tuple[PrecisionSubject, Sequence[Precision | None]]]
) -> str:
    """Plot accuracy in percent by spacing, with a panel for each quantity.

    ``names`` are the runs; each quantity has a value or None for each run. Points are drawn with their intervals,
    curves are fitted to the points, and a dashed line marks chance. The thresholds and their intervals are drawn below
    the line at 0 %.
    """
    columns, legend = legend_size(names)
    across = min(_COLUMNS, len(quantities))
    down = -(-len(quantities) // across)
    height = (_PANEL + _LINE * len(names)) * down + legend
    with drawing(height) as (figure, drawn):
        for place, (subject, of_runs) in enumerate(quantities):
            axes = plain(figure.add_subplot(down, across, place + 1))
            asked = [(number, one) for number, one in enumerate(of_runs) if one is not None]
            _panel(axes, subject, asked, len(names))
            if place % across == 0:
                axes.set_ylabel("accuracy, %")
        _legend(figure, names, columns)
        figure.tight_layout(rect=(0, 0, 1, 1 - legend / height))
    return svg(drawn, "Accuracy in percent by the spacing of options; the table shows the thresholds.")


def _panel(axes: Axes, subject: PrecisionSubject, asked: Sequence[tuple[int, Precision]], runs: int) -> None:
    """Draw one quantity: points, curves, chance, thresholds."""
    spacings = sorted({point.spacing for _, one in asked for point in one.points})
    left, right = spacings[0] / _BESIDE, spacings[-1] * _BESIDE
    below = 100 * _LINE / _PANEL * 1.3
    axes.set_xscale("log")
    axes.set_xlim(left, right)
    axes.set_ylim(-below * (runs + 0.6), _MOST + 4)
    chances = [one.chance for _, one in asked]
    axes.axhline(100 * sum(chances) / len(chances), color=INK, linewidth=1, linestyle="--")
    axes.axhline(_LEAST, color=GRID, linewidth=0.8)
    x = np.geomspace(left, right, _CURVE)
    for number, one in asked:
        colour, _, marker = look(number)
        fit = one.fit
        axes.plot(x, 100 * accuracy_at(x, fit.threshold, fit.lapse, one.chance), color=colour, linewidth=1.3)
        shift = 1 + _SPREAD * (number - (runs - 1) / 2)
        for point in one.points:
            accuracy, at = point.accuracy, point.spacing * shift
            axes.plot([at], [100 * accuracy.value], color=colour, marker=marker, markersize=5, linestyle="none")
            if accuracy.low is not None and accuracy.high is not None:
                axes.plot([at, at], [100 * accuracy.low, 100 * accuracy.high], color=colour, linewidth=1, alpha=0.7)
        line = -below * (number + 0.75)
        if fit.low is not None and fit.high is not None:
            ends = [min(max(end, left), right) for end in (fit.low, fit.high)]
            axes.plot(ends, [line, line], color=colour, linewidth=2, alpha=0.6, solid_capstyle="butt")
        if left <= fit.threshold <= right:
            axes.plot([fit.threshold], [line], color=colour, marker=marker, markersize=4.5, linestyle="none")
    ticks = _ticks(spacings)
    axes.set_xticks(ticks, [spacing_words(one, subject.unit).removeprefix("1 : ") for one in ticks])
    axes.minorticks_off()
    axes.set_yticks(range(_LEAST, _MOST + 1, 20))
    axes.grid(axis="y", color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_title(fill(subject.name, _LETTERS), loc="left", fontsize=10, fontweight="bold")
    axes.set_xlabel("ratio of neighbouring options" if subject.unit == "ratio" else "angle between options", loc="left")


def _ticks(spacings: Sequence[float]) -> list[float]:
    """Return the spacings that are not too close to the previous tick."""
    least = (spacings[-1] / spacings[0]) ** (1 / _TICKS)
    ticks: list[float] = []
    for spacing in spacings:
        if not ticks or spacing / ticks[-1] >= least:
            ticks.append(spacing)
    return ticks


def _legend(figure: Figure, names: Sequence[str], columns: int) -> None:
    handles = [
        Line2D([], [], color=colour, marker=marker, linewidth=1.3, label=name)
        for name, (colour, _, marker) in ((name, look(number)) for number, name in enumerate(names))
    ]
    figure.legend(handles=handles, loc="upper left", ncols=columns, frameon=False)

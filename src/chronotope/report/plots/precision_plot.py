"""Plots of accuracy by spacing, with the fitted curves and thresholds."""

from collections.abc import Collection, Sequence

import numpy as np
from matplotlib.axes import Axes

from chronotope.evaluate.score import Precision, PrecisionSubject, accuracy_at
from chronotope.view.drawing import GRID, INK, drawing, look, plain, svg
from chronotope.view.precision import sight_of, spacing_words, threshold_words

_HEIGHT, _WIDTH = 2.3, 3.5  # inches
_BESIDE = 1.45  # the axis extends beyond the spacings by this factor
_SPREAD = 0.03  # distance between the points of two runs, as a factor of the spacing
_TICKS = 6  # largest number of ticks whose numbers do not overlap
_CURVE = 80  # number of points of a curve


def precision_plot(subject: PrecisionSubject, of_runs: Sequence[Precision | None], blind: Collection[int] = ()) -> str:
    """Plot accuracy in percent by spacing for one quantity.

    ``of_runs`` has a value or None for each run; the position of a run determines its colour. Points are drawn with
    their intervals, and a dashed line marks chance. If a run has a threshold, the fitted curve is drawn, and a dotted
    line from the curve to the axis marks the threshold. The runs at the positions ``blind`` see nothing.
    """
    asked = [(number, one) for number, one in enumerate(of_runs) if one is not None]
    seeing = {number for number, one in asked if number not in blind and sight_of(one) not in ("few", "guess", "flat")}
    spacings = sorted({point.spacing for _, one in asked for point in one.points})
    left, right = spacings[0] / _BESIDE, spacings[-1] * _BESIDE
    with drawing(_HEIGHT, _WIDTH) as (figure, drawn):
        axes = plain(figure.add_subplot())
        axes.set_xscale("log")
        axes.set_xlim(left, right)
        axes.set_ylim(0, 104)
        chances = [one.chance for _, one in asked]
        axes.axhline(100 * sum(chances) / len(chances), color=INK, linewidth=1, linestyle="--")
        # Runs that see the quantity are drawn last, above the others.
        for number, one in sorted(asked, key=lambda run: run[0] in seeing):
            shift = 1 + _SPREAD * (number - (len(of_runs) - 1) / 2)
            _draw(axes, one, number, shift, (left, right), number in seeing)
        ticks = _ticks(spacings)
        axes.set_xticks(ticks, [spacing_words(tick, subject.unit).removeprefix("1 : ") for tick in ticks])
        axes.minorticks_off()
        axes.set_yticks(range(0, 101, 25))
        axes.tick_params(length=2.5)
        axes.grid(axis="y", color=GRID, linewidth=0.8)
        axes.set_axisbelow(True)
        axes.set_xlabel(
            "angle between options" if subject.unit == "degrees" else "ratio of neighbouring options", loc="left"
        )
        figure.tight_layout(pad=0.3)
    return svg(
        drawn, f"{subject.name}: accuracy in percent by the spacing of options; the sentence has the thresholds."
    )


def _draw(axes: Axes, one: Precision, number: int, shift: float, ends: tuple[float, float], sees: bool) -> None:
    """Draw the points of one run.

    If it sees the quantity, its curve and its threshold are drawn, too.
    """
    colour, _, marker = look(number)
    fit = one.fit
    for point in one.points:
        accuracy, at = point.accuracy, point.spacing * shift
        axes.plot([at], [100 * accuracy.value], color=colour, marker=marker, markersize=4.5, linestyle="none")
        if sees and accuracy.low is not None and accuracy.high is not None:
            axes.plot([at, at], [100 * accuracy.low, 100 * accuracy.high], color=colour, linewidth=1, alpha=0.7)
    if not sees:
        return
    x = np.geomspace(*ends, _CURVE)
    axes.plot(x, 100 * accuracy_at(x, fit.threshold, fit.lapse, one.chance), color=colour, linewidth=1.8)
    if ends[0] <= fit.threshold <= ends[1]:
        top = 100 * float(accuracy_at(np.array([fit.threshold]), fit.threshold, fit.lapse, one.chance)[0])
        axes.plot([fit.threshold, fit.threshold], [0, top], color=colour, linewidth=1.4, linestyle=":")
        axes.annotate(
            threshold_words(one), (fit.threshold, 2), (3, 0), textcoords="offset points", color=colour, fontsize=9
        )


def _ticks(spacings: Sequence[float]) -> list[float]:
    """Return the spacings that are not too close to the previous tick."""
    least = (spacings[-1] / spacings[0]) ** (1 / _TICKS)
    ticks: list[float] = []
    for spacing in spacings:
        if not ticks or spacing / ticks[-1] >= least:
            ticks.append(spacing)
    return ticks

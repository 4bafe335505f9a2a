"""Radar charts: one axis for each task around a centre, and one closed line for each run."""

import math
import textwrap
from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure
from matplotlib.projections.polar import PolarAxes

from chronotope.view.drawing import GRID, drawing, legend_size, look, svg

_CHART = 4.2  # inches high
_LEAST_AXES = 3
MOST_SERIES = 8  # more lines cannot be told apart
_LETTERS = 16  # of a line of a label


def radar_plot(title: str, labels: Sequence[str], series: Mapping[str, Sequence[float | None]]) -> str | None:
    """Plot percentages on axes around a centre.

    ``series`` maps each run to its values, in the order of ``labels``. Labels without any value get no axis. The line
    of a run is open where a value is missing. The first eight runs are drawn. Returns None if fewer than three axes
    are left.
    """
    kept = [place for place in range(len(labels)) if any(of[place] is not None for of in series.values())]
    if len(kept) < _LEAST_AXES:
        return None
    shown = dict(list(series.items())[:MOST_SERIES])
    angles = [2 * math.pi * number / len(kept) for number in range(len(kept))]
    most = max(value for of in series.values() for value in of if value is not None)
    legend = legend_size(list(shown))
    height = _CHART + legend[1]
    with drawing(height) as (figure, drawn):
        axes = _axes(figure)
        for number, (name, of) in enumerate(shown.items()):
            colour, _, marker = look(number)
            values = [math.nan if (value := of[place]) is None else value for place in kept]
            axes.plot(
                [*angles, angles[0]],
                [*values, values[0]],
                color=colour,
                marker=marker,
                markersize=5,
                linewidth=1.5,
                label=name,
            )
        axes.set_xticks(angles, [textwrap.fill(labels[place], _LETTERS) for place in kept])
        for text, angle in zip(axes.get_xticklabels(), angles, strict=True):
            side = math.sin(angle)
            text.set_horizontalalignment("center" if abs(side) < 0.1 else "left" if side > 0 else "right")
        axes.set_ylim(0, min(100, 10 * (int(most) // 10 + 1)))
        figure.legend(*axes.get_legend_handles_labels(), loc="upper left", ncols=legend[0], frameon=False)
        figure.tight_layout(rect=(0, 0, 1, 1 - legend[1] / height))
    return svg(drawn, _words(title, [(labels[place], place) for place in kept], shown))


def _axes(figure: Figure) -> PolarAxes:
    """Return polar axes that begin at the top and run clockwise."""
    axes = figure.add_subplot(projection="polar")
    assert isinstance(axes, PolarAxes)
    axes.set_facecolor("none")
    axes.set_theta_zero_location("N")
    axes.set_theta_direction(-1)
    axes.grid(color=GRID, linewidth=0.8)
    axes.spines["polar"].set_color(GRID)
    axes.tick_params(axis="x", pad=9)
    axes.tick_params(axis="y", labelsize=8)
    return axes


def _words(title: str, axes: Sequence[tuple[str, int]], series: Mapping[str, Sequence[float | None]]) -> str:
    """Describe the chart in words, for screen readers."""
    runs = (
        f"{name}: " + ", ".join(f"{label} {value:.1f}" for label, place in axes if (value := of[place]) is not None)
        for name, of in series.items()
    )
    return f"{title}, in percent. {'; '.join(runs)}."

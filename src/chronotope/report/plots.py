"""Plots of scores as SVG text, with intervals and chance drawn in."""

import io
from collections.abc import Sequence
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from chronotope.evaluate import Estimate

__all__ = ["accuracy_plot"]

# Told apart also by people who do not see red and green (Okabe and Ito).
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#000000")
_BAR = 0.24  # inches from one bar to the next
_LEGEND_LETTERS = 90  # that fit beside each other
# Text stays text and dollars stay dollars; a fixed salt, so that the same scores give the same bytes.
_STYLE: Any = {"svg.hashsalt": "chronotope", "svg.fonttype": "none", "text.parse_math": False}
_NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}


def accuracy_plot(names: Sequence[str], tasks: Sequence[str], scores: Sequence[dict[str, Estimate]]) -> str:
    """Accuracy in percent by task, one bar for each run, whiskers for the 95 % interval, a dot for chance."""
    columns = max(1, min(3, len(names), _LEGEND_LETTERS // (6 + max(map(len, names)))))
    legend_rows = -(-len(names) // columns)
    height = 0.35 + _BAR * len(names)
    with rc_context(_STYLE):
        figure = Figure(figsize=(8.5, 0.9 + 0.22 * legend_rows + height * len(tasks)))
        canvas = FigureCanvasSVG(figure)
        axes = figure.add_subplot()
        for number, (name, by_task) in enumerate(zip(names, scores, strict=True)):
            offset = (number - (len(names) - 1) / 2) * _BAR / height
            present = [(place + offset, by_task[task]) for place, task in enumerate(tasks) if task in by_task]
            _draw_run(axes, present, 0.2 / height, _COLOURS[number % len(_COLOURS)], name)
        axes.set_yticks(range(len(tasks)), tasks)
        axes.invert_yaxis()
        axes.set_xlim(0, 100)
        axes.set_xlabel("accuracy, % (line: 95 % interval by clip; dot: chance)")
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=columns, frameon=False)
        figure.tight_layout()
        drawn = io.StringIO()
        canvas.print_svg(drawn, metadata=_NO_METADATA)
    text = drawn.getvalue()
    return text[text.index("<svg") :]


def _draw_run(axes: Axes, estimates: Sequence[tuple[float, Estimate]], thick: float, colour: str, name: str) -> None:
    """The bars of one run; each estimate comes with its place on the axis."""
    axes.barh([y for y, _ in estimates], [100 * e.value for _, e in estimates], thick, color=colour, label=name)
    for y, e in estimates:
        if e.low is not None and e.high is not None:
            axes.plot([100 * e.low, 100 * e.high], [y, y], color="#444", linewidth=1.2)
        if e.chance is not None:
            axes.scatter([100 * e.chance], [y], s=16, color="#444", edgecolors="white", linewidths=0.7, zorder=3)

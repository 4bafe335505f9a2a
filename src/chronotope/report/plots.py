"""Plots of scores as SVG text, readable in light and dark, with intervals and chance drawn in."""

import io
from collections.abc import Sequence

from matplotlib import rc_context
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from chronotope.evaluate import Estimate

__all__ = ["accuracy_plot"]

# Told apart also by people who do not see red and green (Okabe and Ito).
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#000000")


def accuracy_plot(names: Sequence[str], tasks: Sequence[str], scores: Sequence[dict[str, Estimate]]) -> str:
    """Accuracy in percent by task, one bar for each run, whiskers for the 95 % interval, a dot for chance."""
    height = 0.35 + 0.24 * len(names)
    figure = Figure(figsize=(8.5, 1.1 + height * len(tasks)))
    canvas = FigureCanvasSVG(figure)
    axes = figure.add_subplot()
    for run, (name, by_task) in enumerate(zip(names, scores, strict=True)):
        present = [(place, by_task[task]) for place, task in enumerate(tasks) if task in by_task]
        places = [place + (run - (len(names) - 1) / 2) * 0.24 / height for place, _ in present]
        values = [100 * e.value for _, e in present]
        axes.barh(places, values, 0.2 / height, color=_COLOURS[run % len(_COLOURS)], label=name)
        whiskers = [
            (y, e) for y, (_, e) in zip(places, present, strict=True) if e.low is not None and e.high is not None
        ]
        for y, e in whiskers:
            axes.plot([100 * (e.low or 0), 100 * (e.high or 0)], [y, y], color="#444", linewidth=1.2)
        chances = [(100 * e.chance, y) for y, (_, e) in zip(places, present, strict=True) if e.chance is not None]
        axes.scatter([c for c, _ in chances], [y for _, y in chances], s=9, color="#444", zorder=3)
    axes.set_yticks(range(len(tasks)), tasks)
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("accuracy, % (line: 95 % interval by clip; dot: chance)")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=min(3, len(names)), frameon=False)
    figure.tight_layout()
    drawn = io.StringIO()
    # No date and a fixed salt, so that the same scores give the same bytes.
    with rc_context({"svg.hashsalt": "chronotope", "svg.fonttype": "none"}):
        canvas.print_svg(drawn, metadata={"Date": None})
    text = drawn.getvalue()
    return text[text.index("<svg") :]

"""Plots of scores by the letter of the correct option and by confidence, and of difficulties beside abilities."""

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from matplotlib.axes import Axes

from chronotope.evaluate.score import Estimate, ReliabilityBin
from chronotope.view.drawing import GRID, INK, drawing, legend_size, look, plain, svg


def position_plot(names: Sequence[str], scores: Sequence[Mapping[str, Estimate]]) -> str | None:
    """Plot accuracy in percent by the letter of the correct option.

    Each run has one line. Returns None if there are no runs.
    """
    letters = sorted({letter for by_letter in scores for letter in by_letter})
    if not letters:
        return None
    spread = min(0.09, 0.5 / len(names))
    with _figure(names, 3.2) as (axes, drawn):
        for number, (name, by_letter) in enumerate(zip(names, scores, strict=True)):
            offset = (number - (len(names) - 1) / 2) * spread
            present = [
                (place + offset, by_letter[letter]) for place, letter in enumerate(letters) if letter in by_letter
            ]
            colour, _, marker = look(number)
            axes.plot(
                [x for x, _ in present],
                [100 * e.value for _, e in present],
                color=colour,
                marker=marker,
                markersize=6,
                linewidth=1.4,
                label=name,
            )
            for x, e in present:
                if e.low is not None and e.high is not None:
                    axes.plot([x, x], [100 * e.low, 100 * e.high], color=colour, linewidth=1.2, alpha=0.7)
        chances = [e.chance for by_letter in scores for e in by_letter.values() if e.chance is not None]
        if chances:
            axes.axhline(100 * sum(chances) / len(chances), color=INK, linewidth=1, linestyle="--")
        axes.set_xticks(range(len(letters)), letters)
        axes.set_xlim(-0.5, len(letters) - 0.5)
        axes.set_ylim(0, 102)
        axes.grid(axis="y", color=GRID, linewidth=0.8)
        axes.set_axisbelow(True)
        axes.set_xlabel("letter of the correct option", loc="left")
        axes.set_ylabel("accuracy, %" + (" (dashed: chance)" if chances else ""))
    return svg(drawn, "Accuracy in percent by the letter of the correct option; the table shows the same numbers.")


def reliability_plot(names: Sequence[str], curves: Sequence[Sequence[ReliabilityBin]]) -> str:
    """Plot accuracy in percent by confidence in percent.

    Each run has one line. The dashed diagonal is a calibrated model. The area of a marker grows with the number of
    asks.
    """
    most = max(one.items for bins in curves for one in bins)
    with _figure(names, 3.6) as (axes, drawn):
        for number, (name, bins) in enumerate(zip(names, curves, strict=True)):
            colour, _, marker = look(number)
            x, y = [100 * one.confidence for one in bins], [100 * one.accuracy for one in bins]
            axes.plot(x, y, color=colour, linewidth=1.4, marker=marker, markersize=3, label=name)
            axes.scatter(x, y, s=[12 + 90 * one.items / most for one in bins], color=colour, marker=marker, alpha=0.7)
        axes.plot([0, 100], [0, 100], color=INK, linewidth=1, linestyle="--")
        axes.set(xlim=(0, 102), ylim=(-2, 102))
        axes.grid(color=GRID, linewidth=0.8)
        axes.set_axisbelow(True)
        axes.set_xlabel("confidence, % (largest probability of a letter)", loc="left")
        axes.set_ylabel("accuracy, % (dashed: calibrated)")
    return svg(drawn, "Accuracy in percent by confidence; the table shows the expected calibration error.")


def difficulty_plot(names: Sequence[str], abilities: Sequence[float], difficulties: Sequence[float]) -> str:
    """Plot how many questions have each difficulty, and the ability of each run as a line."""
    with _figure(names, 3.2) as (axes, drawn):
        axes.hist(difficulties, bins=min(40, 5 + len(difficulties) // 10), color=GRID, edgecolor=INK, linewidth=0.5)
        top = axes.get_ylim()[1]
        for number, (name, ability) in enumerate(zip(names, abilities, strict=True)):
            colour, _, marker = look(number)
            axes.plot(
                [ability, ability], [0, top], color=colour, linewidth=1.6, marker=marker, markersize=5, label=name
            )
        axes.set_ylim(0, 1.05 * top)
        axes.set_xlabel("difficulty of the questions, and ability of the runs (logits)", loc="left")
        axes.set_ylabel("questions")
    return svg(drawn, "Questions by difficulty, and the abilities of the runs; the tables show the same numbers.")


@contextmanager
def _figure(names: Sequence[str], height: float) -> Iterator[tuple[Axes, io.StringIO]]:
    """Yield axes, ``height`` inches high, under a legend of the runs.

    At the end, the figure is rendered into the second yielded value, a text stream.
    """
    columns, legend = legend_size(names)
    with drawing(height + legend) as (figure, drawn):
        axes = plain(figure.add_subplot())
        yield axes, drawn
        figure.legend(*axes.get_legend_handles_labels(), loc="upper left", ncols=columns, frameon=False)
        figure.tight_layout(rect=(0, 0, 1, 1 - legend / (height + legend)))

"""Plots of scores as SVG text, with intervals and chance."""

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from xml.sax.saxutils import quoteattr

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from chronotope.evaluate.score import Estimate, ReliabilityBin

__all__ = ["GRID", "INK", "drawing", "legend_size", "look", "plain", "position_plot", "reliability_plot", "svg"]

# Colours that are distinguishable with red-green blindness (Okabe and Ito); further series are hatched.
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#7f7f7f")
_HATCHES = ("", "////", "....", "xxxx")
_MARKERS = "osD^vPX*"
_WIDTH = 8.5  # inches
_LEGEND_LETTERS = 90  # number of letters that fit into a row of the legend
# Texts are not converted to paths, and dollar signs are not markup. With a fixed salt, equal scores give equal bytes.
_STYLE: Any = {"svg.hashsalt": "chronotope", "svg.fonttype": "none", "text.parse_math": False, "hatch.linewidth": 0.6}
_NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}
_STYLED = re.compile(r'style="([^"]*)"')
_FONT = re.compile(r"(?:(italic|oblique) )?(?:(bold|\d00) )?([\d.]+px) (.*)")
_SHEET = re.compile(r"<style type=\"text/css\">\*\{(.*?)\}</style>", re.DOTALL)
_UNUSED_ID = re.compile(r'<g id="[A-Za-z]+[\d.]*_\d+"')  # these ids are unused and repeat in every plot
INK = "#444"
GRID = "#e8ebee"


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


def look(number: int) -> tuple[str, str, str]:
    """Return the colour, the hatch and the marker of a numbered series."""
    return (
        _COLOURS[number % len(_COLOURS)],
        _HATCHES[number // len(_COLOURS) % len(_HATCHES)],
        _MARKERS[number % len(_MARKERS)],
    )


def legend_size(names: Sequence[str]) -> tuple[int, float]:
    """Return the number of columns and the height (inches) of a legend."""
    columns = max(1, min(3, len(names), _LEGEND_LETTERS // (6 + max(map(len, names)))))
    return columns, 0.22 * -(-len(names) // columns) + 0.15


@contextmanager
def drawing(height: float) -> Iterator[tuple[Figure, io.StringIO]]:
    """Yield a figure as wide as the page, ``height`` inches high.

    At the end, the figure is rendered into the second yielded value, a text stream.
    """
    drawn = io.StringIO()
    with rc_context(_STYLE):
        figure = Figure(figsize=(_WIDTH, height), facecolor="none")
        canvas = FigureCanvasSVG(figure)
        yield figure, drawn
        canvas.print_svg(drawn, metadata=_NO_METADATA)


def plain(axes: Axes) -> Axes:
    """Remove the background of axes, and their right and upper borders."""
    axes.set_facecolor("none")
    axes.spines[["top", "right"]].set_visible(False)
    return axes


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


def svg(drawn: io.StringIO, says: str) -> str:
    """Return the SVG element, with a description for screen readers.

    The styles of elements become attributes, because the page permits only its own style sheets. The style sheets of
    the page can override attributes, for example in dark mode.
    """
    text = drawn.getvalue()
    text = _UNUSED_ID.sub("<g", text[text.index("<svg") :])
    sheet = _SHEET.search(text)
    text = _SHEET.sub("", text)
    text = _STYLED.sub(lambda match: _attributes(match[1]), text)
    shared = "" if sheet is None else _attributes(sheet[1])
    return text.replace("<svg", f'<svg role="img" aria-label={quoteattr(says)} {shared}', 1)


def _attributes(style: str) -> str:
    """Convert a style's declarations to attributes of the element.

    A font declaration becomes several attributes.
    """
    found: list[str] = []
    for name, _, value in (one.strip().partition(":") for one in style.split(";") if one.strip()):
        font = _FONT.fullmatch(value.strip()) if name == "font" else None
        parts = {name: value.strip()}
        if font is not None:
            parts = {"font-style": font[1], "font-weight": font[2], "font-size": font[3], "font-family": font[4]}
        found += [f'{name}="{value}"' for name, value in parts.items() if value is not None]
    return " ".join(found)

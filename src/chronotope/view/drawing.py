"""Drawing of plots as SVG text for web pages."""

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from xml.sax.saxutils import quoteattr

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

# Colours that are distinguishable with red-green blindness (Okabe and Ito); further series are hatched.
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#7f7f7f")
_HATCHES = ("", "////", "....", "xxxx")
_MARKERS = "osD^vPX*"
_SIGNS = dict(zip(_MARKERS, "●■◆▲▼✚✖★", strict=True))  # the markers as characters
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


def look(number: int) -> tuple[str, str, str]:
    """Return the colour, the hatch and the marker of a numbered series."""
    return (
        _COLOURS[number % len(_COLOURS)],
        _HATCHES[number // len(_COLOURS) % len(_HATCHES)],
        _MARKERS[number % len(_MARKERS)],
    )


def swatch(number: int) -> str:
    """Return the mark of a numbered series as an SVG element.

    The mark has the colour and the marker, for a legend in the page.
    """
    colour, _, marker = look(number)
    return (
        '<svg class="swatch" viewBox="0 0 12 12" role="img" aria-label="its marker">'
        f'<text x="6" y="10.5" text-anchor="middle" font-size="12" fill="{colour}">{_SIGNS[marker]}</text></svg>'
    )


def legend_size(names: Sequence[str]) -> tuple[int, float]:
    """Return the number of columns and the height (inches) of a legend."""
    columns = max(1, min(3, len(names), _LEGEND_LETTERS // (6 + max(map(len, names)))))
    return columns, 0.22 * -(-len(names) // columns) + 0.15


@contextmanager
def drawing(height: float, width: float = _WIDTH) -> Iterator[tuple[Figure, io.StringIO]]:
    """Yield a figure that is ``height`` inches high.

    The figure is as wide as the page, or ``width`` inches wide.

    At the end, the figure is rendered into the second yielded value, a text stream.
    """
    drawn = io.StringIO()
    with rc_context(_STYLE):
        figure = Figure(figsize=(width, height), facecolor="none")
        canvas = FigureCanvasSVG(figure)
        yield figure, drawn
        canvas.print_svg(drawn, metadata=_NO_METADATA)


def plain(axes: Axes) -> Axes:
    """Remove the background of axes, and their right and upper borders."""
    axes.set_facecolor("none")
    axes.spines[["top", "right"]].set_visible(False)
    return axes


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

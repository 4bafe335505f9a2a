"""The figures of a probe: lines with intervals, estimates beside their chance, and grids of heads."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chronotope.probe.layer import Drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TABLES = "the tables of the probe have the same numbers."


@dataclass(frozen=True)
class Band:
    """A line over numbered depths or layers, with an interval around each value.

    A limit is None if there are too few clusters.
    """

    name: str
    at: Sequence[float]
    values: Sequence[float]
    low: Sequence[float | None]
    high: Sequence[float | None]


@dataclass(frozen=True)
class Point:
    """An estimate in one panel, with its interval and its chance; values can be None."""

    panel: str
    name: str
    value: float
    low: float | None = None
    high: float | None = None
    chance: float | None = None


def band_figure(name: str, title: str, words: str, x: str, y: str, bands: Sequence[Band]) -> Drawing:
    """Draw lines with shaded intervals."""
    from matplotlib.ticker import MaxNLocator

    from chronotope.view.drawing import GRID, drawing, legend_size, look, plain, svg

    legend = legend_size([band.name for band in bands] or [""])
    with drawing(3.0 + legend[1]) as (canvas, drawn):
        axes = plain(canvas.add_subplot())
        for number, band in enumerate(bands):
            colour, hatch, marker = look(number)
            style = "--" if hatch else "-"
            axes.plot(
                band.at, band.values, style, color=colour, marker=marker, markersize=4, linewidth=1.5, label=band.name
            )
            known = [
                (at, low, high) for at, low, high in zip(band.at, band.low, band.high, strict=True) if low is not None
            ]
            if known:
                axes.fill_between(*np.array(known, dtype=float).T, color=colour, alpha=0.18, linewidth=0)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(axis="y", color=GRID, linewidth=0.8)
        axes.set_axisbelow(True)
        axes.set_xlabel(x, loc="left")
        axes.set_ylabel(y)
        if bands:
            canvas.legend(*axes.get_legend_handles_labels(), loc="upper left", ncols=legend[0], frameon=False)
        canvas.tight_layout(rect=(0, 0, 1, 1 - legend[1] / (3.0 + legend[1])))
    return Drawing(name, title, words, svg(drawn, f"{title}; {_TABLES}"))


def point_figure(name: str, title: str, words: str, points: Sequence[Point]) -> Drawing:
    """Draw estimates in panels; a cross marks the chance."""
    from chronotope.view.drawing import GRID, INK, drawing, look, plain, svg

    panels = list(dict.fromkeys(point.panel for point in points))
    rows = max((sum(point.panel == panel for point in points) for panel in panels), default=1)
    with drawing(1.0 + 0.34 * rows) as (canvas, drawn):
        for number, panel in enumerate(panels):
            axes = plain(canvas.add_subplot(1, len(panels), number + 1))
            of = [point for point in points if point.panel == panel]
            for place, point in enumerate(of):
                colour = look(place)[0]
                if point.low is not None and point.high is not None:
                    axes.plot([point.low, point.high], [place, place], color=colour, linewidth=2)
                axes.plot([point.value], [place], color=colour, marker="o", markersize=7)
                if point.chance is not None:
                    axes.plot([point.chance], [place], color=INK, marker="x", markersize=7)
            axes.set_yticks(range(len(of)), [point.name for point in of])
            axes.set_ylim(len(of) - 0.5, -0.5)
            axes.grid(axis="x", color=GRID, linewidth=0.8)
            axes.set_axisbelow(True)
            axes.set_title(panel, loc="left", fontsize=10)
        canvas.tight_layout()
    return Drawing(name, title, words, svg(drawn, f"{title}; {_TABLES}"))


def heat_figure(name: str, title: str, words: str, layers: Sequence[int], grid: NDArray[np.float64]) -> Drawing:
    """Draw a grid of values (layers, heads)."""
    from chronotope.view.drawing import drawing, plain, svg

    with drawing(0.9 + 0.24 * len(layers)) as (canvas, drawn):
        axes = plain(canvas.add_subplot())
        axes.pcolormesh(grid, cmap="viridis", vmin=0)
        axes.set_yticks([at + 0.5 for at in range(len(layers))], [str(layer) for layer in layers])
        axes.invert_yaxis()
        axes.set_xticks([at + 0.5 for at in range(0, grid.shape[1], max(1, grid.shape[1] // 8))])
        axes.set_xticklabels([str(at) for at in range(0, grid.shape[1], max(1, grid.shape[1] // 8))])
        axes.set_ylabel("layer")
        axes.set_xlabel("head", loc="left")
        canvas.tight_layout(rect=(0, 0, 0.91, 1))
        _scale(canvas, float(grid.max(initial=0.0)))
    return Drawing(name, title, words, svg(drawn, f"{title}; {_TABLES}"))


def _scale(canvas: "Figure", most: float) -> None:
    """Draw the scale of colours as cells.

    The library's own scale is a bitmap, which the page of a report may not show.
    """
    axes = canvas.add_axes((0.93, 0.25, 0.015, 0.5))
    axes.pcolormesh(np.linspace(0, 1, 12)[:, None], cmap="viridis", vmin=0, vmax=1)
    axes.set_xticks([])
    axes.set_yticks([0, 12], ["0", f"{most:.2g} %"])
    axes.yaxis.tick_right()
    axes.spines[:].set_visible(False)

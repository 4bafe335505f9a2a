"""The plots in the papers: differences between conditions, levels, and numbers of frames."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

from chronotope.evaluate.score import Estimate
from chronotope.families import TableFigure
from chronotope.io import canonical_json, sha256_bytes
from chronotope.protocol import Table
from chronotope.report.compared_runs.run_rows import RunRow
from chronotope.report.plots.radar_plot import MOST_SERIES, radar_plot
from chronotope.view.drawing import GRID, INK, drawing, legend_size, look, plain, svg

_FRAMES = ("protocol.settings.frames", "protocol.settings.rate")
_ROW = 0.3  # inches between neighbouring models


@dataclass(frozen=True)
class Figure:
    """A plot with its title and its explanation (``words``)."""

    title: str
    words: str
    svg: str


@dataclass(frozen=True)
class Series:
    """The values of a model, in percent, at the points of a plot.

    A value can be None. ``own`` is true for a run of the report.
    """

    name: str
    values: tuple[float | None, ...]
    own: bool = True


def table_figures(rows: Sequence[RunRow]) -> list[Figure]:
    """Make the plots that the family defines for its tables.

    Each run with an accuracy is one series.
    """
    told = [row for row in rows if row.compared.replied]
    if not told:
        return []
    found: list[Figure] = []
    for figure in told[0].compared.run.family.paper.figures:
        series = [Series(row.plot_name, values_of(figure, row.scores.tables)) for row in told]
        found += [drawn] if (drawn := table_figure(figure, series)) is not None else []
    return found


def values_of(figure: TableFigure, tables: Sequence[Table]) -> tuple[float | None, ...]:
    """Return the values of a run at the points of a plot.

    The values come from the table with the key that the plot names. All values are None if the run has no such table.
    """
    of = next((table for table in tables if table.key == figure.table), None)
    return tuple(None if of is None else _cell(of, point.row, point.column) for point in figure.points)


def _cell(table: Table, row: str | None, column: str) -> float | None:
    if column not in table.columns:
        return None
    line = next((line for line in table.rows if row is None or line[0] == row), None)
    value = None if line is None else line[table.columns.index(column)]
    return float(value) if isinstance(value, int | float) else None


def table_figure(figure: TableFigure, series: Sequence[Series]) -> Figure | None:
    """Plot series of values from tables.

    Returns None if no series has at least two values, or if a radar chart has fewer than three axes.
    """
    told = [one for one in series if sum(value is not None for value in one.values) > 1]
    if not told:
        return None
    if figure.kind == "radar":
        labels = [point.label for point in figure.points]
        radar = radar_plot(figure.title, labels, {one.name: one.values for one in told})
        cut = f" Only the first {MOST_SERIES} of {len(told)} runs are drawn." if len(told) > MOST_SERIES else ""
        return None if radar is None else Figure(figure.title, figure.words + cut, radar)
    drawn = _gaps(figure, told) if figure.kind == "gaps" else _lines(figure, told)
    return Figure(figure.title, figure.words, drawn)


def _gaps(figure: TableFigure, series: Sequence[Series]) -> str:
    """Plot a line for each model, from lowest to highest value.

    Each value has a marker.
    """
    ordered = sorted(series, key=lambda one: _spread(one.values), reverse=True)
    labels = [point.label for point in figure.points]
    legend = legend_size(labels)
    height = _ROW * len(ordered) + 0.7 + legend[1]
    with drawing(height) as (canvas, drawn):
        axes = plain(canvas.add_subplot())
        for place, one in enumerate(ordered):
            known = [value for value in one.values if value is not None]
            axes.plot([min(known), max(known)], [place, place], color=INK, linewidth=2.2 if one.own else 0.9, zorder=1)
        for number, label in enumerate(labels):
            colour, _, marker = look(number)
            at = [(value, place) for place, one in enumerate(ordered) if (value := one.values[number]) is not None]
            axes.scatter(
                [x for x, _ in at], [y for _, y in at], s=42, color=colour, marker=marker, label=label, zorder=2
            )
        axes.set_yticks(range(len(ordered)), [one.name for one in ordered])
        for text, one in zip(axes.get_yticklabels(), ordered, strict=True):
            text.set_fontweight("bold" if one.own and not all(other.own for other in ordered) else "normal")
        axes.set_ylim(len(ordered) - 0.5, -0.5)
        _percent_axis(axes.set_xlim, series)
        axes.grid(axis="x", color=GRID, linewidth=0.8)
        axes.set_axisbelow(True)
        axes.set_xlabel("%", loc="left")
        canvas.legend(*axes.get_legend_handles_labels(), loc="upper left", ncols=legend[0], frameon=False)
        canvas.tight_layout(rect=(0, 0, 1, 1 - legend[1] / height))
    return svg(drawn, f"{figure.title}: the tables show the same numbers.")


def _spread(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return max(known) - min(known)


def _lines(figure: TableFigure, series: Sequence[Series]) -> str:
    """Plot a line for each model over the points, in their order."""
    legend = legend_size([one.name for one in series])
    with drawing(3.2 + legend[1]) as (canvas, drawn):
        axes = plain(canvas.add_subplot())
        for number, one in enumerate(series):
            colour, _, marker = look(number)
            at = [(x, value) for x, value in enumerate(one.values) if value is not None]
            axes.plot(
                [x for x, _ in at], [y for _, y in at], color=colour, marker=marker, linewidth=1.5, label=one.name
            )
        axes.set_xticks(range(len(figure.points)), [point.label for point in figure.points])
        axes.set_xlim(-0.3, len(figure.points) - 0.7)
        _percent_axis(axes.set_ylim, series)
        axes.grid(axis="y", color=GRID, linewidth=0.8)
        axes.set_axisbelow(True)
        axes.set_ylabel("%")
        canvas.legend(*axes.get_legend_handles_labels(), loc="upper left", ncols=legend[0], frameon=False)
        canvas.tight_layout(rect=(0, 0, 1, 1 - legend[1] / (3.2 + legend[1])))
    return svg(drawn, f"{figure.title}: the tables show the same numbers.")


def _percent_axis(limit: object, series: Sequence[Series]) -> None:
    """Set the limits of an axis in percent.

    The axis begins at 0. The axis ends at 100, or at a lower multiple of ten if all values are low.
    """
    most = max(value for one in series for value in one.values if value is not None)
    assert callable(limit)
    limit(-1, min(102, 10 * (int(most) // 10 + 2)))


def frames_figure(rows: Sequence[RunRow], counted: str) -> Figure | None:
    """Plot the accuracy against the number of frames per clip.

    A model has a curve if its runs have different numbers of frames. Returns None if there is no such model.
    """
    curves: dict[str, dict[float, RunRow]] = {}
    for row in rows if len(rows) > 1 else ():
        shown = frames_shown(row)
        if row.counts(counted) and shown is not None:
            curves.setdefault(_otherwise(row), {})[shown] = row
    lines = [dict(sorted(by_frames.items())) for by_frames in curves.values() if len(by_frames) > 1]
    if not lines:
        return None
    named: dict[str, list[tuple[float, Estimate]]] = {}
    for of in lines:
        first = next(iter(of.values()))
        model = first.compared.run.card.model
        name = first.plot_name if model in named else model
        named[name] = [(frames, row.scores.overall) for frames, row in of.items()]
    return Figure(
        "Accuracy by number of frames",
        "Runs of one model that differ only in the number of frames per clip. Whiskers: 95 % intervals by "
        f"{rows[0].scores.cluster}. Dashed: chance.",
        _curves(named),
    )


def _otherwise(row: RunRow) -> str:
    """Return the settings of a run without its number of frames.

    A curve can join runs for which these settings are equal.
    """
    run = row.compared.run
    how = {name: value for name, value in run.card.identified().items() if name not in _FRAMES}
    asked = sorted(f"{one.ask.question} {one.ask.placement} {one.ask.strategy}" for one in run.answered)
    return canonical_json([how, sha256_bytes(canonical_json(asked).encode())])


def frames_shown(row: RunRow) -> float | None:
    """Return the mean number of frames per clip over all asks.

    Returns None if the asks of the run show no clips.
    """
    counts = [len(plan.indices) for one in row.compared.run.answered for plan in one.ask.plans if plan is not None]
    return round(mean(counts), 1) if counts else None


def _curves(curves: Mapping[str, Sequence[tuple[float, Estimate]]]) -> str:
    legend = legend_size(list(curves))
    with drawing(3.2 + legend[1]) as (canvas, drawn):
        axes = plain(canvas.add_subplot())
        for number, (name, at) in enumerate(curves.items()):
            colour, _, marker = look(number)
            x = [frames for frames, _ in at]
            axes.plot(x, [100 * e.value for _, e in at], color=colour, marker=marker, linewidth=1.5, label=name)
            for frames, e in at:
                if e.low is not None and e.high is not None:
                    axes.plot([frames, frames], [100 * e.low, 100 * e.high], color=colour, linewidth=1.2, alpha=0.7)
        chances = [e.chance for at in curves.values() for _, e in at if e.chance is not None]
        if chances:
            axes.axhline(100 * mean(chances), color=INK, linewidth=1, linestyle="--")
        every = sorted({frames for at in curves.values() for frames, _ in at})
        axes.set_xscale("log")
        axes.set_xticks(every, [f"{frames:g}" for frames in every])
        axes.minorticks_off()
        axes.set_ylim(0, 102)
        axes.grid(axis="y", color=GRID, linewidth=0.8)
        axes.set_axisbelow(True)
        axes.set_xlabel("frames per clip", loc="left")
        axes.set_ylabel("accuracy, %")
        canvas.legend(*axes.get_legend_handles_labels(), loc="upper left", ncols=legend[0], frameon=False)
        canvas.tight_layout(rect=(0, 0, 1, 1 - legend[1] / (3.2 + legend[1])))
    return svg(drawn, "Accuracy in percent by number of frames; the table shows the same numbers.")

"""Plots with one panel for each task: accuracy by model size, and by strategy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from chronotope.evaluate.score import Estimate
from chronotope.view.drawing import GRID, INK, drawing, legend_size, look, plain, svg

_COLUMNS = 3
_PANEL = 2.7  # inches high
_TICKS = (0, 25, 50, 75, 100)
_LEAST, _MOST = 25, 300  # least and largest area of a marker, in square points


@dataclass(frozen=True)
class Point:
    """A model in a plot: its series, its size, and its accuracies.

    ``size`` is in billions of parameters, or None if it is unknown. ``tasks`` maps each task to its accuracy.
    """

    series: str
    size: float | None
    tasks: Mapping[str, Estimate]


def scaling_plot(
    tasks: Sequence[str], points: Sequence[Point], chance: Mapping[str, float], series: Sequence[str]
) -> str | None:
    """Plot accuracy in percent over the number of parameters.

    Each series has one line. A dashed line marks chance. The position of a series in ``series`` determines its colour
    and its marker, so that a series looks the same in several plots. Returns None if there are fewer than two sizes.
    """
    sized = sorted(((point.size, point) for point in points if point.size is not None), key=lambda both: both[0])
    sizes = sorted({size for size, _ in sized})
    if len(sizes) < 2:
        return None
    drawn_series = {point.series for _, point in sized}
    names = {name: look(number) for number, name in enumerate(series) if name in drawn_series}
    legend, rows = legend_size(list(names)), -(-len(tasks) // _COLUMNS)
    with drawing(_PANEL * rows + legend[1]) as (figure, drawn):
        for place, task in enumerate(tasks):
            axes = _panel(figure, tasks, place)
            for name, (colour, _, marker) in names.items():
                line = [(size, point.tasks[task].value) for size, point in sized if _in(point, name, task)]
                x, y = [size for size, _ in line], [100 * value for _, value in line]
                axes.plot(x, y, color=colour, marker=marker, markersize=5, linewidth=1.3)
            if task in chance:
                axes.axhline(100 * chance[task], color=INK, linewidth=1, linestyle="--")
            _log_sizes(axes, sizes)
            axes.set_ylim(0, 100)
            axes.set_xlabel("billions of parameters", loc="left")
            if place % _COLUMNS == 0:
                axes.set_ylabel("accuracy, % (dashed: chance)")
        _legend(figure, names, legend)
    return svg(drawn, "Accuracy in percent by number of parameters, by task; the table shows the numbers.")


def strategy_plot(
    tasks: Sequence[str],
    first: tuple[str, Sequence[Point]],
    other: tuple[str, Sequence[Point]],
    series: Sequence[str],
) -> str | None:
    """Plot the accuracy of one strategy (x) against another (y).

    The accuracies are in percent. ``first`` and ``other`` contain the same models in the same order. For points above
    the diagonal, the strategy of the y axis is better. The area of a marker grows with the size of the model. A hollow
    marker means that the size is unknown. ``series`` has the same meaning as in ``scaling_plot``. Returns None if there
    are no models.
    """
    (x_name, x_points), (y_name, y_points) = first, other
    if not x_points:
        return None
    drawn_series = {point.series for point in x_points}
    names = {name: look(number) for number, name in enumerate(series) if name in drawn_series}
    legend, rows = legend_size(list(names)), -(-len(tasks) // _COLUMNS)
    # The largest marker first, so that no small marker is hidden.
    pairs = sorted(zip(x_points, y_points, strict=True), key=lambda both: -(both[0].size or 0.0))
    largest = max((point.size for point in x_points if point.size is not None), default=1.0)
    with drawing(_PANEL * rows + legend[1]) as (figure, drawn):
        for place, task in enumerate(tasks):
            axes = _panel(figure, tasks, place)
            axes.plot([0, 100], [0, 100], color=INK, linewidth=1, linestyle="--", zorder=1)
            for x, y in pairs:
                if task in x.tasks and task in y.tasks:
                    colour, _, marker = names[x.series]
                    axes.scatter(
                        [100 * x.tasks[task].value],
                        [100 * y.tasks[task].value],
                        s=_LEAST if x.size is None else max(_LEAST, _MOST * x.size / largest),
                        facecolors="none" if x.size is None else colour,
                        edgecolors=colour if x.size is None else "white",
                        linewidths=1.3 if x.size is None else 0.7,
                        marker=marker,
                        alpha=0.85,
                        zorder=2,
                    )
            axes.set(xlim=(0, 100), ylim=(0, 100), xticks=_TICKS, yticks=_TICKS)
            axes.set_xlabel(f"{x_name}, %", loc="left")
            if place % _COLUMNS == 0:
                axes.set_ylabel(f"{y_name}, %")
        _legend(figure, names, legend)
    return svg(drawn, f"Accuracy in percent, {x_name} against {y_name}, by task; the table shows the numbers.")


def _in(point: Point, name: str, task: str) -> bool:
    return point.series == name and task in point.tasks


def _panel(figure: Figure, tasks: Sequence[str], place: int) -> Axes:
    """Return the axes of one task, with the task as title."""
    axes = plain(figure.add_subplot(-(-len(tasks) // _COLUMNS), _COLUMNS, place + 1))
    axes.set_title(tasks[place], loc="left", fontsize=10, fontweight="bold")
    axes.grid(color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    return axes


def _log_sizes(axes: Axes, sizes: Sequence[float]) -> None:
    """Make a logarithmic axis with ticks at the sizes of the models.

    Ticks that are too close to each other are omitted.
    """
    axes.set_xscale("log")
    ticks: list[float] = []
    for size in sizes:
        if not ticks or size / ticks[-1] >= (sizes[-1] / sizes[0]) ** (1 / 6):
            ticks.append(size)
    axes.set_xticks(ticks, [f"{size:g}" for size in ticks])
    axes.minorticks_off()
    axes.set_xlim(sizes[0] / 1.2, sizes[-1] * 1.2)


def _legend(figure: Figure, names: Mapping[str, tuple[str, str, str]], size: tuple[int, float]) -> None:
    """Draw the legend, and fit the panels below the legend."""
    columns, height = size
    handles = [
        Line2D([], [], color=colour, marker=marker, linestyle="none", label=name)
        for name, (colour, _, marker) in names.items()
    ]
    figure.legend(handles=handles, loc="upper left", ncols=columns, frameon=False)
    figure.tight_layout(rect=(0, 0, 1, 1 - height / figure.get_figheight()))

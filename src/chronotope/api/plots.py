"""A plot of the scores of one or more runs, for notebooks and papers."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from chronotope.api.checked_settings import as_path
from chronotope.errors import InputError
from chronotope.question import one_of
from chronotope.view.drawing import GRID, INK, look, plain

WIDTH, ROW = 7.5, 0.24  # inches: width of the figure, height of a marker's row
ENDINGS = (".svg", ".pdf", ".png")


@dataclass(frozen=True)
class Plot:
    """A drawn figure, which shows itself in a notebook.

    ``figure`` is a `matplotlib.figure.Figure`, which can be changed.
    """

    figure: Figure

    def save(self, path: Path | str) -> Path:
        """Write the figure as .svg, .pdf or .png; return its path.

        Raises:
            InputError: If the path has another ending, or cannot be written.
        """
        path = as_path(path, "path")
        if path.suffix.lower() not in ENDINGS:
            raise InputError(f"found {path.name!r}", where="path", expected=f"a name that ends in {', '.join(ENDINGS)}")
        try:
            self.figure.savefig(path, bbox_inches="tight", dpi=200)
        except OSError as error:
            raise InputError(
                f"cannot be written ({error.strerror or error})", where=str(path), fix="name another path"
            ) from None
        return path

    def _repr_svg_(self) -> str:
        drawn = io.StringIO()
        self.figure.savefig(drawn, format="svg", bbox_inches="tight")
        return drawn.getvalue()


def plot_scores(rows: Mapping[str, Sequence[Mapping[str, Any]]], group: str) -> Plot:
    """Draw accuracy with 95 % intervals for each run.

    ``group`` is a group of scores, such as ``task``. ``rows`` maps the name of a run to its rows of scores
    (`chronotope.view.score_rows.score_rows`). A grey tick shows chance.

    Raises:
        InputError: If no run has scores of this group.
    """
    ours = {run: {row["name"]: row for row in of if row["group"] == group} for run, of in rows.items()}
    names = list(dict.fromkeys(name for of in ours.values() for name in of))
    if not names:
        groups = list(dict.fromkeys(row["group"] for of in rows.values() for row in of))
        expected = one_of(groups) if groups else "a run with at least one reply"
        raise InputError(f"no scores by {group!r}", where="group", expected=expected)
    figure = Figure(figsize=(WIDTH, 0.9 + ROW * len(names) * (len(ours) + 0.6)), facecolor="white")
    FigureCanvasAgg(figure)
    axes = plain(figure.add_subplot())
    spread = 0.7 / len(ours)
    for number, (run, of) in enumerate(ours.items()):
        colour, _, marker = look(number)
        offset = (number - (len(ours) - 1) / 2) * spread
        places = [(place + offset, of[name]) for place, name in enumerate(names) if name in of]
        for y, one in places:
            if one["low"] is not None and one["high"] is not None:
                axes.plot([100 * one["low"], 100 * one["high"]], [y, y], color=colour, linewidth=1.6, alpha=0.7)
            if one["chance"] is not None:
                axes.plot(
                    [100 * one["chance"]] * 2, [y - spread / 2, y + spread / 2], color=INK, linewidth=1, alpha=0.6
                )
        values, heights = [100 * one["value"] for _, one in places], [y for y, _ in places]
        axes.plot(values, heights, marker, color=colour, markersize=6, label=run, clip_on=False)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlim(0, 102)
    axes.grid(axis="x", color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_xlabel("accuracy, % (line: 95 % interval; grey tick: chance)", loc="left")
    if len(ours) > 1:
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), frameon=False, ncols=min(3, len(ours)))
    else:
        axes.set_title(next(iter(ours)), loc="left", fontsize=10)
    return Plot(figure)

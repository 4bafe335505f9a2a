"""``chronotope report``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.markup import escape
from rich.table import Table

from chronotope.cli.console import PROBLEM, command, emit_json, note, out, progress_bar

if TYPE_CHECKING:
    from chronotope.report import Against, AgainstRow, AgainstTable

__all__ = ["report_command"]


_NOT_EXPORTED = (
    "are in no result file, which has one plain answer to each question: blind asks, variants, other orders of the "
    "options"
)


@command
def report_command(
    runs: Annotated[
        list[Path], typer.Argument(help="run folders, as `chronotope run` made them, or folders that hold such")
    ],
    out_folder: Annotated[Path, typer.Option("--out", help="the report folder to make")],
    frames: Annotated[
        str, typer.Option(help="whose frames to show: wrong (by some run), sample:200, all or none")
    ] = "wrong",
    against: Annotated[
        Literal["paper"] | None, typer.Option(help="show the runs among the rows that their paper published")
    ] = None,
    export: Annotated[
        Path | None, typer.Option(help="a folder for the runs as result files of their paper's authors (ikea)")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print where it is and the scores as JSON")] = False,
) -> None:
    """Compare runs in a report that opens from disk: scores, plots, and every question with the frames sent.

    Example: chronotope report runs --out report

    Example: chronotope report runs/sti-bench-* --out report --against paper
    """
    # Not at the top: the plots' library takes a second to import, and no other command needs it.
    from chronotope.report import export_results, parse_frames, write_report

    folders = [run for folder in runs for run in _runs_in(folder)]
    exported, not_exported = export_results(folders, export) if export is not None else ([], 0)
    if not_exported:
        note(f"{not_exported} asks {_NOT_EXPORTED}", "yellow")
    with progress_bar("writing the report") as advance:
        shown = parse_frames(frames)
        report = write_report(folders, out_folder, shown, advance, against_paper=against == "paper")
    for words in report.notes:
        note(words, "dim")
    for problem in report.problems[:5]:
        note(problem, "yellow")
    if as_json:
        emit_json(
            {
                "index": str(report.index),
                # Where nothing was replied, there is no accuracy.
                "accuracy": {
                    name: scores.overall.value if scores.states.get("replied") else None
                    for name, scores in report.scores.items()
                },
                "problems": list(report.problems),
                "notes": list(report.notes),
                "against": [_plain(one) for one in report.against],
                "exported": list(map(str, exported)),
            }
        )
    else:
        for one in report.against:
            _tell(one)
        for file in exported:
            out.print(str(file), markup=False)
        out.print(str(report.index.absolute()), markup=False)
    if report.problems:
        raise typer.Exit(PROBLEM)


def _runs_in(folder: Path) -> list[Path]:
    """The folder, or in place of one that is no run the runs right inside it, by name."""
    inside = [] if (folder / "run.yaml").exists() else sorted(card.parent for card in folder.glob("[!.]*/run.yaml"))
    return inside or [folder]


def _plain(against: "Against") -> dict[str, Any]:
    """The published tables with the runs, for programs: figures with the decimals of the tables."""
    return {
        "family": against.family,
        "paper": against.paper,
        "tables": [
            {
                "source": one.source,
                "title": one.title,
                "questions": {column.name: column.questions for column in one.columns},
                "rows": [_plain_row(one, row) for row in one.rows],
                "apart": [_plain_row(one, row) | {"because": list(row.why)} for row in one.apart],
                "misprints": dict(one.footnotes),
                "notes": [{"about": about, "note": text} for about, text in one.notes],
            }
            for one in against.tables
        ],
    }


def _plain_row(of: "AgainstTable", row: "AgainstRow") -> dict[str, Any]:
    cells = {column.name: cell for column, cell in zip(of.columns, row.cells, strict=True)}
    return {
        "model": row.name,
        "own": row.own is not None,
        "rank": row.rank,
        "frames": row.frames,
        "values": {name: cell.value for name, cell in cells.items()},
        "misprints": {name: cell.mark for name, cell in cells.items() if cell.mark},
    }


def _tell(against: "Against") -> None:
    """The same for people: own rows have an arrow, misprints a letter that is explained below their table."""
    for one in against.tables:
        # No lines and little air: nine columns of figures and whole names of models in 80 characters.
        title = f"{against.family}: {one.title}, {one.source} of the paper"
        drawn = Table(title=title, title_justify="left", title_style="bold", box=None, padding=(0, 1, 0, 0))
        drawn.add_column("", justify="right")
        drawn.add_column("model", overflow="fold")
        for column in one.columns:
            asked = f"\n{column.questions:,} q" if column.questions is not None else ""
            drawn.add_column(f"{column.short or column.name}{asked}", justify="right", no_wrap=True)
        every = (*one.rows, *one.apart)
        # Where a column has a letter, the other figures leave room for one, so that points stand below each other.
        rooms = [" " if any(row.cells[place].mark for row in every) else "" for place in range(len(one.columns))]
        for row in every:
            if one.apart and row is one.apart[0]:
                drawn.add_row("", "not comparable:")
            cells = [f"{cell.text}{cell.mark or room}" for cell, room in zip(row.cells, rooms, strict=True)]
            place = f"{'→' if row.own else ''}{row.rank or ''}"
            drawn.add_row(place, escape(row.name), *cells, style="bold" if row.own else None)
        out.print(drawn)
        for mark, text in one.footnotes:
            out.print(f"{mark} {text}", markup=False, style="dim")
        for about, text in one.notes:
            out.print(f"{about}: {text}" if about else text, markup=False, style="dim")
        for row in one.rows:
            if row.own:
                told = "; ".join([f"frames: {row.frames}", *(mark.words for mark in row.own.marks)])
                out.print(f"→ {row.name}: {told}", markup=False)
        for row in one.apart:
            out.print(f"→ {row.name} is not comparable: {'; '.join(row.why)}", markup=False, style="yellow")
        out.print()

"""The command ``chronotope report``."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from chronotope.cli.console import PROBLEM, command, emit_json, note, out, progress_bar, table
from chronotope.cli.published_tables import name_tables
from chronotope.cli.scores import print_accuracies, run_scores

if TYPE_CHECKING:
    from chronotope.api.comparing import WrittenReport
    from chronotope.api.vocabulary import Against, Estimate, Overview, Report

_NOT_EXPORTED = (
    "cannot be exported, because a result file has one answer per question: asks without pictures or with changed "
    "media, variants, other orders of the options"
)


@command
def report_command(
    runs: Annotated[
        list[Path],
        typer.Argument(
            help="folders of runs, folders that contain such folders, or folders made by `chronotope probe`"
        ),
    ],
    out_folder: Annotated[Path, typer.Option("--out", help="the report folder to make")] = Path("report"),
    frames: Annotated[
        str,
        typer.Option(help="questions to show with frames: wrong (in at least one run), sample:200, all or none"),
    ] = "wrong",
    against: Annotated[
        Literal["paper"] | None, typer.Option(help="paper: compare the runs with the published rows of their paper")
    ] = None,
    export: Annotated[
        Path | None, typer.Option(help="a folder for result files in the format of the paper's authors (ikea)")
    ] = None,
    formats: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="csv, parquet, latex, inspect, or several separated by commas: write the scores, and each question "
            "with its answers (not in LaTeX), into the folder tables of the report; inspect writes each run as a log "
            "for the viewer of Inspect",
        ),
    ] = None,
    single_file: Annotated[
        bool,
        typer.Option(
            "--single-file",
            help="also write the page as one file with all its pictures, report.html, to send to others",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print the report's path and all scores as JSON")] = False,
) -> None:
    """Compare runs in a report for the browser: scores, plots, and every question with the frames sent.

    Example: chronotope report runs/sti-bench-* --out report --against paper

    Example: chronotope report runs --out report --format csv,latex

    Example: chronotope report runs probe --out report

    Example: chronotope report runs --out report --single-file
    """
    # Imported here because the library for plots takes a second to load, and no other command needs it.
    from chronotope.api.comparing import make_report

    with progress_bar("writing the report") as advance:
        made = make_report(
            runs, out_folder, frames=frames, against_paper=against == "paper", formats=formats, export=export,
            single_file=single_file, progress=advance,
        )  # fmt: skip
    if made.not_exported:
        note(f"{made.not_exported} asks {_NOT_EXPORTED}", "yellow")
    _tell_all(made, as_json)


def _tell_all(made: "WrittenReport", as_json: bool) -> None:
    """Print a report; exit with a failure if it has problems."""
    report = made.report
    for words in report.notes:
        note(words, "dim")
    for problem in report.problems[:5]:
        note(problem, "yellow")
    if as_json:
        emit_json(made.plain())
    else:
        tell_report(report, made.exported)
    if report.problems:
        raise typer.Exit(PROBLEM)


def tell_report(report: "Report", exported: Sequence[Path] = ()) -> None:
    """Print the scores of a report, and the paths of its files."""
    if report.overview is not None:
        _tell_findings(report.overview)
    if len(report.sections) == 1:
        [section] = report.sections
        results = [
            run_scores(row.compared.name, row.compared.scores, sees=row.compared.run.looked is not False)
            for row in section.rows
        ]
        print_accuracies(results, section.name)
    elif report.overview is not None:
        _tell_runs(report.overview)
    for one in report.against:
        _tell(one)
    single = () if report.single is None else (report.single.absolute(),)
    for file in (*exported, *report.tables, *single):
        out.print(str(file), markup=False)
    out.print(str(report.index.absolute()), markup=False)


def _tell_findings(overview: "Overview") -> None:
    """Print the findings, the clearest first."""
    several = len(overview.findings) > 1
    for place, one in enumerate(overview.findings):
        out.print(f"{one.benchmark}: {one.said}" if several else one.said, markup=False, style="bold")
        if place == 0 or not several:
            out.print(" ".join(one.more), markup=False)


def _tell_runs(overview: "Overview") -> None:
    """Print the accuracy of each model on each benchmark."""
    from chronotope.view.words import interval, percent

    def words(cell: "Estimate | str") -> str:
        if isinstance(cell, str):
            return cell
        return percent(cell.value) + ("" if cell.low is None else f" ({interval(cell)})")

    rows = [[" ".join([line.title, *line.row.told]), *map(words, line.cells)] for line in overview.lines]
    table("Accuracy, % (95 % interval)", ["model", *overview.columns], rows)


def _tell(against: "Against") -> None:
    """Print the published tables with the rows of runs.

    An arrow marks the rows of runs. A letter marks a misprint, which is explained below the table.
    """
    for one in against.tables:
        every = (*one.rows, *one.apart)
        heads = [
            (column.short or column.name) + (f"\n{column.questions:,} q" if column.questions is not None else "")
            for column in one.columns
        ]
        # If a figure of a column has a letter, the other figures get a space, so that decimal points are aligned.
        rooms = [" " if any(row.cells[place].mark for row in every) else "" for place in range(len(one.columns))]
        rows: list[list[str]] = []
        for row in every:
            if one.apart and row is one.apart[0]:
                rows.append(["", "not comparable:", *("" for _ in one.columns)])
            cells = [f"{cell.text}{cell.mark or room}" for cell, room in zip(row.cells, rooms, strict=True)]
            rows.append([f"{'→' if row.own else ''}{row.rank or ''}", row.name, *cells])
        own = [number for number, row in enumerate(rows) if row[0].startswith("→")]
        title = f"{against.family}: {one.title}, {one.source} of the paper"
        # No lines and narrow gaps: nine columns of figures and full names of models must fit into 80 characters.
        table(title, ["", "model", *heads], rows, words=(1,), names=2, lines=False, bold=own)
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
    name_tables(against.printed)

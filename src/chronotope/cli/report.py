"""``chronotope report``."""

from pathlib import Path
from typing import Annotated

import typer

from chronotope.cli.console import PROBLEM, command, emit_json, note, out, progress_bar

__all__ = ["report_command"]


@command
def report_command(
    runs: Annotated[list[Path], typer.Argument(help="run folders, as `chronotope run` made them")],
    out_folder: Annotated[Path, typer.Option("--out", help="the report folder to make")],
    frames: Annotated[
        str, typer.Option(help="whose frames to show: wrong (by some run), sample:200, all or none")
    ] = "wrong",
    as_json: Annotated[bool, typer.Option("--json", help="print where it is and the scores as JSON")] = False,
) -> None:
    """Compare runs in a report that opens from disk: scores, plots, and every question with the frames sent.

    Example: chronotope report runs/bench-* --out report
    """
    # Not at the top: the plots' library takes a second to import, and no other command needs it.
    from chronotope.report import parse_frames, write_report

    with progress_bar("writing the report") as advance:
        report = write_report(runs, out_folder, parse_frames(frames), advance)
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
            }
        )
    else:
        out.print(str(report.index.absolute()), markup=False)
    if report.problems:
        raise typer.Exit(PROBLEM)

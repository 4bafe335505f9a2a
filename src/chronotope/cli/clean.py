"""The command ``chronotope clean``."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from chronotope.api.making import clean
from chronotope.cli.console import PROBLEM, command, emit_json, note, out, progress_bar
from chronotope.cli.paths import existing


@command
def clean_command(
    diagrams: Annotated[
        Path, typer.Argument(help="a folder with diagrams, also in subfolders; the diagrams are not changed")
    ],
    out_folder: Annotated[Path, typer.Option("--out", help="the folder for the cleaned diagrams, with the same paths")],
    sheet: Annotated[
        Path | None, typer.Option(help="a folder for comparison sheets: the diagram, the mask, and the cleaned diagram")
    ] = None,
    keep_going: Annotated[bool, typer.Option("--keep-going", help="skip diagrams that cannot be read")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print the summary as JSON")] = False,
) -> None:
    """Remove the printed step numbers from assembly diagrams. Step numbers reveal the order of the steps.

    `chronotope build ikea` does this automatically. Use this command to see the numbers that are removed.

    Example: chronotope clean manual_img --out cleaned --sheet sheets
    """
    with progress_bar("cleaning") as advance:
        report = clean(existing(diagrams), out_folder, sheet=sheet, keep_going=keep_going, progress=advance)
    if as_json:
        emit_json(
            {
                "folder": str(out_folder),
                "written": report.written,
                "files": [asdict(file) for file in report.files],
                "unreadable": list(report.unreadable),
                "sheets": [str(page) for page in report.pages],
            }
        )
    else:
        for sentence in report.unreadable:
            note(f"left out: {sentence}", "yellow")
        cleaned = sum(bool(file.numbers) for file in report.files)
        out.print(
            f"{len(report.files)} diagrams, {report.numbers} printed numbers removed from {cleaned} of them "
            f"({report.written} written now)",
        )
        for page in report.pages:
            out.print(f"sheet: {page}")
        out.print(f"{out_folder} is ready")
    if report.unreadable:
        raise typer.Exit(PROBLEM)

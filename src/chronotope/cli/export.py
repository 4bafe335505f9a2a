"""The command ``chronotope export``."""

from pathlib import Path
from typing import Annotated

import typer

from chronotope.api.making import export_release
from chronotope.cli.console import command, emit_json, note, out, progress_bar
from chronotope.cli.paths import existing


@command
def export_command(
    benchmark: Annotated[Path, typer.Argument(help="a benchmark folder of M3-Verse")],
    out_folder: Annotated[Path, typer.Option("--out", help="the folder to make")],
    pictures: Annotated[
        bool, typer.Option(help="also write each frame of the videos as a picture, which the authors' scripts read")
    ] = True,
    as_json: Annotated[bool, typer.Option("--json", help="print the result as JSON")] = False,
) -> None:
    """Write a benchmark in the layout of its paper's authors, so that their own scripts run on it.

    Example: chronotope export homes --out homes-as-released

    Example: chronotope export homes --out homes-as-released --no-pictures
    """
    existing(benchmark)
    with progress_bar("exporting") as advance:
        notes = export_release(benchmark, out_folder, pictures=pictures, progress=advance)
    if as_json:
        emit_json({"folder": str(out_folder), "notes": list(notes)})
        return
    for text in notes:
        note(text, "dim")
    out.print(f"{out_folder} is ready", markup=False)

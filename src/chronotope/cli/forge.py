"""The command ``chronotope forge``."""

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from chronotope.api.making import forge
from chronotope.cli.console import PROBLEM, command, emit_json, note, out, progress_bar, table


def _forge(
    source: Annotated[
        Path,
        typer.Argument(help="a furniture library of Sweet Home 3D (.sh3f, .jar, .zip), or a folder of libraries"),
    ],
    out_folder: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="the folder of assets to make, or to continue (default: CHRONOTOPE_ASSETS, or one in the user's data "
            "folder; homes that are built without --quality use it)",
        ),
    ] = None,
    models: Annotated[
        Path | None,
        typer.Option(help="a JSON table of models by object type, for other libraries (default: the built-in table)"),
    ] = None,
    keep_going: Annotated[bool, typer.Option("--keep-going", help="leave out models that are broken")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print the summary as JSON")] = False,
) -> None:
    """Make furniture for simulated homes, vehicles and street furniture from libraries of Sweet Home 3D.

    Each model gets few triangles. Furniture of homes gets plain colours; vehicles keep pictures, with blank number
    plates. The folder names the licence and the author of each; so do the recordings of homes that use them.
    `chronotope build sti world:house:4 --out homes --assets assets` uses them.

    Example: chronotope forge /usr/share/sweethome3d/furniture

    Example: chronotope forge /usr/share/sweethome3d/furniture --out assets

    Example: chronotope forge my-library.sh3f --out assets --models my-models.json --keep-going
    """
    with progress_bar("forging") as advance:
        made = forge(source, out_folder, models=models, keep_going=keep_going, progress=advance)
    if as_json:
        emit_json(
            {
                "folder": str(made.folder),
                "new": made.new,
                "assets": [entry.model_dump(mode="json") for entry in made.entries],
                "left_out": made.left_out,
            }
        )
    else:
        for name, reason in made.left_out.items():
            note(f"left out: {name}: {reason}", "yellow")
        types = Counter(entry.type for entry in made.entries)
        licences = Counter(entry.licence for entry in made.entries)
        table("Licences", ["licence", "assets"], [[name, str(count)] for name, count in sorted(licences.items())])
        out.print(f"{len(made.entries)} assets of {len(types)} object types ({made.new} made now)")
        out.print(f"{made.folder} is ready")
    if made.left_out:
        raise typer.Exit(PROBLEM)


forge_command = command(_forge, "finished assets are kept; the same command makes the others")

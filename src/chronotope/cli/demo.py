"""The command ``chronotope demo``: all steps, without an account, a GPU or a data set."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from chronotope.api.demo_steps import demo
from chronotope.cli.console import command, emit_json, note, out


@command
def demo_command(
    folder: Annotated[Path, typer.Option("--out", help="the output folder")] = Path("chronotope-demo"),
    full: Annotated[
        bool,
        typer.Option(
            "--full", help="build more simulated scenes in the best quality, with more questions (takes much longer)"
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print only the path of the report, as JSON")] = False,
) -> None:
    """Build three small benchmarks of tables and homes, ask baselines, and write a report.

    The demo prints each command before it runs it, so that you can type the commands yourself. If you stop the demo,
    the same command continues it.

    Example: chronotope demo --out chronotope-demo
    """
    page = demo(folder, full=full, say=_say_aside if as_json else _say, aside=as_json)
    if as_json:
        emit_json({"report": str(page), "benchmark": str(folder / "bench")})
    else:
        out.print(f"\nThe report is ready: open {page}", style="bold green")
        missing = "" if find_spec("fastapi") else " (first: pip install 'chronotope[play]')"
        out.print(
            f"Answer ten of its questions yourself{missing}: chronotope play {folder / 'bench'} --limit 10 --reveal"
        )


def _say(text: str) -> None:
    out.print(f"\n$ {text}", style="bold")


def _say_aside(text: str) -> None:
    note(f"$ {text}")

"""The command ``chronotope export``."""

from pathlib import Path
from typing import Annotated, Any

import typer

from chronotope.api.exporting import Form, export
from chronotope.api.vocabulary import AskSettings, families, family, read_card
from chronotope.cli.console import command, emit_json, note, out, progress_bar
from chronotope.cli.family_help import FamilyCommand
from chronotope.cli.flags import checked_fields, given_fields, with_flags
from chronotope.cli.paths import existing

_ASK = "What to ask, in a suite (inspect, lmms-eval, vlmevalkit)"
_ONCE = ("placement", "clips", "frames_as")  # a task asks each question once, with pictures


def _export(
    benchmark: Annotated[Path, typer.Argument(help="a benchmark folder")],
    out_folder: Annotated[Path, typer.Option("--out", help="the folder to make")],
    to: Annotated[
        Form | None,
        typer.Option(
            help="authors: the layout of the paper's authors (M3-Verse only); hf: a folder that the library datasets "
            "and a hub read; the others are suites, for which a task is written (default: authors for M3-Verse, "
            "otherwise hf)"
        ),
    ] = None,
    pictures: Annotated[
        bool,
        typer.Option(
            help="with --to authors: also write each frame of the videos as a picture, which the authors' scripts read"
        ),
    ] = True,
    task: Annotated[list[str] | None, typer.Option(help="only this task; repeatable", rich_help_panel=_ASK)] = None,
    variant: Annotated[
        str, typer.Option(help="one of base, none_distractor, none_answer", rich_help_panel=_ASK)
    ] = "base",
    limit: Annotated[
        int | None, typer.Option(min=1, help="maximum number of questions, balanced over clips", rich_help_panel=_ASK)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print the result as JSON")] = False,
    **fields: Any,
) -> None:
    """Write a benchmark for other programs: in the layout of its paper's authors, or as a task of another suite.

    A task has the prompts, frames and reader of our protocol, so its score is the score of chronotope run.

    Example: chronotope export homes --out homes-as-released

    Example: chronotope export bench --to hf --out bench-hf

    Example: chronotope export bench --to inspect --out bench-inspect

    Example: chronotope export bench --to inspect --frames 8 --limit 100 --out bench-inspect
    """
    chosen = family(read_card(existing(benchmark) / "card.yaml").family)
    settings = checked_fields(chosen.RunSettings, given_fields(fields), f"family {chosen.name}")
    with progress_bar("exporting") as advance:
        made = export(
            benchmark, out_folder, to=to, pictures=pictures, tasks=task or (), variants=variant,
            limit=limit, progress=advance, **settings,
        )  # fmt: skip
    if as_json:
        about = {"questions": made.questions, "command": made.command}
        told = {name: value for name, value in about.items() if value is not None}
        emit_json({"folder": str(out_folder), "notes": list(made.notes)} | told)
        return
    for text in made.notes:
        note(text, "dim")
    if made.command is not None:
        place = out_folder.resolve()  # the command is that of README.md, which holds in the folder above
        short = made.command.replace(str(out_folder), place.name) if out_folder.name else made.command
        within = place.parent if out_folder.name else place
        told = f"{made.questions} questions; README.md says how to run them, and what to put for MODEL, URL and KEY"
        note(f"{told}. The command, to run in {within}:\n  {short}", "dim")
    out.print(f"{out_folder} is ready", markup=False)


export_command = command(
    with_flags(
        _export,
        {_ASK: AskSettings} | {f"Protocol of {f.name}": f.RunSettings for f in families().values()},
        leave_out=_ONCE,
    )
)
export_command.command_class = FamilyCommand  # type: ignore[attr-defined]

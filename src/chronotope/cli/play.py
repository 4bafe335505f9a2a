"""The command ``chronotope play``."""

from pathlib import Path
from typing import Annotated, Any

import typer

import chronotope.api as ct
from chronotope.api.vocabulary import AskSettings, families, family
from chronotope.cli.console import command, emit_json, note, out
from chronotope.cli.family_help import FamilyCommand
from chronotope.cli.flags import checked_fields, given_fields, variants_of, with_flags
from chronotope.cli.paths import existing
from chronotope.cli.scores import print_accuracies, scores_json

_ASK = "What to ask"


def _play(
    benchmark: Annotated[Path, typer.Argument(help="a benchmark folder")],
    name: Annotated[str | None, typer.Option(help="your name in the run human/NAME (default: the user's name)")] = None,
    reveal: Annotated[bool, typer.Option("--reveal", help="show the truth after each answer")] = False,
    clip: Annotated[
        bool, typer.Option("--clip/--no-clip", help="let me play the clips, not only see the frames of a model")
    ] = True,
    out_folder: Annotated[Path | None, typer.Option("--out", help="the run folder (default: runs/…)")] = None,
    task: Annotated[list[str] | None, typer.Option(help="only this task; repeatable", rich_help_panel=_ASK)] = None,
    variant: Annotated[
        str, typer.Option(help="all, or one or more of base, none_distractor, none_answer, open", rich_help_panel=_ASK)
    ] = "base",
    limit: Annotated[
        int | None, typer.Option(min=1, help="maximum number of questions, balanced over clips", rich_help_panel=_ASK)
    ] = None,
    question: Annotated[
        list[str] | None, typer.Option(help="only the question with this id; repeatable", rich_help_panel=_ASK)
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="the port of the page (0: any free port)")] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="open the page in the browser")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="print the result as JSON")] = False,
    **fields: Any,
) -> None:
    """Answer the questions yourself, in the browser, with the frames that a model would be shown.

    Keys 1 to 9 choose an option. At the end, your accuracy is shown beside the runs that are there. Your answers are a
    run like any other (human/NAME); the same command continues it.

    Example: chronotope play bench --limit 10 --reveal

    Example: chronotope play bench --task "Spatial Relation" --name ada --no-clip

    Example: chronotope play bench --no-browser --port 8765
    """
    opened = ct.open(existing(benchmark))
    chosen = family(opened.card.family)
    settings = checked_fields(chosen.RunSettings, given_fields(fields), f"family {chosen.name}")
    run = ct.play(
        opened, name=name, reveal=reveal, clip=clip, out=out_folder, tasks=task or (), variants=variants_of(variant),
        limit=limit, questions=question or None, port=port, browser=browser, say=_say, **settings,
    )  # fmt: skip
    _tell(run, as_json=as_json)


def _say(sentence: str) -> None:
    note(sentence)
    note("Press Ctrl-C here, or finish on the page, to stop the server; every answer is stored at once.", "dim")


def _tell(run: ct.Run, *, as_json: bool) -> None:
    scores = run.computed()
    result = {
        "model": run.results().card.model,
        "folder": str(run.folder),
        "states": scores.states,
    } | scores_json(scores, shown="replied" in scores.states)
    if as_json:
        emit_json(result)
        return
    print_accuracies([result])
    left = scores.states.get("not_asked", 0)
    if left:
        note(f"{left} questions are left: the same command continues", "dim")
    out.print(str(run.folder), markup=False)


play_command = command(
    with_flags(_play, {_ASK: AskSettings} | {f"Protocol of {f.name}": f.RunSettings for f in families().values()}),
    stopped="run the same command again; every answer is stored",
)
play_command.command_class = FamilyCommand  # type: ignore[attr-defined]

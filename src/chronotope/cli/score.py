"""The command ``chronotope score``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chronotope.api.vocabulary import (
    AskSettings,
    Selection,
    families,
    family,
    import_replies,
    open_benchmark,
    open_run,
    score_run,
)
from chronotope.cli.console import PROBLEM, command, emit_json, note, out
from chronotope.cli.family_help import FamilyCommand
from chronotope.cli.flags import validated, with_flags
from chronotope.cli.judging import JUDGING, Judging, judge_answers, judging_json, take_judging, tell_judging
from chronotope.cli.paths import existing
from chronotope.cli.scores import print_accuracies, scores_json

if TYPE_CHECKING:
    from chronotope.api.vocabulary import ImportedReplies, Scores

_ASKED, _HOW = "What was asked", "Settings of the run"


def _score(
    benchmark: Annotated[Path, typer.Argument(help="a benchmark folder")],
    predictions: Annotated[
        Path,
        typer.Argument(
            help='a CSV or TSV file with columns id and reply, a file with lines {"id": ..., "reply": ...} or one JSON '
            "array of such objects, or a result file of STI-Bench, IKEA-Bench or VGenST-Bench"
        ),
    ],
    out_folder: Annotated[Path | None, typer.Option("--out", help="the run folder (default: runs/…)")] = None,
    name: Annotated[str | None, typer.Option(help="name of the model (default: the file's name)")] = None,
    task: Annotated[list[str] | None, typer.Option(help="only this task; repeatable", rich_help_panel=_ASKED)] = None,
    variant: Annotated[
        str,
        typer.Option(help="all, or one or more of base, none_distractor, none_answer, open", rich_help_panel=_ASKED),
    ] = "all",
    only: Annotated[
        bool,
        typer.Option("--only", help="score only the questions in the file, as a stated subset", rich_help_panel=_ASKED),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print the result as JSON")] = False,
    **fields: Any,
) -> None:
    """Make a run from replies that another tool collected, and score it. Questions without a reply count as wrong.

    With --only, the questions that are not in the file are left out, and the run says that it is a subset.

    Example: chronotope score bench predictions.jsonl --name my-model --out runs/my-model

    Example: chronotope score bench predictions.csv --only

    Example: chronotope score bench predictions.jsonl --judge openai/NAME
    """
    opened = open_benchmark(existing(benchmark))
    chosen = family(opened.card.family)
    judge = take_judging(fields)
    settings = validated(chosen.RunSettings, fields, f"family {chosen.name}")
    variants = () if variant == "all" else tuple(one.strip() for one in variant.split(","))
    selection = Selection(tuple(task or ()), None, variants)
    file = existing(predictions)
    by = None if judge is None else judge.spec.name
    made = import_replies(opened, chosen, file, out_folder, settings, name, selection, judge=by, only=only)
    judged = judge_answers(made.folder, judge)
    run = open_run(made.folder)
    scores = score_run(run)
    result = _result(run.card.model, made, scores) | judging_json(scores, judged)
    if as_json:
        emit_json(result)
    else:
        print_accuracies([result])
        tell_judging(result)
        for sentence in result["remarks"]:
            note(sentence, "yellow")
        out.print(str(made.folder), markup=False)
    if (judged is not None and judged["without"]) or made.missing or made.unknown or made.differing:
        raise typer.Exit(PROBLEM)


def _result(model: str, made: "ImportedReplies", scores: "Scores") -> dict[str, Any]:
    counts = ("replied", "missing", "unknown", "repeated", "differing")
    return {
        "model": model,
        "folder": str(made.folder),
        **{name: getattr(made, name) for name in counts},
        "remarks": list(dict.fromkeys([*made.remarks, *scores.notes])),
    } | scores_json(scores, shown=made.replied > 0)


score_command = command(
    with_flags(
        _score,
        {_HOW: AskSettings, JUDGING: Judging} | {f"Protocol of {f.name}": f.RunSettings for f in families().values()},
    )
)
score_command.command_class = FamilyCommand  # type: ignore[attr-defined]

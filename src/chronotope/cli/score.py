"""The command ``chronotope score``."""

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import Field

import chronotope.api as ct
from chronotope.api.vocabulary import AskSettings, Number, families, family
from chronotope.cli.console import PROBLEM, command, emit_json, note, out, progress_bar, warn
from chronotope.cli.family_help import FamilyCommand
from chronotope.cli.flags import checked_fields, variants_of, with_flags
from chronotope.cli.judging import JUDGING, Judging, judge_options, judging_json, tell_judging
from chronotope.cli.paths import existing
from chronotope.cli.scores import print_accuracies, scores_json

if TYPE_CHECKING:
    from chronotope.api.opened_run import Run

_ASKED, _HOW = "What was asked", "Settings of the run"
_FAULTS = ("missing", "unknown", "differing")  # counts of replies that lead to another exit code


class _Judging(Judging):
    """The judge of replies that another tool collected, and the limit on its cost."""

    max_cost: Number | None = Field(
        None,
        gt=0,
        allow_inf_nan=False,
        description="stop before all calls to the judge cost more than this amount (needs --judge-price, unless the "
        "service reports costs)",
    )


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
    opened = ct.open(existing(benchmark))
    judging = judge_options(fields, "chronotope score", flags=_Judging)
    settings = checked_fields(family(opened.card.family).RunSettings, fields, f"family {opened.card.family}")
    judge = judging.get("judge")
    with nullcontext(False) if judge is None else progress_bar(f"judging by {judge.name}") as advance:
        run = ct.score(
            opened, existing(predictions), out=out_folder, name=name, tasks=task or (), variants=variants_of(variant),
            only=only, progress=advance, say=warn, **judging, **settings,
        )  # fmt: skip
    result = _result(run)
    if as_json:
        emit_json(result)
    else:
        print_accuracies([result])
        tell_judging(result)
        for sentence in result["remarks"]:
            if sentence not in run.problems:  # these are told already
                note(sentence, "yellow")
        out.print(str(run.folder), markup=False)
    if (run.judged is not None and run.judged.without) or any(result[name] for name in _FAULTS):
        raise typer.Exit(PROBLEM)


def _result(run: "Run") -> dict[str, Any]:
    """Return the outcome and the scores as plain values."""
    scores = run.computed()
    counts = {name: getattr(run.outcome, name) for name in ("replied", "missing", "unknown", "repeated", "differing")}
    about = {"model": run.results().card.model, "folder": str(run.folder)} | counts
    remarks = list(dict.fromkeys([*run.problems, *scores.notes]))
    return about | {"remarks": remarks} | scores_json(scores, shown=counts["replied"] > 0) | judging_json(run)


score_command = command(
    with_flags(
        _score,
        {_HOW: AskSettings, JUDGING: _Judging} | {f"Protocol of {f.name}": f.RunSettings for f in families().values()},
    )
)
score_command.command_class = FamilyCommand  # type: ignore[attr-defined]

"""The command ``chronotope draft``."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from pydantic import BaseModel, Field

import chronotope.api as ct
from chronotope.api.vocabulary import JobCalls, Price, amount
from chronotope.cli.console import PROBLEM, command, emit_json, note, out, progress_bar, table, warn
from chronotope.cli.flags import body_fields, flag_of, validated, with_flags
from chronotope.cli.judging import Judging, judge_options
from chronotope.cli.service import Service

if TYPE_CHECKING:
    from chronotope.api.vocabulary import DraftingForeseen, DraftingOutcome

_WHAT, _HOW, _JUDGE = "What to draft", "How to ask", "The model that judges"


class _How(JobCalls, Service):
    """The settings of the calls; each field is a flag."""


class _Judge(Judging):
    """The model that judges; each field is a flag."""

    judge: str | None = Field(
        None, description="a model that judges what rules cannot (default: the writer judges its own works)"
    )
    judge_price: Price = Field(
        None, description="IN,OUT: the judge's price per million input and output tokens (default: --price)"
    )


class _What(BaseModel):
    """What is drafted; each field is a flag."""

    per_task: int | None = Field(None, description="number of themes of each task (default: all)")
    task: list[str] = Field(
        default_factory=list, description="only this task, by its short code such as MC; can be repeated"
    )
    theme: list[str] = Field(
        default_factory=list,
        description="a theme of your own, such as 'station square'; without --task, the writer chooses its task if no "
        "list of themes has it; can be repeated",
    )
    stages: tuple[str, ...] = Field(
        ("graph", "scenario", "prompts"), description="one or more of graph, scenario, prompts, questions"
    )
    types: tuple[str, ...] = Field(
        (), description="types of the writer's questions, such as L1-OE,L3-CR (default: all of the task)"
    )
    drawn: bool = Field(False, description="only themes and words that the renderer can draw")
    profile: Literal["paper", "extended"] = Field("paper", description="vary scenes as the paper does, or more")
    seed: int = Field(0, description="seed of all that code draws")

    @property
    def given(self) -> dict[str, Any]:
        """Return the settings as parameters of `chronotope.draft`."""
        return {"tasks": self.task, "themes": self.theme} | self.model_dump(exclude={"task", "theme"})


def _draft(
    family: Annotated[str, typer.Argument(help="the family of the scenes: vgenst")],
    out_folder: Annotated[Path, typer.Option("--out", help="the folder of the drafts, and of all replies")],
    writer: Annotated[
        str | None,
        typer.Option(help="provider/name of the model that writes (default: code writes, and nothing is asked)"),
    ] = None,
    set_field: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="key=value: a further field of the writer's request body, or another value; can be repeated",
            rich_help_panel=_HOW,
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="only show the calls at most, and their cost")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print the result as JSON")] = False,
    **fields: Any,
) -> None:
    """Draft scenes: a scene graph, a scenario, prompts and perhaps questions for each theme.

    Rules judge each work first, then the judge model; their objections go back to the writer, at most twice. A work
    that is still rejected is kept, marked, and no later stage uses it. Without --writer, code drafts the same stages.
    The same command continues; finished works and answered calls are never made again.

    Example: chronotope draft vgenst --per-task 2 --drawn --out drafts

    Example: chronotope draft vgenst --per-task 10 --writer openai/NAME --judge google/NAME --out drafts --price 2.5,10
    --dry-run

    Example: chronotope draft vgenst --theme 'station square' --task DS --writer openai/NAME --out drafts
    """
    judge = judge_options({name: fields.pop(name, None) for name in _Judge.model_fields}, "chronotope draft",
                          flags=_Judge)  # fmt: skip
    what: _What = validated(_What, {name: fields.pop(name, None) for name in _What.model_fields}, "chronotope draft")
    how: _How = validated(_How, fields, "chronotope draft")
    given = {"writer": _writer(writer, how, set_field or []), **what.given, **judge, **dict(how.calls)}
    if dry_run:
        _tell_foreseen(ct.dry_run(ct.draft, family, out_folder, **given), as_json=as_json)
        return
    with progress_bar(f"drafting by {writer or 'code'}") as advance:
        outcome = ct.draft(family, out_folder, progress=advance, say=warn, **given)
    _tell(outcome, out_folder, as_json=as_json)
    if outcome.stopped is not None or outcome.unvalidated or outcome.unrouted:
        raise typer.Exit(PROBLEM)


def _writer(name: str | None, how: _How, pairs: list[str]) -> ct.ModelSpec | None:
    """Return the model that writes, or None.

    Raises:
        InputError: If a setting of a writer is given without one.
    """
    from chronotope.api.options import check_writer  # loads much that --help does not need

    check_writer(name, how, how.base_url, flag_of, "--writer")
    if name is None:
        return None
    return ct.ModelSpec(name, how.base_url, settings=body_fields(pairs), credentials=how.credentials)


def _tell_foreseen(foreseen: "DraftingForeseen", *, as_json: bool) -> None:
    if as_json:
        emit_json(asdict(foreseen))
        return
    row = [
        f"{foreseen.items:,}", f"{foreseen.fewest:,}", f"{foreseen.calls:,}", f"{foreseen.tokens:,}",
        amount(foreseen.money), amount(foreseen.spent),
    ]  # fmt: skip
    columns = ["scenes", "calls at least", "calls at most", "tokens (estimated)", "money (at most)", "spent"]
    table("Planned calls", columns, [row])


def _tell(outcome: "DraftingOutcome", folder: Path, *, as_json: bool) -> None:
    """Print the counts of works, first passes and violations; remarks go to standard error."""
    for name in outcome.unvalidated:
        note(f"{name} is not validated; chronotope build takes it only with --keep-unvalidated", "yellow")
    for stage, names in outcome.held_back.items():
        note(f"{stage}: {len(names)} scenes held back, because their earlier work is not validated", "yellow")
    for theme in outcome.unrouted:
        note(f"theme {theme!r}: the writer named no task: give one with --task", "yellow")
    if outcome.stopped is not None:
        note(outcome.stopped, "yellow")
    if as_json:
        emit_json(_json(outcome, folder))
        return
    made = [(stage, [work for work in outcome.works if work.stage == stage]) for stage in _stages(outcome)]
    passes = outcome.first_passes()
    rows = [
        [stage, str(len(works)), str(sum(work.validated for work in works)), _share(passes.get(stage))]
        for stage, works in made
    ]
    table("Drafts", ["stage", "works", "validated", "at the first attempt"], rows)
    if violations := outcome.violations():
        table("Broken rules", ["rule", "attempts"], [[rule, str(count)] for rule, count in violations.most_common()])
    if outcome.money is not None:
        out.print(
            f"{outcome.asked} calls now; money so far {amount(outcome.money)}, {amount(outcome.scene_cost)} a scene",
            markup=False,
        )
    elif outcome.asked:
        out.print(f"{outcome.asked} calls now", markup=False)
    if outcome.stopped is None:
        out.print(f"{folder} has {outcome.scenes} scene{'' if outcome.scenes == 1 else 's'}", markup=False)


def _stages(outcome: "DraftingOutcome") -> list[str]:
    return list(dict.fromkeys(work.stage for work in outcome.works))


def _share(passed: tuple[int, int] | None) -> str:
    return "by code" if passed is None else f"{passed[0]} of {passed[1]}"


def _json(outcome: "DraftingOutcome", folder: Path) -> dict[str, Any]:
    counts = {
        stage: {
            "works": len(works := [work for work in outcome.works if work.stage == stage]),
            "validated": sum(work.validated for work in works),
        }
        for stage in _stages(outcome)
    }
    return {
        "folder": str(folder),
        "scenes": outcome.scenes,
        "stages": counts,
        "first_passes": {stage: list(pair) for stage, pair in outcome.first_passes().items()},
        "violations": dict(outcome.violations()),
        "unvalidated": list(outcome.unvalidated),
        "held_back": {stage: list(names) for stage, names in outcome.held_back.items()},
        "unrouted": list(outcome.unrouted),
        "asked": outcome.asked,
        "money": outcome.money,
        "scene_cost": outcome.scene_cost,
        "stopped": outcome.stopped,
    }


draft_command = command(
    with_flags(_draft, {_WHAT: _What, _JUDGE: _Judge, _HOW: _How}),
    stopped="finished works and all replies are kept, and the same command continues",
)

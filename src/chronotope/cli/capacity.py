"""The command ``chronotope plan``: what a run or a build needs, before anything is spent."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import chronotope.api as ct
from chronotope.api.vocabulary import CALLED, Family, JobCalls, amount, families
from chronotope.cli.build import BUILDS, build_options
from chronotope.cli.console import command, emit_json, note, out, progress_bar, table, warn
from chronotope.cli.flags import Group, variants_of, with_flags
from chronotope.cli.paths import existing
from chronotope.cli.run import ASKED_FLAGS, ModelFlag, PresetFlag, QuestionFlag, SetFlag, ShardFlag, asked_options
from chronotope.errors import InputError

if TYPE_CHECKING:
    from chronotope.api.capacity import BuildCapacity

app = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    add_completion=False,
    help="Foresee calls, tokens, gigabytes, hours and money of a run or a build on many machines.\n\n"
    "Example: chronotope plan run bench --model endpoint/qwen --base-url http://localhost:8000/v1 --servers 1000",
)


def _run(
    benchmark: Annotated[Path, typer.Argument(help="a benchmark folder")],
    model: ModelFlag = None,
    servers: Annotated[int, typer.Option(min=1, help="number of servers that answer")] = 1,
    trial: Annotated[
        float,
        typer.Option(
            min=0,
            help="seconds of a trial, whose calls belong to the run, to measure tokens and time; 0 sends nothing",
        ),
    ] = 0,
    out_folder: Annotated[Path | None, typer.Option("--out", help="the run folder (default: runs/…)")] = None,
    task: Annotated[list[str] | None, typer.Option(help="only this task; repeatable")] = None,
    variant: Annotated[str, typer.Option(help="all, or some of base, none_distractor, none_answer, open")] = "all",
    limit: Annotated[int | None, typer.Option(min=1, help="maximum number of questions, balanced over clips")] = None,
    question: QuestionFlag = None,
    shard: ShardFlag = None,
    preset: PresetFlag = None,
    set_field: SetFlag = None,
    as_json: Annotated[bool, typer.Option("--json", help="print the result as JSON")] = False,
    **fields: Any,
) -> None:
    """Foresee a run: calls, tokens, gigabytes, time, money, and the vLLM server that fits. Takes the flags of `run`.

    Example: chronotope plan run bench --model endpoint/qwen --base-url http://localhost:8000/v1 --servers 8 --trial 30

    Example: chronotope plan run bench --model openai/NAME --price 2.5,10
    """
    if not model:
        raise InputError("--model: is missing: expected provider/name")
    opened = ct.open(existing(benchmark))
    options: dict[str, Any] = {"tasks": task or (), "variants": variants_of(variant), "limit": limit, "shard": shard}
    options |= {"questions": question or None, "out": out_folder}
    specs, _, given = asked_options(opened, model, options, preset, set_field or [], fields)
    results = [ct.plan_run(opened, spec, servers=servers, trial=trial, say=warn, **given).plain() for spec in specs]
    if as_json:
        emit_json(results)
        return
    columns = ["model", "calls", "tokens", "of pictures", "tokens of replies", "GB sent", "hours", "money"]
    rows = [
        [
            r["model"], f"{r['calls']:,}", f"{r['tokens']:,}", _told(r["picture_tokens"], ",.0f"),
            _told(r["output_tokens"], ",.0f"), _told(r["gigabytes"], ",.3g"), _told(r["hours"], ",.3g"),
            amount(r["money"]),
        ]
        for r in results
    ]  # fmt: skip
    table(f"Needs on {servers} server{'s' if servers > 1 else ''}", columns, rows)
    for r in results:
        _tell_source(r)
        if r["serve"] is not None:
            out.print(r["serve"], markup=False, soft_wrap=True)


def _tell_source(r: dict[str, Any]) -> None:
    """Print the origin of the numbers of a run."""
    tried = r["trial"]
    if tried is None:
        note(f"{r['model']}: tokens are estimates, replies have their maximum; --trial 30 measures both", "dim")
        return
    counted = "" if tried["text"] is not None else "; the model counts no tokens, so tokens are estimates"
    note(
        f"{r['model']}: measured with {tried['calls']} calls in {tried['seconds']:.0f} s, which are kept{counted}",
        "dim",
    )


def _told(value: float | None, how: str) -> str:
    return "unknown" if value is None else format(value, how)


def _plan_build(family: Family) -> Callable[..., None]:
    """Make the command that foresees a build of a family, with the flags of ``chronotope build``."""

    def foresee(trial: float, as_json: bool, **fields: Any) -> None:
        from chronotope.api.vocabulary import check_on, source_name  # these load much that --help does not need

        placed = {name: fields.pop(name, None) for name in ("workers", "on")}
        check_on(placed["on"], "--on")
        given = build_options(family, fields)
        with progress_bar(f"trying {source_name(given['source'])}") as advance:
            found = ct.plan_build(family.name, trial=trial, progress=advance, **placed, **given)
        if as_json:
            emit_json(found.plain())
            return
        _tell_build(found)

    own = inspect.signature(BUILDS[family.name]).parameters.values()
    trial = inspect.Parameter("trial", inspect.Parameter.KEYWORD_ONLY, default=30.0, annotation=_TrialFlag)
    parameters = [one for one in own if one.name not in _NOT_FORESEEN]
    foresee.__signature__ = inspect.Signature([*parameters, trial])  # type: ignore[attr-defined]
    foresee.__annotations__ = {one.name: one.annotation for one in (*parameters, trial)}
    foresee.__name__ = family.name
    example = "manuals" if family.build.subject == "procedure" else _WORLDS.get(family.name, "clips")
    foresee.__doc__ = (
        f"{family.title}: questions, gigabytes and CPU hours of a build, by a trial of some of its "
        f"{CALLED[family.build.subject]}s.\n\nExample: chronotope plan build {family.name} {example} --workers 64"
    )
    return foresee


_WORLDS = {"sti": "world:table:1000", "m3": "world:house:270 --quality photo", "vgenst": "world:stage:1200"}
# Flags of a build that change nothing of what it needs.
_NOT_FORESEEN = ("out_folder", "explain", "keep_going", *JobCalls.model_fields)
_TrialFlag = Annotated[
    float, typer.Option(min=0, help="seconds of the trial on this machine, which makes at least one part")
]


def _tell_build(found: "BuildCapacity") -> None:
    columns = ["parts", "questions", "GB", "CPU hours", "hours"]
    numbers = (found.gigabytes, found.cpu_hours, found.hours)
    row = [f"{found.parts:,}", f"{found.questions:,}", *(f"{number:,.3g}" for number in numbers)]
    table(f"Needs of {found.source} with {found.workers} workers", columns, [row], words=())
    tried = len(found.trial.parts)
    off = found.uncertainty
    sure = ", too few to know how far it is off" if off is None else f"; CPU hours: within {off:.0%} (95 %)"
    if found.writer_calls is not None:
        note(
            f"the writer gets {found.writer_calls:,} calls if its first replies are taken, at most "
            f"{found.most_writer_calls:,}",
            "dim",
        )
    note(f"measured with {tried} of {found.parts} parts, which are not kept{sure}", "dim")


app.command("run")(command(with_flags(_run, ASKED_FLAGS)))
_builds = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    add_completion=False,
    help="Foresee a build: questions, gigabytes and CPU hours, by a trial of 30 s on this machine.\n\n"
    "Example: chronotope plan build sti world:table:1000 --workers 64",
)
for _family in families().values():
    if _family.build.write is not None:
        _builds.command(_family.name)(command(_plan_build(_family)))
app.add_typer(_builds, name="build")

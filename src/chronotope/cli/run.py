"""The command ``chronotope run``."""

import shlex
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import Field

import chronotope.api as ct
from chronotope.api.presets import with_preset
from chronotope.api.vocabulary import Asking, AskSettings, Credentials, amount, families, family, urls_of
from chronotope.cli.campaign import run_campaign
from chronotope.cli.console import PROBLEM, command, emit_json, note, out, progress_bar, table, warn
from chronotope.cli.family_help import FamilyCommand
from chronotope.cli.flags import body_fields, checked_fields, flag_of, given_fields, validated, variants_of, with_flags
from chronotope.cli.judging import JUDGING, Judging, judge_options, judging_json, tell_judging
from chronotope.cli.method import (
    METHOD,
    MethodFlags,
    method_options,
    method_settings,
    tell_stages,
    tell_stages_made,
)
from chronotope.cli.paths import existing
from chronotope.cli.scores import print_accuracies, scores_json
from chronotope.cli.service import Service, Workers
from chronotope.errors import InputError

if TYPE_CHECKING:
    from chronotope.api.benchmarks import Benchmark
    from chronotope.api.opened_run import Run

_ASK, _HOW = "What to ask", "How to ask"
_SENT = {
    "video": "the frames of a clip are sent as one video with their times (--frames-as video)",
    "images": "frames are numbered, with their times between them (--frames-as images)",
}


class Asked(Asking, Service, Workers):
    """The settings of a run that no family defines; each field is a flag."""

    base_url: list[str] = Field(  # type: ignore[assignment] - other commands ask one server
        default_factory=list,
        description="the URL before /chat/completions; repeat it for several servers of the model, which share the "
        "clips (--concurrency is then the limit of each)",
    )


def preset_help() -> str:
    """Write the help of ``--preset``, with the names of all presets."""
    names = "; ".join(
        f"{name}: {', '.join(one.paper.presets)}" for name, one in families().items() if one.paper.presets
    )
    return f"the settings with which the paper's authors ran a model ({names})"


ModelFlag = Annotated[
    list[str] | None,
    typer.Option(
        help="provider/name, such as endpoint/NAME with --base-url, openai/NAME, baseline/random; can be repeated"
    ),
]
QuestionFlag = Annotated[
    list[str] | None, typer.Option(help="only the question with this id; repeatable", rich_help_panel=_ASK)
]
ShardFlag = Annotated[
    str | None,
    typer.Option(
        help="I/N: ask only part I of N, with all questions about its clips; `chronotope merge` joins the parts",
        rich_help_panel=_ASK,
    ),
]
PresetFlag = Annotated[str | None, typer.Option(help=preset_help(), rich_help_panel=_ASK)]
SetFlag = Annotated[
    list[str] | None,
    typer.Option("--set", help="key=value: a further field of the request body; can be repeated", rich_help_panel=_HOW),
]
_ReuseFlag = Annotated[
    list[Path] | None,
    typer.Option(help="copy the answers of another run to identical calls; can be repeated", rich_help_panel=_HOW),
]


def _run(
    benchmark: Annotated[Path | None, typer.Argument(help="a benchmark folder")] = None,
    model: ModelFlag = None,
    file: Annotated[
        Path | None,
        typer.Option(
            help="a campaign: a YAML file with benchmarks, models and settings; can be combined only with --dry-run "
            "and --json"
        ),
    ] = None,
    out_folder: Annotated[Path | None, typer.Option("--out", help="the run folder (default: runs/…)")] = None,
    task: Annotated[list[str] | None, typer.Option(help="only this task; repeatable", rich_help_panel=_ASK)] = None,
    variant: Annotated[
        str, typer.Option(help="all, or one or more of base, none_distractor, none_answer, open", rich_help_panel=_ASK)
    ] = "all",
    limit: Annotated[
        int | None, typer.Option(min=1, help="maximum number of questions, balanced over clips", rich_help_panel=_ASK)
    ] = None,
    question: QuestionFlag = None,
    shard: ShardFlag = None,
    preset: PresetFlag = None,
    set_field: SetFlag = None,
    reuse: _ReuseFlag = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="only show the planned calls and their cost")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print the result as JSON")] = False,
    **fields: Any,
) -> None:
    """Ask a model the questions of a benchmark. The same command continues a run; answered calls are never repeated.

    Example: chronotope run bench --model endpoint/qwen --base-url http://localhost:8000/v1

    Example: chronotope run bench --model openai/NAME --limit 100 --price 2.5,10 --max-cost 5

    Example: chronotope run bench --model openai/NAME --price 2.5,10 --batch

    Example: chronotope run bench --model openai/NAME --variant open --judge google/NAME

    Example: chronotope run bench --model endpoint/text --caption-model endpoint/vision --base-url URL --method hctr

    Example: chronotope run bench --model endpoint/qwen --base-url http://localhost:8000/v1 --shard 2/8

    Example: chronotope run --file campaign.yaml --dry-run
    """
    if file is not None:
        about = {"BENCHMARK": benchmark, "model": model, "out": out_folder, "reuse": reuse, "task": task}
        about |= {"variant": None if variant == "all" else variant, "limit": limit, "set": set_field}
        _refuse_beside_file(about | {"question": question, "shard": shard, "preset": preset, **fields})
        return run_campaign(existing(file), dry_run=dry_run, as_json=as_json)
    if benchmark is None or not model:
        raise InputError(
            f"{'BENCHMARK' if benchmark is None else '--model'}: is missing: expected a benchmark folder and --model "
            "provider/name, or --file campaign.yaml"
        )
    opened = ct.open(existing(benchmark))
    options = {"tasks": task or (), "variants": variants_of(variant), "limit": limit, "questions": question or None}
    options |= {"out": out_folder, "reuse": reuse or (), "shard": shard}
    results = _results(opened, model, options, preset, set_field or [], fields, dry_run)
    _tell(results, dry_run=dry_run, as_json=as_json)
    if any((one.get("judge") or {}).get("without") or set(one.get("states", ())) - {"replied"} for one in results):
        raise typer.Exit(PROBLEM)


def _results(
    opened: "Benchmark",
    models: list[str],
    options: Mapping[str, Any],
    preset: str | None,
    set_field: list[str],
    fields: Mapping[str, Any],
    dry_run: bool,
) -> list[dict[str, Any]]:
    """Make or foresee one run for each model.

    Returns the outcomes as plain values.
    """
    from chronotope.api.running import ready_run  # loads much that --help does not need

    specs, how, given = asked_options(opened, models, options, preset, set_field, fields)
    if dry_run:
        return [ct.dry_run(ct.run, opened, spec, **given).plain() for spec in specs]
    ready = [ready_run(opened, spec, **given) for spec in specs]  # all are open before the first is asked
    results: list[dict[str, Any]] = []
    for name, run in zip(models, ready, strict=True):
        with _getting_ready_to_score(), _told_to_continue(how):
            made = run.made(name, progress_bar, warn)
        results.append(_result(name, made))
    return results


def asked_options(
    opened: "Benchmark",
    models: list[str],
    options: Mapping[str, Any],
    preset: str | None,
    set_field: list[str],
    fields: Mapping[str, Any],
) -> tuple[list[ct.ModelSpec], Asked, dict[str, Any]]:
    """Return the models of a run, its flags, and the parameters of `chronotope.run`.

    Raises:
        InputError: If a flag cannot be used.
    """
    chosen, given, body = family(opened.card.family), given_fields(fields), body_fields(set_field)
    flags, body = with_preset(preset, chosen, given, body, flag_of, "flags")
    judge_flags = {name: flags.pop(name) for name in Judging.model_fields if name in flags}
    method_flags = {name: flags.pop(name) for name in _METHOD_FIELDS if name in flags}
    ours = {name: flags.pop(name) for name in Asked.model_fields if name in flags}
    how: Asked = validated(Asked, ours, "chronotope run")
    settings = checked_fields(chosen.RunSettings, flags, f"family {chosen.name}")
    _refuse_twice(ours, body)
    if options["out"] is not None and len(models) > 1:
        raise InputError("--out: names one folder, but there are several models: omit --out, or run them one by one")
    specs = _specs(models, how)
    given = {**options, **settings, "set": body, **{name: getattr(how, name) for name in Asking.model_fields}}
    given |= method_options(method_flags, specs, how.base_url) | judge_options(judge_flags, "chronotope run", specs)
    return specs, how, given


@contextmanager
def _told_to_continue(how: Asked) -> Generator[None]:
    """Print the command that fetches the answers of batch jobs, if the run is interrupted."""
    try:
        yield
    except KeyboardInterrupt:
        if how.batch:
            note(f"to continue: {_same_command(how)}")
        raise


def _refuse_beside_file(flags: Mapping[str, Any]) -> None:
    """Refuse flags that the file of a campaign replaces."""
    for name, value in flags.items():
        if value is not None and value != []:
            flag = name if name.isupper() else flag_of(name)
            raise InputError(f"{flag}: cannot be combined with --file: write it into the file")


@contextmanager
def _getting_ready_to_score() -> Generator[None]:
    """Import the libraries that compute scores while the service answers.

    The user then does not wait for these imports after the run.
    """
    timer = Timer(2.0, import_module, ("scipy.special",))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _refuse_twice(fields: Mapping[str, Any], body: Mapping[str, Any]) -> None:
    """Refuse a field of the request body that has a flag of its own, if both are given."""
    for name in ("temperature", "max_tokens"):
        if name in body and fields.get(name) is not None:
            raise InputError(f"--set {name}=…: {flag_of(name)} is given, too: omit one of the two flags")


def _specs(models: list[str], how: Asked) -> list[ct.ModelSpec]:
    """Return all models with their URLs, credentials and workers.

    If some of the models are endpoints, only these models get the given URL and credentials. In the same way, only
    models in this process get workers.
    """
    takes_it = {name for name in models if name.startswith("endpoint/")} or set(models)
    given = Credentials(how.key_variable, tuple(how.header))
    if given != Credentials() and len({name.partition("/")[0] for name in takes_it}) > 1:
        raise InputError("--key-variable, --header: the models belong to different services: run the models one by one")
    service = {"credentials": given, **urls_of(how.base_url)}
    local = {name for name in models if name.startswith("transformers/")} or set(models)
    return [
        ct.ModelSpec(name, **(service if name in takes_it else {}), **(how.placed if name in local else {}))
        for name in models
    ]


def _same_command(how: Asked) -> str:
    """Return the command that the user typed.

    Headers may be secret, so a command with headers is not repeated.
    """
    return "the same command" if how.header else shlex.join(["chronotope", *sys.argv[1:]])


def _result(model: str, run: "Run") -> dict[str, Any]:
    """Return the outcome and the scores of a run as plain values."""
    scores, counts = run.computed(), ("states", "asked", "already", "reused", "stages", "money")
    return {
        "model": model,
        "folder": str(run.folder),
        **{name: getattr(run.outcome, name) for name in counts},
        "notes": list(scores.notes),
        "asks": sum(scores.states.values()),
        "sees": run.results().looked is not False,
        **judging_json(run),
    } | scores_json(scores, shown="replied" in scores.states)


def _tell(results: list[dict[str, Any]], *, dry_run: bool, as_json: bool) -> None:
    if as_json:
        emit_json(results)
    elif dry_run:
        _tell_foreseen(results)
    else:
        print_accuracies(results)
        for result in results:
            _tell_run(result)
            out.print(result["folder"], markup=False)


def _tell_foreseen(results: list[dict[str, Any]]) -> None:
    counts = ("asks", "calls", "already", "pictures", "tokens")
    shown = [r | {"already": r["already"] - r["in_jobs"]} for r in results]
    rows = [[r["model"], *(f"{r[name]:,}" for name in counts), amount(r["money"])] for r in shown]
    columns = ["model", "asks", "calls", "answered before", "pictures", "tokens (estimated)", "money (estimated)"]
    table("Planned calls", columns, rows)
    tell_stages(results)
    for r in results:
        longest = "of any length" if r["longest_reply"] is None else f"{r['longest_reply']:,} tokens at most"
        left_out = "".join(f"; {name} is not sent, because this model refuses it" for name in r["left_out"])
        note(f"{r['model']}: a reply is {longest} (--max-tokens){left_out}", "dim")
        if r["frames_as"] is not None:
            note(f"{r['model']}: {_SENT[r['frames_as']]}", "dim")
        if r["batch"]:
            note(
                f"{r['model']}: the money is half the price, because the calls are made in batch jobs (--batch)", "dim"
            )
        if r["in_jobs"]:
            cost = "" if r["in_jobs_money"] is None else f", for at most {amount(r['in_jobs_money'])}"
            note(f"{r['model']}: calls in batch jobs that have not ended: {r['in_jobs']:,}{cost}", "dim")
        if r["check_tokens"]:
            more = f"the check before the run needs about {r['check_tokens']:,} more tokens (--no-check skips it)"
            note(f"{r['model']}: {more}", "dim")
        if r["max_cost"] is not None:
            note(f"{r['model']}: {_within(r)}", "dim")
        if count := r["open_questions"]:
            note(
                f"{r['model']}: {count} asks are open: a judge (--judge) is needed for answers that the rules cannot "
                "judge",
                "dim",
            )


def _within(r: dict[str, Any]) -> str:
    """Describe whether the remaining calls fit into --max-cost."""
    limit = f"the limit is {r['max_cost']:g} (--max-cost), of which {amount(r['spent'])} is spent"
    if r["money"] is None:
        return f"{limit}; add --price IN,OUT to see whether the other calls fit"
    if r["longest_reply"] is None:
        return f"{limit}; limit the replies (--max-tokens) to see whether the other calls fit"
    held = r["in_jobs_money"] or 0.0
    limit += f" and at most {amount(held)} is needed by batch jobs" if held else ""
    fits = r["spent"] + held + r["money"] <= r["max_cost"]
    told = "it fits" if fits else "it may not fit; the run would stop at the limit"
    return f"at most {amount(r['money'])} by this estimate, without the check and the judge; {limit}: {told}"


def _tell_run(r: dict[str, Any]) -> None:
    states = ", ".join(f"{n} {state.replace('_', ' ')}" for state, n in r["states"].items())
    others = f", {r['reused']} of them by other runs" if r["reused"] else ""
    cost = "" if r["money"] is None else f"; money {amount(r['money'])}"
    # Equal prompts are one call, so there may be fewer calls than asks.
    calls, made = r["asked"] + r["already"], sum(r["states"].values()) - r["states"].get("not_asked", 0)
    shared = f" by {calls} calls, as equal prompts are sent once" if calls < made else ""
    now = f"{r['asked']} asked now, {r['already']} answered before{others}"
    note(f"{r['model']}: {states}{shared} ({now}){cost}", "dim")
    tell_stages_made(r)
    tell_judging(r)
    for sentence in r["notes"]:
        note(f"{r['model']}: {sentence}", "yellow")
    if r["accuracy"] is None:
        note(f"{r['model']}: no accuracy, because there are no replies", "yellow")
        return
    forms = ", ".join(f"{name.replace('_', ' ')} {value['items']}" for name, value in r["variants"].items())
    if len(r["variants"]) > 1 or "base" not in r["variants"]:
        note(f"{r['model']}: questions by variant: {forms}; the accuracy covers the first of these", "dim")
    asked = sum(r["states"].values())
    if asked != r["asks"]:
        note(f"{r['model']}: the run has {r['asks']} asks, {asked} of them from this command", "dim")


_METHOD_FIELDS = {name for of in (MethodFlags, *method_settings().values()) for name in of.model_fields}

ASKED_FLAGS = (
    {_HOW: Asked, _ASK: AskSettings, METHOD: MethodFlags, **method_settings(), JUDGING: Judging}
    | {f"Protocol of {f.name}": f.RunSettings for f in families().values()}
)  # fmt: skip
run_command = command(with_flags(_run, ASKED_FLAGS))
run_command.command_class = FamilyCommand  # type: ignore[attr-defined]

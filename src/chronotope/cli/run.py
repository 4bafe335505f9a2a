"""``chronotope run``."""

from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from chronotope.cli.console import PROBLEM, command, emit_json, note, out, progress_bar, table
from chronotope.cli.flags import validated, with_flags
from chronotope.cli.source import existing
from chronotope.errors import InputError
from chronotope.evaluate import Estimate, Outcome, Plan, Selection, make_plan, open_run, run, score_run
from chronotope.families import families, family
from chronotope.files import canonical_json
from chronotope.models import Decoding, open_model
from chronotope.protocol import AskSettings
from chronotope.question import open_benchmark

__all__ = ["run_command"]

_ASK, _HOW = "What to ask", "How to ask"


def _run(
    benchmark: Annotated[Path, typer.Argument(help="a benchmark folder")],
    model: Annotated[
        list[str],
        typer.Option(
            help="provider/name, such as endpoint/NAME with --base-url, openai/NAME, baseline/random; may repeat"
        ),
    ],
    out_folder: Annotated[Path | None, typer.Option("--out", help="the run folder (default: runs/…)")] = None,
    task: Annotated[list[str] | None, typer.Option(help="only this task; may repeat", rich_help_panel=_ASK)] = None,
    variant: Annotated[
        str, typer.Option(help="all, or some of base, none_distractor, none_answer, open", rich_help_panel=_ASK)
    ] = "all",
    limit: Annotated[
        int | None, typer.Option(min=1, help="so many questions, balanced over clips", rich_help_panel=_ASK)
    ] = None,
    base_url: Annotated[str | None, typer.Option(help="the URL before /chat/completions", rich_help_panel=_HOW)] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="requests in flight at most", rich_help_panel=_HOW)] = 16,
    max_tokens: Annotated[int, typer.Option(min=1, help="longest reply", rich_help_panel=_HOW)] = 100,
    temperature: Annotated[float, typer.Option(min=0, help="how freely replies are drawn", rich_help_panel=_HOW)] = 0.0,
    set_field: Annotated[
        list[str] | None,
        typer.Option("--set", help="key=value: a further field of the request body; may repeat", rich_help_panel=_HOW),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what would be asked, and stop")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print the outcome as JSON")] = False,
    **fields: Any,
) -> None:
    """Ask a model the questions of a benchmark. Run it again and it goes on; no answer is asked for twice.

    Example: chronotope run bench --model endpoint/qwen --base-url http://localhost:8000/v1
    """
    opened = open_benchmark(existing(benchmark))
    chosen = family(opened.card.family)
    settings = validated(chosen.RunSettings, fields, f"family {chosen.name}")
    variants = () if variant == "all" else tuple(name.strip() for name in variant.split(","))
    selection = Selection(tuple(task or ()), limit, variants)
    decoding = Decoding(temperature=temperature, max_tokens=max_tokens, extra=_extra(set_field or []))
    if out_folder is not None and len(model) > 1:
        raise InputError("--out: names one run, but several models are given: leave --out away, or run them one by one")
    if dry_run:
        results = [
            _foreseen(name, make_plan(opened, chosen, settings, selection, open_model(name, base_url=base_url).limits))
            for name in model
        ]
    else:
        results = []
        for name in model:
            with progress_bar(name) as advance:
                outcome = run(
                    opened, chosen, name, decoding, settings, selection, out_folder,
                    base_url=base_url, concurrency=concurrency, progress=advance,
                )  # fmt: skip
            results.append(_result(name, outcome))
    _tell(results, dry_run=dry_run, as_json=as_json)
    if any(set(result.get("states", ())) - {"replied"} for result in results):
        raise typer.Exit(PROBLEM)


def _foreseen(model: str, plan: Plan) -> dict[str, Any]:
    totals = plan.totals()
    return {"model": model, "calls": totals.calls, "pictures": totals.pictures, "tokens": totals.tokens}


def _result(model: str, outcome: Outcome) -> dict[str, Any]:
    """What came of a run, scored; an interruption goes on from here to the command."""
    for problem in outcome.problems:
        note(problem, "yellow")
    if outcome.interrupted:
        raise KeyboardInterrupt
    scores = score_run(open_run(outcome.folder))
    replied = "replied" in scores.states  # where nothing was, a row of zeros would look like a score
    return {
        "model": model,
        "folder": str(outcome.folder),
        "states": outcome.states,
        "asked": outcome.asked,
        "already": outcome.already,
        "accuracy": _estimate(scores.overall) if replied else None,
        "tasks": {task: _estimate(value) for task, value in scores.tasks.items()} if replied else {},
        "variants": {name: _estimate(value) for name, value in scores.variants.items()} if replied else {},
        "readings": scores.readings,
    }


def _extra(pairs: list[str]) -> dict[str, Any]:
    """The fields that --set gives, their values read as YAML (numbers, true, text)."""
    extra: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise InputError(f"--set: expected key=value, found {pair!r}")
        try:
            extra[key] = yaml.safe_load(value)
            canonical_json(extra[key])
        except (yaml.YAMLError, TypeError, ValueError):  # no YAML, or a value that JSON has not, such as a date
            extra[key] = value
    return extra


def _estimate(estimate: Estimate) -> dict[str, Any]:
    names = ("value", "low", "high", "items", "clusters", "chance")
    return {name: getattr(estimate, name) for name in names}


def _tell(results: list[dict[str, Any]], *, dry_run: bool, as_json: bool) -> None:
    if as_json:
        emit_json(results)
    elif dry_run:
        rows = [[r["model"], str(r["calls"]), str(r["pictures"]), f"{r['tokens']:,}"] for r in results]
        table("What would be asked", ["model", "calls", "pictures", "tokens (estimated)"], rows)
    else:
        _accuracies([r for r in results if r["accuracy"] is not None])
        for r in results:
            states = ", ".join(f"{state.replace('_', ' ')} {n}" for state, n in r["states"].items())
            note(f"{r['model']}: {states}; {r['asked']} asked now, {r['already']} answered before", "dim")
            if r["accuracy"] is None:
                note(f"{r['model']}: no accuracy, because nothing was replied", "yellow")
            else:
                kind = next(iter(r["variants"]))
                which = "questions" if kind == "base" else f"questions of the variant {kind}"
                note(f"{r['model']}: accuracy over {r['accuracy']['items']} {which} asked in this run so far", "dim")
            out.print(r["folder"], markup=False)


def _accuracies(results: list[dict[str, Any]]) -> None:
    """Models side by side: their names are longer than the figures, and so are those of tasks."""
    if not results:
        return
    rows = [["Overall", *(_words(r["accuracy"]) for r in results)]]
    for kind in ("tasks", "variants"):
        names = list(dict.fromkeys(name for r in results for name in r[kind]))
        if kind == "variants" and len(names) == 1:
            continue  # the overall row says it
        rows += [[n, *(_words(r[kind][n]) if n in r[kind] else "–" for r in results)] for n in names]
    table("Accuracy, % (95 % interval by clip)", ["", *(r["model"] for r in results)], rows)


def _words(estimate: dict[str, Any]) -> str:
    value = f"{100 * estimate['value']:.1f}"
    return value if estimate["low"] is None else f"{value} ({100 * estimate['low']:.0f}–{100 * estimate['high']:.0f})"


run_command = command(
    with_flags(_run, {_ASK: AskSettings} | {f"Protocol of {f.name}": f.RunSettings for f in families().values()})
)

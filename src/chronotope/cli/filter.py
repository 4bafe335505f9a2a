"""The command ``chronotope filter``."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import Field

import chronotope.api as ct
from chronotope.api.published import shares
from chronotope.api.vocabulary import PASSES, Calls, amount, family
from chronotope.cli.beside_paper import tell_shares
from chronotope.cli.console import PROBLEM, command, emit_json, note, out, progress_bar, table, warn
from chronotope.cli.flags import body_fields, checked_fields, flag_of, given_fields, validated, with_flags
from chronotope.cli.paths import existing
from chronotope.cli.service import Service, Workers
from chronotope.errors import InputError

if TYPE_CHECKING:
    from chronotope.api.benchmarks import Benchmark
    from chronotope.api.filtering import Filters
    from chronotope.api.vocabulary import PassForeseen, PassOutcome, PassRecord, View

_HOW = "How to ask"
_OF_VIDEOS = ("frames", "clips")
_UNCLEAR = ("undecided", "unchanged")


class _How(Calls, Service, Workers):
    """The settings of the calls; each field is a flag."""

    temperature: float | None = Field(None, ge=0, allow_inf_nan=False, description="(default: that of the pass)")
    max_tokens: int | None = Field(
        None, ge=1, description="maximum length of a reply in tokens (default: that of the pass)"
    )
    frames: int | None = Field(None, ge=1, description="frames of each video in the pass too-easy (default: 32)")
    clips: str | None = Field(None, description="video: the pass too-easy sends whole clips as files")
    check: bool = Field(True, description="before the pass too-easy, check that the model sees all pictures")


def _filter(
    benchmark: Annotated[Path, typer.Argument(help="a benchmark folder, which is not changed")],
    passes: Annotated[
        str | None, typer.Option("--pass", help=f"one or more passes, separated by commas: {', '.join(PASSES)}")
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="provider/name, such as endpoint/NAME with --base-url, or openai/NAME")
    ] = None,
    out_folder: Annotated[
        Path | None, typer.Option("--out", help="write the filtered benchmark to this folder")
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(help="a pass whose decisions do not count, as PASS or PASS:MODEL; can be repeated"),
    ] = None,
    keep: Annotated[
        list[str] | None, typer.Option(help="the id of a question that no pass drops; can be repeated")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(help="the folder of replies and decisions (default: BENCHMARK.filters)")
    ] = None,
    set_field: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="key=value: a further field of the request body; can be repeated", rich_help_panel=_HOW
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="only show the planned calls and their cost")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print the result as JSON")] = False,
    **fields: Any,
) -> None:
    """Let a model find questions that are answerable without pictures, ambiguous or too easy; rewrite or tag questions.

    The decisions are stored beside the benchmark. The same command continues a pass; answered calls are never repeated.
    Without --pass, the command shows all decisions so far, and --out writes the filtered benchmark.

    Example: chronotope filter bench --pass text-only,ambiguity --model openai/NAME --price 2.5,10 --dry-run

    Example: chronotope filter bench --pass too-easy --model endpoint/qwen --base-url http://localhost:8000/v1

    Example: chronotope filter bench --out bench-filtered --without ambiguity
    """
    opened = ct.open(existing(benchmark))
    how: _How = validated(_How, fields, "chronotope filter")
    names = _names(passes, model, fields, set_field or [])
    common = {"record": record, "set": body_fields(set_field or [])}
    spec = ct.ModelSpec(model or "", how.base_url, credentials=how.credentials, **how.placed)
    options = {name: common | _options(opened, name, how) for name in names}
    if dry_run:
        foreseen = {name: ct.dry_run(ct.filter_pass, opened, name, spec, **options[name]) for name in names}
        _tell_foreseen(foreseen, as_json=as_json)
        return
    made = {name: _made(opened, name, spec, options[name]) for name in names}
    found = ct.Filters(opened, record)
    view = found.left(without or (), keep or ())
    if out_folder is not None:
        ct.write_filtered(opened, out_folder, record=record, without=without or (), keep=keep or ())
    _show(opened, made, found, view, out_folder, as_json=as_json)
    if any(one.record.count("unanswered") for one in made.values()):
        raise typer.Exit(PROBLEM)


def _names(passes: str | None, model: str | None, fields: dict[str, Any], set_field: list[str]) -> list[str]:
    """Return the passes to make, in the order of all passes."""
    names = [name.strip() for name in (passes or "").split(",") if name.strip()]
    if unknown := [name for name in names if name not in PASSES]:
        raise InputError(f"--pass: there is no pass {unknown[0]!r}", expected=f"one or more of {', '.join(PASSES)}")
    if names and model is None:
        raise InputError("--model: is missing: expected provider/name, such as openai/NAME")
    given = [*(["model"] if model is not None else []), *given_fields(fields), *(["set"] if set_field else [])]
    shown = [name for name in given_fields(fields) if name in _OF_VIDEOS]
    if names and shown and not any(PASSES[name].looks for name in names):
        looking = ", ".join(name for name, one in PASSES.items() if one.looks)
        raise InputError(f"--{shown[0]}: is a setting of the pass {looking}: add this pass to --pass, or omit the flag")
    if not names and given:
        raise InputError(f"{flag_of(given[0])}: is a setting of a pass: add --pass, or omit this flag")
    return [name for name in PASSES if name in names]


def _options(opened: "Benchmark", name: str, how: _How) -> dict[str, Any]:
    """Return the settings of a pass, as parameters of `chronotope.filter_pass`."""
    options = {field: getattr(how, field) for field in ("temperature", "max_tokens", "check", *Calls.model_fields)}
    if PASSES[name].looks:
        given = how.model_dump(include=set(_OF_VIDEOS), exclude_none=True)
        options |= checked_fields(family(opened.card.family).RunSettings, given, f"family {opened.card.family}")
    return options


def _made(opened: "Benchmark", name: str, spec: ct.ModelSpec, options: Mapping[str, Any]) -> "PassOutcome":
    """Make a pass, with a progress bar.

    Raises:
        KeyboardInterrupt: If the pass was interrupted.
    """
    with progress_bar(name) as advance:
        made = ct.filter_pass(opened, name, spec, progress=advance, say=warn, **options)
    outcome = made.outcome
    assert outcome is not None
    cost = "" if outcome.money is None else f"; money {amount(outcome.money)}"
    note(f"{name}: {outcome.asked} calls made now{cost}; replies in {outcome.folder}", "dim")
    return outcome


def _tell_foreseen(foreseen: "Mapping[str, PassForeseen]", *, as_json: bool) -> None:
    if as_json:
        emit_json([{"pass": name} | asdict(one) | {"folder": str(one.folder)} for name, one in foreseen.items()])
        return
    if not foreseen:
        raise InputError("--dry-run: shows the calls of a pass: add --pass and --model")
    rows = [
        [name, f"{one.questions:,}", f"{one.calls:,}", f"{one.most:,}", f"{one.tokens:,}", amount(one.money),
         amount(one.spent)]
        for name, one in foreseen.items()
    ]  # fmt: skip
    columns = ["pass", "questions", "calls now", "at most", "tokens (estimated)", "money (at most)", "spent"]
    table("Planned calls", columns, rows)
    if len(foreseen) > 1:
        note("later passes do not concern the questions that earlier passes drop, so they may need fewer calls", "dim")


def _show(
    opened: "Benchmark",
    made: "Mapping[str, PassOutcome]",
    found: "Filters",
    view: "View",
    out_folder: Path | None,
    *,
    as_json: bool,
) -> None:
    """Print all decisions so far."""
    if as_json:
        emit_json(_result(opened, made, found, view, out_folder))
    else:
        _tell(opened, found, view, out_folder)


def _result(
    opened: "Benchmark", made: "Mapping[str, PassOutcome]", found: "Filters", view: "View", out_folder: Path | None
) -> dict[str, Any]:
    """Return the result as plain values."""
    return {
        "passes": [asdict(one) | {"share": one.share} for one in found.passes],
        "made": [{"pass": name, "asked": one.asked, "money": one.money} for name, one in made.items()],
        "questions": len(view.questions),
        "of": len(opened.questions),
        "dropped": {key: asdict(one) for key, one in view.dropped.items()},
        "rewritten": view.rewritten,
        "tagged": view.tagged,
        "stale": dict(view.stale),
        "open": dict(view.open),
        "composition": [asdict(one) for one in shares(opened, view.questions)],
        "folder": None if out_folder is None else str(out_folder),
    }


def _tell(opened: "Benchmark", found: "Filters", view: "View", out_folder: Path | None) -> None:
    if not found.records:
        out.print(
            f"no pass was made yet over {opened.card.name}: make one with --pass PASS --model MODEL", markup=False
        )
        return
    rows = [
        [one.name, one.model, f"{one.questions:,}", f"{one.dropped:,}", f"{one.undecided:,}", f"{one.changed:,}",
         f"{one.unchanged:,}", f"{one.skipped:,}", f"{one.unanswered:,}",
         "–" if one.share is None else f"{100 * one.share:.1f} %"]
        for one in found.passes
    ]  # fmt: skip
    columns = ["pass", "model", "questions", "dropped", "undecided", "changed", "unchanged", "skipped", "unanswered"]
    table("Decisions (dropped includes undecided)", [*columns, "share"], rows, words=(0, 1))
    tell_shares(opened, view.questions)
    for record in found.records:
        _warn_of_unclear(record)
    for name, count in view.stale.items():
        note(f"{name}: {count} decisions are about other words, and do not count: make the pass again", "yellow")
    for name, count in view.open.items():
        note(f"{name}: no decision about {count} of the questions that are left: make the pass again", "yellow")
    changed = f", {view.rewritten} rewritten, {view.tagged} tagged"
    out.print(f"{len(view.questions)} of {len(opened.questions)} questions are left{changed}", markup=False)
    if out_folder is not None:
        out.print(f"{out_folder} is ready", markup=False)


def _warn_of_unclear(record: "PassRecord") -> None:
    """Warn if most replies of a model led to no decision."""
    unclear = Counter((one.outcome, one.reason) for one in record.decisions if one.outcome in _UNCLEAR)
    decided = len(record.decisions) - record.count("skipped", "unanswered")
    if unclear.total() * 2 > decided:
        (outcome, reason), count = unclear.most_common(1)[0]
        note(
            f"{record.name}: {count} of {decided} questions are {outcome}, because {reason}: read the replies in "
            f"{record.run}/ledger.jsonl; --without {record.name}:{record.model} leaves these decisions out",
            "yellow",
        )


filter_command = command(
    with_flags(_filter, {_HOW: _How}), stopped="all replies are kept, and the same command continues"
)

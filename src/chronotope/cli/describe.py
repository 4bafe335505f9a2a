"""The command ``chronotope describe``."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import chronotope.api as ct
from chronotope.api.vocabulary import JobCalls, amount
from chronotope.cli.console import PROBLEM, command, emit_json, note, out, progress_bar, table, warn
from chronotope.cli.flags import body_fields, validated, with_flags
from chronotope.cli.paths import existing
from chronotope.cli.service import Service, Workers

if TYPE_CHECKING:
    from chronotope.api.vocabulary import DescribingForeseen, DescribingOutcome

_HOW = "How to ask"


class _How(JobCalls, Service, Workers):
    """The settings of the calls; each field is a flag."""


def _describe(
    source: Annotated[
        Path, typer.Argument(help="a folder of saved recordings, or a benchmark with recordings; it is not changed")
    ],
    model: Annotated[str, typer.Option(help="provider/name, such as endpoint/NAME with --base-url, or openai/NAME")],
    out_folder: Annotated[
        Path, typer.Option("--out", help="the folder of the described recordings, and of all replies")
    ],
    set_field: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="key=value: a further field of the request body, or another value, such as max_tokens=4000; can be "
            "repeated",
            rich_help_panel=_HOW,
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="only show the planned calls and their cost")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print the result as JSON")] = False,
    **fields: Any,
) -> None:
    """Let a model describe the colours and shapes of things that come without them, such as those of AI2-THOR.

    The model sees the five best views of each thing. A colour or shape is taken only if two independent passes agree,
    and never replaces a known one. One call for each type asks what things of this type are for. The
    new folder has all recordings, for `chronotope build m3 OUT/recordings`. The same command continues; answered calls
    are never repeated.

    Example: chronotope describe bench --model openai/NAME --out described --price 2.5,10 --dry-run

    Example: chronotope describe bench --model endpoint/qwen --base-url http://localhost:8000/v1 --out described
    """
    how: _How = validated(_How, fields, "chronotope describe")
    body = body_fields(set_field or [])
    spec = ct.ModelSpec(model, how.base_url, settings=body, credentials=how.credentials, **how.placed)
    given = (existing(source), spec, out_folder)
    if dry_run:
        _tell_foreseen(ct.dry_run(ct.describe, *given, **dict(how.calls)), as_json=as_json)
        return
    with progress_bar(f"describing by {model}") as advance:
        outcome = ct.describe(*given, progress=advance, say=warn, **dict(how.calls))
    _tell(outcome, out_folder, as_json=as_json)
    if outcome.stopped is not None or outcome.unread:
        raise typer.Exit(PROBLEM)


def _tell_foreseen(foreseen: "DescribingForeseen", *, as_json: bool) -> None:
    if as_json:
        emit_json(asdict(foreseen))
        return
    row = [
        f"{foreseen.subjects:,}", f"{foreseen.views:,}", f"{foreseen.calls:,}", f"{foreseen.tokens:,}",
        amount(foreseen.money), amount(foreseen.spent),
    ]  # fmt: skip
    columns = ["things", "views", "calls now", "tokens (estimated)", "money (at most)", "spent"]
    table("Planned calls", columns, [row])


def _tell(outcome: "DescribingOutcome", folder: Path, *, as_json: bool) -> None:
    for words in outcome.notes:
        note(words, "dim")
    if outcome.unread:
        note(
            f"{outcome.unread} calls got no readable reply, so attributes stay unknown: the same command asks again",
            "yellow",
        )
    cost = "" if outcome.money is None else f"; money {amount(outcome.money)}"
    note(f"{outcome.asked} calls made now{cost}; replies in {folder}", "dim")
    if outcome.stopped is not None:
        note(outcome.stopped, "yellow")
    if as_json:
        emit_json(asdict(outcome) | {"folder": str(folder)})
    elif outcome.stopped is None:
        known = ", ".join(f"{key} of {count}" for key, count in outcome.known.items())
        out.print(f"{outcome.subjects} things described; both passes agree about the {known}", markup=False)
        out.print(f"{outcome.functions} types have a function", markup=False)
        out.print(f"{folder} is ready", markup=False)


describe_command = command(
    with_flags(_describe, {_HOW: _How}), stopped="all replies are kept, and the same command continues"
)

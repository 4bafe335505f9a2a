"""The command ``chronotope merge``."""

from pathlib import Path
from typing import Annotated

import typer

import chronotope.api as ct
from chronotope.api.vocabulary import MergedRuns
from chronotope.cli.console import PROBLEM, command, emit_json, note, out, warn
from chronotope.cli.paths import existing


@command
def merge_command(
    run: Annotated[list[Path], typer.Argument(help="run folders, such as those of all shards (--shard) of a run")],
    out_folder: Annotated[Path, typer.Option("--out", help="the run folder to make, or to add to")],
    as_json: Annotated[bool, typer.Option("--json", help="print the result as JSON")] = False,
) -> None:
    """Merge shards of a run to the run that one machine would have made. Runs that differ in identity are refused.

    The exit code is 1 if an ask has no reply.

    Example: chronotope merge runs/bench-model-shard-* --out merged
    """
    merged = ct.merge([existing(one) for one in run], out_folder)
    outcome = merged.outcome
    assert isinstance(outcome, MergedRuns), "merge() sets it"
    if as_json:
        counts = {name: getattr(outcome, name) for name in ("runs", "asks", "answered", "calls")}
        emit_json({"folder": str(merged.folder), **counts, "remarks": list(outcome.remarks)})
    else:
        for remark in outcome.remarks:
            warn(remark)
        note(
            f"{outcome.runs} runs: {outcome.asks} asks, {outcome.answered} of them answered; {outcome.calls} calls "
            "added"
        )
        out.print(merged.folder, markup=False)
    if outcome.answered < outcome.asks:
        raise typer.Exit(PROBLEM)

"""``chronotope vary``."""

from pathlib import Path
from typing import Annotated, get_args

import typer

from chronotope.cli.console import command, emit_json, out
from chronotope.cli.source import existing
from chronotope.errors import InputError
from chronotope.make import vary
from chronotope.question import Variant

__all__ = ["vary_command"]

_VARIANTS = [name for name in get_args(Variant) if name != "base"]


@command
def vary_command(
    benchmark: Annotated[Path, typer.Argument(help="a benchmark folder")],
    out_folder: Annotated[Path, typer.Option("--out", help="the benchmark folder to make")],
    variant: Annotated[str, typer.Option(help=f"which ones, separated by commas: {', '.join(_VARIANTS)}")] = ",".join(
        _VARIANTS
    ),
    as_json: Annotated[bool, typer.Option("--json", help="print the outcome as JSON")] = False,
) -> None:
    """Add reformulated questions: none of these as a distractor, as the answer, and open questions.

    Example: chronotope vary bench --variant none_answer,open --out bench-varied
    """
    names = [name.strip() for name in variant.split(",") if name.strip()]
    unknown = [name for name in names if name not in _VARIANTS]
    if unknown or not names:
        raise InputError(f"--variant: expected some of {', '.join(_VARIANTS)}, found {variant!r}")
    card = vary(existing(benchmark), [name for name in get_args(Variant) if name in names], out_folder)
    if as_json:
        emit_json({"folder": str(out_folder), "card": card.model_dump(mode="json")})
        return
    counted = ", ".join(f"{name} {number}" for name, number in card.counts.variants.items())
    out.print(f"{card.counts.questions} questions: {counted}", markup=False)
    out.print(f"{out_folder} is ready", markup=False)

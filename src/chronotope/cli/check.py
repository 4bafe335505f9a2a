"""``chronotope check``."""

import asyncio
import re
from pathlib import Path
from typing import Annotated

import typer

from chronotope.cli.console import PROBLEM, command, emit_json, out
from chronotope.cli.flags import body_fields, validated
from chronotope.cli.paths import existing
from chronotope.errors import InputError
from chronotope.evaluate import CheckOutcome, Selection, check_model, make_plan, planned_pictures
from chronotope.families import family
from chronotope.models import Decoding, Limits, Model, open_model
from chronotope.question import open_benchmark

__all__ = ["check_command"]

_PICTURES, _SIZE = 8, (640, 480)  # where no benchmark says
_MOST_PICTURES, _LONGEST_SIDE = 1000, 8192  # more than any service takes in one request, and of one picture


@command
def check_command(
    model: Annotated[str, typer.Option(help="provider/name, such as endpoint/NAME with --base-url, or openai/NAME")],
    benchmark: Annotated[
        Path | None, typer.Argument(help="a benchmark folder: as many pictures, and as large, as its questions show")
    ] = None,
    base_url: Annotated[str | None, typer.Option(help="the URL before /chat/completions")] = None,
    pictures: Annotated[
        int | None,
        typer.Option(
            min=1, max=_MOST_PICTURES, help=f"pictures in one request (default: the benchmark's, or {_PICTURES})"
        ),
    ] = None,
    size: Annotated[
        str | None, typer.Option(help="width and height of a picture in px (default: the benchmark's, or 640x480)")
    ] = None,
    max_tokens: Annotated[int, typer.Option(min=1, help="longest reply of the run to come")] = 100,
    set_field: Annotated[
        list[str] | None, typer.Option("--set", help="key=value: a further field of the request body; may repeat")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print what was found as JSON")] = False,
) -> None:
    """Does this endpoint see what it is sent: how many pictures, and in which order? It is asked some 8 questions.

    Example: chronotope check bench --model endpoint/qwen --base-url http://localhost:8000/v1

    Example: chronotope check --model openai/NAME --pictures 100 --size 1280x720
    """
    opened = open_model(model, base_url=base_url)
    if not opened.limits.looks:
        raise InputError(f"{model} looks at no pictures: there is nothing to check, ask it with `chronotope run`")
    planned = (_PICTURES, _SIZE) if benchmark is None else _planned(benchmark, opened.limits)
    count = pictures or planned[0]
    shown = planned[1] if size is None else _parsed(size)
    if opened.limits.pictures is not None and count > opened.limits.pictures:
        raise InputError(f"--pictures {count}: {model} takes at most {opened.limits.pictures} in one request")
    decoding = Decoding(max_tokens=max_tokens, extra=body_fields(set_field or []))
    outcome = asyncio.run(_checked(opened, decoding, count, shown))
    _tell(model, opened.limits, outcome, as_json=as_json)
    if outcome.problem is not None or outcome.warnings:
        raise typer.Exit(PROBLEM)


async def _checked(model: Model, decoding: Decoding, count: int, size: tuple[int, int]) -> CheckOutcome:
    try:
        return await check_model(model, decoding, count, size, lambda line: None)  # no run: nothing to keep calls in
    finally:
        await model.close()


def _planned(folder: Path, limits: Limits) -> tuple[int, tuple[int, int]]:
    """What `chronotope run` of this benchmark shows at most, without any flags."""
    benchmark = open_benchmark(existing(folder))
    chosen = family(benchmark.card.family)
    settings = validated(chosen.RunSettings, {}, f"family {chosen.name}")
    planned = planned_pictures(make_plan(benchmark, chosen, settings, Selection(), limits))
    if planned is None:
        raise InputError(f"{folder}: its questions show no pictures: name no benchmark to check with {_PICTURES}")
    return planned


def _parsed(size: str) -> tuple[int, int]:
    found = re.fullmatch(r"([1-9]\d{0,8})[x×]([1-9]\d{0,8})", size.strip().lower())
    if found is None:
        raise InputError(f"--size: expected WIDTHxHEIGHT in px, such as 640x480, found {size!r}")
    width, height = int(found[1]), int(found[2])
    if max(width, height) > _LONGEST_SIDE:
        raise InputError(f"--size {width}x{height}: expected at most {_LONGEST_SIDE} px a side")
    return width, height


def _tell(model: str, limits: Limits, outcome: CheckOutcome, *, as_json: bool) -> None:
    if as_json:
        emit_json({"model": model, "limit_of_pictures": limits.pictures, **outcome.model_dump(mode="json")})
        return
    for line in outcome.words():
        out.print(line, markup=False)
    if limits.pictures is not None:
        out.print(f"limit that the service states: {limits.pictures} pictures in one request", markup=False)

"""The command ``chronotope check``."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from chronotope.cli.console import PROBLEM, command, emit_json, out, warn
from chronotope.cli.flags import body_fields, validated
from chronotope.cli.paths import existing
from chronotope.errors import InputError
from chronotope.evaluate.plan import Selection, Shown, make_plan, planned_shown
from chronotope.evaluate.run import check_model
from chronotope.evaluate.score import CheckOutcome
from chronotope.families import family
from chronotope.interrupts import run_async
from chronotope.models import WAIT, Credentials, Decoding, Limits, Model, fitting, open_model, watched
from chronotope.protocol import AskSettings
from chronotope.question import open_benchmark

__all__ = ["check_command"]

Clips = Literal["frames", "video"]
_PICTURES, _SIZE = 8, (640, 480)  # where no benchmark says
_MOST_PICTURES, _LONGEST_SIDE = 1000, 8192  # more than any service takes in one request, and of one picture


@command
def check_command(
    model: Annotated[str, typer.Option(help="provider/name, such as endpoint/NAME with --base-url, or openai/NAME")],
    benchmark: Annotated[
        Path | None,
        typer.Argument(help="a benchmark folder; the check uses the number and size of the pictures in its questions"),
    ] = None,
    base_url: Annotated[str | None, typer.Option(help="the URL before /chat/completions")] = None,
    pictures: Annotated[
        int | None,
        typer.Option(
            min=1, max=_MOST_PICTURES, help=f"pictures in one request (default: as in the benchmark, or {_PICTURES})"
        ),
    ] = None,
    size: Annotated[
        str | None, typer.Option(help="width and height of a picture in px (default: as in the benchmark, or 640x480)")
    ] = None,
    clips: Annotated[
        Clips, typer.Option(help="how the later run sends clips; video also checks a test clip")
    ] = "frames",
    key_variable: Annotated[
        str | None, typer.Option(help="the environment variable with the API key (default: the provider's variable)")
    ] = None,
    header: Annotated[
        list[str] | None, typer.Option(help="'Name: value', a header of each request; can be repeated")
    ] = None,
    wait: Annotated[float, typer.Option(min=0, help="seconds to wait until the service accepts connections")] = WAIT,
    max_tokens: Annotated[
        int | None,
        typer.Option(min=1, help="maximum length of replies in the later run, in tokens (default: as in the run)"),
    ] = None,
    set_field: Annotated[
        list[str] | None, typer.Option("--set", help="key=value: a further field of the request body; can be repeated")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print the result as JSON")] = False,
) -> None:
    """Check that an endpoint sees all pictures of a request in the correct order. The check sends about 10 questions.

    Example: chronotope check bench --model endpoint/qwen --base-url http://localhost:8000/v1

    Example: chronotope check --model openai/NAME --pictures 100 --size 1280x720

    Example: chronotope check --model endpoint/qwen --base-url http://localhost:8000/v1 --clips video
    """
    opened = open_model(model, base_url=base_url, credentials=Credentials(key_variable, tuple(header or ())), wait=wait)
    if not opened.limits.looks:
        raise InputError(f"{model} accepts no pictures, so no check is needed: use `chronotope run`")
    plain = AskSettings.model_validate({})
    settings, shown = (plain, _any(clips)) if benchmark is None else _planned(benchmark, opened.limits, clips)
    if pictures is not None or size is not None:
        chosen = _parsed(size) if size is not None else shown.size if shown.pictures else _SIZE
        shown = replace(shown, pictures=pictures or shown.pictures or _PICTURES, size=chosen)
    if opened.limits.pictures is not None and shown.pictures > opened.limits.pictures:
        raise InputError(f"--pictures {shown.pictures}: {model} accepts at most {opened.limits.pictures}")
    extra = body_fields(set_field or [])
    decoding = fitting(model, Decoding(max_tokens=max_tokens or settings.max_tokens, extra=extra))
    outcome = run_async(_checked(opened, decoding, shown))
    _tell(model, opened.limits, outcome, as_json=as_json)
    if outcome.problem is not None or outcome.warnings:
        raise typer.Exit(PROBLEM)


async def _checked(model: Model, decoding: Decoding, shown: Shown) -> CheckOutcome:
    try:
        async with watched(model.trouble, warn):
            return await check_model(model, decoding, shown, lambda line: None)  # no run keeps these calls
    finally:
        await model.close()


def _any(clips: Clips) -> Shown:
    """Return the pictures of a check without a benchmark.

    The requests of the check have text before and after the pictures.
    """
    shown = Shown(_PICTURES, _SIZE) if clips == "frames" else Shown(videos=1, video_size=_SIZE)
    return replace(shown, words=("before", "after"))


def _planned(folder: Path, limits: Limits, clips: Clips) -> tuple[AskSettings, Shown]:
    """Return the default settings of a run, and the pictures it shows."""
    benchmark = open_benchmark(existing(folder))
    chosen = family(benchmark.card.family)
    settings = validated(chosen.RunSettings, {"clips": clips}, f"family {chosen.name}")
    planned = planned_shown(make_plan(benchmark, chosen, settings, Selection(), limits))
    if planned is None:
        raise InputError(
            f"{folder}: the questions have no pictures: omit the benchmark to check with {_PICTURES} pictures"
        )
    return settings, planned


def _parsed(size: str) -> tuple[int, int]:
    found = re.fullmatch(r"([1-9]\d{0,8})[x×]([1-9]\d{0,8})", size.strip().lower())
    if found is None:
        raise InputError(f"--size: expected WIDTHxHEIGHT in px, such as 640x480, found {size!r}")
    width, height = int(found[1]), int(found[2])
    if max(width, height) > _LONGEST_SIDE:
        raise InputError(f"--size {width}x{height}: expected at most {_LONGEST_SIDE} px for each side")
    return width, height


def _tell(model: str, limits: Limits, outcome: CheckOutcome, *, as_json: bool) -> None:
    if as_json:
        emit_json({"model": model, "limit_of_pictures": limits.pictures, **outcome.model_dump(mode="json")})
        return
    for line in outcome.words():
        out.print(line, markup=False)
    if limits.pictures is not None:
        out.print(f"limit stated by the service: {limits.pictures} pictures in one request", markup=False)

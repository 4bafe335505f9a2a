"""The command ``chronotope check``."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import chronotope.api as ct
from chronotope.api.checking import PICTURES
from chronotope.api.vocabulary import WAIT, Clips, Credentials, FramesAs
from chronotope.cli.console import PROBLEM, command, emit_json, out, warn
from chronotope.cli.flags import body_fields
from chronotope.cli.paths import existing
from chronotope.errors import InputError

if TYPE_CHECKING:
    from chronotope.api.checking import Checked

_MOST_PICTURES, _LONGEST_SIDE = 1000, 8192  # no service accepts more pictures in a request, or a longer side (px)


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
            min=1, max=_MOST_PICTURES, help=f"pictures in one request (default: as in the benchmark, or {PICTURES})"
        ),
    ] = None,
    size: Annotated[
        str | None, typer.Option(help="width and height of a picture in px (default: as in the benchmark, or 640x480)")
    ] = None,
    clips: Annotated[
        Clips, typer.Option(help="how the later run sends clips; video also checks a test clip")
    ] = "frames",
    frames_as: Annotated[
        FramesAs | None,
        typer.Option(
            help="how the later run sends frames: video (one video of frames), images (numbered, with times); also "
            "asks for the time of a frame"
        ),
    ] = None,
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
    spec = ct.ModelSpec(model, base_url, credentials=Credentials(key_variable, tuple(header or ())))
    outcome = ct.check(
        spec, None if benchmark is None else existing(benchmark), pictures=pictures, size=_parsed(size), clips=clips,
        frames_as=frames_as, max_tokens=max_tokens, set=body_fields(set_field or []), wait=wait, say=warn,
    )  # fmt: skip
    _tell(model, outcome, as_json=as_json)
    if outcome.problem is not None or outcome.warnings:
        raise typer.Exit(PROBLEM)


def _parsed(size: str | None) -> tuple[int, int] | None:
    if size is None:
        return None
    found = re.fullmatch(r"([1-9]\d{0,8})[x×]([1-9]\d{0,8})", size.strip().lower())
    if found is None:
        raise InputError(f"--size: expected WIDTHxHEIGHT in px, such as 640x480, found {size!r}")
    width, height = int(found[1]), int(found[2])
    if max(width, height) > _LONGEST_SIDE:
        raise InputError(f"--size {width}x{height}: expected at most {_LONGEST_SIDE} px for each side")
    return width, height


def _tell(model: str, outcome: "Checked", *, as_json: bool) -> None:
    if as_json:
        limit = outcome.limit_of_pictures
        emit_json({"model": model, "limit_of_pictures": limit, **outcome.model_dump(mode="json")})
        return
    for line in outcome.words():
        out.print(line, markup=False)
    if outcome.limit_of_pictures is not None:
        out.print(f"limit stated by the service: {outcome.limit_of_pictures} pictures in one request", markup=False)

"""Flags for facts that the files of a source do not contain."""

from typing import Annotated

import typer

from chronotope.errors import InputError
from chronotope.recording import Kind
from chronotope.recording.sources import Given, parse_gravity

_PANEL = "Facts that the source's format lacks"
FpsFlag = Annotated[
    float | None, typer.Option("--fps", help="samples of the trajectory per second", rich_help_panel=_PANEL)
]
KindFlag = Annotated[Kind | None, typer.Option("--kind", help="size class of the scene", rich_help_panel=_PANEL)]
GravityFlag = Annotated[
    str | None,
    typer.Option(
        "--gravity",
        help="the direction in which things fall, in world coordinates: an axis such as -z, a vector such as 0,0,-1, "
        "or 'unknown'",
        rich_help_panel=_PANEL,
    ),
]
SourceFlag = Annotated[
    str | None,
    typer.Option(
        "--source", help="the format of the source (default: recognized from its files)", rich_help_panel=_PANEL
    ),
]


def given(fps: float | None, kind: Kind | None, gravity: str | None) -> Given:
    """Return the facts that the flags state.

    Raises:
        InputError: If ``fps`` is not above zero, or the text of ``gravity`` is not a direction.
    """
    if fps is not None and not fps > 0:
        raise InputError(f"--fps: expected a number above zero, found {fps:g}")
    return Given(fps=fps, kind=kind, gravity=None if gravity is None else parse_gravity(gravity))

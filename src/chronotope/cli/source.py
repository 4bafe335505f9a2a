"""Flags for facts that the files of a source do not contain, and for the place where a source is read."""

from typing import Annotated

import typer

from chronotope.api.vocabulary import Kind

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
OnFlag = Annotated[
    str | None,
    typer.Option(
        "--on",
        help="ray: the workers are those of a Ray cluster, which RAY_ADDRESS names, or of Ray on this machine; "
        "ray://HOST:PORT: those of the cluster with this client address",
    ),
]

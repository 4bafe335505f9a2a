"""What goes into a source and what comes out of it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from chronotope.recording.types import Kind, Recording

__all__ = ["Found", "Given", "Loaded", "Source"]


@dataclass(frozen=True)
class Given:
    """What the flags --fps, --kind and --gravity say; None where a flag is absent.

    ``gravity`` is the direction in which things fall, in world coordinates (any length above zero), or "unknown".
    """

    fps: float | None = None
    kind: Kind | None = None
    gravity: tuple[float, float, float] | Literal["unknown"] | None = None


@dataclass(frozen=True)
class Loaded:
    """A source as a recording.

    ``pictures`` has one file per sample, or is empty where the source has no pictures of its own; the recording's
    ``clip`` is then still to be made of them. ``depth`` has one file or None per sample, or is empty; a depth picture's
    values are divided by ``provenance["depth_scale"]`` to give metres, and 0 is no value. ``notes`` has one sentence
    for each repair that was made and each convention that was used.
    """

    recording: Recording
    pictures: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()
    depth: tuple[Path | None, ...] = ()


@dataclass(frozen=True)
class Found:
    """One source: where it lies and the name of the module that reads it."""

    path: Path
    source: str


class Source(Protocol):
    """A module of this folder."""

    NAME: str
    TITLE: str

    def matches(self, path: Path) -> bool:
        """Whether the path looks like this form; opens at most the start of one file and never raises."""
        ...

    def load(self, path: Path, given: Given) -> Loaded:
        """Read the path as this form; InputError in one sentence where it is not."""
        ...

"""A procedure: the steps of a manual, their diagrams, and takes.

A procedure describes a manual as a recording describes a clip. Times are in seconds from the start of a take's clip.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Group", "Procedure", "Segment", "Step", "Take", "group"]

Group = tuple[str, ...]  # the parts that a sub-assembly is made of, in canonical order: see ``group``


def group(parts: Iterable[str]) -> Group:
    """Order the parts of a sub-assembly.

    Equal groups are then equal tuples.
    """
    return tuple(sorted({part.strip() for part in parts}, key=_rank))


def _rank(part: str) -> tuple[bool, int, str]:
    return (False, int(part), part) if part.isdecimal() else (True, 0, part)


@dataclass(frozen=True)
class Step:
    """One step of a manual.

    ``number`` counts from 0 and can have gaps. ``diagram`` is its best picture, or None; ``published_diagram`` is the
    copy that a paper used, if a source has two copies (otherwise equal to ``diagram``). ``parts`` are the groups that
    are joined, ``connections`` the pairs of groups that touch; both are empty if the source does not state them.
    ``description`` is a person's text for the diagram, by dimension, or empty. ``takes`` names the takes that show the
    step, in the source's order for this step, once for each segment; it is empty if that is the order of the
    procedure's takes.
    """

    number: int
    diagram: Path | None = None
    published_diagram: Path | None = None
    parts: tuple[Group, ...] = ()
    connections: tuple[tuple[Group, Group], ...] = ()
    description: dict[str, str] = field(default_factory=dict[str, str])
    takes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Segment:
    """The span from ``start`` to ``end`` (s) of a take that shows ``step`` (a ``Step.number``)."""

    step: int
    start: float
    end: float


@dataclass(frozen=True)
class Take:
    """One video of people who carry out the manual.

    ``clip`` is None if the video is missing: such a take cannot be used in questions.
    """

    id: str
    clip: Path | None
    segments: tuple[Segment, ...]
    fps: float | None = None


@dataclass(frozen=True)
class Procedure:
    """A manual with its takes.

    ``id`` is safe as a folder's name and unique in its source; ``product`` is the product's usual name, which two
    procedures may share (then ``category`` distinguishes them). Steps are in order of their numbers, takes in the order
    of the source. Paths are absolute in memory and relative to the procedure's folder on disk.
    """

    id: str
    product: str
    category: str
    source: str
    steps: tuple[Step, ...]
    takes: tuple[Take, ...] = ()
    licence: str | None = None
    attribution: str | None = None
    provenance: dict[str, Any] = field(default_factory=dict[str, Any])

    def step(self, number: int) -> Step:
        """Return the step of this number, or raise KeyError."""
        for step in self.steps:
            if step.number == number:
                return step
        raise KeyError(number)

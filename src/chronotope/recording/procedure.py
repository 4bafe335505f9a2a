"""A procedure: the steps of a manual with their diagrams, and takes that show the steps.

A procedure describes a manual in the same way as a recording describes a clip. Times are in seconds from the start
of a take's clip.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

MistakeKind = Literal["wrong_part", "wrong_side", "wrong_order", "left_out"]
MISTAKES: tuple[MistakeKind, ...] = get_args(MistakeKind)
Group = tuple[str, ...]  # the parts of a sub-assembly, in the order of ``group``


def group(parts: Iterable[str]) -> Group:
    """Sort the parts of a sub-assembly into a standard order.

    In this order, two groups of the same parts are equal tuples.
    """
    return tuple(sorted({part.strip() for part in parts}, key=_rank))


def _rank(part: str) -> tuple[bool, int, str]:
    return (False, int(part), part) if part.isdecimal() else (True, 0, part)


@dataclass(frozen=True)
class Step:
    """One step of a manual.

    ``number`` is the number of the step. Numbers start at 0 and can have gaps. ``diagram`` is the best picture of
    the step, or None. ``published_diagram`` is the copy of the diagram that a paper used, if the source has two
    copies; otherwise it equals ``diagram``. ``photo`` is a photograph of what the diagram shows, or a
    picture like one, or None.

    ``parts`` lists the groups of parts that this step joins. ``connections`` lists the pairs of groups that touch.
    ``parts`` and ``connections`` are empty if the source does not state them. ``description`` has sentences that a
    person wrote about the diagram, one for each aspect of the diagram; it can be empty.

    ``takes`` names the takes that show the step, in the order that the source gives for this step. A take is named
    once for each of its segments. ``takes`` is empty if this order equals the order of the procedure's takes.
    """

    number: int
    diagram: Path | None = None
    published_diagram: Path | None = None
    parts: tuple[Group, ...] = ()
    connections: tuple[tuple[Group, Group], ...] = ()
    description: dict[str, str] = field(default_factory=dict[str, str])
    takes: tuple[str, ...] = ()
    photo: Path | None = None


@dataclass(frozen=True)
class Segment:
    """The span from ``start`` to ``end`` (s) in which a take shows the step numbered ``step``."""

    step: int
    start: float
    end: float


@dataclass(frozen=True)
class Mistake:
    """What the people in a take do otherwise than the manual says.

    ``step`` is the number of the step that is not done as drawn: with a wrong part, or with a part on a wrong side, or
    too early (wrong order), or not at all (left out). ``parts`` are the parts that are wrong, too early, or left out.
    From ``start`` (s) on, the mistake is being made, and at ``end`` (s) it has happened. ``undo`` are the numbers of
    the steps in the take that have to be undone, at least in part, before the mistake can be put right. It is None
    if in the end nothing is wrong.
    """

    kind: MistakeKind
    step: int
    parts: tuple[str, ...]
    start: float
    end: float
    undo: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Take:
    """One video of people who carry out the manual.

    ``clip`` is None if the video file is missing. A take without a video file cannot be used in questions. ``mistake``
    is None if the people do what the manual says; a take with a mistake shows the steps around it.
    """

    id: str
    clip: Path | None
    segments: tuple[Segment, ...]
    fps: float | None = None
    mistake: Mistake | None = None


@dataclass(frozen=True)
class Procedure:
    """A manual with its takes.

    ``id`` is unique in its source and can be used as a folder's name. ``product`` is the product's usual name. Two
    procedures can have the same product name only if their categories differ. Steps are sorted by number. Takes are in
    the order of the source. Paths are absolute in memory, and relative to the procedure's folder on disk.
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
        """Return the step with this number, or raise KeyError."""
        for step in self.steps:
            if step.number == number:
                return step
        raise KeyError(number)

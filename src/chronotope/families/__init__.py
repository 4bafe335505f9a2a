"""The families of questions, one paper each, and finding the installed ones."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from chronotope.errors import InputError
from chronotope.families.published import (
    CheckedStatement,
    FigurePoint,
    Misprint,
    PublishedColumn,
    PublishedLength,
    PublishedRow,
    PublishedTable,
    PublishedWay,
    Reference,
    ReleasedSet,
    TableFigure,
    read_reference,
)
from chronotope.families.released import Finding, NoClipError, Release, ReleasedRows, UnusableError, folders_in
from chronotope.families.writing import (
    CALLED,
    Described,
    DescribeRequest,
    Subject,
    WriteContext,
    Written,
)
from chronotope.plugins import installed, own_parts
from chronotope.protocol import Ask, AskSettings, EvaluationProtocol, Reading, Scored
from chronotope.question import Profile, Question, Refused

__all__ = [
    "CALLED",
    "CheckedStatement",
    "DescribeRequest",
    "Described",
    "Family",
    "FigurePoint",
    "Finding",
    "Misprint",
    "NoClipError",
    "Profile",
    "PublishedColumn",
    "PublishedLength",
    "PublishedRow",
    "PublishedTable",
    "PublishedWay",
    "Reference",
    "Refused",
    "Release",
    "ReleasedRows",
    "ReleasedSet",
    "Subject",
    "TableFigure",
    "UnusableError",
    "WriteContext",
    "Written",
    "families",
    "family",
    "folders_in",
    "read_reference",
]


@dataclass(frozen=True)
class Family:
    """What a family provides. A package exposes one as ``FAMILY``.

    The commands find everything else through it. ``write`` turns one ``subject`` (a Scene or a Procedure) into
    questions; None if they are imported only. ``select`` keeps those that rules over the whole benchmark allow, and
    counts the others as refused. ``describe`` lets a model describe pictures (``--writer``). ``reference`` reads
    published results. ``importer`` reads the authors' released data (a folder or a file, and the folder of the clips if
    they are elsewhere) and raises InputError for other data. ``exporter`` makes the contents of the authors' result
    files, by their name of the strategy, from asks and the readings of their replies. ``figures`` are those of the
    paper that are drawn from the protocol's tables. ``statements`` checks what the paper says in words against all that
    a run scored. ``guard`` gets the model, its judge if any, the run's settings and the questions, and returns why this
    run is forbidden.

    Finding a family imports its package, so the functions that write, import or describe do their imports when they are
    called. Asking and scoring load none of them.
    """

    name: str
    title: str
    tasks: tuple[str, ...]
    protocol: EvaluationProtocol
    write: Callable[[Any, WriteContext], Written] | None = None
    BuildOptions: type[BaseModel] = BaseModel
    RunSettings: type[AskSettings] = AskSettings
    subject: Subject = "scene"
    select: Callable[[Sequence[Question], WriteContext], Written] | None = None
    describe: Callable[[DescribeRequest], Described] | None = None
    importer: Callable[[Path, Path | None], Release] | None = None
    exporter: Callable[[Iterable[tuple[Ask, Question, Reading | None, str | None]]], dict[str, Any]] | None = None
    reference: Callable[[], Reference] | None = None
    figures: tuple[TableFigure, ...] = ()
    statements: Callable[[Sequence[Scored]], list[CheckedStatement]] | None = None
    headline: Literal["accuracy", "circular"] = "accuracy"  # the figure that the paper leads with
    guard: Callable[[str, str | None, Any, Sequence[Question]], str | None] | None = None
    cluster: str = "clip"  # what questions share and intervals go by, as reports call it
    explain: dict[str, str] = field(default_factory=dict)  # refusal code -> what it means, in a few words
    kinds: Callable[[], dict[str, str]] = dict  # kind of question -> its task, where kinds are finer than tasks


@cache
def families() -> dict[str, Family]:
    """Find every family, by name.

    The packages of this folder come first, then the entry points of the group ``chronotope.families``.

    Raises:
        InputError: If an entry point cannot be loaded or is not a family, or if two families have the same name.
    """
    own = own_parts(__name__, __path__, "FAMILY")
    return installed("chronotope.families", Family, ("family", "families"), own)


def family(name: str) -> Family:
    """Return the family with this name.

    Raises:
        InputError: If there is none. The message lists the names.
    """
    try:
        return families()[name]
    except KeyError:
        raise InputError(f"there is no family {name!r}: expected one of {', '.join(families())}") from None

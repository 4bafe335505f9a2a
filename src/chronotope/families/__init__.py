"""The families of questions, one paper each, and finding the installed ones."""

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import EntryPoint, entry_points
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
    counts the others as refused. ``describe`` has a model describe pictures (``--writer``). ``reference`` reads
    published results. ``importer`` reads the authors' released data (a folder or a file, and where the clips are, if
    not beside it) and raises InputError if it is none of theirs. ``exporter`` makes the contents of their result files,
    by the authors' name of the strategy, from asks with what was read in their replies, and these. ``figures`` are
    those of the paper that are drawn from the protocol's tables. ``statements`` checks what the paper says in words
    against all that a run scored. ``guard`` gets the model, its judge if any, the run's settings and the questions, and
    says why this must not be asked.

    Finding a family imports its package, so functions that write, import or describe do their own imports when they are
    called: asking and scoring then load none of that.
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
    """
    found: dict[str, Family] = {}
    own = [module.name for module in pkgutil.iter_modules(__path__) if module.ispkg]
    candidates: Sequence[tuple[str, Any]] = [
        *((name, importlib.import_module(f"{__name__}.{name}").FAMILY) for name in sorted(own)),
        *((point.name, _loaded(point)) for point in entry_points(group="chronotope.families")),
    ]
    for name, loaded in candidates:
        if not isinstance(loaded, Family):
            raise InputError(f"entry point {name!r} of chronotope.families is no Family: it must name a FAMILY object")
        if loaded.name in found:
            raise InputError(f"two installed families are called {loaded.name!r}: uninstall one of them")
        found[loaded.name] = loaded
    return found


def _loaded(point: EntryPoint) -> Any:
    try:
        return point.load()
    except (ImportError, AttributeError) as error:
        raise InputError(
            f"the installed family {point.name!r} cannot be loaded from {point.value} ({error}): mend or uninstall it"
        ) from error


def family(name: str) -> Family:
    """Return the family of this name.

    Raises:
        InputError: If there is none. It lists the names.
    """
    try:
        return families()[name]
    except KeyError:
        raise InputError(f"no family is called {name!r}: expected one of {', '.join(families())}") from None

"""The families of questions, one paper each: what a family is, and finding the ones that are installed."""

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from chronotope.errors import InputError
from chronotope.protocol import AskSettings, EvaluationProtocol
from chronotope.question import Profile, Question
from chronotope.recording import Recording

__all__ = [
    "Family",
    "Finding",
    "Misprint",
    "Profile",
    "PublishedColumn",
    "PublishedLength",
    "PublishedRow",
    "PublishedTable",
    "Reference",
    "Release",
    "ReleasedSet",
    "WriteContext",
    "Written",
    "families",
    "family",
    "read_reference",
]


@dataclass(frozen=True)
class WriteContext:
    """What a writer is told besides the recording.

    ``options`` is the family's own ``BuildOptions``; ``clip`` is the clip's path inside the benchmark, None where the
    recording has no pictures.
    """

    seed: int
    profile: Profile
    options: Any
    clip: str | None = None


@dataclass(frozen=True)
class Written:
    """The questions of one recording, and how many candidates each refusal removed: {kind of question: {code: n}}."""

    questions: tuple[Question, ...]
    refusals: dict[str, dict[str, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Finding:
    """A defect of released data and the rows that have it, each named as a person finds it.

    ``words`` say what the rows are or have, to follow "12 questions". Rows that no benchmark can hold are ``left_out``;
    the others are kept and carry the flag ``code``.
    """

    code: str
    words: str
    rows: tuple[str, ...]
    left_out: bool = False


@dataclass(frozen=True)
class Release:
    """What an importer read of the authors' released data, before any clip is opened.

    ``files`` holds, for each media path of ``questions`` (inside the benchmark to be), where the file lies now.
    ``names`` holds for each question the words with which a finding names its row. ``refusals`` counts, by task, the
    rows that were left out, by code. ``notes`` say by which convention the data was read.
    """

    questions: tuple[Question, ...]
    files: dict[str, Path]
    names: dict[str, str]
    licence: str
    attributions: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    refusals: dict[str, dict[str, int]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


class _Published(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PublishedLength(_Published):
    """The share of clips (percent) that last longer than the row before says and up to ``up_to`` s; None: any."""

    up_to: float | None
    percent: float


class ReleasedSet(_Published):
    """How many questions the released set has: by task and by the value of one tag, ``by``; empty cells are zeros.

    ``lengths`` tell how long its clips are, where that is published.
    """

    clips: int
    by: str
    questions: dict[str, dict[str, int]]
    source: str
    lengths: tuple[PublishedLength, ...] = ()

    @property
    def total(self) -> int:
        """All questions."""
        return sum(sum(of.values()) for of in self.questions.values())

    def count(self, questions: Sequence[Question]) -> dict[str, dict[str, int]]:
        """The same counts of some questions in their first form; a task or value that is not published is added."""
        counts = {task: dict.fromkeys(of, 0) for task, of in self.questions.items()}
        for question in questions:
            if question.variant == "base":
                of_task = counts.setdefault(question.task, {})
                for value in question.tags.get(self.by) or ("",):
                    of_task[value] = of_task.get(value, 0) + 1
        return counts


class PublishedColumn(_Published):
    """A column of a published table.

    ``name`` is also that of the protocol's table; ``short`` stands where there is little room; ``questions`` is None
    where the number is not known.
    """

    name: str
    short: str | None = None
    questions: int | None = None


class PublishedRow(_Published):
    """A row as printed: None for a cell that the paper leaves empty, ``frames`` where the number shown is known."""

    model: str
    values: tuple[float | bool | str | None, ...]
    group: str | None = None
    frames: int | None = None


class Misprint(_Published):
    """A printed cell that other printed numbers contradict: the value to use, None where none is known, and why."""

    model: str
    column: str
    right: float | bool | None
    why: str


class PublishedTable(_Published):
    """A table of a paper.

    ``own`` names the table of the family's protocol whose one row belongs among these rows, None for a table that no
    run has a row in; ``overall`` is the column by which rows are sorted, the highest first.
    """

    source: str
    title: str
    columns: tuple[PublishedColumn, ...]
    rows: tuple[PublishedRow, ...]
    own: str | None = None
    overall: str | None = None
    decimals: int = 1
    misprints: tuple[Misprint, ...] = ()
    notes: tuple[str, ...] = ()


class Reference(_Published):
    """``reference.json`` of a family: what its paper printed."""

    paper: str
    released: ReleasedSet
    tables: tuple[PublishedTable, ...]


def read_reference(package: str) -> Reference:
    """The published results that lie beside a family's code."""
    return Reference.model_validate_json(files(package).joinpath("reference.json").read_bytes())


@dataclass(frozen=True)
class Family:
    """What a family brings. A package exposes one as ``FAMILY``; the commands find everything else through it.

    ``write`` turns one recording into questions.
    ``reference`` reads published results. ``importer`` reads the authors' released data (a folder or a file, and where
    the clips are, if not beside it); InputError where it is none of theirs.
    """

    name: str
    title: str
    tasks: tuple[str, ...]
    write: Callable[[Recording, WriteContext], Written]
    protocol: EvaluationProtocol
    BuildOptions: type[BaseModel]
    RunSettings: type[AskSettings] = AskSettings
    importer: Callable[[Path, Path | None], Release] | None = None
    reference: Callable[[], Reference] | None = None
    explain: dict[str, str] = field(default_factory=dict)  # refusal code -> what it means, in a few words


@cache
def families() -> dict[str, Family]:
    """Every family by name: the packages of this folder, then the entry points of the group ``chronotope.families``."""
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
    """The family of this name; InputError lists the names there are."""
    try:
        return families()[name]
    except KeyError:
        raise InputError(f"no family is called {name!r}: expected one of {', '.join(families())}") from None

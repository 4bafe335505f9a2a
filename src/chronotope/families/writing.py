"""The data exchanged between the commands and a family that makes questions: context, questions, descriptions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from chronotope.models import Credentials
from chronotope.question import Description, Profile, Question

__all__ = ["CALLED", "DescribeRequest", "Described", "Subject", "WriteContext", "Written"]

Subject = Literal["scene", "procedure"]  # what a family asks about
# What a person calls the sources of these: most scenes are one recording.
CALLED: dict[Subject, str] = {"scene": "recording", "procedure": "procedure"}


@dataclass(frozen=True)
class WriteContext:
    """The input of a writer, besides the scene or procedure.

    ``options`` is the family's own ``BuildOptions``. ``clips`` maps the ids of the scene's recordings to the paths of
    their clips inside the benchmark; a recording without pictures has none. ``folder`` has the layout of the benchmark:
    a writer may put pictures there, and names them in ``Written.media``. ``media`` maps the files that the subject
    names to their paths in that folder.
    """

    seed: int
    profile: Profile
    options: Any
    clips: Mapping[str, str] = field(default_factory=dict[str, str])
    folder: Path | None = None
    media: Mapping[Path, str] = field(default_factory=dict[Path, str])


@dataclass(frozen=True)
class Written:
    """Questions, and the number of candidates that each refusal removed: {kind of question: {code: n}}.

    ``media`` are the paths of pictures that the writer put into the folder; ``descriptions`` describe them.
    """

    questions: tuple[Question, ...]
    refusals: dict[str, dict[str, int]] = field(default_factory=dict)
    media: tuple[str, ...] = ()
    descriptions: tuple[Description, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class DescribeRequest:
    """The input of a family that lets a model describe pictures.

    ``folders`` maps ids to the folders of recordings or procedures, with the layout of the benchmark; ``known`` are the
    existing descriptions. Every call is stored in ``ledger`` and is not repeated.
    """

    folders: Mapping[str, Path]
    known: tuple[Description, ...]
    writer: str
    base_url: str | None
    ledger: Path
    progress: Callable[[int, int, str], None] | None = None
    profile: Profile = "strict"
    credentials: Credentials | None = None


@dataclass(frozen=True)
class Described:
    """All descriptions, and notes on how they were made."""

    descriptions: tuple[Description, ...]
    notes: tuple[str, ...] = ()

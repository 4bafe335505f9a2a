"""What passes between the commands and a family that makes questions: the context, the questions, descriptions."""

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
    """What a writer is told besides the scene or procedure.

    ``options`` is the family's own ``BuildOptions``. ``clips`` maps the ids of the scene's recordings to the paths of
    their clips inside the benchmark; a recording without pictures has none. ``folder`` is laid out as the benchmark
    will be: a writer may put pictures there, and names them in ``Written.media``. ``media`` maps the files that the
    subject names to their paths in there.
    """

    seed: int
    profile: Profile
    options: Any
    clips: Mapping[str, str] = field(default_factory=dict[str, str])
    folder: Path | None = None
    media: Mapping[Path, str] = field(default_factory=dict[Path, str])


@dataclass(frozen=True)
class Written:
    """Questions, and how many candidates each refusal removed: {kind of question: {code: n}}.

    ``media`` are the paths of pictures that the writer put into the folder, ``descriptions`` what is said of them.
    """

    questions: tuple[Question, ...]
    refusals: dict[str, dict[str, int]] = field(default_factory=dict)
    media: tuple[str, ...] = ()
    descriptions: tuple[Description, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class DescribeRequest:
    """What a family is told that has a model describe pictures.

    ``folders`` holds, by id, the folder of each recording or procedure, laid out as the benchmark; ``known`` are the
    descriptions that there are already. Every call is kept in ``ledger``, and none that is there is made again.
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
    """All descriptions, and what is to be told of how they were made."""

    descriptions: tuple[Description, ...]
    notes: tuple[str, ...] = ()

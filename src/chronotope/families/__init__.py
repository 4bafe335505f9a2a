"""The families of questions, one paper each: what a family is, and finding the ones that are installed."""

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from chronotope.errors import InputError
from chronotope.protocol import AskSettings, EvaluationProtocol
from chronotope.question import Profile, Question
from chronotope.recording import Recording

__all__ = ["Family", "Profile", "WriteContext", "Written", "families", "family"]


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
class Family:
    """What a family brings. A package exposes one as ``FAMILY``; the commands find everything else through it.

    ``write`` turns one recording into questions.
    ``reference`` holds published results. ``importer`` turns the authors' released data into a benchmark folder.
    """

    name: str
    title: str
    tasks: tuple[str, ...]
    write: Callable[[Recording, WriteContext], Written]
    protocol: EvaluationProtocol
    BuildOptions: type[BaseModel]
    RunSettings: type[AskSettings] = AskSettings
    importer: Callable[[Path, Path], None] | None = None
    reference: dict[str, Any] = field(default_factory=dict)
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

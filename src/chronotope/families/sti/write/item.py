"""What a variant of a task is, what it measures, and what it makes of that: options with the right one among them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np

from chronotope.families import Profile
from chronotope.families.sti.scale import Scale
from chronotope.families.sti.write.windows import Place
from chronotope.recording import Recording

__all__ = ["Candidate", "Item", "Subject", "Variant"]


class Subject(Protocol):
    """What questions are asked about, prepared once for all of them: the camera's way, or the things in the scene."""

    @property
    def recording(self) -> Recording:
        """Where it comes from."""
        ...

    @property
    def scale(self) -> Scale:
        """The constants of its kind of scene."""
        ...

    def phrase(self, entity: str, /) -> str:
        """What the thing with this id is called in stems and options."""
        ...


S = TypeVar("S", bound=Subject, contravariant=True)


@dataclass(frozen=True)
class Candidate:
    """A place of the clip that can be asked about, with the true answer there."""

    place: Place
    value: Any


@dataclass(frozen=True)
class Item:
    """A question's content before its options are shuffled: ``answer`` indexes ``options``; ``facts`` tell the rest."""

    place: Place
    stem: str
    options: tuple[str, ...]
    answer: int
    facts: dict[str, Any] = field(default_factory=dict)


class Variant(Protocol[S]):
    """One kind of question about a subject."""

    @property
    def name(self) -> str:
        """Short name, part of the ids."""
        ...

    @property
    def task(self) -> str:
        """The paper's task."""
        ...

    def places(self, generator: np.random.Generator, subject: S, count: int, /) -> list[Place]:
        """At most so many distinct places, in the order in which they are to be asked about."""
        ...

    def measure(self, subject: S, place: Place, profile: Profile, /) -> Any:
        """The true answer at a place; raises Refused."""
        ...

    def alike(self, subject: S, first: Any, second: Any, /) -> bool:
        """Whether two answers are so near each other that one question would tell the other's."""
        ...

    def item(
        self, generator: np.random.Generator, subject: S, profile: Profile, candidates: Sequence[Candidate], /
    ) -> Item:
        """The item of the first candidate that the options drawn fit; raises Refused where they fit none.

        Under ``strict`` the options' offsets and the answer's rank are drawn first and a candidate is looked for that
        they suit: never other options for the same value, because they would then tell of it.
        """
        ...

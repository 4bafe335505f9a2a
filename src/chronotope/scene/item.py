"""Kinds of questions: their places, measurements and items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np

from chronotope.question import Profile
from chronotope.recording import Recording
from chronotope.scene.moments import Place


class Subject(Protocol):
    """The subject of questions, prepared once for all of them.

    A subject is a ``Camera`` or a ``SceneView``, for example.
    """

    @property
    def recording(self) -> Recording:
        """Return the recording of the subject."""
        ...

    def phrase(self, entity: str, /) -> str:
        """Return the name of a thing in stems and options."""
        ...


S = TypeVar("S", bound=Subject, contravariant=True)


@dataclass(frozen=True)
class Candidate:
    """A place for a question, with the true answer there."""

    place: Place
    value: Any


@dataclass(frozen=True)
class Item:
    """A question's content before its options are shuffled.

    ``answer`` is the index of the correct option in ``options``. ``facts`` are added to the question's provenance, and
    ``tags`` are added to its tags. A ``stem`` made by ``named_stem`` has the positions of names.
    """

    place: Place
    stem: str
    options: tuple[str, ...]
    answer: int
    facts: dict[str, Any] = field(default_factory=dict)
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])


@dataclass(frozen=True)
class Remark:
    """A sentence that a family adds to a stem, with its entity, tags and facts.

    ``entity`` is the id of the thing that the sentence names, if any. The name of this thing is ``phrase``; in
    ``text``, the name begins at the character ``start`` and ends before the character ``end``. ``tags`` and ``facts``
    are added to the question's tags and provenance.
    """

    text: str
    entity: str | None = None
    phrase: str | None = None
    start: int = 0
    end: int = 0
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])


class QuestionKind(Protocol[S]):
    """One kind of question about a subject."""

    @property
    def name(self) -> str:
        """Return the kind's short name, which is part of question ids."""
        ...

    @property
    def task(self) -> str:
        """Return the paper's task."""
        ...

    def places(self, generator: np.random.Generator, subject: S, count: int, /) -> list[Place]:
        """Return at most ``count`` distinct places, in the order of asking."""
        ...

    def measure(self, subject: S, place: Place, profile: Profile, /) -> Any:
        """Return the true answer at a place.

        Raises:
            Refused: If no question is possible at this place.
        """
        ...

    def alike(self, subject: S, first: Any, second: Any, /) -> bool:
        """Check whether one of two answers would reveal the other.

        An answer reveals the other if the two answers are nearly the same.
        """
        ...

    def item(
        self, generator: np.random.Generator, subject: S, profile: Profile, candidates: Sequence[Candidate], /
    ) -> Item:
        """Return the item of the first candidate that fits the drawn options.

        Under the profile ``strict``, the options' offsets and the answer's rank are drawn first. Then the first
        candidate that fits them is chosen. Options are never redrawn for the same value, because the choice between
        several draws could reveal the value.

        Raises:
            Refused: If no candidate fits the options.
        """
        ...

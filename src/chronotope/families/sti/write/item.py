"""What a variant of a task is, what it measures, and what it makes of that: options with the right one among them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from chronotope.families import Profile
from chronotope.families.sti.write.track import CameraTrack
from chronotope.families.sti.write.windows import Place

__all__ = ["PUBLISHED_RULE", "Candidate", "Item", "Variant"]

# Flags items whose distractors follow the published rule, which points at the answer.
PUBLISHED_RULE = "published-distractors"


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


class Variant(Protocol):
    """One kind of question about the camera."""

    @property
    def name(self) -> str:
        """Short name, part of the ids."""
        ...

    @property
    def task(self) -> str:
        """The paper's task."""
        ...

    def places(self, generator: np.random.Generator, track: CameraTrack, count: int) -> list[Place]:
        """At most so many distinct places, in the order in which they are to be asked about."""
        ...

    def measure(self, track: CameraTrack, place: Place, profile: Profile) -> Any:
        """The true answer at a place; raises Refused."""
        ...

    def alike(self, track: CameraTrack, first: Any, second: Any) -> bool:
        """Whether two answers are so near each other that one question would tell the other's."""
        ...

    def item(
        self, generator: np.random.Generator, track: CameraTrack, profile: Profile, candidates: Sequence[Candidate]
    ) -> Item:
        """The item of the first candidate that the options drawn fit; raises Refused where they fit none.

        Under ``strict`` the options' offsets and the answer's rank are drawn first and a candidate is looked for that
        they suit: never other options for the same value, because they would then tell of it.
        """
        ...

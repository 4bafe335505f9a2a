"""The protocol: from questions to asks, prompts, readings and scores, by pure functions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field

from chronotope.media import FramePlan
from chronotope.protocol.facts import MediaFacts
from chronotope.protocol.parts import Part
from chronotope.question import Question

__all__ = [
    "Ask",
    "AskSettings",
    "EvaluationProtocol",
    "Input",
    "ModeTables",
    "Placement",
    "PublishedReader",
    "Reading",
    "Scored",
    "Table",
]

Input = Literal["full", "blind"]
Placement = Literal["published", "swap", "rotate"]


class AskSettings(BaseModel):
    """The settings of a run that a person can choose.

    A family's ``RunSettings`` adds its own fields as flags.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    # Fields that only say which asks there are: another value extends a run, and is no part of its identity.
    extending: ClassVar[frozenset[str]] = frozenset({"placement"})

    placement: Placement = Field(
        "published",
        description="orders of the options: published, swap (the correct option under every letter), or "
        "rotate (all rotations)",
    )
    input: Input = Field("full", description="full: with pictures; blind: without pictures")
    clips: Literal["frames", "video"] = Field(
        "frames", description="send clips as frames, or as whole video files if the service accepts them"
    )
    frames: int | None = Field(None, ge=1, description="number of frames per clip (default: the protocol's number)")

    @property
    def max_tokens(self) -> int:
        """Return the default limit of a reply, in tokens.

        It is the limit of the paper, or of its code, for this way of asking.
        """
        return 100


@dataclass(frozen=True)
class Ask:
    """One question, asked in one way.

    ``placement[i]`` is the index, in the question, of the option shown at position i. ``plans`` has one frame plan per
    media item of the question; it is None for items without sampling (single pictures, or all items of a blind ask).
    ``wording`` has the other choices that the words of the prompt depend on, by name, such as one of two published
    prompts; with the plans it is all that `EvaluationProtocol.parts` needs.
    """

    id: str
    question: str
    placement: tuple[int, ...]
    plans: tuple[FramePlan | None, ...]
    strategy: str = "direct"
    input: Input = "full"
    wording: tuple[tuple[str, str], ...] = ()

    def worded(self, name: str) -> str:
        """Return the part of the wording with this name.

        Raises: LookupError if there is none.
        """
        return dict(self.wording)[name]


@dataclass(frozen=True)
class Reading:
    """The reading of a reply.

    ``options`` are indices into the QUESTION's options (placement undone), None if nothing was read. ``value`` is the
    answer read from an open reply; ``right`` states whether it is correct, or is None if that is undecided. ``rule``
    names the deciding rule of the reader.
    """

    options: frozenset[int] | None
    rule: str
    value: str | None = None
    truncated: bool = False
    right: bool | None = None

    @property
    def parsed(self) -> bool:
        """Check whether the reply was read as an answer, correct or wrong."""
        return self.options is not None or self.value is not None


@dataclass(frozen=True)
class Table:
    """A table in a paper's layout: column heads and rows of cells.

    A cell is text, a number in percent, or None. ``key`` identifies it for figures and published tables, and is unique
    within a run; ``name`` is its title for people, which can change at any time.
    """

    key: str
    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | float | int | None, ...], ...]


@dataclass(frozen=True)
class Scored:
    """One question, asked by one strategy, with its metrics.

    ``strict`` counts a reply without a reading as wrong; ``covered`` is then None.
    """

    question: Question
    metrics: dict[str, float | None]
    chance: float | None
    strategy: str = "direct"


class EvaluationProtocol(Protocol):
    """The rules of one family for asking and scoring.

    It does not depend on models and opens no file. A protocol can also be a `PublishedReader` and have `ModeTables`.
    """

    @property
    def name(self) -> str:
        """Name of the protocol, part of a run's identity."""
        ...

    @property
    def version(self) -> int:
        """Version, increased whenever prompts or frames change; part of a run's identity."""
        ...

    def asks(self, question: Question, settings: Any, facts: MediaFacts) -> list[Ask]:
        """Return the asks of a question.

        Raises:
            InputError: If the settings contradict each other.
        """
        ...

    def parts(self, ask: Ask, question: Question, facts: MediaFacts) -> list[Part]:
        """Make the prompt of an ask, in the order sent.

        The ask contains all choices about it.
        """
        ...

    def read(self, ask: Ask, question: Question, reply: str, truncated: bool) -> Reading:
        """Read a reply."""
        ...

    def score(self, question: Question, readings: Sequence[tuple[Ask, Reading | None]]) -> Scored:
        """Score one question over its asks by one strategy.

        A reading is None if there was no reply.
        """
        ...

    def tables(self, scored: Sequence[Scored]) -> list[Table]:
        """Make the paper's tables over the questions of one variant."""
        ...


@runtime_checkable
class PublishedReader(Protocol):
    """A protocol whose authors published a reader of replies, which reports show beside ours."""

    def read_as_published(self, ask: Ask, question: Question, reply: str) -> Reading:
        """Read a reply as the authors' code does."""
        ...


@runtime_checkable
class ModeTables(Protocol):
    """A protocol with tables over the questions of every variant, each separately."""

    def mode_tables(self, scored: Sequence[Scored]) -> list[Table]:
        """Make the tables over the questions of every variant."""
        ...

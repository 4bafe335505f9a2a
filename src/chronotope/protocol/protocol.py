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
    """What a person may choose about how questions are put.

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
        """Return the default bound of a reply, in tokens.

        It is what the paper or its code gave a model that was asked in this way.
        """
        return 100


@dataclass(frozen=True)
class Ask:
    """One question put in one way.

    ``placement[i]`` is the index, in the question, of the option shown at position i. ``plans`` holds one frame plan
    per media item of the question, None for what is not sampled (single pictures, or everything when asked blind).
    ``wording`` holds what else the words of the prompt depend on, by name, such as which of two published prompts; with
    the plans it is all that `EvaluationProtocol.parts` needs.
    """

    id: str
    question: str
    placement: tuple[int, ...]
    plans: tuple[FramePlan | None, ...]
    strategy: str = "direct"
    input: Input = "full"
    wording: tuple[tuple[str, str], ...] = ()

    def worded(self, name: str) -> str:
        """Give the part of the wording of this name.

        Raises: LookupError if there is none.
        """
        return dict(self.wording)[name]


@dataclass(frozen=True)
class Reading:
    """What a reply says.

    ``options`` are indices into the QUESTION's options (placement undone), None if nothing was read. ``value`` is the
    answer read from an open reply; ``right`` says whether it is right, None if nobody has decided yet. ``rule`` names
    the rule of the reader that decided.
    """

    options: frozenset[int] | None
    rule: str
    value: str | None = None
    truncated: bool = False
    right: bool | None = None

    @property
    def parsed(self) -> bool:
        """Check whether the reply was understood as an answer, right or wrong."""
        return self.options is not None or self.value is not None


@dataclass(frozen=True)
class Table:
    """A table in a paper's layout: column heads and rows of cells.

    A cell is text, a number in percent, or None. ``key`` is what figures and published tables know it by, unique within
    a run; ``name`` is its title for people, which may be reworded at any time.
    """

    key: str
    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | float | int | None, ...], ...]


@dataclass(frozen=True)
class Scored:
    """One question, asked by one strategy, with its metrics.

    ``strict`` counts whatever was not read as wrong, ``covered`` is None for it.
    """

    question: Question
    metrics: dict[str, float | None]
    chance: float | None
    strategy: str = "direct"


class EvaluationProtocol(Protocol):
    """The rules of one family for asking and scoring.

    It knows no model and opens no file. A protocol may be a `PublishedReader` and have `ModeTables` besides.
    """

    @property
    def name(self) -> str:
        """Name of the protocol, part of a run's identity."""
        ...

    @property
    def version(self) -> int:
        """Raised whenever prompts or frames change, part of a run's identity."""
        ...

    def asks(self, question: Question, settings: Any, facts: MediaFacts) -> list[Ask]:
        """Return the asks of a question.

        Raises:
            InputError: If the settings contradict each other.
        """
        ...

    def parts(self, ask: Ask, question: Question, facts: MediaFacts) -> list[Part]:
        """Make the prompt of an ask, in the order sent.

        The ask holds all that was chosen about it.
        """
        ...

    def read(self, ask: Ask, question: Question, reply: str, truncated: bool) -> Reading:
        """Return what a reply says."""
        ...

    def score(self, question: Question, readings: Sequence[tuple[Ask, Reading | None]]) -> Scored:
        """Score one question over its asks by one strategy.

        A reading is None if no reply came.
        """
        ...

    def tables(self, scored: Sequence[Scored]) -> list[Table]:
        """Make the paper's tables over the questions of one variant."""
        ...


@runtime_checkable
class PublishedReader(Protocol):
    """A protocol whose authors published a reader of replies, which is shown beside ours."""

    def read_as_published(self, ask: Ask, question: Question, reply: str) -> Reading:
        """Read a reply as the authors' code does."""
        ...


@runtime_checkable
class ModeTables(Protocol):
    """A protocol that has tables over the questions of every variant, each by itself."""

    def mode_tables(self, scored: Sequence[Scored]) -> list[Table]:
        """Make these tables."""
        ...

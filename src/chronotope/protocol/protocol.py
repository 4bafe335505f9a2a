"""The interface of protocols: pure functions for asks, prompts, readings and scores."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field

from chronotope.media import FramePlan
from chronotope.protocol.facts import MediaFacts
from chronotope.protocol.parts import Part
from chronotope.question import Question

Input = Literal["full", "blind", "first", "middle", "last", "shuffled", "frozen", "swapped"]
Placement = Literal["published", "swap", "rotate"]
Clips = Literal["frames", "video"]
FramesAs = Literal["images", "video"]


class AskSettings(BaseModel):
    """The settings of a run that determine its asks and prompts.

    The class ``RunSettings`` of a family adds further fields. Each field is a flag.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    # Fields that only determine which asks exist. These fields are not part of a run's identity: a command with another
    # value continues the same run with other asks.
    extending: ClassVar[frozenset[str]] = frozenset({"placement"})
    # Fields that older runs do not have. If their value is None, they are not part of a run's identity either.
    later: ClassVar[frozenset[str]] = frozenset({"frames_as"})
    # Fields that choose frames. They have no effect if a method chooses the frames (see `chronotope.methods`).
    choosing: ClassVar[frozenset[str]] = frozenset({"frames"})

    placement: Placement = Field(
        "published",
        description="orders of the options: published, swap (the correct option gets every letter in turn), or "
        "rotate (all rotations)",
    )
    input: Input = Field(
        "full",
        description="full: ask with all pictures; blind: without pictures; first, middle, last: with one frame of each "
        "clip; shuffled: with the frames in random order; frozen: with the middle frame in place of every frame; "
        "swapped: with the media of another scene",
    )
    clips: Clips = Field(
        "frames",
        description="frames: send frames of clips; video: send whole clips as files, if the service accepts video",
    )
    frames: int | None = Field(None, ge=1, description="number of frames per clip (default: the protocol's number)")
    frames_as: FramesAs | None = Field(
        None,
        description="video: send the frames of a clip as one video with their times, as vLLM accepts it; images: send "
        "numbered pictures with their times between them (default: pictures, as published)",
    )

    def identified(self) -> dict[str, Any]:
        """Return the settings on which the answers of a run depend."""
        unset = {name for name in self.later if getattr(self, name) is None}
        return self.model_dump(mode="json", exclude={*self.extending, *unset})

    @property
    def max_tokens(self) -> int:
        """Return the default limit on a reply, in tokens.

        The limit is stated in the paper, or in the code of its authors, for these settings.
        """
        return 100


@dataclass(frozen=True)
class Ask:
    """One question, asked with one strategy and one placement.

    - ``placement[i]`` is the index, in the question, of the option shown at position i.
    - ``plans`` has one frame plan for each media item of the question. ``plans`` has None for items without sampling:
      single pictures, and all items of a blind ask.
    - ``input`` is ``full``, ``blind``, or an ablation of the media. If an ask has an ablation, its plans or media are
      changed first, and the protocol then sees an ask with the input ``full``.
    - ``wording`` maps names to all other choices that determine the words of the prompt, such as one of two published
      prompts. `EvaluationProtocol.parts` needs no other values than the plans and the wording. The name ``repeat`` has
      another meaning (see `repeat`).
    """

    id: str
    question: str
    placement: tuple[int, ...]
    plans: tuple[FramePlan | None, ...]
    strategy: str = "direct"
    input: Input = "full"
    wording: tuple[tuple[str, str], ...] = ()

    def worded(self, name: str) -> str:
        """Return the value in ``wording`` with this name.

        Raises:
            LookupError: If there is no value with this name.
        """
        return dict(self.wording)[name]

    @property
    def repeat(self) -> int:
        """Count the earlier asks of this prompt that are repeated deliberately.

        Asks with the same prompt and different counts are different calls. The count is the value ``repeat`` of the
        wording; usually there is none.
        """
        return int(dict(self.wording).get("repeat", "0"))


@dataclass(frozen=True)
class Reading:
    """The answer that was read from a reply.

    ``options`` are indices into the options of the question, independent of their placement. ``options`` is None if no
    option was read. ``value`` is the answer that was read from the reply to an open question. ``right`` states whether
    this answer is correct, or is None if no rule and no judge has decided. ``rule`` names the rule of the reader that
    decided.
    """

    options: frozenset[int] | None
    rule: str
    value: str | None = None
    truncated: bool = False
    right: bool | None = None

    @property
    def parsed(self) -> bool:
        """Check whether an answer was read, correct or wrong."""
        return self.options is not None or self.value is not None


@dataclass(frozen=True)
class Table:
    """A table in the layout of a paper.

    ``columns`` are the headers of the columns, and ``rows`` contain the cells. A cell is a text, a number in percent,
    or None. ``key`` identifies the table for plots and published tables, and is unique within a run. ``name`` is the
    printed title, which can change at any time.
    """

    key: str
    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | float | int | None, ...], ...]


@dataclass(frozen=True)
class Scored:
    """One question, asked with one strategy, with its metrics.

    The metric ``strict`` counts a reply without an answer as wrong. The metric ``covered`` omits such a reply, and is
    None if no other reply exists.
    """

    question: Question
    metrics: dict[str, float | None]
    chance: float | None
    strategy: str = "direct"


class EvaluationProtocol(Protocol):
    """The rules of one family for asking and scoring.

    The rules do not depend on models and open no file. A protocol can also be a `PublishedReader` and have
    `ModeTables`.
    """

    @property
    def name(self) -> str:
        """The name of the protocol, a part of a run's identity."""
        ...

    @property
    def version(self) -> int:
        """The version of the protocol, a part of a run's identity.

        The version increases whenever prompts or frames change.
        """
        ...

    def asks(self, question: Question, settings: Any, facts: MediaFacts) -> list[Ask]:
        """Return the asks of a question.

        Raises:
            InputError: If two settings contradict each other.
        """
        ...

    def parts(self, ask: Ask, question: Question, facts: MediaFacts) -> list[Part]:
        """Make the parts of a prompt, in the order sent.

        The ask contains all choices that determine the prompt.
        """
        ...

    def read(self, ask: Ask, question: Question, reply: str, truncated: bool) -> Reading:
        """Read the answer from a reply."""
        ...

    def score(self, question: Question, readings: Sequence[tuple[Ask, Reading | None]]) -> Scored:
        """Score one question over all its asks with one strategy.

        A reading is None if there was no reply.
        """
        ...

    def tables(self, scored: Sequence[Scored]) -> list[Table]:
        """Make the tables of the paper over the questions of one variant."""
        ...


@runtime_checkable
class PublishedReader(Protocol):
    """A protocol with a published reader of replies.

    The authors of the paper published their reader. Reports compare the published reader with our reader.
    """

    def read_as_published(self, ask: Ask, question: Question, reply: str) -> Reading:
        """Read a reply with the rules of the authors' code."""
        ...


@runtime_checkable
class ModeTables(Protocol):
    """A protocol with tables that compare all variants."""

    def mode_tables(self, scored: Sequence[Scored]) -> list[Table]:
        """Make the tables that compare all variants."""
        ...


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the known values, or None."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def percent(values: Iterable[float | None]) -> float | None:
    """Return the mean of the known fractions, in percent, or None."""
    fraction = mean(values)
    return None if fraction is None else 100 * fraction


def strict(scored: Scored) -> float | None:
    """Return the strict score of a question, or None."""
    return scored.metrics.get("strict")

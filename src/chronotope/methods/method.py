"""The interface of methods: calls in stages, whose replies become the prompt of an answer."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from chronotope.io import sha256_bytes
from chronotope.media import FramePlan
from chronotope.protocol import Ask, MediaFacts, Part, describe
from chronotope.question import Question

StepKind = Literal["caption", "summary"]


class MethodSettings(BaseModel):
    """The settings of a method. Each field is a flag.

    A method adds its own settings in a subclass. All settings are part of a run's identity.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    caption_tokens: int = Field(1024, ge=1, description="maximum length of a caption in tokens")
    summary_tokens: int = Field(2048, ge=1, description="maximum length of a summary in tokens")

    def longest(self, kind: StepKind) -> int:
        """Return the limit on replies of a kind (tokens)."""
        return self.caption_tokens if kind == "caption" else self.summary_tokens


@dataclass(frozen=True)
class Step:
    """One call on which an answer depends, such as the caption of a clip.

    ``name`` describes the call in the ledger and in messages. Steps with equal parts are one call, no matter which
    questions need them.
    """

    name: str
    kind: StepKind
    parts: tuple[Part, ...]

    @cached_property
    def prompt(self) -> str:
        """Return the SHA-256 hash of the messages."""
        return sha256_bytes(describe(self.parts).encode())


@dataclass(frozen=True)
class MethodAsk:
    """An ask to which a method is applied.

    ``parts`` is the prompt of the family's protocol, with pictures. A method takes labels, options and the order of
    videos from these parts. ``ask.plans`` are the frame plans of the protocol, or the plans that `Method.shown` made
    from them.
    """

    ask: Ask
    question: Question
    parts: tuple[Part, ...]
    facts: MediaFacts


# Yields the calls of one stage, and is sent their replies in the same order. All calls of a stage can be made at the
# same time. Returns the parts of the prompt for the answer.
Stages = Generator[Sequence[Step], Sequence[str], tuple[Part, ...]]


@dataclass(frozen=True)
class Method:
    """A way to get answers besides asking. The package of a method has an object of this class, named ``METHOD``.

    - ``version`` increases whenever prompts, or the choice of frames, change.
    - ``kinds`` returns the kinds of calls that the method makes with some settings.
    - ``shown`` returns the frame plans of everything that the method shows, one plan for each media item. It raises
      InputError for a question to which the method cannot be applied.
    - ``stages`` makes the calls of an ask. It must yield equal calls for equal asks and replies, because a continued
      run makes them again to find their replies in the ledger.
    - ``words`` describes the frames that the method shows, for ``run.yaml`` and the report.
    """

    name: str
    title: str
    version: int
    kinds: Callable[[Any], tuple[StepKind, ...]]
    shown: Callable[[MethodAsk, Any], tuple[FramePlan | None, ...]]
    stages: Callable[[MethodAsk, Any], Stages]
    words: Callable[[Any], str]
    Settings: type[MethodSettings] = MethodSettings

"""A pass as a protocol, so that its calls are planned, made and stored like the asks of a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chronotope.families import Family
from chronotope.protocol import Ask, AskSettings, MediaFacts, Part, Reading, Scored, Table
from chronotope.question import Question
from chronotope.review.filters.item import Pass, Replied, Rules

__all__ = ["PassProtocol"]


@dataclass(frozen=True)
class PassProtocol:
    """The asks of a pass about the questions of a family.

    ``replies`` maps the ids of questions to their replies so far. The protocol has no scores.
    """

    made: Pass
    family: Family
    replies: Mapping[str, Sequence[Replied]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return the name of the protocol in run.yaml."""
        return f"filter {self.made.name}"

    @property
    def version(self) -> int:
        """Return the version of the prompts."""
        return self.made.version

    def asks(self, question: Question, settings: Any, facts: MediaFacts) -> list[Ask]:
        """Return the asks that the replies so far require."""
        return self.made.asks(question, self.replies.get(question.id, ()), Rules(self.family, settings, facts))

    def parts(self, ask: Ask, question: Question, facts: MediaFacts) -> list[Part]:
        """Make the prompt of an ask."""
        return self.made.parts(ask, question, Rules(self.family, AskSettings.model_validate({}), facts))

    def read(self, ask: Ask, question: Question, reply: str, truncated: bool) -> Reading:
        """Return the reply as it is; the pass reads it."""
        return Reading(None, "text", reply, truncated)

    def score(self, question: Question, readings: Sequence[tuple[Ask, Reading | None]]) -> Scored:
        """Return no scores."""
        return Scored(question, {}, None)

    def tables(self, scored: Sequence[Scored]) -> list[Table]:
        """Return no tables."""
        return []

"""The base of protocols whose questions have options, or an open answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from chronotope.protocol.choices import read_asked_choice, score_choice
from chronotope.protocol.protocol import Ask, Reading, Scored
from chronotope.question import Question


@dataclass(frozen=True)
class ChoiceProtocol:
    """The reader and the scores that protocols share; a subclass adds ``asks``, ``parts`` and ``tables``.

    See `EvaluationProtocol` for the meaning of these methods. With ``partial``, a part of several correct options earns
    its share of the credit.
    """

    partial: ClassVar[bool] = False

    name: str
    version: int

    def read(self, ask: Ask, question: Question, reply: str, truncated: bool) -> Reading:
        """Read the chosen options, or the answer to an open question, from a reply."""
        return read_asked_choice(ask, question, reply, truncated)

    def score(self, question: Question, readings: Sequence[tuple[Ask, Reading | None]]) -> Scored:
        """Score one question over all its asks with one strategy, with the chance of a guess."""
        return score_choice(question, readings, partial=self.partial)

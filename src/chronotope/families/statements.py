"""Claims of a paper's text, each with the function that compares it with the scores of a run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

__all__ = ["CheckedStatement", "Statement", "Verdict", "check_statements", "points", "said"]

Evidence = TypeVar("Evidence")
Verdict = tuple[bool | None, str]  # whether the claim is true for the run (None: it cannot be decided), and why


@dataclass(frozen=True)
class CheckedStatement:
    """A claim in the text of a paper, and whether the scores of a run agree with the claim.

    ``holds`` is None if the run does not have the required scores. ``source`` names the section or page of the paper.
    ``figures`` are the scores of the run that were compared with the claim.
    """

    words: str
    source: str
    holds: bool | None
    figures: str


@dataclass(frozen=True)
class Statement(Generic[Evidence]):
    """A claim of a paper, and the function that decides whether it is true for a run.

    ``decide`` gets what the family takes from the scores of a run, such as the accuracy of each task.
    """

    words: str
    decide: Callable[[Evidence], Verdict]


def check_statements(claims: Sequence[Statement[Evidence]], evidence: Evidence, source: str) -> list[CheckedStatement]:
    """Compare each claim with the evidence of a run."""
    return [CheckedStatement(one.words, source, *one.decide(evidence)) for one in claims]


def said(value: float | None) -> str:
    """Write a percentage."""
    return "none" if value is None else f"{value:.1f} %"


def points(value: float) -> str:
    """Write a difference of two percentages."""
    return f"{value:+.1f} points"

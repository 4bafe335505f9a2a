"""Findings of a paper as data: which questions or runs are compared, and which are expected to be better.

A report compares them with intervals (``chronotope.report.parts.paper_findings``).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from chronotope.question import Question


@dataclass(frozen=True)
class QuestionKind:
    """Some questions, with words for them."""

    words: str
    has: Callable[[Question], bool]


@dataclass(frozen=True)
class AboveChance:
    """The score of a run is expected to be above that of random guesses."""


@dataclass(frozen=True)
class Contrast:
    """Within one run, one kind of question is compared with each of the ``others``.

    The mean of ``metric`` is expected to be higher over ``one`` than over all others, or lower if ``above`` is false.
    """

    one: QuestionKind
    others: tuple[QuestionKind, ...]
    above: bool = True
    metric: str = "strict"


@dataclass(frozen=True)
class Varied:
    """Two runs are compared that differ in one thing only.

    - ``input``: the run with the videos is expected to be above the run without.
    - ``frames``: more frames of each clip above fewer.
    - ``method``: the method above asking directly.
    - ``size``: the larger model of a series above the smaller one. The size is the number of parameters in the names,
      such as 4B.

    If ``above`` is false, the opposite is expected. If ``among`` is given, only these questions count.
    """

    what: Literal["input", "frames", "method", "size"]
    above: bool = True
    among: QuestionKind | None = None


@dataclass(frozen=True)
class PaperFinding:
    """A finding of a paper in our words, with its source and the comparison that checks it on runs."""

    words: str
    source: str
    compares: AboveChance | Contrast | Varied

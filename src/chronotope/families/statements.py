"""Claims of a paper's text, each with the function that compares it with the scores of a run."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from chronotope.protocol import Table

Evidence = TypeVar("Evidence")
Cells = Mapping[str, float | None]  # percentages of a run by the column of a table; None: no questions
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

    ``decide`` is called with the values that the family takes from the scores of a run, such as the accuracy of each
    task.
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


def columns_of(table: Table) -> dict[str, float | None]:
    """Return the percentages in the first row of a table, by column."""
    numbers = (cell if isinstance(cell, int | float) else None for cell in table.rows[0])
    return dict(zip(table.columns, numbers, strict=True))


def above(first: str, second: str) -> Callable[[Cells], Verdict]:
    """Return a function that tells whether the first column is higher."""

    def decide(cells: Cells) -> Verdict:
        one, other = cells.get(first), cells.get(second)
        if one is None or other is None:
            return (
                None,
                f"needs questions of {' and '.join(name for name in (first, second) if cells.get(name) is None)}",
            )
        return one > other, f"{first} {said(one)}, {second} {said(other)}: {points(one - other)}"

    return decide


def extreme(column: str, columns: Sequence[str], highest: bool) -> Callable[[Cells], Verdict]:
    """Return a function that tells whether a column is the extreme one.

    The column is compared with all ``columns``, and must be the only highest, or the only lowest.
    """

    def decide(cells: Cells) -> Verdict:
        there = {name: value for name in columns if (value := cells.get(name)) is not None}
        lacking = [name for name in columns if name not in there]
        if lacking:
            return None, f"needs questions of {', '.join(lacking)}"
        others = {name: value for name, value in there.items() if name != column}
        rival = (max if highest else min)(others, key=lambda name: others[name])
        mine, next_ = there[column], others[rival]
        words = f"{column} {said(mine)}, {'highest' if highest else 'lowest'} other {rival} {said(next_)}"
        return (mine > next_ if highest else mine < next_), words

    return decide

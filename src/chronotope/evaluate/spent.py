"""What a run has cost: calls, tokens, money and time, from its ledger."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from chronotope.evaluate.reuse import REUSED
from chronotope.ledger import LedgerLine

__all__ = ["Spent", "made_here", "spent"]

_Number = TypeVar("_Number", int, float)


@dataclass(frozen=True)
class Spent:
    """Totals over the calls that a run made itself, those given up included; None where no line tells.

    ``checks`` of the ``calls`` were made to check the endpoint. ``attempts`` are requests sent, ``seconds`` is summed
    over calls, many of which ran side by side. ``first`` and ``last`` are when the first and the last of them ended,
    ISO 8601 in UTC.
    """

    calls: int
    attempts: int
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    money: float | None
    seconds: float | None
    first: str | None
    last: str | None
    checks: int


def made_here(lines: Iterable[LedgerLine]) -> list[LedgerLine]:
    """The calls that a run made itself.

    Answers taken from other runs (``extra.reused``) and replies made with another tool (``extra.asked``) were paid for
    there; what was given up before anything was sent (media that are missing) cost nothing.
    """
    return [line for line in lines if REUSED not in line.extra and "asked" not in line.extra and line.attempts]


def spent(lines: Sequence[LedgerLine]) -> Spent:
    """What the calls of a ledger cost, see `made_here`."""
    made = made_here(lines)
    stamps = [line.at for line in made if line.at is not None]
    return Spent(
        calls=len(made),
        attempts=sum(line.attempts for line in made),
        input_tokens=_total(line.input_tokens for line in made),
        cached_tokens=_total(line.cached_tokens for line in made),
        output_tokens=_total(line.output_tokens for line in made),
        money=_total(line.money for line in made),
        seconds=_total(line.seconds for line in made),
        first=min(stamps, default=None),
        last=max(stamps, default=None),
        checks=sum(line.kind == "check" for line in made),
    )


def _total(values: Iterable[_Number | None]) -> _Number | None:
    known = [value for value in values if value is not None]
    return sum(known[1:], known[0]) if known else None

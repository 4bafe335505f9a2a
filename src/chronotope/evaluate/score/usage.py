"""The usage of a run: calls, tokens, cost and time, computed from its ledger."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from chronotope.io.packed import select
from chronotope.ledger import LedgerLine
from chronotope.models import lost_of

REUSED = "reused"  # field in ``extra`` of a line that was copied from another run: the path of that run

_STAGES = ("caption", "summary", "answer")  # the kinds of calls of a method, in their order

_Number = TypeVar("_Number", int, float)


@dataclass(frozen=True)
class StageUsage:
    """The usage of the calls of one stage of a method; None means unknown."""

    calls: int
    input_tokens: int | None
    output_tokens: int | None
    money: float | None


@dataclass(frozen=True)
class Usage:
    """The total usage of a run's own calls to its model.

    Calls that failed and were given up are included. None means that a value is unknown.

    - ``checks`` counts the calls that checked the model. ``calls`` includes these calls.
    - ``attempts`` counts the requests that were sent.
    - ``seconds`` is the sum over all calls, although many calls were made in parallel.
    - ``first`` and ``last`` are the times at which the first and the last call ended (ISO 8601, UTC).
    - ``judged`` counts the calls to a judge. ``calls`` and ``input_tokens`` do not include these calls and their
      tokens.
    - ``stages`` has the usage of each stage of a method, by the kind of its calls. The last stage is the answers. It is
      empty for runs without a method. All other values include these calls.
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
    judged: int = 0
    judge_input_tokens: int | None = None
    judge_output_tokens: int | None = None
    stages: dict[str, StageUsage] = field(default_factory=dict)


def made_here(lines: Sequence[LedgerLine], *, judge: bool = False) -> Sequence[LedgerLine]:
    """Select the calls that a run made itself.

    Returns the calls to the model or, if ``judge`` is true, the calls to the judge. Answers copied from other runs
    (``extra.reused``) and replies of another tool (``extra.asked``) are excluded, because they were paid for elsewhere.
    Calls whose media are missing are also excluded, because they were never sent.
    """
    return select(lines, lambda line: _is_made(line) and (line.kind == "judge") is judge)


def _is_made(line: LedgerLine) -> bool:
    return REUSED not in line.extra and "asked" not in line.extra and line.attempts > 0


def judge_money(lines: Sequence[LedgerLine]) -> float:
    """Add up the known cost of the calls to a run's judge."""
    return sum(line.money or 0.0 for line in made_here(lines, judge=True))


def usage_of(lines: Sequence[LedgerLine]) -> Usage:
    """Compute the usage of the calls that a run made itself.

    Answers copied from other runs are not included (see `made_here`).
    """
    made, judged = _Sums(), _Sums()
    stages = {kind: _Sums() for kind in _STAGES}
    for line in lines:
        if _is_made(line):
            (judged if line.kind == "judge" else made).add(line)
            if line.kind in stages:
                stages[line.kind].add(line)
    with_method = any(stages[kind].calls for kind in _STAGES if kind != "answer")
    return Usage(
        calls=made.calls,
        attempts=made.attempts,
        input_tokens=made.input_tokens,
        cached_tokens=made.cached_tokens,
        output_tokens=made.output_tokens,
        money=made.money,
        seconds=made.seconds,
        first=made.first,
        last=made.last,
        checks=made.checks,
        judged=judged.calls,
        judge_input_tokens=judged.input_tokens,
        judge_output_tokens=judged.output_tokens,
        stages={
            kind: StageUsage(of.calls, of.input_tokens, of.output_tokens, of.money)
            for kind, of in stages.items()
            if with_method and of.calls
        },
    )


class _Sums:
    """The sums over calls; None means that no value is known."""

    def __init__(self) -> None:
        self.calls = self.attempts = self.checks = 0
        self.input_tokens: int | None = None
        self.cached_tokens: int | None = None
        self.output_tokens: int | None = None
        self.money: float | None = None
        self.seconds: float | None = None
        self.first: str | None = None
        self.last: str | None = None

    def add(self, line: LedgerLine) -> None:
        """Add a call. Tokens of attempts whose replies could not be read count, too."""
        self.calls += 1
        self.attempts += line.attempts
        self.checks += line.kind == "check"
        self.input_tokens = _plus(self.input_tokens, line.input_tokens)
        self.output_tokens = _plus(self.output_tokens, line.output_tokens)
        if (lost := lost_of(line)) is not None:
            self.input_tokens = _plus(self.input_tokens, lost.input_tokens)
            self.output_tokens = _plus(self.output_tokens, lost.output_tokens)
        self.cached_tokens = _plus(self.cached_tokens, line.cached_tokens)
        self.money, self.seconds = _plus(self.money, line.money), _plus(self.seconds, line.seconds)
        if line.at is not None:
            self.first = line.at if self.first is None else min(self.first, line.at)
            self.last = line.at if self.last is None else max(self.last, line.at)


def _plus(total: _Number | None, value: _Number | None) -> _Number | None:
    return total if value is None else value if total is None else total + value

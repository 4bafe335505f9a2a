"""The usage of a run: calls, tokens, cost and time, computed from its ledger."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from chronotope.io.packed import select
from chronotope.ledger import LedgerLine
from chronotope.models import lost_of

REUSED = "reused"  # field in ``extra`` of a line that was copied from another run: the path of that run

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
    return select(
        lines,
        lambda line: (
            REUSED not in line.extra
            and "asked" not in line.extra
            and line.attempts > 0
            and (line.kind == "judge") is judge
        ),
    )


def judge_money(lines: Sequence[LedgerLine]) -> float:
    """Add up the known cost of the calls to a run's judge."""
    return sum(line.money or 0.0 for line in made_here(lines, judge=True))


def usage_of(lines: Sequence[LedgerLine]) -> Usage:
    """Compute the usage of the calls that a run made itself.

    Answers copied from other runs are not included (see `made_here`).
    """
    made, judged = made_here(lines), made_here(lines, judge=True)
    return Usage(
        calls=len(made),
        attempts=sum(line.attempts for line in made),
        input_tokens=_tokens(made, "input_tokens"),
        cached_tokens=_total(line.cached_tokens for line in made),
        output_tokens=_tokens(made, "output_tokens"),
        money=_total(line.money for line in made),
        seconds=_total(line.seconds for line in made),
        first=min((line.at for line in made if line.at is not None), default=None),
        last=max((line.at for line in made if line.at is not None), default=None),
        checks=sum(line.kind == "check" for line in made),
        judged=len(judged),
        judge_input_tokens=_tokens(judged, "input_tokens"),
        judge_output_tokens=_tokens(judged, "output_tokens"),
        stages=_stages(made),
    )


def _stages(made: Sequence[LedgerLine]) -> dict[str, StageUsage]:
    kinds = ("caption", "summary", "answer")
    by_kind = {kind: select(made, lambda line, kind=kind: line.kind == kind) for kind in kinds}
    if not any(by_kind[kind] for kind in kinds[:-1]):
        return {}
    return {
        kind: StageUsage(
            len(lines),
            _tokens(lines, "input_tokens"),
            _tokens(lines, "output_tokens"),
            _total(line.money for line in lines),
        )
        for kind, lines in by_kind.items()
        if lines
    }


def _tokens(lines: Iterable[LedgerLine], name: Literal["input_tokens", "output_tokens"]) -> int | None:
    """Add up tokens.

    Those of attempts whose replies could not be read count, too.
    """
    return _total(tokens for line in lines for tokens in (getattr(line, name), getattr(lost_of(line), name, None)))


def _total(values: Iterable[_Number | None]) -> _Number | None:
    known = [value for value in values if value is not None]
    return sum(known[1:], known[0]) if known else None

"""The findings of an audit: verdicts with their evidence, corrected for the number of tests."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from chronotope.evaluate.score.statistics import holm as adjusted_by_holm

Verdict = Literal["pass", "slight", "defect", "not tested"]

FALSE_ALARMS = 0.05  # the chance that an audit of a clean benchmark has any finding of the statistical checks
LEAST_EXCESS = 0.03  # a significant excess below this size is slight


@dataclass(frozen=True)
class Scope:
    """The result of one guess on some questions: all, or those of one task.

    ``value`` is the share of correct guesses, with its 95 % interval, and ``chance`` is the share of a random guess.
    ``p`` is the chance of such a difference in a clean benchmark, and ``adjusted`` the same for all tests of the audit.
    """

    name: str
    questions: int
    clusters: int
    value: float
    chance: float
    low: float | None
    high: float | None
    p: float
    adjusted: float = 1.0

    @property
    def excess(self) -> float:
        """Return the difference between the value and chance."""
        return self.value - self.chance

    @property
    def significant(self) -> bool:
        """Return true if the difference is too large for chance."""
        return self.adjusted < FALSE_ALARMS


@dataclass(frozen=True)
class Finding:
    """What one check found.

    ``said`` is the finding in one sentence, ``advice`` says what to do about it. ``items`` are the ids of the questions
    from which the defect follows. ``false_alarms`` is the chance that any statistical check of the audit reports a
    clean benchmark; it is 0 for checks that count facts.
    """

    check: str
    title: str
    verdict: Verdict
    said: str
    advice: str = ""
    scopes: tuple[Scope, ...] = ()
    items: tuple[str, ...] = ()
    false_alarms: float = FALSE_ALARMS


@dataclass(frozen=True)
class Repair:
    """The result of a repair: the new folder with its hash, counts before and after, and sentences.

    ``left_out`` maps each question that was left out to the checks that flagged it. ``shuffled`` is the number of
    questions whose options were shuffled. ``tasks`` has the counts before and after for each task.
    """

    folder: str
    content_hash: str
    before: int
    after: int
    shuffled: int
    left_out: dict[str, tuple[str, ...]]
    tasks: dict[str, tuple[int, int]]
    said: tuple[str, ...]


@dataclass(frozen=True)
class Audit:
    """The findings about a benchmark, and what a repair did, if there was one."""

    benchmark: str
    content_hash: str
    questions: int
    clusters: int
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()
    fixed: Repair | None = None

    @property
    def defects(self) -> tuple[Finding, ...]:
        """Return the findings that are defects."""
        return tuple(one for one in self.findings if one.verdict == "defect")

    def as_json(self) -> dict[str, Any]:
        """Return the audit as plain values, as ``--json`` prints them."""
        return asdict(self) | {"passed": not self.defects}


def holm(tests: Sequence[Sequence[Scope]]) -> list[tuple[Scope, ...]]:
    """Correct the p values of all tests of an audit together, by Holm's method."""
    adjusted = iter(adjusted_by_holm([scope.p for scopes in tests for scope in scopes]))
    return [tuple(replace(scope, adjusted=next(adjusted)) for scope in scopes) for scopes in tests]

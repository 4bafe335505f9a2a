"""The findings of an audit: verdicts with their evidence, corrected for the number of tests."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import ceil
from typing import Any, Literal, get_args

from chronotope.evaluate.score.statistics import clusters_needed
from chronotope.evaluate.score.statistics import holm as adjusted_by_holm

Verdict = Literal["defect", "slight", "undecided", "pass", "not tested"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

FALSE_ALARMS = 0.05  # the chance that an audit of a clean benchmark has any finding of the statistical checks
LEAST_EXCESS = 0.03  # a significant excess below this size is slight
NOTICED = 0.10  # an excess that a check must notice in 80 of 100 cases; otherwise it is undecided
NOTICED_POINTS = round(100 * NOTICED)
_POINTS = round(100 * LEAST_EXCESS)
MEANINGS: dict[Verdict, str] = {
    "defect": f"A rule differs significantly from chance, by {_POINTS} percentage points or more. Or a question is "
    "repeated with another answer, or more than 1 in 100 are repeated.",
    "slight": f"A rule differs significantly from chance, by less than {_POINTS} points. Or at most 1 in 100 questions "
    "is repeated, with the same answer. Or the check found something that may be intended: look at it.",
    "undecided": "No significant difference, but tested on too few clips or questions: a rule that is right "
    f"{NOTICED_POINTS} points more often than chance could have been missed. “Needed” is the size at which it would be "
    "noticed in 80 of 100 cases.",
    "pass": "No significant difference, and the benchmark is large enough: a rule that is right "
    f"{NOTICED_POINTS} points more often than chance over all tasks would have been noticed in 80 of 100 cases. Or the "
    "check counts facts, and they are right. Or the difference has a reason that the text gives.",
    "not tested": "The check applies to nothing here, or needs a run that was not named.",
}
LARGE, LIKELY = 0.05, 0.2  # an undecided check tells a difference from this size, if its own p is below LIKELY
WIDE, RARE = 0.1, 0.01  # parts of the questions; rules on fewer than WIDE count less, and on at most RARE not at all


@dataclass(frozen=True)
class Scope:
    """The result of one guess on some questions: all, or those of one task.

    ``value`` is the share of correct guesses, with its 95 % interval, and ``chance`` is the share of a random guess.
    ``p`` is the chance of such a difference in a clean benchmark, and ``adjusted`` the same for all tests of the audit.
    ``error`` is the standard error of the value in a clean benchmark.
    """

    name: str
    questions: int
    clusters: int
    value: float
    chance: float
    low: float | None
    high: float | None
    p: float
    error: float
    adjusted: float = 1.0

    @property
    def excess(self) -> float:
        """Return the difference between the value and chance."""
        return self.value - self.chance

    @property
    def significant(self) -> bool:
        """Return true if the difference is too large for chance."""
        return self.adjusted < FALSE_ALARMS

    @property
    def rule(self) -> str:
        """Return the rule, if the name has one before the task."""
        return self.name.partition(" / ")[0]

    @property
    def task(self) -> str:
        """Return the task, or "all"."""
        return self.name.partition(" / ")[2] or self.name


@dataclass(frozen=True)
class Finding:
    """What one check found.

    ``said`` is the finding in one sentence, ``advice`` says what to do about it. ``items`` are the ids of the questions
    that this is about; for rules, those that are answered correctly by one that is right too often. ``needed`` is the
    number of clusters that an undecided check needs. ``false_alarms`` is the chance that any statistical check of the
    audit reports a clean benchmark, or 0 for checks that count facts.
    """

    check: str
    title: str
    verdict: Verdict
    said: str
    advice: str = ""
    scopes: tuple[Scope, ...] = ()
    items: tuple[str, ...] = ()
    needed: int | None = None
    false_alarms: float = FALSE_ALARMS

    @property
    def strongest(self) -> tuple[Scope, ...]:
        """Return the least likely large differences over all tasks.

        There is at most one above and one below chance.
        """
        large = [one for one in self.scopes if one.task == "all" and abs(one.excess) >= LARGE and one.p < LIKELY]
        sides = [[one for one in large if (one.excess > 0) == above] for above in (True, False)]
        return tuple(sorted((min(side, key=_likely) for side in sides if side), key=_likely))


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
    """The findings about a benchmark, and what a repair did, if there was one.

    ``cluster`` is the family's word for a cluster, such as "clip", and ``tests`` is the number of tests whose p values
    are corrected together.
    """

    benchmark: str
    content_hash: str
    questions: int
    clusters: int
    cluster: str
    tests: int
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()
    fixed: Repair | None = None

    @property
    def defects(self) -> tuple[Finding, ...]:
        """Return the findings that are defects."""
        return self.having("defect")

    @property
    def undecided(self) -> tuple[Finding, ...]:
        """Return the findings of checks for which the benchmark is too small."""
        return self.having("undecided")

    def having(self, verdict: Verdict) -> tuple[Finding, ...]:
        """Return the findings with a verdict."""
        return tuple(one for one in self.findings if one.verdict == verdict)

    def in_order(self) -> list[Finding]:
        """Return the findings by verdict, and undecided ones by how unlikely their difference is."""

        def place(one: Finding) -> tuple[int, float]:
            large = one.strongest if one.verdict == "undecided" else ()
            return VERDICTS.index(one.verdict), large[0].p if large else 1.0

        return sorted(self.findings, key=place)

    def meanings(self) -> dict[Verdict, str]:
        """Return what the verdicts of these findings mean, and what a defect would be."""
        told: dict[Verdict, str] = {one: said for one, said in MEANINGS.items() if one == "defect" or self.having(one)}
        p = f"p is below {FALSE_ALARMS} after the correction for the number of tests"
        told["defect"] += f" Significantly means that {p} ({self.tests}; two checks are corrected on their own)."
        return told

    def heading(self) -> str:
        """Say how many defects were found, and how many of the made checks are undecided."""
        defects, undecided = len(self.defects), len(self.undecided)
        said = f"{defects or 'No'} {'defects' if defects > 1 else 'defect'} found"
        if not undecided:
            return said
        made = len(self.findings) - len(self.having("not tested"))
        said += f", {'and' if defects else 'but'} {undecided} of {made} checks {'are' if undecided > 1 else 'is'}"
        return f"{said} undecided: tested on too few {self.cluster}s or questions"

    def as_json(self) -> dict[str, Any]:
        """Return the audit as plain values, as ``--json`` prints them."""
        found = {"passed": not self.defects, "undecided": [one.check for one in self.undecided]}
        return asdict(self) | found


def _likely(scope: Scope) -> tuple[float, float]:
    return scope.p, -abs(scope.excess)


def holm(tests: Sequence[Sequence[Scope]]) -> list[tuple[Scope, ...]]:
    """Correct the p values of all tests of an audit together, by Holm's method."""
    adjusted = iter(adjusted_by_holm([scope.p for scopes in tests for scope in scopes]))
    return [tuple(replace(scope, adjusted=next(adjusted)) for scope in scopes) for scopes in tests]


def needed_for(scopes: Sequence[Scope], questions: int, clusters: int, tests: int) -> int | None:
    """Return how many clusters a check needs; None if there are enough.

    A check is decided if it would notice, in 80 of 100 cases, each of its rules that is right ``NOTICED`` more often
    than chance, after the correction for ``tests`` tests. Rules on few of the ``questions`` do not count, except those
    that apply to most of all rules: a cue in a tenth of the questions cannot change the score by a tenth.
    ``clusters`` is the number of all clusters; if a rule applies in some of them only, more of all are needed.
    """
    every = [scope for scope in scopes if scope.task == "all"]
    widest = max((scope.questions for scope in every), default=0)
    least = max(min(WIDE * questions, widest), RARE * questions)
    found: list[int] = []
    for scope in every:
        needed = clusters_needed(NOTICED, scope.error, scope.clusters, tests) or 0
        if scope.questions >= least and needed > scope.clusters:
            found.append(ceil(needed * clusters / scope.clusters))
    return max(found, default=None)

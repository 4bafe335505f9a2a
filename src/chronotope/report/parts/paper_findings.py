"""Findings of a paper, checked with intervals on the runs of one benchmark."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import permutations
from statistics import mean

from chronotope.evaluate.score import FEWEST_CLUSTERS, Difference, contrast, difference
from chronotope.families import AboveChance, Contrast, PaperFinding, Varied
from chronotope.io import canonical_json
from chronotope.io.packed import PackedList, by_key, select
from chronotope.protocol import Scored
from chronotope.report.compared_runs.run_rows import RunRow
from chronotope.report.plots.table_plots import frames_shown
from chronotope.report.section import Section
from chronotope.report.table import Cell, Column, Fold, Part, Table, TableRow, head_cell
from chronotope.view.words import difference_interval, percent, points

# The number of parameters in a model's name, such as 4B.
_SIZE = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)[bB](?![a-zA-Z])")
_SHOWN = ("protocol.settings.frames", "protocol.settings.input", "protocol.settings.rate")
# What may differ between the two runs of a pair: settings, or all settings whose names begin with a word and a point.
_FREE: Mapping[str, tuple[str, ...]] = {
    "input": _SHOWN,
    "frames": ("protocol.settings.frames",),
    "method": (*_SHOWN, "method."),
    "size": ("model", "about_model."),
}
_NEEDS = {
    "input": "needs two runs of one model, one of them with --input blind",
    "frames": "needs two runs of one model that differ only in --frames",
    "method": "needs two runs of one model, one of them with --method",
    "size": "needs runs of two models of one series, whose names have their sizes, such as 4B and 8B",
}

PLACE = 80
_HOLDS = {True: "holds", False: "does not hold", None: "cannot be told"}


def make(section: Section) -> Part:
    """Check the findings of the paper on the runs."""
    found = check_findings(section.rows)
    data = {"findings": [asdict(one) for one in found]}
    if not found:
        return Part(data=data)
    words = (
        "A finding holds for a run if the whole 95 % interval of the difference is on its side, and does not hold if "
        "it is on the other side. Numbers in brackets are of the paper’s models."
    )
    columns = tuple(map(Column, ("finding", "run", "on this run")))
    rows = tuple(row for finding in found for row in _rows(finding))
    table = Table(section.label("Findings of the paper"), columns, rows, (words,), kind="statements")
    return Part((Fold("Findings of the paper", (table,), "checked on these runs"),), data=data)


def _rows(finding: "CheckedFinding") -> Iterator[TableRow]:
    """Yield a row for each check; without checks, the row says which runs are missing."""
    head = head_cell(finding.words, finding.source)
    if not finding.checks:
        yield TableRow((head, Cell(), Cell(_HOLDS[None], strong=True, small=(finding.needs or "",))))
    for check in finding.checks:
        told = Cell(_HOLDS[check.holds], check.holds, strong=True, small=(check.figures,))
        yield TableRow((head, Cell(check.about, breaks=True), told))


@dataclass(frozen=True)
class FindingCheck:
    """A finding checked on a run, or on two runs.

    ``holds`` is None if that cannot be told, and ``figures`` gives the figures and the reason.
    """

    about: str
    holds: bool | None
    figures: str


@dataclass(frozen=True)
class CheckedFinding:
    """A finding of a paper with all its checks.

    ``needs`` says which runs are missing if there are no checks.
    """

    words: str
    source: str
    checks: tuple[FindingCheck, ...]
    needs: str | None = None


def check_findings(rows: Sequence[RunRow]) -> list[CheckedFinding]:
    """Check each finding of a family's paper on runs of one benchmark.

    A finding holds if the whole 95 % interval of the difference is on the expected side, and does not hold if it is on
    the other side. Only base questions count.
    """
    runs = [row for row in rows if row.compared.replied]
    findings = rows[0].compared.run.family.paper.findings if rows else ()
    return [_checked(one, runs) for one in findings]


def _checked(finding: PaperFinding, runs: Sequence[RunRow]) -> CheckedFinding:
    how = finding.compares
    if isinstance(how, Varied):
        checks = tuple(_pair_check(how, *pair) for pair in _pairs(how.what, runs))
        return CheckedFinding(finding.words, finding.source, checks, None if checks else _NEEDS[how.what])
    checks = tuple(_over_chance(row) if isinstance(how, AboveChance) else _contrasted(how, row) for row in runs)
    return CheckedFinding(finding.words, finding.source, checks, None if checks else "needs a run with replies")


def _scored(row: RunRow) -> Mapping[str, Scored]:
    """Return the base questions of a run with a score, by id."""
    known = select(
        row.scores.scored, lambda one: one.question.variant == "base" and one.metrics.get("strict") is not None
    )
    return by_key(known, lambda one: one.question.id)


def _over_chance(row: RunRow) -> FindingCheck:
    known = PackedList(one for one in _scored(row).values() if one.chance is not None)
    values, chances = [one.metrics["strict"] or 0.0 for one in known], [one.chance or 0.0 for one in known]
    apart = difference(values, chances, [one.question.cluster for one in known])
    if apart is None:
        return FindingCheck(row.compared.here, None, "no question has a chance")
    return _told(row, row.compared.here, f"score {percent(mean(values))} %, chance {percent(mean(chances))} %", apart)


def _contrasted(how: Contrast, row: RunRow) -> FindingCheck:
    """Compare one kind of question with each other kind.

    The result is that of the comparison that decides: against the kind for which the finding is least clear.
    """
    known = PackedList(one for one in _scored(row).values() if one.metrics.get(how.metric) is not None)
    values, clusters = [one.metrics[how.metric] or 0.0 for one in known], [one.question.cluster for one in known]
    mine = [how.one.has(one.question) for one in known]
    checks: list[tuple[float, FindingCheck]] = []
    for other in how.others:
        theirs = [other.has(one.question) for one in known]
        apart = contrast(values, mine, theirs, clusters)
        if apart is None:
            lacking = how.one if not any(mine) else other
            return FindingCheck(row.compared.here, None, f"needs questions about {lacking.words}")
        shares = [percent(mean(v for v, of in zip(values, of_kind, strict=True) if of)) for of_kind in (mine, theirs)]
        words = f"{how.one.words} {shares[0]} %, {other.words} {shares[1]} %"
        ahead = apart.value if how.above else -apart.value
        checks.append((ahead, _told(row, row.compared.here, words, apart, above=how.above)))
    order = sorted(checks, key=lambda one: (one[1].holds is True, one[1].holds is None, one[0]))
    return order[0][1]  # the finding holds if it holds against all others


def _pair_check(how: Varied, more: RunRow, less: RunRow) -> FindingCheck:
    """Compare two runs on their common questions."""
    first, second = _scored(more), _scored(less)
    both = [
        (one, second[name])
        for name, one in first.items()
        if name in second and (how.among is None or how.among.has(one.question))
    ]
    about = f"{more.compared.here} against {less.compared.here}"
    values = [[pair[place].metrics["strict"] or 0.0 for pair in both] for place in (0, 1)]
    apart = difference(values[0], values[1], [one.question.cluster for one, _ in both])
    if apart is None:
        lacking = "" if how.among is None else f" about {how.among.words}"
        return FindingCheck(about, None, f"the two runs have no common question{lacking}")
    words = f"{percent(mean(values[0]))} % and {percent(mean(values[1]))} %"
    return _told(more, about, words, apart, above=how.above)


def _told(row: RunRow, about: str, words: str, apart: Difference, *, above: bool = True) -> FindingCheck:
    """Decide about a difference, and say why."""
    cluster = row.scores.cluster
    start = f"{words}: {points(apart.value)} points"
    if apart.low is None or apart.high is None:
        reason = f"too few {cluster}s for an interval: {apart.clusters} of at least {FEWEST_CLUSTERS}"
        return FindingCheck(about, None, f"{start} ({reason})")
    told = f"{start} (95 %: {difference_interval(apart)}; {apart.clusters} {cluster}s)"
    if apart.low <= 0 <= apart.high:
        return FindingCheck(about, None, f"{told}: both signs are possible")
    return FindingCheck(about, (apart.low > 0) == above, told)


def _pairs(what: str, runs: Sequence[RunRow]) -> Iterator[tuple[RunRow, RunRow]]:
    """Yield the pairs of runs that differ in one thing only.

    The first run has more of it: the videos, more frames, the method, or a larger model.
    """
    for more, less in permutations(runs, 2):
        known = all(row.compared.run.card.elsewhere is None for row in (more, less))
        if known and _rest(what, more) == _rest(what, less) and _MORE[what](more, less):
            yield more, less


def _rest(what: str, row: RunRow) -> str:
    """Return all settings of a run but those that may differ."""
    kept = {
        name: value
        for name, value in row.compared.run.card.identified().items()
        if not any(name == free or (free.endswith(".") and name.startswith(free)) for free in _FREE[what])
    }
    series = _SIZE.sub("", row.compared.run.card.model) if what == "size" else None
    return canonical_json([kept, series])


def _shows(row: RunRow) -> bool:
    return row.compared.run.card.protocol.settings.get("input", "full") == "full"


def _is_seeing(more: RunRow, less: RunRow) -> bool:
    return _shows(more) and less.compared.run.card.protocol.settings.get("input") == "blind"


def _has_more_frames(more: RunRow, less: RunRow) -> bool:
    one, other = frames_shown(more), frames_shown(less)
    return one is not None and other is not None and one > other and _shows(more) and _shows(less)


def _is_method(more: RunRow, less: RunRow) -> bool:
    """Check that only the first run uses a method.

    Its model alone makes all calls of the method, and the other run shows the videos.
    """
    card = more.compared.run.card
    if card.method is None or less.compared.run.card.method is not None or not _shows(less):
        return False
    return {stage.model for stage in card.method.models.values()} <= {card.model}


def _is_larger(more: RunRow, less: RunRow) -> bool:
    sizes = [_SIZE.findall(row.compared.run.card.model) for row in (more, less)]
    return all(len(found) == 1 for found in sizes) and float(sizes[0][0]) > float(sizes[1][0])


_MORE: Mapping[str, Callable[[RunRow, RunRow], bool]] = {
    "input": _is_seeing,
    "frames": _has_more_frames,
    "method": _is_method,
    "size": _is_larger,
}

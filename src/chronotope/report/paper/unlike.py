"""The reasons why a run cannot be compared with published rows."""

from collections.abc import Iterator, Mapping

from chronotope.families import PublishedTable, PublishedWay, Reference, ReleasedSet
from chronotope.report.paper.comparability import nearest
from chronotope.report.runs.run_marks import BASE, BLIND, BY_STRATEGY, ELSEWHERE, by_method
from chronotope.report.runs.run_rows import Row

MANY = 6  # names
PUBLISHED = "paper"  # the profile that reproduces the published rules; imported releases also have this profile


def reasons(row: Row, reference: Reference, table: PublishedTable) -> tuple[str, ...]:
    """Return the differences between a run and a published table.

    Each difference is a clause of a sentence. The result is empty if the run can be compared with the table.
    """
    return (*_of_benchmark(row, reference.released), *_of_asking(row, table), *nearest_way(row, reference, table)[1])


def nearest_way(row: Row, reference: Reference, table: PublishedTable) -> tuple[PublishedWay | None, list[str]]:
    """Find the published settings that are most similar to a run.

    Only settings that have rows in the table are considered. The second value lists the differences.
    """
    groups = {of.group for of in table.rows}
    ways = [way for way in reference.ways if way.method == table.method and way.group in (None, *groups)]
    return nearest(row.compared.run, ways) if ways else (None, [])


def _of_benchmark(row: Row, released: ReleasedSet) -> Iterator[str]:
    benchmark = row.compared.run.benchmark
    profile = benchmark.card.profile
    if profile != PUBLISHED:
        yield f"{benchmark.card.name} is not the released set: it was built with the profile {profile}"
        return
    counts = released.count(benchmark.questions)
    total = sum(sum(of.values()) for of in counts.values())
    if total != released.total:
        yield f"{benchmark.card.name} has {total:,} questions, the released set {released.total:,}"
    elif not released.is_like(benchmark.questions):
        task = next(task for task, of in counts.items() if of != released.questions.get(task))
        of_it, of_that = counts[task], released.questions.get(task, {})
        here, there = _spread(of_it, of_that), _spread(of_that, of_it)
        yield (
            f"{benchmark.card.name} is not the released set: it has {here} questions of {task}, the released set "
            f"{there}"
        )


def _spread(counts: Mapping[str, int], other: Mapping[str, int]) -> str:
    """Format counts with their names.

    If there are many names, only names with different counts are listed.
    """
    many = len(counts.keys() | other.keys()) > MANY
    told = [(name, n) for name, n in counts.items() if not many or other.get(name, 0) != n]
    return ", ".join(f"{number} {name or 'unknown'}" for name, number in told) or "none"


def _of_asking(row: Row, table: PublishedTable) -> Iterator[str]:
    run = row.compared.run
    yield from (
        mark.why
        for mark in row.marks
        if mark.words != ELSEWHERE and mark.why not in (BY_STRATEGY, BLIND, table.method and by_method(table.method))
    )
    strategies = dict.fromkeys(one.ask.strategy for one in run.answered)
    if table.strategy not in strategies:
        yield f"its strategy is {', '.join(strategies)}, but the published rows have {table.strategy}"
    asked = {one.question.id for one in run.answered if one.question.variant == BASE}
    every = sum(question.variant == BASE for question in run.benchmark.questions)
    if 0 < len(asked) < every:
        yield f"only {len(asked):,} of its {every:,} questions were asked"
    if run.card.elsewhere is not None:
        return  # the number of sent asks is unknown, and missing replies count as wrong
    if waiting := row.scores.states.get("not_asked"):
        yield f"it is not finished: {waiting:,} asks are missing"

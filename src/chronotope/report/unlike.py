"""Why a run cannot stand among published rows."""

from collections.abc import Iterator, Mapping

from chronotope.families import PublishedTable, ReleasedSet
from chronotope.report.marks import BASE, BY_STRATEGY, ELSEWHERE
from chronotope.report.rows import Row

__all__ = ["reasons"]

MANY = 6  # names
PUBLISHED = "paper"  # the profile that reproduces the published rules; imported releases have it


def reasons(row: Row, released: ReleasedSet, table: PublishedTable) -> tuple[str, ...]:
    """What a run was asked otherwise than a table's rows, a clause each; empty where it belongs among them."""
    return (*_of_benchmark(row, released), *_of_asking(row, table))


def _of_benchmark(row: Row, released: ReleasedSet) -> Iterator[str]:
    benchmark = row.compared.run.benchmark
    profile = benchmark.card.profile
    if profile != PUBLISHED:
        yield f"{benchmark.card.name} is not the released set but was built with the profile {profile}: other questions"
        return
    counts = released.count(benchmark.questions)
    total = sum(sum(of.values()) for of in counts.values())
    if total != released.total:
        yield f"{benchmark.card.name} has {total:,} questions, the released set {released.total:,}"
    elif not released.is_like(benchmark.questions):
        task = next(task for task, of in counts.items() if of != released.questions.get(task))
        of_it, of_that = counts[task], released.questions.get(task, {})
        here, there = _spread(of_it, of_that), _spread(of_that, of_it)
        yield f"{benchmark.card.name} is not the released set: of {task} it has {here}, that one {there}"


def _spread(counts: Mapping[str, int], other: Mapping[str, int]) -> str:
    """The counts by name; of many names only those that have another count there."""
    many = len(counts.keys() | other.keys()) > MANY
    told = [(name, n) for name, n in counts.items() if not many or other.get(name, 0) != n]
    return ", ".join(f"{number} {name or 'unknown'}" for name, number in told) or "none"


def _of_asking(row: Row, table: PublishedTable) -> Iterator[str]:
    run = row.compared.run
    yield from (mark.why for mark in row.marks if mark.words != ELSEWHERE and mark.why != BY_STRATEGY)
    strategies = dict.fromkeys(one.ask.strategy for one in run.answered)
    if table.strategy not in strategies:
        yield f"it was asked by the strategy {', '.join(strategies)}, and the published rows {table.strategy}"
    asked = {one.question.id for one in run.answered if one.question.variant == BASE}
    every = sum(question.variant == BASE for question in run.benchmark.questions)
    if 0 < len(asked) < every:
        yield f"only {len(asked):,} of its {every:,} questions were asked"
    if run.card.elsewhere is not None:
        return  # the rest is not known, and what the file lacks counts as wrong
    if waiting := row.scores.states.get("not_asked"):
        yield f"it is not finished: {waiting:,} asks were not made yet"
    settings = run.card.protocol.settings
    if settings.get("clips") == "video":
        yield "whole clips were sent as video files, and the authors sent frames"
    elif (shown := settings.get("frames")) is not None and shown not in (frames := {of.frames for of in table.rows}):
        numbers = " or ".join(str(number) for number in sorted(number for number in frames if number is not None))
        yield f"{shown} frames of a clip were shown, and the authors showed {numbers or 'another number'}"

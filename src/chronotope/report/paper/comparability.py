"""The reasons why a run cannot be compared with published rows, and the published settings nearest to a run."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chronotope.evaluate.score import RunResults
from chronotope.families import PublishedTable, PublishedWay, Reference, ReleasedSet
from chronotope.io.packed import Keys
from chronotope.report.compared_runs.run_marks import BASE, BLIND, BY_STRATEGY, ELSEWHERE, by_method
from chronotope.report.compared_runs.run_rows import RunRow

# These fields of a request have no influence on a model that always chooses the likeliest token.
_IDLE = ("metadata", "seed", "service_tier", "store", "user")
_LENGTHS = ("max_tokens", "max_completion_tokens")

Difference = tuple[str, Any, tuple[Any, ...]]  # a setting: its name, the run's value, and the published values


def nearest(run: RunResults, ways: Sequence[PublishedWay]) -> tuple[PublishedWay, list[str]]:
    """Find the published settings that are most similar to a run.

    The second value has a clause for each setting that differs.
    """
    way, found = min(((way, list(_differing(run, way))) for way in ways), key=lambda both: len(both[1]))
    return way, [_clause(name, value, _of_any(ways, name, value) or allowed) for name, value, allowed in found]


def _differing(run: RunResults, way: PublishedWay) -> Iterator[Difference]:
    own = _told(run)
    for name, allowed in way.fixed.items():
        if name == "max_tokens" and name in own and _leaves_room_for_thoughts(run, own[name], allowed):
            continue
        if name in own and own[name] not in allowed:
            yield name, own[name], allowed
    if (sent := own.get("frames_as")) is not None:
        yield "frames_as", sent, (None,)
    for name, value in ({} if run.card.elsewhere else run.card.decoding.extra).items():
        known = name in own or name in (*_IDLE, *_LENGTHS)
        if not known and value not in way.extra.get(name, ()):
            yield f"set {name}", value, way.extra.get(name, (None,))


def _told(run: RunResults) -> dict[str, Any]:
    """Return the known settings of a run, by name.

    For imported replies, it is only known whether pictures were shown.
    """
    fields = run.family.RunSettings.model_fields
    own = {name: field.default for name, field in fields.items()} | run.card.protocol.settings
    if run.card.elsewhere is not None:
        return {"input": own["input"]}
    own["version"] = run.card.protocol.version
    if (method := run.card.method) is not None:
        models = {
            f"{kind}_model": None if of.model == run.card.model else of.model for kind, of in method.models.items()
        }
        own |= method.settings | models | {"method_version": method.version}
    # Neither a baseline nor a person samples tokens.
    without = run.card.by_person or run.card.model.startswith("baseline/")
    return own if without else own | _decoding(run)


def _decoding(run: RunResults) -> dict[str, Any]:
    """Return the decoding fields of a run's requests.

    None means that the service chooses the value.
    """
    decoding = run.card.decoding
    sent: dict[str, Any] = {"temperature": decoding.temperature, "top_p": decoding.top_p}
    sent |= {name: decoding.extra[name] for name in sent if name in decoding.extra}
    sent["top_p"] = 1.0 if sent["top_p"] is None else sent["top_p"]  # the value that services use by default
    return sent | {"max_tokens": decoding.longest_reply[1]}


def _leaves_room_for_thoughts(run: RunResults, bound: int | None, allowed: tuple[Any, ...]) -> bool:
    """Check whether a longer limit is allowed because of thinking.

    The published limit does not include the model's thinking. A run can therefore have a longer limit if its replies
    contain thinking.
    """
    longer = bound is None or bound > max(one for one in allowed if one is not None)
    return longer and any(
        one.line is not None and (one.line.reasoning or "<think>" in (one.line.reply or "")) for one in run.answered
    )


def _of_any(ways: Sequence[PublishedWay], name: str, value: Any) -> tuple[Any, ...]:
    """Return a setting's published values if they differ from the run's value.

    Returns an empty tuple if the run's value is one of the published values.
    """
    allowed = dict.fromkeys(one for way in ways for one in way.fixed.get(name, ()))
    return () if value in allowed else tuple(allowed)


def _clause(name: str, value: Any, allowed: tuple[Any, ...]) -> str:
    versions = {"version": "the protocol's version", "method_version": "the method's version"}
    said = versions.get(name, f"--{name.replace('_', '-')}")
    if name.startswith("set "):
        said = f"--{name}"
    given = [_words(one) for one in allowed if one is not None] or ["not given"]
    return f"{said} is {_words(value)} (as published: {' or '.join(given)})"


def _words(value: Any) -> str:
    if value is None:
        return "not given"
    return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


MANY = 6  # names
PUBLISHED = "paper"  # the profile that reproduces the published rules; imported releases also have this profile


def reasons(row: RunRow, reference: Reference, table: PublishedTable) -> tuple[str, ...]:
    """Return the differences between a run and a published table.

    Each difference is a clause of a sentence. The result is empty if the run can be compared with the table.
    """
    return (*_of_benchmark(row, reference.released), *_of_asking(row, table), *nearest_way(row, reference, table)[1])


def nearest_way(row: RunRow, reference: Reference, table: PublishedTable) -> tuple[PublishedWay | None, list[str]]:
    """Find the published settings that are most similar to a run.

    Only settings that have rows in the table are considered. The second value lists the differences.
    """
    groups = {of.group for of in table.rows}
    ways = [way for way in reference.ways if way.method == table.method and way.group in (None, *groups)]
    return nearest(row.compared.run, ways) if ways else (None, [])


def _of_benchmark(row: RunRow, released: ReleasedSet) -> Iterator[str]:
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


def _of_asking(row: RunRow, table: PublishedTable) -> Iterator[str]:
    run = row.compared.run
    yield from (
        mark.why
        for mark in row.marks
        if mark.words != ELSEWHERE and mark.why not in (BY_STRATEGY, BLIND, table.method and by_method(table.method))
    )
    strategies = dict.fromkeys(one.ask.strategy for one in run.answered)
    if table.strategy not in strategies:
        yield f"its strategy is {', '.join(strategies)}, but the published rows have {table.strategy}"
    asked = Keys(one.question.id for one in run.answered if one.question.variant == BASE)
    every = sum(question.variant == BASE for question in run.benchmark.questions)
    if 0 < len(asked) < every:
        yield f"only {len(asked):,} of its {every:,} questions were asked"
    if run.card.elsewhere is not None:
        return  # the number of sent asks is unknown, and missing replies count as wrong
    if waiting := row.scores.states.get("not_asked"):
        yield f"it is not finished: {waiting:,} asks are missing"

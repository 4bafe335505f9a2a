"""Scores of a run: a function of questions, ledger and protocol, worked out when wanted and stored nowhere."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from chronotope.errors import InputError
from chronotope.evaluate.results import Answered, RunResults
from chronotope.evaluate.statistics import Estimate, estimate
from chronotope.protocol import Scored, Table, option_letters
from chronotope.question import Question

__all__ = ["Scores", "score_run"]

BASE = "base"


@dataclass(frozen=True)
class Scores:
    """What a run scores.

    Everything but ``variants``, ``states``, ``readings`` and ``scored`` is of the base questions, or, where none was
    asked, of the variant that is first by name: variants differ in chance and in how they are read, so that one mean
    over several says nothing. ``variants`` has each variant on a row of its own, the one counted overall first.
    ``overall`` is strict: whatever was not answered, or not understood, counts as wrong. ``covered`` leaves it out, and
    is None where nothing is left; ``circular`` counts a question as right where it is in every placement, and is None
    where no question was asked in several.

    ``states`` counts all asks by what happened to the call (``not_asked``: nothing yet), ``readings`` by what the reply
    says: ``parsed``, ``unparsed``, ``truncated`` (unparsed because it was cut short) or ``missing`` (no reply).
    ``letters`` counts the letters chosen, ``right_letters`` those that were right where they were shown.
    """

    overall: Estimate
    covered: Estimate | None
    circular: Estimate | None
    tasks: dict[str, Estimate]
    tags: dict[str, dict[str, Estimate]]
    variants: dict[str, Estimate]
    states: dict[str, int]
    readings: dict[str, int]
    letters: dict[str, int]
    right_letters: dict[str, int]
    tables: tuple[Table, ...]
    scored: tuple[Scored, ...]


def score_run(results: RunResults) -> Scores:
    """Score a run, finished or not. Raises InputError where it has no question that its protocol can score."""
    protocol = results.family.protocol
    by_question: dict[str, list[Answered]] = {}
    for one in results.answered:
        by_question.setdefault(one.question.id, []).append(one)
    scored = [
        protocol.score(asked[0].question, [(one.ask, one.reading) for one in asked]) for asked in by_question.values()
    ]
    variants = {one.question.variant for one in scored}
    first = BASE if BASE in variants else min(variants, default=BASE)
    counted = [one for one in scored if one.question.variant == first]
    overall = _estimate(counted, "strict")
    if overall is None:
        raise InputError(f"{results.folder}: no question of this run can be scored by the protocol {protocol.name!r}")
    among = {one.question.id for one in counted}
    letters, right = _letters([one for one in results.answered if one.question.id in among])
    return Scores(
        overall=overall,
        covered=_estimate(counted, "covered"),
        circular=_estimate(counted, "circular"),
        tasks=_by(counted, lambda question: (question.task,), results.family.tasks),
        tags={
            key: _by(counted, lambda question, key=key: question.tags.get(key, ()))
            for key in sorted({key for one in counted for key in one.question.tags})
        },
        variants=_by(scored, lambda question: (question.variant,), (BASE,)),
        states=dict(Counter("not_asked" if one.line is None else one.line.state for one in results.answered)),
        readings=dict.fromkeys(("parsed", "unparsed", "truncated", "missing"), 0)
        | Counter(_kind(one) for one in results.answered),
        letters=letters,
        right_letters=right,
        tables=tuple(protocol.tables(counted)),
        scored=tuple(scored),
    )


def _estimate(scored: Iterable[Scored], metric: str) -> Estimate | None:
    """The mean of a metric over the questions that have it."""
    having = [(value, one) for one in scored if (value := one.metrics.get(metric)) is not None]
    clusters = [one.question.cluster for _, one in having]
    # Chance is that of one placement; what chance makes of all placements at once is not known here.
    chances = [] if metric == "circular" else [one.chance for _, one in having]
    return estimate([value for value, _ in having], clusters, chances)


def _by(
    scored: Sequence[Scored], names_of: Callable[[Question], Iterable[str]], first: Sequence[str] = ()
) -> dict[str, Estimate]:
    """The strict estimate for each name that a question goes by; the names in ``first`` stand first, in their order."""
    members: dict[str, list[Scored]] = {name: [] for name in first}
    for one in sorted(scored, key=lambda one: sorted(names_of(one.question))):
        for name in names_of(one.question):
            members.setdefault(name, []).append(one)
    estimates = {name: _estimate(ones, "strict") for name, ones in members.items()}
    return {name: value for name, value in estimates.items() if value is not None}


def _kind(one: Answered) -> str:
    if one.reading is None:
        return "missing"
    if one.reading.parsed:
        return "parsed"
    return "truncated" if one.reading.truncated else "unparsed"


def _letters(answered: Sequence[Answered]) -> tuple[dict[str, int], dict[str, int]]:
    """How often each letter was chosen, and how often it was right, as shown."""
    most = max((len(one.ask.placement) for one in answered), default=0)
    letters = option_letters(most)
    chosen, right = Counter[str](), Counter[str]()
    for one in answered:
        for options, count in ((one.reading.options if one.reading else None, chosen), (one.question.answer, right)):
            count.update(letters[one.ask.placement.index(option)] for option in options or ())
    return {letter: chosen[letter] for letter in letters}, {letter: right[letter] for letter in letters}

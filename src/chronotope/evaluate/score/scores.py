"""The scores of a run.

Scores are computed from the questions, the ledger and the protocol whenever they are needed, and are never stored.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import merge
from itertools import groupby
from typing import Any

import numpy as np

from chronotope.errors import InputError
from chronotope.evaluate.score.precision import Precision, precision_of, scale_accuracies
from chronotope.evaluate.score.predictions import without_reply
from chronotope.evaluate.score.results import PARSER, Answered, OpenAnswers, RunResults, only_thinks
from chronotope.evaluate.score.statistics import FEWEST_CLUSTERS, Estimate, estimate
from chronotope.evaluate.score.verdicts import PROMPT
from chronotope.io.packed import Keys, PackedList, by_key, select
from chronotope.models import Decoding
from chronotope.protocol import EvaluationProtocol, ModeTables, Scored, Table, option_letters
from chronotope.question import Question

BASE = "base"
DIRECT = "direct"
READINGS = ("parsed", "unparsed", "truncated", "unjudged", "missing")
WORTH_NAMING = 0.01  # minimum share of truncated or unreadable replies for a note about them
UNANSWERED = {
    "refused": "refused by the service",
    "failed": "failed",
    "missing_media": "without their clip or picture",
}
AGAIN = "the same `chronotope run` repeats only these asks"


@dataclass(frozen=True)
class Scores:
    """The scores of a run.

    Most fields cover one variant, ``counted``, and one strategy, ``strategy``. The variant is the base questions or, if
    there are no base questions, the first variant by name. The strategy is the first planned strategy. A mean over
    several variants or strategies would be meaningless, because variants differ in their chance and in the reading of
    replies, and strategies differ in their media. These fields cover more than one variant or strategy:

    - ``variants`` has one row for each variant of the counted strategy, and ``strategies`` has one row for each
      strategy of the counted variant. In both fields, the first row belongs to the counted variant and strategy.
    - ``tables``, ``states``, ``readings``, ``truncated_share``, ``notes`` and ``scored`` cover all asks.

    ``overall`` is the strict score: an answer counts as wrong if it is missing, not understood or not judged.
    ``covered`` excludes such answers, and is None if no answer remains. ``overall`` and ``covered`` use the published
    order of the options. If the published order was not asked, they use the first order that was asked. Further
    placements therefore do not change ``overall`` and ``covered``. Questions that were never asked are excluded from
    all scores. ``planned`` is the number of planned questions. In runs with imported replies, no question is excluded,
    because a file that lacks some replies is not an unfinished run.

    Some questions are asked several times, with different placements of their options. ``circular`` counts such a
    question as correct if its answers are correct in all planned placements. A missing answer counts as not correct.
    For such questions, ``position`` is the mean score of the asks that have a call. ``circular`` and ``position`` are
    None if there is no such question. The chance of ``circular`` assumes independent guesses: for k placements, the
    chance is the k-th power of the chance of one placement. ``positions`` covers questions with one correct option. It
    maps each letter to the mean score of the asks whose correct option has this letter.

    ``states`` counts all asks by the state of their call; the state ``not_asked`` means that there is no call yet.
    ``readings`` counts all asks by the kind of their reading:

    - ``parsed``: an answer was read.
    - ``unparsed``: no answer could be read from the reply.
    - ``truncated``: no answer could be read, because the reply was cut short.
    - ``unjudged``: an open answer was read, but neither the rules nor a judge has judged it.
    - ``missing``: there is no reply.

    ``open_answers`` counts all open answers by the way in which they were judged. ``truncated_share`` is the share of
    ``truncated`` readings among the replies. ``notes`` are sentences to print next to the score. ``letters`` counts the
    chosen letters, and ``right_letters`` counts the correct letters, as shown in the asks. ``cluster`` is the family's
    word for a cluster, such as "clip".

    ``precision`` has the threshold of each quantity for which questions have the required tags (`precision_of`).
    ``scales`` has the accuracy with and without a stated scale (`scale_accuracies`).
    """

    counted: str
    strategy: str
    planned: int
    overall: Estimate
    covered: Estimate | None
    circular: Estimate | None
    position: Estimate | None
    positions: dict[str, Estimate]
    tasks: dict[str, Estimate]
    tags: dict[str, dict[str, Estimate]]
    variants: dict[str, Estimate]
    strategies: dict[str, Estimate]
    states: dict[str, int]
    readings: dict[str, int]
    open_answers: OpenAnswers
    truncated_share: float
    notes: tuple[str, ...]
    letters: dict[str, int]
    right_letters: dict[str, int]
    tables: tuple[Table, ...]
    scored: Sequence[Scored]
    cluster: str = "clip"
    precision: tuple[Precision, ...] = ()
    scales: dict[str, dict[str, Estimate]] = field(default_factory=dict)

    @property
    def counted_questions(self) -> Mapping[str, Scored]:
        """Return the questions that ``overall`` covers, by id."""
        counted = select(
            self.scored, lambda one: one.question.variant == self.counted and one.strategy == self.strategy
        )
        return by_key(counted, lambda one: one.question.id)


class _Values:
    """Values that enter a mean, with their chances and clusters."""

    def __init__(self) -> None:
        self._values, self._shared = array("d"), dict[Any, Any]()
        self._clusters: list[str] = []
        self._chances: list[float | None] = []

    def add(self, value: float, chance: float | None, cluster: str) -> None:
        """Add a value. Equal clusters and equal chances share one object."""
        self._values.append(value)
        self._clusters.append(self._shared.setdefault(cluster, cluster))
        self._chances.append(self._shared.setdefault(chance, chance))

    def add_from(self, other: "_Values", place: int) -> None:
        """Add the value at a place of others."""
        self.add(other._values[place], other._chances[place], other._clusters[place])

    def __len__(self) -> int:
        return len(self._values)

    def mean(self) -> Estimate | None:
        """Return the mean, or None if there is no value."""
        return estimate(self._values, self._clusters, self._chances)


class _Asked:
    """The asks of each question with each strategy, in the order of their first asks."""

    def __init__(self, answered: Sequence[Answered]) -> None:
        self._answered, self._keys, numbers = answered, Keys(), array("I")
        strategies: dict[str, None] = {}
        self.planned = Counter[tuple[str, str]]()  # questions by variant and strategy
        for one in answered:
            strategies[one.ask.strategy] = None
            there = len(self._keys)
            numbers.append(number := self._keys.numbered(f"{one.ask.strategy}\n{one.question.id}"))
            self.planned[one.question.variant, one.ask.strategy] += number == there
        self.strategies = tuple(strategies)
        self._order = np.argsort(np.asarray(numbers, dtype=np.uint32), kind="stable").astype(np.uint32)
        self._ends = np.cumsum(np.bincount(numbers, minlength=len(self._keys))) if numbers else np.zeros(0, int)

    def __iter__(self) -> Iterator[list[Answered]]:
        return map(self._at, range(len(self._keys)))

    def of(self, question: str, strategy: str) -> list[Answered]:
        """Return the asks of a question with a strategy."""
        return self._at(self._keys.numbered(f"{strategy}\n{question}"))

    def _at(self, number: int) -> list[Answered]:
        places = self._order[self._ends[number - 1] if number else 0 : self._ends[number]]
        return [self._answered[place] for place in places.tolist()]


def score_run(results: RunResults) -> Scores:
    """Score a run, even before it has finished.

    Raises:
        InputError: If the protocol of the run can score none of its questions.
    """
    protocol = results.family.protocol
    asked_of, whole = _Asked(results.answered), results.card.elsewhere is not None
    every = whole or all(one.line is None for one in results.answered)  # otherwise, only questions with a call
    scored = PackedList(
        _scored_of_made(protocol, asked, asked if whole else _made(asked))
        for asked in asked_of
        if every or any(one.line for one in asked)
    )
    variants = {one.question.variant for one in scored}
    first = BASE if BASE in variants else min(variants, default=BASE)
    every_strategy = select(scored, lambda one: one.question.variant == first)
    used = {one.strategy for one in every_strategy}
    strategy = next((name for name in asked_of.strategies if name in used), DIRECT)  # the first planned one
    by_strategy = select(scored, lambda one: one.strategy == strategy)
    counted = select(every_strategy, lambda one: one.strategy == strategy)
    overall = metric_mean(counted, "strict")
    if overall is None:
        raise InputError(
            f"{results.folder}: this run has no question that can be scored by the protocol {protocol.name!r}"
        )
    letters, right = _letters(results.answered, first, strategy)
    circular, position, positions = _by_placement(protocol, counted, asked_of, whole=whole)
    states = dict(Counter("not_asked" if one.line is None else one.line.state for one in results.answered))
    readings = dict.fromkeys(READINGS, 0) | Counter(map(_kind, results.answered))
    return Scores(
        counted=first,
        strategy=strategy,
        planned=asked_of.planned[first, strategy],
        overall=overall,
        covered=metric_mean(counted, "covered"),
        circular=circular,
        position=position,
        positions=positions,
        tasks=_by(counted, lambda question: (question.task,), results.family.tasks),
        tags={
            key: _by(counted, lambda question, key=key: question.tags.get(key, ()))
            for key in sorted({key for one in counted for key in one.question.tags})
        },
        variants=_by(by_strategy, lambda question: (question.variant,), (BASE,)),
        strategies=_by_strategy(every_strategy),
        states=states,
        readings=readings,
        open_answers=results.open_answers,
        truncated_share=readings["truncated"] / max(1, states.get("replied", 0)),
        notes=tuple(_notes(results, states, readings, overall)),
        letters=letters,
        right_letters=right,
        tables=(*protocol.tables(every_strategy), *_mode_tables(protocol, scored)),
        scored=scored.ended(),
        cluster=results.family.cluster,
        precision=precision_of(counted),
        scales=scale_accuracies(counted),
    )


def _scored(protocol: EvaluationProtocol, asked: Sequence[Answered]) -> Scored:
    return protocol.score(asked[0].question, [(one.ask, one.reading) for one in asked])


def _made(asked: list[Answered]) -> list[Answered]:
    """Return the asks of a question that have a call.

    If no ask has a call, all asks are returned.
    """
    return [one for one in asked if one.line is not None] or asked


def _scored_of_made(protocol: EvaluationProtocol, asked: Sequence[Answered], made: Sequence[Answered]) -> Scored:
    """Score a question over its asks that have a call.

    ``circular`` uses all planned asks. The accuracy uses only one ask: the ask with the published order or, if this ask
    was not made, the first ask that was made.
    """
    if len(asked) == 1:
        return _scored(protocol, asked)
    published = [one for one in made if one.ask.placement == tuple(sorted(one.ask.placement))]
    scored, plain = _scored(protocol, made), _scored(protocol, published[:1] or made[:1])
    metrics = dict(scored.metrics)
    if len(made) < len(asked):
        metrics |= {name: value for name, value in _scored(protocol, asked).metrics.items() if name == "circular"}
    return replace(scored, metrics=metrics | {name: plain.metrics.get(name) for name in ("strict", "covered")})


def _by_placement(
    protocol: EvaluationProtocol, counted: Sequence[Scored], asked_of: _Asked, *, whole: bool
) -> tuple[Estimate | None, Estimate | None, dict[str, Estimate]]:
    """Compute ``circular``, ``position`` and ``positions``.

    ``counted`` contains the questions to score. ``asked_of`` has their planned asks. With ``whole``, asks without a
    call count, too.
    """
    circular, position = _Values(), _Values()
    by_letter: dict[str, _Values] = {}
    for one in counted:
        question = one.question
        asked = asked_of.of(question.id, one.strategy)
        each = [
            (value, alone.chance, answered.ask)
            for answered in (asked if whole else _made(asked))
            if (value := (alone := _scored(protocol, [answered])).metrics.get("strict")) is not None
        ]
        right_everywhere = one.metrics.get("circular")
        if right_everywhere is not None:
            placements = len({answered.ask.placement for answered in asked})
            chance = None if one.chance is None else one.chance**placements
            circular.add(right_everywhere, chance, question.cluster)
            for value, of_value, _ in each:
                position.add(value, of_value, question.cluster)
        if len(question.answer) == 1 and not question.multiple:
            for value, chance, ask in each:
                letter = option_letters(len(ask.placement))[ask.placement.index(question.answer[0])]
                by_letter.setdefault(letter, _Values()).add(value, chance, question.cluster)
    positions = {letter: by_letter[letter].mean() for letter in sorted(by_letter)}
    return circular.mean(), position.mean(), {name: value for name, value in positions.items() if value is not None}


def longer_flag(decoding: Decoding) -> str:
    """Return the flag that raises the limit on replies."""
    field, _ = decoding.longest_reply
    return f"--set {field}=N" if field in decoding.extra else "--max-tokens N"


def _notes(
    results: RunResults, states: Mapping[str, int], readings: Mapping[str, int], overall: Estimate
) -> Iterator[str]:
    """Yield the sentences to print next to the accuracy."""
    card, asks, replies = results.card, len(results.answered), states.get("replied", 0)
    if results.damage is not None:
        yield results.damage
    if readings["truncated"] > WORTH_NAMING * replies:
        field, most = card.decoding.longest_reply
        yield (
            f"cut short {'by the service' if most is None else f'at {field} {most}'} before an answer: "
            f"{_share(readings['truncated'], replies, 'replies')}, counted as wrong; run with a larger limit "
            f"({longer_flag(card.decoding)}) into a new folder"
        )
    if readings["unparsed"] > WORTH_NAMING * replies:
        yield f"without an answer: {_share(readings['unparsed'], replies, 'replies')}, counted as wrong"
    silent = without = 0
    for one in results.answered:
        if (line := one.line) is not None and line.state == "replied":
            silent += only_thinks(line.reply, line.reasoning, line.finish)
            without += line.letter_log_probabilities is None
    if silent:
        yield f"empty replies: {_share(silent, replies, 'replies')}, {PARSER}"
    wanted = card.decoding.extra
    if (wanted.get("logprobs") or wanted.get("responseLogprobs")) and without > replies / 2:
        share = _share(without, replies, "replies")
        why = "because the service returned none, or the first word of the reply is not a letter"
        yield f"log-probabilities of letters: none for {share}, {why}"
    if unjudged := readings["unjudged"]:
        share = _share(unjudged, results.open_answers.total, "open answers")
        other = card.judge is not None and card.judge.prompt != PROMPT
        why = (
            f" (the verdicts of {card.judge.model} were given under other instructions)" if card.judge and other else ""
        )
        judge = "MODEL" if card.judge is None or other else f"{card.judge.model}, which has judged the others"
        yield f"answers that no judge has judged: {share}, counted as wrong{why}; run again with --judge {judge}"
    if card.elsewhere is not None:
        if (whole := card.elsewhere.subset_of) is not None:
            count = len(Keys(one.question.id for one in results.answered))
            yield f"a subset: {count} of {whole} questions, those in {card.elsewhere.file} (--only)"
        missing = [one.ask.id for one in results.answered if one.reading is None]
        if missing:
            yield without_reply(card.elsewhere.file, missing, asks)
    else:
        for state, words in UNANSWERED.items():
            if states.get(state):
                share = _share(states[state], asks, "asks")
                yield f"{words}: {share}, counted as wrong; {AGAIN}"
        if not_asked := states.get("not_asked"):
            yield f"not asked yet: {_share(not_asked, asks, 'asks')}, left out; {AGAIN}"
    if overall.clusters < FEWEST_CLUSTERS:
        few = f"too few {results.family.cluster}s for an interval"
        yield f"{few}: {overall.clusters}, and at least {FEWEST_CLUSTERS} are needed"


def _share(count: int, of: int, what: str) -> str:
    return f"{count} of {of} {what} ({100 * count / of:.1f} %)"


def metric_mean(scored: Iterable[Scored], metric: str) -> Estimate | None:
    """Return the mean of a metric over the questions that have it, with its interval and its chance."""
    values = _Values()
    for one in scored:
        if (value := one.metrics.get(metric)) is not None:
            values.add(value, one.chance, one.question.cluster)
    return values.mean()


def _mode_tables(protocol: EvaluationProtocol, scored: Sequence[Scored]) -> Sequence[Table]:
    """Return the protocol's tables over all variants, if any."""
    return protocol.mode_tables(scored) if isinstance(protocol, ModeTables) else ()


def _by_strategy(scored: Sequence[Scored]) -> dict[str, Estimate]:
    """Estimate the strict score of each strategy, in planned order."""
    names = dict.fromkeys(one.strategy for one in scored)
    estimates = {name: metric_mean((one for one in scored if one.strategy == name), "strict") for name in names}
    return {name: value for name, value in estimates.items() if value is not None}


def _by(
    scored: Sequence[Scored], names_of: Callable[[Question], Iterable[str]], first: Sequence[str] = ()
) -> dict[str, Estimate]:
    """Estimate the strict score of each group of questions.

    ``names_of`` returns the names of the groups of a question. The groups in ``first`` come first, in the given order.
    """
    alike: dict[tuple[str, ...], array[int]] = {}  # by their names: the places of questions
    values = _Values()
    for one in scored:
        places = alike.setdefault(tuple(names_of(one.question)), array("I"))
        if (value := one.metrics.get("strict")) is not None:
            places.append(len(values))
            values.add(value, one.chance, one.question.cluster)
    members = {name: _Values() for name in first}
    for _, same in groupby(sorted(alike, key=sorted), key=sorted):
        for place, names in merge(*(((place, names) for place in alike[names]) for names in same)):
            for name in names:
                members.setdefault(name, _Values()).add_from(values, place)
    estimates = {name: of.mean() for name, of in members.items()}
    return {name: value for name, value in estimates.items() if value is not None}


def _kind(one: Answered) -> str:
    if one.reading is None:
        return "missing"
    if one.reading.parsed:
        return "parsed" if one.question.answer or one.reading.right is not None else "unjudged"
    return "truncated" if one.reading.truncated else "unparsed"


def _letters(answered: Iterable[Answered], variant: str, strategy: str) -> tuple[dict[str, int], dict[str, int]]:
    """Count how often each letter was chosen and was correct.

    Only the asks of one variant and one strategy count. The letters belong to the options in the order in which they
    were shown.
    """
    chosen, right, most = Counter[int](), Counter[int](), 0
    for one in answered:
        if one.question.variant != variant or one.ask.strategy != strategy:
            continue
        most = max(most, len(one.ask.placement))
        for options, count in ((one.reading.options if one.reading else None, chosen), (one.question.answer, right)):
            count.update(one.ask.placement.index(option) for option in options or ())
    of_chosen, of_right = (
        {letter: count[place] for place, letter in enumerate(option_letters(most))} for count in (chosen, right)
    )
    return of_chosen, of_right

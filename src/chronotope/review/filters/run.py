"""Make the calls of a pass: like a run of questions, in rounds, with the same ledger, limits and progress."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from chronotope.errors import InputError
from chronotope.evaluate.plan import PlannedAsk, Selection, make_plan, plan_calls
from chronotope.evaluate.run import Outcome, Progress, RunRequest, foresee, run_request
from chronotope.families import Family, family
from chronotope.ledger import LedgerLine, answers, read_ledger
from chronotope.models import Answer, Calls, Decoding, Model, ModelSpec, Say, fitting, foreseen_money
from chronotope.protocol import Ask, AskSettings, MediaFacts, Part, Reading, Scored, Table
from chronotope.question import Benchmark, Question
from chronotope.review.filters.decisions import Decision, PassRecord, keep_record, read_records, record_folder, words_of
from chronotope.review.filters.item import Found, Pass, Replied, Rules
from chronotope.review.filters.passes import find_pass
from chronotope.review.filters.trials import FRAMES
from chronotope.review.filters.view import Choice, apply_records


@dataclass(frozen=True)
class PassProtocol:
    """The asks of a pass about the questions of a family.

    ``replies`` maps the ids of questions to their replies so far. The protocol has no scores.
    """

    made: Pass
    family: Family
    replies: Mapping[str, Sequence[Replied]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return the name of the protocol in run.yaml."""
        return f"filter {self.made.name}"

    @property
    def version(self) -> int:
        """Return the version of the prompts."""
        return self.made.version

    def asks(self, question: Question, settings: Any, facts: MediaFacts) -> list[Ask]:
        """Return the asks that the replies so far require."""
        return self.made.asks(question, self.replies.get(question.id, ()), Rules(self.family, settings, facts))

    def parts(self, ask: Ask, question: Question, facts: MediaFacts) -> list[Part]:
        """Make the prompt of an ask."""
        return self.made.parts(ask, question, Rules(self.family, AskSettings.model_validate({}), facts))

    def read(self, ask: Ask, question: Question, reply: str, truncated: bool) -> Reading:
        """Return the reply as it is; the pass reads it."""
        return Reading(None, "text", reply, truncated)

    def score(self, question: Question, readings: Sequence[tuple[Ask, Reading | None]]) -> Scored:
        """Return no scores."""
        return Scored(question, {}, None)

    def tables(self, scored: Sequence[Scored]) -> list[Table]:
        """Return no tables."""
        return []


LEDGER = "ledger.jsonl"
CUT_SHORT = "length"


@dataclass(frozen=True, eq=False)
class PassRequest:
    """Everything that a pass over a benchmark needs.

    - ``name`` is the name of the pass (see `PASSES`). ``model`` is as in `RunRequest`.
    - ``record`` is the folder of the ledgers and decisions; by default it is beside the benchmark.
    - ``decoding`` has decoding settings that replace those of the pass, such as ``temperature`` or ``extra``.
    - ``settings`` are the family's settings for showing videos, if the pass shows any.
    - ``calls``, ``check``, ``progress`` and ``say`` are as in `RunRequest`; ``max_cost`` limits the cost of this pass
      with this model.
    """

    benchmark: Benchmark
    name: str
    model: str | ModelSpec | Model | Answer
    record: Path | None = None
    decoding: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    calls: Calls = field(default_factory=Calls)
    check: bool = True
    progress: Progress | None = None
    say: Say | None = None
    to_ask: bool = True

    @property
    def folder(self) -> Path:
        """Return the folder of the ledgers and decisions."""
        return record_folder(self.benchmark.folder) if self.record is None else self.record


@dataclass(frozen=True)
class PassForeseen:
    """The calls that a pass would make now.

    - ``questions`` counts the questions that the pass concerns, after the earlier passes.
    - ``calls`` are needed in any case, and ``most`` is the largest number of calls, if every question needs all.
    - ``tokens`` and ``money`` are estimates for the largest number of calls, with replies of maximum length. ``money``
      is None without a price.
    - ``spent`` is the known cost of the pass so far.
    """

    folder: Path
    model: str
    questions: int
    calls: int
    most: int
    tokens: int
    money: float | None
    spent: float


@dataclass(frozen=True)
class PassOutcome:
    """The outcome of a pass.

    ``asked`` counts the calls of this command, and ``money`` is the known cost of the whole pass. ``problems`` are
    sentences for the user.
    """

    record: PassRecord
    folder: Path
    asked: int
    money: float | None
    interrupted: bool = False
    problems: tuple[str, ...] = ()


def foresee_pass(request: PassRequest) -> PassForeseen:
    """Count the calls that `run_pass` would make; nothing is sent or written.

    Raises:
        InputError: In the same cases as `run_pass`, before its first call.
    """
    work = _Work(replace(request, to_ask=False))
    state = work.replay()
    waiting = [ask for asks in state.waiting.values() for ask in asks]
    most = sum(work.made.calls - len(state.replies.get(key, ())) for key in state.waiting)
    mean = sum(one.estimated_tokens for one in waiting) / max(1, len(waiting))
    price, longest = request.calls.price, work.decoding.longest_reply[1]
    tokens = round(most * mean)
    money = None if price is None else foreseen_money(price, most, tokens, longest or 0)
    spent = sum(line.money or 0.0 for line in work.lines())
    return PassForeseen(work.home, work.model, len(work.asked), len(waiting), most, tokens, money, spent)


def run_pass(request: PassRequest) -> PassOutcome:
    """Make the missing calls of a pass, and decide.

    The pass concerns the questions that the earlier passes keep, with their present words. Every reply is in the ledger
    before the next call, and no recorded call is made again. After an interruption, the decisions so far are written.

    Raises:
        InputError: If the pass, the model or a setting cannot be used, or the service rejects every request.
    """
    work = _Work(request)
    outcome: Outcome | None = None
    problems: list[str] = []
    asked, tried = 0, set[str]()
    try:
        state = work.replay()
        while todo := [key for key, asks in state.waiting.items() if not tried.issuperset(ask.ask.id for ask in asks)]:
            tried |= {one.ask.id for key in todo for one in state.waiting[key]}
            outcome = run_request(work.run_request(todo, state.replies))
            asked += outcome.asked
            problems += [words for words in outcome.problems if words not in problems]
            if outcome.interrupted or "not_asked" in outcome.states:
                break
            state = work.replay()
    finally:
        if work.home.exists():
            work.keep()
    spent = [line.money for line in work.lines() if line.money is not None]
    money = sum(spent) if spent else None
    interrupted = outcome is not None and outcome.interrupted
    return PassOutcome(work.decided(), work.home, asked, money, interrupted, tuple(problems))


@dataclass
class _State:
    """The replies of a pass so far, and the asks that wait for a reply, by question."""

    replies: dict[str, list[Replied]] = field(default_factory=dict)
    waiting: dict[str, list[PlannedAsk]] = field(default_factory=dict)


class _Work:
    """A pass with its questions, its family and its folder."""

    def __init__(self, request: PassRequest) -> None:
        self.request, self.made = request, find_pass(request.name)
        benchmark = request.benchmark
        records = read_records(request.folder, benchmark)
        view = apply_records(benchmark.questions, records, Choice(before=request.name))
        self.questions = [question for question in view.questions if question.variant == "base"]
        self.reasons = {
            question.id: why for question in self.questions if (why := self.made.why_not(question)) is not None
        }
        self.asked = {question.id: question for question in self.questions if question.id not in self.reasons}
        if not self.asked:
            raise InputError(f"{benchmark.folder}: the pass {request.name} concerns no question that is left")
        self.family = family(benchmark.card.family)
        self.settings = _settings(self.made, self.family, request.settings)
        opened = self._request([], {}).open()
        if not self.made.looks and not opened.limits.looks:
            raise InputError(f"{opened.name} reads only options: choose a model that reads text", where="model")
        self.model, self.limits = opened.name, opened.limits
        self.decoding = fitting(opened.name, _with_fields(self._decoding(), request.model))
        first = next(iter(self.asked))
        self.home = foresee(self.run_request([first], {}))[0]
        self._rules: Rules | None = None

    def run_request(self, ids: Sequence[str], replies: Mapping[str, Sequence[Replied]]) -> RunRequest:
        """Return the request for the waiting asks of some questions."""
        return self._request([self.asked[key] for key in ids], replies)

    def _request(self, questions: Sequence[Question], replies: Mapping[str, Sequence[Replied]]) -> RunRequest:
        how = self.request
        protocol = PassProtocol(self.made, self.family, replies)
        settings = AskSettings if not self.made.looks else self.family.RunSettings
        asking = replace(self.family, protocol=protocol, RunSettings=settings, guard=None)
        return RunRequest(
            replace(how.benchmark, questions=tuple(questions)), asking, how.model, self._decoding(), self.settings,
            Selection(), None, calls=how.calls, check=how.check and self.made.looks, progress=how.progress,
            say=how.say, kind=self.made.kind, runs=how.folder / how.name, to_ask=how.to_ask,
        )  # fmt: skip

    def _decoding(self) -> Decoding:
        return Decoding.model_validate(self.made.decoding.model_dump() | dict(self.request.decoding))

    def lines(self) -> Sequence[LedgerLine]:
        """Return the calls of the pass so far."""
        path = self.home / LEDGER
        return read_ledger(path) if path.exists() else ()

    def replay(self) -> _State:
        """Read all replies in the ledger, and find the waiting asks."""
        replied = {key: line for key, line in answers(self.lines()).items() if line.state == "replied"}
        state, active = _State(), list(self.asked)
        while active:
            planned = self._planned(active, state.replies)
            active = []
            for key, asks in planned.items():
                found = [
                    Replied(ask.ask, line.reply or "", line.finish == CUT_SHORT)
                    for ask in asks
                    if (line := replied.get(ask.key)) is not None
                ]
                if len(found) < len(asks):
                    state.waiting[key] = [ask for ask in asks if ask.key not in replied]
                elif len(found) > len(state.replies.get(key, ())):
                    active.append(key)
                state.replies[key] = found
        return state

    def _planned(self, ids: Sequence[str], replies: Mapping[str, Sequence[Replied]]) -> dict[str, list[PlannedAsk]]:
        request = self.run_request(ids, replies)
        plan = make_plan(request.benchmark, request.family, request.settings, Selection(), self.limits)
        planned: dict[str, list[PlannedAsk]] = {}
        for one in plan_calls(plan, self.model, self.decoding):
            planned.setdefault(one.ask.question, []).append(one)
        self._rules = Rules(self.family, self.settings, plan.facts)
        return planned

    def decided(self) -> PassRecord:
        """Decide about all questions, by the replies in the ledger."""
        state = self.replay()
        decisions = [self._decision(question, state) for question in self.questions]
        run = self.home.relative_to(self.request.folder).as_posix()
        return PassRecord(self.made.name, self.model, run, tuple(decisions))

    def _decision(self, question: Question, state: _State) -> Decision:
        if question.id in self.reasons:
            found = Found("skipped", self.reasons[question.id])
        elif question.id in state.waiting:
            found = Found("unanswered", "a call has no reply")
        else:
            assert self._rules is not None
            found = self.made.decide(question, state.replies[question.id], self._rules)
        return Decision(
            question=question.id, outcome=found.outcome, reason=found.reason, words=words_of(question),
            detail=dict(found.detail),
        )  # fmt: skip

    def keep(self) -> None:
        """Write the decisions so far."""
        keep_record(self.request.folder, self.request.benchmark, self.decided())


def _settings(made: Pass, chosen: Family, given: Mapping[str, Any]) -> AskSettings:
    """Return the settings for showing videos, or for showing none.

    Raises:
        InputError: If the pass shows no pictures, but settings are given.
    """
    if not made.looks:
        if given:
            raise InputError(f"{', '.join(given)}: the pass {made.name} shows no pictures: omit these settings")
        return AskSettings.model_validate({"input": "blind"})
    shown = {"frames": FRAMES} if given.get("clips") != "video" and given.get("rate") is None else {}
    return chosen.RunSettings.model_validate(shown | dict(given))


def _with_fields(decoding: Decoding, model: object) -> Decoding:
    """Add the settings of a `ModelSpec`, which are fields of each request."""
    if not isinstance(model, ModelSpec) or not model.settings:
        return decoding
    return decoding.model_copy(update={"extra": decoding.extra | dict(model.settings)})

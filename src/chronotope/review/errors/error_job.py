"""Sample the wrong answers of a run, let the model explain them, and let a judge model label them.

All replies are in ``ledger.jsonl`` of a folder beside the run, so the same command continues, and pays no call twice.
``cases.jsonl`` has what people see; it is computed anew each time.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from chronotope.errors import InputError
from chronotope.evaluate.score import Answered, RunResults, open_run
from chronotope.interrupts import run_async
from chronotope.io import canonical_json, write_atomically
from chronotope.ledger import Ledger, LedgerLine, bytes_of_line, read_ledger
from chronotope.media import FrameCache
from chronotope.models import (
    Asker,
    Calls,
    CountedJob,
    JobCalls,
    ModelSpec,
    OverBudgetError,
    Say,
    StructuredJob,
    UnansweredError,
    do_all,
    require_structured,
)
from chronotope.protocol import option_letters
from chronotope.review.errors.explaining import (
    EXPLAINING,
    Explanation,
    can_be_shown,
    explaining_parts,
    label_form,
    labelling,
    labelling_parts,
    reply_of,
)
from chronotope.review.errors.sampling import cell_of, kept_reasoning, sample_evenly, wrong_answers
from chronotope.review.studies.figure_table import KindFigures
from chronotope.review.studies.giving import Case
from chronotope.review.studies.items import scene_of
from chronotope.review.studies.labelling import Labelled, label_figures
from chronotope.review.studies.study_kinds import Label

LEDGER, CASES = "ledger.jsonl", "cases.jsonl"
LONGEST = 8000  # characters of a reply or a reasoning that people see
PICTURES = 64  # of a prompt, for the room of its line in the ledger
Advance = Callable[[int, int, str], None]


@dataclass(frozen=True, eq=False)
class ErrorsRequest:
    """Everything that the analysis of a run's errors needs.

    - ``count`` and ``seed`` choose the sample.
    - ``explainer`` explains answers without reasoning, and ``judge`` labels all; None makes no such calls.
    - ``labels`` are the classes. ``published`` maps classes to published shares (percent).
    - ``calls`` limits the cost of all calls together; ``judge_calls`` has the price of the judge.
    - ``out`` is the folder of the replies (default: beside the run, with the ending ``.errors``).
    """

    run: Path
    labels: tuple[Label, ...]
    published: Mapping[str, float] = field(default_factory=dict[str, float])
    count: int = 200
    seed: int = 0
    explainer: ModelSpec | None = None
    judge: ModelSpec | None = None
    calls: Calls = field(default_factory=JobCalls)
    judge_calls: Calls = field(default_factory=JobCalls)
    out: Path | None = None
    progress: Advance | None = None
    say: Say | None = None

    @property
    def folder(self) -> Path:
        """Return the folder of the replies."""
        whole = self.run.resolve()
        return whole.with_name(f"{whole.name}.errors") if self.out is None else self.out


@dataclass(frozen=True)
class ErrorsForeseen:
    """The calls that would be made now: explanations and labels, with their tokens and the money at most."""

    wrong: int
    cases: int
    kept: int
    explain_calls: int
    label_calls: int
    tokens: int
    money: float | None
    spent: float


@dataclass(frozen=True)
class ErrorsOutcome:
    """The analysis of a run's errors.

    ``wrong`` counts the wrong answers of the run, ``kept`` the cases whose reasoning the run has, ``explained`` and
    ``labelled`` those with an explanation and with a label of the judge. ``stopped`` says why some are missing.
    ``without`` counts the cases whose replies had no valid form, or were refused, by the kind of call.
    """

    folder: Path
    cases: tuple[Case, ...]
    wrong: int
    kept: int
    explained: int
    labelled: int
    asked: int
    money: float | None
    figures: KindFigures
    stopped: str | None = None
    without: Mapping[str, int] = field(default_factory=dict[str, int])


class _Sample:
    """The wrong answers of a run that are analysed, and what is known about each."""

    def __init__(self, request: ErrorsRequest) -> None:
        self.request = request
        self.results: RunResults = open_run(request.run)
        wrong = wrong_answers(self.results)
        if not wrong:
            raise InputError("has no wrong answer", where=str(request.run), expected="a run with wrong answers")
        self.wrong = len(wrong)
        self.cases: list[Answered] = sample_evenly(wrong, cell_of, request.count, request.seed)
        self.kept = {one.ask.id: text for one in self.cases if (text := kept_reasoning(one)) is not None}
        self.explained: dict[str, str] = {}
        self.labels: dict[str, tuple[str, str]] = {}
        self.labelling = labelling(request.labels)
        self._cache = FrameCache()

    def to_explain(self) -> list[Answered]:
        """Return the answers that the model is asked to explain."""
        if self.request.explainer is None:
            return []
        return [one for one in self.cases if one.ask.id not in self.kept and can_be_shown(self.results, one)]

    async def explain(self, asker: Asker, one: Answered) -> None:
        """Ask for the explanation of an answer."""
        parts = await asyncio.to_thread(explaining_parts, self.results, one, self._cache)
        found = await asker.ask(EXPLAINING, one.ask.id, parts, Explanation)
        if found is not None:
            self.explained[one.ask.id] = found.steps

    async def label(self, asker: Asker, one: Answered) -> None:
        """Ask the judge for the class of an error."""
        names = tuple(label.name for label in self.request.labels)
        reasoning = self.kept.get(one.ask.id) or self.explained.get(one.ask.id)
        parts = labelling_parts(one, _short(reasoning or "") or None)
        found: Any = await asker.ask(self.labelling, one.ask.id, parts, label_form(names))
        if found is not None:
            self.labels[one.ask.id] = (found.label, found.reason)

    def written(self) -> tuple[Case, ...]:
        """Return the cases as people see them."""
        return tuple(self._case(one) for one in self.cases)

    def _case(self, one: Answered) -> Case:
        name, reading = one.ask.id, one.reading
        letters = option_letters(len(one.ask.placement))
        chosen = [] if reading is None or reading.options is None else [
            letters[one.ask.placement.index(index)] for index in sorted(reading.options)
        ]  # fmt: skip
        reasoning = self.kept.get(name) or self.explained.get(name) or ""
        reply = reply_of(one)
        label, why = self.labels.get(name, (None, ""))
        facts = {
            "reply": "" if reply == reasoning.strip() else _short(reply), "reasoning": _short(reasoning),
            "explained": name not in self.kept and name in self.explained, "chosen": chosen, "checks": False,
            "judge": label, "judge_reason": why,
        }  # fmt: skip
        return Case(name, one.question, facts)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n[…]"


def label_errors(request: ErrorsRequest) -> ErrorsOutcome:
    """Sample the wrong answers of a run, and make the calls about them.

    Raises:
        InputError: If the run has no wrong answers, or a model cannot be used.
        KeyboardInterrupt: If the user pressed Ctrl-C. All replies are kept.
    """
    for spec in (request.explainer, request.judge):
        if spec is not None:
            require_structured(spec.name, spec.base_url, spec.credentials)
    sample = _Sample(request)
    request.folder.mkdir(parents=True, exist_ok=True)
    stopped: str | None = None
    asked, money = 0, None
    with Ledger.open(request.folder / LEDGER) as ledger:
        job = None
        for spec, calls, stage, works in _steps(request, sample):
            beside = None if job is None else job.budget
            flag = "--set" if stage.kind == "explain" else "--judge-set"
            job = StructuredJob(spec, [stage], ledger, calls, beside=beside, flag=flag)
            try:
                _run(request, job, works(job), stage.kind)
            except (OverBudgetError, UnansweredError) as error:
                stopped = str(error)
            asked += job.asked
            money = job.budget.spent if job.budget.known else money
            if stopped is not None:  # labels need the explanations
                break
    cases = sample.written()
    _write(request.folder / CASES, cases)
    missing = {
        "explanation": len(sample.to_explain()) - len(sample.explained),
        "label": 0 if request.judge is None else len(cases) - len(sample.labels),
    }
    without = {} if stopped is not None else {name: count for name, count in missing.items() if count}
    return ErrorsOutcome(
        request.folder, cases, sample.wrong, len(sample.kept), len(sample.explained), len(sample.labels), asked, money,
        _figures(request, cases), stopped, without,
    )  # fmt: skip


def _steps(request: ErrorsRequest, sample: _Sample) -> list[tuple[ModelSpec, Calls, Any, Callable[[Asker], Any]]]:
    """Return the models to ask, with their calls: first the explanations, then the labels that need them."""
    steps: list[tuple[ModelSpec, Calls, Any, Callable[[Asker], Any]]] = []
    if request.explainer is not None and (todo := sample.to_explain()):
        explaining = lambda job: [partial(sample.explain, job, one) for one in todo]  # noqa: E731
        steps.append((request.explainer, request.calls, EXPLAINING, explaining))
    if request.judge is not None:
        labels = lambda job: [partial(sample.label, job, one) for one in sample.cases]  # noqa: E731
        steps.append((request.judge, request.judge_calls, sample.labelling, labels))
    return steps


def _run(request: ErrorsRequest, job: StructuredJob, works: Sequence[Any], kind: str) -> None:
    at_once = min(request.calls.concurrency, len(works))

    def tell(done: int, _: int) -> None:
        if request.progress is not None:
            request.progress(done, len(works), "explanations" if kind == "explain" else "labels")

    async def work() -> None:
        await do_all(works, at_once, tell)
        job.require_answers()

    job.run(work, bytes_of_line(job.budget.longest_reply, pictures=PICTURES) * at_once, request.say)


def foresee_errors(request: ErrorsRequest) -> ErrorsForeseen:
    """Count the calls that `label_errors` would make now; nothing is sent or written.

    Labels that wait for explanations are estimated without them.

    Raises:
        InputError: In the same cases as `label_errors`, before its first call.
    """
    for spec in (request.explainer, request.judge):
        if spec is not None:
            require_structured(spec.name, spec.base_url, spec.credentials, to_ask=False)
    sample = _Sample(request)
    path = request.folder / LEDGER
    lines: Sequence[LedgerLine] = read_ledger(path) if path.exists() else ()
    replied = {line.key: line for line in lines if line.state == "replied"}
    counts, tokens, money = {"explain": 0, "label": 0}, 0, []
    for spec, calls, stage, works in _steps(request, sample):
        job = CountedJob(spec, [stage], calls, replied)
        run_async(do_all(works(job), request.calls.concurrency))
        counted = job.counted()
        counts[stage.kind] = counted.calls
        tokens += counted.tokens
        money.append(counted.money)
    whole = None if any(one is None for one in money) else sum(one or 0.0 for one in money)
    spent = sum(line.money or 0.0 for line in lines)
    return ErrorsForeseen(
        sample.wrong, len(sample.cases), len(sample.kept), counts["explain"], counts["label"], tokens, whole, spent
    )


def _figures(request: ErrorsRequest, cases: Sequence[Case]) -> KindFigures:
    labelled = [Labelled(one.ask, one.question.task, scene_of(one.question), (), one.facts["judge"]) for one in cases]
    names = [label.name for label in request.labels]
    known = {name: value for name, value in request.published.items() if name in names}
    return label_figures(request.run.name, labelled, names, known, "Figure 7")


def _write(path: Path, cases: Sequence[Case]) -> None:
    lines = [
        canonical_json({"ask": one.ask, "question": one.question.id, "task": one.question.task, **one.facts})
        for one in cases
    ]
    with write_atomically(path) as temporary:
        Path(temporary).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", errors="replace")

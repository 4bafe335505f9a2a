"""Make a run from beginning to end.

All settings are checked before any file is written. Then the calls are made.
"""

import asyncio
import shutil
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from chronotope.errors import InputError
from chronotope.evaluate.plan.asks import PlannedAsk, check_asks, keyed_as, plan_calls, write_asks
from chronotope.evaluate.plan.manifest import (
    LEDGER,
    RUNS,
    RunManifest,
    check_manifest,
    home_of,
    join_manifest,
    make_manifest,
)
from chronotope.evaluate.plan.plan import Plan, Selection, make_plan
from chronotope.evaluate.run.admission import Room
from chronotope.evaluate.run.dry_run import DryRun, check_price, count_calls
from chronotope.evaluate.run.jobs import job_file, open_jobs
from chronotope.evaluate.run.method_request import MethodRequest, OpenMethod, open_method
from chronotope.evaluate.run.reuse import reusable
from chronotope.evaluate.run.runner import Engine, Lead, Outcome, Progress
from chronotope.evaluate.run.self_evaluation import check_self_evaluation
from chronotope.evaluate.run.stages import Stage, StagedEngine
from chronotope.evaluate.score.usage import judge_money, made_here
from chronotope.families import Family
from chronotope.interrupts import run_async
from chronotope.io import canonical_json, plain_refusal, remedy
from chronotope.io.packed import PackedDict
from chronotope.ledger import PATIENCE, CallKind, Ledger, LedgerLine, read_ledger
from chronotope.methods import StepKind
from chronotope.models import (
    SHARE,
    Answer,
    Budget,
    Calls,
    Credentials,
    Decoding,
    Model,
    ModelSpec,
    RunPrice,
    Say,
    Studies,
    as_model,
    batch_form,
    fitting,
    identity_of,
    is_local,
    is_service,
    open_spec,
    refuse_secrets,
    request_fields,
    studies_of,
)
from chronotope.protocol import AskSettings, Layout
from chronotope.question import Benchmark


@dataclass(frozen=True, eq=False)
class RunRequest:
    """Everything that a run needs, from its questions to its limits.

    - ``model`` is a name, a `ModelSpec`, a model, or a function from prompts to texts (see `FunctionModel`). ``opened``
      is the model of this name or spec, if it is open already.
    - ``reuse`` names runs whose answers to identical calls are copied.
    - ``check`` first tests whether the model sees all pictures (`check_model`). ``allow_lost_order`` lets the run
      continue even if the service moves texts away from the pictures that they label.
    - ``batch`` makes the calls in jobs of the service's batches, at half the price (see `BatchEngine`).
    - ``method`` gives answers in another way than by asking (see `chronotope.methods`); None asks.
    - ``say`` is called with sentences for the user.
    - ``kind`` is the kind of the calls in the ledger.
    - ``runs`` is the folder with the default folders of runs. If ``to_ask`` is false, no API key is needed (see
      `foresee`).
    """

    benchmark: Benchmark
    family: Family
    model: str | ModelSpec | Model | Answer
    decoding: Decoding
    settings: AskSettings
    selection: Selection
    out: Path | None
    layout: Layout = "published"
    lead: Lead = "auto"
    calls: Calls = field(default_factory=Calls)
    reuse: Sequence[Path] = ()
    check: bool = True
    allow_lost_order: bool = False
    batch: bool = False
    kind: CallKind = "answer"
    method: MethodRequest | None = None
    progress: Progress | None = None
    say: Say | None = None
    opened: Model | None = None
    runs: Path = RUNS
    to_ask: bool = True

    def open(self, wire: str | None = None) -> Model:
        """Open the model; ``wire`` can select a form of requests."""
        if self.opened is not None and wire is None:
            return self.opened
        return self.open_other(self.model, wire, self.decoding.extra)

    def open_other(
        self, model: str | ModelSpec | Model | Answer, wire: str | None = None, fields: Mapping[str, Any] | None = None
    ) -> Model:
        """Open a model with the run's waiting times and concurrency.

        ``fields`` are settings of a model in this process.
        """
        how: dict[str, Any] = self.calls.pace | {"wire": wire, "fields": fields}
        if isinstance(model, str | ModelSpec):
            return open_spec(_spec(model), to_ask=self.to_ask, **how)
        return as_model(model)


def run(
    benchmark: Benchmark,
    family: Family,
    model: str | ModelSpec | Model | Answer,
    decoding: Decoding,
    settings: AskSettings,
    selection: Selection,
    out: Path | None,
    *,
    base_url: str | None = None,
    credentials: Credentials | None = None,
    **conduct: Any,
) -> Outcome:
    """Make the calls of a plan that have no answer yet.

    The parameters are the fields of `RunRequest` and of its ``calls``; ``base_url`` and ``credentials`` belong to a
    model given by name. A call is repeated if it failed, was refused, or lacked its media in an earlier run. If the
    user presses Ctrl-C, or ``max_cost`` is reached, the run ends, and the outcome states the reason. After any other
    exception, the run folder contains a run that can be continued, or does not exist.

    Raises:
        InputError: If another process uses the folder, the service rejects every request, or the pictures do not reach
            the model. `make_plan`, `open_model`, `check_self_evaluation` and `check_manifest` raise further errors.
    """
    if isinstance(model, str):
        model = ModelSpec(model, base_url, credentials=credentials)
    elif base_url is not None or credentials is not None:
        raise InputError(
            "base_url and credentials: cannot be given with a model object, because only models given "
            "by name need them: omit both"
        )
    calls = Calls.of(**{name: conduct.pop(name) for name in Calls.model_fields if name in conduct})
    return run_request(RunRequest(benchmark, family, model, decoding, settings, selection, out, calls=calls, **conduct))


def run_request(request: RunRequest) -> Outcome:
    """Make the calls of a request; see `run`.

    In a notebook, whose event loop is running, the calls are made in a loop of another thread.
    """
    prepared = _prepared(request)
    with _begun(prepared) as begun:
        try:
            run_async(begun.work())
        except KeyboardInterrupt:
            begun.engine.tally.interrupted = True
        finally:
            begun.settle()
        return begun.outcome()


def foresee(request: RunRequest) -> tuple[Path, DryRun]:
    """Return the folder of a run, and its missing calls.

    No file is written, and nothing is sent.

    Raises:
        InputError: In the same cases as `run`, before its first call.
    """
    made = _prepared(request)
    there = check_manifest(made.folder, made.card, made.planned)
    counted = count_calls(
        made.plan,
        made.planned,
        made.folder,
        there,
        made.model.name,
        made.decoding,
        request.calls.price,
        batch=request.batch,
    )
    looker = made.model if made.method is None else made.method.models.get("caption", made.model)
    checks = request.check and looker.limits.looks and looker.limits.needs_check
    return made.folder, counted if checks else replace(counted, check_tokens=0)


async def arun(request: RunRequest) -> Outcome:
    """Make the calls of a request in the running event loop.

    If the task is cancelled, all answers so far are kept, and CancelledError is raised.
    """
    prepared = await asyncio.to_thread(_prepared, request)
    with _begun(prepared) as begun:
        try:
            await begun.work()
        except asyncio.CancelledError:
            begun.engine.tally.interrupted = True
            raise
        finally:
            begun.settle()
        return begun.outcome()


@dataclass(frozen=True)
class _Prepared:
    """A run that is planned, before anything is written."""

    request: RunRequest
    model: Model
    decoding: Decoding
    plan: Plan
    card: RunManifest
    planned: Sequence[PlannedAsk]
    folder: Path
    others: Mapping[str, LedgerLine]
    bounds: tuple[RunPrice | None, float | None, int]
    method: OpenMethod | None = None


def _prepared(request: RunRequest) -> _Prepared:
    """Check and plan a run; nothing is written.

    If the folder has a run that began in another form of requests, the model is opened in that form.
    """
    spec = _spec(request.model) if isinstance(request.model, str | ModelSpec) else None
    decoding = request.decoding
    if spec is not None and (is_service(spec.name) or is_local(spec.name)):
        decoding = decoding.model_copy(update={"extra": decoding.extra | spec.local | dict(spec.settings)})
    bounds = _bounds(request.calls, decoding, batch=request.batch)
    opened = request.open()
    decoding = fitting(opened.name, decoding)
    method = _method(request, opened, decoding)
    plan = _plan(request, opened, method)
    if isinstance(opened, Studies):  # all questions: the selection must not influence answers
        opened.study(studies_of(request.benchmark.questions), {ask.id: ask.question for ask in plan.asks})
    about = _about(spec, opened)
    card = make_manifest(plan, opened.name, decoding, request.calls.price, about)
    planned = plan_calls(plan, opened.name, decoding)
    folder = request.out if request.out is not None else home_of(card, planned, request.runs)
    there = check_manifest(folder, card, planned) or card
    opened = opened if there.wire == card.wire else request.open(there.wire)  # as it began
    planned = keyed_as(there.schema_version, plan, planned, opened.name, decoding)
    _check_jobs(folder, opened, there.wire, batch=request.batch)
    check_asks(folder)
    others = reusable(folder, card, plan, planned, request.reuse)
    return _Prepared(request, opened, decoding, plan, card, planned, folder, others, bounds, method)


def plan_request(request: RunRequest, opened: Model) -> Plan:
    """Plan a run with an open model; nothing is written.

    Raises:
        InputError: See `make_plan`; also if a model cannot be used with the method or the questions.
    """
    return _plan(request, opened, _method(request, opened, fitting(opened.name, request.decoding)))


def _plan(request: RunRequest, opened: Model, method: OpenMethod | None) -> Plan:
    plan = make_plan(
        request.benchmark, request.family, request.settings, request.selection, opened.limits, request.layout,
        None if method is None else method.staged,
    )  # fmt: skip
    for name in dict.fromkeys([opened.name, *(() if method is None else (of.name for of in method.models.values()))]):
        check_self_evaluation(request.family, name, None, request.settings, plan.questions.values())
    return plan


def _method(request: RunRequest, opened: Model, decoding: Decoding) -> OpenMethod | None:
    """Open the models of the method's stages.

    Raises:
        InputError: If calls are made in batch jobs, because the calls of a method depend on each other, or a model
            cannot be used.
    """
    if request.method is None:
        return None
    if request.batch:
        raise InputError("--batch: cannot be combined with --method, whose calls depend on each other: omit one")
    if isinstance(opened, Studies):
        raise InputError(f"--method: {opened.name} answers without prompts: omit --method")
    made = open_method(request.method, opened, decoding, request.calls.price, request.open_other)
    for kind, of in made.staged.models.items():
        request_fields(of.decoding)
        longest = of.decoding.longest_reply[1]
        if request.calls.max_cost is not None and of.price is not None and longest is None:
            raise InputError(f"--max-cost: expected a limit on the replies of the {kind} model")
    return made


def _check_jobs(folder: Path, model: Model, wire: str, *, batch: bool) -> None:
    """Check that a run's calls can be made as wanted.

    Raises:
        InputError: If ``batch`` is true and the service has no batches, or if ``batch`` is false and a batch job of the
            run has not ended.
    """
    if batch:
        batch_form(model.name, wire)
    elif left := open_jobs(folder):
        raise InputError(
            f"batch job {left[0].id or left[0].tag} of this run has not ended, so its calls would be paid for twice",
            where=str(folder),
            fix=f"add --batch to fetch its answers, or delete {job_file(folder, left[0])} to give them up",
        )


def _spec(model: str | ModelSpec) -> ModelSpec:
    return ModelSpec(model) if isinstance(model, str) else model


def _about(spec: ModelSpec | None, opened: Model) -> dict[str, Any]:
    """Return all values that influence answers, except the model's name.

    Raises:
        InputError: If a setting looks like a secret, or JSON cannot represent it. (``run.yaml`` contains the settings.)
    """
    if spec is None or is_service(spec.name) or is_local(spec.name):
        return identity_of(opened)
    refuse_secrets(spec.settings)
    about = spec.local | dict(spec.settings) | identity_of(opened)
    try:
        canonical_json(about)
    except (TypeError, ValueError):
        raise InputError("contains values that JSON cannot represent", where="settings of the model") from None
    return about


@dataclass(frozen=True)
class _Begun:
    """A run whose folder is locked, with the engine that makes its calls."""

    prepared: _Prepared
    card: RunManifest
    engine: Engine
    taken: int

    async def work(self) -> None:
        """Make all calls."""
        request, engine = self.prepared.request, self.engine
        wanted = engine.wanted_check(self.card) if request.check else None
        await engine.run(self.prepared.folder, wanted, allow_lost_order=request.allow_lost_order)

    def settle(self) -> None:
        """Wait until the answers in memory are written to disk."""
        self.engine.settle(0 if self.engine.tally.interrupted else PATIENCE)

    def outcome(self) -> Outcome:
        """Return the outcome of the run."""
        return self.engine.outcome(self.prepared.folder, self.taken)


@contextmanager
def _begun(prepared: _Prepared) -> Generator[_Begun]:
    """Make or continue the folder of a run, and lock it.

    If the run fails before its first answer, a new folder is removed.
    """
    request, folder, planned = prepared.request, prepared.folder, prepared.planned
    model, new = prepared.model, not prepared.folder.exists()
    with Ledger.open(folder / LEDGER) as ledger, _nothing_left_of(folder, ledger, new):
        card = join_manifest(folder, prepared.card, planned)
        _check_jobs(folder, model, card.wire, batch=request.batch)  # another process may have submitted a job meanwhile
        write_asks(folder, planned)
        taken = _take_over(ledger, prepared.others)
        budget = Budget(*prepared.bounds, model.limits.dearest_input, SHARE if request.batch else 1.0)
        budget = _spent_so_far(budget, read_ledger(folder / LEDGER), planned, prepared.method)
        room = Room(2 * request.calls.concurrency, model.limits.servers)
        parts = (
            prepared.plan, planned, model, prepared.decoding, ledger, budget, room, request.lead, request.progress,
            request.say,
        )  # fmt: skip
        if prepared.method is not None:
            engine = _staged(prepared.method, prepared, budget, parts)
        else:
            engine = _engine(batch=request.batch)(*parts)
        engine.kind = request.kind
        # A baseline's answers cost nothing, so they need no reserved space.
        if model.limits.looks or prepared.method is not None:
            ledger.reserve(engine.most_in_flight(request.calls.concurrency * model.limits.servers))
        yield _Begun(prepared, card, engine, taken)


def _staged(method: OpenMethod, prepared: _Prepared, budget: Budget, parts: tuple[Any, ...]) -> StagedEngine:
    """Make the engine of a method.

    The budgets of all models share the limit.
    """
    stages: dict[StepKind, Stage] = {}
    for kind, of in method.staged.models.items():
        model, longest = method.models[kind], of.decoding.longest_reply[1] or 0
        stages[kind] = Stage(model, of.decoding, budget.beside(of.price, longest, model.limits.dearest_input))
    return StagedEngine(stages, prepared.others, *parts)


def _engine(*, batch: bool) -> type[Engine]:
    if not batch:
        return Engine
    from chronotope.evaluate.run.batches import BatchEngine  # imported late: loads the HTTP client

    return BatchEngine


def _bounds(calls: Calls, decoding: Decoding, *, batch: bool) -> tuple[RunPrice | None, float | None, int]:
    """Return price, limit on the cost, and longest reply (tokens).

    Raises:
        InputError: If a price and a limit are given, but the length of replies has no limit, or if batch jobs have a
            limit, but no price.
    """
    request_fields(decoding)
    longest_reply = decoding.longest_reply[1]
    if calls.max_cost is not None and calls.price is not None and longest_reply is None:
        raise InputError("--max-cost: expected, with --price, a limit on replies (--max-tokens)")
    check_price(calls.price, calls.max_cost, batch=batch)
    return calls.price, calls.max_cost, longest_reply or 0


def _spent_so_far(
    budget: Budget, lines: Sequence[LedgerLine], planned: Sequence[PlannedAsk], method: OpenMethod | None
) -> Budget:
    """Add the cost of the calls in the ledger to the budget.

    The calls to the judge and the calls of a method are included. The cost of the latter is in the ledger,
    because each model has its own price.
    """
    asked = (line for line in made_here(lines) if method is None or line.kind == "answer")
    budget.count_earlier(
        asked, PackedDict((one.key, one.estimated_tokens) for one in planned) if method is None else None
    )
    if method is not None:
        budget.spent += sum(line.money or 0.0 for line in made_here(lines) if line.kind != "answer")
    budget.spent += judge_money(lines)
    return budget


def _take_over(ledger: Ledger, others: Mapping[str, LedgerLine]) -> int:
    """Copy answers of other runs to calls that have no answer.

    The replies to calls of a method are copied later, when they are needed. Returns the number of copied answers.
    """
    taken = [line for key, line in others.items() if line.kind == "answer" and key not in ledger.replied]
    for line in taken:
        ledger.append(line)
    return len(taken)


@contextmanager
def _nothing_left_of(folder: Path, ledger: Ledger, new: bool) -> Generator[None]:
    """Remove a new folder if the run failed without any answer.

    A folder with a batch job at the service stays. Only the process that has locked the ledger removes the folder,
    because another process may have created the folder a moment ago.
    """
    try:
        yield
    except BaseException as error:  # including the error of a cancelled task
        if new and not ledger.replied and not open_jobs(folder):
            shutil.rmtree(folder, ignore_errors=True)  # ``error`` already reports a missing folder
        if isinstance(error, OSError):
            plain = plain_refusal(error)
            raise InputError(f"{plain.filename or folder}: {plain.strerror}: {remedy(plain)}") from error
        raise

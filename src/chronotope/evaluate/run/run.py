"""Make a run from beginning to end.

All settings are checked before any file is written. Then the calls are made.
"""

import shutil
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from chronotope.errors import InputError
from chronotope.evaluate.plan.asks import PlannedAsk, check_asks, keyed_as, plan_calls, write_asks
from chronotope.evaluate.plan.manifest import LEDGER, RunPrice, check_manifest, home_of, join_manifest, make_manifest
from chronotope.evaluate.plan.plan import Plan, Selection, make_plan
from chronotope.evaluate.plan.shown import Shown
from chronotope.evaluate.run.admission import Room
from chronotope.evaluate.run.reuse import reusable
from chronotope.evaluate.run.runner import Engine, Lead, Outcome, Progress
from chronotope.evaluate.run.self_evaluation import check_self_evaluation
from chronotope.evaluate.score.usage import judge_money, made_here
from chronotope.families import Family
from chronotope.interrupts import run_async
from chronotope.io import plain_refusal, remedy
from chronotope.ledger import PATIENCE, Ledger, LedgerLine, read_ledger
from chronotope.models import (
    WAIT,
    Answer,
    Budget,
    Credentials,
    Decoding,
    Model,
    Say,
    Studies,
    as_model,
    fitting,
    open_model,
    request_fields,
    studies_of,
)
from chronotope.protocol import AskSettings, Layout
from chronotope.question import Benchmark

__all__ = ["MOST_IN_FLIGHT", "TIMEOUT", "run"]

MOST_IN_FLIGHT = 128  # requests; how many there are is the service's to say, from 20 upwards
TIMEOUT = 300.0  # s, for one attempt


def run(
    benchmark: Benchmark,
    family: Family,
    model: str | Model | Answer,
    decoding: Decoding,
    settings: AskSettings,
    selection: Selection,
    out: Path | None,
    *,
    layout: Layout = "published",
    lead: Lead = "auto",
    base_url: str | None = None,
    credentials: Credentials | None = None,
    concurrency: int = MOST_IN_FLIGHT,
    timeout: float = TIMEOUT,
    wait: float = WAIT,
    price: RunPrice | None = None,
    max_cost: float | None = None,
    reuse: Sequence[Path] = (),
    check: bool = True,
    allow_lost_order: bool = False,
    progress: Progress | None = None,
    say: Say | None = None,
) -> Outcome:
    """Make the calls of a plan that have no answer yet.

    ``model`` is a name, a model, or a function that gets a prompt and returns text (see `FunctionModel`). Calls that
    failed or lacked their media are repeated. ``max_cost`` limits the cost of all calls. ``wait`` is the time (s) in
    which the service must accept connections. ``say`` receives sentences for the user. ``reuse`` names runs whose
    answers to identical calls are copied. ``check`` first tests whether the model sees all pictures. If the service
    moves texts away from their pictures, the run continues only with ``allow_lost_order``. After Ctrl-C, or if
    ``max_cost`` is reached, the run ends and the outcome states the reason.

    Raises:
        InputError: If a setting is invalid, another process uses the folder, the service rejects every request, or
            the pictures do not reach the model.
    """
    bounds, how = _checked(concurrency, decoding, price, max_cost), (base_url, credentials, concurrency, timeout, wait)
    opened = _opened(model, *how)
    decoding = fitting(opened.name, decoding)
    plan = make_plan(benchmark, family, settings, selection, opened.limits, layout)
    check_self_evaluation(family, opened.name, None, settings, list(plan.questions.values()))
    _study(opened, plan, benchmark)
    card, planned = make_manifest(plan, opened.name, decoding, price), plan_calls(plan, opened.name, decoding)
    folder = out if out is not None else home_of(card, planned)
    there = check_manifest(folder, card, planned) or card
    opened = opened if there.wire == card.wire else _opened(model, *how, there.wire)  # as it began
    planned = keyed_as(there.schema_version, plan, planned, opened.name, decoding)
    check_asks(folder)
    others = reusable(folder, card, plan, planned, reuse)
    new = not folder.exists()
    with Ledger.open(folder / LEDGER) as ledger, _nothing_left_of(folder, ledger, new):
        card = join_manifest(folder, card, planned)
        write_asks(folder, planned)
        taken = _take_over(ledger, others)
        budget = _spent_so_far(Budget(*bounds, opened.limits.dearest_input), read_ledger(folder / LEDGER), planned)
        engine = Engine(plan, planned, opened, decoding, ledger, budget, Room(2 * concurrency), lead, progress, say)
        _reserve(engine, ledger, opened, concurrency)
        _work(engine, folder, engine.wanted_check(card) if check else None, allow_lost_order=allow_lost_order)
        return engine.outcome(folder, taken)


def _study(model: Model, plan: Plan, benchmark: Benchmark) -> None:
    """Show a model that studies benchmarks all questions.

    Questions that are not asked are shown too: an answer depends on the benchmark alone.
    """
    if isinstance(model, Studies):
        model.study(studies_of(benchmark.questions), {ask.id: ask.question for ask in plan.asks})


def _opened(
    model: str | Model | Answer,
    base_url: str | None,
    credentials: Credentials | None,
    concurrency: int,
    timeout: float,
    wait: float,
    wire: str | None = None,
) -> Model:
    """Open a model by name, or return a model object.

    Raises:
        InputError: If ``base_url`` or ``credentials`` is given with a model object, because only models given by name
            need them.
    """
    if isinstance(model, str):
        return open_model(
            model,
            base_url=base_url,
            credentials=credentials,
            concurrency=concurrency,
            timeout=timeout,
            wait=wait,
            wire=wire,
        )
    if base_url is not None or credentials is not None:
        raise InputError(
            "base_url and credentials: cannot be given with a model object, because only models given "
            "by name need them: omit both"
        )
    return as_model(model)


def _reserve(engine: Engine, ledger: Ledger, model: Model, concurrency: int) -> None:
    """Reserve disk space for the replies in flight.

    Baselines need none, because their answers can be computed again.
    """
    if model.limits.looks:
        ledger.reserve(engine.most_in_flight(concurrency))


def _work(engine: Engine, folder: Path, wanted: Shown | None, *, allow_lost_order: bool) -> None:
    """Let the engine make all calls.

    An interruption is recorded in the outcome of the engine.
    """
    try:
        run_async(engine.run(folder, wanted, allow_lost_order=allow_lost_order))
    except KeyboardInterrupt:
        engine.tally.interrupted = True
    finally:
        engine.settle(0 if engine.tally.interrupted else PATIENCE)


def _checked(
    concurrency: int, decoding: Decoding, price: RunPrice | None, max_cost: float | None
) -> tuple[RunPrice | None, float | None, int]:
    """Check the number of requests and the limits of a budget.

    Raises:
        InputError: If ``concurrency`` is less than 1, ``max_cost`` is not above 0, or there are a price and a
            ``max_cost`` but no limit on the length of replies.
    """
    request_fields(decoding)
    longest_reply = decoding.longest_reply[1]
    if concurrency < 1:
        raise InputError(f"concurrency {concurrency}: expected the number of requests in flight, at least 1")
    if max_cost is not None and (not max_cost > 0 or (price is not None and longest_reply is None)):
        raise InputError("--max-cost: expected an amount above 0 and, with --price, a limit on replies (--max-tokens)")
    return price, max_cost, longest_reply or 0


def _spent_so_far(budget: Budget, lines: Sequence[LedgerLine], planned: Sequence[PlannedAsk]) -> Budget:
    """Add the cost of the calls in the ledger to the budget.

    These calls include the calls to the judge.
    """
    budget.count_earlier(made_here(lines), {one.key: one.estimated_tokens for one in planned})
    budget.spent += judge_money(lines)
    return budget


def _take_over(ledger: Ledger, others: Mapping[str, LedgerLine]) -> int:
    """Copy answers of other runs to calls that have no answer.

    Returns the number of copied answers.
    """
    taken = [line for key, line in others.items() if key not in ledger.replied]
    for line in taken:
        ledger.append(line)
    return len(taken)


@contextmanager
def _nothing_left_of(folder: Path, ledger: Ledger, new: bool) -> Generator[None]:
    """Remove a new folder if the run failed without any answer.

    Only the process that has locked the ledger removes the folder, because another process may have created the folder
    a moment ago.
    """
    try:
        yield
    except (InputError, OSError) as error:
        if new and not ledger.replied:
            shutil.rmtree(folder, ignore_errors=True)  # it may be gone, which the error then says
        if isinstance(error, OSError):
            plain = plain_refusal(error)
            raise InputError(f"{plain.filename or folder}: {plain.strerror}: {remedy(plain)}") from error
        raise

"""A run from its beginning to its end: what is wrong with it is said before anything is made, and then it is asked."""

import asyncio
import shutil
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from chronotope.errors import InputError
from chronotope.evaluate.asks import check_asks, plan_calls, write_asks
from chronotope.evaluate.card import LEDGER, RunPrice, check_run, default_run_folder, join_run, make_run_card
from chronotope.evaluate.engine import Engine, Lead, Outcome, Progress
from chronotope.evaluate.guard import check_guard
from chronotope.evaluate.money import Budget
from chronotope.evaluate.plan import Selection, make_plan
from chronotope.evaluate.reuse import reusable
from chronotope.evaluate.room import Room
from chronotope.evaluate.spent import made_here
from chronotope.families import Family
from chronotope.files import plain_refusal, remedy
from chronotope.ledger import Ledger, LedgerLine, read_ledger
from chronotope.models import Decoding, open_model, request_fields
from chronotope.protocol import AskSettings, Layout
from chronotope.question import Benchmark

__all__ = ["MOST_IN_FLIGHT", "TIMEOUT", "run"]

MOST_IN_FLIGHT = 128  # requests; how many there are is the service's to say, from 20 upwards
TIMEOUT = 300.0  # s, for one attempt


def run(
    benchmark: Benchmark,
    family: Family,
    model: str,
    decoding: Decoding,
    settings: AskSettings,
    selection: Selection,
    out: Path | None,
    *,
    layout: Layout = "published",
    lead: Lead = "auto",
    base_url: str | None = None,
    concurrency: int = MOST_IN_FLIGHT,
    timeout: float = TIMEOUT,
    price: RunPrice | None = None,
    max_cost: float | None = None,
    reuse: Sequence[Path] = (),
    check: bool = True,
    progress: Progress | None = None,
) -> Outcome:
    """Ask a model what the plan asks and the run folder does not hold yet; None for ``out`` is the default folder.

    A call that failed, was refused or missed its media before is made again; an answer is never asked for twice.
    Ctrl-C ends the run cleanly, with an outcome that says so, and so does ``max_cost``, the money that all calls of the
    run together may cost. ``reuse`` names runs whose answers to the very same calls are taken over. ``check`` has the
    model show what it sees (`check_model`) before the first paid question about pictures.

    Raises InputError for wrong use: what `make_plan`, `open_model`, `check_guard` and `check_run` refuse, a run folder
    in use by another process, what a service says is wrong with every request, and pictures that do not arrive.
    """
    bounds = _checked(concurrency, decoding, price, max_cost)
    opened = open_model(model, base_url=base_url, concurrency=concurrency, timeout=timeout)
    plan = make_plan(benchmark, family, settings, selection, opened.limits, layout)
    check_guard(family, opened.name, None, settings, list(plan.questions.values()))
    card = make_run_card(plan, opened.name, decoding, price)
    folder = out if out is not None else default_run_folder(card)
    planned = plan_calls(plan, opened.name, decoding)
    check_run(folder, card)
    check_asks(folder)
    others = reusable(folder, card, {one.key for one in planned}, reuse)
    new = not folder.exists()
    with Ledger.open(folder / LEDGER) as ledger, _nothing_left_of(folder, ledger, new):
        card = join_run(folder, card)
        write_asks(folder, planned)
        taken = _take_over(ledger, others)
        budget = Budget(*bounds)
        budget.count_earlier(made_here(read_ledger(folder / LEDGER)), {one.key: one for one in planned})
        engine = Engine(plan, planned, opened, decoding, ledger, budget, Room(2 * concurrency), lead, progress)
        try:
            asyncio.run(engine.run(folder, engine.wanted_check(card) if check else None))
        except KeyboardInterrupt:
            engine.tally.interrupted = True
        return engine.outcome(folder, taken)


def _checked(
    concurrency: int, decoding: Decoding, price: RunPrice | None, max_cost: float | None
) -> tuple[RunPrice | None, float | None, int]:
    """What a budget is made of; InputError for what cannot be meant."""
    request_fields(decoding)
    longest_reply = decoding.longest_reply[1]
    if concurrency < 1:
        raise InputError(f"concurrency {concurrency}: expected a number of requests, at least 1")
    if max_cost is not None and (price is None or longest_reply is None or not max_cost > 0):
        raise InputError("--max-cost: needs --price IN,OUT, a bound on replies (--max-tokens), and an amount above 0")
    return price, max_cost, longest_reply or 0


def _take_over(ledger: Ledger, others: Mapping[str, LedgerLine]) -> int:
    """Copy answers of other runs to calls that this one has no answer to; how many there were."""
    taken = [line for key, line in others.items() if key not in ledger.replied]
    for line in taken:
        ledger.append(line)
    return len(taken)


@contextmanager
def _nothing_left_of(folder: Path, ledger: Ledger, new: bool) -> Generator[None]:
    """Where a new folder ends with an error and no answer in it, nothing of it stays behind.

    Only who holds the ledger does so: another process may have made the folder a moment ago.
    """
    try:
        yield
    except (InputError, OSError) as error:
        if new and not ledger.replied:
            shutil.rmtree(folder)
        if isinstance(error, OSError):
            plain = plain_refusal(error)
            raise InputError(f"{plain.filename or folder}: {plain.strerror}: {remedy(plain)}") from error
        raise

"""The engine: sends what a plan asks and nobody has answered yet, and keeps every answer before the next request.

Groups are worked at side by side, as many as keep the endpoint full and no more than memory allows. The pictures of a
group are decoded and encoded in a thread, once, and shared by its calls. Where its prompts begin with the same
pictures, one goes ahead and the others follow when it is answered, so that they find those pictures in the service's
cache. Whatever an answer was paid for is in the ledger before its slot sends again; whoever runs again goes on from
there.
"""

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from chronotope.errors import InputError
from chronotope.evaluate.asks import PlannedAsk, plan_calls, write_asks
from chronotope.evaluate.card import (
    LEDGER,
    RunCard,
    RunPrice,
    check_run,
    default_run_folder,
    join_run,
    keep_check,
    make_run_card,
)
from chronotope.evaluate.check import check_model, planned_pictures
from chronotope.evaluate.check_outcome import CheckOutcome
from chronotope.evaluate.groups import Call, Group, Set, make_groups
from chronotope.evaluate.money import Budget
from chronotope.evaluate.pictures import GroupPictures, PictureLoader
from chronotope.evaluate.plan import Plan, Selection, make_plan
from chronotope.evaluate.reuse import reuse as reuse_answers
from chronotope.evaluate.room import Room
from chronotope.evaluate.spent import spent
from chronotope.families import Family
from chronotope.ledger import Ledger, LedgerLine, read_ledger
from chronotope.models import Decoding, Model, RawReply, Session, ledger_line, open_model
from chronotope.protocol import AskSettings, Layout
from chronotope.question import Benchmark

__all__ = ["MOST_IN_FLIGHT", "Lead", "Outcome", "Progress", "run"]

# Called with (calls answered or given up, calls planned); from the thread that called ``run``.
Progress = Callable[[int, int], None]

# auto: the first ask of a set that shares its pictures goes alone, the others when it is answered; off: no waiting.
Lead = Literal["auto", "off"]

MOST_IN_FLIGHT = 128  # requests; how many there are is the service's to say, from 16 upwards
SENTENCES = 5  # of one outcome; the rest are counted


@dataclass(frozen=True)
class Outcome:
    """How a run ended.

    ``states`` counts the planned asks by transport state (``not_asked`` after an interruption, or where the money was
    used up); asks with equal prompts share one call. ``asked`` calls were made or given up now, ``already`` were
    answered before, ``reused`` of them by other runs and taken over now. ``money`` is what the whole run cost, None
    where no price is known. ``problems`` are sentences for people.
    """

    folder: Path
    states: dict[str, int]
    asked: int
    already: int
    reused: int = 0
    money: float | None = None
    interrupted: bool = False
    problems: tuple[str, ...] = ()


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

    Raises InputError for wrong use: what `make_plan`, `open_model` and `check_run` refuse, a run folder in use by
    another process, what a service says is wrong with every request, and pictures that do not arrive.
    """
    if concurrency < 1:
        raise InputError(f"concurrency {concurrency}: expected a number of requests, at least 1")
    if max_cost is not None and (price is None or not max_cost > 0):
        raise InputError("--max-cost: needs --price IN,OUT, and an amount of money above 0")
    opened = open_model(model, base_url=base_url, concurrency=concurrency)
    plan = make_plan(benchmark, family, settings, selection, opened.limits, layout)
    card = make_run_card(plan, opened.name, decoding, price)
    folder = out if out is not None else default_run_folder(card)
    planned = plan_calls(plan, opened.name, decoding)
    check_run(folder, card)
    folder.mkdir(parents=True, exist_ok=True)
    with Ledger.open(folder / LEDGER) as ledger:
        card = join_run(folder, card)
        write_asks(folder, planned)
        reused = reuse_answers(ledger, {one.key for one in planned}, reuse)
        so_far = spent(read_ledger(folder / LEDGER)).money or 0.0 if price else 0.0
        budget = Budget(price, max_cost, decoding.max_tokens, so_far)
        room = Room(2 * concurrency)
        engine = _Engine(plan, planned, opened, decoding, ledger, budget, room, lead, progress)
        wanted = engine.wanted_check(card) if check else None
        try:
            asyncio.run(engine.run(folder, wanted))
        except KeyboardInterrupt:
            engine.tally.interrupted = True
        return engine.outcome(folder, reused)


@dataclass
class _Tally:
    """What has happened so far; ``states`` by key of the call."""

    states: dict[str, str] = field(default_factory=dict)
    sentences: Counter[str] = field(default_factory=Counter)
    interrupted: bool = False


class _Engine:
    """One run of the engine over one plan."""

    def __init__(
        self,
        plan: Plan,
        planned: Sequence[PlannedAsk],
        model: Model,
        decoding: Decoding,
        ledger: Ledger,
        budget: Budget,
        room: Room,
        lead: Lead,
        progress: Progress | None,
    ) -> None:
        self._plan, self._planned, self._model, self._decoding = plan, planned, model, decoding
        self._ledger, self._budget, self._room, self._progress = ledger, budget, room, progress
        self._leads = lead == "auto" and model.limits.looks
        calls = {one.key: one for one in reversed(planned)}  # of equal prompts the first is sent
        self._keys = {one.key for one in planned}
        self._already = sum(key in ledger.replied for key in self._keys)
        self._pending = [one for one in planned if calls[one.key] is one and one.key not in ledger.replied]
        self._loader = PictureLoader(plan.benchmark.folder, self._pending, plan.questions)
        self._decoders = ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="decode")
        self.tally = _Tally()

    def wanted_check(self, card: RunCard) -> tuple[int, tuple[int, int]] | None:
        """Number and size of the pictures to check the model with; None where none are asked about, or it was done."""
        if not self._model.limits.looks or not any(one.pictures for one in self._pending):
            return None
        done = None if card.check is None else CheckOutcome.model_validate(card.check)
        planned = planned_pictures(self._plan)
        if planned is None or (done is not None and done.problem is None and done.pictures >= planned[0]):
            return None
        return planned

    async def run(self, folder: Path, wanted: tuple[int, tuple[int, int]] | None) -> None:
        """Work at all groups; an InputError of one ends the run."""
        self._tell()
        try:
            if wanted is not None:
                await self._check(folder, *wanted)
            async with asyncio.TaskGroup() as tasks:
                for group in make_groups(self._plan, self._pending):
                    await self._room.enter(group)
                    tasks.create_task(self._work(group))
        except* InputError as errors:
            raise _first(errors) from None
        finally:
            self._decoders.shutdown(wait=False, cancel_futures=True)
            await self._model.close()

    def outcome(self, folder: Path, reused: int) -> Outcome:
        """What to tell about the run."""
        replied = self._ledger.replied
        states = Counter(
            "replied" if one.key in replied else self.tally.states.get(one.key, "not_asked") for one in self._planned
        )
        asked = len(self.tally.states)
        problems = [
            sentence if count == 1 else f"{sentence} ({count} calls)"
            for sentence, count in self.tally.sentences.most_common(SENTENCES)
        ]
        if len(self.tally.sentences) > SENTENCES:
            problems.append(f"and {len(self.tally.sentences) - SENTENCES} more problems, each in {folder / LEDGER}")
        left = len(self._keys) - self._already - asked
        if self.tally.interrupted:
            problems.append(
                f"interrupted with {left} calls left: all answers are kept, the same command goes on from here"
            )
        elif self._budget.exhausted:
            problems.append(
                f"stopped with {left} calls left, because the next might have passed --max-cost {self._budget.most:g} "
                f"({self._budget.spent:.4g} is spent): the same command with more goes on from here"
            )
        money = self._budget.spent if self._budget.price else None
        return Outcome(
            folder, dict(states), asked, self._already, reused, money, self.tally.interrupted, tuple(problems)
        )

    async def _check(self, folder: Path, count: int, size: tuple[int, int]) -> None:
        outcome = await check_model(self._model, self._decoding, count, size, self._record_check)
        keep_check(folder, outcome.model_dump(mode="json"))
        if outcome.problem is not None:
            raise InputError(outcome.problem)
        self.tally.sentences.update(outcome.warnings)

    async def _work(self, group: Group) -> None:
        try:
            pictures = GroupPictures()
            if group.files and self._model.limits.looks and not self._budget.exhausted:
                loop = asyncio.get_running_loop()
                pictures = await loop.run_in_executor(self._decoders, self._loader.load, group.calls)
            async with asyncio.TaskGroup() as tasks:
                for one in group.sets:
                    tasks.create_task(self._ask_set(one, pictures))
        finally:
            self._room.leave(group)

    async def _ask_set(self, asked: Set, pictures: GroupPictures) -> None:
        problem = pictures.problem(asked.calls[0])
        if problem is not None:
            for call in asked.calls:
                self._record(call.planned, RawReply("missing_media", error=problem, attempts=0), None)
            return
        skip, followers = len(asked.prefix), asked.calls
        async with self._model.open(asked.prefix, pictures) as session:
            if self._leads and asked.shared:
                await self._ask(session, asked.calls[0], skip, urgent=True)
                followers = asked.calls[1:]
            async with asyncio.TaskGroup() as tasks:
                for call in followers:
                    tasks.create_task(self._ask(session, call, skip))

    async def _ask(self, session: Session, call: Call, skip: int, *, urgent: bool = False) -> None:
        reserved = await self._budget.admit(call.planned)
        if reserved is None:
            return
        ask = call.planned.ask
        reply = await session.ask(call.parts[skip:], self._decoding, seed=ask.id, urgent=urgent)
        self._record(call.planned, reply, reserved)

    def _record(self, planned: PlannedAsk, reply: RawReply, reserved: float | None) -> None:
        """Put an answer, or why there is none, on disk; nothing is awaited, so that no interruption comes between."""
        tokens = (reply.input_tokens, reply.output_tokens)
        if reply.state != "replied" and tokens == (None, None):
            tokens = (0, 0)  # nothing came back; what a service withheld may have been paid for
        cost = None if reserved is None else self._budget.settle(reserved, planned, tokens)
        self._ledger.append(ledger_line(reply, key=planned.key, ask=planned.ask.id, money=cost))
        self.tally.states[planned.key] = reply.state
        if reply.state != "replied":
            self.tally.sentences[f"{reply.state}: {reply.error or 'no reason was given'}"] += 1
        self._tell()

    def _record_check(self, line: LedgerLine) -> None:
        cost = self._budget.add((line.input_tokens, line.output_tokens))
        self._ledger.append(line.model_copy(update={"money": cost}))

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(self._already + len(self.tally.states), len(self._keys))


def _first(errors: BaseExceptionGroup[InputError]) -> InputError:
    """The first of errors that may be grouped in groups."""
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    assert isinstance(error, InputError)
    return error

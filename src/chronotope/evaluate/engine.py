"""The engine: sends what a plan asks and nobody has answered yet, and keeps every answer before the next request.

Groups are worked at side by side, as many as keep the endpoint full and no more than memory allows. The pictures of a
group are decoded and encoded in a thread, once, and shared by its calls. Whatever an answer was paid for is in the
ledger before its slot sends again; whoever runs again goes on from there.
"""

import asyncio
import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from chronotope.errors import InputError
from chronotope.evaluate.asks import PlannedAsk, plan_calls, write_asks
from chronotope.evaluate.groups import Call, Group, common_prefix, make_calls, make_groups, sharing
from chronotope.evaluate.pictures import GroupPictures, PictureLoader
from chronotope.evaluate.plan import Plan, Selection, make_plan
from chronotope.evaluate.run import LEDGER, check_run, default_run_folder, join_run, make_run_card
from chronotope.families import Family
from chronotope.ledger import Ledger, LedgerLine
from chronotope.models import Decoding, Model, RawReply, Session, open_model
from chronotope.protocol import AskSettings
from chronotope.question import Benchmark

__all__ = ["Outcome", "Progress", "run"]

# Called with (calls answered or given up, calls planned); from the thread that called ``run``.
Progress = Callable[[int, int], None]

PICTURES_IN_MEMORY = 4096  # of groups at work; some 60 kB each at 640x480
SENTENCES = 5  # of one outcome; the rest are counted


@dataclass(frozen=True)
class Outcome:
    """How a run ended.

    ``states`` counts the planned asks by transport state (``not_asked`` after an interruption); asks with equal
    prompts share one call. ``asked`` calls were made or given up now, ``already`` were answered before. ``problems``
    are sentences for people.
    """

    folder: Path
    states: dict[str, int]
    asked: int
    already: int
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
    base_url: str | None = None,
    concurrency: int = 16,
    progress: Progress | None = None,
) -> Outcome:
    """Ask a model what the plan asks and the run folder does not hold yet; None for ``out`` is the default folder.

    A call that failed, was refused or missed its media before is made again; an answer is never asked for twice.
    Ctrl-C ends the run cleanly, with an outcome that says so.

    Raises InputError for wrong use: what `make_plan`, `open_model` and `check_run` refuse, a run folder in use by
    another process, and what a service says is wrong with every request.
    """
    if concurrency < 1:
        raise InputError(f"concurrency {concurrency}: expected a number of requests, at least 1")
    opened = open_model(model, base_url=base_url, concurrency=concurrency)
    plan = make_plan(benchmark, family, settings, selection, opened.limits)
    card = make_run_card(plan, opened.name, decoding)
    folder = out if out is not None else default_run_folder(card)
    planned = plan_calls(plan, opened.name, decoding)
    check_run(folder, card)
    folder.mkdir(parents=True, exist_ok=True)
    with Ledger.open(folder / LEDGER) as ledger:
        join_run(folder, card)
        write_asks(folder, planned)
        engine = _Engine(plan, planned, opened, decoding, ledger, concurrency, progress)
        try:
            asyncio.run(engine.run())
        except KeyboardInterrupt:
            engine.tally.interrupted = True
        return engine.outcome(folder)


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
        concurrency: int,
        progress: Progress | None,
    ) -> None:
        self._plan, self._planned, self._model, self._decoding = plan, planned, model, decoding
        self._ledger, self._progress = ledger, progress
        calls = {one.key: one for one in reversed(planned)}  # of equal prompts the first is sent
        self._keys = {one.key for one in planned}
        self._already = sum(key in ledger.replied for key in self._keys)
        self._pending = [one for one in planned if calls[one.key] is one and one.key not in ledger.replied]
        self._slots = asyncio.Semaphore(concurrency)
        self._room = _Room(asks=2 * concurrency, pictures=PICTURES_IN_MEMORY)
        self._loader = PictureLoader(plan.benchmark.folder, self._pending, plan.questions)
        self._decoders = ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="decode")
        self.tally = _Tally()

    async def run(self) -> None:
        """Work at all groups; an InputError of one ends the run."""
        self._tell()
        try:
            async with asyncio.TaskGroup() as tasks:
                for group in make_groups(self._plan, self._pending):
                    await self._room.enter(group)
                    tasks.create_task(self._work(group))
        except* InputError as errors:
            raise _first(errors) from None
        finally:
            self._decoders.shutdown(wait=False, cancel_futures=True)
            await self._model.close()

    def outcome(self, folder: Path) -> Outcome:
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
        if self.tally.interrupted:
            left = len(self._keys) - self._already - asked
            problems.append(
                f"interrupted with {left} calls left: all answers are kept, the same command goes on from here"
            )
        return Outcome(folder, dict(states), asked, self._already, self.tally.interrupted, tuple(problems))

    async def _work(self, group: Group) -> None:
        try:
            calls = make_calls(self._plan, group)
            pictures = GroupPictures()
            if group.files and self._model.limits.looks:
                loop = asyncio.get_running_loop()
                pictures = await loop.run_in_executor(self._decoders, self._loader.load, calls)
            askable: list[Call] = []
            for call in calls:
                problem = pictures.problem(call)
                if problem is None:
                    askable.append(call)
                else:
                    self._record(call.planned, RawReply("missing_media", error=problem, attempts=0), None)
            async with asyncio.TaskGroup() as tasks:
                for calls in sharing(askable):
                    tasks.create_task(self._ask_sharing(calls, pictures))
        finally:
            self._room.leave(group)

    async def _ask_sharing(self, calls: Sequence[Call], pictures: GroupPictures) -> None:
        prefix = common_prefix(calls)
        async with self._model.open(prefix, pictures) as session, asyncio.TaskGroup() as tasks:
            for call in calls:
                tasks.create_task(self._ask(session, call, len(prefix)))

    async def _ask(self, session: Session, call: Call, skip: int) -> None:
        async with self._slots:
            start = time.monotonic()
            reply = await session.ask(call.parts[skip:], self._decoding, seed=call.planned.ask.id)
            self._record(call.planned, reply, time.monotonic() - start)

    def _record(self, planned: PlannedAsk, reply: RawReply, seconds: float | None) -> None:
        """Put an answer, or why there is none, on disk; nothing is awaited, so that no interruption comes between."""
        self._ledger.append(
            LedgerLine(
                key=planned.key,
                ask=planned.ask.id,
                state=reply.state,
                reply=reply.text,
                reasoning=reply.reasoning,
                finish=reply.finish,
                letter_log_probabilities=reply.letter_log_probabilities,
                error=reply.error,
                input_tokens=reply.input_tokens,
                cached_tokens=reply.cached_tokens,
                output_tokens=reply.output_tokens,
                attempts=reply.attempts,
                seconds=None if seconds is None else round(seconds, 4),
                pictures=list(reply.pictures),
                at=datetime.now(UTC).isoformat(timespec="milliseconds"),
            )
        )
        self.tally.states[planned.key] = reply.state
        if reply.state != "replied":
            self.tally.sentences[f"{reply.state}: {reply.error or 'no reason was given'}"] += 1
        self._tell()

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(self._already + len(self.tally.states), len(self._keys))


class _Room:
    """Lets a group in while fewer than ``asks`` asks and no more than ``pictures`` pictures are at work.

    A group larger than either is let in when nothing else is there.
    """

    def __init__(self, asks: int, pictures: int) -> None:
        self._most_asks, self._most_pictures = asks, pictures
        self._asks = self._pictures = 0
        self._left = asyncio.Event()

    async def enter(self, group: Group) -> None:
        """Wait until there is room."""
        while self._asks and (self._asks >= self._most_asks or self._pictures + group.pictures > self._most_pictures):
            self._left.clear()
            await self._left.wait()
        self._asks += len(group.asks)
        self._pictures += group.pictures

    def leave(self, group: Group) -> None:
        """Make room."""
        self._asks -= len(group.asks)
        self._pictures -= group.pictures
        self._left.set()


def _first(errors: BaseExceptionGroup[InputError]) -> InputError:
    """The first of errors that may be grouped in groups."""
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    assert isinstance(error, InputError)
    return error

"""The engine: makes the calls that have no answer yet, and stores every answer.

Several groups are processed at the same time, so that the service is always busy. The memory limits their number. A
thread decodes and encodes the pictures of a group once, and all calls of the group share these pictures. If the prompts
of several calls begin with the same pictures, one call is sent first. The other calls are sent after the answer to this
call, so that the service finds the pictures in its cache. Each answer is written to the ledger before the next call
begins, so that a later run can continue from the ledger.
"""

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Literal

from chronotope.errors import InputError
from chronotope.evaluate.plan.asks import PlannedAsk
from chronotope.evaluate.plan.manifest import (
    LEDGER,
    RunManifest,
    keep_check,
)
from chronotope.evaluate.plan.plan import Plan
from chronotope.evaluate.plan.shown import Shown, planned_shown
from chronotope.evaluate.run.admission import Room
from chronotope.evaluate.run.check.check import check_model
from chronotope.evaluate.run.group_pictures import GroupPictures, PictureLoader, planned_frames
from chronotope.evaluate.run.groups import Call, Group, Set, make_groups
from chronotope.evaluate.run.money import amount
from chronotope.evaluate.score.check_outcome import read_outcome
from chronotope.io.packed import Keys, PackedDict, PackedList
from chronotope.ledger import CallKind, Ledger, LedgerLine, bytes_of_line
from chronotope.media import FramePlan
from chronotope.models import (
    Budget,
    Decoding,
    Model,
    OverBudgetError,
    RawReply,
    Remarking,
    Say,
    Session,
    StoppedError,
    Trouble,
    ask_checked,
    error_words,
    ledger_line,
    tokens_of_size,
    watched,
)
from chronotope.protocol import Part

# The arguments: number of calls answered or given up, number of planned calls, text for the user. The function is
# called in the thread that called ``run``.
Progress = Callable[[int, int, str], None]

# If asks share their pictures, ``auto`` sends the first ask alone, and the others after its answer. With ``off``, no
# ask waits.
Lead = Literal["auto", "off"]

SENTENCES = 5  # maximum number of sentences listed in an outcome; further sentences are only counted
CHECK_CALLS = 16  # maximum number of calls in a check


@dataclass(frozen=True)
class Outcome:
    """The outcome of a run.

    - ``states`` counts the planned asks by the state of their call. A call has the state ``not_asked`` if the run was
      interrupted, or reached its limit on the cost, before this call. Asks with equal prompts share one call.
    - ``asked`` counts the calls that were made or given up in this run.
    - ``already`` counts the calls that were answered before.
    - ``reused`` counts the answers that were now copied from other runs. ``already`` includes these answers.
    - ``money`` is the cost of the whole run, or None if it is unknown.
    - ``problems`` are sentences for the user.
    - ``stages`` counts the calls of a method, by their kind. The other counts include them, except for ``states``.
    """

    folder: Path
    states: dict[str, int]
    asked: int
    already: int
    reused: int = 0
    money: float | None = None
    interrupted: bool = False
    problems: tuple[str, ...] = ()
    stages: dict[str, int] = field(default_factory=dict)


@dataclass
class _Tally:
    """The progress of a run.

    ``states`` maps the key of each call to the state of the call.
    """

    states: PackedDict[str] = field(default_factory=PackedDict[str])
    sentences: Counter[str] = field(default_factory=Counter)
    unanswered: int = 0
    interrupted: bool = False


class Engine:
    """Makes the calls of one plan."""

    shows_rate = True  # whether the progress shows the number of answers per second
    kind: CallKind = "answer"  # the kind of all calls in the ledger

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
        say: Say | None = None,
    ) -> None:
        self._plan, self._planned, self._model, self._decoding = plan, planned, model, decoding
        self._ledger, self._budget, self._room = ledger, budget, room
        self._progress, self._say, self._doing, self._checks = progress, say, "", 0
        self._began = monotonic()
        self._leads = lead == "auto" and model.limits.looks and model.limits.leads
        if ledger.replied:
            model.has_answered()
        self._keys, self._already = Keys(), 0
        self._pending = PackedList[PlannedAsk]()
        for one in planned:
            if not self._keys.add(one.key):
                continue  # equal prompts are sent once, at the first position
            if one.key in ledger.replied:
                self._already += 1
            else:
                self._pending.append(one)
        self._loader = PictureLoader(plan.benchmark.folder, self._frames())
        self._error: BaseException | None = None
        self._decoders = ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="decode")
        self.tally = _Tally()

    def _frames(self) -> Iterable[tuple[str, FramePlan]]:
        """List all frame plans of the pending calls, with their clips."""
        return planned_frames(self._pending, self._plan.prompts) if self._model.limits.looks else ()

    @property
    def _models(self) -> Sequence[Model]:
        """List the models that are asked."""
        return [self._model]

    @property
    def _looker(self) -> tuple[Model, Decoding, Budget]:
        """Return the model that is shown pictures, with its settings and budget."""
        return self._model, self._decoding, self._budget

    @property
    def _silent(self) -> tuple[str, str]:
        """Return the model that reports no costs, and its price flag."""
        return self._model.name, "--price"

    def _trouble(self) -> Trouble | None:
        return next((trouble for model in self._models if (trouble := model.trouble()) is not None), None)

    def _shows_pictures(self) -> bool:
        """Check whether a pending call shows pictures."""
        return any(self._plan.prompts[one.ask.id].files for one in self._pending)

    def most_in_flight(self, concurrency: int) -> int:
        """Estimate the bytes that the ledger needs for all answers in flight."""
        pictures = max((one.pictures for one in self._pending), default=0)
        return bytes_of_line(self._decoding.longest_reply[1], pictures) * min(concurrency, len(self._pending))

    def wanted_check(self, card: RunManifest) -> Shown | None:
        """Return the pictures and texts that the check must show.

        Returns None if no check of the model is needed.
        """
        limits = self._looker[0].limits
        if not (limits.looks and limits.needs_check) or not self._shows_pictures():
            return None
        done = read_outcome(card.check)
        planned = planned_shown(self._plan)
        return None if planned is None or (done is not None and done.covers(planned)) else planned

    async def run(self, folder: Path, wanted: Shown | None, *, allow_lost_order: bool = False) -> None:
        """Make the calls of all groups.

        Raises:
            InputError: If the service rejects every request. After this error, no further request is sent.
        """
        self._tell()
        try:
            async with watched(self._trouble, self._say, self._tell):
                if wanted is not None:
                    self._doing = "checking that the model sees the pictures"
                    await self._check(folder, wanted, allow_lost_order)
                    self._doing = ""
                self._began = monotonic()
                await self._make_calls(folder)
            if self._error is not None:
                raise self._error
        finally:
            self._decoders.shutdown(wait=False, cancel_futures=True)
            for model in self._models:
                await model.close()

    def settle(self, patience: float) -> None:
        """Wait until the answers in memory are written to disk.

        Raises:
            InputError: If some answers cannot be written, because the disk has no room.
        """
        self._ledger.settle(patience, self._say)

    def outcome(self, folder: Path, reused: int) -> Outcome:
        """Return the outcome of the run."""
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
            problems.append(self._interrupted(left))
        elif self._budget.untold:
            name, flag = self._silent
            problems.append(
                f"stopped with {left} calls left, because {name} does not report costs, which --max-cost needs: add "
                f"{flag} IN,OUT, and the same command continues"
            )
        elif self._budget.exhausted:
            problems.append(
                f"stopped with {left} calls left, because the next call could exceed --max-cost {self._budget.most:g} "
                f"({self._budget.spent:.4g} is spent): the same command with a larger limit continues"
            )
        elif self._budget.passed:
            problems.append(
                f"the run cost {self._budget.spent:.4g}, more than --max-cost: the service counted more tokens than "
                "estimated"
            )
        if self._loader.problem is not None:
            problems.append(self._loader.problem)
        if isinstance(self._model, Remarking):
            problems += self._model.remarks
        money = self._budget.spent if self._budget.known else None
        return Outcome(
            folder, dict(states), asked, self._already, reused, money, self.tally.interrupted, tuple(problems)
        )

    async def _make_calls(self, folder: Path) -> None:
        async with asyncio.TaskGroup() as tasks:
            for group in make_groups(self._plan, self._pending):
                await self._room.enter(group)
                if self._error is not None or self._budget.exhausted:
                    break
                tasks.create_task(self._work(group))

    def _interrupted(self, left: int) -> str:
        return f"interrupted with {left} calls left: all answers are kept, and the same command continues"

    async def _check(self, folder: Path, shown: Shown, allow_lost_order: bool) -> None:
        model, decoding, budget = self._looker
        budget.expect("the check of the pictures", shown.tokens, CHECK_CALLS)
        outcome = await check_model(model, decoding, shown, self._record_check, allow_lost_order=allow_lost_order)
        keep_check(folder, outcome.model_dump(mode="json"))
        if outcome.problem is not None:
            raise InputError(outcome.problem)
        self.tally.sentences.update(outcome.warnings)
        model.has_answered()
        if outcome.tokens_per_picture is not None:
            budget.learn(tokens_of_size(*shown.size), outcome.tokens_per_picture)

    def _record_check(self, line: LedgerLine) -> None:
        self._checks += 1
        self._ledger.append(line.model_copy(update={"money": self._looker[2].add(line)}))
        if self._budget.passed:
            raise OverBudgetError(
                f"--max-cost {self._budget.most:g}: the check of the pictures alone cost more "
                f"({self._budget.spent:.2g}): raise the limit, or skip the check with --no-check"
            )

    async def _work(self, group: Group) -> None:
        try:
            pictures = await self._load(group)
            async with asyncio.TaskGroup() as tasks:
                for one in group.sets:
                    tasks.create_task(self._ask_set(one, pictures))
        finally:
            self._room.leave(group)

    async def _load(self, group: Group) -> GroupPictures:
        """Decode and encode the pictures of a group, in a thread."""
        return await self._load_shown(group.calls) if self._model.limits.looks else GroupPictures()

    async def _load_shown(self, calls: Sequence[Call]) -> GroupPictures:
        if not any(call.shown for call in calls):
            return GroupPictures()
        return await asyncio.get_running_loop().run_in_executor(self._decoders, self._loader.load, calls)

    def _askable(self, asked: Set, pictures: GroupPictures) -> list[Call]:
        """Return the calls whose pictures are there; record all others."""
        askable: list[Call] = []
        for call in asked.calls:
            problem = pictures.problem(call)
            if problem is None:
                askable.append(call)
            else:
                self._record(call.planned, RawReply("missing_media", error=problem, attempts=0), None)
        return askable

    async def _ask_set(self, asked: Set, pictures: GroupPictures) -> None:
        askable = self._askable(asked, pictures)
        skip = len(asked.prefix)
        async with self._room.prefix(asked.shared):
            if self._error is not None or not askable:
                return
            try:
                async with self._model.open(asked.prefix, pictures) as session:
                    if self._leads and asked.shared:
                        await self._ask(session, askable.pop(0), skip, urgent=True)
                    async with asyncio.TaskGroup() as tasks:
                        for call in askable:
                            tasks.create_task(self._ask(session, call, skip))
            except InputError as error:  # an error of opening; errors of asks are handled in _ask
                self._stop(error)

    async def _ask(self, session: Session, call: Call, skip: int, *, urgent: bool = False) -> None:
        """Make a call, and record its reply."""
        planned = call.planned
        made = await self._reply(
            session, call.parts[skip:], self._decoding, self._budget, planned.estimated_tokens, planned.ask.id, urgent
        )
        if made is not None:
            self._record(planned, *made)

    async def _reply(
        self,
        session: Session,
        tail: Sequence[Part],
        decoding: Decoding,
        budget: Budget,
        tokens: int,
        seed: str,
        urgent: bool = False,
    ) -> tuple[RawReply, float | None] | None:
        """Make a call within the budget.

        ``tokens`` estimates the tokens of the prompt. Returns the reply with its cost, or None if nothing was sent.
        """
        reserved = await budget.admit(tokens)
        if reserved is None:
            return None
        reply: RawReply | None = None
        try:
            if self._error is None:
                reply = await ask_checked(session, tail, decoding, seed=seed, urgent=urgent)
        except StoppedError:
            pass  # nothing was sent
        except (InputError, KeyboardInterrupt) as error:
            self._stop(error)
        except Exception as error:  # noqa: BLE001 (a model of someone else's package can raise any error)
            reply = RawReply("failed", error=f"the model raised {error_words(error)}")
        cost = budget.settle(reserved, tokens, reply)
        return None if reply is None else (reply, cost)

    def _stop(self, error: BaseException) -> None:
        """Stop sending requests.

        The engine still waits for the answers to calls in flight and stores them, because these calls must be paid for.
        """
        self._error = self._error or error
        for model in self._models:
            model.stop()

    def _record(self, planned: PlannedAsk, reply: RawReply, cost: float | None) -> None:
        """Write an answer, or the reason why it is missing.

        The method contains no ``await``, so that it cannot be interrupted.
        """
        if self._append(ledger_line(reply, key=planned.key, ask=planned.ask.id, kind=self.kind, money=cost)):
            self._count(planned.key, reply)

    def _append(self, line: LedgerLine) -> bool:
        """Append a line to the ledger.

        If this is impossible, the engine stops, and false is returned.
        """
        try:
            self._ledger.append(line)
        except InputError as error:
            self._stop(error)
            return False
        return True

    def _count(self, key: str, reply: RawReply) -> None:
        self.tally.states[key] = reply.state
        if reply.state != "replied":
            self.tally.unanswered += 1
            self.tally.sentences[f"{reply.state}: {reply.error or 'no reason was given'}"] += 1
        self._tell()

    def _tell(self) -> None:
        """Report the number of answers, their rate, failures, and cost."""
        if self._progress is None:
            return
        trouble = self._trouble()
        doing = "waiting for the service" if trouble is not None and trouble.kind == "nobody" else self._doing
        if doing == self._doing and doing and self._checks:
            doing += f" ({self._checks} calls made)"
        tally, words = self.tally, [doing] if doing else []
        if self.shows_rate and (answered := len(tally.states) - tally.unanswered) > 1:
            words.append(f"{answered / max(monotonic() - self._began, 1e-3):.1f} a second")
        if tally.unanswered:
            words.append(f"{tally.unanswered} without an answer")
        if self._budget.known:
            words.append(f"money {amount(self._budget.spent)}")
        self._progress(self._already + len(tally.states), len(self._keys), ", ".join(words))

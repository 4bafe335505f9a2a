"""The engine for methods: makes the calls of all stages, and asks with prompts that contain their replies.

Every call is made once, no matter how many questions need it, and is never repeated after an interruption: its reply is
in the ledger under the key of its messages, its model and its settings.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from chronotope.errors import InputError
from chronotope.evaluate.plan.asks import PlannedAsk
from chronotope.evaluate.plan.plan import Plan, tokens_of_parts
from chronotope.evaluate.plan.staged import Made, frames_shown
from chronotope.evaluate.run.group_pictures import GroupPictures
from chronotope.evaluate.run.groups import group_of_one, make_call
from chronotope.evaluate.run.runner import Engine, Outcome
from chronotope.evaluate.score.results import CUT_SHORT
from chronotope.io import sha256_bytes
from chronotope.ledger import LedgerLine, Transport, bytes_of_line
from chronotope.media import FramePlan
from chronotope.methods import Step, StepKind
from chronotope.models import Budget, Decoding, Model, RawReply, ledger_line
from chronotope.protocol import Part, describe, without_thinking

AT_WORK = 16  # groups of questions about the same videos that are processed at the same time


@dataclass(frozen=True)
class Stage:
    """The model of one stage, with its settings and budget."""

    model: Model
    decoding: Decoding
    budget: Budget


@dataclass(frozen=True)
class _Missing:
    """The reason why a call has no reply."""

    state: Transport
    why: str


def steps_of(plan: Plan, planned: Iterable[PlannedAsk], replies: Mapping[str, LedgerLine]) -> dict[str, Made]:
    """Return the different calls of a method for some asks, by key.

    ``replies`` are the replied lines of a ledger. A call whose prompt depends on an unknown reply has a provisional
    key.
    """

    def reply_of(key: str) -> str | None:
        return replies[key].reply or "" if key in replies else None

    return {made.key: made for one in planned for made in plan.steps(one.ask, reply_of)}


class StagedEngine(Engine):
    """Makes the calls of a plan with a method.

    ``stages`` has the model of each kind of call. ``others`` are lines of other runs whose replies may be copied, by
    the key of their call.
    """

    def __init__(self, stages: Mapping[StepKind, Stage], others: Mapping[str, LedgerLine], *parts: Any) -> None:
        self._stages, self._others = stages, others
        self._kinds: dict[str, StepKind] = {}
        self._made: dict[str, asyncio.Task[str | _Missing | None]] = {}
        self._steps: dict[str, Made] = {}
        super().__init__(*parts)
        for line in self._ledger.replied.values():
            if (stage := next((of for kind, of in stages.items() if kind == line.kind), None)) is not None:
                stage.model.has_answered()
        every = steps_of(self._plan, self._planned, self._ledger.replied)
        self._already += sum(self._keys.add(key) and key in self._ledger.replied for key in every)

    @property
    def _models(self) -> Sequence[Model]:
        return list({id(model): model for model in (self._model, *(of.model for of in self._stages.values()))}.values())

    @property
    def _looker(self) -> tuple[Model, Decoding, Budget]:
        of = self._stages["caption"] if "caption" in self._stages else next(iter(self._stages.values()))
        return of.model, of.decoding, of.budget

    @property
    def _silent(self) -> tuple[str, str]:
        silent = ((kind, of.model) for kind, of in self._stages.items() if of.budget.is_silent)
        kind, model = next(silent, ("", self._model))
        return model.name, "--price" if model is self._model else f"--{kind}-price"

    def _frames(self) -> Iterator[tuple[str, FramePlan]]:
        self._steps = steps_of(self._plan, self._pending, self._ledger.replied)
        return frames_shown([one.step for one in self._steps.values() if one.reply is None])

    def _shows_pictures(self) -> bool:
        waiting = [one.step for one in self._steps.values() if one.reply is None and one.key not in self._others]
        return next(frames_shown(waiting), None) is not None

    def most_in_flight(self, concurrency: int) -> int:
        """Estimate the bytes that the ledger needs for all calls in flight."""
        pictures = max((len(one.step.parts) for one in self._steps.values()), default=0)
        longest = [of.decoding.longest_reply[1] for of in self._stages.values()]
        sizes = [bytes_of_line(tokens, pictures) for tokens in (self._decoding.longest_reply[1], *longest)]
        return max(sizes) * min(concurrency, len(self._pending) + len(self._steps))

    def outcome(self, folder: Path, reused: int) -> Outcome:
        """Return the outcome of the run, with the calls of each stage."""
        copied = sum(key in self._ledger.replied and key in self._others for key in self._kinds)
        made: dict[str, int] = dict.fromkeys(self._stages, 0)
        for key in self.tally.states:
            if key in self._kinds:
                made[self._kinds[key]] += 1
        outcome = super().outcome(folder, reused + copied)
        problems = (*outcome.problems, *self._poor())
        known = all(budget.known for budget in (self._budget, *(of.budget for of in self._stages.values())))
        return replace(outcome, stages=made, money=self._budget.spent if known else None, problems=problems)

    def _poor(self) -> Iterator[str]:
        """Yield a sentence about incomplete and empty replies of each stage."""
        for kind in self._stages:
            lines = [line for line in self._ledger.replied.values() if line.kind == kind]
            cut = sum(line.finish == CUT_SHORT for line in lines)
            empty = sum(not (without_thinking(line.reply or "") or "").strip() for line in lines)
            told = [f"{cut} reached the limit on tokens"] if cut else []
            told += [f"{empty} have no words"] if empty else []
            if told:
                yield f"of {len(lines)} {kind} calls, {' and '.join(told)}: a larger --{kind}-tokens starts another run"

    async def _make_calls(self, folder: Path) -> None:
        at_work = asyncio.Semaphore(AT_WORK)
        groups: dict[tuple[str, ...], list[PlannedAsk]] = {}
        for one in self._pending:
            media = self._plan.prompts[one.ask.id].media
            groups.setdefault(tuple(path for item in media for path in item.paths), []).append(one)
        async with asyncio.TaskGroup() as tasks:
            for asks in groups.values():
                await at_work.acquire()
                if self._over:
                    break
                task = tasks.create_task(self._answer_all(asks, tasks))
                task.add_done_callback(lambda _: at_work.release())

    @property
    def _over(self) -> bool:
        return self._error is not None or self._budget.exhausted

    async def _answer_all(self, asks: Sequence[PlannedAsk], tasks: asyncio.TaskGroup) -> None:
        await asyncio.gather(*(self._answer(one, tasks) for one in asks))

    async def _answer(self, planned: PlannedAsk, tasks: asyncio.TaskGroup) -> None:
        """Make all calls for an ask, then ask with their replies."""
        try:
            parts = await self._prompt(planned, tasks)
            if parts is not None and not self._over:
                await self._ask_in_text(planned, parts)
        except InputError as error:  # an error of opening; errors of calls are handled in _reply
            self._stop(error)

    async def _prompt(self, planned: PlannedAsk, tasks: asyncio.TaskGroup) -> tuple[Part, ...] | None:
        """Make the calls of all stages; return the prompt of the answer.

        Returns None if a reply is missing. Then the ask is recorded as failed, unless the run has to stop.
        """
        assert self._plan.staged is not None
        stages = self._plan.staged.method.stages(self._plan.method_ask(planned.ask), self._plan.staged.settings)
        try:
            steps = next(stages)
            while True:
                found = await asyncio.gather(*(self._reply_to(step, planned, tasks) for step in steps))
                missing = next((one for one in found if isinstance(one, _Missing)), None)
                if missing is not None:
                    self._record(planned, RawReply(missing.state, error=missing.why, attempts=0), None)
                if missing is not None or None in found:
                    return None
                steps = stages.send([one for one in found if isinstance(one, str)])
        except StopIteration as end:
            return end.value

    async def _ask_in_text(self, planned: PlannedAsk, parts: tuple[Part, ...]) -> None:
        tokens = tokens_of_parts(self._plan.benchmark, parts, self._model.limits)
        async with self._model.open((), GroupPictures()) as session:
            made = await self._reply(session, parts, self._decoding, self._budget, tokens, planned.ask.id)
        if made is not None:
            sent = {"prompt": sha256_bytes(describe(parts).encode())}
            line = ledger_line(made[0], key=planned.key, ask=planned.ask.id, money=made[1])
            if self._append(line.model_copy(update={"extra": line.extra | sent})):
                self._count(planned.key, made[0])

    async def _reply_to(self, step: Step, planned: PlannedAsk, tasks: asyncio.TaskGroup) -> str | _Missing | None:
        """Return the reply to a call, after making the call if necessary.

        Returns None if the call was not made, because the run has to stop.
        """
        assert self._plan.staged is not None
        key = self._plan.staged.key_of(step)
        if (line := self._ledger.replied.get(key)) is not None:
            return line.reply or ""
        if key not in self._made:
            self._kinds[key] = step.kind
            self._made[key] = tasks.create_task(self._make(key, step, planned))
        return await self._made[key]

    async def _make(self, key: str, step: Step, planned: PlannedAsk) -> str | _Missing | None:
        """Make a call, or copy its reply from another run."""
        try:
            return await self._made_now(key, step, planned)
        except InputError as error:
            self._stop(error)
            return None

    async def _made_now(self, key: str, step: Step, planned: PlannedAsk) -> str | _Missing | None:
        if (line := self._others.get(key)) is not None:
            self._already += 1
            return (line.reply or "") if self._append(line) else None
        stage = self._stages[step.kind]
        group = group_of_one(self._plan, planned, step.parts)
        await self._room.enter(group)
        try:
            if self._over:
                return None
            call = make_call(planned, step.parts)
            pictures = await self._load_shown(group.calls)
            if (problem := pictures.problem(call)) is not None:
                reply, cost = RawReply("missing_media", error=problem, attempts=0), None
            else:
                tokens = tokens_of_parts(self._plan.benchmark, step.parts, stage.model.limits)
                async with stage.model.open((), pictures) as session:
                    made = await self._reply(session, step.parts, stage.decoding, stage.budget, tokens, step.name)
                if made is None:
                    return None
                reply, cost = made
        finally:
            self._room.leave(group)
        line = ledger_line(reply, key=key, ask=step.name, kind=step.kind, money=cost)
        if not self._append(line.model_copy(update={"extra": line.extra | {"model": stage.model.name}})):
            return None
        self._count(key, reply)
        if reply.state == "replied":
            return reply.text or ""
        return _Missing(reply.state, f"no {step.kind} of {step.name}")

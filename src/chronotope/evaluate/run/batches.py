"""The engine for batch services: makes the calls of a run in jobs, at half the price.

The requests of a job, and the lines in the ledger, are the same as for single calls. The file of a job
(`chronotope.evaluate.run.jobs`) is written before the job is submitted, and again with the job's id. If the command
ends at any time, the next command finds the job, and pays for nothing twice.
"""

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from chronotope.errors import InputError
from chronotope.evaluate.plan.asks import PlannedAsk
from chronotope.evaluate.plan.manifest import LEDGER
from chronotope.evaluate.run.finding import find_job, is_old
from chronotope.evaluate.run.groups import Group, make_groups
from chronotope.evaluate.run.jobs import (
    MOST_JOB,
    Job,
    Requested,
    forget_job,
    job_file,
    keep_job,
    open_jobs,
    requests_file,
    results_file,
    submitted,
)
from chronotope.evaluate.run.runner import Engine
from chronotope.io import create_own, refuse_links
from chronotope.ledger import read_ledger
from chronotope.models import BATCH, RawReply, batch_form, ledger_line
from chronotope.models.services.batch.client import BatchClient, BatchTroubleError, NoJobError, Unanswered
from chronotope.models.services.batch.forms import BatchWire, JobState, read_results
from chronotope.models.services.endpoint import Endpoint, Request
from chronotope.models.services.replies import UnreadableReplyError

MOST_JOBS = 3  # maximum number of jobs for a call; then the call counts as failed
MOST_RECORD = MOST_JOB // 2  # bytes of the file of a job; the request that passes this limit still fits
ATTEMPTS = 6  # maximum number of attempts to submit a job
FIRST_POLL, LONGEST_POLL = 5.0, 60.0  # s between two requests for the state of a job
FULL_PAUSE = 600.0  # maximum s between two attempts while the service's queue is full
MOST_FULL = 150  # attempts in a row that find the queue full; about a day, in which other jobs end
ALWAYS_WRONG = ("key", "credit", "settings")  # faults that every further request would have


@dataclass
class _Open:
    """A job at the service, and the reserved cost of each request."""

    job: Job
    reserved: dict[str, float]
    state: JobState


class _Draft:
    """The file of the requests of the next job."""

    def __init__(self, path: Path, form: BatchWire, most: int) -> None:
        self.requests: dict[str, Requested] = {}
        self.reserved: dict[str, float] = {}
        self._form, self._most = form, most
        self._record = 0  # bytes of the job's file, which names each request
        self._size = len(form.head) + len(form.foot)
        self._file = create_own(path)
        self._file.write(form.head)

    def has_room(self, request: list[bytes]) -> bool:
        """Check whether a further request fits into the limits of a job."""
        size = self._size + len(self._form.between) + sum(map(len, request))
        few = len(self.requests) < self._most and self._record < MOST_RECORD
        return not self.requests or (few and size <= self._form.most_bytes)

    def add(self, key: str, requested: Requested, reserved: float, request: list[bytes]) -> None:
        """Write a request."""
        written = [self._form.between, *request] if self.requests else request
        self._file.writelines(written)
        self._size += sum(map(len, written))
        self._record += len(requested.model_dump_json()) + len(key) + 4
        self.requests[key], self.reserved[key] = requested, reserved

    def end(self) -> None:
        """Complete the file."""
        if not self._file.closed:
            self._file.write(self._form.foot)
            self._file.close()


class BatchEngine(Engine):
    """Makes the calls of one plan in batch jobs.

    The model must be an `Endpoint` whose service has batches (see `batch_form`).
    """

    shows_rate = False

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        if not isinstance(self._model, Endpoint):
            raise InputError(
                f"--batch: {self._model.name} is a Python object, but batch jobs need a service: give the model by name"
            )
        self._endpoint = self._model
        self._form = batch_form(self._endpoint.name, self._endpoint.wire.name)
        self._fields = self._endpoint.wire.fields(self._decoding).set_as
        self._open: list[_Open] = []
        self._tries: Counter[str] = Counter()
        self._most = self._form.most_requests
        self._one_at_a_time = False
        self._full = 0  # number of jobs in a row that found the queue full
        self._unsure = False  # true if a job may have been submitted, but its id is unknown

    async def _make_calls(self, folder: Path) -> None:
        self._folder = folder
        refuse_links(requests_file(folder), results_file(folder))
        self._client = BatchClient(self._endpoint, self._form, self._say)
        try:
            for job in open_jobs(folder):
                await self._resume(job)
            while self._error is None:
                await self._submit_all()
                if not self._open:
                    break
                await self._take(await self._first_ended())
        finally:
            for path in (requests_file(folder), results_file(folder)):
                path.unlink(missing_ok=True)
            await self._client.close()

    def _interrupted(self, left: int) -> str:
        if not (self._open or self._unsure):
            return super()._interrupted(left)
        names = ", ".join(one.job.id or "" for one in self._open)
        named = f"batch job{'s' if len(self._open) > 1 else ''} {names}" if names else "the submitted batch job"
        verb = "continue" if len(self._open) > 1 else "continues"
        return (
            f"interrupted with {left} calls left: {named} {verb} at the service, and the same command fetches the "
            "answers, without paying twice"
        )

    # Submitting.

    async def _submit_all(self) -> None:
        """Submit the calls that are in no job.

        No more are submitted than the budget allows.
        """
        in_jobs = {key for one in self._open for key in one.job.requests}
        done = in_jobs | self._ledger.replied.keys() | self.tally.states.keys()
        waiting = [one for one in self._pending if one.key not in done]
        if not waiting or self._budget.exhausted or (self._one_at_a_time and self._open):
            return
        draft = self._draft()
        async for planned, made in self._requests(waiting):
            request = self._form.request(planned.key, made.body)
            if not draft.has_room(request):
                await self._submit(draft)
                if self._one_at_a_time:
                    return
                draft = self._draft()
            reserved = self._budget.reserve(planned.estimated_tokens)
            if reserved is None:
                break
            requested = Requested(ask=planned.ask.id, tokens=planned.estimated_tokens, pictures=list(made.pictures))
            draft.add(planned.key, requested, reserved, request)
        await self._submit(draft)

    def _draft(self) -> _Draft:
        return _Draft(requests_file(self._folder), self._form, self._most)

    async def _requests(self, planned: list[PlannedAsk]) -> AsyncIterator[tuple[PlannedAsk, Request]]:
        """Make the requests group by group.

        Only one group is in memory at a time.
        """
        for group in make_groups(self._plan, planned):
            for one, request in await self._requests_of(group):
                yield one, request

    async def _requests_of(self, group: Group) -> list[tuple[PlannedAsk, Request]]:
        pictures = await self._load(group)
        made: list[tuple[PlannedAsk, Request]] = []
        for one in group.sets:
            askable, skip = self._askable(one, pictures), len(one.prefix)
            async with self._endpoint.open(one.prefix, pictures) as session:
                made += [(call.planned, session.request(call.parts[skip:], self._decoding)) for call in askable]
        return made

    async def _submit(self, draft: _Draft) -> None:
        """Submit a job, unless it has no requests."""
        draft.end()
        if not draft.requests:
            return
        job = submitted(draft.requests)
        self._show(f"submitting a batch job of {job.count} requests")
        keep_job(self._folder, job)
        self._unsure = True
        try:
            state = await self._accepted(job)
        except InputError:  # the service has no such job
            forget_job(self._folder, job)
            self._unsure = False
            raise
        if state is None:
            state = await self._found(job)
        if state is None:
            raise self._not_found(job)
        self._keep_open(job, draft.reserved, state)

    def _keep_open(self, job: Job, reserved: dict[str, float], state: JobState) -> None:
        job = job.model_copy(update={"id": state.id})
        keep_job(self._folder, job)
        self._unsure = False
        self._open.append(_Open(job, reserved, state))

    async def _accepted(self, job: Job) -> JobState | None:
        """Submit a job.

        Returns None if it is uncertain whether the service has created the job. The job is then not submitted again,
        because a service may list a new job late.

        Raises:
            InputError: If the service refuses the job in all attempts. Then the job does not exist.
        """
        told = ""
        for attempt in range(ATTEMPTS):
            try:
                return await self._client.submit(requests_file(self._folder), job.tag)
            except UnreadableReplyError:
                return None
            except BatchTroubleError as error:
                if error.sent:
                    return None
                told = self._endpoint.clean(str(error))
                if attempt + 1 < ATTEMPTS:
                    await self._client.rest(attempt, error.pause)
        raise InputError(
            f"{self._endpoint.name} at {self._endpoint.base_url}: the batch job could not be submitted ({told}): the "
            "same command tries again"
        )

    # Finding again.

    async def _resume(self, job: Job) -> None:
        """Continue a job of an earlier command."""
        reserved = {key: self._budget.hold(one.tokens) for key, one in job.requests.items()}
        if job.id is not None:
            with self._remedy(job):
                state = await self._client.state(job.id)
        else:
            self._unsure = True
            state = await self._found(job)
        if state is None and not is_old(job):
            raise self._not_found(job)
        if state is None:
            self._unsure = False
            self._release(job.requests, reserved)
            forget_job(self._folder, job)
        else:
            self._keep_open(job, reserved, state)

    async def _found(self, job: Job) -> JobState | None:
        """Look for a job that may have been submitted."""
        self._show("looking for a batch job that may have been submitted")
        try:
            return await find_job(self._client, self._form, self._folder, job, self._show, self._say)
        except InputError as error:
            raise self._not_found(job, f" ({error})") from None

    def _not_found(self, job: Job, why: str = "") -> InputError:
        return InputError(
            f"{self._endpoint.name} at {self._endpoint.base_url}: a batch job of {job.count} requests may have been "
            f"submitted, but was not found{why}: the same command looks for it again"
        )

    # Waiting.

    @contextmanager
    def _remedy(self, job: Job) -> Generator[None]:
        """Add the remedy to the error for a job that is gone."""
        try:
            yield
        except NoJobError as error:
            raise InputError(
                f"{error}: use the key of the account that submitted the job; or delete "
                f"{job_file(self._folder, job)}, to ask and pay again"
            ) from None

    async def _first_ended(self) -> _Open:
        """Wait until a job has ended."""
        pause = FIRST_POLL
        while True:
            for one in self._open:
                with self._remedy(one.job):
                    one.state = await self._client.state(one.state.id)
                if one.state.ended:
                    return one
            self._show_jobs()
            await asyncio.sleep(pause)
            pause = min(LONGEST_POLL, 1.5 * pause)

    def _show_jobs(self) -> None:
        done, total = sum(one.state.done for one in self._open), sum(one.job.count for one in self._open)
        jobs = f"batch job {self._open[0].job.id}" if len(self._open) == 1 else f"{len(self._open)} batch jobs"
        self._show(f"{jobs}: {done} of {total} done")

    def _show(self, doing: str) -> None:
        self._doing = doing
        self._tell()

    # Recording.

    async def _take(self, one: _Open) -> None:
        """Record the results of a job that has ended.

        Raises:
            InputError: If the service refused the job, or every further job would fail in the same way.
        """
        refusal = None
        if one.state.error is None:
            with self._remedy(one.job):
                await self._client.fetch(one.state, results_file(self._folder))
            self._check_results(one.job)
            refusal = await self._record_results(one)
            self._make_larger()
            if self._error is not None:
                return  # the ledger cannot be written: the results stay at the service
            _flush(self._folder / LEDGER)
        else:
            self._release(one.job.requests, one.reserved)
        self._open.remove(one)
        keep_job(self._folder, one.job.model_copy(update={"ended": True, "requests": {}}))
        if one.state.error is not None and not await self._make_smaller(one):
            refusal = self._client.refusal(one.state)
        if refusal is not None:
            raise refusal

    def _check_results(self, job: Job) -> None:
        """Refuse a file without results, such as a page of a proxy.

        All answers would count as missing, and be paid for again.

        Raises:
            InputError: If there is no result. The job stays open, so its results can be fetched again.
        """
        path = results_file(self._folder)
        with path.open("rb") as file:
            told = file.read(1000).strip()
        if told and next(read_results(path, self._form), None) is None:
            found = self._endpoint.clean(told[:100].decode(errors="replace"))
            raise InputError(
                f"{self._endpoint.name} at {self._endpoint.base_url}: the service sent no results of batch job "
                f"{job.id} ({found}): the same command fetches them again, without paying twice"
            )

    async def _make_smaller(self, refused: _Open) -> bool:
        """Make the next jobs fit into the service's queue.

        Other jobs of the account can fill the queue, so this method waits before the next attempt. Returns false if
        this is not possible, or if too many attempts have failed.
        """
        if not refused.state.full or self._full == MOST_FULL:
            return False
        self._one_at_a_time = True
        if not self._open:
            self._most = max(1, refused.job.count // 2)
            pause = min(FULL_PAUSE, FIRST_POLL * 2 ** min(self._full, 16))
            self._full += 1
            self._show(
                f"waiting because the queue of batch jobs of this account is full, next attempt in {pause:.0f} s"
            )
            await asyncio.sleep(pause)
        return True

    def _make_larger(self) -> None:
        """Double the size of the next job.

        The last job fitted into the queue.
        """
        self._full = 0
        self._most = min(self._form.most_requests, 2 * self._most)

    async def _record_results(self, one: _Open) -> InputError | None:
        """Write the answers of a job to the ledger.

        Calls without an answer are asked again in the next job. Returns an error if a next job would fail in the same
        way.
        """
        ours = {line.key for line in read_ledger(self._folder / LEDGER) if line.extra.get(BATCH) == one.job.id}
        left = dict(one.job.requests)
        again: dict[str, Unanswered] = {}
        wrong: dict[str, Unanswered] = {}
        for number, result in enumerate(read_results(results_file(self._folder), self._form)):
            if left.pop(result.key, None) is None:
                continue
            outcome = self._client.read(result, self._fields)
            if result.key in ours:  # recorded before the command was interrupted
                self._release([result.key], one.reserved)
            elif isinstance(outcome, RawReply):
                self._record_in_job(one, result.key, outcome, self._tries[result.key] + 1)
            elif outcome.fault == "passing":
                again[result.key] = outcome
            else:
                wrong[result.key] = outcome
            if self._error is not None:
                return None
            if number % 100 == 0:
                await asyncio.sleep(0)  # for Ctrl-C
        why = f"{one.state.why} before this request was answered" if one.state.why else "has no result of this request"
        again |= {key: Unanswered(f"the batch job {why}", "passing") for key in left if key not in ours}
        self._release([key for key in left if key in ours], one.reserved)
        self._ask_again(one, again)
        return self._refused(one, wrong)

    def _ask_again(self, one: _Open, again: dict[str, Unanswered]) -> None:
        """Leave calls for the next job, at most `MOST_JOBS` times.

        A call whose answer cannot be read was paid for, so a line with its maximum cost is written for it.
        """
        for key, outcome in again.items():
            self._tries[key] += 1
            spent = self._tries[key] >= MOST_JOBS
            last = spent or outcome.lasting
            if last or outcome.billed:
                error = f"{outcome.error} (tried in {MOST_JOBS} batch jobs)" if spent else outcome.error
                money = self._budget.most_of(one.job.requests[key].tokens) if outcome.billed else None
                reply = RawReply("failed", error=error, money=money)
                self._record_in_job(one, key, reply, self._tries[key], count=last)
            else:
                self._release([key], one.reserved)

    def _refused(self, one: _Open, wrong: dict[str, Unanswered]) -> InputError | None:
        """Record refused calls.

        Returns an error if all remaining calls would fail in the same way.
        """
        for outcome in wrong.values():
            if outcome.fault in ALWAYS_WRONG or not self._ledger.replied:
                self._release(wrong, one.reserved)
                return self._client.wrong_use(outcome)
        for key, outcome in wrong.items():
            self._record_in_job(one, key, RawReply("refused", error=outcome.error), self._tries[key] + 1)
        return None

    def _record_in_job(self, one: _Open, key: str, reply: RawReply, attempts: int, *, count: bool = True) -> None:
        """Write the line of a call, with the name of its job.

        ``attempts`` counts the jobs with this call. If ``count`` is false, the call is asked again.
        """
        requested = one.job.requests[key]
        reply = replace(reply, pictures=tuple(requested.pictures), attempts=attempts)
        cost = self._budget.settle(one.reserved.pop(key), requested.tokens, reply)
        line = ledger_line(reply, key=key, ask=requested.ask, kind=self.kind, money=cost)
        if self._append(line.model_copy(update={"extra": {BATCH: one.job.id}})) and count and key in self._keys:
            self._count(key, reply)

    def _release(self, keys: Iterable[str], reserved: dict[str, float]) -> None:
        """Free the reserved cost of requests that cost nothing."""
        for key in keys:
            self._budget.settle(reserved.pop(key), 0, None)


def _flush(path: Path) -> None:
    """Force a file to the disk, for a power loss."""
    with path.open("rb") as file:
        os.fsync(file.fileno())

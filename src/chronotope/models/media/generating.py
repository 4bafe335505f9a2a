"""Generation of pictures and clips by a service, so that no result that was paid for is lost or ordered twice.

The order of steps keeps the money safe. The intention is on the disk before a request is sent. A request whose fate is
unclear is never sent again by itself. The id of a job is on the disk before the job is asked for the first time.
Questions and downloads are free, and are repeated. What a job may cost is reserved before it is sent.
"""

import asyncio
import random
import shutil
import time
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from chronotope.errors import InputError
from chronotope.io import name_fault, sha256_file
from chronotope.media import PICTURE_FAULTS, open_picture, probe
from chronotope.models.media.job_book import Event, Job, JobBook, JobEvent
from chronotope.models.media.request import (
    AmbiguousError,
    Asset,
    Done,
    ExpiredError,
    Failed,
    MediaRequest,
    MediaService,
    MediaType,
    PollError,
    RefusedError,
    UnsentError,
    Waiting,
)
from chronotope.models.money import OverBudgetError
from chronotope.models.structured_job import do_all

TRIES = 2  # jobs for one request, if the service fails
SENDS = 6  # attempts to send a request that was certainly not accepted
FETCHES = 3  # attempts to fetch a result before its address is asked for again
BACKOFF, LONGEST_BACKOFF = 2.0, 120.0  # seconds
SUFFIXES: Mapping[MediaType, tuple[str, ...]] = {
    "video": (".mp4", ".webm", ".mov", ".mkv"), "image": (".png", ".jpg", ".jpeg", ".webp"),
}  # fmt: skip

State = Literal["made", "refused", "failed", "ambiguous", "accepted"]
Say = Callable[[str], None]


@dataclass(frozen=True)
class Order:
    """A request, and the name of the file that its result gets, without a suffix."""

    name: str
    request: MediaRequest


@dataclass(frozen=True)
class Made:
    """What became of an order.

    - ``made``: ``path`` is the result, with its ``facts``.
    - ``refused``: the service does not make this.
    - ``failed``: the service failed as often as it may.
    - ``ambiguous``: the request may have been accepted. It is sent again only if a person says so.
    - ``accepted``: the job was accepted, and may be billed. The same command asks for it again.
    """

    name: str
    state: State
    path: Path | None = None
    told: str | None = None
    token: str | None = None
    job: str | None = None
    money: float | None = None
    seed: int | None = None
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Generated:
    """What became of all orders; ``stopped`` says why some were not sent.

    ``spent`` is the cost of all jobs of the folder, with what is reserved for jobs without an end.
    """

    made: Sequence[Made]
    spent: float
    stopped: str | None = None

    def of_state(self, state: State) -> list[Made]:
        """Return the orders with a state."""
        return [one for one in self.made if one.state == state]


@dataclass
class Generating:
    """The work of a service on orders, with the book of jobs of a folder.

    ``most`` limits the cost of all jobs of the book. ``spent_elsewhere`` returns the cost of other calls under this
    limit. ``resubmit`` are tokens of ambiguous or failed jobs that a person allows to send again, and ``adopt`` maps
    such tokens to the id of the job that a person found at the service.
    """

    service: MediaService
    book: JobBook
    folder: Path
    most: float | None = None
    spent_elsewhere: Callable[[], float] = lambda: 0.0
    resubmit: Collection[str] = ()
    adopt: Mapping[str, str] = field(default_factory=dict[str, str])
    backoff: float = BACKOFF
    say: Say | None = None
    _at_work: dict[str, asyncio.Lock] = field(default_factory=dict[str, asyncio.Lock], repr=False)  # by key
    _new: set[str] = field(default_factory=set[str], repr=False)  # tokens of jobs that this command has submitted

    async def run(
        self, orders: Sequence[Order], concurrency: int = 4, advance: Callable[[int, int], None] | None = None
    ) -> Generated:
        """Fill all orders, some at once; orders whose result is there need nothing.

        Raises:
            InputError: If an order or a setting cannot be used, or the service rejects every request.
        """
        self._check(orders)
        self._decide()
        found: dict[str, Made] = {}

        async def fill(order: Order) -> None:
            found[order.name] = await self._fill(order)

        stopped = None
        try:
            await do_all([partial(fill, order) for order in orders], concurrency, advance)
        except OverBudgetError as error:
            stopped = str(error)
        made = [found[order.name] for order in orders if order.name in found]
        return Generated(made, self.book.spent, stopped)

    def _check(self, orders: Sequence[Order]) -> None:
        """Check all orders before anything is sent.

        Raises:
            InputError: If an order cannot be filled.
        """
        seen: set[str] = set()
        for order in orders:
            if fault := name_fault(order.name):
                raise InputError(f"order {order.name!r}: {fault}")
            if order.name in seen:
                raise InputError(f"two orders have the name {order.name!r}: name each once")
            seen.add(order.name)
            self.service.limits.require(order.request, self.service.name)
            if self.most is not None and self.service.price(order.request) is None:
                raise InputError(
                    f"--max-cost needs the price of {self.service.name}, which is not known: state the price of a "
                    "second, or of a picture"
                )

    def _decide(self) -> None:
        """Write down what a person decided about unclear jobs.

        A decision is carried out once: the next job of the request has another token.

        Raises:
            InputError: If a token names no job.
        """
        for token in (*self.resubmit, *self.adopt):
            job = self.book.jobs.get(token)
            if job is None:
                known = [one.token for one in self.book.jobs.values() if one.state in ("ambiguous", "failed")]
                raise InputError(f"there is no unclear job {token!r}", expected=f"one of {', '.join(known) or 'none'}")
            if job.state == "ambiguous" or (job.state == "failed" and token in self.resubmit):
                event: Event = "submitted" if token in self.adopt else "released"
                self._note(job.last, event, job=self.adopt.get(token), told="decided by a person")

    async def _fill(self, order: Order) -> Made:
        """Fill one order: continue its last job, or submit a new one.

        Equal requests are filled one after the other, so that the second one finds the result of the first.
        """
        key = order.request.key(self.service.name)
        async with self._at_work.setdefault(key, asyncio.Lock()):
            return await self._filled(order, key)

    async def _filled(self, order: Order, key: str) -> Made:
        while True:
            jobs = self.book.of(key)
            job = jobs[-1] if jobs else None
            if job is None or job.state in ("unsent", "released") or _may_fail_again(jobs):
                released = job if job is not None and job.state == "released" else None
                job = await self._submitted(order, key, None if released is None else released.sent_as)
            if job.state in ("submitted", "done"):
                made = await self._finished(order, job)
                if made is not None:
                    return made
                continue
            if job.state == "fetched":
                made = self._there(order, job)
                if made is not None:
                    return made
                self._note(job.last, "done", told="the file is missing, or is another one")
                continue
            return self._ended(order, job)

    def _there(self, order: Order, job: Job) -> Made | None:
        """Return the result of an earlier command, if its file is as it was fetched."""
        for name, sha256 in job.last.files.items():
            path = self.folder / name
            if path.is_file() and sha256_file(path) == sha256:
                if path.stem != order.name:  # an equal request of another order
                    twin = path.with_name(f"{order.name}{path.suffix}")
                    if not twin.exists():
                        shutil.copyfile(path, twin)
                    path = twin
                last = job.last
                return Made(order.name, "made", path, None, job.token, job.id, last.money, last.seed, last.facts)
        return None

    def _ended(self, order: Order, job: Job) -> Made:
        state: State = "ambiguous" if job.state == "ambiguous" else "refused" if job.state == "refused" else "failed"
        told = job.last.told
        if state == "ambiguous":
            told = (
                f"{told or 'the process ended before the answer'}: the service may have accepted the request, so it is "
                f"not sent again; look at the service, then give --resubmit {job.token} or --adopt {job.token}=ID"
            )
        return Made(order.name, state, None, told, job.token, job.id, job.last.money)

    async def _submitted(self, order: Order, key: str, sent_as: str | None) -> Job:
        """Submit a request, with its intention on the disk first; attempts that were not sent are repeated.

        A request that a person has released is ``sent_as`` before: a service that knows tokens then makes no second
        job.

        Raises:
            OverBudgetError: If the job could exceed the limit on the cost.
            InputError: If the service rejects every request, or stays out of reach.
        """
        for number in range(1, SENDS + 1):
            price = self.service.price(order.request)
            self._require_room(price)
            token = uuid.uuid4().hex
            intended = JobEvent(
                token=token,
                key=key,
                name=order.name,
                service=self.service.name,
                event="intended",
                price=price,
                sent_as=sent_as,
            )
            self.book.add(intended)
            try:
                job = await self.service.submit(order.request, sent_as or token)
            except UnsentError as error:
                self._note(intended, "unsent", told=str(error))
                if number == SENDS:
                    raise InputError(
                        f"{self.service.name}: no request was accepted in {SENDS} attempts ({error}): nothing was "
                        "billed, and the same command continues"
                    ) from None
                await self._pause(number, error.pause, str(error))
                continue
            except RefusedError as error:
                return self._note(intended, "refused", told=str(error))
            except AmbiguousError as error:
                return self._note(intended, "ambiguous", told=str(error))
            except InputError as error:
                self._note(intended, "unsent", told=str(error))
                raise
            other = next((one for one in self.book.jobs.values() if one.id == job and one.last.key != key), None)
            if other is not None and other.last.service == self.service.name:
                return self._note(intended, "ambiguous", told=f"the service answered with the id of another job, {job}")
            self._new.add(token)
            return self._note(intended, "submitted", job=job)
        raise AssertionError("the last attempt returns or raises")

    def _require_room(self, price: float | None) -> None:
        """Check that a job fits into the limit; its price is reserved by the intention that follows.

        Raises:
            OverBudgetError: If it could exceed the limit.
        """
        spent = self.book.spent + self.spent_elsewhere()
        if self.most is not None and spent + (price or 0.0) > self.most:
            raise OverBudgetError(
                f"{self.service.name}: the next job could exceed --max-cost {self.most:g} ({spent:.4g} is spent or "
                "reserved): the same command with a larger limit continues"
            )

    async def _finished(self, order: Order, job: Job) -> Made | None:
        """Ask for a job until it ends, and fetch its result.

        Returns None if the job failed, so that another one may be submitted.
        """
        end = time.monotonic() + self.service.patience
        if job.token in self._new and job.state == "submitted":
            await asyncio.sleep(min(self.service.first_wait, self.service.patience))
        for number in range(1, 10**6):
            state: Waiting | Done | Failed | None = None
            try:
                state = await self.service.poll(job.id or "")
            except PollError as error:
                pause, told = min(self.backoff * 2 ** (number - 1), LONGEST_BACKOFF), str(error)
            else:
                pause, told = state.after if isinstance(state, Waiting) else self.backoff, "the job is not finished"
            if isinstance(state, Failed):
                return self._gave_up(order, job, state)
            if isinstance(state, Done):
                if job.state != "done":
                    seed = order.request.seed if state.seed is None and self.service.limits.seeds else state.seed
                    self._note(job.last, "done", job=job.id, seed=seed, money=state.money,
                               assets=[asset.url[:2000] for asset in state.assets])  # fmt: skip
                try:
                    return await self._fetched(order, job, state)
                except (PollError, ExpiredError) as error:  # a new question gets a new address
                    told = str(error)
            if time.monotonic() + pause >= end:
                return self._accepted(order, job, told)
            await asyncio.sleep(pause)
        return None

    def _gave_up(self, order: Order, job: Job, state: Failed) -> Made | None:
        event: Event = "refused" if state.kind == "refused" else "failed"
        money = state.money if state.money is not None else 0.0 if state.kind == "refused" else None
        if job.state == "done":  # it was finished, and the service has deleted it: paid for, and lost
            event, money = "failed", job.last.money
        self._note(job.last, event, job=job.id, money=money, told=f"{state.kind}: {state.told}")
        return None

    def _accepted(self, order: Order, job: Job, told: str) -> Made:
        return Made(
            order.name, "accepted", None,
            f"job {job.id} was accepted, and may be billed ({told}): run again to go on, which sends no new request",
            job.token, job.id, job.last.money,
        )  # fmt: skip

    async def _fetched(self, order: Order, job: Job, done: Done) -> Made:
        """Fetch the first result that can be read, and rename it when it is whole.

        PollError or ExpiredError is raised if there is none.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        temporary, asset = self.folder / f".{job.token}.partial", done.assets[0]
        try:
            facts = await self._whole(asset, temporary, order.request.kind)
            path = self.folder / f"{order.name}{_suffix(asset, order.request.kind)}"
            files = {path.name: sha256_file(temporary)}
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        money = job.last.money if job.last.money is not None else self.service.price(order.request)
        event = self._note(job.last, "fetched", job=job.id, seed=job.last.seed, money=money, files=files, facts=facts)
        last = event.last
        return Made(order.name, "made", path, None, job.token, job.id, last.money, last.seed, last.facts)

    async def _whole(self, asset: Asset, place: Path, kind: MediaType) -> dict[str, Any]:
        """Fetch a result until it can be read, and return its facts.

        PollError or ExpiredError is raised if it never can.
        """
        for number in range(1, FETCHES + 1):
            try:
                await self.service.fetch(asset, place)
                return await asyncio.to_thread(_facts, place, kind)
            except PollError as error:
                told = str(error)
            except InputError as error:  # the file is cut off, or is something else
                told = f"the result cannot be read ({error})".replace(str(place), "it")
            if number == FETCHES:
                raise PollError(told)
            await self._pause(number, None, told)
        raise AssertionError("the last attempt returns or raises")

    def _note(self, before: JobEvent, event: Event, **more: Any) -> Job:
        """Write an event that follows another event of the same job."""
        same = {name: getattr(before, name) for name in ("token", "sent_as", "key", "name", "service", "price")}
        return self.book.add(JobEvent(**same, event=event, **more))

    async def _pause(self, number: int, asked: float | None, told: str) -> None:
        """Wait before another attempt, longer each time, or as long as the service asks."""
        longest = min(self.backoff * 2 ** (number - 1), LONGEST_BACKOFF)
        pause = min(asked, LONGEST_BACKOFF * 5) if asked is not None else longest * random.uniform(0.5, 1.0)
        if self.say is not None and pause > 5:
            self.say(f"{self.service.name}: {told}; the next attempt is in {pause:.0f} s")
        await asyncio.sleep(pause)


def _may_fail_again(jobs: Sequence[Job]) -> bool:
    """Check whether another job may follow a failed one.

    A job that the service has lost may be billed, so a person decides. A free job that ended with its process is made
    again.
    """
    last = jobs[-1]
    told = last.last.told or ""
    failures = sum(job.state == "failed" and (job.last.told or "").startswith("failed:") for job in jobs)
    is_free = last.last.price == 0 and told.startswith("lost:")
    return last.state == "failed" and (is_free or (told.startswith("failed:") and failures < TRIES))


def _facts(path: Path, kind: MediaType) -> dict[str, Any]:
    """Measure a result: its size, and the frames of a clip.

    Raises:
        InputError: If it cannot be decoded.
    """
    if kind == "image":
        try:
            with open_picture(path) as picture:
                picture.load()
                return {"width": picture.width, "height": picture.height}
        except PICTURE_FAULTS as error:
            raise InputError(f"{path}: is not a picture that can be read ({error})") from None
    facts = probe(path)
    return {
        "width": facts.width, "height": facts.height, "frames": facts.frames, "fps": facts.fps,
        "duration_s": round(facts.duration_s, 4), "bytes": path.stat().st_size,
    }  # fmt: skip


def _suffix(asset: Asset, kind: MediaType) -> str:
    """Return the suffix of a result's file, from its address if that names a known one."""
    found = Path(urlsplit(asset.url).path).suffix.lower()
    return found if found in SUFFIXES[kind] else SUFFIXES[kind][0]

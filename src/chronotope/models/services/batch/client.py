"""The client of a batch service: sends jobs, asks for their state, and fetches their results."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import httpx

from chronotope.errors import InputError
from chronotope.io import create_own
from chronotope.models.checked import checked_reply
from chronotope.models.model import RawReply
from chronotope.models.services.availability import Say
from chronotope.models.services.batch.forms import BatchWire, JobState, Result, checked_id
from chronotope.models.services.connections import BodyError, new_client, read_body, unpacked
from chronotope.models.services.endpoint import LONGEST_BACKOFF, LONGEST_PAUSE, Endpoint
from chronotope.models.services.faults import REFUSED, Fault, cure, diagnosed, fault, refusal_words
from chronotope.models.services.replies import UnreadableReplyError, mapping, parsed, retry_after

T = TypeVar("T")

CHUNK = 1 << 19  # bytes of a file that are read at once
MOST_RESULTS = 8 << 30  # bytes of the results of a job
SLOWEST = 100_000  # bytes per second of the slowest upload
NOT_DONE = (409, 425, 429, 529)  # with these statuses, a service has not carried out the request
QUIET = 3  # failed attempts before the user is told


class BatchTroubleError(Exception):
    """The error for a temporary failure of the service.

    ``pause`` is the time (s) that the service asks to wait, or None. ``sent`` is false if the service cannot have
    accepted the request: no connection was possible, or the status says so.
    """

    def __init__(self, error: str, pause: float | None = None, *, sent: bool = True) -> None:
        super().__init__(error)
        self.pause, self.sent = pause, sent


class NoJobError(InputError):
    """The error for a job, or results, that the service does not have."""


@dataclass(frozen=True)
class Unanswered:
    """A result without an answer.

    If ``fault`` is ``passing``, the request can be sent again in another job. Other faults are defined in
    `chronotope.models.services.replies`. ``billed`` is true if the service has answered, but the answer cannot be read.
    ``lasting`` is true if another job would return such an answer again.
    """

    error: str
    fault: Fault
    billed: bool = False
    lasting: bool = False


class BatchClient:
    """The batch service of an endpoint.

    Requests are sent with the endpoint's key, and only to its base URL. ``backoff`` is the time (s) before the second
    attempt. ``say`` is called with a sentence if the service does not answer.
    """

    def __init__(self, endpoint: Endpoint, form: BatchWire, say: Say | None, backoff: float = 1.0) -> None:
        self.form = form
        self._endpoint, self._say, self._backoff = endpoint, say, backoff
        self._long_pause = False  # true if the user knows of a long pause
        self._client = new_client(endpoint.base_url, endpoint.key, endpoint.timeout)

    async def close(self) -> None:
        """Close the connection."""
        await self._client.aclose()

    async def submit(self, requests: Path, tag: str) -> JobState:
        """Create a job from a file of requests.

        ``tag`` is our name for the job. After UnreadableReplyError, and after BatchTroubleError with ``sent``, it is
        uncertain whether the job exists.

        Raises:
            InputError: If the service refuses the job. Then the job does not exist.
        """
        size = requests.stat().st_size
        seconds = self._endpoint.timeout + size / SLOWEST
        if not self.form.uploads:
            headers = {"Content-Length": str(size), "Content-Type": "application/json"}
            content = _chunks(requests)
            made = await self._json("POST", self.form.path, seconds, content=content, headers=headers)
            return self.form.state(made)
        job = {
            "input_file_id": await self._uploaded(requests, tag, seconds),
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
            "metadata": {"chronotope": tag},
        }
        return self.form.state(await self._json("POST", self.form.path, json=job))

    async def _uploaded(self, requests: Path, tag: str, seconds: float) -> str:
        """Upload a file of requests, and return its id.

        If the upload fails, there is no job.
        """
        try:
            with requests.open("rb") as file:
                sent = {"file": (f"chronotope-{tag}.jsonl", file, "application/jsonl")}
                stored = await self._json("POST", "/files", seconds, files=sent, data={"purpose": "batch"})
            return checked_id(mapping(stored).get("id"))
        except BatchTroubleError as error:
            raise BatchTroubleError(str(error), error.pause, sent=False) from None
        except UnreadableReplyError as error:
            raise BatchTroubleError(self._endpoint.clean(str(error)), sent=False) from None

    async def state(self, job: str) -> JobState:
        """Return the state of a job; wait until the service answers.

        Raises:
            NoJobError: If the service has no such job.
            InputError: If the service does not accept the key.
        """
        return await self._patient(self._state, job)

    async def since(self, moment: datetime) -> list[JobState]:
        """List all jobs that were created after a moment."""
        found: list[JobState] = []
        query: dict[str, Any] = {"limit": self.form.page}
        pages: set[str] = set()  # the last id of each page: some gateways send the same page for ever
        while True:
            page = mapping(await self._patient(self._json, "GET", self.form.path, params=query))
            jobs = self._jobs(page.get("data"))
            if not jobs or jobs[-1].id in pages:
                return found
            found += [job for job in jobs if job.created >= moment]
            if not page.get("has_more") or jobs[-1].created < moment:
                return found
            pages.add(jobs[-1].id)
            query = {"limit": self.form.page, self.form.after: jobs[-1].id}

    def _jobs(self, listed: Any) -> list[JobState]:
        """Read a list of jobs; entries that are not jobs are omitted."""
        jobs: list[JobState] = []
        for one in listed if isinstance(listed, list) else []:
            try:
                jobs.append(self.form.state(one))
            except UnreadableReplyError:
                continue
        return jobs

    async def fetch(self, job: JobState, place: Path) -> None:
        """Download the results of a job to a file.

        Raises:
            NoJobError: If the service does not have the results any more.
        """
        with create_own(place) as file:
            for path in job.results:
                start = file.tell()

                async def read(response: httpx.Response, limit: asyncio.Timeout, start: int = start) -> None:
                    file.seek(start)
                    file.truncate()
                    try:
                        async for chunk in unpacked(response, MOST_RESULTS):
                            file.write(chunk)
                            limit.reschedule(asyncio.get_running_loop().time() + self._endpoint.timeout)
                    except BodyError as error:
                        if error.too_large:  # another attempt would fetch as much again
                            raise InputError(
                                f"{self._endpoint.name} at {self._endpoint.base_url}: the results of batch job "
                                f"{job.id} have more than {MOST_RESULTS >> 30} GB, which no answers have: ask the "
                                "service"
                            ) from None
                        raise
                    file.write(b"\n")

                await self._patient(self._exchange, "GET", path, self._endpoint.timeout, read)

    def read(self, result: Result, fields: Mapping[str, object]) -> RawReply | Unanswered:
        """Read a result, as the response to a single call is read.

        ``fields`` are the fields of the requests besides model and messages.
        """
        endpoint = self._endpoint
        if result.too_large:
            return Unanswered(endpoint.clean(result.error), "passing", billed=True, lasting=True)
        if result.status is None:
            return Unanswered(endpoint.clean(result.error), "passing")
        if 200 <= result.status < 300:
            try:
                reply = endpoint.key.hide_in(endpoint.wire.read(result.body))
                return checked_reply(reply, result.key)
            except UnreadableReplyError as error:
                return Unanswered(endpoint.clean(str(error)), "passing", billed=True)
        told = endpoint.wire.error(result.body)
        error = endpoint.clean(f"HTTP {result.status}: {told.message}")
        known = diagnosed(result.status, told, tuple(fields))
        whose = known.fault
        if whose in REFUSED:
            return RawReply("refused", error=refusal_words(error, known))
        if whose in ("settings", "named") and (flags := cure(told, fields, endpoint.flag)):
            error = f"the service refuses this form of request: add {flags} ({error})"
        return Unanswered(error, "passing" if whose == "loading" else whose)

    def wrong_use(self, unanswered: Unanswered) -> InputError:
        """Return the error for a fault that all further requests share."""
        advice = self._endpoint.advice(unanswered.fault)
        return InputError(f"{self._endpoint.name} at {self._endpoint.base_url}: {advice} ({unanswered.error})")

    def refusal(self, job: JobState) -> InputError:
        """Return the error for a job that the service refused."""
        told = self._endpoint.clean(job.error.message if job.error is not None else "no reason was given")
        service = f"{self._endpoint.name} at {self._endpoint.base_url}"
        if job.full:
            return InputError(
                f"{service}: the queue of batch jobs of this account is full, and stayed full ({told}): wait until "
                "other jobs have ended, and run the same command again; or run it without --batch"
            )
        return InputError(
            f"{service}: the service refuses batch job {job.id} ({told}): run the same command without --batch if the "
            "model has no batches"
        )

    async def _state(self, job: str) -> JobState:
        return self.form.state(await self._json("GET", f"{self.form.path}/{checked_id(job)}"))

    async def _json(self, method: str, path: str, seconds: float | None = None, **content: Any) -> Any:
        """Send a request, and return the JSON value of the response."""

        async def read(response: httpx.Response, limit: asyncio.Timeout) -> Any:
            return parsed(await read_body(response))

        return await self._exchange(method, path, seconds or self._endpoint.timeout, read, **content)

    async def _exchange(
        self,
        method: str,
        path: str,
        seconds: float,
        read: Callable[[httpx.Response, asyncio.Timeout], Awaitable[T]],
        **content: Any,
    ) -> T:
        """Send one request and read its response.

        BatchTroubleError is raised for temporary failures.

        Raises:
            NoJobError: If the service does not have the requested object.
            InputError: If the service refuses the request.
        """
        url, clean = self._endpoint.base_url + path, self._endpoint.clean
        try:
            async with asyncio.timeout(seconds) as limit, self._client.stream(method, url, **content) as response:
                if 200 <= response.status_code < 300:
                    return await read(response, limit)
                status, headers, body = response.status_code, response.headers, await read_body(response)
        except TimeoutError:
            raise BatchTroubleError("no answer in time") from None
        except (httpx.RequestError, BodyError, UnreadableReplyError) as error:
            sent = not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
            raise BatchTroubleError(clean(f"{type(error).__name__}: {error}"), sent=sent) from None
        told = self._endpoint.wire.error(body)
        whose, words = fault(status, told, ()), clean(f"HTTP {status}: {told.message}")
        if whose in ("passing", "loading"):
            pause = retry_after(headers)
            raise BatchTroubleError(words, told.pause if pause is None else pause, sent=status not in NOT_DONE)
        if status == 404 and method == "GET":
            raise NoJobError(f"{url}: the service does not have this batch job, or its results, any more ({words})")
        raise InputError(f"{self._endpoint.name} at {url}: {self._endpoint.advice(whose)} ({words})")

    async def _patient(self, ask: Callable[..., Awaitable[T]], *what: Any, **more: Any) -> T:
        """Repeat a request for information until the service answers.

        A job takes hours and continues at the service without this process. So the requests are repeated after any
        failure of the network.
        """
        for attempt in range(1 << 30):
            try:
                return await ask(*what, **more)
            except (BatchTroubleError, UnreadableReplyError) as error:
                if attempt == QUIET and self._say is not None:
                    self._say(
                        f"{self._endpoint.name} at {self._endpoint.base_url} does not answer ({error}): still trying; "
                        "the batch job is not lost"
                    )
                await self.rest(attempt, error.pause if isinstance(error, BatchTroubleError) else None)
        raise AssertionError("unreachable")

    async def rest(self, attempt: int, pause: float | None) -> None:
        """Pause before another attempt; ``attempt`` counts from 0.

        ``pause`` is the time (s) that the service asks to wait. Longer times than `LONGEST_PAUSE` are cut.
        """
        delay = min(LONGEST_BACKOFF, self._backoff * 2 ** min(attempt, 16)) * random.uniform(0.5, 1.0)
        asked = min(LONGEST_PAUSE, pause or 0.0)
        if asked > LONGEST_BACKOFF and not self._long_pause and self._say is not None:
            self._long_pause = True
            self._say(
                f"{self._endpoint.name} at {self._endpoint.base_url} asks to wait {pause:.0f} s: the next attempt is "
                f"in {asked:.0f} s"
            )
        await asyncio.sleep(max(delay, asked))


async def _chunks(path: Path) -> AsyncIterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk

"""The wire formats of batch services: a job has many requests, costs half the price, and ends within a day.

Sources: https://platform.openai.com/docs/api-reference/batch and https://platform.claude.com/docs/en/api (November
2026), and the types of both Python clients.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from chronotope.errors import InputError
from chronotope.io import bounded_lines
from chronotope.ledger import MOST_REPLY
from chronotope.models.opening import wire_of
from chronotope.models.services.replies import (
    STATUS_OF,
    ServiceError,
    UnreadableReplyError,
    count_of,
    error_in,
    mapping,
    parsed,
)

# An id is part of a path, so it must not contain other characters.
ID = re.compile(r"[A-Za-z0-9_-]{1,200}")
CUSTOM_ID = re.compile(rb'"custom_id"\s*:\s*"([^"\\]{1,200})"')  # inside a text, each quote would be escaped
MOST_LINE = MOST_REPLY + (64 << 10)  # bytes of a line of results: the body of a reply, and the fields around it
FULL_QUEUE = "token_limit_exceeded"  # OpenAI's error if the jobs of an account together have too many tokens


@dataclass(frozen=True)
class JobState:
    """The state of a job at the service.

    - ``done`` and ``total`` count requests.
    - ``why`` is the reason why a job ended before all its requests were answered, or is empty.
    - ``error`` is the reason why the service refused the whole job, or None. If ``full`` is true, the service may
      accept the job later, or may accept a smaller job.
    - ``results`` are the paths of its results, after the base URL.
    - ``tag`` is our name for the job, if the service stores such names.
    """

    id: str
    ended: bool
    done: int
    total: int
    created: datetime
    why: str = ""
    error: ServiceError | None = None
    full: bool = False
    results: tuple[str, ...] = ()
    tag: str | None = None


@dataclass(frozen=True)
class Result:
    """The result of one request of a job.

    ``status`` and ``body`` are as in the response to a single call. If the request was never answered, ``status`` is
    None, and ``error`` is the reason. If the answer is ``too_large``, it was not read.
    """

    key: str
    status: int | None
    body: bytes = b""
    error: str = ""
    too_large: bool = False


class BatchWire(Protocol):
    """The wire format of a batch service: that of its requests and results.

    A job is sent as ``head``, then all requests separated by ``between``, then ``foot``. ``uploads`` means that the
    requests are uploaded as a file first. ``page`` is the number of jobs in a list.
    """

    path: str
    most_requests: int
    most_bytes: int
    head: bytes
    between: bytes
    foot: bytes
    uploads: bool
    page: int
    after: str

    def request(self, key: str, body: Sequence[bytes]) -> list[bytes]:
        """Return the fragments of a request, made from a single call's body."""
        ...

    def state(self, body: Any) -> JobState:
        """Read the state of a job.

        UnreadableReplyError is raised if it is not a job.
        """
        ...

    def result(self, line: bytes) -> Result:
        """Read one line of results.

        UnreadableReplyError is raised if it is not a result.
        """
        ...


class _OpenAIBatches:
    """The Batch API of OpenAI.

    A job is a file of requests. The answers and the errors of the job are in two files.
    """

    path = "/batches"
    most_requests, most_bytes = 50_000, 200_000_000
    head, between, foot = b"", b"\n", b"\n"
    uploads, page, after = True, 100, "after"

    def request(self, key: str, body: Sequence[bytes]) -> list[bytes]:
        """Return the fragments of one line of the file."""
        head = f'{{"custom_id":"{key}","method":"POST","url":"/v1/chat/completions","body":'
        return [head.encode(), *body, b"}"]

    def state(self, body: Any) -> JobState:
        """Read a ``batch`` object."""
        told, counts = mapping(body), mapping(mapping(body).get("request_counts"))
        status = told.get("status")
        failed = status == "failed"
        listed = mapping(told.get("errors")).get("data")
        errors = [one for one in map(mapping, listed if isinstance(listed, list) else []) if one]
        files = [told.get(name) for name in ("output_file_id", "error_file_id")]
        return JobState(
            _id(told),
            ended=status in ("failed", "completed", "expired", "cancelled"),
            done=sum(count_of(counts.get(name)) or 0 for name in ("completed", "failed")),
            total=count_of(counts.get("total")) or 0,
            created=_moment(told.get("created_at")),
            why=status if status in ("expired", "cancelled") else "",
            error=error_in(errors[0] if errors else "no reason was given") if failed else None,
            full=failed and any(one.get("code") == FULL_QUEUE for one in errors),
            results=tuple(f"/files/{checked_id(file)}/content" for file in files if file),
            tag=mapping(told.get("metadata")).get("chronotope"),
        )

    def result(self, line: bytes) -> Result:
        """Read one line of the answers or of the errors."""
        told = mapping(parsed(line))
        response, error = told.get("response"), told.get("error")
        if isinstance(response, dict) and (status := count_of(response.get("status_code"))) is not None:
            return Result(_key(told), status, json.dumps(response.get("body")).encode())
        return Result(_key(told), None, error=error_in(error).message if error else "the service did not answer it")


class _AnthropicBatches:
    """The Message Batches API of Anthropic.

    All requests are in the body that creates the job.
    """

    path = "/messages/batches"
    most_requests, most_bytes = 100_000, 256_000_000
    head, between, foot = b'{"requests":[', b",\n", b"]}"
    uploads, page, after = False, 1000, "after_id"

    def request(self, key: str, body: Sequence[bytes]) -> list[bytes]:
        """Return the fragments of one member of ``requests``."""
        return [f'{{"custom_id":"{key}","params":'.encode(), *body, b"}"]

    def state(self, body: Any) -> JobState:
        """Read a ``message_batch`` object."""
        told = mapping(body)
        counts = {name: count_of(count) or 0 for name, count in mapping(told.get("request_counts")).items()}
        name, total = _id(told), sum(counts.values())
        return JobState(
            name,
            ended=told.get("processing_status") == "ended",
            done=total - counts.get("processing", 0),
            total=total,
            created=_moment(told.get("created_at")),
            why=next((why for why in ("expired", "canceled") if counts.get(why)), ""),
            # The address in the response is not used, because the key may be sent only to the address that the user
            # knows.
            results=(f"{self.path}/{name}/results",),
        )

    def result(self, line: bytes) -> Result:
        """Read one line of the results."""
        told = mapping(parsed(line))
        result = mapping(told.get("result"))
        if result.get("type") == "succeeded":
            return Result(_key(told), 200, json.dumps(result.get("message")).encode())
        if result.get("type") == "errored":
            error = mapping(result.get("error"))
            kind = str(error_in(error).code)
            return Result(_key(told), STATUS_OF.get(kind, 500), json.dumps(error).encode())
        return Result(_key(told), None, error=f"the job ended before this request ({result.get('type')})")


# The services with batches. Each key has the provider in a model's name, and the wire format.
BATCHES: dict[tuple[str, str], BatchWire] = {
    ("openai", "chat"): _OpenAIBatches(),
    ("anthropic", "messages"): _AnthropicBatches(),
}


def batch_form(name: str, wire: str) -> BatchWire:
    """Return the wire format of the batch service for a model.

    ``wire`` is the wire format of the run.

    Raises:
        InputError: If there is no such service.
    """
    form = BATCHES.get((name.partition("/")[0], wire))
    if form is None:
        known = " and ".join(f"{provider}/NAME" for provider, _ in BATCHES)
        began = " in the form in which this run began" if wire != wire_of(name) else ""
        raise InputError(f"--batch: {name} has no batch service{began}: leave --batch out, which is for {known}")
    return form


def read_results(path: Path, form: BatchWire) -> Iterator[Result]:
    """Read a file of results; lines that are not results are omitted.

    Only one line is in memory, and a line that is longer than the body of a single call is skipped. The request of a
    skipped line is identified by the ``custom_id`` near the beginning or the end of the line.
    """
    with path.open("rb") as file:
        for line in bounded_lines(file, MOST_LINE):
            if line.too_long:
                if (found := CUSTOM_ID.search(line.data)) is not None:
                    error = f"the result has {line.size >> 20} MB, expected at most {MOST_REPLY >> 20} MB"
                    yield Result(found[1].decode(), None, error=error, too_large=True)
            elif line.data.strip():
                try:
                    yield form.result(line.data)
                except UnreadableReplyError:
                    continue


def checked_id(value: Any) -> str:
    """Return the id of a job or file.

    UnreadableReplyError is raised if ``value`` is not an id.
    """
    if not isinstance(value, str) or not ID.fullmatch(value):
        raise UnreadableReplyError("the body has no id")
    return value


def _id(told: dict[str, Any]) -> str:
    return checked_id(told.get("id"))


def _key(told: dict[str, Any]) -> str:
    key = told.get("custom_id")
    if not isinstance(key, str):
        raise UnreadableReplyError("a line of the results has no custom_id")
    return key


def _moment(told: Any) -> datetime:
    """Read a time stamp, in seconds or as ISO 8601.

    Without a valid time stamp, the present is returned, so that the job counts as new.
    """
    try:
        if isinstance(told, int | float):
            return datetime.fromtimestamp(told, UTC)
        found = datetime.fromisoformat(str(told))
        return found if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.now(UTC)

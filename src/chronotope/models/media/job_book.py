"""The book of jobs at generation services: what was intended, sent, finished and fetched, in lines that stay.

Each event of a job is one line of ``jobs.jsonl``, appended and forced to the disk before the next step, since a job can
cost more than a thousand calls. A line ends with the CRC-32 of what stands before. A torn last line is cut off when the
book is opened. Only one process at a time can open a book for writing.
"""

import json
import os
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chronotope.errors import InputError
from chronotope.io import refuse_links, remedy

HEADER = b'{"jobs":1}\n'
NAME = "jobs.jsonl"
MOST_BOOK = 256 << 20  # bytes
_SUM = re.compile(rb',"crc32":"([0-9a-f]{8})"\}')
_SUM_LENGTH = 20

Event = Literal["intended", "unsent", "refused", "ambiguous", "submitted", "done", "failed", "fetched", "released"]
Money = Annotated[float | None, Field(ge=0, le=1e6, allow_inf_nan=False)]


class JobEvent(BaseModel):
    """One event of a job.

    ``token`` is our name for the job, and ``key`` is that of the request. ``sent_as`` is the token that the service
    got, if it is that of an earlier job. ``price`` is the reserved maximum cost, and
    ``money`` the cost that is known. ``assets`` are the addresses of results; ``files`` are those of fetched results,
    with their SHA-256.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    token: str
    key: str
    name: str
    service: str
    event: Event
    sent_as: str | None = None
    at: str = ""
    job: str | None = None
    price: Money = None
    money: Money = None
    seed: int | None = None
    assets: list[str] = Field(default_factory=list[str])
    files: dict[str, str] = Field(default_factory=dict[str, str])
    facts: dict[str, Any] = Field(default_factory=dict[str, Any])
    told: str | None = None


@dataclass
class Job:
    """A job: its events in order."""

    events: list[JobEvent] = field(default_factory=list[JobEvent])

    @property
    def last(self) -> JobEvent:
        """Return the last event."""
        return self.events[-1]

    @property
    def token(self) -> str:
        """Return our name for the job."""
        return self.last.token

    @property
    def id(self) -> str | None:
        """Return the service's id of the job, or None."""
        return next((event.job for event in reversed(self.events) if event.job is not None), None)

    @property
    def state(self) -> Event:
        """Return the state of the job.

        An intention without a later event is ambiguous: the process ended between the request and its answer.
        """
        return "ambiguous" if self.last.event == "intended" else self.last.event

    @property
    def cost(self) -> float:
        """Return the cost of the job: what is known, or else what is reserved for it.

        A job that was never sent or was refused costs nothing. An ambiguous request may be billed, so its price counts,
        also if a person has released it to be sent again.
        """
        if self.state in ("unsent", "refused"):
            return 0.0
        price = next((event.price for event in reversed(self.events) if event.price is not None), None) or 0.0
        known = next((event.money for event in reversed(self.events) if event.money is not None), None)
        return price if known is None else known

    @property
    def sent_as(self) -> str:
        """Return the token that the service got, which can be that of a released job."""
        return self.last.sent_as or self.token


class JobBook:
    """A book of jobs that is open for writing, made by ``JobBook.open``."""

    def __init__(self, path: Path, file: int, events: Sequence[JobEvent]) -> None:
        self.path, self._file = path, file
        self.jobs: dict[str, Job] = {}  # by token, in the order of the first events
        for event in events:
            self.jobs.setdefault(event.token, Job()).events.append(event)

    @classmethod
    @contextmanager
    def open(cls, folder: Path) -> Iterator["JobBook"]:
        """Lock the book of a folder, cut off a torn last line, and yield the book.

        Raises:
            InputError: If another process has opened it, if it cannot be written, if it is not a book of jobs, or if a
                line is damaged, because the request of a lost line would be sent again.
        """
        from filelock import FileLock, Timeout  # importing takes 0.1 s

        path = folder / NAME
        lock = FileLock(path.with_name(f"{NAME}.lock"), timeout=0, thread_local=False)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            refuse_links(path, Path(lock.lock_file))
            lock.acquire()
        except Timeout:
            raise InputError(f"{folder}: another process generates into this folder: wait until it ends") from None
        except OSError as error:
            raise InputError(f"{path}: the book of jobs cannot be written ({error.strerror})") from error
        try:
            events, damaged, whole = _read(path)
            if damaged:
                raise InputError(
                    f"{path}: {damaged} {'line is' if damaged == 1 else 'lines are'} damaged, so requests that were "
                    "paid for could be sent again: restore the file, or use another folder"
                )
            try:
                file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0), 0o666)
            except OSError as error:
                raise InputError(f"{path}: the book of jobs cannot be written: {remedy(error)}") from error
            try:
                os.ftruncate(file, whole)
                if whole == 0:
                    os.write(file, HEADER)
                yield cls(path, file, events)
            finally:
                os.close(file)
        finally:
            lock.release()

    def add(self, event: JobEvent) -> Job:
        """Append an event; when the method returns, the event is on the disk.

        Raises:
            InputError: If it cannot be written. Nothing more should be sent then.
        """
        event = event.model_copy(update={"at": datetime.now(UTC).isoformat(timespec="milliseconds")})
        data = _encoded(event)
        start = os.fstat(self._file).st_size
        try:
            if os.write(self._file, data) != len(data):
                raise OSError(28, "the disk is full")
            os.fsync(self._file)
        except OSError as error:
            os.ftruncate(self._file, start)
            raise InputError(
                f"{self.path}: the state of a job cannot be written ({error.strerror}), so nothing more is sent: free "
                "disk space, and the same command continues"
            ) from error
        job = self.jobs.setdefault(event.token, Job())
        job.events.append(event)
        return job

    def of(self, key: str) -> list[Job]:
        """Return the jobs of a request, in their order."""
        return [job for job in self.jobs.values() if job.last.key == key]

    @property
    def spent(self) -> float:
        """Return the cost of all jobs, with what is reserved for those without an end."""
        return sum(job.cost for job in self.jobs.values())


def read_jobs(folder: Path) -> list[Job]:
    """Read the jobs of a folder without locking the book.

    Raises:
        InputError: If there is no book of jobs, or the file is another one.
    """
    path = folder / NAME
    if not path.exists():
        raise InputError(f"{folder}: has no {NAME}: name a folder with generated media")
    jobs: dict[str, Job] = {}
    for event in _read(path)[0]:
        jobs.setdefault(event.token, Job()).events.append(event)
    return list(jobs.values())


def _encoded(event: JobEvent) -> bytes:
    fields = {name: value for name, value in event.model_dump(mode="json").items() if value not in (None, [], {})}
    data = json.dumps(fields, ensure_ascii=True, separators=(",", ":")).encode()
    return b'%b,"crc32":"%08x"}\n' % (data[:-1], zlib.crc32(data[:-1]))


def _read(path: Path) -> tuple[list[JobEvent], int, int]:
    """Read a book: its events, its damaged lines, and its whole bytes.

    Raises:
        InputError: If the file is not a book of jobs, or is too large.
    """
    if not path.exists():
        return [], 0, 0
    if path.stat().st_size > MOST_BOOK:
        raise InputError(f"{path}: is larger than {MOST_BOOK >> 20} MB, too large for a book of jobs")
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    lines = data[:whole].splitlines(keepends=True)
    if (lines and lines[0] != HEADER) or (not lines and not HEADER.startswith(data)):
        raise InputError(f"{path}: is not a book of jobs: name another folder, or restore the file")
    events, damaged = list[JobEvent](), 0
    for line in lines[1:]:
        event = _decoded(line.rstrip(b"\n"))
        damaged += event is None
        events += [] if event is None else [event]
    return events, damaged, whole


def _decoded(raw: bytes) -> JobEvent | None:
    found = _SUM.fullmatch(raw[-_SUM_LENGTH:])
    if found is None or zlib.crc32(raw[:-_SUM_LENGTH]) != int(found[1], 16):
        return None
    try:
        return JobEvent.model_validate_json(raw[:-_SUM_LENGTH] + b"}")
    except ValidationError:
        return None

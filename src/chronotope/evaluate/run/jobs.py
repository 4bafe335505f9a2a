"""The batch jobs of a run, each with a file that is on the disk before the job is submitted.

After an interruption, the file still identifies the job. Its requests are therefore never paid for twice.
"""

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, ValidationError, field_validator

from chronotope.errors import InputError
from chronotope.io import read_json, refuse_links, write_atomically
from chronotope.io.fields import first_fault
from chronotope.ledger import MOST_TOKENS
from chronotope.models.services.batch.forms import ID

JOBS = "batches"  # the folder of the jobs in a run folder
JOB_SCHEMA = 1
MOST_JOB = 64 << 20  # bytes of the file of a job


class Requested(BaseModel):
    """One request of a job, with everything that the ledger line of its answer needs.

    ``pictures`` are SHA-256 hashes. ``tokens`` is the estimated number of input tokens.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    ask: str
    tokens: int = Field(ge=0, le=MOST_TOKENS)
    pictures: list[str] = Field(default_factory=list)


class Job(BaseModel):
    """A batch job.

    - ``tag`` is our name for the job. ``id`` is the service's id; it is None until the service has accepted the job.
    - ``begun`` is the time before the job was submitted (ISO 8601, UTC).
    - ``requests`` maps the keys of calls to requests. After the job has ended, ``requests`` is empty.
    - ``count`` is the number of requests.
    - ``ended`` means that all results are in the ledger.

    All fields are checked, because a run folder can come from a stranger: ``tag`` names a file, ``id`` is part of an
    address, and ``begun`` is compared with times of the service.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    schema_version: int = JOB_SCHEMA
    tag: str = Field(pattern="^[0-9a-f]{32}$")
    id: str | None = Field(default=None, pattern=f"^{ID.pattern}$")
    begun: str = Field(max_length=64)
    count: NonNegativeInt
    ended: bool = False
    requests: dict[str, Requested] = Field(default_factory=dict)

    @field_validator("begun")
    @classmethod
    def _check_begun(cls, begun: str) -> str:
        """Check that the time can be compared with other times.

        The time must have a time zone.
        """
        moment = datetime.fromisoformat(begun)
        if moment.tzinfo is None or not 2000 <= moment.year <= 9000:
            raise ValueError(f"{begun[:60]!r} is not the time when a job began, in ISO 8601 with a time zone")
        return begun


def submitted(requests: Mapping[str, Requested]) -> Job:
    """Make the record of a job that is about to be submitted."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Job(tag=uuid4().hex, begun=now, count=len(requests), requests=dict(requests))


def keep_job(folder: Path, job: Job) -> None:
    """Write the file of a job, and force it to the disk."""
    refuse_links(folder / JOBS)
    with write_atomically(job_file(folder, job)) as temporary, temporary.open("w", encoding="utf-8") as file:
        file.write(job.model_dump_json())
        file.flush()
        os.fsync(file.fileno())


def forget_job(folder: Path, job: Job) -> None:
    """Remove the file of a job that the service did not accept."""
    refuse_links(folder / JOBS)
    job_file(folder, job).unlink(missing_ok=True)


def all_jobs(folder: Path) -> list[Job]:
    """Read all jobs of a run folder, the oldest first.

    Raises:
        InputError: If a file of a job cannot be read, or the folder of the jobs is a link.
    """
    refuse_links(folder / JOBS)
    jobs = [_read(path) for path in (folder / JOBS).glob("*.json") if not path.name.startswith(".")]
    return sorted(jobs, key=lambda job: job.begun)


def open_jobs(folder: Path) -> list[Job]:
    """Read the jobs whose results are not in the ledger yet.

    Raises:
        InputError: If a file of a job cannot be read.
    """
    return [job for job in all_jobs(folder) if not job.ended]


def requests_file(folder: Path) -> Path:
    """Return the path of the requests of the next job."""
    return folder / JOBS / ".requests.jsonl"


def results_file(folder: Path) -> Path:
    """Return the path of the downloaded results of a job."""
    return folder / JOBS / ".results.jsonl"


def job_file(folder: Path, job: Job) -> Path:
    """Return the path of the file of a job."""
    return folder / JOBS / f"{job.tag}.json"


def _read(path: Path) -> Job:
    try:
        job = Job.model_validate(read_json(path, most=MOST_JOB))
        if path.name != f"{job.tag}.json":
            raise ValueError(f"the job in it has the tag {job.tag}, so the file must be named {job.tag}.json")
        return job
    except ValueError as error:
        told = first_fault(error) if isinstance(error, ValidationError) else str(error)
        raise InputError(
            f"{path}: is not the file of a batch job ({told}): restore it; without it, the requests of the job are "
            "paid for again"
        ) from None

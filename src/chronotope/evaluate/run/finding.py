"""The search for a batch job whose id is unknown, because the answer to its submission was lost.

OpenAI stores our name for a job, but Anthropic does not. With Anthropic, each new job with the same number of requests
is a candidate, and the keys of its results are compared with the keys of our job.
"""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from chronotope.errors import InputError
from chronotope.evaluate.run.jobs import Job, all_jobs, results_file
from chronotope.models import Say
from chronotope.models.services.batch.client import BatchClient
from chronotope.models.services.batch.forms import BatchWire, JobState, read_results

LOOKS, PAUSE = 25, 5.0  # number of searches, and s between two: a service may list a new job a minute late
LONGEST_PAUSE = 60.0  # s between two searches while a candidate has not ended
OLD = timedelta(minutes=5)  # the service surely lists jobs of this age
LONGEST_JOB = timedelta(hours=24)  # after this time, the services end a job
LONGEST_FETCH = timedelta(hours=1)  # for the results of a candidate that ended long ago
SKEW = timedelta(hours=1)  # maximum difference between our clock and the service's clock


def is_old(job: Job) -> bool:
    """Check whether the service must list an existing job by now.

    A job that began in the future was submitted before the clock of this machine was set back.
    """
    return abs(datetime.now(UTC) - datetime.fromisoformat(job.begun)) >= OLD


def _earliest(job: Job) -> datetime:
    """Return the earliest time at which a job was created."""
    begun, now = datetime.fromisoformat(job.begun), datetime.now(UTC)
    return (begun if begun <= now else now - LONGEST_JOB) - SKEW


async def find_job(
    client: BatchClient, form: BatchWire, folder: Path, job: Job, show: Callable[[str], None], say: Say | None
) -> JobState | None:
    """Find a submitted job at the service, or return None.

    A candidate whose results cannot be fetched is not our job. A candidate that has not ended is awaited for 24 hours
    from its creation.

    Raises:
        InputError: If the service does not list its jobs.
    """
    others = {one.id for one in all_jobs(folder)}
    looks, pause = 0, PAUSE
    while True:
        waits = False
        for state in await client.since(_earliest(job)):
            if state.tag == job.tag:
                return state
            if form.uploads or state.id in others or state.total != job.count:
                continue
            if not state.ended and datetime.now(UTC) < (until := state.created + LONGEST_JOB):
                waits = True
                show(
                    f"waiting for batch job {state.id}, which may be ours, until {until.astimezone():%Y-%m-%d %H:%M} "
                    f"at the latest: {state.done} of {state.total} done"
                )
            elif await _is_ours(client, form, folder, job, state, say):
                return state
            else:
                others.add(state.id)
        looks += 1
        if looks >= LOOKS and not waits:
            return None
        await asyncio.sleep(pause)
        pause = min(LONGEST_PAUSE, 1.5 * pause) if waits else PAUSE


async def _is_ours(
    client: BatchClient, form: BatchWire, folder: Path, job: Job, state: JobState, say: Say | None
) -> bool:
    """Check whether a candidate has results of our requests."""
    if not state.ended:
        if say is not None:
            say(f"batch job {state.id}, which may be ours, has not ended within 24 hours: it is no longer awaited")
        return False
    until = max(state.created + LONGEST_JOB, datetime.now(UTC) + LONGEST_FETCH)
    try:
        async with asyncio.timeout((until - datetime.now(UTC)).total_seconds()):
            await client.fetch(state, results_file(folder))
    except (InputError, TimeoutError):
        return False
    return any(result.key in job.requests for result in read_results(results_file(folder), form))

"""Worker processes that run the jobs of a build in parallel.

The workers end when their parent process ends. The workers ignore Ctrl-C, because the parent process handles it.
"""

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.util import Finalize
from pathlib import Path

from chronotope.errors import InputError
from chronotope.io import plain_refusal, remedy
from chronotope.make.jobs.part import PartJob, make_part
from chronotope.make.sources.origin import Tell

PULSE = 0.2  # seconds between two readings of the workers' progress messages


@dataclass(frozen=True)
class Ended:
    """The end of a job: the error, or None if the job succeeded.

    ``fingerprint`` is the fingerprint of the source before it was read, or None if it could not be taken.
    """

    fingerprint: str | None
    error: InputError | None


def run_jobs(
    jobs: list[PartJob], workers: int, tell: Callable[[PartJob, float, str], None]
) -> Iterator[tuple[PartJob, Ended]]:
    """Run jobs, and yield each finished job with its end.

    ``tell`` is called in this process with a job, its finished share (0 to 1), and the name of the current step. If the
    caller stops iterating, the workers end at once.

    Raises:
        InputError: If a worker process was killed.
    """
    if workers == 1:
        for job in jobs:
            yield job, _attempt(job, partial(tell, job))
        return
    # A forked process would inherit the locks of the caller's threads, so workers are spawned.
    context = multiprocessing.get_context("spawn")
    leave, hold = context.Pipe(duplex=False)
    hear, say = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(workers, context, initializer=_get_ready, initargs=(leave, say, workers))
    try:
        with _deaf_to_interruption():
            futures = _submit(pool, jobs)
        waiting = set(futures)
        while waiting:
            ended, waiting = wait(waiting, PULSE, FIRST_COMPLETED)
            while hear.poll():
                number, share, stage = hear.recv()
                tell(jobs[number], share, stage)
            for future in ended:
                yield futures[future], future.result()
    except BrokenProcessPool:
        raise InputError(
            "a worker process was killed, usually because memory ran out: run the same command again with --workers "
            "1; finished recordings are kept"
        ) from None
    except BaseException:
        hold.close()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        for end in (hold, leave, hear, say):
            end.close()


def _submit(pool: ProcessPoolExecutor, jobs: list[PartJob]) -> dict[Future[Ended], PartJob]:
    try:
        return {pool.submit(_work, number, job): job for number, job in enumerate(jobs)}
    # If a worker dies while other workers start, the pool closes its pipes, and the numbers of these pipes may be
    # reused for other files.
    except (OSError, ValueError) as error:
        raise BrokenProcessPool(str(error)) from error


_to_parent: list[Connection] = []  # in a worker: the pipe for its progress messages


def _get_ready(leave: Connection, say: Connection, workers: int) -> None:
    """Prepare this worker, and let it end when its parent ends.

    The worker ends when the parent closes ``leave`` or is killed. A worker without a parent would wait without end, or
    interfere with the next build.
    """
    _to_parent.append(say)
    # By default, each process that renders with OpenGL in software uses all cores.
    os.environ.setdefault("LP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // workers)))

    def watch() -> None:
        leave.poll(None)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    Finalize(None, _leave, exitpriority=_LAST)


_LAST = -1000  # the priority of a finalizer after all those of ``multiprocessing``


def _leave() -> None:
    """End this worker at once, except after an error.

    The parent waits for its workers, and Python needs 0.2 s to free all objects and modules one by one.
    """
    if sys.exc_info()[0] is None:  # otherwise, the traceback is printed after this
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(AttributeError, ValueError):  # it may be missing or closed
                stream.flush()
        os._exit(0)


@contextmanager
def _deaf_to_interruption() -> Iterator[None]:
    """Let processes that start inside this context ignore Ctrl-C.

    The parent process handles Ctrl-C and stops its workers, so the workers print no tracebacks.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(number: int, job: PartJob) -> Ended:
    # Workers share the pipe without a lock, because a killed worker would keep the lock. Short messages stay whole.
    return _attempt(job, lambda share, stage: _to_parent[0].send((number, share, stage)))


def _attempt(job: PartJob, tell: Tell) -> Ended:
    fingerprint: str | None = None
    try:
        fingerprint = job.origin.fingerprint()
        make_part(job, fingerprint, tell)
    except InputError as error:
        return Ended(fingerprint, error)
    except OSError as error:
        plain = plain_refusal(error)
        if plain.filename is None or Path(plain.filename).is_relative_to(job.folder.parent):
            raise  # the fault is in the benchmark's folder, not in this source
        return Ended(fingerprint, InputError(f"{plain.filename}: {plain.strerror}: {remedy(plain)}"))
    return Ended(fingerprint, None)

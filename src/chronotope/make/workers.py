"""Parts made side by side in worker processes that neither outlive their parent nor hear its Ctrl-C."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

from chronotope.errors import InputError
from chronotope.files import plain_refusal, remedy
from chronotope.make.part import PartJob, make_part

__all__ = ["run_jobs"]


def run_jobs(jobs: list[PartJob], workers: int) -> Iterator[tuple[PartJob, InputError | None]]:
    """Each job with the InputError that it ended in, as they end; one worker means this process.

    Whoever stops listening ends the workers at once. Raises InputError where something else ended one.
    """
    if workers == 1:
        for job in jobs:
            yield job, _attempt(job)
        return
    # Spawned, because a fork inherits the threads' locks of whatever the caller runs.
    context = multiprocessing.get_context("spawn")
    leave, hold = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(workers, context, initializer=_leave_with_parent, initargs=(leave, workers))
    try:
        with _deaf_to_interruption():
            futures = _submit(pool, jobs)
        for future in as_completed(futures):
            yield futures[future], future.result()
    except BrokenProcessPool:
        raise InputError(
            "a worker process was ended from outside, most often for want of memory: run the same command again "
            "with --workers 1; finished recordings are kept"
        ) from None
    except BaseException:
        hold.close()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        hold.close()
        leave.close()


def _submit(pool: ProcessPoolExecutor, jobs: list[PartJob]) -> dict[Future[InputError | None], PartJob]:
    try:
        return {pool.submit(_attempt, job): job for job in jobs}
    except OSError as error:  # a worker died while others were being started, and the pool closed its pipes
        raise BrokenProcessPool(str(error)) from error


def _leave_with_parent(leave: Connection, workers: int) -> None:
    """End this worker when the parent closes its end of the pipe, or is killed.

    A worker left alone would wait for work for ever, or write beside whoever goes on.
    """
    # OpenGL in software takes every core for each process unless it is told that there are others.
    os.environ.setdefault("LP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // workers)))

    def watch() -> None:
        leave.poll(None)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _deaf_to_interruption() -> Iterator[None]:
    """Processes started here do not hear Ctrl-C: their parent does, and tells them, without a traceback from each."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _attempt(job: PartJob) -> InputError | None:
    try:
        make_part(job)
    except InputError as error:
        return error
    except OSError as error:
        plain = plain_refusal(error)
        if plain.filename is None or Path(plain.filename).is_relative_to(job.folder.parent):
            raise  # about the place where the benchmark is made, not about this source
        return InputError(f"{plain.filename}: {plain.strerror}: {remedy(plain)}")
    return None

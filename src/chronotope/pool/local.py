"""Worker processes that run jobs in parallel.

The workers end when their parent process ends. The workers ignore Ctrl-C, because the parent process handles it.
"""

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from multiprocessing.connection import Connection
from multiprocessing.util import Finalize

from chronotope.errors import InputError
from chronotope.pool.units import PULSE, J, R, Tell

_AHEAD = 4  # jobs that wait for each worker: time and memory do not grow with the number of all jobs


@dataclass(frozen=True)
class Local:
    """Worker processes of this machine.

    ``workers`` is their number, by default one for each core. One worker is this process itself. ``kept`` states, for
    errors, what stays after a failure.
    """

    workers: int | None
    kept: str

    is_here = True

    @property
    def cores(self) -> int:
        """Return the largest number of jobs that run at one time."""
        return self.workers or os.cpu_count() or 1

    def run(
        self, function: Callable[[J, Tell], R], jobs: Sequence[J], tell: Callable[[J, float, str], None]
    ) -> Iterator[tuple[J, R]]:
        """Run jobs, and yield each finished job with its result.

        `Pool.run` describes the parameters.

        Raises:
            InputError: If a worker process was killed.
        """
        workers = min(self.cores, max(len(jobs), 1))
        if workers == 1:
            for job in jobs:
                yield job, function(job, partial(tell, job))
            return
        # A forked process would inherit the locks of the caller's threads, so workers are spawned.
        context = multiprocessing.get_context("spawn")
        leave, hold = context.Pipe(duplex=False)
        hear, say = context.Pipe(duplex=False)
        pool = ProcessPoolExecutor(workers, context, initializer=_get_ready, initargs=(leave, say, workers))
        try:
            queue = iter(enumerate(jobs))
            with _deaf_to_interruption():  # the first job starts all workers
                running = _submit(pool, function, islice(queue, workers * _AHEAD))
            while running:
                ended, _ = wait(running, PULSE, FIRST_COMPLETED)
                while hear.poll():
                    number, share, stage = hear.recv()
                    tell(jobs[number], share, stage)
                for future in ended:
                    job = running.pop(future)
                    running |= _submit(pool, function, islice(queue, 1))
                    yield job, future.result()
        except BrokenProcessPool:
            raise InputError(
                "a worker process was killed, usually because memory ran out: run the same command again with "
                f"--workers 1; {self.kept}"
            ) from None
        except BaseException:
            hold.close()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            for end in (hold, leave, hear, say):
                end.close()


def _submit(
    pool: ProcessPoolExecutor, function: Callable[[J, Tell], R], jobs: Iterable[tuple[int, J]]
) -> dict[Future[R], J]:
    try:
        return {pool.submit(_work, function, number, job): job for number, job in jobs}
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


def _work(function: Callable[[J, Tell], R], number: int, job: J) -> R:
    # Workers share the pipe without a lock, because a killed worker would keep the lock. Short messages stay whole.
    return function(job, lambda share, stage: _to_parent[0].send((number, share, stage)))

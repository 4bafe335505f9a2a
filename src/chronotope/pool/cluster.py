"""A Ray cluster that runs jobs, with the same results as worker processes of one machine."""

import os
import pickle
import shutil
import time
import uuid
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic

from chronotope import __version__
from chronotope.errors import InputError
from chronotope.io import write_atomically
from chronotope.pool.connection import connected, is_of_this_machine
from chronotope.pool.on_node import Finished, Unit, unpack
from chronotope.pool.units import (
    COUNTED,
    NOBODY,
    PATIENCE,
    PULSE,
    TOLD,
    TRIES,
    FolderJob,
    J,
    R,
    Tell,
    refuse_other_version,
)

_AHEAD = 2  # jobs in flight for each CPU of the cluster: memory does not grow with the number of all jobs


@dataclass(frozen=True)
class Cluster:
    """A Ray cluster: the one at ``address``, the one that RAY_ADDRESS names, or this machine alone.

    ``workers`` is the largest number of jobs at one time, by default one for each CPU. ``kept`` states, for errors,
    what stays after a failure.
    """

    address: str | None
    workers: int | None
    kept: str

    is_here = False

    @property
    def cores(self) -> int:
        """Return the largest number of jobs that run at one time: the CPUs of the cluster.

        Raises:
            InputError: If the cluster cannot be used, or no node has a CPU.
        """
        if self.workers is not None:
            return self.workers
        if is_of_this_machine(self.address):
            return os.cpu_count() or 1
        with connected(self.address, None) as ray:
            cpus = int(ray.cluster_resources().get("CPU", 0))
        if not cpus:
            raise InputError("no node of the Ray cluster has a CPU: let nodes join it, or give the number of workers")
        return cpus

    def run(
        self, function: Callable[[J, Tell], R], jobs: Sequence[J], tell: Callable[[J, float, str], None]
    ) -> Iterator[tuple[J, R]]:
        """Run jobs, and yield each finished job with its result.

        `Pool.run` describes the parameters. The jobs of lost workers and nodes run again on others.

        Raises:
            InputError: If the cluster cannot be used, a node has another version, or a job's workers are lost again
                and again.
        """
        if not jobs:
            return
        with connected(self.address, self.workers) as ray, _probe(jobs) as (probe, sign):
            running = _Running(ray, function, jobs, tell, self, probe, sign)
            try:
                yield from running.all()
            except (ray.exceptions.RaySystemError, ConnectionError) as error:
                raise InputError(f"the connection to the Ray cluster was lost ({error}); {self.kept}") from error
            finally:
                running.cancel()


@contextmanager
def _probe(jobs: Sequence[Any]) -> Iterator[tuple[Path | None, str]]:
    """Write a file beside the folders of jobs, by which a node finds whether it shares this disk."""
    if not isinstance(jobs[0], FolderJob):
        yield None, ""
        return
    sign = uuid.uuid4().hex
    place = jobs[0].folder.with_name(f".{sign}.partial")
    place.mkdir(parents=True)
    try:
        (place / "probe").write_text(sign, encoding="utf-8")
        yield place / "probe", sign
    finally:
        shutil.rmtree(place, ignore_errors=True)


@dataclass
class _Running(Generic[J, R]):
    """The jobs of one `Cluster.run`: waiting, in flight, and lost."""

    ray: Any
    function: Callable[[J, Tell], R]
    jobs: Sequence[J]
    tell: Callable[[J, float, str], None]
    pool: Cluster
    probe: Path | None
    sign: str
    in_flight: dict[Any, int] = field(default_factory=dict[Any, int])
    lost: Counter[int] = field(default_factory=Counter[int])
    cpus: int = 0
    counted: float = float("-inf")
    has_begun: bool = False
    since: float | None = None  # the time since which no worker could work

    def all(self) -> Iterator[tuple[J, R]]:
        """Run all jobs, and yield each finished job with its result."""
        do, board = _remote_unit(self.ray), _Board(self.ray)
        queue = deque(range(len(self.jobs)))
        try:
            while queue or self.in_flight:
                self._count()
                while queue and len(self.in_flight) < self._room():
                    number = queue.popleft()
                    self.in_flight[do.remote(self._pack(number), __version__, number, board.actor)] = number
                ready, _ = self.ray.wait(list(self.in_flight), num_returns=1, timeout=PULSE)
                for number, (share, stage) in (news := board.told()).items():
                    self.tell(self.jobs[number], share, stage)
                self._wait_for_workers(has_news=bool(ready or news))
                for ref in ready:
                    number = self.in_flight.pop(ref)
                    if (finished := self._get(ref, number)) is None:
                        queue.appendleft(number)
                        continue
                    place(finished, self.jobs[number])
                    yield self.jobs[number], finished.result
                    del finished  # its archive
        finally:
            board.end()

    def _room(self) -> int:
        """Return the largest number of jobs in flight."""
        return self.pool.workers or _AHEAD * max(1, self.cpus)

    def _count(self) -> None:
        """Count the CPUs of the cluster, from time to time."""
        if time.monotonic() - self.counted < COUNTED:
            return
        before, self.counted = self.cpus, time.monotonic()
        self.cpus = int(self.ray.cluster_resources().get("CPU", 0))
        if self.cpus and not before:
            self.since = None  # nodes have joined: their workers have time to begin

    def _wait_for_workers(self, *, has_news: bool) -> None:
        """Tell the user after a while that no node can run jobs.

        Raises:
            InputError: If none can for a long time.
        """
        self.has_begun = self.has_begun or has_news
        if self.cpus and self.has_begun:
            self.since = None
            return
        self.since = self.since or time.monotonic()
        waited = time.monotonic() - self.since
        if waited >= PATIENCE:
            why = "no worker of the Ray cluster has begun" if self.cpus else "no node of the Ray cluster has had a CPU"
            fix = "wait until the cluster is free" if self.cpus else "let nodes with CPUs join it"
            raise InputError(f"{why} for {PATIENCE:g} s (each job needs 1 CPU): {fix}; {self.pool.kept}")
        if waited >= TOLD:
            words = NOBODY if self.cpus else "no node of the Ray cluster has a CPU, so this waits for other nodes"
            self.tell(self.jobs[next(iter(self.in_flight.values()), 0)], 0.0, words)

    def _pack(self, number: int) -> bytes:
        return pickle.dumps(Unit(self.function, self.jobs[number], os.getcwd(), self.probe, self.sign))  # noqa: PTH109

    def _get(self, ref: Any, number: int) -> Finished | None:
        """Return a finished job, or None if its worker was lost.

        Raises:
            InputError: If a worker has another version, or if too many workers of this job were lost.
        """
        errors = self.ray.exceptions
        try:
            host, version, python, finished = self.ray.get(ref)
        except errors.RayTaskError as error:
            raise error.cause or error from error
        except (errors.RaySystemError, errors.TaskCancelledError):
            raise
        except errors.RayError as error:
            self.lost[number] += 1
            if self.lost[number] < TRIES:
                return None
            raise InputError(
                f"{TRIES} workers of the cluster were lost over one job, usually because memory ran out "
                f"({str(error).splitlines()[0]}): give each node more memory, or fewer CPUs; {self.pool.kept}"
            ) from error
        if finished is None:
            refuse_other_version(host, version, python)
        return finished

    def cancel(self) -> None:
        """End the jobs that are still in flight."""
        for ref in self.in_flight:
            with suppress(Exception):
                self.ray.cancel(ref, force=True)


def place(finished: Finished, job: Any) -> None:
    """Move the folder of a finished job to its place."""
    if finished.name is not None:
        job.folder.with_name(finished.name).replace(job.folder)
    elif finished.archive is not None:
        with write_atomically(job.folder) as folder:
            unpack(finished.archive, folder)


def _remote_unit(ray: Any) -> Any:
    """Return the task of a node.

    The inner function travels as code, so that it can tell that the node's Chronotope is missing or another version.
    """

    def do(packed: bytes, wanted: str, number: int, board: Any) -> tuple[str, str | None, str, Any]:
        import platform
        import socket

        python = platform.python_version()
        try:
            from chronotope import __version__ as found
        except ImportError:
            found = None
        if found != wanted:
            return socket.gethostname(), found, python, None
        from chronotope.pool.on_node import do_unit

        board.tell.remote(number, 0.0, "begins")
        finished = do_unit(packed, lambda share, stage: board.tell.remote(number, share, stage))
        return socket.gethostname(), found, python, finished

    return ray.remote(num_cpus=1, max_retries=0, scheduling_strategy="SPREAD")(do)


class _Board:
    """An actor on this node that collects the progress messages of all workers."""

    def __init__(self, ray: Any) -> None:
        class Board:
            def __init__(self) -> None:
                self.news: dict[int, tuple[float, str]] = {}

            def tell(self, number: int, share: float, stage: str) -> None:
                self.news[number] = share, stage

            def take(self) -> dict[int, tuple[float, str]]:
                news, self.news = self.news, {}
                return news

        here = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
            ray.get_runtime_context().get_node_id(), soft=True
        )
        self.ray, self.asked = ray, None
        self.actor = ray.remote(num_cpus=0, max_restarts=-1, scheduling_strategy=here)(Board).remote()

    def told(self) -> dict[int, tuple[float, str]]:
        """Return the news, without waiting for them: progress is not worth a delay."""
        news: dict[int, tuple[float, str]] = {}
        if self.asked is not None:
            if not self.ray.wait([self.asked], timeout=0)[0]:
                return news
            with suppress(self.ray.exceptions.RayError):  # its node may be lost
                news = self.ray.get(self.asked)
        self.asked = self.actor.take.remote()
        return news

    def end(self) -> None:
        """End the actor."""
        with suppress(Exception):
            self.ray.kill(self.actor)

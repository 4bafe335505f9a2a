"""Workers of a Ray cluster that each keep one object in memory, such as a model with its weights."""

import asyncio
import os
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from math import ceil
from time import monotonic
from typing import Any

from chronotope.errors import InputError
from chronotope.pool.connection import connected
from chronotope.pool.units import COUNTED, NOBODY, PATIENCE, TOLD, TRIES, refuse_other_version


class LostError(Exception):
    """The error for a call whose worker was lost; another worker can make the call."""


@dataclass(eq=False)
class Actor:
    """One worker; ``handle`` is Ray's, and ``is_lost`` states that it does not answer any more."""

    handle: Any
    is_lost: bool = False
    has_begun: bool = False


class Actors:
    """Workers that each make one object, and then call its methods.

    ``make`` travels to the workers and makes the object there. There is one worker for each GPU of the cluster if
    ``on_gpus`` is true and the cluster has GPUs, and otherwise one for each node. ``workers`` is another number.
    Workers of new nodes join, and lost workers are replaced. ``address`` is as in `Cluster`, and ``kept`` states, for
    errors, what stays after a failure. After `close`, the workers can start again.
    """

    def __init__(
        self, address: str | None, workers: int | None, make: Callable[[], object], *, on_gpus: bool, kept: str
    ) -> None:
        self._address, self._workers, self._make, self._kept = address, workers, make, kept
        self._on_gpus = on_gpus
        self._reset()

    def _reset(self) -> None:
        self._ray: Any = None
        self._connection = ExitStack()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="ray")
        self._all: list[Actor] = []
        self._free: list[Actor] = []
        self._changed = asyncio.Condition()
        self._starting = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._error: InputError | None = None
        self._failed = 0  # workers in a row that were lost while they made their object
        self._since: float | None = None  # the time since which no worker has begun

    @property
    def trouble(self) -> str | None:
        """Return a sentence if no worker of the cluster is there, or None."""
        if self._since is None or monotonic() - self._since < TOLD:
            return None
        return NOBODY

    async def take(self) -> Actor:
        """Wait for a free worker, and reserve it until `give`.

        Raises:
            InputError: If the cluster cannot be used, or a worker cannot make its object.
        """
        async with self._starting:
            if self._ray is None:
                await self._sync(self._connect)
                self._since = monotonic()
                self._begin(self._watch())
        async with self._changed:
            await self._changed.wait_for(lambda: self._free or self._error is not None)
            if self._error is not None:
                raise self._error
            return self._free.pop()

    async def give(self, actor: Actor) -> None:
        """Let others use a worker."""
        async with self._changed:
            if not actor.is_lost:
                self._free.append(actor)
                self._changed.notify()

    async def call(self, actor: Actor, method: str, *given: Any) -> Any:
        """Call a method of a worker's object.

        LostError is raised if the worker is lost.
        """
        return await self._result(actor, "call", method, *given)

    def send(self, actor: Actor, method: str, *given: Any) -> None:
        """Call a method after all calls before, without waiting for it."""
        with suppress(RuntimeError):  # closed meanwhile
            self._thread.submit(self._remote, actor, "call", method, *given)

    async def close(self) -> None:
        """End all workers, and the connection."""
        tasks, self._tasks = self._tasks, set()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._sync(self._end)
        self._thread.shutdown()
        self._reset()

    def _connect(self) -> None:
        self._ray = self._connection.enter_context(connected(self._address, self._workers))

    def _end(self) -> None:
        for actor in self._all:
            with suppress(Exception):
                self._ray.kill(actor.handle)
        self._connection.close()

    def _begin(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _sync(self, function: Callable[..., Any], *given: Any) -> Any:
        """Call a function of Ray, all of which run in one thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, function, *given)

    async def _watch(self) -> None:
        """Start workers as long as there are fewer than the cluster can have."""
        while True:
            try:
                number, needs = await self._sync(self._wanted)
                for _ in range(number - len(self._all)):
                    actor = Actor(await self._sync(_start, self._ray, needs))
                    self._all.append(actor)
                    self._begin(self._get_ready(actor))
            except Exception as error:  # noqa: BLE001 - Ray's client raises errors of many classes
                return await self._fail(self._disconnected(error))
            if self._since is not None and monotonic() - self._since > PATIENCE:
                await self._fail(
                    InputError(
                        f"no worker of the Ray cluster has begun for {PATIENCE:g} s (each needs {_words(needs)}): wait "
                        f"until the cluster is free, or give --workers N; {self._kept}"
                    )
                )
            await asyncio.sleep(COUNTED)

    def _wanted(self) -> tuple[int, dict[str, float]]:
        """Return the number of workers, and the resources that each of them needs."""
        nodes = [node["Resources"] for node in self._ray.nodes() if node["Alive"]]
        gpus = sum(int(node.get("GPU", 0)) for node in nodes)
        if self._on_gpus and gpus:
            return min(self._workers or gpus, gpus), {"num_gpus": 1, "num_cpus": 0}
        cpus = [count for node in nodes if (count := int(node.get("CPU", 0)))]
        number = self._workers or len(cpus)
        if not cpus:
            return 0, {"num_cpus": 1}
        each = ceil(number / len(cpus))  # workers of one node, which share its CPUs
        return number, {"num_cpus": max(1, min(count // each for count in cpus))}

    async def _get_ready(self, actor: Actor) -> None:
        """Let a new worker make its object, and offer it."""
        try:
            refuse_other_version(*await self._result(actor, "greet"))
            actor.has_begun, self._since = True, None
            await self._result(actor, "make", pickle.dumps(self._make), os.getcwd())  # noqa: PTH109
        except LostError as error:
            self._failed += actor.has_begun
            if self._failed >= TRIES:
                await self._fail(
                    InputError(
                        f"{TRIES} workers of the cluster were lost before they were ready, usually because memory ran "
                        f"out ({error}): give each node more memory, or --workers fewer; {self._kept}"
                    )
                )
        except InputError as error:
            await self._fail(error)
        else:
            self._failed = 0
            await self.give(actor)

    async def _fail(self, error: InputError) -> None:
        async with self._changed:
            self._error = self._error or error
            self._changed.notify_all()

    def _disconnected(self, error: Exception) -> InputError:
        return InputError(f"the connection to the Ray cluster was lost ({error}); {self._kept}")

    def _remote(self, actor: Actor, method: str, *given: Any) -> Any:
        return getattr(actor.handle, method).remote(*given)

    async def _result(self, actor: Actor, method: str, *given: Any) -> Any:
        """Call a method of Ray's actor.

        LostError is raised if the worker is lost.

        Raises:
            InputError: If the method raises it, or the connection to the cluster is lost.
        """
        errors = self._ray.exceptions
        try:
            ref = await self._sync(self._remote, actor, method, *given)
            return await asyncio.shield(asyncio.wrap_future(ref.future()))
        except errors.RayTaskError as error:
            raise error.cause or error from error
        except (errors.RaySystemError, ConnectionError) as error:
            raise self._disconnected(error) from error
        except errors.RayError as error:
            actor.is_lost = True
            if actor in self._all:
                self._all.remove(actor)
            raise LostError(str(error).splitlines()[0]) from error


def _words(needs: dict[str, float]) -> str:
    return " and ".join(f"{count:g} {name.removeprefix('num_')[:3].upper()}" for name, count in needs.items() if count)


def _start(ray: Any, needs: dict[str, float]) -> Any:
    """Start a worker.

    The class travels as code, so that it can tell that the node's Chronotope is missing or another version.
    """

    class Worker:
        def greet(self) -> tuple[str, str | None, str]:
            import platform
            import socket

            try:
                from chronotope import __version__ as found
            except ImportError:
                found = None
            return socket.gethostname(), found, platform.python_version()

        def make(self, packed: bytes, place: str) -> None:
            from chronotope.pool.on_node import made

            self.kept = made(packed, place)

        def call(self, method: str, *given: Any) -> Any:
            return getattr(self.kept, method)(*given)

    how = {"max_restarts": 0, "max_task_retries": 0, "scheduling_strategy": "SPREAD", **needs}
    return ray.remote(**how)(Worker).remote()

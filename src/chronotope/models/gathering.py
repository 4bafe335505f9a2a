"""Gather calls that are made at the same time, so that a function can answer them together."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

PAUSE = 0.05  # seconds without a new call, after which an incomplete batch is answered

Prompt = TypeVar("Prompt")
Reply = TypeVar("Reply")


class Gatherer(Generic[Prompt, Reply]):
    """Collects single calls into batches of at most ``size``, each answered by one call of ``answer``.

    At most ``at_once`` batches are answered at the same time. A batch is complete if it has ``size`` calls, or if no
    further call has arrived for ``PAUSE`` seconds. If ``answer`` raises an exception, or returns another number of
    replies, each call of the batch raises the exception.
    """

    def __init__(self, answer: Callable[[list[Prompt]], Awaitable[Sequence[Reply]]], size: int, at_once: int) -> None:
        self._answer, self._size = answer, size
        self._waiting: list[tuple[Prompt, asyncio.Future[Reply]]] = []
        self._free = asyncio.Semaphore(at_once)
        self._timer: asyncio.TimerHandle | None = None
        self._batches: set[asyncio.Task[None]] = set()  # the event loop keeps only weak references

    async def ask(self, prompt: Prompt) -> Reply:
        """Return the reply to one call, which may wait for others."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Reply] = loop.create_future()
        self._waiting.append((prompt, future))
        if self._timer is not None:
            self._timer.cancel()
        if len(self._waiting) >= self._size:
            self._start()
        else:
            self._timer = loop.call_later(PAUSE, self._start)
        return await future

    def _start(self) -> None:
        task = asyncio.ensure_future(self._next())
        self._batches.add(task)
        task.add_done_callback(self._batches.discard)

    async def _next(self) -> None:
        """Answer the calls that have waited longest; cancelled calls are left out."""
        async with self._free:
            self._waiting = [one for one in self._waiting if not one[1].done()]
            batch, self._waiting = self._waiting[: self._size], self._waiting[self._size :]
            if not batch:
                return
            try:
                replies = await self._answer([prompt for prompt, _ in batch])
            except BaseException as error:  # noqa: BLE001 - raised by each call of the batch
                for _, future in batch:
                    if not future.done():
                        future.set_exception(error)
                return
            for (_, future), reply in zip(batch, replies, strict=True):
                if not future.done():
                    future.set_result(reply)

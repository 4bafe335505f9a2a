"""How many requests an endpoint has in flight: more while it keeps up, fewer when it says that it has too many."""

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from statistics import fmean

__all__ = ["Window"]

START = 16  # requests in flight before anything is known of the service
SLOWED = 1.5  # times the mean of the first answers: what is sent now may wait in the service's own queue


class Window:
    """At most ``size`` requests at once, 16 at first.

    Each answer makes room for one more, which doubles the window per round trip, until the service is overloaded for
    the first time. That halves the window; from then on a whole windowful of answers makes room for one more. An answer
    that took half as long again as the first 16 did on average makes no room: a service that works at one request after
    another would otherwise be sent more than it can answer in time.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.limit = float(min(START, size))
        self.busy = 0
        self._urgent: deque[asyncio.Future[None]] = deque()
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._first: list[float] = []  # s, of the first answers
        self._was_overloaded = False
        self._halved_at = -math.inf
        self._closed_until = -math.inf

    @asynccontextmanager
    async def place(self, *, urgent: bool = False) -> AsyncIterator[float]:
        """Wait for a place and for the end of a pause the service asked for; yields the loop's time of entry.

        Urgent waiters come before all others; among themselves, and among the others, the first comes first.
        """
        await self._take(self._urgent if urgent else self._waiting)
        try:
            loop = asyncio.get_running_loop()
            while (pause := self._closed_until - loop.time()) > 0:
                await asyncio.sleep(pause)
            yield loop.time()
        finally:
            self._give_back()

    def answered(self, seconds: float) -> None:
        """The service kept up: its answer took ``seconds`` from entry to last byte."""
        if len(self._first) < START:
            self._first.append(seconds)
        if seconds <= SLOWED * fmean(self._first):
            more = 1 / self.limit if self._was_overloaded else 1.0
            self.limit = min(float(self.size), self.limit + more)

    def overloaded(self, entered: float, pause: float | None) -> None:
        """The service did not keep up with a request that entered at ``entered``; nothing is sent for ``pause`` s.

        Requests that were in flight together are told together: only the first of them halves the window.
        """
        now = asyncio.get_running_loop().time()
        self._was_overloaded = True
        if entered > self._halved_at:
            self.limit = max(1.0, self.limit / 2)
            self._halved_at = now
        self._closed_until = max(self._closed_until, now + (pause or 0))

    async def _take(self, queue: deque[asyncio.Future[None]]) -> None:
        if not self._urgent and not self._waiting and self.busy < int(self.limit):
            self.busy += 1
            return
        future = asyncio.get_running_loop().create_future()
        queue.append(future)
        try:
            await future  # whoever leaves counts us in
        except asyncio.CancelledError:
            if not future.cancelled():
                self._give_back()
            elif future in queue:
                queue.remove(future)
            raise

    def _give_back(self) -> None:
        self.busy -= 1
        while (queue := self._urgent or self._waiting) and self.busy < int(self.limit):
            future = queue.popleft()
            if not future.done():
                self.busy += 1
                future.set_result(None)

"""How many requests an endpoint has in flight: fewer when it says that it has too many, slowly more when it answers."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

__all__ = ["Window"]


class Window:
    """At most ``size`` requests at once: halved when the service is overloaded, one more per windowful of answers."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.limit = float(size)
        self.busy = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._halved_at = float("-inf")
        self._closed_until = float("-inf")

    @asynccontextmanager
    async def place(self) -> AsyncIterator[float]:
        """Wait for a place and for the end of a pause the service asked for; yields the loop's time of entry."""
        await self._take()
        try:
            loop = asyncio.get_running_loop()
            while (pause := self._closed_until - loop.time()) > 0:
                await asyncio.sleep(pause)
            yield loop.time()
        finally:
            self._give_back()

    def answered(self) -> None:
        """The service kept up."""
        self.limit = min(float(self.size), self.limit + 1 / self.limit)

    def overloaded(self, entered: float, pause: float | None) -> None:
        """The service did not keep up with a request that entered at ``entered``; nothing is sent for ``pause`` s.

        Requests that were in flight together are told together: only the first of them halves the window.
        """
        now = asyncio.get_running_loop().time()
        if entered > self._halved_at:
            self.limit = max(1.0, self.limit / 2)
            self._halved_at = now
        self._closed_until = max(self._closed_until, now + (pause or 0))

    async def _take(self) -> None:
        if not self._waiting and self.busy < int(self.limit):
            self.busy += 1
            return
        future = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        try:
            await future  # whoever leaves counts us in
        except asyncio.CancelledError:
            if not future.cancelled():
                self._give_back()
            elif future in self._waiting:
                self._waiting.remove(future)
            raise

    def _give_back(self) -> None:
        self.busy -= 1
        while self._waiting and self.busy < int(self.limit):
            future = self._waiting.popleft()
            if not future.done():
                self.busy += 1
                future.set_result(None)

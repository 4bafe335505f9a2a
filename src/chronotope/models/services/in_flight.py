"""The control of the number of requests in flight.

The number increases while the endpoint answers in time, and decreases otherwise.
"""

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from statistics import fmean

from chronotope.models.model import StoppedError

WAIT = 20.0  # seconds to wait for the service's first response
START = 20  # requests in flight at the start
GROWTH = 2.0  # additional requests for each answer, before the first overload
SLOWED = 1.5  # maximum time of an answer, as a multiple of the first answers' mean time; slower ones may be queued


@dataclass
class Gate:
    """A switch that is checked before each attempt of an ask.

    If the gate of an ask is shut, the ask is not sent. ``why`` is the reason, if the reason is known.
    """

    shut: bool = False
    why: str | None = None


class Window:
    """A limit on the number of requests in flight, which adapts to the service.

    The window begins with 20 requests, and has at most ``size`` requests. Until the first overload, each answer makes
    room for two more requests, so that the window triples in each round trip. An overload halves the window. After the
    first overload, a full window of answers makes room for one more request. An answer does not increase the window if
    its time exceeds 1.5 times the mean time of the first 20 answers. Otherwise, a service that works on one request at
    a time would get more requests than it can answer in time.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.limit = float(min(START, size))
        self.busy = 0  # used places of the window, including asks that wait for the end of a pause
        self.gate = Gate()  # the gate of new asks
        self._urgent: deque[asyncio.Future[bool]] = deque()
        self._waiting: deque[asyncio.Future[bool]] = deque()
        self._in_flight = 0
        self._holding = 0
        self._changed = asyncio.Event()  # set at the next change of the window, and then replaced by a new event
        self._first: list[float] = []  # durations (s) of the first answers
        self._was_overloaded = False
        self._halved_at = -math.inf
        self._closed_until = -math.inf

    @asynccontextmanager
    async def place(self, *, urgent: bool = False, gate: Gate | None = None) -> AsyncIterator[float]:
        """Wait until a request can be sent.

        The method waits for room in the window, and for the end of a pause that the service asked for. Yields the time
        at which the request enters, by the clock of the event loop. Urgent asks enter before all other asks. All others
        enter in the order of arrival. StoppedError is raised immediately if the gate is shut while the ask is waiting.
        """
        gate = gate or self.gate
        await self._take(self._urgent if urgent else self._waiting, gate)
        try:
            loop = asyncio.get_running_loop()
            while not gate.shut and (self._holding or loop.time() < self._closed_until):
                await self._change(None if self._holding else self._closed_until)
            if gate.shut:
                raise StoppedError
            self._in_flight += 1
            try:
                yield loop.time()
            finally:
                self._in_flight -= 1
                if self._holding and not self._in_flight:
                    self._tell()
        finally:
            self._give_back()

    async def rest(self, seconds: float, gate: Gate) -> None:
        """Sleep for ``seconds``, or until the gate is shut."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while not gate.shut and loop.time() < end:
            await self._change(end)

    async def quiet(self) -> None:
        """Admit no ask until all requests in flight have ended.

        An ask that has entered, but waits before its request is sent, is not in flight.
        """
        self._holding += 1
        try:
            while self._in_flight:
                await self._change(None)
        finally:
            self._holding -= 1
            if not self._holding:
                self._tell()

    def shut(self, gate: Gate, why: str | None = None) -> None:
        """Shut a gate, so that all asks with this gate are refused.

        Requests in flight can still end. If a reason is given, the next ask has a new, open gate; otherwise no further
        ask is sent.
        """
        if gate.shut:
            return
        gate.shut, gate.why = True, why
        for queue in (self._urgent, self._waiting):
            while queue:
                future = queue.popleft()
                if not future.done():
                    future.set_result(False)
        if why is not None:
            self.gate = Gate()
        self._tell()

    def answered(self, seconds: float) -> None:
        """Record that the service answered in time.

        ``seconds`` is the time from the entry of the request to the last byte of the answer.
        """
        if len(self._first) < START:
            self._first.append(seconds)
        if seconds <= SLOWED * fmean(self._first):
            more = 1 / self.limit if self._was_overloaded else GROWTH
            self.limit = min(float(self.size), self.limit + more)

    def overloaded(self, entered: float, pause: float | None) -> None:
        """Record that the service is overloaded; pause for ``pause`` s.

        ``entered`` is the time at which the request entered. Of several requests that were in flight together, only the
        first overload halves the window.
        """
        now = asyncio.get_running_loop().time()
        self._was_overloaded = True
        if entered > self._halved_at:
            self.limit = max(1.0, self.limit / 2)
            self._halved_at = now
        self._closed_until = max(self._closed_until, now + (pause or 0))

    def _tell(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def _change(self, until: float | None) -> None:
        """Wait for a change of the window, or until a time.

        ``until`` is a time of the event loop's clock.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout_at(until):
                await self._changed.wait()

    async def _take(self, queue: deque[asyncio.Future[bool]], gate: Gate) -> None:
        if gate.shut:
            raise StoppedError
        if not self._urgent and not self._waiting and self.busy < int(self.limit):
            self.busy += 1
            return
        future = asyncio.get_running_loop().create_future()
        queue.append(future)
        try:
            is_given = await future  # the ask that made room has already counted this ask
        except asyncio.CancelledError:
            if not future.cancelled() and future.result():
                self._give_back()
            elif future in queue:
                queue.remove(future)
            raise
        if not is_given:
            raise StoppedError

    def _give_back(self) -> None:
        self.busy -= 1
        while (queue := self._urgent or self._waiting) and self.busy < int(self.limit):
            future = queue.popleft()
            if not future.done():
                self.busy += 1
                future.set_result(True)

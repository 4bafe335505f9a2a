"""The limit on the number of groups that are processed at the same time.

Two things limit this number: the memory, and the size of the service's prefix cache.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from chronotope.evaluate.run.groups import Group

# Limit on the estimated bytes of encoded pictures in memory; a run needs about 110 MB besides them.
BYTES_IN_MEMORY = 160_000_000
# Limit on the number of active sets with a shared prefix. Each set needs its prefix in the service's cache from its
# first to its last answer. With more sets than the cache can store, no prefix would ever be found there.
PREFIXES = 8


class Room:
    """Admits groups in order, as long as there is room for them.

    A group that is larger than the limits is admitted alone. ``asks`` is the limit on the asks of each server, and
    ``servers`` the number of servers, each of which has its own prefix cache.
    """

    def __init__(self, asks: int, servers: int = 1) -> None:
        self._most_asks, self._most_prefixes = asks * servers, PREFIXES * servers
        self._asks = self._bytes = self._prefixes = 0
        self._left = asyncio.Event()
        self._at_work = asyncio.Semaphore(self._most_prefixes)

    async def enter(self, group: Group) -> None:
        """Wait until there is room for a group."""
        while self._asks and not self._holds(group):
            self._left.clear()
            await self._left.wait()
        self._asks += len(group.calls)
        self._bytes += group.bytes
        self._prefixes += group.prefixes

    def leave(self, group: Group) -> None:
        """Free the room that a group used."""
        self._asks -= len(group.calls)
        self._bytes -= group.bytes
        self._prefixes -= group.prefixes
        self._left.set()

    @asynccontextmanager
    async def prefix(self, shared: bool) -> AsyncIterator[None]:
        """Limit the number of sets that use the prefix cache together.

        A set with a shared prefix waits until fewer than ``PREFIXES`` such sets for each server are processed. A set
        without a shared prefix does not wait.
        """
        if not shared:
            yield
            return
        async with self._at_work:
            yield

    def _holds(self, group: Group) -> bool:
        if group.prefixes and self._prefixes >= self._most_prefixes:
            return False
        return self._asks < self._most_asks and self._bytes + group.bytes <= BYTES_IN_MEMORY

"""The number of groups that are processed at the same time.

Memory and the service's prefix cache limit it.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from chronotope.evaluate.run.groups import Group

__all__ = ["Room"]

# Of encoded pictures at work, as estimated: what a run takes beside them is some 110 MB.
BYTES_IN_MEMORY = 160_000_000
# Sets at work whose prompts begin with the same pictures. Each holds one prefix in the service's cache from its first
# answer to its last; with more of them than the cache holds, none would ever be found there.
PREFIXES = 8


class Room:
    """Admit groups in order; a group that is too large runs alone."""

    def __init__(self, asks: int) -> None:
        self._most_asks = asks
        self._asks = self._bytes = self._prefixes = 0
        self._left = asyncio.Event()
        self._at_work = asyncio.Semaphore(PREFIXES)

    async def enter(self, group: Group) -> None:
        """Wait until there is room."""
        while self._asks and not self._holds(group):
            self._left.clear()
            await self._left.wait()
        self._asks += len(group.calls)
        self._bytes += group.bytes
        self._prefixes += group.prefixes

    def leave(self, group: Group) -> None:
        """Make room."""
        self._asks -= len(group.calls)
        self._bytes -= group.bytes
        self._prefixes -= group.prefixes
        self._left.set()

    @asynccontextmanager
    async def prefix(self, shared: bool) -> AsyncIterator[None]:
        """Wait for one of the places for sets with a shared prefix.

        A set without a shared prefix needs no place.
        """
        if not shared:
            yield
            return
        async with self._at_work:
            yield

    def _holds(self, group: Group) -> bool:
        if group.prefixes and self._prefixes >= PREFIXES:
            return False
        return self._asks < self._most_asks and self._bytes + group.bytes <= BYTES_IN_MEMORY

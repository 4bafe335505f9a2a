"""Where the questions of a model in this process are answered: one group of questions at a time at each desk."""

from asyncio import Lock, get_running_loop
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

from chronotope.models.model import PictureBytes
from chronotope.models.services.availability import Trouble
from chronotope.models.transformers.answers import Answered, ClipAnswers, Sharing
from chronotope.models.transformers.decoding import Wanted
from chronotope.models.transformers.local import LocalModel
from chronotope.protocol import Part

Prompts = Sequence[tuple[Sequence[Part], Wanted]]


class Clip(Protocol):
    """The questions of one group, which show the same media (see `ClipAnswers`)."""

    async def answer(self, prompts: Prompts) -> Sequence[Answered]:
        """Answer some prompts together, in their order."""
        ...

    async def close(self) -> None:
        """Drop the prefix."""
        ...


class Desk(Protocol):
    """One copy of the weights."""

    def clip(self, prefix: Sequence[Part], pictures: PictureBytes) -> Clip:
        """Begin with a group whose prompts have a common prefix."""
        ...


class Desks(Protocol):
    """All copies of the weights.

    ``batch`` is the largest number of prompts that are answered together. ``servers`` is the number of servers that do
    as much at one time (see `Limits`).
    """

    servers: int

    @property
    def batch(self) -> int:
        """Return the largest number of prompts that are answered together."""
        ...

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return sentences about the run for the user."""
        ...

    def desk(self) -> AbstractAsyncContextManager[Desk]:
        """Wait for a free desk, and keep it."""
        ...

    def trouble(self) -> Trouble | None:
        """Return the current problem (see `Model.trouble`)."""
        ...

    async def close(self) -> None:
        """Drop the weights; the desks can be used again."""
        ...


class Here:
    """The only desk of this process. All work is done in one thread."""

    servers = 1

    def __init__(self, local: LocalModel) -> None:
        self._local, self._sharing = local, Sharing(local.sources.settings.batch)
        self._begin()

    def _begin(self) -> None:
        self._thread, self._turn = ThreadPoolExecutor(1, thread_name_prefix="transformers"), Lock()

    @property
    def batch(self) -> int:
        """Return the largest number of prompts that fit into the memory together."""
        return self._sharing.batch

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return sentences about the run for the user."""
        return self._sharing.remarks

    @asynccontextmanager
    async def desk(self) -> AsyncIterator["Here"]:
        """Wait for the group before."""
        async with self._turn:
            yield self

    def clip(self, prefix: Sequence[Part], pictures: PictureBytes) -> "_ClipHere":
        """Begin with a group."""
        return _ClipHere(self._thread, ClipAnswers(self._local, prefix, pictures, self._sharing))

    def trouble(self) -> None:
        """Return None, because no service is needed."""

    async def close(self) -> None:
        """Drop the weights."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._local.release()
        self._begin()


class _ClipHere:
    """A group that is answered in the thread of this process."""

    def __init__(self, thread: ThreadPoolExecutor, answers: ClipAnswers) -> None:
        self._thread, self._answers = thread, answers

    async def answer(self, prompts: Prompts) -> Sequence[Answered]:
        """Answer some prompts together, in their order."""
        return await get_running_loop().run_in_executor(self._thread, self._answers.answer, prompts)

    async def close(self) -> None:
        """Drop the prefix."""
        await get_running_loop().run_in_executor(self._thread, self._answers.close)

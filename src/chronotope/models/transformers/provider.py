"""A model in this process as a model that runs, checks, judges and writers can ask."""

import asyncio
from asyncio import Future, get_running_loop
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Any

from chronotope.errors import InputError
from chronotope.models.checked import error_words
from chronotope.models.model import Decoding, Limits, PictureBytes, RawReply, StoppedError
from chronotope.models.services.availability import Trouble
from chronotope.models.transformers.answers import Answered, letters_of
from chronotope.models.transformers.decoding import Wanted
from chronotope.models.transformers.desks import Desk, Desks, Here
from chronotope.models.transformers.local import LocalModel, load
from chronotope.models.transformers.settings import local_settings
from chronotope.protocol import Part, media_of

UNLIMITED = 4096  # maximum tokens of a reply whose length is not limited


def open_transformers(name: str, fields: Mapping[str, Any]) -> "TransformersModel":
    """Open the model ``transformers/PATH-OR-HUB-NAME``; no weights are loaded.

    ``fields`` are the settings of ``--set``. With ``on``, the workers of a Ray cluster load the weights.

    Raises:
        InputError: If the extra is missing, a setting is wrong, or the model cannot be used (see `load`).
    """
    place, settings = name.partition("/")[2], local_settings(name, fields)
    if settings.on is None:
        return TransformersModel(name, load(place, settings))
    from chronotope.models.transformers.on_cluster import OnCluster  # imported late: few commands need it

    local = load(place, settings)
    return TransformersModel(name, local, OnCluster(local))


class TransformersModel:
    """A model of Transformers that answers asks.

    ``desks`` is where asks are answered, by default in this process. A desk answers one group of asks at a time, so
    that only one prefix is in memory.
    """

    def __init__(self, name: str, local: LocalModel, desks: Desks | None = None) -> None:
        self.name, self.local = name, local
        self.desks = desks or Here(local)
        video = local.sources.row.frames is not None or _library_videos(local)
        self.limits = Limits(
            takes_video=video,
            takes_video_of_frames=video,
            log_probabilities=True,
            context=local.context,
            tokens=local.encoder.count,
            leads=False,
            needs_check=False,
            servers=self.desks.servers,
        )
        self.identity = {"dtype": str(local.dtype).removeprefix("torch."), **local.sources.identity}
        self.identity["pictures"] = "torchvision" if _has_torchvision() else "pillow"  # they resize differently
        self.stopped = False
        self._held: dict[asyncio.Task[Any] | None, Desk] = {}

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return sentences about the run for the user."""
        return self.desks.remarks

    @asynccontextmanager
    async def open(self, prefix: Sequence[Part], pictures: PictureBytes) -> AsyncIterator["TransformersSession"]:
        """Wait for a free desk, and open a session."""
        task = asyncio.current_task()
        async with AsyncExitStack() as stack:
            desk = self._held.get(task)  # a check asks without pictures in between
            if desk is None:
                desk = self._held[task] = await stack.enter_async_context(self.desks.desk())
                stack.callback(self._held.pop, task)
            session = TransformersSession(self, desk, prefix, pictures)
            stack.push_async_callback(session.close)
            yield session

    def trouble(self) -> Trouble | None:
        """Return the current problem of a cluster (see `Model.trouble`)."""
        return self.desks.trouble()

    def has_answered(self) -> None:
        """Do nothing: a model in this process needs no record."""

    def stop(self) -> None:
        """Stop answering asks; the current batch still ends."""
        self.stopped = True

    async def close(self) -> None:
        """Drop the weights; the model can be used again."""
        await self.desks.close()
        self.stopped = False
        self._held.clear()


@dataclass
class _Waiting:
    """An ask that waits for its batch."""

    parts: tuple[Part, ...]
    wanted: Wanted
    pictures: tuple[str, ...]
    answer: "Future[RawReply]"


class TransformersSession:
    """The asks of one group, answered in batches."""

    def __init__(self, model: TransformersModel, desk: Desk, prefix: Sequence[Part], pictures: PictureBytes) -> None:
        self._model, self._prefix, self._pictures = model, tuple(prefix), pictures
        self._answers = desk.clip(prefix, pictures)
        self._waiting: list[_Waiting] = []
        self._work: asyncio.Task[None] | None = None

    async def ask(self, tail: Sequence[Part], decoding: Decoding, *, seed: str, urgent: bool = False) -> RawReply:
        """Answer the prefix followed by ``tail``, together with other asks that wait."""
        if self._model.stopped:
            raise StoppedError(f"{self._model.name} was stopped before this ask")
        parts = (*self._prefix, *tail)
        wanted = Wanted(
            decoding.longest_reply[1] or UNLIMITED,
            letters_of(parts),
            float(decoding.extra.get("temperature", decoding.temperature) or 0),
            float(decoding.extra.get("top_p", decoding.top_p) or 1),
            seed,
        )
        shown = tuple(sha256 for one in media_of(parts) for sha256 in self._pictures(one).hashes)
        waiting = _Waiting(parts, wanted, shown, get_running_loop().create_future())
        self._waiting.append(waiting)
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._drain())
        return await waiting.answer

    async def close(self) -> None:
        """Wait for the current batch, and drop the prefix."""
        work, self._work = self._work, None
        if work is not None and not work.done():
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)
        await self._answers.close()

    async def _drain(self) -> None:
        """Answer waiting asks in batches until none is left."""
        for _ in range(3):  # lets all asks of a group arrive
            await asyncio.sleep(0)
        while self._waiting:
            size = self._model.desks.batch
            batch, self._waiting = self._waiting[:size], self._waiting[size:]
            if self._model.stopped:
                for one in batch:
                    _fail(one, StoppedError(f"{self._model.name} was stopped before this ask"))
                continue
            began = monotonic()
            try:
                answers = await self._answers.answer([(one.parts, one.wanted) for one in batch])
            except InputError as error:
                for one in batch:
                    _fail(one, error)
                continue
            except Exception as error:  # noqa: BLE001 (the code of a model can raise any error)
                failed = RawReply("failed", error=f"{self._model.name} raised {error_words(error)}")
                for one in batch:
                    _set(one, failed)
                continue
            seconds = (monotonic() - began) / len(batch)
            for one, answered in zip(batch, answers, strict=True):
                _set(one, _reply(answered, one, seconds))


def _reply(answered: Answered, waiting: _Waiting, seconds: float) -> RawReply:
    if answered.reply is None:
        state = "refused" if answered.refused is not None else "failed"
        return RawReply(state, error=answered.refused or answered.failed, pictures=waiting.pictures)
    return RawReply(
        "replied",
        text=answered.reply.text,
        finish=answered.reply.finish,
        letter_log_probabilities=answered.letters,
        input_tokens=answered.tokens,
        cached_tokens=answered.shared,
        output_tokens=len(answered.reply.tokens),
        seconds=seconds,
        pictures=waiting.pictures,
    )


def _set(waiting: _Waiting, reply: RawReply) -> None:
    if not waiting.answer.done():
        waiting.answer.set_result(reply)


def _fail(waiting: _Waiting, error: Exception) -> None:
    if not waiting.answer.done():
        waiting.answer.set_exception(error)


def _library_videos(local: LocalModel) -> bool:
    """Check whether the library's own video processor is there."""
    return _has_torchvision() and getattr(local.sources.processor, "video_processor", None) is not None


def _has_torchvision() -> bool:
    from transformers.utils.import_utils import is_torchvision_available

    return bool(is_torchvision_available())

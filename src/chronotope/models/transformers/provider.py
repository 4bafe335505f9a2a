"""A model in this process as a model that runs, checks, judges and writers can ask."""

import asyncio
from asyncio import Future, Lock, get_running_loop
from collections.abc import AsyncIterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Any

from chronotope.errors import InputError
from chronotope.models.checked import error_words
from chronotope.models.model import Decoding, Limits, PictureBytes, RawReply, StoppedError
from chronotope.models.transformers.answers import Answered, ClipAnswers, Sharing, letters_of
from chronotope.models.transformers.decoding import Wanted
from chronotope.models.transformers.local import LocalModel, load
from chronotope.models.transformers.settings import local_settings
from chronotope.protocol import Part, media_of

UNLIMITED = 4096  # maximum tokens of a reply whose length is not limited


def open_transformers(name: str, fields: Mapping[str, Any]) -> "TransformersModel":
    """Open the model ``transformers/PATH-OR-HUB-NAME``; no weights are loaded.

    ``fields`` are the settings of ``--set``.

    Raises:
        InputError: If the extra is missing, a setting is wrong, or the model cannot be used (see `load`).
    """
    place = name.partition("/")[2]
    return TransformersModel(name, load(place, local_settings(name, fields)))


class TransformersModel:
    """A model of Transformers that answers asks.

    One group of asks is answered at a time, so that only one prefix is in memory. All work is done in one thread.
    """

    def __init__(self, name: str, local: LocalModel) -> None:
        self.name, self.local = name, local
        settings = local.sources.settings
        video = local.sources.row.frames is not None or _library_videos(local)
        self.limits = Limits(
            takes_video=video,
            takes_video_of_frames=video,
            log_probabilities=True,
            context=local.context,
            tokens=local.encoder.count,
            leads=False,
            needs_check=False,
        )
        self.identity = {"dtype": str(local.dtype).removeprefix("torch."), **local.sources.identity}
        self.identity["pictures"] = "torchvision" if _has_torchvision() else "pillow"  # they resize differently
        self.sharing = Sharing(settings.batch)
        self.stopped = False
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="transformers")
        self._turn, self._holder = Lock(), None

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return sentences about the run for the user."""
        return self.sharing.remarks

    @asynccontextmanager
    async def open(self, prefix: Sequence[Part], pictures: PictureBytes) -> AsyncIterator["TransformersSession"]:
        """Wait for the group before, and open a session."""
        task = asyncio.current_task()
        nested = self._holder is not None and self._holder is task  # a check asks without pictures in between
        if not nested:
            await self._turn.acquire()
            self._holder = task
        session = TransformersSession(self, prefix, pictures)
        try:
            yield session
        finally:
            await session.close()
            if not nested:
                self._holder = None
                self._turn.release()

    def trouble(self) -> None:
        """Return None, because no service is needed."""

    def has_answered(self) -> None:
        """Do nothing: a model in this process needs no record."""

    def stop(self) -> None:
        """Stop answering asks; the current batch still ends."""
        self.stopped = True

    async def close(self) -> None:
        """Drop the weights; the model can be used again."""
        self.thread.shutdown(wait=False, cancel_futures=True)
        self.local.release()
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="transformers")
        self.stopped, self._turn, self._holder = False, Lock(), None


@dataclass
class _Waiting:
    """An ask that waits for its batch."""

    parts: tuple[Part, ...]
    wanted: Wanted
    pictures: tuple[str, ...]
    answer: "Future[RawReply]"


class TransformersSession:
    """The asks of one group, answered in batches."""

    def __init__(self, model: TransformersModel, prefix: Sequence[Part], pictures: PictureBytes) -> None:
        self._model, self._prefix, self._pictures = model, tuple(prefix), pictures
        self._answers = ClipAnswers(model.local, prefix, pictures, model.sharing)
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
        await get_running_loop().run_in_executor(self._model.thread, self._answers.close)

    async def _drain(self) -> None:
        """Answer waiting asks in batches until none is left."""
        for _ in range(3):  # lets all asks of a group arrive
            await asyncio.sleep(0)
        while self._waiting:
            size = self._model.sharing.batch
            batch, self._waiting = self._waiting[:size], self._waiting[size:]
            if self._model.stopped:
                for one in batch:
                    _fail(one, StoppedError(f"{self._model.name} was stopped before this ask"))
                continue
            began = monotonic()
            try:
                prompts = [(one.parts, one.wanted) for one in batch]
                answers = await get_running_loop().run_in_executor(self._model.thread, self._answers.answer, prompts)
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

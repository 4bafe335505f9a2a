"""A Python function as a model. The function is called with a prompt, and returns text."""

import inspect
import io
from asyncio import CancelledError, Semaphore, current_task, get_running_loop
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

import numpy as np

from chronotope.errors import InputError
from chronotope.io import value_words
from chronotope.media import Encoded, open_picture
from chronotope.models.checked import checked_reply, error_words
from chronotope.models.fingerprint import fingerprint
from chronotope.models.gathering import Gatherer
from chronotope.models.model import Decoding, Limits, Model, PictureBytes, RawReply, StoppedError
from chronotope.protocol import Image, Option, Part, Text, videos_of_frames, without_options


@dataclass(frozen=True)
class Asked:
    """One prompt, as the input of a function.

    ``ask`` is the id of the ask. ``text`` has all words of the prompt, including the options. ``options`` are the
    offered answers. ``files`` are the pictures and videos in the order of the prompt, with exactly the bytes that a
    service would get. A video of frames is given as its frames, and ``times`` has their times in the clip (s).
    """

    ask: str
    text: str
    options: tuple[Option, ...]
    files: tuple[Encoded, ...]
    decoding: Decoding
    times: tuple[float, ...] = ()

    def frames(self) -> list[np.ndarray]:
        """Decode the pictures of a prompt, in order.

        Each picture is an array (height, width, 3), uint8 RGB. Videos are omitted.
        """
        return [_pixels(file.data) for file in self.files if file.media_type.startswith("image/")]


def _pixels(data: bytes) -> np.ndarray:
    with open_picture(io.BytesIO(data)) as picture:
        return np.asarray(picture.convert("RGB"))


# Returns the text of the reply, or a RawReply, which can also contain tokens, a cost, or the error of a failed call.
Answer = Callable[[Asked], str | RawReply | Awaitable[str | RawReply]]
# Returns a reply for each prompt of a batch.
BatchAnswer = Callable[[list[Asked]], Sequence[str | RawReply] | Awaitable[Sequence[str | RawReply]]]


class FunctionModel:
    """A model whose replies come from a Python function in this process.

    The function can be sync or async.

    The name of the model in runs is ``name``; the default is ``function/`` with the name of the function, or
    ``function/lambda``. The code of the function and the values that it uses are part of a run's identity
    (`fingerprint`): a run cannot be continued with a changed function, because the earlier replies come from the
    unchanged function. ``version`` replaces the code: with an equal version, a changed function continues the run. At
    most ``at_once`` calls are made at the same time; sync functions are called in threads. If the function raises an
    exception, the ask has failed, and the next run repeats the ask; this includes exceptions such as SystemExit, which
    usually end a process. An InputError and Ctrl-C end the run. With ``batch_size``, the function is called with a list
    of at most ``batch_size`` prompts, and returns a list with a reply for each prompt.

    Raises:
        InputError: If the function has no name and ``name`` is not given, or if ``at_once`` or ``batch_size`` is less
            than 1.
    """

    def __init__(
        self,
        answer: Answer | BatchAnswer,
        name: str | None = None,
        *,
        limits: Limits | None = None,
        at_once: int = 1,
        batch_size: int | None = None,
        version: str | None = None,
    ):
        own = "lambda" if (own := getattr(answer, "__name__", "")) == "<lambda>" else own
        if name is None and not own.isidentifier():
            raise InputError(
                f"{value_words(answer)} has no name", where="name", fix="give it one, such as name='function/mine'"
            )
        if at_once < 1:
            raise InputError(f"at_once {at_once}: expected a number of calls, at least 1")
        if batch_size is not None and batch_size < 1:
            raise InputError(f"batch_size {batch_size}: expected a number of prompts, at least 1")
        self.name = name or f"function/{own}"
        self.limits = limits or Limits(takes_video=True, needs_check=False)
        code = fingerprint(answer) if version is None else version
        self.identity = {} if code is None else {"code": code}
        self._answer: Callable[[Any], Any] = answer
        self._at_once, self._batch_size = at_once, batch_size
        self._threads: ThreadPoolExecutor | None = None
        self._reset()

    def _reset(self) -> None:
        self._stopped = False
        self._free = Semaphore(self._at_once * (self._batch_size or 1))
        self._gatherer = None if self._batch_size is None else Gatherer(self._together, self._batch_size, self._at_once)

    @asynccontextmanager
    async def open(self, prefix: Sequence[Part], pictures: PictureBytes) -> AsyncIterator["FunctionSession"]:
        """Keep the parts with which all asks begin."""
        yield FunctionSession(self, prefix, pictures)

    async def call(self, asked: Asked) -> RawReply:
        """Call the function when fewer than ``at_once`` calls are in progress.

        Raises:
            StoppedError: If the model was stopped before the call. InputError: If the function raised an InputError, or
                returned neither a text nor a reply.
        """
        async with self._free:
            if self._stopped:
                raise StoppedError(f"{self.name} was stopped before this ask")
            began = monotonic()
            try:
                found = await (self._called(asked) if self._gatherer is None else self._gatherer.ask(asked))
            except (InputError, KeyboardInterrupt):
                raise
            except BaseException as error:
                if isinstance(error, CancelledError) and (task := current_task()) is not None and task.cancelling():
                    raise  # the run is cancelled, not the function
                return RawReply("failed", error=f"{self.name} raised {error_words(error)}")
        if isinstance(found, str):
            found = RawReply("replied", text=found, finish="stop", seconds=monotonic() - began)
        found = checked_reply(found, asked.ask, self.name)
        return replace(found, pictures=tuple(file.sha256 for file in asked.files))

    async def _together(self, several: list[Asked]) -> Sequence[object]:
        """Call the function with a batch of prompts.

        Raises:
            InputError: If the function did not return a list with a reply for each prompt.
        """
        found: Any = await self._called(several)
        listed = isinstance(found, Sequence) and not isinstance(found, str)
        if not listed or len(found) != len(several):
            told = f"{len(found)} replies" if listed else value_words(found)
            raise InputError(f"{self.name} returned {told} for {len(several)} prompts: expected a list with one each")
        return found

    async def _called(self, asked: Asked | list[Asked]) -> object:
        called = getattr(self._answer, "__call__", None)  # noqa: B004 - an object may have an async __call__
        if inspect.iscoroutinefunction(self._answer) or inspect.iscoroutinefunction(called):
            found = self._answer(asked)
        else:
            if self._threads is None:
                self._threads = ThreadPoolExecutor(self._at_once, thread_name_prefix="function")
            found, error = await get_running_loop().run_in_executor(self._threads, _called, self._answer, asked)
            if error is not None:
                raise error
        return await found if inspect.isawaitable(found) else found

    def trouble(self) -> None:
        """Return None, because a function has no service."""

    def has_answered(self) -> None:
        """Do nothing, because a function needs no record of earlier replies."""

    def stop(self) -> None:
        """Stop calling the function."""
        self._stopped = True

    async def close(self) -> None:
        """Release the threads; the model can be used again."""
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
        self._threads = None
        self._reset()


class FunctionSession:
    """The asks of one group, answered by a function."""

    def __init__(self, model: FunctionModel, prefix: Sequence[Part], pictures: PictureBytes) -> None:
        self._model, self._prefix, self._pictures = model, tuple(prefix), pictures

    async def ask(self, tail: Sequence[Part], decoding: Decoding, *, seed: str, urgent: bool = False) -> RawReply:
        """Call the function with the whole prompt."""
        parts = (*self._prefix, *tail)
        shown = list(without_options(parts))
        files = [part.picture if isinstance(part, Image) else part for part in shown if not isinstance(part, Text)]
        asked = Asked(
            ask=seed,
            text="".join(part.text for part in shown if isinstance(part, Text)),
            options=tuple(part for part in parts if isinstance(part, Option)),
            files=tuple(one for file in files for one in _files(self._pictures(file))),
            decoding=decoding,
            times=tuple(time for video in videos_of_frames(parts) for time in video.times),
        )
        return await self._model.call(asked)


def _called(answer: Callable[[Any], Any], asked: Asked | list[Asked]) -> tuple[object, BaseException | None]:
    """Call a function; return its result, or the error that it raised.

    An error is returned, because asyncio cannot pass every exception from a thread to a task: after StopIteration, the
    task would wait for ever.
    """
    try:
        return answer(asked), None
    except BaseException as error:  # noqa: BLE001 (a user's function can raise any error)
        return None, error


def _files(encoded: Encoded) -> tuple[Encoded, ...]:
    return encoded.frames or (encoded,)


def as_model(model: Model | Answer) -> Model:
    """Make a model from a function; return a model unchanged.

    Raises:
        InputError: If the argument is neither a model nor a function, or is a function without a name.
    """
    if isinstance(model, Model):
        return model
    if not callable(model):
        raise InputError(
            f"found {value_words(model)}",
            where="model",
            expected="the name of a model, a ModelSpec, a Model, or a function that returns text",
        )
    return FunctionModel(model)

"""A Python function as a model. The function gets a prompt and returns text."""

import inspect
import io
from asyncio import CancelledError, Semaphore, current_task, get_running_loop
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from time import monotonic

import numpy as np

from chronotope.errors import InputError
from chronotope.media import Encoded
from chronotope.models.checked import checked_reply, error_words, value_words
from chronotope.models.fingerprint import fingerprint
from chronotope.models.model import Decoding, Limits, Model, PictureBytes, RawReply, StoppedError
from chronotope.protocol import Image, Option, Part, Text, videos_of_frames, without_options

__all__ = ["Answer", "Asked", "FunctionModel", "as_model"]


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
        import PIL.Image  # few commands need Pillow, but all commands load this module

        pictures = (file.data for file in self.files if file.media_type.startswith("image/"))
        return [np.asarray(PIL.Image.open(io.BytesIO(data)).convert("RGB")) for data in pictures]


# Returns the text of the reply, or a RawReply, which can also contain tokens, a cost, or the error of a failed call.
Answer = Callable[[Asked], str | RawReply | Awaitable[str | RawReply]]


class FunctionModel:
    """A model whose replies come from a Python function in this process.

    The function can be sync or async.

    The name of the model in runs is ``name``; the default is ``function/`` with the name of the function, or
    ``function/lambda``. The code of the function and the values that it uses are part of a run's identity
    (`fingerprint`): a run cannot be continued with a changed function, because the earlier replies come from the
    unchanged function. ``version`` replaces the code: with an equal version, a changed function continues the run. At
    most ``at_once`` calls are made at the same time; sync functions are called in threads. If the function raises an
    exception, the ask has failed, and the next run repeats the ask; this includes exceptions such as SystemExit, which
    usually end a process. An InputError and Ctrl-C end the run.

    Raises:
        InputError: If the function has no name and ``name`` is not given, or if ``at_once`` is less than 1.
    """

    def __init__(
        self,
        answer: Answer,
        name: str | None = None,
        *,
        limits: Limits | None = None,
        at_once: int = 1,
        version: str | None = None,
    ):
        own = "lambda" if (own := getattr(answer, "__name__", "")) == "<lambda>" else own
        if name is None and not own.isidentifier():
            raise InputError(
                f"{value_words(answer)} has no name", where="name", fix="give it one, such as name='function/mine'"
            )
        if at_once < 1:
            raise InputError(f"at_once {at_once}: expected a number of calls, at least 1")
        self.name = name or f"function/{own}"
        self.limits = limits or Limits(takes_video=True, needs_check=False)
        code = fingerprint(answer) if version is None else version
        self.identity = {} if code is None else {"code": code}
        self._answer, self._at_once, self._stopped = answer, at_once, False
        self._threads: ThreadPoolExecutor | None = None
        self._free = Semaphore(at_once)

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
                found = await self._found(asked)
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

    async def _found(self, asked: Asked) -> object:
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
        self._threads, self._stopped, self._free = None, False, Semaphore(self._at_once)


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


def _called(answer: Answer, asked: Asked) -> tuple[object, BaseException | None]:
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

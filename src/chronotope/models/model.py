"""The common interface of endpoints, in-process models and baselines."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field, field_validator

from chronotope.errors import InputError
from chronotope.ledger import Transport
from chronotope.media import Encoded
from chronotope.models.services.availability import Trouble
from chronotope.protocol import Part, Picture, Video

# Returns the bytes of a picture or video in a part. All asks of a group share these bytes.
PictureBytes = Callable[[Picture | Video], Encoded]

# The services' names for the maximum tokens of a reply.
LengthField = Literal["max_completion_tokens", "max_tokens"]
LENGTH_FIELDS: tuple[LengthField, ...] = ("max_completion_tokens", "max_tokens")


NO_FRAMES = (
    "--frames-as video: the service of this model accepts no video of JPEG frames (vLLM does): use --frames-as images, "
    "or omit the flag"
)


FRAME_TIMES = "media_io_kwargs"  # vLLM's field that gives the times of the frames of a video
TRUSTED = "--trust-request-mm-kwargs"  # vLLM's flag without which it refuses this field


def no_times(words: str) -> str:
    """Return the advice if a service refuses the times of frames.

    The advice depends on the words of the service.
    """
    if TRUSTED in words:
        return f"refuses the times of frames by default: start vLLM with {TRUSTED}, or use --frames-as images"
    return (
        f"accepts no video of frames with times (vLLM since 2026-04 does, if it is started with {TRUSTED}): use "
        "--frames-as images"
    )


class StoppedError(Exception):
    """The error for an ask that was not sent, because the model was stopped."""


@dataclass(frozen=True)
class Limits:
    """The limits of a model that are known before the run.

    A limit is None if it is unknown. ``context`` is the maximum number of tokens in prompt and reply. ``tokens`` counts
    the tokens of a prompt from its text and the sizes (width, height) of its pictures.
    """

    looks: bool = True  # false for baselines that read only option texts: nothing is decoded for them
    pictures: int | None = None
    takes_video: bool | None = None  # None if unknown: then the run tries to send a video
    takes_video_of_frames: bool | None = None  # a video that is a list of JPEG pictures
    log_probabilities: bool = False
    context: int | None = None
    letter: str | None = None  # the letter of every answer, if the model always chooses the same letter
    dearest_input: float = 1.0  # highest price of an input token, as a multiple of the usual price
    needs_check: bool = True  # whether a run first checks that all pictures arrive
    servers: int = 1  # servers that share the clips
    leads: bool = True  # whether the first ask with shared pictures goes alone, to fill the service's cache
    tokens: Callable[[str, Sequence[tuple[int, int]]], int] | None = None

    @property
    def refuses_video_of_frames(self) -> bool:
        """Check whether the model is known to refuse such videos."""
        return False in (self.takes_video, self.takes_video_of_frames)


def check_fields(fields: dict[Any, Any]) -> dict[Any, Any]:
    """Return fields that can be stored, and sent as JSON.

    ValueError is raised if a field cannot be written as JSON.
    """
    for name, value in fields.items():
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise ValueError(f"{name} cannot be written as JSON ({error})") from None
    return fields


class Decoding(BaseModel):
    """The settings with which a model generates replies.

    All settings belong to the identity of a run. ``extra`` has further fields of the request body.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = Field(100, ge=1)
    extra: dict[str, Any] = Field(default_factory=dict)

    @field_validator("extra")
    @classmethod
    def _check_extra(cls, extra: dict[str, Any]) -> dict[str, Any]:
        return check_fields(extra)

    @property
    def longest_reply(self) -> tuple[str, int | None]:
        """Return the field that limits a reply, and its value in tokens.

        The value is None if a null in ``extra`` removed the limit. ``max_completion_tokens`` or ``max_tokens`` in
        ``extra`` replaces the default field; the first of these two fields that is not null is used. The default field
        is named ``max_tokens`` here, also for services that name it ``max_completion_tokens``.

        Raises:
            InputError: If the value is not a positive whole number.
        """
        given = {name: self.extra[name] for name in LENGTH_FIELDS if name in self.extra}
        bounds = {name: value for name, value in given.items() if value is not None}
        name, value = next(iter((bounds or given or {"max_tokens": self.max_tokens}).items()))
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
            raise InputError(
                f"the field {name!r} of the request body is {value!r}: expected a number of tokens, at least 1, or "
                "null for no limit"
            )
        return name, value


def refuse_frame_times(extra: Mapping[str, Any]) -> None:
    """Refuse a field of the body that a video of frames sets.

    Raises:
        InputError: If ``extra`` has this field.
    """
    if FRAME_TIMES in extra:
        raise InputError(
            f"--set {FRAME_TIMES}: cannot be combined with --frames-as video, which sets this field: omit one of the "
            "two flags"
        )


@dataclass(frozen=True)
class Lost:
    """The usage of attempts without a readable reply, which services bill, too.

    ``untold`` counts the attempts whose usage is unknown. A value is None if no attempt states it.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    money: float | None = None
    untold: int = 0

    @property
    def is_known(self) -> bool:
        """Check whether an attempt states its usage."""
        return (self.input_tokens, self.output_tokens, self.money) != (None, None, None)

    def plus(self, other: "Lost") -> "Lost":
        """Add the usage of further attempts."""
        return Lost(
            _sum(self.input_tokens, other.input_tokens),
            _sum(self.output_tokens, other.output_tokens),
            _sum(self.money, other.money),
            self.untold + other.untold,
        )


_Number = TypeVar("_Number", int, float)


def _sum(one: _Number | None, other: _Number | None) -> _Number | None:
    return other if one is None else one if other is None else one + other


@dataclass(frozen=True)
class RawReply:
    """The reply to one call, before it is read."""

    state: Transport
    text: str | None = None
    reasoning: str | None = None
    finish: str | None = None
    letter_log_probabilities: dict[str, float] | None = None
    error: str | None = None
    input_tokens: int | None = None
    cached_tokens: int | None = None
    stored_tokens: int | None = None  # input tokens written to the service's cache, at a higher price
    output_tokens: int | None = None  # tokens of words and thoughts
    reasoning_tokens: int | None = None  # output tokens of thoughts
    money: float | None = None  # the cost of the call, if the service states it
    attempts: int = 1
    lost: Lost | None = None  # the usage of attempts before it, whose replies could not be read
    seconds: float | None = None  # duration (s) of the successful attempt
    pictures: tuple[str, ...] = field(default=())  # SHA-256 of every picture and video sent, in order


class Session(Protocol):
    """The beginning of a prompt, which several asks share."""

    async def ask(self, tail: Sequence[Part], decoding: Decoding, *, seed: str, urgent: bool = False) -> RawReply:
        """Send the prefix followed by ``tail``.

        ``seed`` is the id of the ask, which determines the random choice of a baseline. Urgent asks are sent before all
        other waiting asks. StoppedError is raised if the model was stopped before the ask was sent.

        Raises:
            InputError: If every further request would fail in the same way, for example because the key is not
                accepted.
        """
        ...


@runtime_checkable
class Remarking(Protocol):
    """A model that has remarks about a run, for the user."""

    @property
    def remarks(self) -> Sequence[str]:
        """Return sentences about the calls that were made."""
        ...


@runtime_checkable
class Model(Protocol):
    """A model that answers asks."""

    name: str
    limits: Limits

    def open(self, prefix: Sequence[Part], pictures: PictureBytes) -> AbstractAsyncContextManager[Session]:
        """Encode the common first parts of a group's asks, once."""
        ...

    def trouble(self) -> Trouble | None:
        """Return the current problem of a service that does not answer.

        Returns None while the service answers. A service that only asks the sender to wait does not count as answering.
        """
        ...

    def has_answered(self) -> None:
        """Record that the model has replied before.

        Before a first reply, a refusal can mean that every request would be refused. After this call, a refusal
        concerns only the refused request.
        """
        ...

    def stop(self) -> None:
        """Stop sending requests; requests in flight can still end.

        The method must be called from the event loop that sends the asks, or before this loop runs.
        """
        ...

    async def close(self) -> None:
        """Release connections and memory."""
        ...

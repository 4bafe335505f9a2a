"""What a generation service is asked for, what it can do, and what becomes of a job."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from chronotope.errors import InputError
from chronotope.io import canonical_json, sha256_bytes, sha256_file

MediaType = Literal["image", "video"]
Input = Literal["first_frame", "last_frame", "reference_video", "control_video"]
INPUTS: tuple[Input, ...] = ("first_frame", "last_frame", "reference_video", "control_video")


@dataclass(frozen=True)
class MediaRequest:
    """A picture or a clip to make.

    ``first_frame`` and ``last_frame`` are pictures, ``reference_video`` is a clip to restyle, and ``control_video``
    has the depth or the edges of a clip. ``seconds`` is the duration of a clip (s), and ``size`` is its width and
    height (px). ``is_camera_fixed`` is told to services that have a switch for it. ``candidate`` distinguishes several
    results of the same request. ``fields`` are further fields of the service, which replace ours.
    """

    kind: MediaType
    prompt: str
    first_frame: Path | None = None
    last_frame: Path | None = None
    reference_video: Path | None = None
    control_video: Path | None = None
    seconds: float | None = None
    size: tuple[int, int] | None = None
    seed: int | None = None
    is_camera_fixed: bool = False
    candidate: int = 0
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def inputs(self) -> dict[Input, Path]:
        """Return the files that the request shows to the service."""
        return {name: path for name in INPUTS if (path := getattr(self, name)) is not None}

    def key(self, service: str) -> str:
        """Return the key of the request at a service, a SHA-256; files count by their content.

        Raises:
            InputError: If an input cannot be read.
        """
        shown = {}
        for name, path in self.inputs().items():
            if not path.is_file():
                raise InputError(f"{path}: there is no such file, and it is the {name.replace('_', ' ')} of a request")
            shown[name] = sha256_file(path)
        told = {
            "service": service, "kind": self.kind, "prompt": self.prompt, "inputs": shown, "seconds": self.seconds,
            "size": self.size, "seed": self.seed,
            "camera": self.is_camera_fixed, "candidate": self.candidate, "fields": dict(self.fields),
        }  # fmt: skip
        return sha256_bytes(canonical_json(told).encode())


@dataclass(frozen=True)
class MediaLimits:
    """What a service can do.

    ``seconds`` and ``sizes`` list the durations (s) and sizes (px) that it takes; None means that it takes any.
    ``takes`` are the inputs that it takes, and ``needs`` those without which it makes nothing. ``seeds`` is false if a
    seed changes nothing. ``prompt`` is the maximum number of characters.
    """

    kind: MediaType
    seconds: tuple[float, ...] | None = None
    sizes: tuple[tuple[int, int], ...] | None = None
    takes: frozenset[Input] = frozenset()
    needs: frozenset[Input] = frozenset()
    seeds: bool = True
    prompt: int = 4000

    def require(self, request: MediaRequest, service: str) -> None:
        """Check that the service can make what a request asks for.

        Raises:
            InputError: If it cannot. The message says why.
        """
        if request.kind != self.kind:
            raise InputError(f"{service} makes a {self.kind}, and a {request.kind} was asked for: choose another model")
        given = set(request.inputs())
        for name in sorted(given - self.takes):
            raise InputError(f"{service} takes no {name.replace('_', ' ')}: leave it out, or choose another model")
        for name in sorted(self.needs - given):
            raise InputError(f"{service} needs a {name.replace('_', ' ')}, and there is none: make it first")
        if self.seconds is not None and request.seconds is not None and request.seconds not in self.seconds:
            able = ", ".join(f"{one:g}" for one in self.seconds)
            raise InputError(f"{service} makes clips of {able} s, and {request.seconds:g} s were asked for")
        if self.sizes is not None and request.size is not None and tuple(request.size) not in self.sizes:
            able = ", ".join(f"{width}x{height}" for width, height in self.sizes)
            raise InputError(f"{service} makes {able}, and {request.size[0]}x{request.size[1]} was asked for")
        if not request.prompt.strip() or len(request.prompt) > self.prompt:
            raise InputError(
                f"a prompt has {len(request.prompt)} characters, and {service} takes 1 to {self.prompt}: shorten it"
            )


@dataclass(frozen=True)
class Asset:
    """A result that a service holds: where to fetch it.

    ``data`` has the bytes, if the service sends them with its answer.
    """

    url: str
    data: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Waiting:
    """A job that is not finished; ask again ``after`` some seconds."""

    after: float


@dataclass(frozen=True)
class Done:
    """A finished job, with the seed and the cost that the service states."""

    assets: tuple[Asset, ...]
    seed: int | None = None
    money: float | None = None


@dataclass(frozen=True)
class Failed:
    """A job without a result.

    ``refused``: the service does not make this. ``failed``: another attempt may succeed. ``lost``: the service does not
    know the job any more.
    """

    kind: Literal["refused", "failed", "lost"]
    told: str
    money: float | None = None


class UnsentError(Exception):
    """The error for a request that the service has certainly not accepted, so it may be sent again.

    ``pause`` is the time (s) that the service asks to wait, or None.
    """

    def __init__(self, told: str, pause: float | None = None) -> None:
        super().__init__(told)
        self.pause = pause


class AmbiguousError(Exception):
    """The error for a request that the service may have accepted, so it is never sent again by itself."""


class RefusedError(Exception):
    """The error for a request that the service refuses, so nothing is billed."""


class PollError(Exception):
    """The error for a question about a job, or a download, without an answer; it is free to ask again."""


class ExpiredError(Exception):
    """The error for a result whose address is not valid any more."""


@runtime_checkable
class MediaService(Protocol):
    """A service that makes pictures or clips.

    ``name`` is the name of the service with its model. A job is first asked for ``first_wait`` seconds after it was
    submitted, and one command asks for at most ``patience`` seconds. ``submit`` raises RefusedError, UnsentError or
    AmbiguousError, ``poll`` raises PollError, and ``fetch`` raises PollError or ExpiredError.
    """

    name: str
    limits: MediaLimits
    first_wait: float
    patience: float

    def price(self, request: MediaRequest) -> float | None:
        """Return the maximum cost of a request, or None if it is unknown."""
        ...

    async def submit(self, request: MediaRequest, token: str) -> str:
        """Send a request, and return the id of the job.

        ``token`` is our name for the job. A service that knows such names answers a repeated request with the same job.

        Raises:
            InputError: If every request would fail, for example because the key is not accepted.
        """
        ...

    async def poll(self, job: str) -> Waiting | Done | Failed:
        """Return the state of a job."""
        ...

    async def fetch(self, asset: Asset, place: Path) -> None:
        """Write a result to a file."""
        ...

    async def close(self) -> None:
        """Release connections and memory."""
        ...

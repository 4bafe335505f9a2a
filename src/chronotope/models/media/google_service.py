"""Google's video models through google-genai: long-running operations, asked for by their names.

The library repeats some failed requests by itself, which could order a clip twice, so its retries are switched off.
Since version 3.6, the library generates videos only with a key of Google Cloud (Vertex AI, also in its express mode).
"""

import mimetypes
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from chronotope.errors import InputError
from chronotope.models.media.request import (
    AmbiguousError,
    Asset,
    Done,
    ExpiredError,
    Failed,
    MediaLimits,
    MediaRequest,
    PollError,
    RefusedError,
    UnsentError,
    Waiting,
)

EVERY = 20.0  # seconds between two questions
UNSENT = (429,)
WRONG_USE = (401, 403, 404)
_INLINE = "inline:"  # address of a result that comes with the answer


class GoogleMediaService:
    """A video model of Google.

    ``price`` is the price of a second of a clip, which the service does not state. ``base_url`` is for tests. Prompts
    are not rewritten by the service, unless a field of the request says so.

    Raises:
        InputError: If google-genai is not installed.
    """

    limits = MediaLimits("video", (4.0, 6.0, 8.0), None, frozenset(["first_frame", "last_frame"]), frozenset())
    first_wait, patience = 30.0, 1200.0

    def __init__(
        self, model: str, key: SecretStr | None, price: float | None = None, base_url: str | None = None
    ) -> None:
        try:
            from google import genai
            from google.genai import errors, types
        except ImportError:
            raise InputError(
                "google-genai is not installed, which google/ video models need: pip install 'google-genai>=3,<4'"
            ) from None
        self.name, self._model = f"google/{model}", model
        self._types, self._errors, self._price = types, errors, price
        self._client: Any = None
        if key is not None:
            options = types.HttpOptions(base_url=base_url) if base_url else None
            self._client = genai.Client(vertexai=True, api_key=key.get_secret_value(), http_options=options)

    def price(self, request: MediaRequest) -> float | None:
        """Return the cost of the clip, or None if no price is known."""
        return None if self._price is None or request.seconds is None else self._price * request.seconds

    async def submit(self, request: MediaRequest, token: str) -> str:
        """Send a request, and return the name of the operation; see `MediaService.submit`."""
        try:
            operation = await self._client.aio.models.generate_videos(
                model=self._model, source=self._source(request), config=self._config(request)
            )
        except self._errors.APIError as error:
            told = f"HTTP {error.code}: {error.message}"[:500]
            if error.code in UNSENT:
                raise UnsentError(told) from None
            if error.code in WRONG_USE:
                raise InputError(f"{self.name}: the key, the model's name or the access is wrong ({told})") from None
            if 400 <= error.code < 500:
                raise RefusedError(told) from None
            raise AmbiguousError(told) from None
        except ValueError as error:  # the library refuses the request itself, and sends nothing
            raise RefusedError(str(error)[:500]) from None
        except Exception as error:  # noqa: BLE001 - the library uses several HTTP clients, each with its own errors
            told = f"{type(error).__name__}: {error}"[:500]
            raise (UnsentError(told) if _never_connected(error) else AmbiguousError(told)) from None
        if not operation.name:
            raise AmbiguousError("the service accepted the request, but its answer has no name of the operation")
        return operation.name

    def _source(self, request: MediaRequest) -> Any:
        image = None if request.first_frame is None else self._image(request.first_frame)
        return self._types.GenerateVideosSource(prompt=request.prompt, image=image)

    def _config(self, request: MediaRequest) -> Any:
        types = self._types
        told: dict[str, Any] = {"number_of_videos": 1, "enhance_prompt": False, "generate_audio": False}
        if request.seconds is not None:
            told["duration_seconds"] = int(request.seconds)
        if request.seed is not None:
            told["seed"] = request.seed
        if request.size is not None:
            told |= {"resolution": f"{request.size[1]}p", "aspect_ratio": _ratio(request.size)}
        if request.last_frame is not None:
            told["last_frame"] = self._image(request.last_frame)
        told |= dict(request.fields)
        once = types.HttpRetryOptions(attempts=1)  # without it, the library itself sends some requests twice
        return types.GenerateVideosConfig(**told, http_options=types.HttpOptions(retry_options=once))

    def _image(self, path: Path) -> Any:
        kind = mimetypes.guess_type(path.name)[0] or "image/png"
        return self._types.Image(image_bytes=path.read_bytes(), mime_type=kind)

    async def poll(self, job: str) -> Waiting | Done | Failed:
        """Return the state of an operation; see `MediaService.poll`."""
        try:
            operation = await self._client.aio.operations.get(self._types.GenerateVideosOperation(name=job))
        except self._errors.APIError as error:
            if error.code == 404:
                return Failed("lost", f"HTTP 404: {error.message}"[:500])
            if error.code in WRONG_USE:
                raise InputError(f"{self.name}: the key or the access is wrong (HTTP {error.code})") from None
            raise PollError(f"HTTP {error.code}: {error.message}"[:500]) from None
        except Exception as error:  # noqa: BLE001 - a question is free, so every failure is repeated
            raise PollError(f"{type(error).__name__}: {error}"[:500]) from None
        if not operation.done:
            return Waiting(EVERY)
        if operation.error:
            return Failed("failed", _words(operation.error))
        found = operation.response or operation.result
        videos = (found.generated_videos if found is not None else None) or []
        assets = tuple(_asset(one.video, number) for number, one in enumerate(videos) if one.video is not None)
        if assets:
            return Done(assets)
        reasons = (found.rai_media_filtered_reasons if found is not None else None) or []
        if reasons or (found is not None and found.rai_media_filtered_count):
            return Failed("refused", "; ".join(reasons)[:500] or "filtered by the service")
        return Failed("failed", "the operation is done, but has no video")

    async def fetch(self, asset: Asset, place: Path) -> None:
        """Write a result to a file; see `MediaService.fetch`."""
        if asset.data is None:
            raise ExpiredError("the clip was not sent with the answer: results in a bucket cannot be fetched")
        place.write_bytes(asset.data)

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aio.aclose()


def _asset(video: Any, number: int) -> Asset:
    return Asset(video.uri or f"{_INLINE}{number}.mp4", video.video_bytes)


def _ratio(size: tuple[int, int]) -> str:
    return "16:9" if size[0] >= size[1] else "9:16"


def _words(error: Any) -> str:
    told = error.get("message") if isinstance(error, Mapping) else None
    return str(told or error)[:500]


def _never_connected(error: BaseException) -> bool:
    """Check whether no connection was made, so that nothing can have been accepted."""
    names = {one.__name__ for one in type(error).__mro__}
    return bool(names & {"ClientConnectorError", "ConnectError", "ConnectTimeout", "ConnectionRefusedError"})

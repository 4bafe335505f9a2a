"""A generation service over HTTP, described by data."""

import asyncio
import base64
import mimetypes
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
from pydantic import SecretStr

from chronotope.errors import InputError
from chronotope.models.media.description import HttpDescription, Price, found_at
from chronotope.models.media.request import (
    AmbiguousError,
    Asset,
    Done,
    ExpiredError,
    Failed,
    MediaRequest,
    PollError,
    RefusedError,
    UnsentError,
    Waiting,
)
from chronotope.models.services.connections import BodyError, new_client, read_body, unpacked
from chronotope.models.services.key import Key
from chronotope.models.services.replies import (
    UnreadableReplyError,
    count_of,
    money_of,
    parsed,
    read_error,
    retry_after,
)

MOST_INPUT = 64 << 20  # bytes of a file that is sent
MOST_MEDIA = 2 << 30  # bytes of a file that is fetched
# With these statuses, a service has not accepted the request. Others above 499 may come from a gateway in between.
UNSENT = (425, 429, 529)
WRONG_USE = {
    401: "the service does not accept the API key",
    402: "the account has no credit left",
    403: "access is refused: check that the key has access to this model",
    404: "there is no such model or service: check its name and the description's URL",
    405: "there is no such service: check the description's paths",
}
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)


class HttpMediaService:
    """A model of a generation service over HTTP.

    ``key`` is sent only to the service's base URL, never to the addresses of results. ``timeout`` (s) limits one
    exchange, apart from downloads, where it limits the time between two pieces. ``price`` is the price of a second of a
    clip, or of a picture; it replaces that of the description.

    Raises:
        InputError: If the service has no such model.
    """

    def __init__(
        self,
        described: HttpDescription,
        model: str,
        key: SecretStr | None,
        price: float | None = None,
        timeout: float = 120.0,
    ) -> None:
        if model not in described.models:
            raise InputError(
                f"the service {described.name} has no model {model!r}",
                expected=f"one of {', '.join(described.models)}",
            )
        self.name = f"{described.name}/{model}"
        self.model, self._described, self._of = model, described, described.models[model]
        self.limits = self._of.limits
        self._price = self._of.price
        if price is not None:
            self._price = Price(second=price) if self._of.kind == "video" else Price(job=price)
        header, form = described.key_header, described.key_form
        self._key = Key(key, (), lambda secret: {header: form.replace("{key}", secret)} if secret else {})
        self.first_wait = described.poll.first.get(self._of.kind, 0.0)
        self.patience = described.poll.longest
        self._timeout = timeout
        self._client = new_client(described.base_url, self._key, timeout)
        self._plain = new_client(described.base_url, Key(None), timeout)  # results are fetched without the key

    def price(self, request: MediaRequest) -> float | None:
        """Return the maximum cost of a request, or None if no price is known."""
        price = self._price
        if price is None or (price.second and request.seconds is None):
            return None
        return price.job + price.second * (request.seconds or 0.0)

    async def submit(self, request: MediaRequest, token: str) -> str:
        """Send a request, and return the id of the job; see `MediaService.submit`."""
        submit = self._described.submit
        body = {submit.model_field: self.model, submit.prompt_field: request.prompt}
        body |= self._of.body(request, {name: _data_uri(path) for name, path in request.inputs().items()})
        headers = {"Connection": "close"}  # a connection that is kept can end at any time, and then all is unclear
        if submit.token_header is not None:
            headers[submit.token_header] = token
        if submit.token_field is not None:
            body[submit.token_field] = token
        try:
            status, head, data = await self._exchange("POST", submit.paths[request.kind], json=body, headers=headers)
        except _NOT_SENT as error:
            raise UnsentError(self._clean(error)) from None
        except (httpx.HTTPError, BodyError, TimeoutError) as error:
            raise AmbiguousError(self._clean(error)) from None
        return self._submitted(status, head, data)

    def _submitted(self, status: int, head: Mapping[str, str], data: bytes) -> str:
        """Return the id in the answer to a submission."""
        submit = self._described.submit
        try:
            answer: Any = parsed(data)
        except UnreadableReplyError:
            answer = None
        if status == submit.duplicate_status and _is_id(known := found_at(answer, submit.duplicate_id)):
            return str(known)
        code = count_of(found_at(answer, submit.code))
        if 200 <= status < 300 and code is not None and 400 <= code < 600:
            status = code
        if 200 <= status < 300:
            job = found_at(answer, submit.id)
            if not _is_id(job):
                raise AmbiguousError("the service accepted the request, but its answer has no id of the job")
            return str(job)
        told = self._told(status, data)
        if status in UNSENT:
            raise UnsentError(told, retry_after(head))
        if status in WRONG_USE:
            raise InputError(f"{self.name}: {WRONG_USE[status]} ({told})")
        if status < 500:
            raise RefusedError(told)
        raise AmbiguousError(told)

    async def poll(self, job: str) -> Waiting | Done | Failed:
        """Return the state of a job; see `MediaService.poll`."""
        poll = self._described.poll
        try:
            status, _, data = await self._exchange("GET", poll.path.replace("{id}", quote(job, safe="")))
        except (httpx.HTTPError, BodyError, TimeoutError) as error:
            raise PollError(self._clean(error)) from None
        if status in (404, 410):
            return Failed("lost", self._told(status, data))
        if status in (401, 402, 403):
            raise InputError(f"{self.name}: {WRONG_USE[status]} ({self._told(status, data)})")
        if not 200 <= status < 300:
            raise PollError(self._told(status, data))
        try:
            answer: Any = parsed(data)
        except UnreadableReplyError as error:
            raise PollError(self._clean(error)) from None
        return self._state(answer)

    def _state(self, answer: Any) -> Waiting | Done | Failed:
        poll = self._described.poll
        word = found_at(answer, poll.state)
        if word is None:
            raise PollError("the answer has no state of the job")
        money = money_of(found_at(answer, poll.money))
        if word in poll.failed:
            told = self._key.hide(str(found_at(answer, poll.error) or word))[:500]
            is_refused = any(re.search(pattern, told) for pattern in poll.refused)
            return Failed("refused" if is_refused else "failed", told, money)
        if word not in poll.done:
            return Waiting(poll.every)
        outputs = found_at(answer, poll.outputs)
        urls = [outputs] if isinstance(outputs, str) else outputs if isinstance(outputs, list) else []
        assets = tuple(Asset(url) for url in urls if isinstance(url, str))
        if not assets:
            return Failed("failed", "the service says that the job is done, but has no result", money)
        return Done(assets, _seed(found_at(answer, poll.seed)), money)

    async def fetch(self, asset: Asset, place: Path) -> None:
        """Write a result to a file; see `MediaService.fetch`."""
        parts = urlsplit(asset.url)
        is_local = self._described.base_url.startswith("http:")
        if parts.scheme not in (("http", "https") if is_local else ("https",)) or not parts.hostname:
            raise ExpiredError("the address of the result is not one of the web")
        try:
            async with (
                asyncio.timeout(self._timeout) as limit,
                self._plain.stream("GET", asset.url, follow_redirects=True) as response,
            ):
                if response.status_code in (401, 403, 404, 410):
                    raise ExpiredError(f"HTTP {response.status_code}: the address of the result is not valid any more")
                if response.status_code != 200:
                    raise PollError(f"HTTP {response.status_code} instead of the result")
                with place.open("wb") as file:
                    async for chunk in unpacked(response, MOST_MEDIA):
                        file.write(chunk)
                        limit.reschedule(asyncio.get_running_loop().time() + self._timeout)
        except (httpx.HTTPError, BodyError, TimeoutError) as error:
            raise PollError(self._clean(error)) from None

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()
        await self._plain.aclose()

    async def _exchange(self, method: str, path: str, **sent: Any) -> tuple[int, Mapping[str, str], bytes]:
        """Send a request, and return status, headers and body."""
        url = f"{self._described.base_url}{path}"
        async with asyncio.timeout(self._timeout), self._client.stream(method, url, **sent) as response:
            return response.status_code, response.headers, await read_body(response)

    def _told(self, status: int, data: bytes) -> str:
        return self._key.hide(f"HTTP {status}: {read_error(data).message}"[:500])

    def _clean(self, error: BaseException) -> str:
        return self._key.hide(f"{type(error).__name__}: {error}".removesuffix(": "))[:500]


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and 0 < len(str(value)) <= 500


def _seed(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _data_uri(path: Path) -> str:
    """Return a file as a data URI.

    Raises:
        InputError: If the file is too large, or cannot be read.
    """
    try:
        if path.stat().st_size > MOST_INPUT:
            raise InputError(f"{path}: is larger than {MOST_INPUT >> 20} MB, too large to be sent")
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"

"""Several servers of one model: each clip has one server, and the others take over if this server dies.

The server of a clip is drawn from the hash of the clip and the URL of the server (rendezvous hashing), so all asks
about a clip find its prefix in one cache, and a dead server moves only its own clips.

A server counts as down if it refuses a connection, says that it loads its model, or fails a call and then its health
check. A server without any answer for 20 s, while it has calls, is down after three failed health checks. The health
check is ``GET {base URL}/models``; any response below status 500 passes. The asks of a server that is down are sent to
the next server. When its health check passes again, the server gets its clips back, except clips in progress.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime
from typing import Any

import httpx
from pydantic import SecretStr

from chronotope.errors import InputError
from chronotope.models.model import Decoding, PictureBytes, RawReply, StoppedError
from chronotope.models.outcomes import Failure, Outcome
from chronotope.models.services.availability import Trouble
from chronotope.models.services.connections import new_client
from chronotope.models.services.endpoint import Endpoint, EndpointSession, Request
from chronotope.models.services.key import query_of
from chronotope.protocol import Part, clip_key

CHECK_EVERY = 2.0  # seconds between two health checks of a server that is down, or silent
CHECK_TIME = 5.0  # maximum time (s) of a health check
STRIKES = 3  # failed health checks in a row after which a silent server is down
MOST_MOVES = 10  # servers to which one ask is sent before the ask counts as failed


class _GoneError(Exception):
    """The server accepts no connections, or has no model."""


class _Server(Endpoint):
    """One of several servers of a model."""

    def __init__(self, name: str, model: str, base_url: str, key: SecretStr | None, **how: Any) -> None:
        super().__init__(name, model, base_url, key, **how)
        query = query_of(base_url)
        self._health = f"{self.base_url}/models" + (f"?{query}" if query else "")
        self.up, self.since, self.why = True, "", ""
        self.moved = self.strikes = 0
        self.sending: set[asyncio.Task[RawReply]] = set()
        self._checks: httpx.AsyncClient | None = None

    async def _exchange(
        self, body: Sequence[bytes], fields: Mapping[str, object], seed: str, entered: float
    ) -> Outcome:
        outcome = await super()._exchange(body, fields, seed, entered)
        if isinstance(outcome, Failure) and (outcome.unreachable or outcome.loading):
            raise _GoneError(outcome.error)
        return outcome

    async def is_healthy(self) -> bool:
        """Check whether the server responds to a request that costs nothing."""
        if self._checks is None:
            self._checks = new_client(self._health, self.key, CHECK_TIME)
        try:
            async with asyncio.timeout(CHECK_TIME):
                response = await self._checks.get(self._health)
            return response.status_code < 500
        except (TimeoutError, httpx.HTTPError):
            return False

    async def close(self) -> None:
        """Close the connections."""
        await super().close()
        if self._checks is not None:
            await self._checks.aclose()


class Servers:
    """A model behind several servers, which all serve this model.

    ``concurrency`` in ``how`` (the parameters of `Endpoint`) limits the requests in flight at each server, and ``wait``
    limits the time (s) during which no server is up.

    Raises:
        InputError: If a URL or the key cannot be used, or a URL is given twice.
    """

    def __init__(
        self, name: str, model: str, base_urls: Sequence[str], key: SecretStr | None, *, wait: float, **how: Any
    ) -> None:
        self.name = name
        self._wait = wait
        self._servers = [_Server(name, model, url, key, wait=wait, **how) for url in base_urls]
        urls = [server.base_url for server in self._servers]
        if twice := [url for url in urls if urls.count(url) > 1]:
            raise InputError(f"--base-url {twice[0]}: is given twice: give the URL of each server once")
        self.limits = replace(self._servers[0].limits, servers=len(self._servers))
        self._down_since: float | None = None  # the time since which no server is up
        self._changed = asyncio.Event()
        self._watching: asyncio.Task[None] | None = None
        self._stopped = False

    @asynccontextmanager
    async def open(self, prefix: Sequence[Part], pictures: PictureBytes) -> AsyncIterator["ServersSession"]:
        """Encode the prefix once, for all asks of the context."""
        if self._watching is None:
            self._watching = asyncio.create_task(self._watch())
        yield ServersSession(self, prefix, EndpointSession(self._servers[0], prefix, pictures))

    def trouble(self) -> Trouble | None:
        """Return the current problem of the servers (see `Model.trouble`)."""
        down = [server for server in self._servers if not server.up]
        if not down:
            return next((found for server in self._servers if (found := server.trouble()) is not None), None)
        first = f"{down[0].url} (since {down[0].since}: {down[0].why})"
        if len(down) == len(self._servers):
            return Trouble("nobody", f"none of the {len(down)} servers answers, among them {first}")
        told = f"{len(down)} of {len(self._servers)} servers do not answer, among them {first}"
        return Trouble("fewer", f"{told}: the others answer in their place")

    @property
    def remarks(self) -> Sequence[str]:
        """Return a sentence about each server that did not answer."""
        return [
            f"the server at {server.url} stopped answering at {server.since} ({server.why}): {server.moved} calls went "
            "to other servers"
            for server in self._servers
            if server.since
        ]

    def has_answered(self) -> None:
        """Record that the model has replied before."""
        for server in self._servers:
            server.has_answered()

    def stop(self) -> None:
        """Stop sending requests; requests in flight can still end."""
        self._stopped = True
        for server in self._servers:
            server.stop()
        self._tell()

    async def close(self) -> None:
        """Close the connections, and end the health checks."""
        if self._watching is not None:
            self._watching.cancel()
            with suppress(asyncio.CancelledError):
                await self._watching
            self._watching = None
        for server in self._servers:
            await server.close()

    async def choose(self, key: str) -> _Server:
        """Return the server of a clip; wait while no server is up.

        StoppedError is raised if the model is stopped meanwhile.

        Raises:
            InputError: If no server is up during the whole waiting time.
        """
        while not self._stopped:
            if up := [server for server in self._servers if server.up]:
                return max(up, key=lambda server: rank(key, server.base_url))
            now = asyncio.get_running_loop().time()
            left = self._wait - (now - (self._down_since or now))
            if left <= 0:
                told = "; ".join(f"{server.url}: {server.why}" for server in self._servers)
                raise InputError(
                    f"{self.name}: none of the {len(self._servers)} servers answers (tried for {self._wait:g} s; "
                    f"{told}): check that they run and that the base URLs are correct, and run the command again"
                )
            with suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._changed.wait()
        raise StoppedError(f"{self.name} was stopped before this was sent")

    async def send(self, server: _Server, request: Request, seed: str, *, urgent: bool) -> RawReply | None:
        """Send a request to a server.

        Returns None if the server is down, so that the request must be sent to another server.
        """
        sending = asyncio.create_task(server.send(request.body, request.fields, seed, urgent=urgent))
        server.sending.add(sending)
        try:
            reply = await sending
        except _GoneError as error:
            self._mark_down(server, str(error))
            reply = None
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if server.up or (task is not None and task.cancelling()):
                raise
            reply = None  # the server was silent, and another server must be asked
        finally:
            server.sending.discard(sending)
        if reply is not None and reply.state == "failed" and not self._stopped and not await server.is_healthy():
            self._mark_down(server, reply.error or "it failed its health check")
            reply = None
        server.moved += reply is None
        return reply

    def _mark_down(self, server: _Server, why: str) -> None:
        if not server.up:
            return
        server.up, server.why, server.strikes = False, why, 0
        server.since = f"{datetime.now().astimezone():%H:%M:%S}"
        if not any(one.up for one in self._servers):
            self._down_since = asyncio.get_running_loop().time()

    def _tell(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(CHECK_EVERY)
            await asyncio.gather(*map(self._look_at, self._servers))

    async def _look_at(self, server: _Server) -> None:
        """Check a server that is down or silent, and record the result."""
        if not server.up:
            if await server.is_healthy():
                server.up, self._down_since = True, None
                self._tell()
            return
        silent = server.trouble()
        if silent is None or not server.sending or await server.is_healthy():
            server.strikes = 0
            return
        server.strikes += 1
        if server.strikes >= STRIKES and any(one.up for one in self._servers if one is not server):
            self._mark_down(server, "no answer, and no answer to health checks")
            for sending in server.sending:
                sending.cancel()


class ServersSession:
    """The asks of one group, which go to one server as long as this server is up."""

    def __init__(self, servers: Servers, prefix: Sequence[Part], encoded: EndpointSession) -> None:
        self._servers, self._encoded = servers, encoded
        self._key = clip_key(prefix)
        self._server: _Server | None = None
        self._led: dict[str, asyncio.Event] = {}  # by server that took over: set when its cache has the prefix

    async def ask(self, tail: Sequence[Part], decoding: Decoding, *, seed: str, urgent: bool = False) -> RawReply:
        """Send the prefix followed by ``tail`` to the server of the clip.

        If this server is down, the next server is asked.

        Raises:
            InputError: See `Servers.choose`, and `EndpointSession.ask`.
        """
        request = self._encoded.request(tail, decoding)
        for moves in range(MOST_MOVES):
            try:
                server = await self._place(clip_key(tail) or seed)
                async with self._in_turn(server) as leads:
                    reply = await self._servers.send(server, request, seed, urgent=urgent or leads)
            except StoppedError:
                if not moves:
                    raise
                return RawReply("failed", error="the servers did not answer", attempts=moves, pictures=request.pictures)
            if reply is not None:
                return replace(reply, pictures=request.pictures, attempts=reply.attempts + moves)
        return RawReply("failed", error="no server answered", attempts=MOST_MOVES, pictures=request.pictures)

    async def _place(self, key: str) -> _Server:
        """Return the server of the next ask; ``key`` is used if the prefix shows no clip."""
        if self._key is None:
            return await self._servers.choose(key)
        if self._server is None:
            self._server = await self._servers.choose(self._key)
            self._led[self._server.base_url] = led = asyncio.Event()
            led.set()  # the engine has decided whether the first ask goes alone
        elif not self._server.up:
            self._server = await self._servers.choose(self._key)
        return self._server

    @asynccontextmanager
    async def _in_turn(self, server: _Server) -> AsyncIterator[bool]:
        """Let the first ask of a shared prefix go alone to a server that takes over.

        Yields whether this ask is the first.
        """
        led = self._led.get(server.base_url)
        if led is not None or self._key is None:
            if led is not None:
                await led.wait()
            yield False
            return
        self._led[server.base_url] = led = asyncio.Event()
        try:
            yield True
        finally:
            led.set()


def rank(key: str, url: str) -> bytes:
    """Return the rank of a server for a clip; the server with the highest rank is asked."""
    return hashlib.sha256(f"{key} {url}".encode()).digest()

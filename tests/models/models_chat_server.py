"""A chat-completions service on a real socket that writes down what it receives and misbehaves as told."""

import asyncio
import contextlib
import json
import socket
import struct
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NoReturn

from chronotope.models import Decoding, RawReply
from chronotope.models.endpoint import Endpoint
from chronotope.protocol import Picture, Text, Video


@dataclass(frozen=True)
class Answer:
    """How one request is answered.

    ``cut``: the share of the body that is sent before the connection is closed; ``drip``: s between its bytes. A header
    that is None is not sent.
    """

    body: bytes = b""
    status: int = 200
    headers: dict[str, str | None] = field(default_factory=dict)
    reason: str | None = None
    drip: float = 0.0
    delay: float = 0.0
    hang: bool = False
    reset: bool = False
    cut: float | None = None


@dataclass(frozen=True)
class Received:
    path: str
    headers: list[tuple[str, str]]
    raw: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.raw)

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name), None)


def completion(text: Any = "A", finish: str | None = "stop", usage: Any = None, **message: Any) -> bytes:
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text} | message}
    return json.dumps({"id": "1", "object": "chat.completion", "choices": [choice], "usage": usage}).encode()


def error(
    status: int, message: str = "on purpose", headers: dict[str, str | None] | None = None, **more: Any
) -> Answer:
    return Answer(json.dumps({"error": {"message": message, **more}}).encode(), status, headers or {})


GOOD = Answer(completion())


class _Listener(ThreadingHTTPServer):
    request_queue_size = 256  # a hundred clients may connect at once


class ChatServer:
    """Answers the n-th request with the n-th answer of the script, the last one for ever, or with what a rule says."""

    def __init__(self, script: Sequence[Answer] | Callable[[Received], Answer] = (GOOD,), port: int = 0) -> None:
        self.script = script
        self.received: list[Received] = []
        self.in_flight = self.peak = 0
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._http = _Listener(("127.0.0.1", port), self._handler())
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def port(self) -> int:
        return self._http.server_address[1]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> "ChatServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._http.shutdown()
        self._http.server_close()

    def restart(self, script: Sequence[Answer]) -> None:
        self.script, self.received, self.peak = script, [], 0

    def _take(self, request: Received) -> Answer:
        with self._lock:
            self.in_flight += 1
            self.peak = max(self.peak, self.in_flight)
            self.received.append(request)
            if callable(self.script):
                return self.script(request)
            return self.script[min(len(self.received), len(self.script)) - 1]

    def _left(self) -> None:
        with self._lock:
            self.in_flight -= 1

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        chat = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["Content-Length"]))
                answer = chat._take(Received(self.path, list(self.headers.items()), raw))
                try:
                    chat._stopped.wait(60 if answer.hang else answer.delay)
                finally:
                    chat._left()
                if answer.reset:
                    linger = struct.pack("ii", 1, 0)
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                    self.connection.close()
                    self.close_connection = True
                    return
                self.send_response(answer.status, answer.reason)
                for name, value in ({"Content-Type": "application/json"} | answer.headers).items():
                    if value is not None:
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                for byte in answer.body if answer.drip else b"":
                    self.wfile.write(bytes([byte]))
                    if chat._stopped.wait(answer.drip):
                        return
                if answer.drip:
                    return
                self.wfile.write(answer.body[: None if answer.cut is None else int(len(answer.body) * answer.cut)])
                self.close_connection = answer.cut is not None

            def log_message(self, *_: object) -> None:
                pass

            def handle(self) -> None:
                try:
                    super().handle()
                except (OSError, ValueError):
                    self.close_connection = True  # the client has gone, or we reset the connection

            def finish(self) -> None:
                with contextlib.suppress(OSError, ValueError):
                    super().finish()

        return Handler


def no_pictures(shown: Picture | Video) -> NoReturn:
    raise AssertionError(f"{shown} was asked for")


def ask(
    url: str, seeds: Sequence[str] = ("q",), together: bool = False, urgent: Sequence[str] = (), **settings: Any
) -> list[RawReply]:
    """Ask a new endpoint once per seed, one after the other or all at once."""
    settings = {"retries": 2, "timeout": 10.0, "backoff": 0.001} | settings

    async def go() -> list[RawReply]:
        endpoint = Endpoint("endpoint/m", "m", url, **settings)
        try:
            async with endpoint.open([Text("Which? ")], no_pictures) as session:

                async def one(seed: str) -> RawReply:
                    return await session.ask([Text(seed)], Decoding(), seed=seed, urgent=seed in urgent)

                return await asyncio.gather(*map(one, seeds)) if together else [await one(seed) for seed in seeds]
        finally:
            await endpoint.close()

    return asyncio.run(go())

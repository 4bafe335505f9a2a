"""A service on a real socket, as tests use it: it writes down what it receives, answers, and misbehaves as told."""

import base64
import contextlib
import itertools
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

HERE = Path(__file__).parent


def free_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclass(frozen=True)
class Received:
    """A request: its line, headers and body, how many came before it, and how many are at work with it."""

    line: str
    headers: list[tuple[str, str]]
    raw: bytes
    number: int
    at_work: int

    @property
    def method(self) -> str:
        return self.line.split()[0]

    @property
    def path(self) -> str:
        return self.line.split()[1]

    @property
    def json(self) -> Any:
        return json.loads(self.raw)

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


@dataclass(frozen=True)
class Answer:
    """How one request is answered.

    ``body``: bytes, or what JSON can say. A header that is None is not sent. ``delay``: s before the answer; ``drip``:
    s between its bytes; ``cut``: the share of the body that is sent before the connection is closed. ``then`` is called
    when the answer was sent, or the caller has gone.
    """

    body: Any = b""
    status: int = 200
    headers: Mapping[str, str | None] = field(default_factory=dict)
    reason: str | None = None
    drip: float = 0.0
    delay: float = 0.0
    hang: bool = False
    reset: bool = False
    silent: bool = False
    cut: float | None = None
    then: Callable[[], object] | None = None

    @property
    def data(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


def completion(
    content: object, tokens: tuple[int, int] = (70, 30), model: str = "x", finish: str = "stop"
) -> dict[str, Any]:
    """The body of an answer, as the service's own client takes it; ``tokens`` are those of input and of output."""
    message = {"role": "assistant", "content": content}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        "usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)},
    }


def error(
    status: int, message: str = "on purpose", headers: Mapping[str, str | None] | None = None, **more: Any
) -> Answer:
    """An error in the usual form."""
    return Answer({"error": {"message": message, **more}}, status, headers or {})


def parts_of(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The parts of all messages in order, a plain text being one."""
    contents = (message["content"] for message in body["messages"])
    return [
        part
        for content in contents
        for part in ([{"type": "text", "text": content}] if isinstance(content, str) else content or [])
    ]


def data_of(part: Mapping[str, Any]) -> bytes:
    """The bytes of a picture or video."""
    return base64.b64decode(part[part["type"]]["url"].partition(",")[2])


def read_parts(body: Mapping[str, Any]) -> tuple[str, list[bytes]]:
    """The text of all messages, and their pictures and videos in order."""
    parts = parts_of(body)
    text = "".join(part["text"] for part in parts if part["type"] == "text")
    return text, [data_of(part) for part in parts if part["type"] != "text"]


class _Listener(ThreadingHTTPServer):
    request_queue_size = 512  # none of many callers at once waits a second for its next try
    daemon_threads = True
    service: "Service"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or the body waits 40 ms for word that the head has come
    server: _Listener

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"] or 0))
        answer = self.server.service.receive(self.requestline, list(self.headers.items()), raw)
        try:
            self._send(answer)
        finally:
            self.server.service.end_caller(before_reply=False)
            if answer.then is not None:
                answer.then()

    def do_GET(self) -> None:
        self.do_POST()

    def do_PUT(self) -> None:
        self.do_POST()

    def do_HEAD(self) -> None:
        self.do_POST()

    def _send(self, answer: Answer) -> None:
        body, stopped = answer.data, self.server.service.stopped
        self.close_connection |= answer.cut is not None or answer.reset or answer.silent
        if answer.reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
        if answer.reset or answer.silent:
            return
        self.send_response(answer.status, answer.reason)
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **answer.headers}
        for name, value in headers.items():
            if value is not None:
                self.send_header(name, value)
        self.end_headers()
        for byte in body if answer.drip else b"":
            self.wfile.write(bytes([byte]))
            if stopped.wait(answer.drip):
                return
        if not answer.drip and self.command != "HEAD":
            self.wfile.write(body[: None if answer.cut is None else int(len(body) * answer.cut)])

    def log_message(self, *_: object) -> None:
        """Say nothing on the terminal."""

    def handle(self) -> None:
        try:
            super().handle()
        except (OSError, ValueError):
            self.close_connection = True  # the client has gone, or we reset the connection

    def finish(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            super().finish()


class Service:
    """A service in threads of this process, which takes many callers at once and stops at once.

    Subclasses say in ``take`` how a request is answered; by default a chat completion says A. ``received`` has the
    requests in order, ``in_flight`` and ``peak`` how many are, and at most were, at work.
    """

    def __init__(self, port: int = 0) -> None:
        self.received: list[Received] = []
        self.keeps = True
        self.arrived = self.in_flight = self.peak = 0
        self._order: tuple[int, int, signal.Signals, bool] | None = None
        self.stopped = threading.Event()
        self.lock = threading.Lock()
        self._listener = _Listener(("127.0.0.1", port), _Handler)
        self._listener.service = self
        threading.Thread(target=self._listener.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def take(self, request: Received) -> Answer:
        """Say how a request is answered."""
        return Answer(completion("A"))

    def receive(self, line: str, headers: list[tuple[str, str]], raw: bytes) -> Answer:
        """Write a request down, and wait as long as its answer takes."""
        with self.lock:
            self.in_flight += 1
            self.peak = max(self.peak, self.in_flight)
            request = Received(line, headers, raw, self.arrived, self.in_flight)
            self.arrived += 1
            if self.keeps:
                self.received.append(request)
        try:
            answer = self.take(request)
            if answer.hang or answer.delay:
                self.stopped.wait(600 if answer.hang else answer.delay)
        finally:
            with self.lock:
                self.in_flight -= 1
        self.end_caller(before_reply=True)
        return answer

    def end_at(
        self, pid: int, requests: int, by: signal.Signals = signal.SIGKILL, *, before_reply: bool = True
    ) -> None:
        """Order that a process gets a signal at the n-th request from now, before it is answered or right after.

        A test that watches from outside may come too late, when all requests have been answered.
        """
        with self.lock:
            self._order = (pid, self.arrived + requests, by, before_reply)

    def end_caller(self, *, before_reply: bool) -> None:
        """Send the signal that was ordered, if it is time for it."""
        with self.lock:
            if self._order is None or self.arrived < self._order[1] or self._order[3] is not before_reply:
                return
            (pid, _, by, _), self._order = self._order, None
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, by)

    @property
    def port(self) -> int:
        return self._listener.server_address[1]

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.root}/v1"

    def close(self) -> None:
        self.stopped.set()
        self._listener.shutdown()
        self._listener.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self) -> None:
        """Print the port, and serve until this process is killed; requests are not kept."""
        self.keeps = False
        print(self.port, flush=True)
        self.stopped.wait()


class ChatService(Service):
    """A service of the chat-completions form.

    Subclasses say in ``answer`` with which status and body. ``bodies`` and ``heads`` are what was received, in order;
    ``headers`` are sent with each answer.
    """

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.heads: list[dict[str, str]] = []
        self.headers: dict[str, str] = {}
        super().__init__()

    def take(self, request: Received) -> Answer:
        body = request.json
        with self.lock:
            self.bodies.append(body)
            self.heads.append(dict(request.headers))
        status, told = self.answer(body)
        return Answer(told, status, self.headers)

    def answer(self, body: dict[str, Any]) -> tuple[int, Mapping[str, Any] | bytes]:
        """Return the status and the body of the answer to a request."""
        return 200, completion("A")


def wait_while_held(folder: Path, number: int) -> None:
    """Wait as long as `ServiceProcess.hold` has it, if this is one of the requests that are held."""
    with contextlib.suppress(FileNotFoundError):
        while number >= int((folder / "hold").read_text()):
            time.sleep(0.01)


class ServiceProcess:
    """A script that runs a service as a process of its own; the script finds this module."""

    def __init__(self, script: Path, folder: Path, *words: object) -> None:
        self.folder = folder
        paths = [str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]
        self.process = subprocess.Popen(
            [sys.executable, *map(str, (script, folder, *words))],
            stdout=subprocess.PIPE,
            text=True,
            # Threads within each product of matrices would only wait for those of other requests.
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths), "OPENBLAS_NUM_THREADS": "1"},
        )
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline())

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def requests(self) -> list[dict[str, Any]]:
        """What it wrote down of each request."""
        return [json.loads(line) for line in (self.folder / "requests.jsonl").read_text().splitlines()]

    def hold(self, number: int = 0) -> None:
        """Leave the requests from this number on, counted from 0, without an answer until `go_on`."""
        temporary = self.folder / "hold.new"
        temporary.write_text(str(number))
        temporary.replace(self.folder / "hold")

    def go_on(self) -> None:
        """Answer what was held."""
        (self.folder / "hold").unlink()

    def stop(self) -> None:
        """End it; a second time changes nothing."""
        self.process.kill()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class SeeingProcess(ServiceProcess):
    """The service that looks at what it is sent (evaluate/support/seeing_server.py), which stands for many."""

    def __init__(self, folder: Path) -> None:
        super().__init__(HERE / "evaluate" / "support" / "seeing_server.py", folder)
        self._numbers = itertools.count()

    def looking(self, *options: object) -> tuple[str, Path]:
        """The address of a service with these options, and the file in which it writes down what it is asked."""
        name = f"service-{next(self._numbers)}"
        url = f"http://127.0.0.1:{self.port}/{name}/{quote(json.dumps(options), safe='')}/v1"
        return url, self.folder / f"{name}.jsonl"

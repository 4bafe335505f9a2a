"""What can go wrong between a service and its caller: each fault takes a handler that has read its request."""

import contextlib
import json
import socket
import struct
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler

PAGE = b"<!DOCTYPE html><html><head><title>502</title></head><body>Answer: A</body></html>"


def completion(reply: str, finish: str = "stop") -> bytes:
    """A chat completion that says ``reply``."""
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": reply}}
    usage = {"prompt_tokens": 100, "completion_tokens": 5}
    return json.dumps({"id": "1", "object": "chat.completion", "choices": [choice], "usage": usage}).encode()


def send(
    handler: BaseHTTPRequestHandler,
    body: bytes,
    status: int = 200,
    content_type: str = "application/json",
    headers: dict[str, str] | None = None,
    length: int | None = None,
) -> None:
    """An answer; ``length`` is what its header says, where that is not the truth."""
    handler.send_response(status)
    for name, value in ({"Content-Type": content_type} | (headers or {})).items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(body) if length is None else length))
    handler.end_headers()
    handler.wfile.write(body)
    handler.wfile.flush()


def said(status: int, message: str = "on purpose", **headers: str) -> Callable[[BaseHTTPRequestHandler], None]:
    """An error in the usual form; underscores of header names are dashes."""
    body = json.dumps({"error": {"message": message, "type": "on_purpose"}}).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler: send(handler, body, status, headers=named)


def hang(handler: BaseHTTPRequestHandler) -> None:
    """Never answer."""
    time.sleep(600)


def drip(handler: BaseHTTPRequestHandler) -> None:
    """A blank every tenth of a second, as JSON may begin with them, and never anything else."""
    send(handler, b"", length=100_000)
    with contextlib.suppress(OSError):
        while True:
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.1)
    handler.close_connection = True


def half(handler: BaseHTTPRequestHandler) -> None:
    """Half of a good answer, and the connection ends."""
    body = completion("A")
    send(handler, body[: len(body) // 2], length=len(body))
    handler.close_connection = True


def reset(handler: BaseHTTPRequestHandler) -> None:
    """The connection is torn down."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()
    handler.close_connection = True


def events(handler: BaseHTTPRequestHandler) -> None:
    """A stream of events, which nobody asked for."""
    chunk = json.dumps({"choices": [{"index": 0, "delta": {"content": "A"}}]})
    send(handler, f"data: {chunk}\n\ndata: [DONE]\n\n".encode(), content_type="text/event-stream")


# Every one of them could be mistaken for the answer A by a careless reader.
FAULTS: dict[str, Callable[[BaseHTTPRequestHandler], None]] = {
    "429": said(429, "Answer: A"),
    "429 with Retry-After": said(429, "Answer: A", Retry_After="1"),
    "500": said(500, "Answer: A"),
    "503": said(503, "Answer: A"),
    "hang": hang,
    "drip": drip,
    "half a body": half,
    "HTML": lambda handler: send(handler, PAGE, content_type="text/html"),
    "HTML under 502": lambda handler: send(handler, PAGE, 502, content_type="text/html"),
    "not UTF-8": lambda handler: send(handler, completion("A\x00").replace(b"\\u0000", b"\xff\xfe")),
    "another charset": lambda handler: send(
        handler, completion("A").decode().encode("utf-16"), content_type="application/json; charset=utf-16"
    ),
    "connection reset": reset,
    "plain text": lambda handler: send(handler, b"A", content_type="text/plain"),
    "a stream of events": events,
    "a good answer of another type": lambda handler: send(handler, completion("A"), content_type="text/plain"),
    "a picture": lambda handler: send(handler, b"\x89PNG\r\n\x1a\nA", content_type="image/png"),
}

"""The web server of the standard library as tests use it: nobody waits for it without need."""

import json
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

__all__ = ["ChatService", "PromptServer", "completion"]


class PromptServer(ThreadingHTTPServer):
    """Takes many callers at once and stops at once.

    Where only five may stand in its queue, as usual, the sixth of those who come together tries again a second later.
    """

    request_queue_size = 256

    def start(self) -> None:
        """Serve from a thread of this process, until ``shutdown``."""
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()


class ChatService:
    """A service of the chat-completions form in a thread of this process, which answers A.

    Subclasses answer otherwise: ``answer`` gets the body of a request and returns a status and a body. ``bodies`` and
    ``heads`` are what was received, in order; ``headers`` are sent with each answer.
    """

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.heads: list[dict[str, str]] = []
        self.headers: dict[str, str] = {}
        service, keeping = self, threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # or the body waits 40 ms for word that the head has come

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with keeping:
                    service.bodies.append(body)
                    service.heads.append(dict(self.headers.items()))
                status, told = service.answer(body)
                data = told if isinstance(told, bytes) else json.dumps(told).encode()
                try:
                    self.send_response(status)
                    for name, value in ({"Content-Type": "application/json"} | service.headers).items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:
                    pass  # whoever asked was stopped meanwhile

            def log_message(self, *_: object) -> None:
                pass

        self._server = PromptServer(("127.0.0.1", 0), Handler)
        self._server.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def answer(self, body: dict[str, Any]) -> tuple[int, Mapping[str, Any] | bytes]:
        """Return the status and the body of the answer to a request."""
        return 200, completion("A")

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def completion(content: object, tokens: tuple[int, int] = (70, 30), model: str = "x") -> dict[str, Any]:
    """The body of an answer, as the service's own client takes it; ``tokens`` are those of input and of output."""
    message = {"role": "assistant", "content": content}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)},
    }

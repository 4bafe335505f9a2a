"""A service of the chat-completions form on this machine that answers by the hash of the one picture it is sent."""

import base64
import hashlib
import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler

from small_servers import PromptServer


class WriterService:
    """``answers`` maps the SHA-256 of a picture to what is said of it; ``requests`` counts what was asked of each.

    ``spoiled`` says how many replies about a picture are no JSON first; ``refuse`` is a status for every reply;
    ``free`` bounds how many are answered before all others wait for ``go_on``.
    """

    def __init__(self, answers):
        self.answers, self.requests, self.texts = answers, Counter(), []
        self.spoiled, self.refuse, self.free = Counter(), None, None
        self.go_on, self.lock, self.running, self.most = threading.Event(), threading.Lock(), 0, 0
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status, told = service.answer(body)
                data = json.dumps(told).encode()
                try:
                    self.send_response(status)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:
                    pass  # whoever asked was killed meanwhile

            def log_message(self, *_):
                pass

        self.server = PromptServer(("127.0.0.1", 0), Handler)
        self.server.start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    def close(self):
        self.go_on.set()
        self.server.shutdown()
        self.server.server_close()

    def answer(self, body):
        parts = [part for message in body["messages"] for part in parts_of(message["content"])]
        urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
        pictures = {hashlib.sha256(base64.b64decode(url.split(",")[1])).hexdigest() for url in urls}
        [picture] = pictures
        with self.lock:
            self.requests[picture] += 1
            self.texts.append("\n".join(part["text"] for part in parts if part["type"] == "text"))
            waits = self.free is not None and self.requests.total() > self.free
            spoiled = self.spoiled[picture] > 0
            self.spoiled[picture] -= spoiled
            self.running += 1
            self.most = max(self.most, self.running)
        if waits:
            self.go_on.wait(60)
        with self.lock:
            self.running -= 1
        if self.refuse:
            return self.refuse, {"error": {"message": "no"}}
        content = "Here you are: two panels." if spoiled else json.dumps(self.answers[picture])
        message = {"role": "assistant", "content": content}
        return 200, {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": "w",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 70, "completion_tokens": 30, "total_tokens": 100},
        }


def parts_of(content):
    """The parts of a message, a plain text being one."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content or []

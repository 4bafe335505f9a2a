"""A chat-completions server of the standard library that answers a letter and writes down what it was sent.

usage: answering_server.py FOLDER [--latency S] [--tokens N] [--cost X]. It prints its port. One JSON line a request
goes to FOLDER/requests.jsonl: the SHA-256 of every picture or video in order, the text of the whole prompt, the letter
answered, and how many requests were at work. Pictures are kept in FOLDER/<sha256>. While FOLDER/broken exists, prompts
with "Sunday" get HTTP 400, while FOLDER/unpaid exists HTTP 402 at once; while FOLDER/mute exists, those with "Sunday"
get the reply "I would rather not say".
"""

import argparse
import base64
import hashlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("folder", type=Path)
parser.add_argument("--latency", type=float, default=0.0)
parser.add_argument("--tokens", type=int, default=0, help="input tokens of a picture; -1: none are reported at all")
parser.add_argument("--cost", type=float, help="what a call costs, told in its usage")
arguments = parser.parse_args()
folder: Path = arguments.folder
lock = threading.Lock()
log = (folder / "requests.jsonl").open("a", buffering=1)
working = 0


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        global working
        with lock:
            working += 1
            at_work = working
        try:
            status, content = self.answer(at_work)
        finally:
            with lock:
                working -= 1
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def answer(self, at_work: int) -> tuple[int, bytes]:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/chat/completions":
            return 404, b"{}"
        pictures, texts = [], []
        for message in body["messages"]:
            content = message["content"]
            for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
                if part["type"] == "text":
                    texts.append(part["text"])
                    continue
                data = base64.b64decode(part[part["type"]]["url"].partition(",")[2])
                pictures.append(hashlib.sha256(data).hexdigest())
                (folder / pictures[-1]).write_bytes(data)
        text = "".join(texts)
        if "Sunday" in text and (folder / "unpaid").exists():
            return 402, json.dumps({"error": {"message": "no credit is left"}}).encode()
        time.sleep(arguments.latency)
        letter = "ABCD"[hashlib.sha256(text.encode()).digest()[0] % 4]
        with lock:
            log.write(json.dumps({"pictures": pictures, "text": text, "letter": letter, "at_work": at_work}) + "\n")
        if "Sunday" in text and (folder / "broken").exists():
            return 400, json.dumps({"error": {"message": "not on a Sunday"}}).encode()
        reply = "I would rather not say" if "Sunday" in text and (folder / "mute").exists() else letter
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": reply}}
        tokens = len(text) // 4 + arguments.tokens * len(pictures)
        usage = {"prompt_tokens": tokens, "completion_tokens": 1} if arguments.tokens >= 0 else None
        if usage is not None and arguments.cost is not None:
            usage["cost"] = arguments.cost
        return 200, json.dumps({"object": "chat.completion", "choices": [choice], "usage": usage}).encode()

    def log_message(self, *arguments: object) -> None:
        """Say nothing on the terminal."""


ThreadingHTTPServer.request_queue_size = 512  # none of many requests at once waits a second for its next try
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_address[1], flush=True)
server.serve_forever()

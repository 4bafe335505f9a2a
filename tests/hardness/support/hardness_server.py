"""A chat-completions service of the standard library, a process of its own, that writes down what it is asked.

usage: hardness_server.py FOLDER [--port N] [--latency S] [--mode oracle|always|drawn|fast] [--padding N] [--echo]

It prints its port. What it knows is in FOLDER/knowledge.json, ``{stem: [texts or picture hashes that are right]}``: no
ids, no letters. ``oracle`` answers rightly in ten styles, one after the other; ``always`` says A; ``drawn`` draws from
the text of the prompt, refusals among it, so that equal prompts have equal replies; ``fast`` says A without reading the
pictures. FOLDER/requests.jsonl has one line when a request has arrived (``event`` "in") and one when its answer has
been written ("out").

FOLDER/faults.json, ``{stem: [fault, times]}``, names what goes wrong (hardness_faults.py, or an echo below) and how
often; -1 is always. FOLDER/kill.json, ``{"pid", "answered"}``: that process gets SIGKILL behind the answer of that
number. ``--padding`` makes replies longer by so many characters. ``--echo`` puts the request's line and headers, as
received, into FOLDER/heads.jsonl, and its body into FOLDER/bodies.
"""

import argparse
import contextlib
import hashlib
import json
import os
import signal
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from hardness_faults import FAULTS, completion, said, send
from hardness_prompts import find_options, find_stem, linear, right_letters
from hardness_styles import STYLES

parser = argparse.ArgumentParser()
parser.add_argument("folder", type=Path)
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--latency", type=float, default=0.0)
parser.add_argument("--mode", default="oracle", choices=["oracle", "always", "drawn", "fast"])
parser.add_argument("--padding", type=int, default=0)
parser.add_argument("--echo", action="store_true")
arguments = parser.parse_args()
folder: Path = arguments.folder
lock = threading.Lock()
log = os.open(folder / "requests.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
knowledge: dict[str, list[str]] = json.loads((folder / "knowledge.json").read_text())
arrived = 0
answered = 0
by_stem: Counter[str] = Counter()


def write(row: dict[str, Any]) -> None:
    os.write(log, json.dumps(row).encode() + b"\n")


def reply(stem: str | None, text: str, number: int) -> tuple[str, str]:
    """What is said, and a word about it for the log."""
    if arguments.mode in ("always", "fast"):
        return "A", "always A"
    digest = hashlib.sha256(text.encode()).digest()
    options = find_options(text, stem) if stem else {}
    if arguments.mode == "drawn":
        letters = [list(options)[digest[0] % len(options)]] if options else []
        number = digest[1]
        if digest[2] % 8 == 0:
            return "I would rather not say.", "declined"
    else:
        letters = right_letters(options, knowledge[stem]) if stem else []
    if not letters:
        return "I do not know this question.", "lost"
    style = number % len(STYLES)
    return STYLES[style](letters, options), STYLES[style].__name__


def echo(name: str, handler: BaseHTTPRequestHandler) -> None:
    """The key, repeated in every way that services have."""
    header = handler.headers.get("Authorization", "")
    key = header.removeprefix("Bearer ")
    if name == "echo 400":
        said(400, f"Bad request with {header}")(handler)
    elif name == "echo 401":
        said(401, f"Incorrect API key provided: {key}")(handler)
    elif name == "echo 500":
        said(500, f"Upstream refused key={key}")(handler)
    elif name == "echo page":
        page = f"<html><body>curl -H 'Authorization: {header}'</body></html>".encode()
        send(handler, page, 502, content_type="text/html")
    elif name == "echo page 200":
        send(handler, f"<html><body>{header}</body></html>".encode(), content_type="text/html")
    elif name == "echo plain":
        send(handler, f"who is {key}?".encode(), 500, content_type="text/plain")
    elif name == "echo under 200":
        send(handler, json.dumps({"error": {"message": f"no upstream for {header}"}}).encode())
    elif name == "echo reply":
        send(handler, completion(f"A\n\nYour header was Authorization: {header}"))
    elif name == "echo reasoning":
        body = json.loads(completion("A"))
        body["choices"][0]["message"]["reasoning_content"] = f"I was called with {key}"
        send(handler, json.dumps(body).encode())
    elif name == "echo finish":
        send(handler, completion("A", finish=f"content_filter: {key}"))
    elif name == "redirect":
        send(handler, b"", 307, headers={"Location": (folder / "elsewhere").read_text()})


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        global arrived, answered
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        digest = hashlib.sha256(raw).hexdigest()
        text, pictures = ("", []) if arguments.mode == "fast" else linear(json.loads(raw))
        stem = find_stem(text, knowledge)
        if arguments.echo:
            (folder / "bodies" / digest).write_bytes(raw)
        with lock:
            number, arrived = arrived, arrived + 1
            by_stem[stem or ""] += 1
            if arguments.echo:
                with (folder / "heads.jsonl").open("a") as heads:
                    heads.write(json.dumps([self.requestline, *map(list, self.headers.items())]) + "\n")
        words, about = reply(stem, text, number)
        row = {"event": "in", "n": number, "body": digest, "stem": stem, "text": text, "pictures": pictures}
        write(row | {"about": about, "length": len(raw), "path": self.path})
        fault = self.fault(stem)
        time.sleep(arguments.latency)
        try:
            if fault is None:
                send(self, completion(words + "\n" + "-" * arguments.padding if arguments.padding else words))
            elif fault in FAULTS:
                FAULTS[fault](self)
            else:
                echo(fault, self)
        finally:  # also where the caller has gone
            with lock:
                answered += 1
                write({"event": "out", "n": number, "fault": fault})
                self.kill(answered)

    def fault(self, stem: str | None) -> str | None:
        """What is to go wrong with this request."""
        try:
            name, times = json.loads((folder / "faults.json").read_text())[stem]
        except (FileNotFoundError, KeyError):
            return None
        return name if times < 0 or by_stem[stem or ""] <= times else None

    def kill(self, count: int) -> None:
        """Kill the caller where it was ordered, once."""
        order = folder / "kill.json"
        if order.exists():
            wanted = json.loads(order.read_text())
            if count >= wanted["answered"]:
                os.kill(wanted["pid"], signal.SIGKILL)
                order.unlink()

    def handle(self) -> None:
        try:
            super().handle()
        except (OSError, ValueError):
            self.close_connection = True  # the caller has gone, or we reset the connection

    def finish(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            super().finish()

    def log_message(self, *_: object) -> None:
        """Say nothing on the terminal."""


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


if __name__ == "__main__":
    if arguments.echo:
        (folder / "bodies").mkdir(exist_ok=True)
    server = Server(("127.0.0.1", arguments.port), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()

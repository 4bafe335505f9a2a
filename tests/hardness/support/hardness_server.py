"""A chat-completions service in a process of its own that writes down what it is asked.

usage: hardness_server.py FOLDER [--port N] [--latency S] [--mode oracle|always|drawn|fast] [--padding N] [--echo]

It prints its port. What it knows is in FOLDER/knowledge.json, ``{stem: [texts or picture hashes that are right]}``: no
ids, no letters. ``oracle`` answers rightly in ten styles, one after the other; ``always`` says A; ``drawn`` draws from
the text of the prompt, refusals among it, so that equal prompts have equal replies; ``fast`` says A without reading the
pictures. FOLDER/requests.jsonl has one line when a request has arrived (``event`` "in") and one when its answer has
been written ("out").

FOLDER/faults.json, ``{stem: [fault, times]}``, names what goes wrong (hardness_faults.py, or an echo below) and how
often; -1 is always. FOLDER/kill.json, ``{"pid", "answered", "by"}``: that process gets this signal behind the answer
of that number. ``--padding`` makes replies longer by so many characters. ``--echo`` puts the request's line and
headers, as received, into FOLDER/heads.jsonl, and its body into FOLDER/bodies.
"""

import argparse
import hashlib
import json
import os
import signal
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from hardness_faults import FAULTS, typed
from hardness_prompts import find_options, find_stem, linear, right_letters
from hardness_styles import STYLES

from service import Answer, Received, Service, completion, error, wait_while_held

parser = argparse.ArgumentParser()
parser.add_argument("folder", type=Path)
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--latency", type=float, default=0.0)
parser.add_argument("--mode", default="oracle", choices=["oracle", "always", "drawn", "fast"])
parser.add_argument("--padding", type=int, default=0)
parser.add_argument("--echo", action="store_true")
arguments = parser.parse_args()
folder: Path = arguments.folder
log = os.open(folder / "requests.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
knowledge: dict[str, list[str]] = json.loads((folder / "knowledge.json").read_text())
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


def echo(name: str, header: str) -> Answer:
    """The key, repeated in every way that services have."""
    key = header.removeprefix("Bearer ")
    page = f"<html><body>curl -H 'Authorization: {header}'</body></html>".encode()
    reasoning = completion("A")
    reasoning["choices"][0]["message"]["reasoning_content"] = f"I was called with {key}"
    elsewhere = folder / "elsewhere"
    return {
        "echo 400": error(400, f"Bad request with {header}"),
        "echo 401": error(401, f"Incorrect API key provided: {key}"),
        "echo 500": error(500, f"Upstream refused key={key}"),
        "echo page": typed("text/html", page, 502),
        "echo page 200": Answer(f"<html><body>{header}</body></html>".encode()),
        "echo plain": typed("text/plain", f"who is {key}?".encode(), 500),
        "echo under 200": Answer({"error": {"message": f"no upstream for {header}"}}),
        "echo reply": Answer(completion(f"A\n\nYour header was Authorization: {header}")),
        "echo reasoning": Answer(reasoning),
        "echo finish": Answer(completion("A", finish=f"content_filter: {key}")),
        "redirect": Answer(b"", 307, {"Location": elsewhere.read_text() if elsewhere.exists() else None}),
    }[name]


class Hardness(Service):
    def take(self, request: Received) -> Answer:
        raw, number = request.raw, request.number
        digest = hashlib.sha256(raw).hexdigest()
        text, pictures = ("", []) if arguments.mode == "fast" else linear(request.json)
        stem = find_stem(text, knowledge)
        if arguments.echo:
            (folder / "bodies" / digest).write_bytes(raw)
        with self.lock:
            by_stem[stem or ""] += 1
            if arguments.echo:
                with (folder / "heads.jsonl").open("a") as heads:
                    heads.write(json.dumps([request.line, *map(list, request.headers)]) + "\n")
        words, about = reply(stem, text, number)
        row = {"event": "in", "n": number, "body": digest, "stem": stem, "text": text, "pictures": pictures}
        write(row | {"about": about, "length": len(raw), "path": request.path})
        fault = self.fault(stem)
        time.sleep(arguments.latency)
        wait_while_held(folder, number)
        if fault is None:
            words += "\n" + "-" * arguments.padding if arguments.padding else ""
            answer = Answer(completion(words))
        else:
            answer = FAULTS.get(fault) or echo(fault, request.header("Authorization") or "")
        return replace(answer, then=lambda: self.answered(number, fault))

    def answered(self, number: int, fault: str | None) -> None:
        """Write down that an answer went out, and kill the caller where that was ordered, once."""
        global answered
        with self.lock:
            answered += 1
            write({"event": "out", "n": number, "fault": fault})
            order = folder / "kill.json"
            if order.exists():
                wanted = json.loads(order.read_text())
                if answered >= wanted["answered"]:
                    os.kill(wanted["pid"], signal.Signals[wanted["by"]])
                    order.unlink()

    def fault(self, stem: str | None) -> str | None:
        """What is to go wrong with this request."""
        try:
            name, times = json.loads((folder / "faults.json").read_text())[stem]
        except (FileNotFoundError, KeyError):
            return None
        return name if times < 0 or by_stem[stem or ""] <= times else None


if __name__ == "__main__":
    if arguments.echo:
        (folder / "bodies").mkdir(exist_ok=True)
    Hardness(arguments.port).run()

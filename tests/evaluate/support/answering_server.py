"""A chat-completions service that answers a letter and writes down what it was sent.

usage: answering_server.py FOLDER [--latency S] [--tokens N] [--cost X]. It prints its port. One JSON line a request
goes to FOLDER/requests.jsonl: the SHA-256 of every picture or video in order, the text of the whole prompt, the letter
answered, and how many requests were at work. Pictures are kept in FOLDER/<sha256>. While FOLDER/broken exists, prompts
with "Sunday" get HTTP 400, while FOLDER/unpaid exists HTTP 402 at once; while FOLDER/mute exists, those with "Sunday"
get the reply "I would rather not say".
"""

import argparse
import hashlib
import json
import time
from pathlib import Path

from service import Answer, Received, Service, completion, error, read_parts, wait_while_held

parser = argparse.ArgumentParser()
parser.add_argument("folder", type=Path)
parser.add_argument("--latency", type=float, default=0.0)
parser.add_argument("--tokens", type=int, default=0, help="input tokens of a picture; -1: none are reported at all")
parser.add_argument("--cost", type=float, help="what a call costs, told in its usage")
arguments = parser.parse_args()
folder: Path = arguments.folder
log = (folder / "requests.jsonl").open("a", buffering=1)


class Letters(Service):
    def take(self, request: Received) -> Answer:
        if request.path != "/v1/chat/completions":
            return Answer({}, 404)
        text, shown = read_parts(request.json)
        pictures = [hashlib.sha256(data).hexdigest() for data in shown]
        for digest, data in zip(pictures, shown, strict=True):
            (folder / digest).write_bytes(data)
        if "Sunday" in text and (folder / "unpaid").exists():
            return error(402, "no credit is left")
        time.sleep(arguments.latency)
        wait_while_held(folder, request.number)
        letter = "ABCD"[hashlib.sha256(text.encode()).digest()[0] % 4]
        line = {"pictures": pictures, "text": text, "letter": letter, "at_work": request.at_work}
        with self.lock:
            log.write(json.dumps(line) + "\n")
        if "Sunday" in text and (folder / "broken").exists():
            return error(400, "not on a Sunday")
        reply = "I would rather not say" if "Sunday" in text and (folder / "mute").exists() else letter
        told = completion(reply, (len(text) // 4 + arguments.tokens * len(pictures), 1))
        if arguments.tokens < 0:
            told["usage"] = None
        elif arguments.cost is not None:
            told["usage"]["cost"] = arguments.cost
        return Answer(told)


Letters().run()

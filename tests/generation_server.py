"""A generation service as a process of its own: it bills what it accepts, and misbehaves as the prompt says.

``python generation_server.py FOLDER`` prints its port. ``bill.jsonl`` has each job that it accepted, ``requests.jsonl``
each request. A prompt has acts in brackets, such as ``[slow 3]``:

- at submission: ``refused``, ``busy`` (the first attempt gets 429), or accepted with ``broken`` (500), ``reset`` (the
  connection breaks), ``noid`` (no id), ``sameid`` (the id of the first job), ``hang`` (no answer);
- while it works: ``slow N``, ``fail``, ``fail once``, ``policy``, ``lost``, ``dizzy`` (every second poll gets 500);
- its result: ``truncated`` (twice), ``garbage`` (twice), ``expired`` (the first address), ``gone`` (every address).

The model ``painter`` makes the first frame of its clip, and ``echo`` returns the clip that it was shown.

``kill.json`` in the folder has ``{"pid", "at", "after"}``: the process is killed when the event ``at`` (received,
accepted, poll, fetch) happens for the ``after``-th time from then on.
"""

import base64
import io
import json
import os
import re
import signal
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from chronotope.media import encode_clip
from service import Answer, Received, Service

FPS, SIZE = 8, 48
PRICE = 0.25


def picture(frame: int) -> np.ndarray:
    """A square that moves to and fro."""
    picture = np.full((SIZE, SIZE, 3), (60, 90, 120), np.uint8)
    at = 16 - abs(frame % 32 - 16)
    picture[16:32, at : at + 16] = (220, 180, 40)
    return picture


def clip(path: Path, seconds: float) -> bytes:
    """A moving square."""
    encode_clip([picture(frame) for frame in range(round(seconds * FPS))], path, FPS)
    return path.read_bytes()


def still() -> bytes:
    """The first frame of the clips."""
    stored = io.BytesIO()
    Image.fromarray(picture(0)).save(stored, "PNG")
    return stored.getvalue()


class GenerationService(Service):
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clips = {seconds: clip(folder / f"clip-{seconds}.mp4", seconds) for seconds in (2, 8)}
        self.jobs: list[dict[str, Any]] = []
        self.events: Counter[str] = Counter()
        self.counts: Counter[tuple[str, str]] = Counter()
        super().__init__()
        self.keeps = False

    def take(self, request: Received) -> Answer:
        self.write("requests.jsonl", {"line": request.line, "key": request.header("X-Key"), "to": request.number})
        if request.method == "POST":
            return self.submit(request)
        if request.path.startswith("/v1/jobs/"):
            return self.poll(request.path.rpartition("/")[2])
        return self.fetch(request.path)

    def submit(self, request: Received) -> Answer:
        self.happen("received")
        if request.header("X-Key") != "secret-of-tests":
            return Answer({"error": {"message": "no such key"}}, 401)
        body, token = request.json, request.header("X-Token") or ""
        prompt = body["prompt"]
        if has(prompt, "refused"):
            return Answer({"error": {"message": "against our policy"}}, 400)
        if has(prompt, "busy") and self.first("busy", prompt):
            return Answer({"error": {"message": "busy"}}, 429, {"Retry-After": "0"})
        known = next((job for job in self.jobs if job["token"] == token), None)
        if known is not None:
            return Answer({"data": {"id": known["id"]}}, 409)
        job = {"id": f"job-{len(self.jobs)}", "token": token, "prompt": prompt, "body": sorted(body), "polls": 0,
               "result": self.result(body), "suffix": "png" if body["model"] == "painter" else "mp4"}  # fmt: skip
        with self.lock:
            self.jobs.append(job)
            told = {"id": job["id"], "token": token, "prompt": prompt, "fields": body_facts(body)}
            self.write("bill.jsonl", told)
        self.happen("accepted")
        if has(prompt, "broken"):
            return Answer({"error": {"message": "upstream"}}, 500)
        if has(prompt, "reset"):
            return Answer(reset=True)
        if has(prompt, "hang"):
            return Answer({"data": {"id": job["id"]}}, hang=True)
        if has(prompt, "noid"):
            return Answer({"data": {}})
        return Answer({"data": {"id": self.jobs[0]["id"] if has(prompt, "sameid") else job["id"]}})

    def poll(self, name: str) -> Answer:
        self.happen("poll")
        job = next((one for one in self.jobs if one["id"] == name), None)
        prompt = job["prompt"] if job else ""
        if job is None or has(prompt, "lost"):
            return Answer({"error": {"message": "no such job"}}, 404)
        job["polls"] += 1
        if has(prompt, "dizzy") and job["polls"] % 2:
            return Answer({"error": {"message": "dizzy"}}, 500)
        if has(prompt, "fail") and not (has(prompt, "fail once") and not self.first("fail", prompt)):
            return Answer({"data": {"status": "failed", "error": "out of memory"}})
        if has(prompt, "policy"):
            return Answer({"data": {"status": "failed", "error": "blocked by content policy"}})
        slow = re.search(r"\[slow (\d+)\]", prompt)
        if slow and job["polls"] <= int(slow[1]):
            return Answer({"data": {"status": "processing"}})
        url = f"http://127.0.0.1:{self.port}/files/{name}/{job['polls']}.{job['suffix']}?sign=1"
        return Answer({"data": {"status": "completed", "outputs": [url], "seed": 77, "cost": PRICE}})

    def fetch(self, path: str) -> Answer:
        self.happen("fetch")
        _, _, name, last = path.split("/")
        job = next(job for job in self.jobs if job["id"] == name)
        prompt, result, kind = job["prompt"], job["result"], {"png": "image/png", "mp4": "video/mp4"}[job["suffix"]]
        if has(prompt, "gone") or (has(prompt, "expired") and last.startswith("1.")):
            return Answer({"error": "expired"}, 403)
        self.counts["fetch", name] += 1
        if has(prompt, "truncated") and self.counts["fetch", name] <= 2:
            return Answer(result, headers={"Content-Type": kind}, cut=0.5)
        if has(prompt, "garbage") and self.counts["fetch", name] <= 2:
            return Answer(result[:300], headers={"Content-Type": kind})
        return Answer(result, headers={"Content-Type": kind})

    def result(self, body: dict[str, Any]) -> bytes:
        if body["model"] == "echo":
            return base64.b64decode(body["video"].partition(",")[2])
        return still() if body["model"] == "painter" else self.clips[int(body.get("duration", 2))]

    def first(self, act: str, prompt: str) -> bool:
        self.counts[act, prompt] += 1
        return self.counts[act, prompt] == 1

    def happen(self, event: str) -> None:
        place = self.folder / "kill.json"
        if not place.exists():
            return
        told = json.loads(place.read_text())
        if told["at"] == event:
            with self.lock:
                self.events[event] += 1
                is_now = self.events[event] >= told["after"]
            if is_now:
                self.events.clear()
                place.unlink(missing_ok=True)
                os.kill(told["pid"], signal.SIGKILL)

    def write(self, name: str, told: dict[str, Any]) -> None:
        with (self.folder / name).open("a", encoding="utf-8") as file:
            file.write(json.dumps(told) + "\n")


def has(prompt: str, act: str) -> bool:
    return f"[{act}" in prompt


def body_facts(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value if len(str(value)) < 100 else f"{str(value)[:22]}…" for name, value in body.items()}


if __name__ == "__main__":
    GenerationService(Path(sys.argv[1])).run()

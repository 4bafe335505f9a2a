"""A model server whose reply depends on every word and every pixel of a prompt, and both askers of it."""

import hashlib
import io
import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import pytest
from PIL import Image

import chronotope as ct
from service import Answer, Received, Service, completion, data_of

KEPT = Path(__file__).parents[1] / "guard" / "kept"  # small folders of all families
FAMILIES = ("sti", "ikea", "m3", "vgenst")
FORMS = (
    *("{0}", "({0})", "{0}.", "Answer: {0}", "The answer is {0}.", "I think {0}.", "**{0}**", "{0}, since A) is wrong"),
    *("{0},{1}", "{0} and {1}", "Based on the frames: {0}", "a", "It could be {0} or {1}.", "", "I cannot see it."),
    *("<think>{1}</think>{0}", "Option {1} is wrong.\n\nAnswer: {0}", "B is not right; \\boxed{{{0}}}"),
)


def prompt_of(body: dict[str, Any]) -> list[list[str]]:
    """The roles, texts and pixels of a request, however it is written."""
    found: list[list[str]] = []
    for message in body["messages"]:
        content, role = message["content"], message["role"]
        for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if part["type"] == "text" and found and found[-1][:2] == [role, "text"]:
                found[-1][2] += part["text"]
            elif part["type"] == "text":
                found.append([role, "text", part["text"]])
            else:
                pixels = picture_of(part)
                found.append([role, str(pixels.size), hashlib.sha256(pixels.tobytes()).hexdigest()])
    return found


def picture_of(part: dict[str, Any]) -> Image.Image:
    """The picture of a request, which may be a file of this machine."""
    place = part["image_url"]["url"]
    data = Path(place.removeprefix("file://")).read_bytes() if place.startswith("file:") else data_of(part)
    with Image.open(io.BytesIO(data)) as picture:
        return picture.convert("RGB")


class ScriptedService(Service):
    """A server that answers by the hash of the prompt; ``prompts`` has all that it was sent."""

    def __init__(self, *, cuts: bool = False) -> None:
        super().__init__()
        self.prompts: list[str] = []
        self.cuts = cuts

    def take(self, request: Received) -> Answer:
        prompt = json.dumps(prompt_of(request.json))
        self.prompts.append(prompt)
        draw = Random(hashlib.sha256(prompt.encode()).hexdigest())
        reply = draw.choice(FORMS).format(*draw.sample("ABCD", 2))
        cut = self.cuts and draw.random() < 0.2
        return Answer(completion(reply, finish="length" if cut else "stop"))


def our_run(bench: Path, out: Path, *, cuts: bool = False, **settings: Any) -> tuple[ct.Run, list[str]]:
    """Our run of a benchmark's base questions, and the prompts that the server got."""
    with ScriptedService(cuts=cuts) as service:
        run = ct.run(
            bench, "endpoint/scripted", base_url=service.url, out=out, check=False, variants="base", **settings
        )
    return run, service.prompts


def python_with(package: str) -> str:
    """A Python that has a suite: the one of this process, or the one that CI made for the suites."""
    if find_spec(package) is not None:
        return sys.executable
    place = Path(os.environ.get("CHRONOTOPE_TEST_SUITES") or "/nowhere") / package
    python = place / "bin" / "python"
    if not list(place.glob(f"lib/python*/site-packages/{package}")):
        pytest.skip(f"{package} is not installed, nor in the folder CHRONOTOPE_TEST_SUITES (see .ci/run)")
    return str(python)


def told(words: list[str], cwd: Path, **environment: str) -> str:
    """What a program of a suite prints."""
    made = subprocess.run(
        words, cwd=cwd, capture_output=True, text=True, check=False, timeout=800, env={**os.environ, **environment}
    )
    assert made.returncode == 0, made.stdout + made.stderr
    return made.stdout

"""A service that describes things by the pixels of the pictures that it gets, and homes that need descriptions."""

import io
import json
import re
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from chronotope.recording import Recording, load_recording, save_recording
from service import ChatService, completion, read_parts

GREY = (128, 128, 128)
NEAR = 40  # of 255, the largest distance of a colour from that of its name


class Painter(ChatService):
    """Names the colour of what is seen in the pictures, and calls everything rectangular.

    ``palette`` has the names and colours (sRGB, 0 to 255) that it knows. ``pause`` is the time (s) for each answer.
    ``failing`` is the number of requests after which it fails, and the status. ``unread`` are stages to which it
    replies without a form. ``lies`` have the colour that it always names in a stage. ``functions`` say what
    things are for, by type with its article.
    """

    def __init__(self, palette: Mapping[str, tuple[int, ...]]) -> None:
        super().__init__()
        self.palette = palette
        self.pause = 0.0
        self.failing: tuple[int, int] | None = None
        self.unread: set[str] = set()
        self.lies: dict[str, str] = {}
        self.functions: dict[str, str] = {}

    def answer(self, body: dict[str, Any]) -> tuple[int, Mapping[str, Any] | bytes]:
        time.sleep(self.pause)
        if self.failing is not None and len(self.bodies) > self.failing[0]:
            return self.failing[1], {"error": {"message": "out of order"}}
        stage = stage_of(body)
        said = "I cannot say." if stage in self.unread else json.dumps(self.reply(stage, body))
        return 200, completion(said, (200, 20))

    def reply(self, stage: str, body: dict[str, Any]) -> dict[str, Any]:
        text, _ = read_parts(body)
        if stage == "compare":
            told = re.findall(r"(object_\d+): It is (\w+)\.", text)
            return {
                name: {
                    "shape": "rectangular", "color": self.lies.get(stage, colour), "other_features": None,
                    "description": f"This one is {colour}.",
                }
                for name, colour in told
            }  # fmt: skip
        if stage == "function":
            return {"function": self.functions.get(text.partition("purpose of ")[2].partition("?")[0], "used at home")}
        if stage == "join":
            [(colour, _)] = Counter(re.findall(r"It is (\w+)\.", text)).most_common(1)
            return {"description": f"It is {colour}."}
        pictures = pictures_of(body)
        if stage == "look":
            named = Counter(map(self.name, pictures))
            [(colour, count)] = named.most_common(1)
            agree = count == len(pictures) and colour != "strange"
            return {"colour": self.lies.get(stage, colour if agree else None), "shape": "rectangular"}
        _, alone = pictures
        return {"description": f"It is {self.name(alone)}."}

    def name(self, picture: np.ndarray) -> str:
        """The name of the middle colour of what is not ground, or "strange" if the palette has no such colour."""
        pixels = picture.reshape(-1, 3)
        seen = np.median(pixels[(pixels != GREY).any(axis=1)].astype(float), axis=0)
        apart, name = min((float(np.linalg.norm(seen - colour)), name) for name, colour in self.palette.items())
        return name if apart < NEAR else "strange"

    @property
    def prompts(self) -> Counter[str]:
        return Counter(json.dumps(body["messages"]) for body in self.bodies)

    @property
    def stages(self) -> Counter[str]:
        return Counter(map(stage_of, self.bodies))


def stage_of(body: Mapping[str, Any]) -> str:
    text, _ = read_parts(body)
    if "multiple descriptions of the same object" in text:
        return "join"
    if "usual purpose of" in text:
        return "function"
    if "JSON response that highlights" in text:
        return "compare"
    return "describe" if "The masked object is" in text else "look"


def pictures_of(body: Mapping[str, Any]) -> list[np.ndarray]:
    return [np.asarray(Image.open(io.BytesIO(one)).convert("RGB")) for one in read_parts(body)[1]]


OF_CATALOGUE = {"colour", "shape", "function"}  # attributes that things of other simulators do not have


def made_foreign(recording: Recording) -> tuple[Recording, dict[str, str]]:
    """Take away the looks and functions of simulated things, and what tells that they are simulated; the colours."""
    truth = {one.id: one.attributes["colour"] for one in recording.entities if "colour" in one.attributes}
    entities = tuple(
        replace(one, attributes={key: value for key, value in one.attributes.items() if key not in OF_CATALOGUE})
        for one in recording.entities
    )
    return replace(recording, entities=entities, provenance={}), truth


def make_foreign(folder: Path) -> dict[str, dict[str, str]]:
    """Do so to all recordings of a benchmark in place; the colours by recording and thing."""
    truth: dict[str, dict[str, str]] = {}
    for inside in sorted((folder / "recordings").iterdir()):
        stripped, truth[inside.name] = made_foreign(load_recording(inside))
        save_recording(stripped, inside)
    return truth

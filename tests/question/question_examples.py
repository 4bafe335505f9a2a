"""A small valid benchmark, which the tests of the tables and of the folder share."""

from dataclasses import replace
from typing import Any

import numpy as np

from chronotope.question import (
    CardDraft,
    MediaItem,
    Mention,
    Option,
    Question,
    Window,
)

DRAFT = CardDraft(
    name="Small test",
    family="sti",
    profile="strict",
    licence="CC-BY-4.0",
    attributions=("The authors",),
    seed=3,
    command="chronotope build sti world:table",
    refusals={"Speed": {"STATIONARY": 2}},
)


def pictures(seed: int, frames: int) -> list[np.ndarray]:
    return list(np.random.default_rng(seed).integers(0, 255, (frames, 36, 64, 3), dtype=np.uint8))


def question(number: int, **changes: Any) -> Question:
    made = Question(
        id=f"q{number}",
        family="sti",
        task="Speed & Acceleration",
        cluster="scene-1",
        stem="How fast is the red cup?",
        options=tuple(Option(f"0.{digit}0m/s") for digit in range(1, 6)),
        answer=(number % 5,),
        window=Window(0.2, 0.9),
        media=(MediaItem("video", "video", ("clips/one.mp4",)),),
        tags={"scene": ("desktop",), "object": ("cup", "plate")},
        recordings=("clip-0",),
        mentions=(Mention("cup", "asked", "the cup"),),
        provenance={"speed": 0.1},
    )
    return replace(made, **changes)


PICTURED = question(
    3,
    options=(Option(None, "images/a.png"), Option("the second", "images/b.jpg")),
    answer=(1,),
    window=None,
    media=(
        MediaItem("before", "image", ("images/a.png",), label="Image A"),
        MediaItem("clip", "frames", ("images/a.png", "images/b.jpg"), start=0.0, end=1.5),
    ),
    tags={},
    flags=("AMBIGUOUS",),
)

"""Tiny random models of the real classes, and prompts of drawn pictures."""

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from chronotope.io import sha256_bytes
from chronotope.media import Encoded
from chronotope.protocol import Image, Option, PictureFile, Text


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    """A function that loads a tiny model of a type; each is made once."""
    pytest.importorskip("torch")
    from chronotope.models.transformers import load
    from tiny_models import save_tiny

    made: dict[str, Any] = {}

    def get(model_type: str) -> Any:
        if model_type not in made:
            folder = save_tiny(model_type, tmp_path_factory.mktemp("tiny") / model_type)
            made[model_type] = load(str(folder))
        return made[model_type]

    return get


def png(number: int, size: tuple[int, int]) -> bytes:
    from PIL import Image as Pictures

    noise = np.random.default_rng(number).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    stream = io.BytesIO()
    Pictures.fromarray(noise).save(stream, "PNG")
    return stream.getvalue()


class Drawn:
    """Pictures by name, drawn when they are asked for: ``3-112x84`` is noise number 3, 112 px wide."""

    def __call__(self, shown: Any) -> Encoded:
        number, _, size = shown.path.partition("-")
        width, height = map(int, size.split("x"))
        data = png(int(number), (width, height))
        return Encoded(data, sha256_bytes(data), "image/png")


def file(name: str) -> PictureFile:
    return PictureFile(name, name)


@pytest.fixture(scope="session")
def prompt() -> list[Any]:
    """A prompt with two frames, two options with a picture and one with a text."""
    return [
        Text("You see frames."),
        Image(file("1-112x84")),
        Image(file("2-112x84")),
        Text("Which one fits?"),
        Option("A", "A) ", image=file("3-84x56")),
        Option("B", "B) ", image=file("4-56x56")),
        Option("C", "C) none", "none"),
        Text("Answer with a letter."),
    ]


@pytest.fixture(scope="session")
def drawn() -> Drawn:
    return Drawn()

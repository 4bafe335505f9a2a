"""The pictures of a check, its questions, and the reading of the replies.

Each picture shows a white number on a plain red or plain blue background.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from chronotope.media import Encoded, encode_picture
from chronotope.models import RawReply
from chronotope.protocol import without_thinking

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont, ImageFont

Colour = Literal["red", "blue"]
CheckAnswer = int | Colour

BACKGROUNDS: dict[Colour, tuple[int, int, int]] = {"red": (200, 0, 0), "blue": (0, 0, 200)}
FILLED = 0.8  # largest width and height of a number, as shares of the picture
QUALITY = 85  # JPEG quality, the same as for the frames of a run
NEAR = 1.0  # s; tolerance, because some models join two neighbouring frames

QUESTIONS = {
    "first": "The pictures above stand in an order. Which number does the first picture show? "
    "Reply with that number only.",
    "last": "The pictures above stand in an order. Which number does the last picture show? "
    "Reply with that number only.",
    "count": "How many pictures are above? Reply with one number only.",
    "colour": "One of the pictures above shows the number {number}. Is the background of that picture red or blue? "
    "Reply with one word only.",
}


@dataclass(frozen=True)
class CheckPicture:
    """A picture of a check, with its number and its background colour."""

    number: int
    colour: Colour
    encoded: Encoded


def draw_pictures(count: int, size: tuple[int, int], generator: np.random.Generator, *, but: int) -> list[CheckPicture]:
    """Render pictures with different random numbers.

    No picture shows the number ``but``. All numbers have three digits, so that they are equally easy to read. If there
    are too many pictures for three digits, the numbers have more digits.
    """
    smallest = 100
    while count >= 8 * smallest:
        smallest *= 10
    numbers = generator.permutation([number for number in range(smallest, 10 * smallest) if number != but])[:count]
    colours = generator.choice(get_args(Colour), size=count)
    return [
        CheckPicture(number, colour, encode_picture(draw_number(number, colour, size), "jpeg", QUALITY))
        for number, colour in zip(numbers.tolist(), colours.tolist(), strict=True)
    ]


def draw_number(number: int, colour: Colour, size: tuple[int, int]) -> np.ndarray:
    """Render a number in the middle of a picture.

    Returns an array (height, width, 3), uint8 RGB.
    """
    from PIL import Image, ImageDraw

    text = str(number)
    left, top, right, bottom = _font(100).getbbox(text)
    scale = min(FILLED * size[0] / (right - left), FILLED * size[1] / (bottom - top))
    font = _font(max(1.0, 100 * scale))
    left, top, right, bottom = font.getbbox(text)
    corner = ((size[0] - left - right) / 2, (size[1] - top - bottom) / 2)
    picture = Image.new("RGB", size, BACKGROUNDS[colour])
    ImageDraw.Draw(picture).text(corner, text, fill=(255, 255, 255), font=font)
    return np.asarray(picture)


@lru_cache(maxsize=8)  # Pillow would unpack the font for each picture; pictures of one size need only two font sizes
def _font(size: float) -> "FreeTypeFont | ImageFont":
    from PIL.ImageFont import load_default

    return load_default(size)


def read_answer(question: str, reply: str | None) -> CheckAnswer | None:
    """Return the last whole number, or the only colour, in a reply.

    The thinking in a reply is ignored. Returns None if the thinking does not end, or the reply contains no such answer.
    """
    text = without_thinking(reply or "") or ""
    if question != "colour":
        numbers = re.findall(r"\d+", text)
        return int(numbers[-1][:9]) if numbers else None
    named: list[Colour] = [colour for colour in get_args(Colour) if re.search(rf"\b{colour}\b", text, re.IGNORECASE)]
    return named[0] if len(named) == 1 else None


def is_near(reply: RawReply, seconds: float) -> bool | None:
    """Check whether the last number in a reply is a time (s).

    Returns None if the reply contains no number.
    """
    numbers = re.findall(r"\d+(?:\.\d+)?", without_thinking(reply.text or "") or "")
    return abs(float(numbers[-1][:9]) - seconds) <= NEAR if numbers else None


def told_to_arrive(numbers: Sequence[int], answers: Mapping[str, CheckAnswer | None]) -> int | None:
    """Compute the number of pictures that arrived, from the model's answers.

    ``numbers`` are the numbers of the pictures that were sent, in order. There are three cases with missing pictures:

    - If only the first k pictures arrive, the model names the k-th number as the last number, and counts k pictures.
    - If only the last k pictures arrive, the model names the first number on these k pictures as the first number, and
      counts k pictures.
    - If no picture arrives, the model counts 0 pictures, and names no number that was sent.

    Returns None if the answers fit none of these cases.
    """
    first, last, count = answers["first"], answers["last"], answers["count"]
    if not isinstance(count, int) or count >= len(numbers):
        return None
    if count == 0:
        return 0 if first not in numbers and last not in numbers else None
    return count if last == numbers[count - 1] or first == numbers[-count] else None

"""Real type for signs and labels: words set in Aileron, the scalable font that Pillow brings."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from chronotope.errors import InputError
from chronotope.world.things.textures import Colour, ink

_SIZE = 200  # px of the font in which outlines are measured
_FINER = 4  # samples of a pixel along each side
BOLD = 0.035  # width of the stroke that makes the type heavier, as a share of the height of capitals
_ABSENT = "\uffff"  # a character that no font has
LEADING = 1.75  # distance of two lines, in heights of a capital


@lru_cache(maxsize=64)
def _font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size=size)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise InputError("world: this Pillow has no FreeType, so no words can be set: install Pillow from its wheels")
    return font


def require_type(text: str) -> None:
    """Check that the font has all characters of a text.

    Raises:
        InputError: If a character is missing. The message names it.
    """
    for letter in text:
        if letter != " " and (not letter.isprintable() or _glyph(letter) == _glyph(_ABSENT)):
            raise InputError(
                f"world: the type of signs has no {letter!r} (in {text!r}): use letters, digits and marks of ASCII"
            )


@lru_cache(maxsize=256)
def _glyph(letter: str) -> bytes:
    """Return the pixels of a letter; all letters that the font lacks look the same."""
    image = Image.new("L", (_SIZE, _SIZE))
    ImageDraw.Draw(image).text((_SIZE / 2, _SIZE / 2), letter, fill=255, font=_font(_SIZE // 2), anchor="mm")
    return image.tobytes()


def _capital(font: ImageFont.FreeTypeFont) -> float:
    """Return the height (px) of a capital of a font."""
    _, top, _, bottom = font.getbbox("H", anchor="ls")
    return bottom - top


def width_of(text: str) -> float:
    """Return the width of a line of text, in heights of a capital."""
    font = _font(_SIZE)
    return (font.getlength(text) / _capital(font) + 2 * BOLD) / (1 + 2 * BOLD)


def draw_type(canvas: np.ndarray, text: str, middle: Sequence[float], capital: float, colour: Colour) -> np.ndarray:
    """Write a line of bold type into a copy of a picture (h, w, 3).

    ``middle`` (x, y) px is the middle of the line, halfway up its capitals, and ``capital`` (px) is the height of a
    capital with its stroke.

    Raises:
        InputError: If the font does not have a character.
    """
    require_type(text)
    height, width = canvas.shape[:2]
    font = _font(max(1, round(_SIZE / _capital(_font(_SIZE)) * capital * _FINER / (1 + 2 * BOLD))))
    tall = _capital(font)
    mask = Image.new("L", (width * _FINER, height * _FINER))
    ImageDraw.Draw(mask).text(
        (middle[0] * _FINER, middle[1] * _FINER + tall / 2),
        text,
        fill=255,
        font=font,
        anchor="ms",
        stroke_width=round(BOLD * tall),
    )
    return inked(canvas, np.asarray(mask.reduce(_FINER), float) / 255, colour)


def inked(canvas: np.ndarray, share: np.ndarray, colour: Colour) -> np.ndarray:
    """Cover a share (h, w) of each pixel of a picture (h, w, 3) with a colour."""
    mixed = canvas + (ink(colour).astype(float) - canvas) * share[..., None]
    return np.rint(mixed).astype(np.uint8)

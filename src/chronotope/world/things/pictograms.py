"""Pictograms of signs: people, arrows and bars, drawn with polygons and thick lines."""

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw

FINER = 4  # samples of a pixel along each side

Points = Sequence[tuple[float, float]]

# Each figure is in a square of side 1 with y downwards: the middle and radius of the head, and limbs as thick lines.
_WALKER = (
    (0.53, 0.12, 0.085),
    (
        (0.15, ((0.50, 0.30), (0.50, 0.55))),
        (0.095, ((0.49, 0.55), (0.36, 0.74), (0.24, 0.94))),
        (0.095, ((0.52, 0.55), (0.64, 0.74), (0.70, 0.95))),
        (0.075, ((0.47, 0.28), (0.32, 0.42), (0.28, 0.56))),
        (0.075, ((0.54, 0.28), (0.68, 0.40), (0.80, 0.48))),
    ),
)
_RUNNER = (
    (0.60, 0.12, 0.085),
    (
        (0.15, ((0.56, 0.30), (0.46, 0.54))),
        (0.095, ((0.46, 0.55), (0.36, 0.74), (0.12, 0.80))),
        (0.095, ((0.47, 0.55), (0.66, 0.64), (0.62, 0.92))),
        (0.075, ((0.52, 0.28), (0.34, 0.30), (0.24, 0.46))),
        (0.075, ((0.60, 0.28), (0.72, 0.44), (0.88, 0.38))),
    ),
)
FIGURES = {"walker": _WALKER, "runner": _RUNNER}


def figure(name: str, size: tuple[int, int], corner: Sequence[float], side: float, flipped: bool = False) -> np.ndarray:
    """Draw a person as shares (h, w) of covered pixels, from 0 to 1.

    ``name`` is one of FIGURES, and ``size`` is (h, w) of the picture. The square of the person has the upper left
    ``corner`` (x, y) px and a ``side`` in px. The person goes to the right, or to the left if ``flipped``.
    """
    mask, draw = _mask(size)
    (x, y, radius), limbs = FIGURES[name]

    def at(point: Sequence[float]) -> tuple[float, float]:
        across = 1 - point[0] if flipped else point[0]
        return (corner[0] + side * across) * FINER, (corner[1] + side * point[1]) * FINER

    _dot(draw, at((x, y)), radius * side * FINER)
    for width, points in limbs:
        placed, thick = [at(point) for point in points], width * side * FINER
        draw.line(placed, fill=255, width=round(thick))
        for place in placed:
            _dot(draw, place, thick / 2)
    return _shares(mask)


def polygon(size: tuple[int, int], *outlines: Points) -> np.ndarray:
    """Draw polygons with corners (x, y) px as shares (h, w) of covered pixels, from 0 to 1."""
    mask, draw = _mask(size)
    for outline in outlines:
        draw.polygon([(x * FINER, y * FINER) for x, y in outline], fill=255)
    return _shares(mask)


def disc(size: tuple[int, int], middle: Sequence[float], radius: float) -> np.ndarray:
    """Draw a disc as shares (h, w) of covered pixels, from 0 to 1.

    ``middle`` (x, y) and ``radius`` are in px.
    """
    mask, draw = _mask(size)
    _dot(draw, (middle[0] * FINER, middle[1] * FINER), radius * FINER)
    return _shares(mask)


def _mask(size: tuple[int, int]) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    mask = Image.new("L", (size[1] * FINER, size[0] * FINER))
    return mask, ImageDraw.Draw(mask)


def _dot(draw: ImageDraw.ImageDraw, middle: tuple[float, float], radius: float) -> None:
    x, y = middle
    draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=255)


def _shares(mask: Image.Image) -> np.ndarray:
    return np.asarray(mask.reduce(FINER), float) / 255

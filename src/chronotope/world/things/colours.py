"""The colours in the names of things, and the gloss of materials."""

import numpy as np

from chronotope.world.things.colour_table import COLOUR_TABLE, SRGB
from chronotope.world.things.thing import Look, Paint

COLOURS: dict[str, SRGB] = {name: row.srgb for name, row in COLOUR_TABLE.items()}
"""The painted colours (sRGB)."""

_GLOSS = {  # specular, shininess
    "ceramic": (0.55, 0.75),
    "porcelain": (0.55, 0.8),
    "plastic": (0.35, 0.5),
    "metal": (0.75, 0.6),
    "steel": (0.8, 0.65),
    "wood": (0.15, 0.25),
    "rubber": (0.15, 0.2),
    "leather": (0.25, 0.35),
    "wax": (0.2, 0.3),
    "glass": (0.8, 0.9),
    "fruit": (0.3, 0.4),
    "clay": (0.05, 0.1),
    "leaf": (0.15, 0.2),
}
_DULL = (0.03, 0.05)  # paper, cardboard, fabric, straw
SAMPLES = 1000  # pixels of a picture that are looked at
_TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
_WHITE = np.array([0.9505, 1.0, 1.089])


def plain(colour: tuple[float, float, float], material: str, texture: np.ndarray | None = None) -> Look:
    """Make a surface of one colour, with the gloss of a material."""
    specular, shininess = _GLOSS.get(material, _DULL)
    return Look(colour, specular, shininess, texture)


def shade(colour: tuple[float, float, float], by: float) -> tuple[float, float, float]:
    """Make a colour darker (``by`` < 1) or lighter (``by`` > 1).

    For ``by`` > 1, the colour is mixed with white; ``by`` = 2 gives white.
    """
    if by <= 1:
        return tuple(c * by for c in colour)  # type: ignore[return-value]
    return tuple(c + (1 - c) * (by - 1) for c in colour)  # type: ignore[return-value]


def legible(paint: Paint) -> tuple[float, float, float]:
    """Return a colour in which letters are legible on a paint."""
    return (0.15, 0.12, 0.10) if COLOUR_TABLE[paint.colour].pale else (0.97, 0.93, 0.80)


def paint(generator: np.random.Generator, colour: str, material: str) -> Paint:
    """Vary a colour slightly."""
    tint = np.clip(np.array(COLOURS[colour]) * generator.uniform(0.94, 1.04) + generator.normal(0, 0.008, 3), 0, 1)
    return Paint(colour, material, plain((float(tint[0]), float(tint[1]), float(tint[2])), material))


def shades_of(look: Look) -> np.ndarray:
    """Return some colours (N, 3) of a surface in sRGB.

    The colours are from 0 to 1 and taken evenly from its picture.
    """
    if look.texture is None:
        return np.array(look.colour)[None]
    pixels = look.texture.reshape(-1, 3)
    return np.array(look.colour) * pixels[:: max(1, len(pixels) // SAMPLES)] / 255


def lab(colours: np.ndarray) -> np.ndarray:
    """Convert sRGB colours (..., 3) from 0 to 1 to CIE Lab."""
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    x = linear @ _TO_XYZ.T / _WHITE
    f = np.where(x > 0.008856, np.cbrt(x), 7.787 * x + 16 / 116)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], axis=-1)

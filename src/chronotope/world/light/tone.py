"""The exposure of a home and the curve from light to colours, so that a room is neither black nor burnt out."""

import numpy as np

from chronotope.world.light.surfaces import encoded

MIDDLE = 0.55  # what a white surface in the middle light of a home gives
GLOSS, SHINE = 0.03, 0.04  # shares of light that a surface reflects without colour: any one, and the glossiest more
SHOULDER = 0.35  # light up to here is shown as it is; above, it nears white and never gets there


def exposure_of(light: np.ndarray) -> float:
    """Return the factor for the irradiance of surfaces.

    ``light`` (N, 3) is the irradiance of evenly spread places. The factor gives the median of ``light`` a middle
    brightness.
    """
    values = light.mean(axis=1)
    return MIDDLE / max(float(np.median(values)), 1e-4) if len(values) else 1.0


def toned(light: np.ndarray) -> np.ndarray:
    """Convert exposed light to sRGB from 0 to 1."""
    over = np.maximum(light - SHOULDER, 0.0)
    room = 1 - SHOULDER
    return encoded(np.minimum(light, SHOULDER) + room * (1 - np.exp(-over / room)))


def pictured(light: np.ndarray) -> np.ndarray:
    """Convert exposed light to uint8, with a table for speed."""
    return _TABLE[np.sqrt(np.minimum(light, MOST) * (STEPS**2 / MOST) + 0.5).astype(np.uint16)]


def glossy(colour: np.ndarray, specular: np.ndarray | float = 0.0) -> np.ndarray:
    """Add the reflection of the outermost layer to a colour.

    Varnish, glass and plastic reflect more; their gloss ``specular`` is higher. Without this reflection, black things
    would look like holes in a picture.
    """
    share = GLOSS + SHINE * specular
    return share + (1 - share) * colour


def shown(colour: np.ndarray, glow: np.ndarray) -> np.ndarray:
    """Return the exposed light of surfaces that glow.

    Such surfaces are brighter than a white wall.
    """
    return colour * (1.1 + 0.35 * np.minimum(glow, 4.0))


MOST, STEPS = 8.0, 8191  # brightest light in the table, and its last row; rows are even in the root of the light
_TABLE = np.rint(255 * np.clip(toned(np.arange(STEPS + 2) ** 2 * MOST / STEPS**2), 0, 1)).astype(np.uint8)

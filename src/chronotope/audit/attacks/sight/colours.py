"""Patches of a named colour in a frame."""

from dataclasses import dataclass

import cv2
import numpy as np

from chronotope.world.things.colour_table import COLOUR_TABLE, COLOUR_WORDS

# The lower and upper limits of hue (0 to 180), saturation and value (0 to 255) for each colour, in warm light and in
# shade.
COLOURS = {name: row.hsv for name, row in COLOUR_TABLE.items() if row.hsv}
LEAST_SHARE, MOST_SHARE = 0.0004, 0.2  # limits of a patch's area, as shares of the picture's pixels
WIDEST = 0.75  # maximum width of a patch, as a share of the picture's width
STACKED = 0.6  # maximum vertical gap between patches that are joined, as a share of the wider patch's width
CLOSED = 5  # px; smaller gaps, such as letters on a box, do not divide a patch


@dataclass(frozen=True, eq=False)
class Patch:
    """A patch of one colour: its hull (K, 2) px, its box (left, top, right, bottom) px and its area (px)."""

    hull: np.ndarray
    box: tuple[float, float, float, float]
    area: float

    @property
    def middle(self) -> np.ndarray:
        """Return the middle (2,) px of the patch's box."""
        left, top, right, bottom = self.box
        return np.array([(left + right) / 2, (top + bottom) / 2])

    def holds(self, pixels: np.ndarray) -> np.ndarray:
        """Return a mask of the pixels (N, 2) inside the hull.

        A margin of 2 px around the hull counts as inside.
        """
        outline = self.hull.astype(np.float32)
        return np.array([cv2.pointPolygonTest(outline, (float(x), float(y)), True) >= -2 for x, y in pixels], bool)

    def touches(self, size: tuple[int, int]) -> bool:
        """Check whether the border of a picture cuts the patch off.

        The size of the picture is (width, height).
        """
        left, top, right, bottom = self.box
        return left <= 1 or top <= 1 or right >= size[0] - 2 or bottom >= size[1] - 2


def colour_of(phrase: str) -> str | None:
    """Return the first colour that a phrase names and that can be looked for."""
    named = (COLOUR_WORDS.get(word) for word in phrase.lower().replace(",", " ").split())
    return next((name for name in named if name in COLOURS), None)


def patches(frame: np.ndarray, colour: str) -> list[Patch]:
    """Return the patches of a colour in a frame, largest first.

    The frame (H, W, 3) is RGB.
    """
    hsv = cv2.cvtColor(cv2.GaussianBlur(frame, (3, 3), 0), cv2.COLOR_RGB2HSV)
    mask = np.zeros(hsv.shape[:2], np.uint8)
    for low, high in COLOURS[colour]:
        mask = cv2.bitwise_or(mask, cv2.inRange(hsv, np.array(low, np.uint8), np.array(high, np.uint8)))
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
    mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((CLOSED, CLOSED), np.uint8))
    pixels, width = mask.size, mask.shape[1]
    found: list[Patch] = []
    for outline in cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0]:
        left, top, across, down = cv2.boundingRect(outline)
        area = cv2.contourArea(outline)
        if LEAST_SHARE * pixels <= area <= MOST_SHARE * pixels and across <= WIDEST * width:
            hull = cv2.convexHull(outline).reshape(-1, 2).astype(float)
            found.append(Patch(hull, (left, top, left + across - 1, top + down - 1), area))
    return _joined(sorted(found, key=lambda patch: -patch.area))


def _joined(found: list[Patch]) -> list[Patch]:
    """Join patches that are one above the other with small gaps.

    A label can divide the coloured surface of a thing into such patches. The result is sorted, largest first.
    """
    joined: list[Patch] = []
    for patch in found:
        below = next((number for number, one in enumerate(joined) if _stacked(one, patch)), None)
        if below is None:
            joined.append(patch)
            continue
        one = joined[below]
        hull = cv2.convexHull(np.concatenate([one.hull, patch.hull]).astype(np.float32)).reshape(-1, 2).astype(float)
        low, high = hull.min(axis=0), hull.max(axis=0)
        joined[below] = Patch(hull, (low[0], low[1], high[0], high[1]), one.area + patch.area)
    return sorted(joined, key=lambda patch: -patch.area)


def _stacked(one: Patch, other: Patch) -> bool:
    """Check whether one patch is above the other with a small gap.

    The patches must also have similar widths and overlap horizontally.
    """
    widths = [patch.box[2] - patch.box[0] + 1 for patch in (one, other)]
    common = min(one.box[2], other.box[2]) - max(one.box[0], other.box[0])
    gap = max(one.box[1], other.box[1]) - min(one.box[3], other.box[3])
    return min(widths) > 0.5 * max(widths) and common > 0.8 * min(widths) and gap < STACKED * max(widths)

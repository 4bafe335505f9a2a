"""Number plates in the pictures of vehicles: found by their size and place, and made blank."""

import numpy as np

from chronotope.world.forge.dressing import Patch
from chronotope.world.things.colours import plain

BLANK = plain((0.90, 0.90, 0.88), "plastic")
_WIDE, _TALL, _DEEP = (0.18, 0.65), (0.06, 0.30), 0.16  # m, widths and heights of plates, and their largest depth
_FLAT = 1.4  # smallest ratio of width to height
_END, _HIGHEST, _ASIDE = 0.2, 0.62, 0.5  # share of the length at an end; share of the height; m from the middle


LIMITS = [*_WIDE, *_TALL, _DEEP, _FLAT, _END, _HIGHEST, _ASIDE]


def blank_plates(patches: list[Patch], size: np.ndarray) -> int:
    """Give number plates with pictures a plain look, and return their number.

    ``size`` (3,) m is that of the vehicle, whose front is at +x.
    """
    found = 0
    for patch in patches:
        if patch.look.texture is None:
            continue
        low, high = patch.box
        deep, wide, tall = high - low
        middle = (low + high) / 2
        if (
            _WIDE[0] <= wide <= _WIDE[1]
            and _TALL[0] <= tall <= _TALL[1]
            and wide >= _FLAT * tall
            and deep <= _DEEP
            and abs(middle[0]) >= (0.5 - _END) * size[0]
            and middle[2] <= _HIGHEST * size[2]
            and abs(middle[1]) <= _ASIDE
        ):
            patch.look = BLANK
            found += 1
    return found

"""Connected components of sets of cells."""

from typing import Any, cast

import numpy as np
from scipy import ndimage


def components(cells: np.ndarray, structure: Any = None) -> tuple[np.ndarray, int]:
    """Return the numbers (X, Y) of components, 0 outside, and their count.

    ``cells`` (X, Y) bool is the set. Neighbours share a side, unless ``structure`` (3, 3) says otherwise.
    """
    return cast("tuple[np.ndarray, int]", ndimage.label(cells, structure))

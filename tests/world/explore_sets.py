"""Sets of cells for tests of walks, and slow ways to look at them."""

from collections import deque

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

Cell = tuple[int, int]


def flood(cells: set[Cell], start: Cell) -> dict[Cell, int]:
    """Return the number of steps from the start to each cell of its component."""
    found = {start: 0}
    queue = deque([start])
    while queue:
        x, y = queue.popleft()
        for there in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if there in cells and there not in found:
                found[there] = found[x, y] + 1
                queue.append(there)
    return found


def as_set(cells: np.ndarray) -> set[Cell]:
    return {(int(x), int(y)) for x, y in np.argwhere(cells)}


@st.composite
def connected_sets(draw: st.DrawFn, most: int = 10) -> tuple[np.ndarray, Cell]:
    """Draw a connected set of cells and one of its cells."""
    sizes = st.tuples(st.integers(1, most), st.integers(1, most))
    cells = draw(arrays(bool, sizes, elements=st.sampled_from([True, True, True, True, False])))
    start = (draw(st.integers(0, cells.shape[0] - 1)), draw(st.integers(0, cells.shape[1] - 1)))
    cells[start] = True
    kept = np.zeros(cells.shape, bool)
    kept[tuple(np.array(list(flood(as_set(cells), start))).T)] = True
    return kept, start

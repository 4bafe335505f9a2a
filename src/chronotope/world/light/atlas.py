"""The packing of rectangles into pages of pictures."""

import numpy as np

SIDE = 4096  # px, largest width and height of a page
BLOCK = 4  # px; rectangles begin at multiples of it, so that two halvings of a page do not mix them


def pack(sizes: np.ndarray, order: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Pack rectangles (N, 2) px, height and width, into pages.

    They are put into rows, the tallest first. Those of one height follow each other by ``order`` (N,), so that like
    lies next to like where the engine blurs a page. Returns the page (N,), the place (N, 2) of row and column, and the
    height of each page.

    Raises:
        ValueError: If a rectangle is larger than a page.
    """
    even = -(-sizes // BLOCK) * BLOCK
    if len(even) and even.max() > SIDE:
        raise ValueError(f"a rectangle of {even.max()} px does not fit into a page of {SIDE} px")
    page, places, heights = np.zeros(len(sizes), np.int64), np.zeros((len(sizes), 2), np.int64), [0]
    ranked = np.lexsort((order, -even[:, 0]))
    ends = np.concatenate([[0], np.cumsum(even[ranked, 1])])  # where each rectangle ends, if all were in one row
    top, first = 0, 0
    while first < len(ranked):
        last = int(np.searchsorted(ends, ends[first] + SIDE, "right")) - 1
        height = int(even[ranked[first], 0])  # the first one of a row is the tallest
        if top + height > SIDE:
            top = 0
            heights.append(0)
        row = ranked[first:last]
        page[row], places[row, 0], places[row, 1] = len(heights) - 1, top, ends[first:last] - ends[first]
        top, first = top + height, last
        heights[-1] = top
    return page, places, heights

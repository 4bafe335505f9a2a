"""Find the shapes that a walk follows.

The shapes are the largest rectangles of the thinned floor, contracted.
"""

from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from chronotope.world.homes.explore.components import components
from chronotope.world.homes.explore.maps import Cell

NARROW = 3  # cells: passages of this width and less are not thinned
LEAST_SIDES = 4  # cells: width and height together, 1.0 m
MARGIN = 1  # cells
_RING = ((0, 0), (0, 1), (0, 2), (1, 2), (2, 2), (2, 1), (2, 0), (1, 0))

Rectangle = tuple[int, int, int, int]  # x and y of the lowest cell, x and y of the highest cell, all on the outline


@dataclass(frozen=True)
class Shape:
    """Hold a rectangle, a segment or a point.

    ``outline`` (N, 2) and ``corners`` (C, 2) are in cells.
    The outline goes once around, and has each cell once.
    """

    outline: np.ndarray
    corners: np.ndarray


def thin(reachable: np.ndarray, start: Cell) -> np.ndarray:
    """Remove the border of a connected set where it stays connected.

    The set is (X, Y) bool.
    Narrow passages and the start stay. Cells of the border are tried in the order of x, then y,
    until none can be removed.
    """
    narrow = np.minimum(_run_lengths(reachable), _run_lengths(reachable.T).T) <= NARROW
    padded = np.pad(reachable, 1)
    inner = np.asarray(ndimage.binary_erosion(reachable), bool)
    border = reachable & ~inner & ~narrow
    border[start] = False
    left = np.argwhere(border) + 1
    while True:
        kept = [cell for cell in left if not _removed(padded, *cell)]
        if len(kept) == len(left):
            return padded[1:-1, 1:-1]
        left = np.array(kept, int).reshape(-1, 2)


def _removed(padded: np.ndarray, x: int, y: int) -> bool:
    """Remove a cell if the other cells stay connected; return whether it was removed."""
    padded[x, y] = False
    if not _joined_around(padded[x - 1 : x + 2, y - 1 : y + 2]):
        padded[x, y] = components(padded)[1] > 1
    return not padded[x, y]


def _joined_around(block: np.ndarray) -> bool:
    """Return whether neighbours in a block are joined without its middle.

    ``block`` (3, 3) bool surrounds a cell of the border.
    """
    ring = [bool(block[place]) for place in _RING]
    sides = sum(ring[place] for place in (1, 3, 5, 7))
    # A corner joins the two sides next to it. One side at least is missing, so they never form a whole ring.
    joints = sum(ring[place - 1] and ring[place] and ring[(place + 1) % 8] for place in (0, 2, 4, 6))
    return sides - joints == 1


def _run_lengths(cells: np.ndarray) -> np.ndarray:
    """Return the length (X, Y) of each cell's run along x.

    The length is 0 outside the set.
    """
    labels, _ = components(cells, [[0, 1, 0]] * 3)
    return np.where(cells, np.bincount(labels.ravel())[labels], 0)


def greedy_rectangles(cells: np.ndarray) -> list[Rectangle]:
    """Return rectangles with outlines in a set, the largest first.

    The set is (X, Y) bool. The cells of a rectangle, also those inside it, are removed from the set before the next
    rectangle is searched for. Areas are at least one cell. Of rectangles with equal areas, the one with the smallest
    lowest cell comes first.
    """
    left = cells.copy()
    found: list[Rectangle] = []
    bounds = {width: (len(cells) + 1) * cells.shape[1] for width in range(1, len(cells))}
    while best := largest_rectangle(left, bounds):
        x0, y0, x1, y1 = best
        left[x0 : x1 + 1, y0 : y1 + 1] = False
        found.append(best)
    return found


def largest_rectangle(cells: np.ndarray, bounds: dict[int, int] | None = None) -> Rectangle | None:
    """Return the largest rectangle with its outline in a set, or None.

    The set is (X, Y) bool. ``bounds`` are upper bounds of the areas for each width. The bounds are lowered in place. If
    cells are removed from the set later, its rectangles cannot become larger, so these bounds stay valid and most
    widths need not be searched again.
    """
    bounds = dict.fromkeys(range(1, len(cells)), cells.size) if bounds is None else bounds
    best_area, best = 1, None
    for width in sorted(bounds, key=lambda width: (-bounds[width], width)):
        if bounds[width] < best_area:
            break
        area, found = _largest_of_width(cells, width)
        bounds[width] = area
        if found is not None and area >= best_area and (best is None or (-area, found) < (-best_area, best)):
            best_area, best = area, found
    return best


def _largest_of_width(cells: np.ndarray, width: int) -> tuple[int, Rectangle | None]:
    """Return the largest area of one width, and its first rectangle.

    The area is in cells, the width along x.
    """
    both = cells[:-width] & cells[width:]
    sums = np.cumsum(np.pad(cells, ((1, 0), (0, 0))), axis=0)
    sides = sums[width + 1 :] - sums[: -width - 1] == width + 1
    places = np.arange(cells.shape[1])
    gap = np.maximum.accumulate(np.where(both, -1, places), axis=1)
    later = np.where(sides, places, cells.shape[1])
    following = np.minimum.accumulate(later[:, ::-1], axis=1)[:, ::-1]
    first = np.take_along_axis(following, np.minimum(gap + 1, cells.shape[1] - 1), axis=1)
    heights = np.where(sides, places - first, 0)
    most = int(heights.max(initial=0))
    if most < 1:
        return 0, None
    x, y = (int(value[0]) for value in np.nonzero(heights == most))
    return width * most, (x, y - most, x + width, y)


def is_large(rectangle: Rectangle) -> bool:
    """Return whether width and height together are long enough to be walked."""
    x0, y0, x1, y1 = rectangle
    return x1 - x0 + y1 - y0 >= LEAST_SIDES


def contract(rectangle: Rectangle, cells: np.ndarray, margin: int = MARGIN) -> Shape:
    """Shrink a rectangle that is one or two cells thin.

    ``cells`` (X, Y) bool is the set in which the outline lies. A rectangle that loses its width or its height becomes a
    segment, and one that loses both becomes a point.
    """
    x0, y0, x1, y1 = rectangle
    if min(x1 - x0, y1 - y0) > 2:
        return _rectangle_shape(rectangle)
    wide, high = x1 - x0 > 2 * margin, y1 - y0 > 2 * margin
    if not wide and not high:
        return _point_shape(rectangle, cells)
    if wide and not high:
        turned = _segment((y0, x0, y1, x1), cells.T, margin)
        return Shape(turned.outline[:, ::-1], turned.corners[:, ::-1])
    if high and not wide:
        return _segment(rectangle, cells, margin)
    for less in range(margin, 0, -1):
        smaller = _rectangle_shape((x0 + less, y0 + less, x1 - less, y1 - less))
        if cells[tuple(smaller.outline.T)].all():
            return smaller
    return _rectangle_shape(rectangle)


def _rectangle_shape(rectangle: Rectangle) -> Shape:
    x0, y0, x1, y1 = rectangle
    outline = [(x, y0) for x in range(x0, x1)] + [(x1, y) for y in range(y0, y1)]
    outline += [(x, y1) for x in range(x1, x0, -1)] + [(x0, y) for y in range(y1, y0, -1)]
    return Shape(np.array(outline), np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)]))


def _point_shape(rectangle: Rectangle, cells: np.ndarray) -> Shape:
    """Return the reachable cell nearest to the centre."""
    x0, y0, x1, y1 = rectangle
    there = np.argwhere(cells[x0 : x1 + 1, y0 : y1 + 1]) + np.array([x0, y0])
    point = there[[np.argmin(np.abs(2 * there - (x0 + x1, y0 + y1)).sum(axis=1))]]
    return Shape(point, point)


def _segment(rectangle: Rectangle, cells: np.ndarray, margin: int) -> Shape:
    """Return the reachable segment along y nearest to the centre line.

    The sides always are reachable.
    """
    x0, y0, x1, y1 = rectangle
    ends = y0 + margin, y1 - margin
    columns = [x for x in range(x0, x1 + 1) if cells[x, ends[0] : ends[1] + 1].all()]
    x = min(columns, key=lambda column: (abs(2 * column - x0 - x1), column))
    return Shape(np.array([(x, y) for y in range(ends[0], ends[1] + 1)]), np.array([(x, ends[0]), (x, ends[1])]))

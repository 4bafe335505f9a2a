"""The shapes along whose outlines the camera walks: rectangles, segments and points."""

from dataclasses import dataclass

import numpy as np

from chronotope.world.explore.grid import STEP, Cell, Grid

__all__ = ["Shape", "draw_shapes", "largest_rectangle"]

_REACH = np.sin(np.radians(60.0)) * 1.5  # m, of the person's arm, seen with half of the field of view of 120 degrees
LEAST_SIDES = 2 * int(_REACH * 0.5 / STEP)  # cells, least sum of width and height
MARGIN = int(_REACH * 0.3 / STEP)  # cells, by which narrow rectangles are contracted
NARROW = 2  # cells


@dataclass(frozen=True)
class Shape:
    """A shape, as the cells of its outline in order; ``corners`` are the cells where the direction changes."""

    outline: tuple[Cell, ...]
    corners: tuple[Cell, ...]


def largest_rectangle(free: np.ndarray) -> tuple[int, int, int, int] | None:
    """Find the rectangle of the largest area whose outline is free; its interior may be blocked.

    Returns its lowest x and y, its width and its height in cells. Among equal areas, the smallest x and then the
    smallest y wins. Returns None if there is no rectangle of at least one cell.
    """
    right, up = _ahead(free, 0), _ahead(free, 1)
    best: tuple[int, int, int, int] | None = None
    widths, heights = np.arange(1, free.shape[0]), np.arange(1, free.shape[1])
    sizes = [(int(w), int(h)) for w in widths for h in heights]
    for width, height in sorted(sizes, key=lambda size: -size[0] * size[1]):
        if best is not None and width * height < best[2] * best[3]:
            break
        across, along = right >= width, up >= height
        fits = across[:-width, :-height] & across[:-width, height:] & along[:-width, :-height] & along[width:, :-height]
        if fits.any():
            x, y = (int(each) for each in np.argwhere(fits)[0])
            if best is None or (x, y) < best[:2]:
                best = (x, y, width, height)
    return best


def _ahead(free: np.ndarray, axis: int) -> np.ndarray:
    """Count how many free points follow each point without a gap; -1 for a blocked point."""
    turned = free if axis == 0 else free.T
    count = np.full(turned.shape, -1)
    for row in range(len(turned) - 1, -1, -1):
        following = count[row + 1] if row + 1 < len(turned) else np.full(turned.shape[1], -1)
        count[row] = np.where(turned[row], following + 1, -1)
    return count if axis == 0 else count.T


def draw_shapes(grid: Grid, thinned: np.ndarray) -> list[Shape]:
    """Cover the thinned set with shapes, the largest rectangles first."""
    left, shapes = thinned.copy(), []
    while (found := largest_rectangle(left)) is not None:
        x, y, width, height = found
        left[x : x + width + 1, y : y + height + 1] = False
        if width + height >= LEAST_SIDES:
            shapes.append(_contracted(thinned, found))
    return shapes


def _contracted(free: np.ndarray, found: tuple[int, int, int, int]) -> Shape:
    """Contract a narrow rectangle to a smaller one, a segment or a point."""
    x, y, width, height = found
    if min(width, height) > NARROW:
        return _rectangle(x, y, width, height)
    for margin in range(MARGIN, 0, -1):
        wide, tall = width - 2 * margin, height - 2 * margin
        if wide <= 0 and tall <= 0:
            return _point(free, (x + width / 2, y + height / 2))
        if wide <= 0 or tall <= 0:
            return _segment(free, found, margin)
        inner = _rectangle(x + margin, y + margin, wide, tall)
        if all(free[cell] for cell in inner.outline):
            return inner
    return _rectangle(x, y, width, height)


def _rectangle(x: int, y: int, width: int, height: int) -> Shape:
    a, b, c, d = (x, y), (x + width, y), (x + width, y + height), (x, y + height)
    outline = [(x + k, y) for k in range(width)] + [(x + width, y + k) for k in range(height)]
    outline += [(x + width - k, y + height) for k in range(width)] + [(x, y + height - k) for k in range(height)]
    return Shape(tuple(outline), (a, b, c, d))


def _point(free: np.ndarray, middle: tuple[float, float]) -> Shape:
    cells = np.argwhere(free)
    nearest = cells[np.abs(cells - np.array(middle)).sum(axis=1).argmin()]
    cell = (int(nearest[0]), int(nearest[1]))
    return Shape((cell,), (cell,))


def _segment(free: np.ndarray, found: tuple[int, int, int, int], margin: int) -> Shape:
    """Replace a rectangle by a segment along its longer side, through the free point nearest its middle line."""
    x, y, width, height = found
    is_tall = height >= width
    low, high = (y + margin, y + height - margin) if is_tall else (x + margin, x + width - margin)
    across, middle = (x, x + width / 2) if is_tall else (y, y + height / 2)
    wide = width if is_tall else height
    lines = sorted(range(across, across + wide + 1), key=lambda line: (abs(line - middle), line))

    def cell(line: int, at: int) -> Cell:
        return (line, at) if is_tall else (at, line)

    centre = (low + high) / 2
    places = [(abs(line - middle), abs(at - centre), line, at) for line in lines for at in range(low, high + 1)]
    free_places = [place for place in places if free[cell(place[2], place[3])]]
    if not free_places:
        return _rectangle(*found)
    _, _, line, at = min(free_places)
    first = last = at
    while first > low and free[cell(line, first - 1)]:
        first -= 1
    while last < high and free[cell(line, last + 1)]:
        last += 1
    outline = tuple(cell(line, k) for k in range(first, last + 1))
    return Shape(outline, tuple(dict.fromkeys((outline[0], outline[-1]))))

"""The flat top of a piece of furniture: the level rectangle on which other things can stand."""

import numpy as np

CELL = 0.02  # m, side of a cell of the grid
LEVEL = 0.004  # m, largest difference of heights on a flat top
SMALLEST = 0.2  # m, least side of a top
MARGIN = 1  # cells at the rim of a top that stay free
_LEVELS = 6  # heights that are tried, the most frequent ones


def flat_top(corners: np.ndarray) -> tuple[tuple[float, float, float], float, float] | None:
    """Find the largest level rectangle that is open to the sky.

    ``corners`` (F, 3, 3) m are triangles; z is up. Returns the middle of the rectangle, its length along x and its
    width along y, or None if no such rectangle exists.
    """
    heights, low = _height_map(corners)
    seen = heights[np.isfinite(heights)]
    levels, counts = np.unique(np.round(seen / LEVEL).astype(int), return_counts=True)
    best: tuple[int, int, int, int] | None = None
    for level in levels[np.argsort(-counts, kind="stable")][:_LEVELS]:
        found = _largest_rectangle(np.abs(heights - level * LEVEL) <= LEVEL / 2 + 1e-9)
        if best is None or _area(found) > _area(best):
            best = found
    if best is None:
        return None
    x0, x1, y0, y1 = best[0] + MARGIN, best[1] - MARGIN, best[2] + MARGIN, best[3] - MARGIN
    length, width = (x1 - x0) * CELL, (y1 - y0) * CELL
    if min(length, width) < SMALLEST:
        return None
    top = float(heights[x0:x1, y0:y1].max())
    middle = low + np.array([x0 + x1, y0 + y1]) * CELL / 2
    return (round(float(middle[0]), 6), round(float(middle[1]), 6), round(top, 6)), round(length, 6), round(width, 6)


def _area(rectangle: tuple[int, int, int, int]) -> int:
    return (rectangle[1] - rectangle[0]) * (rectangle[3] - rectangle[2])


def _height_map(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest height (m) of each cell of a grid.

    The second result is the corner (2,) m of the grid. A cell without a surface in its middle has the height -inf.
    """
    flat = corners[..., :2]
    low = flat.reshape(-1, 2).min(axis=0)
    count = np.ceil((flat.reshape(-1, 2).max(axis=0) - low) / CELL - 1e-9).astype(int).clip(1)
    heights = np.full(tuple(count), -np.inf)
    for triangle in corners:
        a, b, c = triangle[:, :2]
        area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        if abs(area) < 1e-12:
            continue
        first = np.maximum(np.ceil((triangle[:, :2].min(axis=0) - low) / CELL - 0.5 - 1e-9).astype(int), 0)
        last = np.minimum(np.floor((triangle[:, :2].max(axis=0) - low) / CELL - 0.5 + 1e-9).astype(int) + 1, count)
        if (last <= first).any():
            continue
        x = low[0] + (np.arange(first[0], last[0]) + 0.5)[:, None] * CELL
        y = low[1] + (np.arange(first[1], last[1]) + 0.5)[None] * CELL
        v = ((x - a[0]) * (c[1] - a[1]) - (y - a[1]) * (c[0] - a[0])) / area
        w = ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / area
        inside = (v >= -1e-9) & (w >= -1e-9) & (v + w <= 1 + 1e-9)
        z = triangle[0, 2] + v * (triangle[1, 2] - triangle[0, 2]) + w * (triangle[2, 2] - triangle[0, 2])
        part = heights[first[0] : last[0], first[1] : last[1]]
        np.maximum(part, np.where(inside, z, -np.inf), out=part)
    return heights, low


def _largest_rectangle(mask: np.ndarray) -> tuple[int, int, int, int]:
    """Return the bounds of the largest rectangle of True cells.

    The bounds are x0, x1, y0 and y1.
    """
    best, run = (0, 0, 0, 0), np.zeros(mask.shape[1], int)
    for x in range(mask.shape[0]):
        run = np.where(mask[x], run + 1, 0)
        stack: list[tuple[int, int]] = []  # first column and height of rectangles that may grow
        for y, tall in enumerate([*run.tolist(), 0]):
            start = y
            while stack and stack[-1][1] >= tall:
                start, height = stack.pop()
                if height * (y - start) > _area(best):
                    best = (x - height + 1, x + 1, start, y)
            stack.append((start, tall))
    return best

"""Linear functionals of a smooth function of time: values, integrals, differences."""

import numpy as np

__all__ = ["difference", "grid_of", "integral", "kernels", "value"]

MOST_POINTS = 200  # maximum number of points of a grid


def grid_of(end: float) -> np.ndarray:
    """Return times (G,) in s from 0 to ``end``.

    Neighbouring times are at least 0.1 s apart.
    """
    return np.linspace(0.0, end, max(2, min(MOST_POINTS, round(end / 0.1))) + 1)


def value(grid: np.ndarray, time: float) -> np.ndarray:
    """Return the weights (G,) that interpolate at one time (s)."""
    weights = np.zeros(len(grid))
    step = grid[1] - grid[0]
    place = float(np.clip(time / step, 0, len(grid) - 1))
    low = min(int(place), len(grid) - 2)
    weights[low], weights[low + 1] = low + 1 - place, place - low
    return weights


def integral(grid: np.ndarray, start: float, end: float) -> np.ndarray:
    """Return the weights (G,) that integrate between two times (s)."""
    points = np.linspace(start, end, 4 * max(1, round((end - start) / (grid[1] - grid[0]))) + 1)
    each = np.full(len(points), (end - start) / (len(points) - 1))
    each[[0, -1]] /= 2
    return each @ np.stack([value(grid, float(point)) for point in points])


def difference(grid: np.ndarray, start: float, end: float) -> np.ndarray:
    """Return the weights (G,) of the mean change per second."""
    return (value(grid, end) - value(grid, start)) / (end - start)


def kernels(grid: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the correlations (L, G, G) of smooth functions.

    There is one matrix for each correlation length, in seconds.
    """
    apart = np.abs(grid[:, None] - grid[None])
    scaled = np.sqrt(5) * apart[None] / lengths[:, None, None]
    return (1 + scaled + scaled**2 / 3) * np.exp(-scaled)

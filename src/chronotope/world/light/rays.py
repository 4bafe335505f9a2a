"""Even sets of directions and of places on a surface."""

import numpy as np

_ROOTS = {1: 1.618033988749895, 2: 1.324717957244746, 3: 1.2207440846057596}


def spread(count: int, dimensions: int, pattern: int) -> np.ndarray:
    """Return numbers that fill the cube evenly.

    The numbers (count, dimensions) are between 0 and 1.
    The patterns shift the numbers; together they are again even.
    """
    steps = _ROOTS[dimensions] ** -np.arange(1.0, dimensions + 1)
    return (0.5 + (np.arange(count)[:, None] + count * pattern) * steps) % 1


def hemisphere(count: int, pattern: int) -> np.ndarray:
    """Return directions (count, 3) about +z whose density is the cosine."""
    share = spread(count, 2, pattern)
    radius, angle = np.sqrt(share[:, 0]), 2 * np.pi * share[:, 1]
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), np.sqrt(1 - share[:, 0])], axis=1)


def turned_to(normals: np.ndarray, ways: np.ndarray) -> np.ndarray:
    """Turn directions (N, R, 3) from +z to normals (N, 3)."""
    x, y, z = normals.T
    sign = np.where(z >= 0, 1.0, -1.0)
    a = -1 / (sign + z)
    b = x * y * a
    one = np.stack([1 + sign * x * x * a, sign * b, -sign * x], axis=1)
    two = np.stack([b, sign + y * y * a, -y], axis=1)
    frames = np.stack([one, two, normals], axis=1).astype(np.float32)
    return ways.astype(np.float32) @ frames

"""The nearest points on triangles."""

import numpy as np

TINY = 1e-18  # m^2; keeps quotients of flat triangles finite


def nearest_shares(points: np.ndarray, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find the point of each triangle that is nearest to a point.

    ``points`` (N, 3) and ``corners`` (N, 3, 3) are in m; the second axis of ``corners`` has the three corners.
    Returns the shares (N, 3) of the corners in the nearest point, whose sum is 1, and its distance (N,) m.
    """
    first, second, third = corners[:, 0], corners[:, 1], corners[:, 2]
    one, two, off = second - first, third - first, points - first
    a, b, c = _dot(one, one), _dot(one, two), _dot(two, two)
    d, e = _dot(one, off), _dot(two, off)
    whole = np.maximum(a * c - b * b, TINY)
    u, v = (c * d - b * e) / whole, (a * e - b * d) / whole
    shares = np.stack([1 - u - v, u, v], axis=1)
    outside = np.flatnonzero((shares < 0).any(axis=1))
    if len(outside):
        # The nearest point is on an edge.
        best = np.full(len(outside), np.inf)
        chosen = np.empty((len(outside), 3))
        for start, end in ((0, 1), (1, 2), (2, 0)):
            base = corners[outside, start]
            side, away = corners[outside, end] - base, points[outside] - base
            along = np.clip(_dot(away, side) / np.maximum(_dot(side, side), TINY), 0, 1)
            apart = away - along[:, None] * side
            far = _dot(apart, apart)
            nearer = far < best
            best[nearer] = far[nearer]
            chosen[nearer] = 0.0
            chosen[nearer, start], chosen[nearer, end] = 1 - along[nearer], along[nearer]
        shares[outside] = chosen
    apart = points - np.einsum("nk,nkj->nj", shares, corners)
    return shares, np.sqrt(_dot(apart, apart))


def _dot(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.einsum("ni,ni->n", one, other)

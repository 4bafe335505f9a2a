"""Smooth motion: times to shares of a way, without jumps of speed."""

from collections.abc import Sequence

import numpy as np


def eased(times: np.ndarray, start: float, end: float) -> np.ndarray:
    """Return the share (T,) of a way done: 0 until ``start`` (s), 1 from ``end`` on."""
    t = np.clip((np.asarray(times) - start) / (end - start), 0, 1)
    return t**2 * (3 - 2 * t)


def through(times: np.ndarray, stops: Sequence[float], spans: Sequence[tuple[float, float]]) -> np.ndarray:
    """Return values (T,) that go from stop to stop in the ``spans`` (s) between them."""
    values = np.full(len(times), float(stops[0]))
    for k, (start, end) in enumerate(spans):
        values += (stops[k + 1] - stops[k]) * eased(times, start, end)
    return values

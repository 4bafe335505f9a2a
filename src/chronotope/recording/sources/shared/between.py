"""Samples of one sensor at the stamps of another: interpolated poses, or the nearest."""

import numpy as np

from chronotope.geometry import interpolate_pose

__all__ = ["nearest", "poses_between"]


def poses_between(
    stamps: np.ndarray, poses: np.ndarray, wanted: np.ndarray, unit: float, largest_gap: float
) -> tuple[np.ndarray, np.ndarray]:
    """Interpolate poses (N, 4, 4) at the stamps ``wanted`` (N,).

    The second value (N,) is True for the known poses; the others are NaN. ``stamps`` (T,), strictly increasing, are the
    stamps of ``poses`` (T, 4, 4). Both ``stamps`` and ``wanted`` have ``unit`` units per second. A pose is known if
    there is a sample at its stamp, or one before and one after it that are at most ``largest_gap`` s apart.
    """
    found = np.full((len(wanted), 4, 4), np.nan)
    if not len(stamps):
        return found, np.zeros(len(wanted), bool)
    after = np.clip(np.searchsorted(stamps, wanted), 0, len(stamps) - 1)
    before = np.clip(np.searchsorted(stamps, wanted, side="right") - 1, 0, len(stamps) - 1)
    inside = (stamps[before] <= wanted) & (wanted <= stamps[after])
    near = inside & (stamps[after] - stamps[before] <= largest_gap * unit)
    # Seconds since the first stamp: those since 1970 in ns would lose their last digits as float64.
    found[near] = interpolate_pose((stamps - stamps[0]) / unit, poses, (wanted[near] - stamps[0]) / unit)
    return found, near


def nearest(stamps: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Find the index of the nearest stamp for each ``wanted`` (N,).

    ``stamps`` (T,) increase, and there is at least one. Of two equally near stamps the first counts.
    """
    right = np.clip(np.searchsorted(stamps, wanted), 0, len(stamps) - 1)
    left = np.clip(right - 1, 0, None)
    return np.where(np.abs(stamps[left] - wanted) <= np.abs(stamps[right] - wanted), left, right)

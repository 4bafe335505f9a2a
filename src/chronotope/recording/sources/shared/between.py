"""Find the pose or the sample of one sensor at the stamps of another sensor."""

import numpy as np

from chronotope.geometry import interpolate_pose

__all__ = ["nearest", "poses_between"]


def poses_between(
    stamps: np.ndarray, poses: np.ndarray, wanted: np.ndarray, unit: float, largest_gap: float
) -> tuple[np.ndarray, np.ndarray]:
    """Interpolate poses at the stamps ``wanted`` (N,).

    ``stamps`` (T,), which increase strictly, are the stamps of ``poses`` (T, 4, 4). ``unit`` is the number of stamp
    units per second, for both ``stamps`` and ``wanted``. The pose at a wanted stamp is known if one of ``poses`` has
    exactly this stamp. The pose is also known if the poses before and after this stamp are at most ``largest_gap`` s
    apart.

    The first result has the poses (N, 4, 4); unknown poses are NaN. The second result (N,) is True for each known
    pose.
    """
    found = np.full((len(wanted), 4, 4), np.nan)
    if not len(stamps):
        return found, np.zeros(len(wanted), bool)
    after = np.clip(np.searchsorted(stamps, wanted), 0, len(stamps) - 1)
    before = np.clip(np.searchsorted(stamps, wanted, side="right") - 1, 0, len(stamps) - 1)
    inside = (stamps[before] <= wanted) & (wanted <= stamps[after])
    near = inside & (stamps[after] - stamps[before] <= largest_gap * unit)
    # Seconds since the first stamp, because stamps in ns since 1970 would lose their last digits as float64.
    found[near] = interpolate_pose((stamps - stamps[0]) / unit, poses, (wanted[near] - stamps[0]) / unit)
    return found, near


def nearest(stamps: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Find the index of the nearest stamp for each ``wanted`` (N,).

    ``stamps`` (T,) increase, and there is at least one stamp. If two stamps are equally near, the first of the two
    is used.
    """
    right = np.clip(np.searchsorted(stamps, wanted), 0, len(stamps) - 1)
    left = np.clip(right - 1, 0, None)
    return np.where(np.abs(stamps[left] - wanted) <= np.abs(stamps[right] - wanted), left, right)

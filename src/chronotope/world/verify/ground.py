"""The height of the ground near a place, as depth shows it."""

import numpy as np

from chronotope.recording import Recording
from chronotope.world.verify.frame import Frame, spread

AROUND_M = 0.25  # m, horizontal distance of the pixels that show the ground at a place
BESIDE_M = 0.15  # m, vertical distance of these pixels from the place
LARGEST_PX = 60  # half the side of the searched part of the picture
SAMPLED, FEWEST = 300, 20  # largest and least number of these pixels
EVEN_M = 0.006  # m, largest difference of heights on even ground: of the middle 80 % of the pixels
REMEMBERED_S = 1.0  # s for which a measured height is used where the ground is hidden


class Ground:
    """Measures the height of the ground at places in frames.

    ``up`` is the direction up in the world.
    """

    def __init__(self, up: np.ndarray) -> None:
        self._up = up

    def level(self, frame: Frame, place: np.ndarray) -> float:
        """Return the height (m) of the ground at a place (3,) m.

        The height is NaN if the ground is hidden or uneven.
        """
        (row,), (column,), (depth,) = frame.project(place[None])
        if not np.isfinite(depth):
            return np.nan
        reach = int(np.clip(frame.intrinsics[0, 0] * AROUND_M / depth, 4, LARGEST_PX))
        top, left = max(round(float(row)) - reach, 0), max(round(float(column)) - reach, 0)
        bottom, right = round(float(row)) + reach + 1, round(float(column)) + reach + 1
        part = frame.identities[top : max(bottom, 0), left : max(right, 0)] == 0
        part &= np.isfinite(frame.depth[top : max(bottom, 0), left : max(right, 0)])
        rows, columns = np.divmod(spread(np.flatnonzero(part), SAMPLED), max(part.shape[1], 1))
        away = frame.unproject(rows + top, columns + left) - place
        heights = away @ self._up
        level = np.linalg.norm(away - heights[:, None] * self._up, axis=1)
        heights = heights[(level < AROUND_M) & (np.abs(heights) < BESIDE_M)]
        if len(heights) < FEWEST:
            return np.nan
        low, middle, high = np.percentile(heights, [10, 50, 90])
        if high - low > EVEN_M + 2 * frame.rounding:
            return np.nan
        return float(self._up @ place + middle)


def filled(levels: np.ndarray, recording: Recording) -> np.ndarray:
    """Fill in heights (T,) m that could not be measured.

    A height is that of the nearest measured frame, if this frame is near in time. All other heights stay NaN.
    """
    known = np.flatnonzero(np.isfinite(levels))
    if not len(known):
        return levels
    times = recording.times
    nearest = known[np.abs(times[:, None] - times[known]).argmin(axis=1)]
    return np.where(np.abs(times - times[nearest]) <= REMEMBERED_S, levels[nearest], np.nan)

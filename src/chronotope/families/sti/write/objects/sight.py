"""When a thing is seen: clearly, not at all, or so near a threshold that a driver would decide (specification, 5)."""

from dataclasses import dataclass

import numpy as np

from chronotope.families import Refused
from chronotope.families.sti.refusal import Code
from chronotope.recording import Entity

__all__ = ["LEAST_FRACTION", "LEAST_SHARE", "MARGIN", "Sight", "longest_run", "require_clear", "sight_of"]

LEAST_SHARE = 0.001  # of the picture's pixels
LEAST_FRACTION = 0.6  # of the surface that faces the camera
WHOLE_FRACTION = 0.8  # that a thing whose size is asked about reaches at least once
MARGIN = 0.05  # of a threshold, within which nothing is decided
LONGEST_GAP = 0.3  # s out of sight that do not end a run
_EPSILON = 1e-6  # s


@dataclass(frozen=True, eq=False)
class Sight:
    """What is seen of a thing in each sample, (T,) bool each.

    ``clear``: above both thresholds by the margin. ``possible``: not below either by more than the margin. ``large``:
    as many pixels as that, whatever share of the thing they are. ``whole``: clear, and hardly anything hidden.
    """

    clear: np.ndarray
    possible: np.ndarray
    large: np.ndarray
    whole: np.ndarray

    @property
    def ever(self) -> bool:
        """Whether the thing may be in the picture at all."""
        return bool((self.possible | self.large).any())


def sight_of(entity: Entity, samples: int, pixels: int | None) -> Sight:
    """The sight of an entity in so many samples of a picture of so many pixels.

    Where a source knows neither pixels nor fractions, its own flag decides; where it has no flag either, nothing is
    seen.
    """
    flag = entity.visible
    known = [values for values in (entity.visible_pixels, entity.visible_fraction) if values is not None]
    if flag is None:
        flag = np.full(samples, bool(known))
    share = np.full(samples, np.inf)
    if entity.visible_pixels is not None and pixels is not None:
        share = entity.visible_pixels / pixels
    fraction = np.full(samples, np.inf) if entity.visible_fraction is None else entity.visible_fraction
    up, down = 1 + MARGIN, 1 - MARGIN
    clear = flag & (share >= up * LEAST_SHARE) & (fraction >= up * LEAST_FRACTION)
    large = share >= down * LEAST_SHARE if known else flag
    possible = large & (fraction >= down * LEAST_FRACTION)
    return Sight(clear, possible, large, clear & (fraction >= up * WHOLE_FRACTION))


def require_clear(sight: Sight, samples: np.ndarray) -> None:
    """Refused unless the thing is clearly seen in every one of the samples (indices)."""
    if sight.clear[samples].all():
        return
    raise Refused(Code.OCCLUDED if sight.large[samples].all() else Code.NOT_VISIBLE)


def longest_run(times: np.ndarray, mask: np.ndarray) -> tuple[float, float] | None:
    """First and last time (s) of the longest stretch of samples where the mask holds, short gaps closed; or None."""
    held = np.flatnonzero(mask)
    if len(held) == 0:
        return None
    breaks = np.flatnonzero(np.diff(times[held]) > _gap(times))
    firsts, lasts = held[np.concatenate([[0], breaks + 1])], held[np.concatenate([breaks, [len(held) - 1]])]
    longest = int(np.argmax(times[lasts] - times[firsts]))
    return float(times[firsts[longest]]), float(times[lasts[longest]])


def _gap(times: np.ndarray) -> float:
    """The longest time between two samples of one run: the gap that is closed, and the samples' own distance."""
    step = float(np.median(np.diff(times))) if len(times) > 1 else 0.0
    return LONGEST_GAP + step + _EPSILON

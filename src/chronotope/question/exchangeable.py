"""Option sets around one of several true values, which do not reveal the correct member."""

import numpy as np

from chronotope.question.options import OptionSet, draw_scalar_offsets
from chronotope.question.refusal import Reason, Refused

__all__ = ["exchangeable_scalars"]

DRAWS = 16  # sets drawn for one question before it is given up


def exchangeable_scalars(
    generator: np.random.Generator,
    values: np.ndarray,
    least: float | np.ndarray,
    nearest: tuple[float, float],
    step: float,
) -> tuple[int, OptionSet]:
    """Lay a set of options around one of the true values.

    ``values`` is (K,). Returns the index of the chosen value, and the set. ``least`` is the smallest possible correct
    value, for all or for each (K,). ``nearest`` is the range of the distance between neighbours, ``step`` the last
    printed digit. All are in the unit of the values.

    Gaps, rank and place of the set are drawn first. Then the true value nearest to the place of the correct member is
    chosen. The place is drawn uniformly from those that keep every member among the values, for every rank, so that
    common values are not the better guess. If the gaps are too wide for that, they are drawn again from a smaller
    range. If the values are nearly equal (a car at constant speed), the set is laid around one of them, with any rank.

    Raises:
        Refused: If the set would reach below ``least``.
    """
    low = nearest[0]
    for draw in range(DRAWS):
        offsets = draw_scalar_offsets(generator, (low, _widest(nearest, draw)), step=step)
        room = float(np.ptp(values) - np.ptp(offsets))
        if room < 0:
            continue
        wanted = float(values.min()) + generator.uniform(0, room) - float(offsets.min())
        fitting = values + offsets.min() >= least
        if fitting.any():
            chosen = int(np.argmin(np.where(fitting, np.abs(values - wanted), np.inf)))
            return chosen, OptionSet.around(float(values[chosen]), offsets, step)
    for draw in range(DRAWS):
        offsets = draw_scalar_offsets(generator, (low, _widest(nearest, draw)), step=step)
        below = values - least
        # Used only if some value could have the highest rank: whether a set is used then tells nothing of the rank.
        if below.max() >= np.ptp(offsets):
            chosen = int(np.argmax(below >= -offsets.min()))
            return chosen, OptionSet.around(float(values[chosen]), offsets, step)
    raise Refused(Reason.NO_DISTRACTORS)


def _widest(nearest: tuple[float, float], draw: int) -> float:
    """Return the longest gap of a draw.

    It is the upper end of the range at first, and decreases with each draw.
    """
    low, high = nearest
    return low * (high / low) ** (1 - draw / DRAWS)

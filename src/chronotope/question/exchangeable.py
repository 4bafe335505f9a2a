"""Option sets around one of several true values, which do not reveal the right member."""

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

    ``values`` is (K,). Returns the index of the value that was taken, and the set. ``least`` is the smallest value that
    could have been right, for all or for each (K,). ``nearest`` is the range of the distance between neighbours,
    ``step`` the last place printed. All are in the unit of the values.

    Gaps, rank and place of the set are drawn first. Then the true value is taken that lies nearest to where the right
    member would be. The place is drawn uniformly from those that keep every member among the values, whatever the
    rank: common values are then not the better guess. If the gaps are too wide for that, they are drawn again from
    less of the range. Values that hardly differ (a car at one speed) hold no set: the set then lies about one of them,
    whatever the rank.

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

    It is the whole range at first, then less with each draw.
    """
    low, high = nearest
    return low * (high / low) ** (1 - draw / DRAWS)

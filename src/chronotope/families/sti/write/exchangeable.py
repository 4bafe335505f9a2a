"""Sets of options laid around one of several true values, so that nothing of the set tells which member is right."""

import numpy as np

from chronotope.families import Refused
from chronotope.families.sti.refusal import Code
from chronotope.question import OptionSet, draw_scalar_offsets

__all__ = ["exchangeable_scalars"]

DRAWS = 16  # sets drawn for one question before it is given up


def exchangeable_scalars(
    generator: np.random.Generator,
    values: np.ndarray,
    least: float | np.ndarray,
    nearest: tuple[float, float],
    step: float,
) -> tuple[int, OptionSet]:
    """A set of options around one of the true values (K,), and which one it is.

    ``least`` is the smallest value that could have been right, for all or for each (K,); ``nearest`` the range of the
    distance between neighbours and ``step`` the last place printed; all in the values' unit. Gaps, rank and place of
    the set are drawn first; then the true value is taken that lies nearest to where the right member would be. The
    place is uniform over all that keep every member among the values there are, whichever the rank: common values are
    then not the better guess. Where the range is too wide for that, the gaps are drawn from ever less of it. Values
    that hardly differ (a car at one speed) hold no set; the set then lies about one of them, whichever the rank. Raises
    Refused where that reaches below ``least``.
    """
    low = nearest[0]
    for draw in range(DRAWS):
        offsets = draw_scalar_offsets(generator, (low, _widest(nearest, draw)), step=step)
        room = np.ptp(values) - np.ptp(offsets)
        if room < 0:
            continue
        wanted = values.min() + generator.uniform(0, room) - offsets.min()
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
    raise Refused(Code.NO_DISTRACTORS)


def _widest(nearest: tuple[float, float], draw: int) -> float:
    """The longest gap of a draw: the whole range at first, then ever less of it."""
    low, high = nearest
    return low * (high / low) ** (1 - draw / DRAWS)

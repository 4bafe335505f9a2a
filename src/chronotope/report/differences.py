"""Which run is better than which: paired differences against the best run, and of every run with every other."""

from collections.abc import Sequence
from dataclasses import dataclass

from chronotope.evaluate import Difference, compare_runs
from chronotope.report.compared import Compared

__all__ = ["Differences", "differences", "tells_apart"]


@dataclass(frozen=True)
class Differences:
    """The runs of one benchmark compared, question by question.

    ``pairs[i][j]`` is run i minus run j, in the order given, None where they have no question in common or count other
    variants; ``best`` is the place of the best run.
    """

    best: int
    pairs: tuple[tuple[Difference | None, ...], ...]


def differences(runs: Sequence[Compared]) -> Differences | None:
    """Compare the runs of one benchmark; None for a single run. Of equally good runs the first is the best."""
    if len(runs) < 2:
        return None
    half = {
        (i, j): compare_runs(runs[i].scores, runs[j].scores) for i in range(len(runs)) for j in range(i + 1, len(runs))
    }
    pairs = tuple(
        tuple(None if i == j else half[i, j] if i < j else _reversed(half[j, i]) for j in range(len(runs)))
        for i in range(len(runs))
    )
    best = max(range(len(runs)), key=lambda place: runs[place].scores.overall.value)
    return Differences(best, pairs)


def tells_apart(difference: Difference) -> bool:
    """Whether the interval excludes 0: the two runs differ by more than these clips could do by chance."""
    low, high = difference.low, difference.high
    return low is not None and high is not None and (low > 0 or high < 0)


def _reversed(difference: Difference | None) -> Difference | None:
    if difference is None:
        return None
    low = None if difference.high is None else -difference.high
    high = None if difference.low is None else -difference.low
    return Difference(-difference.value, low, high, difference.items, difference.clusters)

"""Paired differences between runs.

Each run is compared with the best run, and with all other runs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from chronotope.evaluate.score import Difference, Pair, Scores, pair_runs


@dataclass(frozen=True)
class Differences:
    """Runs compared with each other, question by question.

    ``pairs[i][j]`` compares run i with run j; i and j are positions in the given order. The value is None if the two
    runs have no common question, or if their overall accuracies cover different variants. ``best`` is the index of the
    best run.
    """

    best: int
    pairs: tuple[tuple[Pair | None, ...], ...]


def differences(runs: Sequence[Scores]) -> Differences | None:
    """Compare the runs of one benchmark.

    Returns None if no two runs have a common question. Only the runs with the most questions can be the best run,
    because a high accuracy over a few questions shows little about the other questions. Among the runs with the most
    questions, the best run is the first run with the highest accuracy.
    """
    half = {(i, j): pair_runs(runs[i], runs[j]) for i in range(len(runs)) for j in range(i + 1, len(runs))}
    pairs = tuple(
        tuple(None if i == j else half[i, j] if i < j else _reversed(half[j, i]) for j in range(len(runs)))
        for i in range(len(runs))
    )
    candidates = [place for place, of in enumerate(pairs) if any(of)]
    if not candidates:
        return None
    return Differences(max(candidates, key=lambda place: (runs[place].overall.items, runs[place].overall.value)), pairs)


def strict_values(scores: Scores) -> dict[str, float]:
    """Return the strict score of each question that ``overall`` covers.

    Returns a mapping from the id of the question to its score.
    """
    strict = {name: one.metrics.get("strict") for name, one in scores.counted_questions.items()}
    return {name: value for name, value in strict.items() if value is not None}


def tells_apart(difference: Difference) -> bool:
    """Check whether the interval of a difference excludes 0.

    If it excludes 0, chance alone does not explain the difference between the two runs on these clusters.
    """
    low, high = difference.low, difference.high
    return low is not None and high is not None and (low > 0 or high < 0)


def _reversed(pair: Pair | None) -> Pair | None:
    if pair is None:
        return None
    of = pair.difference
    low = None if of.high is None else -of.high
    high = None if of.low is None else -of.low
    return Pair(pair.second, pair.first, Difference(-of.value, low, high, of.items, of.clusters))

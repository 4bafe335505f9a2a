"""The ranks of several runs, with intervals that hold for all runs at once."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

import numpy as np

from chronotope.evaluate.score.scores import Scores
from chronotope.evaluate.score.statistics import chance_of, clusters_needed, holm
from chronotope.io.packed import PackedList
from chronotope.protocol import Scored

LEVEL = 0.05  # probability that any comparison of runs without a difference is called one


@dataclass(frozen=True)
class Step:
    """The difference between a run and the next one in rank, as a fraction.

    ``chance`` is the p-value, adjusted for all comparisons of the runs. ``needed`` is the number of clusters with which
    this difference alone would be told from chance in 80 of 100 cases, at the level of 5 %. Both are None if there are
    too few clusters; ``needed`` is None also if there is no difference.
    """

    difference: float
    chance: float | None
    needed: int | None


@dataclass(frozen=True)
class Rank:
    """The rank of a run, from 1 (the best).

    ``run`` is the position of the run in the given order. ``accuracy`` is its strict accuracy on the common questions,
    as a fraction. ``best`` and ``worst`` are the ends of the interval of the rank. The intervals of all runs together
    include the true ranks with a probability of at least 95 %. They are None if there are too few clusters. ``step`` is
    the difference to the next run; the last run has none.
    """

    run: int
    rank: int
    accuracy: float
    best: int | None
    worst: int | None
    step: Step | None


@dataclass(frozen=True)
class Ranking:
    """Runs in the order of their accuracies on ``questions`` common questions in ``clusters`` clusters."""

    ranks: tuple[Rank, ...]
    questions: int
    clusters: int


def rank_runs(runs: Sequence[Scores]) -> Ranking | None:
    """Rank runs by their strict accuracy on the questions that all of them can score.

    All pairs of runs are compared, question by question, by clusters (`chance_of`), and the p-values are adjusted by
    Holm's method. A run's best possible rank is 1 plus the number of runs that are better by such a comparison, and its
    worst possible rank leaves as many ranks behind it as runs are worse. Runs with equal accuracies share a rank.

    Returns None if there are fewer than two runs, or if they have no question in common.
    """
    table, scored = common_scores(runs)
    clusters = [one.question.cluster for one in scored]
    if len(runs) < 2 or table.shape[1] == 0:
        return None
    accuracies = [fmean(row) for row in table.tolist()]
    pairs = list(combinations(range(len(runs)), 2))
    found = [chance_of(table[one], table[other], clusters) for one, other in pairs]
    known = [one for one in found if one is not None]
    adjusted = dict(zip(pairs, holm([chance for chance, _ in known]), strict=True)) if known else {}
    errors = {pair: error for pair, (_, error) in zip(pairs, known, strict=True)} if known else {}
    order = sorted(range(len(runs)), key=lambda run: -accuracies[run])
    count = len(set(clusters))
    ranks = tuple(
        Rank(
            run,
            1 + sum(one > accuracies[run] for one in accuracies),
            accuracies[run],
            *_ends(run, accuracies, adjusted),
            _step(run, order[place + 1], accuracies, adjusted, errors, count) if place + 1 < len(order) else None,
        )
        for place, run in enumerate(order)
    )
    return Ranking(ranks, table.shape[1], count)


def common_scores(runs: Sequence[Scores]) -> tuple[np.ndarray, Sequence[Scored]]:
    """Return the strict scores (R, N) of questions that all runs can score, and these questions.

    The questions are those of the first run, with their scores there.

    Questions with one id are left out if they differ between the runs, or if the main scores of the runs belong to
    different variants.
    """
    common, values = PackedList[Scored](), [array("d") for _ in runs]
    if len({run.counted for run in runs}) == 1:
        first, *others = (run.counted_questions for run in runs)
        for name, one in first.items():
            there = [one, *(other[name] for other in others if name in other)]
            strict = [of.metrics.get("strict") for of in there if of.question == one.question]
            known = [value for value in strict if value is not None]
            if len(known) == len(runs):
                common.append(one)
                for column, value in zip(values, known, strict=True):
                    column.append(value)
    return np.array(values, dtype=float).reshape(len(runs), len(common)), common.ended()


def _ends(
    run: int, accuracies: Sequence[float], adjusted: Mapping[tuple[int, int], float]
) -> tuple[int | None, int | None]:
    if not adjusted:
        return None, None
    apart = [
        other for other in range(len(accuracies)) if other != run and adjusted[min(run, other), max(run, other)] < LEVEL
    ]
    better = sum(accuracies[other] > accuracies[run] for other in apart)
    return 1 + better, len(accuracies) - (len(apart) - better)


def _step(
    run: int,
    after: int,
    accuracies: Sequence[float],
    adjusted: Mapping[tuple[int, int], float],
    errors: Mapping[tuple[int, int], float],
    clusters: int,
) -> Step:
    value, pair = accuracies[run] - accuracies[after], (min(run, after), max(run, after))
    if pair not in adjusted:
        return Step(value, None, None)
    return Step(value, adjusted[pair], clusters_needed(value, errors[pair], clusters))

"""Ranks of runs: Holm's method as statsmodels has it, and intervals that hold the true ranks of all runs at once."""

from collections.abc import Sequence

import numpy as np
import pytest
from scipy.stats import ttest_1samp
from statsmodels.stats.multitest import multipletests

from chronotope.evaluate.score.ranks import Ranking, rank_runs
from chronotope.evaluate.score.scores import Scores
from chronotope.evaluate.score.statistics import chance_of, clusters_needed, difference, holm
from chronotope.protocol import Scored
from chronotope.question import Option, Question

REPETITIONS = 150


def question(number: int, cluster: str) -> Question:
    return Question(f"q{number}", "sti", "task", cluster, f"stem {number}", (Option("a"), Option("b")), (0,))


class Right(Scores):
    """The scores of a run that is right where ``values`` are 1."""

    def __init__(self, values: Sequence[float], clusters: Sequence[str]) -> None:
        found = {
            f"q{number}": Scored(question(number, cluster), {"strict": float(value)}, 0.5)
            for number, (value, cluster) in enumerate(zip(values, clusters, strict=True))
        }
        object.__setattr__(self, "found", found)
        object.__setattr__(self, "counted", "base")

    @property
    def counted_questions(self) -> dict[str, Scored]:
        return self.found  # type: ignore[attr-defined]


def ranked(table: np.ndarray, clusters: Sequence[str]) -> Ranking:
    found = rank_runs([Right(row.tolist(), clusters) for row in table])
    assert found is not None
    return found


def test_holm_is_that_of_statsmodels() -> None:
    generator = np.random.default_rng(1)
    for count in (1, 2, 7, 30):
        chances = generator.random(count) ** 4
        assert holm(chances.tolist()) == pytest.approx(multipletests(chances, method="holm")[1])


def test_a_chance_is_below_five_percent_where_the_interval_excludes_nothing_else() -> None:
    generator, seen = np.random.default_rng(2), set()
    for _ in range(300):
        clusters = [f"c{one}" for one in generator.integers(0, 12, 60)]
        first, second = (generator.random((2, 60)) < generator.random((2, 1))).astype(float)
        found, told = difference(first, second, clusters), chance_of(first, second, clusters)
        assert found is not None and told is not None and found.low is not None and found.high is not None
        assert (found.low > 0 or found.high < 0) == (told[0] < 0.05)
        seen.add(told[0] < 0.05)
    assert seen == {True, False}
    for apart in (0.0, 0.5, 1.0):  # equal differences
        for count in (6, 8, 40):
            names = [f"c{one}" for one in range(count)]
            found, told = (
                difference([apart] * count, [0] * count, names),
                chance_of([apart] * count, [0] * count, names),
            )
            assert found is not None and found.low is not None and told is not None
            assert (found.low > 0) == (told[0] < 0.05)
    assert chance_of([1, 0], [0, 1], ["a", "b"]) is None


def test_one_question_a_cluster_is_the_test_of_student() -> None:
    generator = np.random.default_rng(3)
    first, second = generator.random((2, 40))
    told = chance_of(first, second, [f"c{one}" for one in range(40)])
    assert told is not None
    assert told[0] == pytest.approx(tuple(ttest_1samp(first - second, 0))[1])


def test_runs_that_are_far_apart_have_one_rank_and_equal_ones_share_it() -> None:
    clusters = [f"c{one // 5}" for one in range(200)]
    generator = np.random.default_rng(4)
    close = (generator.random((2, 200)) < 0.5).astype(float)
    table = np.stack([np.zeros(200), close[0], close[1], np.ones(200), np.zeros(200)])
    found = ranked(table, clusters)
    assert found.ranks[0].run == 3 and {one.run for one in found.ranks[3:]} == {0, 4}
    assert [(one.best, one.worst) for one in found.ranks] == [(1, 1), (2, 3), (2, 3), (4, 5), (4, 5)]
    assert [one.rank for one in found.ranks][3:] == [4, 4]
    steps = [one.step for one in found.ranks]
    assert steps[0] is not None and steps[0].chance is not None and steps[0].chance < 1e-9 and steps[4] is None
    assert steps[1] is not None and steps[1].chance == pytest.approx(1, abs=0.9)
    assert steps[3] is not None and steps[3].needed is None  # equal runs are never told apart
    assert (found.questions, found.clusters) == (200, 40)


def test_few_clusters_give_ranks_without_intervals_and_nothing_in_common_none() -> None:
    found = ranked(np.array([[1, 1, 1], [0, 1, 0], [0, 0, 0]]), ["a", "b", "c"])
    assert [(one.rank, one.best, one.worst) for one in found.ranks] == [
        (1, None, None),
        (2, None, None),
        (3, None, None),
    ]
    assert rank_runs([Right([1.0], ["a"])]) is None
    assert rank_runs([Right([], []), Right([1.0], ["a"])]) is None


def simulated(generator: np.random.Generator, accuracies: Sequence[float], clusters: int) -> np.ndarray:
    """Answers of runs whose mistakes depend on the clip: common difficulty of clips, five questions each."""
    hard = generator.normal(0, 0.8, clusters).repeat(5)
    bases = np.log(np.array(accuracies) / (1 - np.array(accuracies)))
    return (generator.random((len(bases), len(hard))) < 1 / (1 + np.exp(hard - bases[:, None]))).astype(float)


@pytest.mark.slow
@pytest.mark.parametrize("clusters", [12, 60])
def test_the_intervals_of_all_ranks_hold_the_true_ranks(clusters: int) -> None:
    accuracies = (0.7, 0.6, 0.6, 0.45, 0.45, 0.3)
    true = [(1 + sum(a > b for a in accuracies), sum(a >= b for a in accuracies)) for b in accuracies]
    generator, names = np.random.default_rng(5), [f"c{one // 5}" for one in range(5 * clusters)]
    held = apart = 0
    for _ in range(REPETITIONS):
        found = ranked(simulated(generator, accuracies, clusters), names)
        ends = [(one.run, one.best or 0, one.worst or 0) for one in found.ranks]
        held += all(best <= true[run][0] and true[run][1] <= worst for run, best, worst in ends)
        apart += sum(worst - best < 5 for _, best, worst in ends)
    print(f"{clusters} clips: all ranks held in {100 * held / REPETITIONS:.1f} %")
    assert held >= 0.95 * REPETITIONS
    assert apart > REPETITIONS  # the intervals say something


@pytest.mark.slow
def test_with_the_clips_that_are_needed_a_difference_is_found_in_eighty_of_a_hundred() -> None:
    generator = np.random.default_rng(6)
    table = simulated(generator, (0.6, 0.5), 2000)
    many = [f"c{one // 5}" for one in range(10_000)]
    told = chance_of(table[0], table[1], many)
    assert told is not None
    needed = clusters_needed(float((table[0] - table[1]).mean()), told[1], 2000)
    assert needed is not None and 50 < needed < 400
    names, found = [f"c{one // 5}" for one in range(5 * needed)], 0
    for _ in range(REPETITIONS):
        first, second = simulated(generator, (0.6, 0.5), needed)
        chance = chance_of(first, second, names)
        found += chance is not None and chance[0] < 0.05
    assert 0.7 < found / REPETITIONS < 0.9

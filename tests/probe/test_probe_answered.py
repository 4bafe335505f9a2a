"""Correct against wrong answers within strata, against plain loops and drawn truths."""

import numpy as np
import pytest

from chronotope.probe.measures import contrast


def drawn(seed: int, effect: float, clusters: int = 20) -> tuple[np.ndarray, list[bool], list[int], list[str]]:
    """Values that depend on the stratum, on the cluster and, by ``effect``, on the answer.

    Easy questions (high strata) are answered correctly more often, and have higher values anyway.
    """
    random = np.random.default_rng(seed)
    of = np.repeat(np.arange(clusters), 6)
    strata = random.integers(0, 3, of.size)
    right = random.random(of.size) < 0.2 + 0.3 * strata
    values = strata + 0.3 * random.normal(size=clusters)[of] + effect * right + 0.2 * random.normal(size=of.size)
    return values, right.tolist(), strata.tolist(), [f"product {one}" for one in of]


def test_only_answers_of_one_stratum_are_compared() -> None:
    values, right, strata, clusters = drawn(0, 0.0)
    found = contrast(values, right, strata, clusters)
    plain = np.mean(values[right]) - np.mean(values[~np.array(right)])
    assert plain > 0.5 and found is not None and abs(found.difference) < 0.15  # difficulty explains all of it
    weights, differences = [], []
    for one in range(3):
        well = [v for v, r, s in zip(values, right, strata, strict=True) if s == one and r]
        badly = [v for v, r, s in zip(values, right, strata, strict=True) if s == one and not r]
        weights.append(len(well) * len(badly) / (len(well) + len(badly)))
        differences.append(sum(well) / len(well) - sum(badly) / len(badly))
    expected = sum(w * d for w, d in zip(weights, differences, strict=True)) / sum(weights)
    assert found.difference == pytest.approx(expected) and found.right - found.wrong == pytest.approx(expected)
    assert found.rights + found.wrongs == len(values) and found.rights == sum(right) and found.clusters == 20


def test_the_interval_covers_the_true_difference() -> None:
    covered = 0
    for seed in range(100):
        found = contrast(*drawn(seed, 0.4), resamples=300)
        assert found is not None and found.low is not None
        covered += found.low <= 0.4 <= found.high
    assert covered / 100 == pytest.approx(0.93, abs=0.07)  # percentiles over 20 clusters are a little narrow


def test_strata_with_one_kind_of_answer_do_not_count() -> None:
    found = contrast([1.0, 3.0, 100.0], [True, False, True], ["a", "a", "b"], ["x", "y", "z"])
    assert found is not None and (found.right, found.wrong, found.rights, found.wrongs) == (1.0, 3.0, 1, 1)
    assert found.clusters == 2 and found.low is None and found.high is None  # too few for an interval
    assert contrast([1.0, 2.0], [True, True], ["a", "a"], ["x", "y"]) is None
    assert contrast([1.0, 2.0], [True, False], ["a", "b"], ["x", "y"]) is None
    assert contrast([], [], [], []) is None
    with pytest.raises(ValueError, match="expected one answer, stratum and cluster"):
        contrast([1.0], [True, False], ["a"], ["x"])

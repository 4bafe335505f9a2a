"""The linear probe on planted signal and on none, its pairs against a full listing, its fit against scikit-learn."""

from itertools import combinations

import numpy as np
import pytest

from chronotope.probe.measures import PairSample, Population, fit_pairs, measure_pairs, sample_pairs, split_groups


def population(groups: int, steps: int, frames: int) -> Population:
    """Each group has some steps, and each step the same number of frames from two takes."""
    names = [(f"p{g:02}", f"s{s}", f"v{f % 2}") for g in range(groups) for s in range(steps) for f in range(frames)]
    return Population(*(tuple(one[at] for one in names) for at in (1, 0, 2)))


def test_groups_at_places_4_9_14_are_test_groups() -> None:
    train, test = split_groups(f"p{number:02}" for number in reversed(range(12)))
    assert test == ["p04", "p09"] and len(train) == 10 and not set(train) & set(test)
    every = [name for offset in range(5) for name in split_groups((f"p{n:02}" for n in range(12)), offset)[1]]
    assert sorted(every) == [f"p{n:02}" for n in range(12)]  # each group is tested once


def test_pairs_are_those_of_a_full_listing() -> None:
    of = population(3, 3, 4)
    drawn = sample_pairs(of, ["p00", "p02"], 10_000, 100, np.random.default_rng(0))
    every = [pair for pair in combinations(range(36), 2) if of.groups[pair[0]] == of.groups[pair[1]]]
    every = [pair for pair in every if of.groups[pair[0]] != "p01"]
    same = {pair for pair in every if of.things[pair[0]] == of.things[pair[1]]}
    got = [tuple(sorted(pair)) for pair in zip(drawn.first.tolist(), drawn.second.tolist(), strict=True)]
    assert len(got) == len(set(got))
    assert {pair for pair, truth in zip(got, drawn.same, strict=True) if truth} == same
    assert {pair for pair, truth in zip(got, drawn.same, strict=True) if not truth} == set(every) - same
    assert [of.takes[a] != of.takes[b] for a, b in got] == drawn.across.tolist()


def test_four_negatives_for_each_positive_within_the_cap() -> None:
    drawn = sample_pairs(population(6, 5, 6), [f"p0{n}" for n in range(6)], 1000, 4, np.random.default_rng(0))
    assert drawn.count == 1000 and drawn.same.sum() == 200


def test_things_with_one_picture_are_left_out() -> None:
    of = Population(("a", "a", "b", "c", "c"), ("p",) * 5, ("v",) * 5)
    drawn = sample_pairs(of, ["p"], 100, 10, np.random.default_rng(0))
    assert 2 not in {*drawn.first.tolist(), *drawn.second.tolist()} and drawn.count == 2 + 4


def test_the_fit_equals_that_of_scikit_learn() -> None:
    pipeline = pytest.importorskip("sklearn.pipeline")
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    random = np.random.default_rng(1)
    vectors = random.normal(2, 3, (60, 5))
    first, second = random.integers(60, size=(2, 5000))
    same = np.abs(vectors[first, 0] - vectors[second, 0]) + random.normal(0, 2, 5000) < 3
    pairs = PairSample(first, second, same, first != second)
    features = np.hstack([vectors[first], vectors[second], np.abs(vectors[first] - vectors[second])])
    expected = pipeline.make_pipeline(StandardScaler(), LogisticRegression(C=1.0, tol=1e-8, max_iter=1000))
    expected.fit(features, same)
    assert fit_pairs(vectors, pairs).scores(vectors, pairs) == pytest.approx(
        expected.decision_function(features), abs=1e-3
    )


def test_planted_signal_is_found_and_noise_is_not() -> None:
    random = np.random.default_rng(2)
    of = population(20, 4, 4)
    steps = random.normal(size=(20, 4, 1, 3)) * 3
    planted = (steps + random.normal(size=(20, 4, 4, 3))).reshape(-1, 3)
    noise = random.normal(size=planted.shape)
    found, none = measure_pairs(planted, of), measure_pairs(noise, of)
    assert found is not None and none is not None
    assert found.balanced > 0.75 and found.auroc > 0.85 and found.across > 0.7
    assert found.balanced_limits is not None and 0.5 < found.balanced_limits[0] < found.balanced
    assert found.balanced < found.balanced_limits[1] and found.auroc_limits[0] < found.auroc < found.auroc_limits[1]
    assert found.test_groups == 20 and found.ratio == pytest.approx(4, abs=0.01)
    # The trap: without any signal, the paper's metric is near 80 %, because four of five pairs are negative.
    assert none.accuracy == pytest.approx(0.8, abs=0.03) and none.majority == pytest.approx(0.8)
    assert none.balanced == pytest.approx(0.5, abs=0.08) and none.auroc == pytest.approx(0.5, abs=0.1)
    assert none.balanced_limits[0] < 0.5 < none.balanced_limits[1]
    even = measure_pairs(noise, of, negatives=1)
    assert even is not None and even.majority == pytest.approx(0.5) and even.accuracy == pytest.approx(0.5, abs=0.1)


def test_five_splits_against_a_plain_rederivation() -> None:
    """The splits, the pooled figures and the null again, with scikit-learn and all comparisons one by one."""
    linear = pytest.importorskip("sklearn.linear_model")
    from sklearn.preprocessing import StandardScaler

    random = np.random.default_rng(5)
    of = population(10, 2, 6)
    vectors = (np.repeat(random.normal(size=(20, 2)), 6, axis=0) + random.normal(size=(120, 2))).round(2)
    found = measure_pairs(vectors, of, permutations=3)
    assert found is not None
    names, things = np.array(of.groups), np.array(of.things)
    every = [(a, b) for a, b in combinations(range(120), 2) if names[a] == names[b]]
    features = np.array([[*vectors[a], *vectors[b], *np.abs(vectors[a] - vectors[b])] for a, b in every])
    same = np.array([things[a] == things[b] for a, b in every])
    group = np.array([int(names[a][1:]) for a, _ in every])
    right, truth, wins = list[bool](), list[bool](), list[float]()
    for offset in range(5):
        train, test = group % 5 != offset, group % 5 == offset
        scaler = StandardScaler().fit(features[train])
        fitted = linear.LogisticRegression(C=1.0, max_iter=1000).fit(scaler.transform(features[train]), same[train])
        scores = fitted.decision_function(scaler.transform(features[test]))
        right += ((scores > np.log(same[train].mean() / (~same[train]).mean())) == same[test]).tolist()
        truth += same[test].tolist()
        wins += [float(a > b) + (a == b) / 2 for a in scores[same[test]] for b in scores[~same[test]]]
    balanced = np.mean([np.mean([r for r, t in zip(right, truth, strict=True) if t == kind]) for kind in (True, False)])
    assert found.test == len(truth) == len(every) and found.ratio == pytest.approx(36 / 30)  # too few for 1 : 4
    assert found.balanced == pytest.approx(balanced, abs=0.03) and found.auroc == pytest.approx(np.mean(wins), abs=0.03)
    assert found.balanced_null is not None and found.auroc_null is not None
    for low, high in (found.balanced_null, found.auroc_null):
        assert 0.35 < low < 0.5 < high < 0.65
    assert measure_pairs(vectors, of).balanced_null is None


def test_two_groups_are_measured_without_an_interval() -> None:
    found = measure_pairs(np.random.default_rng(6).normal(size=(72, 2)), population(2, 6, 6))
    assert found is not None and found.test_groups == 2 and found.published is None
    assert found.balanced_limits is None and found.auroc_limits is None


def test_too_few_pairs_give_no_measure() -> None:
    assert measure_pairs(np.zeros((24, 2)), population(2, 3, 4)) is None

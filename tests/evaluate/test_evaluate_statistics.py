import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import betainc
from scipy.stats import binomtest, t

from chronotope.evaluate.score import estimate, korn_graubard
from chronotope.evaluate.score.statistics import change, contrast, difference

RUNS = 250


def direct(values: list[float], clusters: list[str]) -> tuple[float, float]:
    """The interval from its definition: sums in plain loops, bounds as roots of the binomial tails."""
    n, p = len(values), sum(values) / len(values)
    totals: dict[str, float] = {}
    for value, cluster in zip(values, clusters, strict=True):
        totals[cluster] = totals.get(cluster, 0.0) + (value - p)
    G = len(totals)
    variance = G / (G - 1) * sum(total * total for total in totals.values()) / (n * n)
    deff = max(1.0, variance / (p * (1 - p) / (n - 1))) if 0 < p < 1 else 1.0
    size = min(n, n / deff * (t.isf(0.025, n - 1) / t.isf(0.025, G - 1)) ** 2)
    x = size * p
    # P(X >= x | q) = I_q(x, size - x + 1) and P(X <= x | q) = 1 - I_q(x + 1, size - x) for X ~ binomial(size, q).
    low = brentq(lambda q: betainc(x, size - x + 1, q) - 0.025, 0, 1, xtol=1e-14) if p > 0 else 0.0
    high = brentq(lambda q: 1 - betainc(x + 1, size - x, q) - 0.025, 0, 1, xtol=1e-14) if p < 1 else 1.0
    return low, high


@given(st.lists(st.tuples(st.sampled_from([0.0, 1.0, 0.5, 0.25]), st.integers(0, 9)), min_size=3, max_size=80))
def test_interval_is_what_its_definition_says(items: list[tuple[float, int]]) -> None:
    values = [value for value, _ in items]
    clusters = [str(cluster) for _, cluster in items]
    clusters[0], clusters[1] = "first", "second"
    low, high = korn_graubard(values, clusters)
    assert (low, high) == pytest.approx(direct(values, clusters), abs=1e-9)
    assert 0 <= low <= np.mean(values) <= high <= 1


@given(st.integers(2, 120), st.data())
def test_single_items_give_clopper_and_pearson(n: int, data: st.DataObject) -> None:
    right = data.draw(st.integers(0, n))
    expected = binomtest(right, n).proportion_ci(0.95, method="exact")
    found = korn_graubard([1.0] * right + [0.0] * (n - right), [f"c{i}" for i in range(n)])
    assert found == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_a_worked_example() -> None:
    # 8 clips of 5: four all right, four all wrong. p = 0.5, every cluster sum is +-2.5, so the variance is
    # 8/7 * 8 * 6.25 / 1600 = 1/28, deff = (1/28) / (0.25/39) = 39/7, and t_39 = 2.022691, t_7 = 2.364624.
    size = 40 / (39 / 7) * (2.022691 / 2.364624) ** 2
    values = [1.0] * 20 + [0.0] * 20
    low, high = korn_graubard(values, [str(i // 5) for i in range(40)])
    assert low == pytest.approx(1 - high)
    assert betainc(size / 2, size / 2 + 1, low) == pytest.approx(0.025, abs=1e-5)
    assert low < binomtest(20, 40).proportion_ci(method="exact").low


def test_the_interval_covers_where_the_naive_one_does_not() -> None:
    # Clips differ much in difficulty: Beta(1.2, 0.8) has mean 0.6 and makes the correlation within a clip 1 / (1 + 2).
    generator = np.random.default_rng(11)
    clusters = [str(i // 10) for i in range(200)]
    covered = naive = 0
    for _ in range(RUNS):
        values = (generator.random(200) < np.repeat(generator.beta(1.2, 0.8, 20), 10)).astype(float)
        low, high = korn_graubard(values, clusters)
        covered += low <= 0.6 <= high
        plain = binomtest(int(values.sum()), 200).proportion_ci(method="exact")
        naive += plain.low <= 0.6 <= plain.high
    assert covered / RUNS >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / RUNS)
    assert naive / RUNS < 0.85


def test_few_clusters_have_no_interval() -> None:
    five = estimate([1, 0, 1, 1, 0], list("abcde"), [0.25] * 5)
    assert five is not None
    assert (five.value, five.low, five.high, five.items, five.clusters, five.chance) == (0.6, None, None, 5, 5, 0.25)
    six = estimate([1, 0, 1, 1, 0, 1], list("abcdef"), [0.25, 0.5, None, 0.25, None, 0.2])
    assert six is not None
    assert six.low is not None and six.chance == pytest.approx(0.3)
    assert estimate([], []) is None


@pytest.mark.parametrize(
    ("values", "clusters", "words"),
    [
        ([1.0, 0.0], ["a", "a"], "two clusters"),
        ([1.5, 0.0], ["a", "b"], "0, 1"),
        ([1.0, 0.0], ["a"], "one cluster name"),
    ],
)
def test_wrong_use_is_refused(values: list[float], clusters: list[str], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        korn_graubard(values, clusters)


def test_chance_is_exact_where_it_is_the_same_for_all() -> None:
    for items in (3, 6, 7, 49, 1000):
        for chance in (0.2, 0.1, 1 / 3):
            measured = estimate([0.0] * items, [str(i) for i in range(items)], [chance] * items)
            assert measured is not None and measured.chance == chance


PAIRS = st.tuples(st.sampled_from([0.0, 1.0, 0.25]), st.sampled_from([0.0, 1.0, 0.5]), st.integers(0, 5))


@given(st.lists(PAIRS, max_size=60))
def test_a_difference_is_what_its_definition_says(items: list[tuple[float, float, int]]) -> None:
    # Six clusters that balance out by themselves, and whatever comes to them.
    items = [*((value, 0.5, cluster) for cluster in range(6) for value in (0.0, 1.0)), *items]
    first, second, clusters = ([item[column] for item in items] for column in range(3))
    names = [f"clip {cluster}" for cluster in clusters]
    found = difference(first, second, names)
    assert found is not None and found.low is not None and found.high is not None
    apart = [a - b for a, b in zip(first, second, strict=True)]
    n = len(apart)
    value = sum(apart) / n
    sums = [sum(x - value for x, c in zip(apart, clusters, strict=True) if c == cluster) for cluster in range(6)]
    between = 6 / 5 * sum(total * total for total in sums) / n**2
    independent = sum((x - value) ** 2 for x in apart) / (n - 1) / n
    half = t.isf(0.025, 5) * math.sqrt(max(between, independent))
    assert (found.value, found.items, found.clusters) == (pytest.approx(value), n, 6)
    assert (found.low, found.high) == pytest.approx((max(-1, value - half), min(1, value + half)))
    assert found.low < value < found.high
    turned = difference(second, first, names)
    assert turned is not None and turned.low is not None and turned.high is not None
    assert (turned.value, -turned.high, -turned.low) == pytest.approx((-value, found.low, found.high))


def test_a_worked_difference() -> None:
    # Ten clips of 4: in five the first is right on two more, in the others as often. Mean 0.25, sums of +-1, so the
    # variance is 10/9 * 10 / 1600 = 1/144; its root 1/12 times t_9 = 2.262157. Of single items it would be 0.00481.
    first = [1.0, 1.0, 1.0, 0.0] * 5 + [1.0, 0.0, 1.0, 0.0] * 5
    second = [0.0, 0.0, 1.0, 0.0] * 5 + [1.0, 0.0, 1.0, 0.0] * 5
    found = difference(first, second, [str(i // 4) for i in range(40)])
    assert found is not None and found.low is not None and found.high is not None
    assert (found.value, found.items, found.clusters) == (0.25, 40, 10)
    assert (found.low, found.high) == pytest.approx((0.25 - 2.262157 / 12, 0.25 + 2.262157 / 12), abs=1e-6)


@pytest.mark.parametrize("clips", [6, 20, 500])
@pytest.mark.parametrize(("first", "second"), [(1.0, 1.0), (0.0, 0.0), (1.0, 0.0), (0.5, 1.0)])
def test_runs_that_never_differ_may_yet_differ_on_other_clips(first: float, second: float, clips: int) -> None:
    items = 3 * clips
    found = difference([first] * items, [second] * items, [str(i // 3) for i in range(items)])
    assert found is not None and found.low is not None and found.high is not None
    # None of so many clips is otherwise: as many as this share may be, and their difference is at most 1 off 0.
    most = binomtest(0, clips).proportion_ci(0.95, method="exact").high
    value = first - second
    assert found.value == value
    assert found.low == pytest.approx((1 - most) * value - most)
    assert found.high == pytest.approx((1 - most) * value + most)
    assert -1 <= found.low <= value <= found.high <= 1 and found.high - found.low == pytest.approx(2 * most)


def test_few_clusters_have_a_difference_without_an_interval() -> None:
    found = difference([1, 1, 0, 1, 1], [1, 0, 0, 0, 1], list("abcde"))
    assert found is not None
    assert (found.value, found.low, found.high, found.items, found.clusters) == (0.4, None, None, 5, 5)
    assert difference([], [], []) is None


@pytest.mark.parametrize(
    ("first", "second", "clusters"),
    [([1.0], [1.0, 0.0], ["a"]), ([1.0, 0.0], [1.0, 0.0], ["a"]), ([2.0], [1.0], ["a"]), ([0.0], [-1.0], ["a"])],
)
def test_wrong_use_of_differences_is_refused(first: list[float], second: list[float], clusters: list[str]) -> None:
    with pytest.raises(ValueError, match=r"equal length|expected values in"):
        difference(first, second, clusters)


def test_a_contrast_of_balanced_clusters_is_the_change_within_clusters() -> None:
    """With as many items of both kinds in each cluster, the means differ by the mean of the clusters' differences."""
    generator = np.random.default_rng(4)
    rates = np.clip(generator.normal([[0.7], [0.4]], 0.2, (2, 12)), 0, 1)
    values = (generator.random((2, 12, 5)) < rates[..., None]).astype(float)
    clusters = [f"home {number}" for _ in range(2) for number in range(12) for _ in range(5)]
    first = [True] * 60 + [False] * 60
    found = contrast(values.ravel(), first, [not one for one in first], clusters)
    within = values.mean(axis=2)
    expected = change(within[0] - within[1], [str(number) for number in range(12)])
    assert (found.value, found.low, found.high) == pytest.approx((expected.value, expected.low, expected.high))
    assert (found.items, found.clusters) == (120, 12)


def test_a_contrast_of_two_kinds_in_one_item_is_paired() -> None:
    """Means over the same items differ by nothing, and an item in both means counts once."""
    values = np.tile([0.0, 1.0, 1.0], 8)
    clusters = [str(number // 3) for number in range(24)]
    same = contrast(values, [True] * 24, [True] * 24, clusters)
    assert same.value == 0 and same.low <= 0 <= same.high and same.items == 24
    few = contrast(values[:9], [True] * 9, [number % 2 == 0 for number in range(9)], clusters[:9])
    assert few.low is None and few.high is None and few.clusters == 3
    assert contrast(values, [True] * 24, [False] * 24, clusters) is None
    with pytest.raises(ValueError, match="equal length"):
        contrast(values, [True], [False] * 24, clusters)


def test_intervals_of_contrasts_cover_the_true_difference() -> None:
    """Homes are easy or hard, and have different numbers of questions of each kind."""
    generator = np.random.default_rng(7)
    covered = 0
    for _ in range(RUNS):
        ease = generator.normal(0, 0.15, 20)
        sizes = generator.integers(1, 6, (20, 2))
        values, first, clusters = [], [], []
        for home in range(20):
            for kind, rate in enumerate((0.6, 0.45)):
                chances = np.clip(rate + ease[home], 0, 1)
                values += (generator.random(sizes[home, kind]) < chances).astype(float).tolist()
                first += [kind == 0] * sizes[home, kind]
                clusters += [str(home)] * sizes[home, kind]
        found = contrast(values, first, [not one for one in first], clusters)
        covered += found.low <= 0.15 <= found.high
    assert covered / RUNS >= 0.92

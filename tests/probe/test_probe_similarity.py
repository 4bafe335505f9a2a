"""CKA against its definition, its known values, and a sum over all quadruples."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.probe.measures import Similarity, similarity


def measured(x: np.ndarray, y: np.ndarray) -> Similarity:
    found = similarity(x, y, [str(row) for row in range(len(x))], resamples=1)
    assert found is not None
    return found


def by_definition(x: np.ndarray, y: np.ndarray) -> float:
    """Linear CKA from the features: ||Y'X||^2 / (||X'X|| ||Y'Y||)."""
    x, y = x - x.mean(0), y - y.mean(0)
    return np.linalg.norm(y.T @ x) ** 2 / (np.linalg.norm(x.T @ x) * np.linalg.norm(y.T @ y))


def over_quadruples(k: np.ndarray, m: np.ndarray) -> float:
    """HSIC as the mean of k_ij (m_ij + m_qr - 2 m_iq) over all quadruples of different rows (a U-statistic)."""
    found = [k[i, j] * (m[i, j] + m[q, r] - 2 * m[i, q]) for i, j, q, r in permutations(range(len(k)), 4)]
    return float(np.mean(found))


@given(st.integers(0, 2**32 - 1), st.integers(10, 16), st.integers(1, 30), st.integers(1, 30))
def test_gram_matrices_give_the_value_of_the_definition(seed: int, n: int, d: int, e: int) -> None:
    random = np.random.default_rng(seed)
    x, y = random.normal(3, 1, (n, d)), random.normal(-20, 5, (n, e))
    assert measured(x, y).cka == pytest.approx(by_definition(x, y), abs=1e-10)


def test_known_values() -> None:
    random = np.random.default_rng(1)
    x = random.normal(size=(20, 6))
    rotation = np.linalg.qr(random.normal(size=(6, 6)))[0]
    assert measured(x, x).cka == pytest.approx(1.0)
    assert measured(x, 7 * x @ rotation + 3).cka == pytest.approx(1.0)
    assert measured(x, np.ones((20, 3))).cka == 0.0
    # Two orthogonal columns: half of the variance of one representation is the other's only direction.
    one = np.array([1.0, 1, -1, -1] * 3)
    two = np.array([1.0, -1, 1, -1] * 3)
    assert measured(one[:, None], two[:, None]).cka == pytest.approx(0.0)
    assert measured(one[:, None], np.stack([one, two], 1)).cka == pytest.approx(1 / np.sqrt(2))


def test_the_unbiased_estimate_is_the_mean_over_all_quadruples() -> None:
    random = np.random.default_rng(2)
    x = random.normal(size=(10, 3))
    y = x[:, :2] + random.normal(size=(10, 2))
    k, m = x @ x.T, y @ y.T
    expected = over_quadruples(k, m) / np.sqrt(over_quadruples(k, k) * over_quadruples(m, m))
    assert measured(x, y).unbiased == pytest.approx(expected, rel=1e-9)


def test_independent_representations_are_told_from_related_ones() -> None:
    random = np.random.default_rng(3)
    clusters = [f"product {number % 10}" for number in range(40)]
    x = random.normal(size=(40, 400))
    independent = similarity(x, random.normal(size=(40, 400)), clusters, resamples=200)
    related = similarity(x, x[:, :200] + random.normal(size=(40, 200)), clusters, resamples=200)
    assert independent is not None and related is not None
    # With ten dimensions for each pair, plain CKA of independent noise is far above 0; the unbiased value is near 0.
    assert independent.cka > 0.8 and abs(independent.unbiased) < 0.1
    assert independent.null == pytest.approx(independent.cka, abs=0.02) and independent.p > 0.05
    assert independent.unbiased_low is not None and independent.unbiased_low < 0 < independent.unbiased_high
    assert related.p == pytest.approx(1 / 201) and related.unbiased_low > 0
    assert related.p_within == pytest.approx(1 / 201)


def test_a_relation_of_clusters_alone_does_not_count_within_them() -> None:
    random = np.random.default_rng(4)
    members = np.repeat(np.arange(8), 5)
    products = random.normal(size=(8, 30))
    x, y = (5 * products[members] + random.normal(size=(40, 30)) for _ in range(2))
    found = similarity(x, y, [f"p{one}" for one in members], resamples=200)
    assert found is not None
    assert found.p == pytest.approx(1 / 201) and found.p_within > 0.05
    assert found.clusters == 8 and found.items == 40


def test_percentiles_of_resampled_rows() -> None:
    random = np.random.default_rng(5)
    x, y = random.normal(size=(15, 4)), random.normal(size=(15, 4))
    found = similarity(x, y, [str(one) for one in range(15)], resamples=50, seed=7)
    again = np.random.default_rng(7)
    values = [by_definition(x[at], y[at]) for at in (again.integers(15, size=15) for _ in range(50))]
    assert found is not None
    assert (found.low, found.high) == pytest.approx(tuple(np.percentile(values, [2.5, 97.5])))
    assert found.p_within is None  # each pair is a cluster of its own


def test_too_few_pairs_and_unequal_rows() -> None:
    x = np.eye(9)
    assert similarity(x, x, list("abcdefghi")) is None
    with pytest.raises(ValueError, match="same number of rows"):
        similarity(x, np.eye(8), list("abcdefghi"))

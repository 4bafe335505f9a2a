"""Retrieval with planted matches, and its chance against random orders."""

import numpy as np
import pytest

from chronotope.probe.measures import retrieval

PICTURES = [(f"p{group}", f"s{step}") for group in range(6) for step in range(3) for _ in range(4)]
QUERIES = [(f"p{group}", f"s{step}") for group in range(6) for step in range(3)]


def test_planted_matches_are_found_at_once() -> None:
    random = np.random.default_rng(0)
    of_thing = {one: random.normal(size=16) for one in QUERIES}
    gallery = [of_thing[one] * random.uniform(0.5, 2) + 0.01 * random.normal(size=16) for one in PICTURES]
    found = retrieval([of_thing[one] for one in QUERIES], gallery, QUERIES, PICTURES)
    assert [(one.k, one.recall) for one in found] == [(1, 1.0), (5, 1.0), (10, 1.0)]
    assert found[0].queries == 18 and found[0].clusters == 6 and found[0].low is not None


@pytest.mark.parametrize("within", [False, True])
def test_chance_is_the_recall_of_random_orders(within: bool) -> None:
    random = np.random.default_rng(1)
    rounds = [
        retrieval(random.normal(size=(18, 8)), random.normal(size=(72, 8)), QUERIES, PICTURES, within=within)
        for _ in range(60)
    ]
    for at in range(3):
        mean = np.mean([one[at].recall for one in rounds])
        assert mean == pytest.approx(rounds[0][at].chance, abs=0.03)
    assert (rounds[0][0].chance == pytest.approx(4 / 12)) if within else (rounds[0][0].chance == pytest.approx(4 / 72))


def test_equal_vectors_find_nothing_and_missing_things_are_left_out() -> None:
    found = retrieval(
        np.ones((2, 3)), np.ones((4, 3)), [("p", "a"), ("p", "z")], [("p", x) for x in "aabb"], ranks=(1,)
    )
    assert [(one.recall, one.queries, one.low) for one in found] == [(0.0, 1, None)]
    assert retrieval(np.ones((1, 3)), np.ones((1, 3)), [("p", "z")], [("p", "a")]) == []

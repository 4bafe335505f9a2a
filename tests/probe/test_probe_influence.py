"""Modality influence, shares of attention and paired changes against plain loops."""

from types import SimpleNamespace

import numpy as np
import pytest

from chronotope.probe.measures import attention_shares, modality_influence, paired_change, summarize
from chronotope.probe.prompts import Places, published_sets


def test_influence_is_the_cosine_with_the_mean_state() -> None:
    states = np.random.default_rng(0).normal(size=(9, 5)).astype(np.float32)
    found = modality_influence(states, {"video": [1, 2, 3], "diagram": np.array([5]), "none": []})
    mean = sum(states[at].astype(float) for at in (1, 2, 3)) / 3
    cosine = sum(a * b for a, b in zip(states[8], mean, strict=True)) / np.sqrt(
        sum(float(a) ** 2 for a in states[8]) * sum(b**2 for b in mean)
    )
    assert found["video"] == pytest.approx(cosine, rel=1e-6) and set(found) == {"video", "diagram"}
    assert modality_influence(np.zeros((2, 3)), {"text": [0]}) == {"text": 0.0}


def test_shares_sum_to_one_over_a_partition() -> None:
    random = np.random.default_rng(1)
    row = random.random((4, 10))
    row /= row.sum(1, keepdims=True)
    found = attention_shares(row, {"video": range(2, 6), "text": [0, 1, 6, 7, 8, 9]})
    assert sum(found.values()) == pytest.approx(np.ones(4))
    assert found["video"][2] == pytest.approx(sum(row[2][at] for at in range(2, 6)))
    with pytest.raises(ValueError, match="belongs to two parts"):
        attention_shares(row, {"a": [1], "b": [1]})
    with pytest.raises(ValueError, match="do not sum to 1"):
        attention_shares(row / 2, {"a": [1]})


def test_paired_changes_use_the_pairing() -> None:
    random = np.random.default_rng(2)
    clusters = [f"c{number % 12}" for number in range(60)]
    level = random.normal(5, 2, 60)  # large differences between items, which the pairing removes
    noise = random.normal(0, 0.05, 60)
    found = paired_change(level, 0.8 * level + noise, clusters)
    assert found.relative == pytest.approx(-0.2, abs=0.02) and found.relative_high < -0.15
    assert found.difference == pytest.approx(found.second - found.first) and found.high < 0
    none = paired_change(level, level + noise, clusters)
    assert none.low < 0 < none.high and none.items == 60 and none.clusters == 12


def test_intervals_cover_the_true_mean_as_often_as_they_say() -> None:
    random = np.random.default_rng(3)
    clusters = [f"c{number // 4}" for number in range(80)]
    covered = 0
    for _ in range(200):
        values = np.repeat(random.normal(size=20), 4) + 0.3 * random.normal(size=80)
        told = summarize(values, clusters, resamples=300)
        covered += told.low <= 0 <= told.high
    assert covered / 200 == pytest.approx(0.93, abs=0.05)  # percentiles over 20 clusters are a little narrow


def test_few_clusters_and_zero_means_have_no_interval() -> None:
    told = summarize([1.0, 2.0], ["a", "b"])
    assert (told.value, told.low, told.high) == (1.5, None, None)
    found = paired_change([0.0] * 6, [1.0] * 6, list("abcdef"))
    assert found.relative is None and found.relative_low is None and (found.low, found.high) == (1.0, 1.0)
    with pytest.raises(ValueError, match="one cluster"):
        summarize([], [])


@pytest.mark.parametrize(
    ("config", "clip", "words"),
    [
        ({"vision_start_token_id": 90, "vision_end_token_id": 91}, [1, 2, 3, 4], [0, 5, 6, 7]),
        ({"image_token_id": 99}, [2, 3], [0, 1, 4, 5, 6, 7]),  # InternVL
    ],
)
def test_the_authors_count_every_token_outside_pictures_as_text(
    config: dict[str, int], clip: list[int], words: list[int]
) -> None:
    """The marks around a picture are the picture's in prompts of Qwen, and text in those of InternVL."""
    places = Places({"template": [0, 1, 4, 7], "video": [2, 3], "text": [5, 6]}, [("video", [2, 3])], {})
    found = published_sets(places, [7, 90, 99, 99, 91, 8, 9, 7], SimpleNamespace(**config))
    assert found == {"video": clip, "text": words}

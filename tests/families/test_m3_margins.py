"""What is asked about under ``strict`` can be told by eye: the margins, measured again from the recordings."""

import re
from collections import Counter
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from m3_homes import laid_home
from test_m3_write import SMALL, written

from chronotope.families.m3.margins import SPECIFIED, TOLD_BY_EYE
from chronotope.families.m3.tasks import NONE
from chronotope.families.m3.write.multi_states import _excesses, _least_ratio

GLIMPSE, CLEAR = 40 / (1024 * 768), 6e-4  # shares of the picture


def readings(recording, name, measure):
    """A number for each glimpse of a thing, and one for clear views only."""
    [thing] = [one for one in recording.entities if one.id == name]
    size = 4 * recording.intrinsics[0, 2] * recording.intrinsics[1, 2]
    return [measure(np.flatnonzero(thing.visible_pixels >= share * size)) for share in (GLIMPSE, CLEAR)]


def distance(recording, one, other):
    places = {each.id: each.poses[0][:2, 3] for each in recording.entities}
    return float(np.hypot(*(places[one] - places[other])))


TIMES = {
    "object_observation_longest": (len, 1, 0.25),
    "object_observation_shortest": (len, -1, 0.25),
    "object_first_appearance_earliest": (min, -1, 0.0),
    "object_first_appearance_latest": (min, 1, 0.0),
    "object_last_appearance_earliest": (max, -1, 0.0),
    "object_last_appearance_latest": (max, 1, 0.0),
}


@pytest.mark.parametrize("home", SMALL)
def test_the_right_thing_is_clearly_ahead_however_one_looks(home) -> None:
    recordings = laid_home(*home).recordings
    tried = Counter()
    for question in written(*home, per_subtask=20).questions:
        [subtask] = question.tags["subtask"]
        names = [each[0] for each in question.provenance["option_subjects"] if each]
        recording = recordings[question.provenance["state"] == "state_1"]
        if subtask in TIMES:
            measure, sign, share = TIMES[subtask]
            values, least = [readings(recording, name, measure) for name in names], 10
        elif subtask in ("object_distance_shortest_comparison", "object_distance_longest_comparison"):
            sign, share, least = (-1 if "shortest" in subtask else 1), 0.25, 0.5
            values = [[distance(recording, question.provenance["subjects"][0], name)] for name in names]
        else:
            continue
        tried[subtask] += 1
        right = question.answer[0]
        for place, value in enumerate(values):
            for own, other in product(values[right], value if place not in question.answer else []):
                assert sign * (own - other) >= max(least, share * max(own, other)) - 1e-9, (question.id, values)
    assert len(tried) >= 6 and sum(tried.values()) > 30, tried


@pytest.mark.parametrize("home", SMALL)
def test_a_measure_is_in_the_middle_of_a_wide_range(home) -> None:
    tried = 0
    for question in written(*home, per_subtask=20).questions:
        facts = question.provenance["truth_values"]
        value = next((facts[key] for key in ("distance", "height", "length", "area") if key in facts), 0)
        texts = [one.text for one in question.options if one.text != NONE]
        bounds = [[float(number) for number in re.findall(r"\d+\.\d+", text)] for text in texts]
        if not value or not question.provenance["sorted"] or question.tags["hallucination"] == ("yes",):
            continue
        each = ((bounds[-1][1] + 0.01) / bounds[0][0]) ** (1 / len(bounds))  # the printed bounds are rounded
        assert min(abs(each - ratio) for ratio in (1.5, 1.65, 1.8)) < 0.03, texts
        low, high = bounds[question.answer[0]]
        share = (value * (100 if " cm" in texts[0] else 1) - low) / (high + 0.01 - low)
        rounding = 0.01 / (high + 0.01 - low)
        assert 0.3 - rounding < share < 0.7 + rounding, (value, texts)
        tried += 1
    assert tried > 25


def pen(margins, seed=0):
    return SimpleNamespace(paper=margins is SPECIFIED, margins=margins, generator=np.random.default_rng(seed))


def test_no_range_of_an_area_tells_by_itself_that_it_is_wrong() -> None:
    """Each listed range could be the correct one of another pair of rooms."""
    least, lowest = _least_ratio(pen(TOLD_BY_EYE)), 1000
    assert least == pytest.approx(4 / 3)
    for ratio in np.linspace(least, 4, 200):
        found = _excesses(pen(TOLD_BY_EYE, int(ratio * 1000)), ratio)
        if found is not None:
            lowest = min(lowest, *(low for low, _ in found))
            assert found[0][0] <= 100 * (ratio - 1) <= found[0][1]
    assert lowest >= round(100 * (least / 1.12 - 1))


def test_areas_that_differ_by_a_tenth_are_asked_about_as_published() -> None:
    assert _least_ratio(pen(SPECIFIED)) == pytest.approx(1.1)
    found = [_excesses(pen(SPECIFIED, seed), 1.105) for seed in range(9)]
    assert ((5, 15), (20, 30)) in found and None in found  # the range below begins under zero

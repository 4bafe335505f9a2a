"""Simulated observers: one measures lengths with an error, one sees perfectly and has no scale."""

import re
from collections import defaultdict

import numpy as np
import pytest
from scipy.stats import norm
from sti_leaks import share_and_error
from sti_rooms import room
from sti_streets import street
from sti_tables import table
from sti_ways import way

from chronotope.families import WriteContext, family
from chronotope.recording import Scene

STI = family("sti")
METRIC = {"lengths of motion", "speeds", "accelerations", "sizes", "distances"}
ERROR = 0.1  # of each measured length


def written(recording, **options):
    context = WriteContext(0, "strict", STI.build.Options(per_variant=8, **options))
    return STI.build.write(Scene.of(recording), context).questions


def magnitude(text):
    number, unit = re.match(r"-?(\d+(?:\.\d+)?)(\D+)", text).groups()
    return float(number) * (0.01 if unit == "cm" else 1.0)


def metric(questions):
    """Return the questions with one magnitude per option: their options, their true values, their spacings."""
    for question in questions:
        if METRIC & set(question.tags.get("quantity", ())) and "spacing" in question.tags:
            values = np.array([magnitude(option.text) for option in question.options])
            yield question, values, abs(question.provenance["value"]), float(question.tags["spacing"][0])


def nearest(values, measured):
    return int(np.argmin(np.abs(np.log(values / measured))))


def predicted(ratio, error):
    """Compute the share of correct answers on a ladder of five, each equally likely the true one.

    The observer is right if its error is less than half a step. The outermost options have one neighbour only.
    """
    inside = norm.cdf(np.log(ratio) / 2 / error)
    return (3 * (2 * inside - 1) + 2 * inside) / 5


@pytest.fixture(scope="module")
def asked():
    made = [
        *(table(seed) for seed in range(4000, 4016)),
        *(room(seed) for seed in range(400, 404)),
        *(street(seed) for seed in range(400, 404)),
    ]
    return [question for recording in made for question in written(recording)]


@pytest.mark.slow
def test_an_observer_with_an_error_scores_as_the_ladder_predicts(asked):
    generator, found = np.random.default_rng(0), defaultdict(list)
    for question, values, true, spacing in metric(asked):
        measured = true * np.exp(ERROR * generator.standard_normal(40))
        hits = [nearest(values, one) == question.answer[0] for one in measured]
        found[spacing].append((np.mean(hits), question.cluster))
    assert set(found) == {1.05, 1.1, 1.2, 1.4, 2.0}
    for spacing, rows in sorted(found.items()):
        share, error = share_and_error(*zip(*rows, strict=True))
        print(
            f"1 : {spacing}: {share:.1%} of {len(rows)} (standard error {error:.1%}), {predicted(spacing, ERROR):.1%}"
        )
        # Besides the error of the share: printed options are rounded, and ranks are balanced by chance only.
        assert abs(share - predicted(spacing, ERROR)) < 3 * error + 0.01, spacing


def by_ratios_alone(rows, generator):
    """Answer all questions of one clip: the observer knows the true ratios of all values, but no value.

    Each option of each question is tried as the truth. It fixes the scale, and the scale that fits options of most
    questions is kept.
    """
    best, most = [], 0
    for _, values, true, _ in rows:
        for scale in values / true:
            count = sum(np.abs(np.log(others / (scale * another))).min() < 0.003 for _, others, another, _ in rows)
            if count > most:
                best, most = [], count
            if count == most:
                best.append(scale)
    scale = best[generator.integers(len(best))]
    return [nearest(values, scale * true) == question.answer[0] for question, values, true, _ in rows]


@pytest.mark.slow
def test_who_sees_perfectly_but_has_no_scale_is_near_chance():
    made = [
        way(seed, kind, fps=10, seconds=20) for kind in ("outdoor", "indoor", "desktop") for seed in range(500, 530)
    ]
    generator, hits, clusters = np.random.default_rng(0), [], []
    for recording in made:
        rows = [row for row in metric(written(recording)) if row[0].tags["scale"] == ("none",)]
        found = by_ratios_alone(rows, generator) if rows else []
        hits += found
        clusters += [recording.id] * len(found)
    share, error = share_and_error(hits, clusters)
    print(f"without a scale: {share:.1%} of {len(hits)} (standard error {error:.1%})")
    assert len(hits) > 1000 and share < 0.28 + 2 * error

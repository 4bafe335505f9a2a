"""Options are exchangeable: a classifier that sees only the set finds the right one no better than chance."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare, ks_2samp, kstest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import KFold
from threadpoolctl import threadpool_limits

from chronotope.errors import InputError
from chronotope.question import (
    OptionSet,
    draw_angle_offsets,
    draw_scalar_offsets,
    draw_vector_offsets,
    item_generator,
    lay,
    shuffle,
)

SETS = 3_000
RANGE = (0.05, 0.5)


def generator(name: str) -> np.random.Generator:
    return item_generator(0, "test", name)


def right_without_question(features: np.ndarray, answers: np.ndarray) -> float:
    """Share of sets (n, members, features) whose right member a boosted classifier ranks first; 5-fold."""
    n, members, _ = features.shape
    labels = np.arange(members)[None] == answers[:, None]
    hits = np.zeros(n, bool)
    for train, test in KFold(5).split(features):
        model = HistGradientBoostingClassifier(max_iter=30, learning_rate=0.2, max_leaf_nodes=15, random_state=0)
        with threadpool_limits(1):  # small fits: threads would wait for each other
            model.fit(features[train].reshape(-1, features.shape[2]), labels[train].ravel())
            scores = model.predict_proba(features[test].reshape(-1, features.shape[2]))[:, 1].reshape(-1, members)
        hits[test] = scores.argmax(axis=1) == answers[test]
    return float(hits.mean())


def scalar_features(values: np.ndarray) -> np.ndarray:
    """(n, 5) ascending values to (n, 5, features): rank, gaps over spread as seen from the member, place, all gaps."""
    spread = values[:, -1:] - values[:, :1]
    gaps = np.diff(values) / spread
    n = len(values)
    below = np.concatenate([np.full((n, 1), np.nan), gaps], axis=1)
    above = np.concatenate([gaps, np.full((n, 1), np.nan)], axis=1)
    mean = (values - values.mean(axis=1, keepdims=True)) / spread
    median = (values - np.median(values, axis=1, keepdims=True)) / spread
    rank = np.tile(np.arange(values.shape[1]), (n, 1))
    cents = np.rint(values * 100) % 10
    sizes = np.sort(gaps, axis=1)
    ratio = np.fmin(below, above) / sizes[:, :1]
    shared = np.repeat(gaps[:, None], values.shape[1], axis=1)
    return np.concatenate([np.stack([rank, below, above, mean, median, ratio, cents], axis=-1), shared], axis=-1)


def scalar_sets(rule: Callable[[np.random.Generator, float], OptionSet], name: str) -> tuple[np.ndarray, np.ndarray]:
    rng = generator(name)
    sets = [rule(rng, rng.uniform(0, 1000)) for _ in range(SETS)]
    return np.stack([made.values for made in sets]), np.array([made.answer for made in sets])


def published(rng: np.random.Generator, truth: float, rank: bool = False) -> OptionSet:
    """The published rule: the nearest at e, gaps about the truth in ratio 1:1:2:4 or 1:2:2:4, random signs."""
    e = np.exp(rng.uniform(*np.log(RANGE)))
    sizes = e * np.array([1, 1, 2, 4] if rng.random() < 0.5 else [1, 2, 2, 4])
    if rank:  # the same gaps, growing outwards from the truth, its rank uniform
        below = np.isin(np.arange(4), rng.permutation(4)[: rng.integers(5)])
        offsets = np.concatenate([-np.cumsum(sizes[below]), [0], np.cumsum(sizes[~below])])
    else:
        offsets = np.append(sizes * rng.choice([-1, 1], 4), 0)
        while len(np.unique(offsets)) < 5:
            offsets[:4] = sizes * rng.choice([-1, 1], 4)
    values = np.sort(truth + offsets)
    return OptionSet(values, int(np.flatnonzero(values == truth)[0]))


@pytest.mark.parametrize("step", [None, 0.01])
def test_scalar_sets_tell_nothing(step: float | None) -> None:
    values, answers = scalar_sets(
        lambda rng, truth: OptionSet.around(truth, draw_scalar_offsets(rng, RANGE, step=step), step), f"scalar {step}"
    )
    assert right_without_question(scalar_features(values), answers) <= 0.23
    assert chisquare(np.bincount(answers, minlength=5)).pvalue > 1e-3
    gaps = np.diff(values)
    for rank in range(5):
        for place in range(4):
            assert ks_2samp(gaps[answers == rank, place], gaps[answers != rank, place]).pvalue > 1e-4


@pytest.mark.parametrize("rank", [False, True])
def test_the_classifier_sees_through_the_published_gaps(rank: bool) -> None:
    values, answers = scalar_sets(lambda rng, truth: published(rng, truth, rank), f"published {rank}")
    assert right_without_question(scalar_features(values), answers) > 0.60


def test_a_set_refused_for_what_it_is_tells_nothing_and_one_redrawn_for_its_truth_does() -> None:
    rng = generator("small")
    refused, redrawn = [], []
    while len(refused) < SETS:
        truth = float(np.exp(rng.uniform(np.log(0.02), np.log(2.0))))
        made = OptionSet.around(truth, draw_scalar_offsets(rng, RANGE))
        if made.values[0] > 0:
            refused.append(made)
        while made.values[0] <= 0:
            made = OptionSet.around(truth, draw_scalar_offsets(rng, RANGE))
        redrawn.append(made)
    share = [np.mean([made.answer == 0 for made in sets if made.values[-1] < 1.0]) for sets in (refused, redrawn)]
    # Of a set that leaves little room below it, redrawing makes the lowest the right one far more often.
    assert share[1] > share[0] + 0.1


def test_angles_tell_nothing() -> None:
    rng, turn = generator("angles"), 360.0
    rows, answers = [], []
    for _ in range(SETS):
        made = OptionSet.around(rng.uniform(-180, 180), draw_angle_offsets(rng, (10, 90), step=1, turn=turn), 1, turn)
        order = np.argsort(made.values)
        around = made.values[order]
        gaps = np.diff(np.append(around, around[0] + turn))
        center = np.angle(np.exp(1j * np.radians(around)).mean(), deg=True)
        from_center = np.abs((around - center + 180) % 360 - 180)
        # each member sees the gaps of the circle in order from itself on
        seen = np.stack([np.roll(gaps, -k) for k in range(5)])
        rows.append(np.column_stack([np.arange(5), from_center, seen]))
        answers.append(int(np.flatnonzero(order == made.answer)[0]))
    assert right_without_question(np.stack(rows), np.array(answers)) <= 0.23


def vector_features(points: np.ndarray) -> np.ndarray:
    distances = np.linalg.norm(points[:, :, None] - points[:, None], axis=-1)
    total = distances.sum(axis=2)
    medoid = total.argmin(axis=1)
    centroid = np.linalg.norm(points - points.mean(axis=1, keepdims=True), axis=-1)
    median = np.linalg.norm(points - np.median(points, axis=1, keepdims=True), axis=-1)
    others = np.sort(distances, axis=2)[:, :, 1:]
    to_medoid = np.take_along_axis(distances, medoid[:, None, None], axis=2)[..., 0]
    columns = np.stack([total, centroid, median, to_medoid], axis=-1)
    columns = np.concatenate([columns, others], axis=-1) / distances.mean(axis=(1, 2))[:, None, None]
    ranks = np.argsort(np.argsort(columns[..., :3], axis=1), axis=1)
    return np.concatenate([columns, ranks], axis=-1)


def mixed(rng: np.random.Generator, members: np.ndarray) -> tuple[np.ndarray, int]:
    order, answer = shuffle(rng, list(members), 0)
    return np.stack(order), answer


@pytest.mark.parametrize("step", [None, 0.01])
def test_vectors_tell_nothing(step: float | None) -> None:
    rng = generator(f"vectors {step}")
    sets = [mixed(rng, draw_vector_offsets(rng, RANGE, shape=(1, 1, 0.2), step=step)) for _ in range(SETS)]
    points, answers = np.stack([made[0] for made in sets]), np.array([made[1] for made in sets])
    assert right_without_question(vector_features(points), answers) <= 0.23


def test_the_classifier_sees_through_offsets_from_the_truth() -> None:
    rng = generator("about the truth")
    sets = [mixed(rng, np.concatenate([np.zeros((1, 3)), rng.standard_normal((4, 3))])) for _ in range(SETS)]
    points, answers = np.stack([made[0] for made in sets]), np.array([made[1] for made in sets])
    assert right_without_question(vector_features(points), answers) > 0.30


ranges = st.tuples(st.floats(1e-3, 10), st.floats(1, 20)).map(lambda pair: (pair[0], pair[0] * pair[1]))


@given(st.integers(0, 2**32), ranges, st.integers(2, 9))
def test_scalar_offsets_keep_their_promises(seed: int, nearest: tuple[float, float], count: int) -> None:
    offsets = draw_scalar_offsets(np.random.default_rng(seed), nearest, count)
    gaps = np.diff(offsets)
    assert offsets.shape == (count,) and np.count_nonzero(offsets == 0) == 1
    assert np.all(gaps >= nearest[0] * (1 - 1e-9)) and np.all(gaps <= nearest[1] * (1 + 1e-9))


@given(st.integers(0, 2**32), st.floats(-1e4, 1e4), st.sampled_from([1, 2, 3]))
def test_printed_gaps_are_exact(seed: int, truth: float, places: int) -> None:
    step = 10.0**-places
    nearest = (3 * step, 40.4 * step)
    values = lay(truth, draw_scalar_offsets(np.random.default_rng(seed), nearest, step=step), step)
    printed = [int(f"{value:.{places}f}".replace(".", "")) for value in values]  # in units of the last place
    gaps = np.diff(printed)
    assert gaps.min() >= 3 and gaps.max() <= 40
    assert np.abs(values - truth).min() <= step / 2 * (1 + 1e-6)


def test_vectors_are_laid_on_the_grid() -> None:
    offsets = draw_vector_offsets(generator("grid"), RANGE, step=0.01)
    values = lay([1.234567, -0.5, 0.0], offsets, 0.01)
    assert values.shape == (5, 3) and np.allclose(values[0], [1.23, -0.5, 0.0])
    assert np.allclose(values - values[0], offsets)


def test_gaps_are_log_uniform() -> None:
    rng = generator("gaps")
    gaps = np.concatenate([np.diff(draw_scalar_offsets(rng, RANGE)) for _ in range(2_000)])
    low, high = np.log(RANGE)
    assert kstest((np.log(gaps) - low) / (high - low), "uniform").pvalue > 1e-3


@given(st.integers(0, 2**32), st.floats(-180, 180))
def test_directions_fit_on_the_circle(seed: int, truth: float) -> None:
    offsets = draw_angle_offsets(np.random.default_rng(seed), (15, 120), step=1, turn=360)
    values = np.sort(lay(truth, offsets, 1, 360))
    gaps = np.diff(np.append(values, values[0] + 360))
    assert values[0] > -180 and values[-1] <= 180
    assert gaps.sum() == 360 and gaps.min() >= 15 and np.all(values == np.rint(values))
    nearest = np.minimum(gaps, np.roll(gaps, 1))
    assert nearest.max() <= 120


def test_half_a_turn_prints_as_plus() -> None:
    offsets = np.array([-90.0, 0.0, 90.0])
    assert lay(90.0, offsets, 0.01, 360.0).tolist() == [0.0, 90.0, 180.0]
    assert lay(-90.0, offsets, 0.01, 360.0).tolist() == [180.0, -90.0, 0.0]
    assert lay(np.pi / 2, np.array([0.0, np.pi]), turn=2 * np.pi)[1] == pytest.approx(-np.pi / 2)


@given(st.integers(0, 2**32), st.sampled_from([None, 0.01]))
def test_vectors_keep_their_range(seed: int, step: float | None) -> None:
    offsets = draw_vector_offsets(np.random.default_rng(seed), RANGE, shape=np.diag([2.0, 1.0, 0.5]), step=step)
    distances = np.linalg.norm(offsets[:, None] - offsets[None], axis=-1) + np.diag([np.inf] * 5)
    assert np.all(offsets[0] == 0) and offsets.shape == (5, 3)
    assert distances.min(axis=1).min() >= RANGE[0] - 1e-9 and distances.min(axis=1).max() <= RANGE[1] + 1e-9
    if step is not None:
        assert np.allclose(offsets / step, np.rint(offsets / step), atol=1e-9)


def test_the_scale_of_vectors_fills_the_range() -> None:
    rng = generator("scale")
    sets = [draw_vector_offsets(rng, RANGE) for _ in range(1_000)]
    logs = [np.log(np.linalg.norm(made[0] - made[1:], axis=1).min()) for made in sets]
    thirds = np.histogram(logs, bins=3, range=np.log(RANGE))[0] / len(sets)
    assert thirds.sum() == 1 and thirds.min() > 0.15


def test_shuffling_is_uniform_and_follows_the_answer() -> None:
    rng, places = generator("shuffle"), np.zeros((4, 4), int)
    for _ in range(4_000):
        order, answer = shuffle(rng, "abcd", 2)
        assert order[answer] == "c" and sorted(order) == list("abcd")
        for place, letter in enumerate(order):
            places["abcd".index(letter), place] += 1
    assert all(chisquare(row).pvalue > 1e-3 for row in places)


def test_a_generator_belongs_to_its_item() -> None:
    first = item_generator(7, "sti", "scene/0001", "options").random(4)
    assert np.array_equal(first, item_generator(7, "sti", "scene/0001", "options").random(4))
    # SHA-256 of "sti|7|scene/0001|options" by coreutils, its first 16 bytes:
    known = np.random.Generator(np.random.PCG64(int("20e6abd4e4a178282dbea2ace513fd03", 16)))
    assert np.array_equal(first, known.random(4))
    others = [(8, "sti", "scene/0001", "options"), (7, "m3", "scene/0001", "options"), (7, "sti", "scene/0001", "")]
    assert all(not np.array_equal(first, item_generator(*other).random(4)) for other in others)


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda rng: draw_scalar_offsets(rng, (0.5, 0.05)), "0 < low <= high"),
        (lambda rng: draw_scalar_offsets(rng, (0.0, 0.05)), "0 < low <= high"),
        (lambda rng: draw_scalar_offsets(rng, (0.12, 0.18), step=0.1), "no multiple of the printed step 0.1"),
        (lambda rng: draw_scalar_offsets(rng, RANGE, count=1), "at least 2"),
        (lambda rng: draw_angle_offsets(rng, (80, 90), turn=360), "do not fit into 360"),
        (lambda rng: draw_vector_offsets(rng, (0.1, 0.1001)), "widen the range"),
    ],
)
def test_impossible_ranges_get_a_sentence(draw: Callable[[np.random.Generator], object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        draw(generator("impossible"))

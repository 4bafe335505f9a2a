"""Thresholds: the curve, the fit and its interval, computed a second time by other means."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import ndtr
from scipy.stats import t as student

from chronotope.evaluate.score import Trials, accuracy_at, fit_threshold, threshold_ratio
from simulated_observers import LADDER, OPTIONS, SIGMAS, Design, Observer, draw_design


def trials(observer: Observer, design: Design, seed: int = 0) -> Trials:
    scores = observer.scores(np.random.default_rng(seed), design)
    return Trials(scores, design.spacings, design.chances, design.names)


def negative_log(of: Trials, threshold: float, lapse: float) -> float:
    """The likelihood question by question, from the normal distribution instead of the error function."""
    total = 0.0
    for value, spacing, chance in zip(of.values, of.spacings, of.chances, strict=True):
        told = 2 * ndtr(spacing / 2 * SIGMAS / threshold) - 1
        right = chance + (1 - chance - lapse) * told
        total -= math.log(max(right if value else 1 - right, 1e-12))
    return total


def best(of: Trials, threshold: float | None = None) -> tuple[float, float]:
    """The threshold and the negative log likelihood at the best lapse rate, by a general optimiser."""

    def cost(point: np.ndarray) -> float:
        return negative_log(of, math.exp(point[0]) if threshold is None else threshold, float(point[-1]))

    starts = product((-3.0, -1.5), (0.02, 0.15)) if threshold is None else [(0.02,), (0.15,)]
    bounds = [(-5, 3), (0, 0.2)] if threshold is None else [(0, 0.2)]
    found = min((minimize(cost, start, bounds=bounds, method="L-BFGS-B") for start in starts), key=lambda one: one.fun)
    return math.exp(found.x[0]), float(found.fun)


def test_the_curve_is_that_of_an_observer_who_picks_the_nearest_option() -> None:
    generator = np.random.default_rng(1)
    for spacing, observer in product((LADDER[1], LADDER[3]), (Observer(0.2), Observer(0.1, 0.25))):
        size = 40_000
        ranks = generator.integers(0, OPTIONS, size)
        design = Design(np.zeros(size, int), np.full(size, spacing), ranks)
        # A lapse is right by a guess, so the rate at which accuracy falls short is that of lapses that miss.
        expected = accuracy_at(spacing, observer.threshold, 0.8 * observer.lapse, 1 / OPTIONS)
        assert observer.scores(generator, design).mean() == pytest.approx(float(expected), abs=0.01)


def test_half_is_told_apart_at_the_threshold() -> None:
    assert accuracy_at(0.3, 0.3, 0.0, 0.0) == pytest.approx(0.5)
    assert accuracy_at(0.3, 0.3, 0.1, 0.2) == pytest.approx(0.2 + 0.7 / 2)
    assert list(accuracy_at(LADDER, 0.0, 0.1, 0.2)) == pytest.approx([0.9] * 5)
    assert list(accuracy_at(LADDER, math.inf, 0.1, 0.2)) == pytest.approx([0.2] * 5)


@pytest.mark.parametrize(("ratio", "lapse"), [(1.1, 0.0), (1.2, 0.1), (1.6, 0.05)])
def test_the_fit_is_the_maximum_of_the_likelihood(ratio: float, lapse: float) -> None:
    generator = np.random.default_rng(2)
    of = trials(Observer(math.log(ratio), lapse), draw_design(generator, 40))
    threshold, cost = best(of)
    fit = fit_threshold(of)
    assert fit.threshold == pytest.approx(threshold, rel=1e-3)
    assert negative_log(of, fit.threshold, fit.lapse) == pytest.approx(cost, abs=1e-4)
    assert (fit.items, fit.clusters) == (of.values.size, 40)


def test_the_interval_has_the_thresholds_that_are_likely_enough() -> None:
    """If each question is a clip of its own and answers vary as expected, deff is about 1."""
    design = draw_design(np.random.default_rng(3), 150, (1, 1))
    for seed in range(4):
        of = trials(Observer(math.log(1.2), 0.05), design, seed)
        fit = fit_threshold(of)
        assert fit.low is not None and fit.high is not None and fit.low < fit.threshold < fit.high
        _, top = best(of)
        allowed = student.ppf(0.975, 149) ** 2
        drops = [2 * (best(of, end)[1] - top) for end in (fit.low, fit.high)]
        assert drops[0] == pytest.approx(drops[1], rel=1e-2)  # the same likelihood at both ends
        assert allowed * 0.999 <= drops[0] <= allowed * 1.3


def test_the_same_answers_twice_in_a_clip_say_nothing_new() -> None:
    of = trials(Observer(math.log(1.2), 0.0, 0.8), draw_design(np.random.default_rng(5), 20, by_clip=True))
    once = fit_threshold(of)
    twice = fit_threshold(
        Trials(np.tile(of.values, 2), np.tile(of.spacings, 2), np.tile(of.chances, 2), of.clusters * 2)
    )
    assert twice.threshold == pytest.approx(once.threshold, rel=1e-4)
    assert (twice.low, twice.high) == pytest.approx((once.low, once.high), rel=1e-3)
    assert twice.items == 2 * once.items


def test_answers_at_the_ends_have_no_threshold_within_reach() -> None:
    design = draw_design(np.random.default_rng(6), 12)
    everything = np.ones(design.clips.size)
    right = fit_threshold(Trials(everything, design.spacings, design.chances, design.names))
    assert (right.threshold, right.low, right.lapse) == (0.0, 0.0, 0.0)
    assert right.high is not None and right.high < LADDER[0]
    wrong = fit_threshold(Trials(0 * everything, design.spacings, design.chances, design.names))
    assert (wrong.threshold, wrong.high) == (math.inf, math.inf)
    assert wrong.low is not None and wrong.low > LADDER[-1]
    assert wrong.misfit is not None and wrong.misfit < 0.01  # worse than a guess is on no curve


def test_a_guess_has_no_highest_threshold() -> None:
    design = draw_design(np.random.default_rng(7), 60)
    guesses = [fit_threshold(trials(Observer(1.0, 1.0), design, seed)) for seed in range(20)]
    assert all(guess.low is not None and guess.low > LADDER[2] for guess in guesses)
    assert sum(guess.high == math.inf for guess in guesses) >= 17


def test_few_clips_have_no_interval() -> None:
    fit = fit_threshold(trials(Observer(0.2), draw_design(np.random.default_rng(8), 5, (20, 20))))
    assert fit.threshold > 0 and (fit.low, fit.high, fit.misfit) == (None, None, None)


def test_one_spacing_has_a_threshold() -> None:
    design = draw_design(np.random.default_rng(9), 40, ladder=LADDER[2:3])
    fit = fit_threshold(trials(Observer(LADDER[2]), design))
    assert fit.low is not None and fit.high is not None and fit.low < LADDER[2] < fit.high
    assert fit.misfit is None  # any point is on some curve


def test_accuracy_that_falls_with_the_spacing_is_called_unfit() -> None:
    design = draw_design(np.random.default_rng(10), 40)
    falling = (np.random.default_rng(11).random(design.clips.size) < 1 - design.spacings).astype(float)
    fit = fit_threshold(Trials(falling, design.spacings, design.chances, design.names))
    assert fit.misfit is not None and fit.misfit < 1e-3


def test_the_true_threshold_is_recovered_within_the_interval() -> None:
    """At the stated rate, in a small simulation; the slow tests have the whole table."""
    generator, held, repetitions = np.random.default_rng(12), 0, 120
    for _ in range(repetitions):
        observer = Observer(math.log(1.25), 0.05, 0.5)
        fit = fit_threshold(trials(observer, draw_design(generator, 20), int(generator.integers(1 << 30))))
        assert fit.low is not None and fit.high is not None
        held += fit.low <= observer.threshold <= fit.high
    assert 0.9 <= held / repetitions <= 1.0


def test_a_ratio_is_paired() -> None:
    design = draw_design(np.random.default_rng(13), 60)
    errors = [np.random.default_rng(14 + number).normal(size=design.clips.size) for number in range(2)]
    names = (design.spacings, design.chances, design.names)
    fine, coarse, other = (
        Trials(Observer(threshold).scores(np.random.default_rng(1), design, errors), *names)
        for threshold in (0.15, 0.3, 0.15)
    )
    found, turned = threshold_ratio(coarse, fine), threshold_ratio(fine, coarse)
    assert found.value == pytest.approx(fit_threshold(coarse).threshold / fit_threshold(fine).threshold)
    assert found.low is not None and found.high is not None and turned.low is not None and turned.high is not None
    assert 1 < found.low < found.value < found.high
    assert (turned.value, turned.low, turned.high) == pytest.approx(
        (1 / found.value, 1 / found.high, 1 / found.low), rel=1e-6
    )
    back = found.inverse.inverse
    assert (back.value, back.low, back.high) == pytest.approx((found.value, found.low, found.high))
    assert found.inverse.low == pytest.approx(turned.low, rel=1e-6)
    same = threshold_ratio(fine, other)
    assert same.value == 1.0 and same.low is not None and same.high is not None and same.low < 1 < same.high
    apart = trials(Observer(0.15), design, 2)
    unpaired = threshold_ratio(apart, fine)
    assert unpaired.low is not None and unpaired.high is not None
    assert unpaired.high / unpaired.low > 1.2 * same.high / same.low


def test_ratios_of_runs_without_a_threshold() -> None:
    design = draw_design(np.random.default_rng(15), 12)
    names = (design.spacings, design.chances, design.names)
    right, wrong = (Trials(np.full(design.clips.size, value), *names) for value in (1.0, 0.0))
    none = threshold_ratio(right, right)
    assert (none.value, none.low, none.high) == (None, 0.0, math.inf)
    far = threshold_ratio(wrong, right)
    assert (far.value, far.high) == (math.inf, math.inf)
    assert far.low is not None and far.low > 5
    assert (far.inverse.value, far.inverse.low, far.inverse.high) == (0.0, 0.0, 1 / far.low)
    few = draw_design(np.random.default_rng(15), 5)
    some = threshold_ratio(trials(Observer(0.2), few), trials(Observer(0.4), few))
    assert (some.low, some.high) == (None, None)


def test_faults_are_named() -> None:
    with pytest.raises(ValueError, match="equal numbers"):
        Trials([1.0], [0.1, 0.2], [0.2], ["a"])
    with pytest.raises(ValueError, match="above 0"):
        Trials([], [], [], [])
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        Trials([2.0], [0.1], [0.2], ["a"])
    with pytest.raises(ValueError, match="positive"):
        Trials([1.0], [0.0], [0.2], ["a"])
    with pytest.raises(ValueError, match="same questions"):
        threshold_ratio(Trials([1.0], [0.1], [0.2], ["a"]), Trials([1.0], [0.2], [0.2], ["a"]))

"""What options give away: nothing under ``strict``. What a classifier makes of them is in test_sti_leaks.py."""

from collections import Counter

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from scipy.stats import binomtest, chisquare, kstest
from sti_ways import way
from sti_witness import facts_of, numbers

from chronotope.families import WriteContext, family
from chronotope.families.sti.scale import SCALES
from chronotope.families.sti.write.published import (
    adjust_scalar,
    fine_gap,
    published_pose_offsets,
    published_scalars,
)
from chronotope.question import Refused
from chronotope.recording import Scene

STI = family("sti")
NOT_SCALAR = ("pose", "orientation-change", "trajectory")
WINDOWED = ("displacement", "path-length", "average-speed", "average-acceleration", *NOT_SCALAR)


def questions_of(ways, profile, per_variant, seed=0):
    context = WriteContext(seed, profile, STI.build.Options(per_variant=per_variant))
    return [question for recording in ways for question in STI.build.write(Scene.of(recording), context).questions]


@pytest.fixture(scope="module")
def strict_set():
    return questions_of([way(seed, kind, fps=12, seconds=20) for kind in SCALES for seed in range(8)], "strict", 4)


def test_neighbouring_options_have_the_spacing_of_the_tag(strict_set):
    checked = Counter()
    for question in strict_set:
        formula = question.provenance["formula"]
        if formula in ("trajectory", "pose"):
            continue
        [spacing] = question.tags["spacing"]
        values = np.sort([abs(numbers(option.text)) for option in question.options])
        if formula == "orientation-change":
            rounding = 1.0 if question.tags["scene"] == ("Outdoor",) else 0.01  # degrees
            angle = float(spacing.removesuffix("°"))
            assert np.abs(np.diff(values) - angle).max() <= 0.12 * angle + rounding + 1e-9, question.id
        else:
            # Printed values are rounded: by a tenth of a gap at most.
            assert np.abs(np.diff(np.log(values)) / np.log(float(spacing)) - 1).max() <= 0.15, question.id
        checked[formula, spacing] += 1
    formulas = {formula for formula, _ in checked}
    assert formulas >= {"displacement", "path-length", "average-speed", "speed", "average-acceleration"}
    assert {spacing for _, spacing in checked} >= {"1.1", "1.2", "1.4"}


def test_all_motion_of_a_clip_has_the_same_five_worlds(strict_set):
    factors = {}
    for question in strict_set:
        if question.provenance["formula"] not in NOT_SCALAR:
            values = np.array([numbers(option.text) for option in question.options])
            sizes = np.sort(np.abs(values)) / abs(values[question.answer[0]])
            factors.setdefault(question.recordings, []).append(sizes)
    assert len(factors) >= 20
    for found in factors.values():
        assert len(found) >= 5 and np.ptp(np.log(found), axis=0).max() <= 0.04  # printed values are rounded
    # The true world has every rank.
    ranks = Counter(int((found[0] < 0.99).sum()) for found in factors.values())
    assert set(ranks) == set(range(5))


def blind_guesses(question):
    """What someone might guess of a pose who knows the given pose and how things move, but sees nothing."""
    options = np.array([numbers(option.text) for option in question.options])
    given = numbers(question.provenance["given"])
    middle = np.median(options.reshape(5, -1), axis=0)
    moved = options[:, :, 3] - given[:, 3]
    turned = np.array([np.trace(option[:, :3] @ given[:, :3].T) for option in options])
    return {
        "tilt as given": np.abs(options[:, 2, :3] - given[2, :3]).sum(1),
        "height as given": np.abs(moved[:, 2]),
        "second coordinate as given": np.abs(moved[:, 1]),
        "most typical": np.abs(options.reshape(5, -1) - middle).sum(1),
        "nearest": np.linalg.norm(moved, axis=1),
        "farthest": -np.linalg.norm(moved, axis=1),
        "least turn": -turned,
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["indoor", "outdoor", "desktop"])
def test_poses_cannot_be_guessed_without_looking(kind):
    ways = [way(seed, kind, fps=10, seconds=20) for seed in range(120)]
    # One of each clip: all of a clip have their true world at the same rank.
    poses = [q for q in questions_of(ways, "strict", 1) if q.provenance["formula"] == "pose"]
    assert len(poses) >= 100
    hits = Counter()
    for question in poses:
        for name, cost in blind_guesses(question).items():
            # Ties are shared: where all options agree, nothing is told.
            best = np.flatnonzero(cost <= cost.min() + 1e-9)
            hits[name] += (question.answer[0] in best) / len(best)
    for name, count in hits.items():
        assert binomtest(round(count), len(poses), 0.2, alternative="greater").pvalue > 0.001, (name, count, len(poses))


def test_small_turns_are_not_asked_about_and_no_option_is_one(strict_set):
    turns = [q for q in strict_set if q.provenance["formula"] == "orientation-change"]
    assert turns
    for question in turns:
        assert all(10 <= abs(numbers(option.text)) <= 170 for option in question.options), question.id


def test_no_two_windowed_quantities_share_a_window_and_no_answer_recurs(strict_set):
    windows, asked, answers = Counter(), Counter(), {}
    for question in strict_set:
        formula, [recording] = question.provenance["formula"], question.recordings
        if formula in WINDOWED:
            windows[recording, question.window] += 1
            asked[formula] += 1
        if formula not in NOT_SCALAR:
            answers.setdefault((recording, formula), []).append(question.provenance["value"])
    assert max(windows.values()) == 1 and set(asked) >= {*WINDOWED} - {"trajectory"}
    for values in answers.values():
        assert len(values) < 2 or np.diff(np.sort(values)).min() > 0


@pytest.mark.parametrize("seconds", [2, *(pytest.param(s, marks=pytest.mark.slow) for s in (3, 4))])
def test_a_pose_is_not_asked_for_over_the_window_of_another_question(seconds):
    # Few whole seconds and the whole clip among the windows: what two questions ask of one stretch fits once only.
    ways = [way(seed, kind, fps=10, seconds=seconds) for kind in ("indoor", "outdoor") for seed in range(12)]
    asked = Counter()
    for question in questions_of(ways, "strict", 8):
        formula, [recording] = question.provenance["formula"], question.recordings
        asked.update([(recording, question.window)] if formula in WINDOWED else [])
    assert asked and max(asked.values()) == 1


def test_options_are_all_of_one_sign_and_letters_are_uniform(strict_set):
    for question in strict_set:
        if question.provenance["formula"] not in NOT_SCALAR:
            signs = {np.sign(numbers(option.text)) for option in question.options}
            assert signs in ({1.0}, {-1.0}), question.id
    letters = Counter(question.answer[0] for question in strict_set)
    assert chisquare([letters[i] for i in range(5)]).pvalue > 0.001


def test_a_constant_letter_is_at_chance(strict_set):
    constant = sum(question.answer == (0,) for question in strict_set)
    assert binomtest(constant, len(strict_set), 0.2).pvalue > 0.001


def test_published_items_are_flagged_and_strict_ones_are_not(strict_set):
    assert not any(question.flags for question in strict_set)
    assert all(q.flags == ("published-distractors",) for q in questions_of([way(1)], "paper", 2))


def test_published_adjustment_moves_out_as_well_as_in():
    generator = np.random.default_rng(0)
    logs, outward = [], 0
    for _ in range(20_000):
        answer = float(np.exp(generator.normal(3.0)))
        initial = answer + np.array([-1.0, 1.0, 2.0, 4.0]) * generator.uniform(0.05, 8)
        gap = fine_gap(generator, (0.5, 5.0)).e
        adjusted, weight = adjust_scalar(answer, initial, gap)
        before, after = initial - answer, adjusted - answer
        assert abs(np.abs(after).min() - gap) < 1e-9
        assert np.allclose(after / before, 1 - weight)  # one factor: sides, order and ratios are kept
        assert weight < 1
        outward += weight < 0
        logs.append(np.log(gap / 0.5) / np.log(10))
    assert outward > 1000
    assert abs(np.mean(logs) - 0.5) < 0.01 and abs(np.std(logs) - 12**-0.5) < 0.01


@pytest.mark.parametrize(
    ("answer", "nearest", "ulp"),
    [(0.2, (0.05, 0.5), 0.01), (0.1, (0.05, 0.5), 0.01), (1.0, (0.05, 0.5), 0.01), (3.0, (0.5, 5.0), 0.01),
     (5.0, (0.5, 5.0), 0.01), (0.03, (0.005, 0.05), 0.001), (0.0, (0.05, 0.5), 0.01)],
)  # fmt: skip
def test_the_published_gap_is_drawn_once_whatever_the_answer_is(answer, nearest, ulp):
    generator, drawn, mirrored = np.random.default_rng(3), [], 0
    for _ in range(1500):
        made = published_scalars(generator, answer, nearest, lambda v: f"{v:.3f}", ulp, positive=True)
        drawn.append(made.gap.u)
        gaps = (made.values[1:] - answer) / made.gap.e
        assert np.abs(gaps).min() == pytest.approx(1) and np.abs(gaps - np.rint(gaps)).max() < 1e-6
        assert (made.values[1:] > ulp / 2).all()
        mirrored += made.mirrored
    assert kstest(drawn, "uniform").pvalue > 0.001
    assert bool(mirrored) == (answer > 0)


def test_published_scalars_print_five_texts_in_range():
    generator = np.random.default_rng(1)
    refused = 0
    for _ in range(2000):
        answer = round(float(np.exp(generator.normal(0.0, 1.0))), 2)
        try:
            made = published_scalars(generator, answer, (0.05, 0.5), lambda v: f"{v:.2f}m", 0.01, positive=True)
        except Refused:
            refused += 1
            continue
        texts = [f"{value:.2f}m" for value in made.values]
        printed = np.array([float(text[:-1]) for text in texts])
        assert len(set(texts)) == 5 and (printed > 0).all()
        assert 0.045 - 1e-9 <= np.abs(printed[1:] - printed[0]).min() <= 0.505 + 1e-9
    assert refused == 0


def test_the_record_of_an_adjustment_is_whole_and_in_the_unit_of_the_value():
    seen = Counter()
    for kind in SCALES:
        low, high = SCALES[kind].nearest
        for question in questions_of([way(4, kind, fps=10, seconds=20)], "paper", 3):
            formula, facts = question.provenance["formula"], facts_of(question)
            if formula == "orientation-change":
                assert "adjust" not in facts  # its options lie at fixed steps
                continue
            drawn = facts["adjust"]
            assert drawn["range"] == [low, high] and 0 <= drawn["mirrored"] <= 4 and drawn["w"] < 1
            assert drawn["e"] == pytest.approx(low * (high / low) ** drawn["u"]) and 0 <= drawn["u"] <= 1
            if formula not in NOT_SCALAR:
                values = np.array([numbers(option.text) for option in question.options])
                gaps = np.abs(np.delete(values, question.answer[0]) - values[question.answer[0]])
                assert gaps.min() == pytest.approx(drawn["e"], abs=0.0051)
            seen[formula] += 1
    assert set(seen) >= {"displacement", "pose"}


@pytest.mark.parametrize("moved", [(0.0, 0.0, 0.0), (0.004, 0.0, 0.0), (0.0, 0.049, 0.0)])
def test_of_a_camera_that_only_turned_the_wrong_poses_are_near_and_turned_as_it_was(moved):
    low, high = 0.05, 0.5
    first, last = np.eye(4), np.eye(4)
    last[:3, :3], last[:3, 3] = Rotation.from_euler("y", 40, degrees=True).as_matrix(), moved
    for seed in range(40):
        shifts, turns, _ = published_pose_offsets(np.random.default_rng(seed), first, last, (low, high))
        gaps, angles = np.linalg.norm(shifts, axis=1), np.degrees(np.linalg.norm(turns, axis=1))
        assert low <= gaps.min() + 1e-12 and gaps.min() <= high and gaps.max() <= 8 * gaps.min() + 1e-9
        assert np.allclose(angles, [40, 20, 40, 40])


def test_of_a_camera_that_went_somewhere_positions_and_turns_move_by_one_factor():
    first, last = np.eye(4), np.eye(4)
    last[:3, :3], last[:3, 3] = Rotation.from_euler("y", 10, degrees=True).as_matrix(), (3.0, 0.0, 0.0)
    for seed in range(40):
        shifts, turns, facts = published_pose_offsets(np.random.default_rng(seed), first, last, (0.5, 5.0))
        factor = 1 - facts["adjust"]["w"]
        assert np.allclose(np.linalg.norm(shifts[0]), 3 * factor)
        assert np.allclose(np.degrees(np.linalg.norm(turns[:2], axis=1)), [min(10 * factor, 180), 5 * factor])


def test_zero_is_a_legal_speed_under_the_published_rule_only():
    from dataclasses import replace

    still = way(3, "indoor", seconds=12)
    poses = still.world_T_camera.copy()
    poses[:, :3, 3] = poses[0, :3, 3]
    still = replace(still, world_T_camera=poses)
    speeds = [q for q in questions_of([still], "paper", 2) if q.provenance["formula"] == "average-speed"]
    assert speeds and all(q.options[q.answer[0]].text == "0.00m/s" for q in speeds)
    context = WriteContext(0, "strict", STI.build.Options())
    outcome = STI.build.write(Scene.of(still), context)
    assert outcome.refusals["average-speed"]["STATIONARY"] > 0
    assert not [q for q in outcome.questions if q.provenance["formula"] == "average-speed"]

"""The five worlds of a clip: consistent with themselves, and each equally likely to be the true one."""

import re
from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from scipy.stats import chisquare, kstest
from sti_ways import way

from chronotope.families import WriteContext, family
from chronotope.families.sti.scale import DISTANCES, SCALES, Usual
from chronotope.families.sti.write.camera.turn import OrientationVariant
from chronotope.families.sti.write.factors import balanced_rank, draw_factors
from chronotope.families.sti.write.worlds import Worlds, draw_worlds
from chronotope.question import RATIOS, Refused
from chronotope.recording import Kind, Recording, Scene
from chronotope.scene import camera_of
from chronotope.world.kinds.table.moving import SPEEDS as TOY_SPEEDS
from chronotope.world.kinds.table.view import SPEEDS as CAMERA_SPEEDS

STI = family("sti")


def circling(radius, turn, seconds=8.0, rise=0.0):
    """A camera that drives along a circle about z, looks along its way, and may rise steadily."""
    t = np.arange(0, seconds + 1e-9, 0.1)
    angle = turn * t / seconds
    positions = np.stack([radius * np.sin(angle), radius * (1 - np.cos(angle)), rise * t / seconds], axis=1)
    forward = np.stack([np.cos(angle), np.sin(angle), 0 * t], axis=1)
    down = np.broadcast_to([0.0, 0.0, -1.0], forward.shape)
    poses = np.tile(np.eye(4), (len(t), 1, 1))
    poses[:, :3, :3] = np.stack([np.cross(down, forward), down, forward], axis=2)
    poses[:, :3, 3] = positions
    return Recording(
        id="circle",
        kind=Kind.INDOOR,
        source="made-up",
        times=t,
        world_T_camera=poses,
        valid=np.ones(len(t), bool),
        gravity=np.array([0.0, 0.0, -1.0]),
    )


def in_worlds(recording, lengths, turns, up):
    camera = camera_of(recording)
    worlds = Worlds(np.array([1.0, *lengths]), np.array([1.0, *turns]), 1.2, None)
    end = camera.end - 1.0  # away from the end of the smoothed track
    return end, worlds.poses(camera.track.piece(0.5, end), up, 0.5, end), camera


@pytest.mark.parametrize("known", [True, False])
def test_in_another_world_a_circle_is_another_circle(known):
    radius, turn = 2.0, 1.4
    lengths, turns = (0.5, 1.3, 1.0, 2.0), (0.6, 1.0, 1.5, 2.0)
    recording = circling(radius, turn)
    up = np.array([0.0, 0.0, 1.0])
    end, poses, camera = in_worlds(recording, lengths, turns, up if known else None)
    start = camera.track.piece(0.5, end).poses_at(np.array([0.5]))[0]
    for pose, length, factor in zip(poses, (1.0, *lengths), (1.0, *turns), strict=True):
        # A camera that looks along its way turns by f as much on a way l as long: a circle of another radius.
        angle = factor * turn * (end - 0.5) / 8.0
        other = radius * length / factor
        ahead, left = start[:3, 2], np.cross(up, start[:3, 2])
        expected = start[:3, 3] + other * (np.sin(angle) * ahead + (1 - np.cos(angle)) * left)
        assert np.linalg.norm(pose[:3, 3] - expected) < 0.02 * other, (length, factor)
        turned = Rotation.from_rotvec(angle * up).as_matrix() @ start[:3, :3]
        assert np.allclose(pose[:3, :3], turned, atol=1e-3)


def test_the_true_world_is_exact_and_others_keep_the_horizon():
    recording = circling(2.0, 1.4, rise=0.8)
    end, poses, camera = in_worlds(recording, (0.5, 1.3, 1.0, 2.0), (0.6, 1.0, 1.5, 2.0), np.array([0.0, 0.0, 1.0]))
    assert np.allclose(poses[0], camera.track.piece(0.5, end).poses_at(np.array([end]))[0], atol=1e-12)
    rises = poses[:, 2, 3] - poses[0, 2, 3] + 0.8 * (end - 0.5) / 8
    assert np.allclose(rises / (0.8 * (end - 0.5) / 8), [1, 0.5, 1.3, 1.0, 2.0], atol=0.02)
    assert np.allclose(poses[:, 2, 0], 0, atol=1e-9)  # the camera's x axis stays level


def test_a_world_in_which_the_camera_would_look_straight_up_is_not_used():
    recording = circling(2.0, 1.4)
    nod = Rotation.from_euler("x", np.linspace(0, 60, len(recording.times))[:, None], degrees=True).as_matrix()
    poses = recording.world_T_camera.copy()
    poses[:, :3, :3] = poses[:, :3, :3] @ nod
    nodding = replace(recording, world_T_camera=poses)
    up = np.array([0.0, 0.0, 1.0])
    assert in_worlds(nodding, (1.0,) * 4, (0.5, 0.8, 1.1, 1.2), up)[1] is not None
    assert in_worlds(nodding, (1.0,) * 4, (0.5, 0.8, 1.1, 2.0), up)[1] is None


@pytest.mark.slow
def test_the_true_world_has_every_rank_for_lengths_and_turns():
    cameras = [camera_of(way(seed, kind, fps=10, seconds=20)) for kind in ("indoor", "outdoor") for seed in range(3)]
    lengths, turns, pairs, ratios = Counter(), Counter(), Counter(), Counter()
    count = 600
    for seed in range(count):
        camera = cameras[seed % len(cameras)]
        # The turns of a clip do not depend on the draw; a camera of a desktop has none and is quick.
        worlds = draw_worlds(
            np.random.default_rng(seed), replace(camera, track=replace(camera.track, kind=Kind.DESKTOP))
        )
        lengths[int((worlds.lengths < 1).sum())] += 1
        turns[int((worlds.turns < 1).sum())] += 1
        pairs[int((worlds.lengths < 1).sum()), int((worlds.turns < 1).sum())] += 1
        ratios[worlds.ratio] += 1
        assert worlds.lengths[0] == worlds.turns[0] == 1
        assert np.allclose(np.diff(np.log(np.sort(worlds.lengths))), np.log(worlds.ratio))
        assert np.ptp(np.diff(np.sort(worlds.turns))) < 1e-9 and worlds.turns.min() > 0
    assert chisquare([turns[rank] for rank in range(5)]).pvalue > 0.001
    assert len(pairs) == 25 and len(ratios) >= 4


@pytest.mark.parametrize("unit, steps", [pytest.param(1.05, (1, 2, 4, 7, 14), marks=pytest.mark.slow), (1.1, (1, 4))])
def test_who_knows_the_usual_speeds_finds_all_five_worlds_equally_likely(unit, steps):
    """True values are drawn as the likelihood says; among those with equal options, each rank is as frequent."""
    generator = np.random.default_rng(7)
    ladder = [unit**step for step in steps]  # all options lie on one grid, so equal options come again and again
    ranks: dict[tuple[int, int], Counter[int]] = {}
    for _ in range(2500):
        true = round(generator.normal(0.0, 6.0))

        def likelihood(factors: np.ndarray, true: int = true) -> np.ndarray:
            return np.exp(-0.5 * ((true + np.log(factors) / np.log(unit)) / 6.0) ** 2)

        ratio, factors = draw_factors(generator, likelihood, ladder)
        step, rank = round(np.log(ratio) / np.log(unit)), int((factors < 0.999).sum())
        ranks.setdefault((step, true - rank * step), Counter())[rank] += 1
    often = [found for (step, _), found in ranks.items() if step > min(steps) and found.total() >= 25]
    assert len(often) > 4
    chances = [chisquare([found[rank] for rank in range(5)]).pvalue for found in often]
    assert kstest(chances, "uniform").pvalue > 0.001


def test_the_speeds_of_all_worlds_of_a_table_are_those_of_its_camera_and_its_toys():
    """A reader of many clips learns the speeds of simulated cameras and toys: no other speed may be an option."""
    scale = SCALES[Kind.DESKTOP]
    assert (scale.camera_speed.low, scale.camera_speed.high) == CAMERA_SPEEDS
    assert (scale.thing_speed.low, scale.thing_speed.high) == TOY_SPEEDS


def test_no_world_has_an_unusual_speed():
    camera = camera_of(replace(circling(radius=0.4, turn=2.0), kind=Kind.DESKTOP))  # 0.1 m/s
    lengths = [draw_worlds(np.random.default_rng(seed), camera) for seed in range(60)]
    low, high = CAMERA_SPEEDS
    wide = [one for one in lengths if one.ratio > 1.05]
    assert len(wide) > 30
    assert all(0.95 * low < 0.1 * one.lengths.min() and 0.1 * one.lengths.max() < 1.05 * high for one in wide)


@pytest.mark.parametrize("speed", [0.5, 8.0])
def test_an_unusual_speed_has_any_rank_among_unusual_speeds(speed):
    """A fast camera on a table: nothing is known about its speed, so it must not be the largest of five."""
    camera = camera_of(replace(circling(radius=speed * 2, turn=4.0), kind=Kind.DESKTOP))  # for 8 s
    drawn = [draw_worlds(np.random.default_rng(seed), camera) for seed in range(300)]
    ranks = Counter(int((one.lengths < 0.999).sum()) for one in drawn if one.ratio > 1.05)
    assert ranks.total() > 100
    if speed == 8.0:  # far from usual speeds, so that no set reaches them
        assert chisquare([ranks[rank] for rank in range(5)]).pvalue > 0.001
    usual = SCALES[Kind.DESKTOP].camera_speed
    largest = usual.high * np.exp(2 * usual.tail)
    assert all(one.ratio == 1.05 or speed * one.lengths.min() > largest for one in drawn)


def test_five_clips_in_a_row_have_five_ranks():
    """With a rank drawn anew for each clip, the middle option was right in half of 16 tables."""
    ranks = [balanced_rank(3, f"table-3-{number:04d}", "lengths") for number in range(50)]
    assert all(sorted(ranks[start : start + 5]) == [0, 1, 2, 3, 4] for start in range(0, 50, 5))
    assert ranks != [balanced_rank(3, f"table-3-{number:04d}", "turns") for number in range(50)]
    for name in ("table-3-0001", "scene0001_00", "kitchen"):
        found = Counter(balanced_rank(seed, name, "lengths") for seed in range(600))
        assert chisquare([found[rank] for rank in range(5)]).pvalue > 0.001


def test_a_benchmark_of_five_clips_has_each_rank_of_lengths_once():
    context = WriteContext(0, "strict", STI.build.Options(per_variant=2))
    ranks = []
    for number in range(5):
        recording = replace(way(number, "indoor", fps=10, seconds=20), id=f"walk-0-{number:04d}")
        found = STI.build.write(Scene.of(recording), context).questions
        of = {
            sorted(float(re.match(r"[\d.]+", option.text)[0]) for option in one.options).index(
                float(re.match(r"[\d.]+", one.options[one.answer[0]].text)[0])
            )
            for one in found
            if one.tags.get("quantity") == ("lengths of motion",)
        }
        assert len(of) == 1
        ranks += of
    assert sorted(ranks) == [0, 1, 2, 3, 4]


def test_the_ladder_can_be_restricted():
    context = WriteContext(0, "strict", STI.build.Options(per_variant=2, spacing=(1.1, 1.3)))
    questions = STI.build.write(Scene.of(way(1, "indoor", fps=10, seconds=20)), context).questions
    found = {spacing for q in questions for spacing in q.tags.get("spacing", ()) if "°" not in spacing}
    assert found and found <= {"1.1", "1.3"}


@pytest.mark.parametrize("spacing", [(), (1.0,), (11.0,), (-1.2, 1.2)])
def test_an_impossible_ladder_is_refused(spacing):
    with pytest.raises(ValueError, match="spacing"):
        STI.build.Options(spacing=spacing)


@pytest.mark.slow
def test_as_many_turns_are_asked_for_whatever_the_rank_of_the_true_one():
    """Otherwise, large turns would be right more often, because a clip has more windows with large turns."""
    asked = Counter()
    for seed in range(6):
        camera = camera_of(way(seed, "indoor", fps=10, seconds=12))
        for angle, smallest in ((5.0, 2.2), (10.0, 1.3), (20.0, 0.8)):
            found = []
            for rank in range(5):
                turns = (smallest + np.arange(5)) / (smallest + rank)
                turns = np.r_[1.0, np.delete(turns, rank)]
                kind = OrientationVariant(Worlds(np.ones(5), turns, 1.1, angle))
                places = kind.places(np.random.default_rng(seed), camera, 64)
                fit = 0
                for place in places:
                    try:
                        fit += kind.worlds.turned(kind.measure(camera, place, "strict")) is not None
                    except Refused:
                        continue
                found.append(fit)
            assert len(set(found)) == 1, (seed, angle, found)
            asked[angle] += found[0]
    assert all(asked[angle] >= 3 for angle in (5.0, 10.0, 20.0)), asked


def test_a_distribution_may_end_more_sharply_on_one_side():
    """Distances on a table: few are much longer than usual, many much shorter."""
    usual, ones = Usual(0.4, 0.5, 0.8, 0.2), np.ones(1)
    assert usual.likelihood(0.45, ones) == 1
    for value, tails in ((0.4 * np.exp(-0.8), 1), (0.4 * np.exp(-1.2), 1.5), (0.5 * np.exp(0.2), 1)):
        assert usual.likelihood(value, ones) == pytest.approx(np.exp(-(tails**2) / 2))
    assert usual.likelihood(0.45, np.array([0.3, 2.0])).tolist() == [pytest.approx(usual.likelihood(0.135, ones)[0]), 0]
    same = Usual(0.4, 0.5, 0.3), Usual(0.4, 0.5, 0.3, 0.3)
    factors = np.geomspace(0.3, 3, 40)
    assert np.array_equal(*(one.likelihood(0.45, factors) for one in same))


def test_distances_on_tables_are_right_at_each_size_equally_often():
    """Quantiles (m) of the gaps on 101 tables; with equal tails, the larger options were right more often."""
    shares, values = (0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98), (0.023, 0.061, 0.118, 0.227, 0.369, 0.483, 0.669)
    generator = np.random.default_rng(5)
    usual, ranks = DISTANCES["world:table"]["gap"], Counter()
    for share in generator.uniform(0.02, 0.98, 4000):
        true = float(np.exp(np.interp(share, shares, np.log(values))))
        _, factors = draw_factors(generator, partial(usual.likelihood, true), RATIOS)
        ranks[int((factors < 0.999).sum())] += 1
    assert max(abs(ranks[rank] / 4000 - 0.2) for rank in range(5)) < 0.025, ranks

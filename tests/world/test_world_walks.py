"""Walks: a camera in a hand looks at things, turns smoothly, and has the speeds that a reader of options expects."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from chronotope.families.sti.scale import MOST_TAILS, SCALES
from chronotope.recording import Kind
from chronotope.world.kinds import world_kinds
from chronotope.world.kinds.walk import walk
from chronotope.world.render import open_renderer
from chronotope.world.things import HOME_KINDS

FAST = world_kinds()["walk"].qualities["fast"]
SMALL = replace(FAST, width=96, height=72, samples=0, shadow_map=0)
COVERED = 0.005  # share of a picture that a thing covers if the picture shows it
WALL_LIKE = {kind.noun for kind in HOME_KINDS.values() if kind.mount == "wall"}


def shown(shot, frames):
    """How many things each frame shows."""
    is_wall = np.array([placement.thing.category in WALL_LIKE for placement in shot.film_set.placements])
    counts = []
    with open_renderer(shot.film_set, SMALL, float(shot.intrinsics[1, 1]) * SMALL.height / FAST.height) as renderer:
        for frame in frames:
            identities = renderer.draw(shot.camera[frame]).identities
            pixels = np.bincount(identities.ravel(), minlength=len(is_wall) + 1)[1:]
            counts.append(int(((pixels >= COVERED * identities.size) & ~is_wall).sum()))
    return np.array(counts)


def laid(seed):
    [shot] = world_kinds()["walk"].lay(np.random.default_rng(seed), FAST).states
    return shot


@pytest.fixture(scope="module")
def first():
    return laid(100)


@pytest.mark.usefixtures("drawable")
def test_a_walk_looks_at_things(first):
    counts = shown(first, np.linspace(0, len(first.times) - 1, 20).astype(int))
    assert (counts == 0).sum() <= 1 and (counts >= 2).mean() >= 0.7


@pytest.mark.slow
@pytest.mark.usefixtures("drawable")
def test_at_most_one_random_frame_in_ten_shows_no_thing():
    generator = np.random.default_rng(0)
    counts = []
    for seed in range(8):
        shot = laid(seed)
        counts.append(shown(shot, generator.choice(len(shot.times), 50, replace=False)))
    assert (np.concatenate(counts) == 0).mean() <= 0.1
    assert (np.concatenate(counts) >= 2).mean() >= 0.7


def test_a_walk_turns_smoothly_and_stays_level(first):
    forward = first.camera[:, :3, 2]
    yaw = np.unwrap(np.arctan2(forward[:, 1], forward[:, 0]))
    rate = np.degrees(np.gradient(yaw, first.times))
    assert np.abs(rate).max() < 76  # degrees per second
    assert np.abs(np.gradient(rate, first.times)).max() < 250  # degrees per second squared: no jerk from look to look
    assert np.ptp(yaw) > np.radians(20)
    assert np.ptp(np.arcsin(forward[:, 2])) < 1e-6 and np.allclose(first.camera[:, 2, 0], 0, atol=1e-9)


def test_speeds_are_those_that_a_reader_of_the_options_expects():
    """Drawn alone, because the layout keeps the speed of its first draw: the distribution is that of the writer."""
    usual = SCALES[Kind.INDOOR].camera_speed
    times = np.arange(80) / 10
    generator = np.random.default_rng(5)
    speeds = np.array([walk.draw_run(generator, times)[-1] / times[-1] for _ in range(3000)])
    bounds = np.log([usual.low, usual.high]) + np.array([-1, 1]) * MOST_TAILS * usual.tail
    grid = np.linspace(*bounds, 4001)
    density = usual.likelihood(usual.low, np.exp(grid) / usual.low)
    share = np.concatenate([[0.0], np.cumsum(density[1:] + density[:-1])])
    found = stats.kstest(np.log(speeds), lambda logs: np.interp(logs, grid, share / share[-1]))
    assert found.pvalue > 0.01, found

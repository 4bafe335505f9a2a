"""Tables: what lies on them rests there, is told apart by name, and is the same for the same seed."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

from chronotope.world.catalogue import CATEGORIES
from chronotope.world.kinds.table.paths import LOW, PATHS, draw_path
from chronotope.world.kinds.table.table import lay_table

SEEDS = [*range(3), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 6))]


@pytest.fixture(scope="module")
def tables():
    """Tables by their seeds, each laid when it is first asked for."""

    class Tables(dict):
        def __missing__(self, seed):
            self[seed] = lay_table(np.random.default_rng(seed))
            return self[seed]

    return Tables()


def vertices(placement):
    points = np.concatenate([piece.vertices for piece in placement.thing.pieces])
    return points @ placement.pose[:3, :3].T + placement.pose[:3, 3]


def hulls(placement, shrink):
    for solid in placement.thing.solids:
        middle = solid.mean(axis=0)
        yield (middle + (solid - middle) * shrink) @ placement.pose[:3, :3].T + placement.pose[:3, 3]


def meet(a, b):
    """Whether two convex hulls of points share a point: weights of either that give the same place."""
    n, m = len(a), len(b)
    equal = np.block([[a.T, -b.T], [np.ones((1, n)), np.zeros((1, m))], [np.zeros((1, n)), np.ones((1, m))]])
    return linprog(np.zeros(n + m), A_eq=equal, b_eq=[0, 0, 0, 1, 1], method="highs").status == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_everything_rests_on_what_it_is_said_to_rest_on(tables, seed):
    placements = {placement.id: placement for placement in tables[seed].film_set.placements}
    things = [placement for placement in placements.values() if placement.role == "thing"]
    assert 8 <= len(things) <= 12
    for thing in things:
        assert thing.thing.size in CATEGORIES[thing.thing.category].sizes, "real sizes"
    for thing in things:
        below = placements[thing.parent]
        lowest, top = vertices(thing)[:, 2].min(), vertices(below)[:, 2].max()
        assert abs(lowest - top) < 2e-3, (thing.id, thing.parent)
        foot = vertices(thing)[vertices(thing)[:, 2] < lowest + 0.01][:, :2].mean(axis=0)
        local = (np.array([*foot, top]) - below.pose[:3, 3]) @ below.pose[:3, :3]
        assert (np.abs(local[:2]) < np.array(below.thing.size[:2]) / 2).all(), thing.id
        assert thing.pose[2, 2] > np.cos(np.radians(2)) or thing.thing.symmetry == "any"
        assert np.abs(thing.pose[:3, 3] * 1e6 - np.rint(thing.pose[:3, 3] * 1e6)).max() < 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_no_two_things_stand_in_the_same_place(tables, seed):
    for first, second in itertools.combinations(tables[seed].film_set.placements, 2):
        for a, b in itertools.product(hulls(first, 0.97), hulls(second, 0.97)):
            if (a.max(0) < b.min(0)).any() or (b.max(0) < a.min(0)).any():
                continue
            assert not meet(a, b), (first.id, second.id)


@pytest.mark.parametrize("seed", SEEDS)
def test_names_tell_things_apart_or_sizes_do(tables, seed):
    placements = tables[seed].film_set.placements
    assert len({placement.id for placement in placements}) == len(placements)
    for first, second in itertools.combinations(placements, 2):
        if first.thing.label == second.thing.label and "furniture" not in (first.role, second.role):
            ratio = max(first.thing.size) / max(second.thing.size)
            assert max(ratio, 1 / ratio) > 1.3, (first.id, second.id)


def test_shelves_stacks_and_pairs_occur(tables):
    parents = [p.parent for seed in range(5) for p in tables[seed].film_set.placements if p.role == "thing"]
    assert "shelf" in parents and any(parent not in ("shelf", "table") for parent in parents)
    labels = [[p.thing.label for p in tables[seed].film_set.placements] for seed in range(5)]
    assert any(len(set(names)) < len(names) for names in labels)


def test_the_same_seed_gives_the_same_table(tables):
    again = lay_table(np.random.default_rng(1))
    for first, second in zip(tables[1].film_set.placements, again.film_set.placements, strict=True):
        assert (first.id, first.parent) == (second.id, second.parent)
        assert np.array_equal(first.pose, second.pose)
        assert np.array_equal(vertices(first), vertices(second))
    assert {p.id for p in tables[2].film_set.placements} != {p.id for p in again.film_set.placements}


def test_every_path_is_smooth_level_and_low_for_a_while():
    times, target, seen = np.arange(241) / 30, np.array([0.1, -0.1, 0.8]), set()
    for seed in range(300):
        path = draw_path(np.random.default_rng(seed), times, target, 1.0)
        seen.add(path.name)
        positions, rotations = path.poses[:, :3, 3], path.poses[:, :3, :3]
        assert np.allclose(rotations @ rotations.transpose(0, 2, 1), np.eye(3)) and np.allclose(
            np.linalg.det(rotations), 1
        )
        assert np.abs(rotations[:, 2, 0]).max() < 1e-9, "x is level"
        assert (rotations[:, 2, 1] < 0).all(), "y points down"
        away = positions - target
        distance = np.linalg.norm(away, axis=1)
        assert (distance > 0.7).all() and (distance < 1.4).all()
        low = np.arcsin(away[:, 2] / distance) < LOW
        assert low.mean() > 0.15, path.name
        towards = -away / distance[:, None]
        assert ((rotations[:, :, 2] * towards).sum(axis=1) > np.cos(np.radians(6))).all()
        speeds = np.linalg.norm(np.diff(positions, axis=0), axis=1) * 30
        assert speeds.max() < 1.5 and np.abs(np.diff(speeds)).max() < 0.1, path.name
    assert seen == set(PATHS)

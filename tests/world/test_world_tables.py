"""Tables: what lies on them rests there, is told apart by name, and is the same for the same seed."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

from chronotope.world.grounds import Ground
from chronotope.world.kinds.table.moving import SPEEDS, add_mover
from chronotope.world.kinds.table.paths import LOW, PATHS, draw_path
from chronotope.world.kinds.table.table import lay_table
from chronotope.world.kinds.table.view import CLEAR, DISTANCES, FIELDS_OF_VIEW, draw_view_of
from chronotope.world.kinds.table.view import SPEEDS as CAMERA_SPEEDS
from chronotope.world.quality import QUALITIES
from chronotope.world.things import TABLE_KINDS

TIMES = np.arange(80) / 10
SEEDS = [*range(3), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 6))]


@pytest.fixture(scope="module")
def tables():
    """Tables by their seeds, each laid when it is first asked for."""

    class Tables(dict):
        def __missing__(self, seed):
            self[seed] = lay_table(np.random.default_rng(seed), TIMES)
            return self[seed]

    return Tables()


def vertices(placement, pose=None):
    points = np.concatenate([piece.vertices for piece in placement.thing.pieces])
    pose = placement.pose if pose is None else pose
    return points @ pose[:3, :3].T + pose[:3, 3]


def hulls(placement, shrink, pose=None):
    pose = placement.pose if pose is None else pose
    for solid in placement.thing.solids:
        middle = solid.mean(axis=0)
        yield (middle + (solid - middle) * shrink) @ pose[:3, :3].T + pose[:3, 3]


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
        assert thing.thing.size in TABLE_KINDS[thing.thing.category].sizes, "real sizes"
    for thing in things:
        below = placements[thing.parent]
        lowest, levels = vertices(thing)[:, 2].min(), vertices(below)[:, 2]
        top = levels[np.abs(levels - lowest).argmin()]  # of the whole, or of a board inside a shelf
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


def test_what_bears_things_stacks_pairs_and_what_moves_occur(tables):
    parents = {p.parent for seed in range(10) for p in tables[seed].film_set.placements if p.role == "thing"}
    furniture = {p.thing.category for seed in range(10) for p in tables[seed].film_set.placements if p.role != "thing"}
    assert len(furniture) >= 4 and len(furniture & parents) >= 2, (furniture, parents)
    assert any(parent.replace("-", " ") not in furniture for parent in parents)
    labels = [[p.thing.label for p in tables[seed].film_set.placements] for seed in range(6)]
    assert any(len(set(names)) < len(names) for names in labels)
    moving = [sum(p.path is not None for p in tables[seed].film_set.placements) for seed in range(6)]
    assert set(moving) == {0, 1}


def movers(count):
    """Things that move, each on an empty table."""
    for seed in range(count):
        ground = Ground("table", np.array([0.0, 0.0, 0.74]), np.array([0.5, 0.34]))
        placed = add_mover(np.random.default_rng(seed), TIMES, ground)
        if placed is not None:
            yield placed, ground


def test_what_moves_stays_on_the_table_and_moves_as_it_would():
    speeds, seen = [], set()
    for placed, ground in movers(36):
        thing, path = placed.thing, placed.path
        seen.add(thing.category)
        assert path.shape == (80, 4, 4) and np.array_equal(path[0], placed.pose)
        assert np.allclose(path[:, :3, :3] @ path[:, :3, :3].transpose(0, 2, 1), np.eye(3), atol=1e-9)
        for pose in path[::7]:
            points = vertices(placed, pose)
            assert abs(points[:, 2].min() - 0.74) < 1e-3, "it floats or sinks in"
            assert (np.abs(points[:, :2]) < ground.half + 0.01).all(), "it is beyond the edge"
        steps = np.linalg.norm(np.diff(path[:, :3, 3], axis=0), axis=1)
        moving = steps > 0.05 * steps.max()
        assert moving.sum() / 10 >= 2.9, "it moves for too short a time"
        speeds.append(steps[moving].mean() * 10)
        assert np.abs(np.diff(steps)).max() < 0.035, "it starts or stops with a jerk"
        turns = path[1:, :3, :3] @ path[:-1, :3, :3].transpose(0, 2, 1)
        angles = np.arccos(np.clip((np.trace(turns, axis1=1, axis2=2) - 1) / 2, -1, 1))
        if thing.category == "ball":  # it rolls without slipping
            assert np.allclose(angles, steps / (thing.size[2] / 2), atol=2e-3)
        else:
            way = np.diff(path[:, :2, 3], axis=0)[moving]
            ahead = (path[:-1, :2, 0] + path[1:, :2, 0])[moving]
            assert (
                (way * ahead).sum(axis=1) > 0.97 * np.linalg.norm(way, axis=1) * np.linalg.norm(ahead, axis=1)
            ).all()
    assert len(seen) >= 5 and max(speeds) > 3 * min(speeds)
    assert min(speeds) > 0.8 * SPEEDS[0] and max(speeds) < 1.3 * SPEEDS[1]


def test_what_moves_passes_through_nothing(tables):
    checked = 0
    for seed in range(6):
        placements = tables[seed].film_set.placements
        for moving in (placement for placement in placements if placement.path is not None):
            for other, pose in itertools.product(placements, moving.path[::11]):
                if other is moving:
                    continue
                for a, b in itertools.product(hulls(moving, 0.97, pose), hulls(other, 0.97)):
                    if not ((a.max(0) < b.min(0)).any() or (b.max(0) < a.min(0)).any()):
                        assert not meet(a, b), (seed, moving.id, other.id)
                checked += 1
    assert checked > 50


def test_the_same_seed_gives_the_same_table(tables):
    again = lay_table(np.random.default_rng(1), TIMES)
    for first, second in zip(tables[1].film_set.placements, again.film_set.placements, strict=True):
        assert (first.id, first.parent) == (second.id, second.parent)
        assert np.array_equal(first.pose, second.pose)
        assert np.array_equal(vertices(first), vertices(second))
    assert {p.id for p in tables[2].film_set.placements} != {p.id for p in again.film_set.placements}


def test_every_path_is_smooth_level_and_low_for_a_while_at_its_distance_and_speed():
    times, target, seen = np.arange(241) / 30, np.array([0.1, -0.1, 0.8]), set()
    for seed in range(100):
        generator = np.random.default_rng(seed)
        wanted, speed = 0.45 * 4.6 ** generator.uniform(), 0.03 * 9 ** generator.uniform()
        path = draw_path(generator, times, target, 1.0, wanted, speed)
        seen.add(path.name)
        positions, rotations = path.poses[:, :3, 3], path.poses[:, :3, :3]
        assert np.allclose(rotations @ rotations.transpose(0, 2, 1), np.eye(3)) and np.allclose(
            np.linalg.det(rotations), 1
        )
        assert np.abs(rotations[:, 2, 0]).max() < 1e-9, "x is level"
        assert (rotations[:, 2, 1] < 0).all(), "y points down"
        away = positions - target
        distance = np.linalg.norm(away, axis=1)
        assert (distance > 0.75 * wanted).all() and (distance < 1.25 * wanted).all()
        low = np.arcsin(away[:, 2] / distance) < LOW
        assert low.mean() > 0.15, path.name
        towards = -away / distance[:, None]
        assert ((rotations[:, :, 2] * towards).sum(axis=1) > np.cos(np.radians(6))).all()
        speeds = np.linalg.norm(np.diff(positions, axis=0), axis=1) * 30
        assert speeds.mean() == pytest.approx(speed, rel=0.06), path.name
        assert speeds.max() < 2.5 * speed and np.abs(np.diff(speeds)).max() < 0.6 * speed, path.name
    assert seen == set(PATHS)


@pytest.mark.slow
def test_views_are_clear_of_everything_and_differ_between_tables(tables):
    views, quality = [], QUALITIES["fast"]
    for seed in range(6):
        table = tables[seed]
        for number in range(4):
            view = draw_view_of(np.random.default_rng([seed, number]), table, TIMES, quality)
            if view is None:
                continue
            views.append((view.distance, view.field_of_view, view.speed))
            eyes = view.path.poses[:, :3, 3]
            assert (np.abs(eyes[:, :2]) < table.walls).all()
            for placement in table.film_set.placements:
                for frame in range(0, 80, 9):
                    points = vertices(placement, placement.poses[frame if placement.path is not None else 0])
                    assert np.linalg.norm(points - eyes[frame], axis=1).min() > CLEAR - 1e-6, placement.id
            if any(placement.path is not None for placement in table.things):
                [moving] = [placement.path for placement in table.things if placement.path is not None]
                local = np.einsum("tji,tj->ti", view.path.poses[:, :3, :3], moving[:, :3, 3] - eyes)
                pixels = local[:, :2] / local[:, 2:] * view.intrinsics[0, 0] + view.intrinsics[:2, 2]
                assert ((pixels > 0) & (pixels < [quality.width, quality.height])).all(axis=1).sum() >= 30
    distances, fields, speeds = np.array(views).T
    assert len(views) >= 8 and distances.min() >= DISTANCES[0] and distances.max() <= DISTANCES[1]
    assert distances.max() > 2.5 * distances.min() and speeds.max() > 4 * speeds.min()
    assert fields.min() >= FIELDS_OF_VIEW[0] and fields.max() <= FIELDS_OF_VIEW[1] and np.ptp(fields) > 25
    assert speeds.min() >= CAMERA_SPEEDS[0] and speeds.max() <= CAMERA_SPEEDS[1]

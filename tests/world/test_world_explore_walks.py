"""Whole walks: every frame is reachable, every room is entered, and the floor is covered."""

from itertools import pairwise

import numpy as np
import pytest
from explore_houses import House, box, draw_house
from explore_sets import Cell, connected_sets
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage

from chronotope.errors import InputError
from chronotope.world.homes.explore import Grid, Route, explore, free_points, largest_component, rooms_entered

TURNED = np.array([[0, -1], [1, 0]])
MIRRORED = np.array([[-1, 0], [0, 1]])
FARTHEST = 2.6  # m from any reachable point to the walk: half of a large room, whose middle is seen from its sides


def check(route: Route, grid: Grid) -> None:
    """Check what holds of every walk."""
    assert len(route.actions) == len(route.cells) - 1 == len(route.poses) - 1
    assert grid.reachable[tuple(route.cells.T)].all()
    assert np.allclose(route.poses[:, :2], grid.points(route.cells))
    assert np.isclose(route.poses[0, 2] % (np.pi / 2), 0)
    for before, after, action in zip(route.poses[:-1], route.poses[1:], route.actions, strict=True):
        step, turn = after[:2] - before[:2], np.angle(np.exp(1j * (after[2] - before[2])))
        if action == "MoveAhead":
            assert np.allclose(step, 0.25 * np.array([np.cos(before[2]), np.sin(before[2])]), atol=1e-9)
            assert turn == 0
        else:
            assert not step.any()
            assert np.isclose(turn, np.radians(30 if action == "RotateLeft" else -30))
    assert not any({"RotateLeft", "RotateRight"} == {*pair} for pair in pairwise(route.actions))


def farthest(route: Route, grid: Grid) -> float:
    """Return the largest distance in m from a reachable point to the walk."""
    walked = np.zeros(grid.reachable.shape, bool)
    walked[tuple(route.cells.T)] = True
    return float(grid.step * np.asarray(ndimage.distance_transform_edt(~walked))[grid.reachable].max())


@given(connected_sets(14), st.integers(0, 2**32))
def test_every_walk_is_made_of_steps_and_turns_on_reachable_floor(drawn: tuple[np.ndarray, Cell], seed: int) -> None:
    grid = Grid(np.array([-1.0, 2.5]), 0.25, drawn[0])
    route = explore(grid, np.random.default_rng(seed))
    check(route, grid)
    assert farthest(route, grid) <= FARTHEST


HOUSES = [(seed, 1 + seed % 10) for seed in range(30)]


@pytest.mark.parametrize(("seed", "rooms"), HOUSES)
def test_every_room_of_a_house_is_entered(seed: int, rooms: int) -> None:
    house = draw_house(seed, rooms)
    grid = house.grid()
    route = explore(grid, np.random.default_rng(seed))
    check(route, grid)
    assert set(rooms_entered(route, house.rooms)) == set(range(rooms))
    assert farthest(route, grid) <= FARTHEST


@pytest.mark.parametrize(("seed", "rooms"), [(303, 6), (316, 3), (318, 5), (364, 3)])
def test_small_rooms_full_of_things_are_entered_when_they_are_named(seed: int, rooms: int) -> None:
    house = draw_house(seed, rooms, 14, 6.0)
    without, named = (
        explore(house.grid(), np.random.default_rng(seed), polygons) for polygons in ((), tuple(house.rooms))
    )
    assert len(rooms_entered(without, house.rooms)) < rooms  # no large rectangle fits
    assert set(rooms_entered(named, house.rooms)) == set(range(rooms))
    check(named, house.grid())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(400, 500))
def test_houses_of_all_densities_are_entered(seed: int) -> None:
    generator = np.random.default_rng(seed)
    rooms, things, area = int(generator.integers(2, 11)), int(generator.integers(0, 20)), generator.uniform(9, 24)
    house = draw_house(seed, rooms, things, area)
    grid = house.grid()
    route = explore(grid, generator, house.rooms)
    check(route, grid)
    assert set(rooms_entered(route, house.rooms)) == set(range(rooms))
    assert farthest(route, grid) <= FARTHEST


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("matrix", [TURNED, MIRRORED], ids=["turned", "mirrored"])
def test_a_turned_or_mirrored_house_is_covered_as_well(seed: int, matrix: np.ndarray) -> None:
    house = draw_house(seed, 4)
    other = house.mapped(matrix)
    grids = house.grid(), other.grid()
    placed = {tuple(np.round(point @ matrix.T / 0.25).astype(int)) for point in grids[0].points(grids[0].cells)}
    assert placed == {tuple(np.round(point / 0.25).astype(int)) for point in grids[1].points(grids[1].cells)}
    for one, grid in zip((house, other), grids, strict=True):
        route = explore(grid, np.random.default_rng(seed))
        assert set(rooms_entered(route, one.rooms)) == set(range(4))
        assert farthest(route, grid) <= FARTHEST


def test_the_same_seed_gives_the_same_walk_and_others_start_elsewhere() -> None:
    grid = draw_house(3, 3).grid()
    one, same, *others = (explore(grid, np.random.default_rng(seed)) for seed in (7, 7, 8, 9, 10, 11, 12))
    assert one.actions == same.actions
    assert one.poses.tobytes() == same.poses.tobytes()
    assert len({tuple(route.poses[0, :2]) for route in (one, *others)}) > 3
    assert len({route.poses[0, 2] for route in (one, *others)}) > 1


def test_the_pitch_is_that_of_all_frames() -> None:
    route = explore(draw_house(0, 1).grid(), np.random.default_rng(0), pitch=0.3)
    assert set(route.poses[:, 3]) == {0.3}


def test_one_point_is_seen_once() -> None:
    route = explore(Grid(np.zeros(2), 0.25, np.array([[False, True]])), np.random.default_rng(0))
    assert route.actions == ()
    assert route.cells.tolist() == [[0, 1]]
    assert route.poses[0, :2].tolist() == [0, 0.25]


def test_a_floor_without_room_for_the_camera_is_an_input_error() -> None:
    grid = largest_component(free_points([box(0, 0, 3, 3)], [], [box(0, 0, 3, 3)]))
    with pytest.raises(InputError, match="the floor has no point where the camera can stand"):
        explore(grid, np.random.default_rng(0))


@pytest.mark.parametrize("seed", range(5))
def test_a_corridor_one_cell_wide_is_walked_from_end_to_end(seed: int) -> None:
    grid = free_points([box(0, 0, 6, 0.5)], [], [])
    assert grid.reachable.sum() == 23
    route = explore(grid, np.random.default_rng(seed))
    check(route, grid)
    assert len(np.unique(route.cells, axis=0)) == 23


@pytest.mark.parametrize("seed", range(5))
def test_both_arms_of_an_l_are_walked(seed: int) -> None:
    room = np.array([[0, 0], [7, 0], [7, 2], [2, 2], [2, 7], [0, 7]], float)
    grid = free_points([room], [], [])
    route = explore(grid, np.random.default_rng(seed))
    check(route, grid)
    assert route.poses[:, 0].max() >= 6
    assert route.poses[:, 1].max() >= 6
    assert farthest(route, grid) <= 1.0


@pytest.mark.parametrize("seed", range(5))
def test_a_doorway_of_ninety_centimetres_is_passed(seed: int) -> None:
    rooms = [box(0, 0, 3, 3), box(3, 0, 6, 3)]
    house = House(rooms, [np.array([[3.0, 1.2], [3.0, 2.1]])], [])
    route = explore(house.grid(), np.random.default_rng(seed))
    check(route, house.grid())
    assert set(rooms_entered(route, rooms)) == {0, 1}
    crossing = route.poses[np.isclose(route.poses[:, 0], 3.0), 1]
    assert np.all((crossing >= 1.4) & (crossing <= 1.9))


def test_only_floor_connected_with_the_start_is_walked() -> None:
    rooms = [box(0, 0, 3, 3), box(3, 0, 6, 3)]
    grid = free_points(rooms, [], [])
    entered = [tuple(rooms_entered(explore(grid, np.random.default_rng(seed)), rooms)) for seed in range(8)]
    assert set(entered) == {(0,), (1,)}

"""Reachable points: the discs that touch nothing, against a slow test of every point with polygons of its own."""

import numpy as np
import pytest
from explore_houses import House, box, draw_house

from chronotope.world.homes.explore import Grid, component_of, free_points, largest_component
from chronotope.world.homes.explore.grid import wall_pieces


def distance_to_segment(point: np.ndarray, start: np.ndarray, end: np.ndarray) -> float:
    way = end - start
    along = np.clip((point - start) @ way / (way @ way), 0, 1)
    return float(np.linalg.norm(point - start - along * way))


def winding(point: np.ndarray, polygon: np.ndarray) -> float:
    """Return the sum of the angles under which a point sees the edges of a polygon."""
    offsets = polygon - point
    angles = np.arctan2(offsets[:, 1], offsets[:, 0])
    return float(((np.roll(angles, -1) - angles + np.pi) % (2 * np.pi) - np.pi).sum())


def is_free(point: np.ndarray, house: House, radius: float) -> bool:
    """Decide for one point: each obstacle by its edges, each wall by samples of its line outside the doorways."""
    walls = []
    for room in house.rooms:
        for start, end in zip(room, np.roll(room, -1, axis=0), strict=True):
            samples = start + np.linspace(0, 1, 1 + round(np.linalg.norm(end - start) / 0.0125))[:, None] * (
                end - start
            )
            for doorway in house.doorways:
                middle, half = doorway.mean(axis=0), np.linalg.norm(doorway[1] - doorway[0]) / 2
                samples = samples[np.linalg.norm(samples - middle, axis=1) >= half - 1e-9]
            walls.append(samples)
    for corners in house.obstacles:
        edges = zip(corners, np.roll(corners, -1, axis=0), strict=True)
        if abs(winding(point, corners)) > 1 or min(distance_to_segment(point, *edge) for edge in edges) < radius - 1e-9:
            return False
    clear = np.linalg.norm(np.concatenate(walls) - point, axis=1).min() >= radius - 1e-9
    floors = [*house.rooms, *(box(*one.min(axis=0) - 0.05, *one.max(axis=0) + 0.05) for one in house.doorways)]
    return bool(clear) and any(abs(winding(point, floor)) > 1 for floor in floors)


@pytest.mark.parametrize("seed", [0, 1])
def test_free_points_are_those_whose_disc_touches_nothing(seed: int) -> None:
    house = draw_house(seed, 2, area=9.0)
    grid = free_points(house.rooms, house.doorways, house.obstacles)
    assert house.obstacles
    for cell in np.ndindex(grid.reachable.shape):
        point = grid.points(np.array(cell))
        assert grid.reachable[cell] == is_free(point, house, 0.2), point


def test_a_wall_has_its_thickness_and_its_jambs_too() -> None:
    rooms = [box(0, 0, 3, 3), box(3, 0, 6, 3)]
    doorway = np.array([[3.0, 1.0], [3.0, 2.0]])
    thin, thick = (free_points(rooms, [doorway], [], thickness=thickness) for thickness in (0.0, 0.2))
    rows = {x: [grid.reachable[x].nonzero()[0].tolist() for grid in (thin, thick)] for x in (1, 2, 11, 12)}
    assert rows == {
        1: [list(range(1, 12)), []],  # 0.25 m from the wall, which takes 0.1 m of it
        2: [list(range(1, 12)), list(range(2, 11))],
        11: [list(range(1, 12)), [5, 6, 7]],
        12: [[5, 6, 7], [5, 6, 7]],  # the line of the wall, between y = 1.25 and 1.75 m
    }


def test_walls_are_what_doorways_leave() -> None:
    doorways = [np.array([[1.0, 0.0], [2.0, 0.0]]), np.array([[3.0, 4.0], [3.0, 3.0]])]
    pieces = wall_pieces([box(0, 0, 3, 4)], doorways)
    assert [piece.tolist() for piece in pieces] == [
        [[0, 0], [1, 0]],
        [[2, 0], [3, 0]],
        [[3, 0], [3, 3]],
        [[3, 4], [0, 4]],
        [[0, 4], [0, 0]],
    ]


@pytest.mark.parametrize(("width", "passed"), [(0.9, True), (0.4, True), (0.35, False), (0.0, False)])
def test_a_doorway_lets_a_disc_through_if_it_fits(width: float, passed: bool) -> None:
    rooms = [box(0, 0, 3, 3), box(3, 0, 6, 3)]
    doorway = np.array([[3.0, 1.5 - width / 2], [3.0, 1.5 + width / 2]])
    grid = largest_component(free_points(rooms, [doorway] if width else [], []))
    assert bool(grid.reachable[13:].any() and grid.reachable[:12].any()) == passed


def test_components() -> None:
    reachable = np.array([[1, 1, 0, 1], [0, 0, 0, 1], [0, 1, 0, 1]], bool)
    grid = Grid(np.zeros(2), 0.25, reachable)
    assert component_of(grid, (0, 1)).cells.tolist() == [[0, 0], [0, 1]]
    assert largest_component(grid).cells.tolist() == [[0, 3], [1, 3], [2, 3]]
    assert not largest_component(Grid(np.zeros(2), 0.25, np.zeros((2, 2), bool))).reachable.any()

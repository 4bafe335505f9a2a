"""Shapes, areas and rooms of points do not depend on how a floor is written down."""

import numpy as np
import pytest

from chronotope.families.m3.layout import Layout, shape_of, words_of
from chronotope.geometry.polygons import area_of
from chronotope.recording import Room, rooms_along

FLOORS = {
    "rectangle": [(0, 0), (4, 0), (4, 3), (0, 3)],
    "L-shape": [(0, 0), (4, 0), (4, 2), (2, 2), (2, 4), (0, 4)],
    "concave": [(0, 0), (6, 0), (6, 4), (4, 4), (4, 2), (2, 2), (2, 4), (0, 4)],
    "staircase": [(0, 0), (6, 0), (6, 2), (4, 2), (4, 4), (2, 4), (2, 6), (0, 6)],
    "T-shape": [(0, 4), (2, 4), (2, 0), (4, 0), (4, 4), (6, 4), (6, 6), (0, 6)],
    "Z-shape": [(0, 0), (4, 0), (4, 2), (6, 2), (6, 4), (2, 4), (2, 2), (0, 2)],
    "other shape": [(0, 0), (4, 0), (5, 2), (0, 3)],
}


@pytest.mark.parametrize("name", FLOORS)
def test_a_shape_depends_neither_on_winding_nor_on_start_nor_on_points_of_edges(name: str) -> None:
    floor = np.array(FLOORS[name], float)
    doubled = np.concatenate([[one, (one + two) / 2] for one, two in zip(floor, np.roll(floor, -1, 0), strict=True)])
    angle = 0.7
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    for start in range(len(floor)):
        for points in (floor, floor[::-1], doubled, doubled[::-1], floor @ turn.T, floor * (-1, 1)):
            moved = np.roll(points, start, axis=0)
            assert shape_of(moved) == name
            assert area_of(moved) == pytest.approx(area_of(floor))


def test_a_way_keeps_its_room_on_a_border() -> None:
    left = Room("a", "LivingRoom", np.array([(0, 0), (2, 0), (2, 2), (0, 2)], float), ("b",))
    right = Room("b", "Bedroom", np.array([(2, 0), (4, 0), (4, 2), (2, 2)], float), ("a",))
    way = np.array([(1, 1), (2, 1), (3, 1), (2, 1), (1, 1), (1, 2.5), (np.nan, 1)], float)
    assert rooms_along((left, right), way) == ("a", "a", "b", "b", "a", "a", None)
    assert Layout((left, right)).pairs == {frozenset("ab")}
    assert Layout((left, right)).types == {"a": "living room", "b": "bedroom"}


def test_names_become_words() -> None:
    assert [words_of(each) for each in ("CoffeeMachine", "TV stand", "TVStand", "mug")] == [
        "coffee machine",
        "TV stand",
        "TV stand",
        "mug",
    ]

"""Thinning, rectangles and contraction, against enumeration."""

from itertools import combinations, product

import numpy as np
import pytest
from explore_sets import Cell, as_set, connected_sets, flood
from hypothesis import given

from chronotope.world.homes.explore.rectangles import (
    Rectangle,
    contract,
    greedy_rectangles,
    is_large,
    largest_rectangle,
    thin,
)


def run(cells: set[Cell], cell: Cell, axis: int) -> int:
    """Return the length of the straight run of cells through one cell."""
    length = 1
    for sign in (1, -1):
        there = list(cell)
        there[axis] += sign
        while tuple(there) in cells:
            length += 1
            there[axis] += sign
    return length


def thin_slowly(cells: set[Cell], start: Cell) -> set[Cell]:
    kept, before = set(cells), set()
    while kept != before:
        before = kept
        kept = thin_once(cells, kept, start)
    return kept


def thin_once(cells: set[Cell], kept: set[Cell], start: Cell) -> set[Cell]:
    for x, y in sorted(kept):
        edge = not {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)} <= cells
        if edge and (x, y) != start and min(run(cells, (x, y), axis) for axis in (0, 1)) > 3:
            fewer = kept - {(x, y)}
            if len(flood(fewer, start)) == len(fewer):
                kept = fewer
    return kept


@given(connected_sets(12))
def test_thinning_removes_the_border_one_by_one(drawn: tuple[np.ndarray, Cell]) -> None:
    cells, start = drawn
    thinned = as_set(thin(cells, start))
    assert thinned == thin_slowly(as_set(cells), start)
    assert start in thinned
    assert len(flood(thinned, start)) == len(thinned)


def test_an_open_floor_loses_its_border_and_a_passage_does_not() -> None:
    cells = np.ones((6, 6), bool)
    assert as_set(thin(cells, (2, 2))) == set(product(range(1, 5), repeat=2))
    passage = np.ones((3, 9), bool)
    assert thin(passage, (0, 0)).all()


def outline(rectangle: Rectangle) -> set[Cell]:
    x0, y0, x1, y1 = rectangle
    return {(x, y) for x in range(x0, x1 + 1) for y in range(y0, y1 + 1) if x in (x0, x1) or y in (y0, y1)}


def largest_slowly(cells: set[Cell]) -> Rectangle | None:
    xs, ys = sorted({x for x, _ in cells}), sorted({y for _, y in cells})
    found = [
        (-(x1 - x0) * (y1 - y0), (x0, y0, x1, y1))
        for (x0, x1), (y0, y1) in product(combinations(xs, 2), combinations(ys, 2))
        if outline((x0, y0, x1, y1)) <= cells
    ]
    return min(found)[1] if found else None


@given(connected_sets(9))
def test_the_largest_rectangle_is_that_of_the_enumeration(drawn: tuple[np.ndarray, Cell]) -> None:
    assert largest_rectangle(drawn[0]) == largest_slowly(as_set(drawn[0]))


@given(connected_sets(9))
def test_rectangles_come_greedily(drawn: tuple[np.ndarray, Cell]) -> None:
    left, slow = as_set(drawn[0]), []
    while best := largest_slowly(left):
        slow.append(best)
        left -= set(product(range(best[0], best[2] + 1), range(best[1], best[3] + 1)))
    assert greedy_rectangles(drawn[0]) == slow


def test_of_equal_areas_the_smallest_corner_is_first() -> None:
    cells = np.zeros((12, 12), bool)
    cells[6:10, 8:12] = cells[10:12, 0:5] = cells[0:5, 6:8] = cells[0:2, 0:5] = True
    assert greedy_rectangles(cells) == [(6, 8, 9, 11), (0, 0, 1, 4), (0, 6, 4, 7), (10, 0, 11, 4)]


def test_the_inside_of_a_rectangle_may_be_blocked() -> None:
    cells = np.ones((5, 6), bool)
    cells[1:4, 1:5] = False
    assert greedy_rectangles(cells) == [(0, 0, 4, 5)]


@pytest.mark.parametrize(
    ("rectangle", "large"), [((0, 0, 2, 2), True), ((0, 0, 1, 3), True), ((3, 3, 5, 4), False), ((0, 0, 1, 1), False)]
)
def test_rectangles_of_a_metre_are_large(rectangle: Rectangle, large: bool) -> None:
    assert is_large(rectangle) == large


def test_contraction() -> None:
    cells = np.ones((9, 9), bool)
    assert contract((1, 1, 3, 3), cells).outline.tolist() == [[2, 2]]
    assert contract((1, 1, 3, 6), cells).outline.tolist() == [[2, 2], [2, 3], [2, 4], [2, 5]]
    assert contract((1, 1, 6, 2), cells).outline.tolist() == [[2, 1], [3, 1], [4, 1], [5, 1]]
    kept = contract((1, 1, 4, 4), cells)
    assert kept.corners.tolist() == [[1, 1], [4, 1], [4, 4], [1, 4]]
    assert {tuple(cell) for cell in kept.outline.tolist()} == outline((1, 1, 4, 4))
    assert len(kept.outline) == 12


def test_contraction_avoids_what_is_blocked() -> None:
    cells = np.ones((9, 9), bool)
    cells[2, 2] = cells[2, 4] = False
    assert contract((1, 1, 3, 3), cells).outline.tolist() in ([[1, 2]], [[2, 1]])
    assert contract((1, 1, 3, 6), cells).outline[:, 0].tolist() == [1] * 4
    assert contract((2, 1, 3, 3), np.ones((9, 9), bool)).outline.tolist() == [[2, 2]]


@given(connected_sets(10))
def test_outlines_after_contraction_are_reachable_and_go_once_around(drawn: tuple[np.ndarray, Cell]) -> None:
    cells, _ = drawn
    for rectangle in greedy_rectangles(cells):
        shape = contract(rectangle, cells)
        there = [tuple(cell) for cell in shape.outline.tolist()]
        assert set(there) <= as_set(cells)
        assert len(set(there)) == len(there)
        assert {tuple(cell) for cell in shape.corners.tolist()} <= set(there)
        assert np.all(np.abs(np.diff(shape.outline, axis=0)).sum(axis=1) == 1)

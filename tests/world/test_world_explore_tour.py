"""Links, way points, the tour and the route, against slow searches over all choices."""

from itertools import pairwise, permutations, product

import numpy as np
import pytest
from explore_sets import Cell, as_set, connected_sets, flood
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse import csgraph

from chronotope.world.homes.explore.explore import (
    add_parts,
    add_stragglers,
    nearest_neighbour,
    order_points,
    two_opt,
    way_points,
)
from chronotope.world.homes.explore.links import Link, link_shapes, nearest_pairs
from chronotope.world.homes.explore.maps import Maps
from chronotope.world.homes.explore.rectangles import Shape, contract, greedy_rectangles
from chronotope.world.homes.explore.route import WAYS, cheapest_route, walk


def shapes_of(cells: np.ndarray) -> list[Shape]:
    return [contract(one, cells) for one in greedy_rectangles(cells)]


def point(x: int, y: int) -> Shape:
    return Shape(np.array([[x, y]]), np.array([[x, y]]))


@given(connected_sets(), st.data())
def test_maps_and_paths_are_the_shortest(drawn: tuple[np.ndarray, Cell], data: st.DataObject) -> None:
    cells, start = drawn
    steps = flood(as_set(cells), start)
    target = data.draw(st.sampled_from(sorted(steps)))
    maps = Maps(cells)
    assert {cell: maps.whole(start)[cell] for cell in steps} == steps
    assert np.isinf(maps.whole(start)[~cells]).all()
    path = [tuple(cell) for cell in maps.path(start, target).tolist()]
    assert (path[0], path[-1], len(path)) == (start, target, steps[target] + 1)
    assert all(abs(a - c) + abs(b - d) == 1 for (a, b), (c, d) in pairwise(path))
    assert set(path) <= as_set(cells)
    both = np.minimum(maps.whole(start), maps.whole(target))
    assert np.array_equal(maps.nearest(np.array([start, target])), both)


def test_each_shape_is_linked_with_its_four_nearest_and_all_ties() -> None:
    row = [point(x, 0) for x in (0, 1, 3, 6, 10, 15)]
    pairs = nearest_pairs(row)
    assert (0, 5) not in pairs
    assert {(0, 1), (0, 2), (0, 3), (0, 4)} <= set(pairs)
    cross = [point(5, 5), *(point(5 + 3 * dx, 5 + 3 * dy) for dx, dy in WAYS), point(6, 7), point(4, 7)]
    assert {(0, other) for other in range(1, 7)} <= set(nearest_pairs(cross))
    assert nearest_pairs(row[:1]) == []
    assert nearest_pairs([]) == []


@given(connected_sets(12))
def test_links_are_the_shortest_and_none_replaces_another(drawn: tuple[np.ndarray, Cell]) -> None:
    cells, _ = drawn
    shapes, maps = shapes_of(cells), Maps(cells)
    links = link_shapes(shapes, maps)
    pairs = nearest_pairs(shapes)
    assert {link.shapes for link in links} <= set(pairs)
    for link in links:
        ends = [shapes[number].outline.tolist() for number in link.shapes]
        assert link.path[0].tolist() in ends[0]
        assert link.path[-1].tolist() in ends[1]
        steps = flood(as_set(cells), (int(link.path[0, 0]), int(link.path[0, 1])))
        assert link.length == steps[int(link.path[-1, 0]), int(link.path[-1, 1])]
        assert np.all(np.abs(np.diff(link.path, axis=0)).sum(axis=1) == 1)
        least = min(flood(as_set(cells), tuple(one))[tuple(other)] for one, other in product(*ends))
        assert link.length >= least
        for middle in range(len(shapes)):  # no way through one other shape is shorter
            halves = [other for other in links if middle in other.shapes and set(other.shapes) & set(link.shapes)]
            reached = {(set(half.shapes) - {middle}).pop(): half.length for half in halves}
            if middle not in link.shapes and set(link.shapes) <= set(reached):
                assert link.length <= sum(reached[end] for end in link.shapes)
    assert groups([link.shapes for link in links], len(shapes)) == groups(pairs, len(shapes))


def groups(pairs: list[tuple[int, int]], count: int) -> list[int]:
    """Return for each shape the least number of a shape that pairs join with it."""
    group = list(range(count))
    for one, other in pairs:
        low, high = sorted((group[one], group[other]))
        group = [low if which == high else which for which in group]
    return group


def test_a_link_takes_the_shortest_of_all_choices_around_a_wall() -> None:
    cells = np.ones((7, 9), bool)
    cells[:6, 4] = False  # a wall with one gap, at x = 6
    left = Shape(np.array([(x, 2) for x in range(3, 7)]), np.array([(3, 2), (6, 2)]))
    right = Shape(np.array([(x, 6) for x in range(3, 7)]), np.array([(3, 6), (6, 6)]))
    (link,) = link_shapes([left, right], Maps(cells))
    assert link.path.tolist() == [[6, y] for y in range(2, 7)]


def test_a_longer_link_gives_way_to_two_shorter_ones() -> None:
    cells = np.ones((12, 3), bool)
    cells[1:11, 1:] = False
    shapes = [point(0, 2), point(5, 0), point(11, 2)]
    joined = {link.shapes for link in link_shapes(shapes, Maps(cells))}
    assert joined == {(0, 1), (1, 2), (0, 2)}  # the way through the middle is as long, not shorter
    shapes[1] = Shape(np.array([(x, 0) for x in range(3, 9)]), np.array([(3, 0), (8, 0)]))
    assert {link.shapes for link in link_shapes(shapes, Maps(cells))} == {(0, 1), (1, 2)}


@given(connected_sets(12))
def test_way_points_are_apart_and_near_all_candidates(drawn: tuple[np.ndarray, Cell]) -> None:
    cells, start = drawn
    shapes, maps = shapes_of(cells), Maps(cells)
    links = link_shapes(shapes, maps)
    points = way_points(shapes, links)
    apart = np.linalg.norm(points[:, None] - points[None], axis=2) + 9 * np.eye(len(points))
    assert (apart >= 2).all()
    assert {(int(x), int(y)) for x, y in points} <= as_set(cells)
    corners = [shape.corners for shape in shapes]
    for candidate in np.concatenate([*corners, *(link.path[::3] for link in links)]) if corners else []:
        assert np.linalg.norm(points - candidate, axis=1).min() < 2
    more = add_stragglers(points, cells, np.array(start), maps, 3)
    assert np.array_equal(more[: len(points)], points)
    sources = {start, *((int(x), int(y)) for x, y in more)}
    steps = [flood(as_set(cells), source) for source in sources]
    assert all(min(one[cell] for one in steps) <= 3 for cell in as_set(cells))


def test_way_points_come_by_priority_and_every_three_cells() -> None:
    segment = Shape(np.array([(x, 0) for x in range(11)]), np.array([(0, 0), (10, 0)]))
    path = np.array([(4, y) for y in range(6)])
    link = Link((0, 1), path)
    found = way_points([segment, point(4, 5)], [link]).tolist()
    assert found == [[4, 0], [4, 5], [0, 0], [10, 0], [4, 3], [6, 0]]  # (3, 0) and (9, 0) are too near to others


def test_each_part_without_a_way_point_gets_its_middle() -> None:
    parts = [np.zeros((5, 9), bool) for _ in range(4)]
    parts[0][:, :4] = parts[1][:, 5:] = parts[2][0, 0] = True  # the last part is empty
    assert add_parts(np.array([[1, 1]]), parts).tolist() in ([[1, 1], [2, 6], [0, 0]], [[1, 1], [2, 7], [0, 0]])
    assert add_parts(np.array([[1, 1]]), parts[:1]).tolist() == [[1, 1]]


def distances_of(points: list[Cell]) -> np.ndarray:
    cells = np.array(points)
    return np.abs(cells[:, None] - cells[None]).sum(axis=2).astype(float)


def tour_length(order: list[int], distances: np.ndarray) -> float:
    return float(distances[order[:-1], order[1:]].sum())


points = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=12, unique=True)


@given(points)
def test_a_tour_visits_all_points_and_no_reversal_makes_it_shorter(places: list[Cell]) -> None:
    distances = distances_of(places)
    first, tour = nearest_neighbour(distances), order_points(distances)
    assert tour[0] == first[0] == 0
    assert sorted(tour) == sorted(first) == list(range(len(places)))
    assert tour_length(tour, distances) <= tour_length(first, distances)
    for low in range(1, len(tour)):
        for high in range(low + 1, len(tour)):
            other = tour[:low] + tour[low : high + 1][::-1] + tour[high + 1 :]
            assert tour_length(other, distances) >= tour_length(tour, distances) - 1e-9


def test_two_opt_undoes_a_crossing_and_finds_the_best_of_few() -> None:
    distances = distances_of([(0, 0), (4, 0), (1, 0), (3, 0), (2, 0)])
    tour = two_opt([0, 1, 2, 3, 4], distances)
    best = min(permutations(range(1, 5)), key=lambda order: tour_length([0, *order], distances))
    assert tour == [0, *best] == [0, 2, 4, 3, 1]


def walk_cost(cells: list[Cell], heading: int) -> int:
    """One for each cell, and three for each quarter turn."""
    cost = 0
    for (x0, y0), (x1, y1) in pairwise(cells):
        way = WAYS.index((x1 - x0, y1 - y0))
        cost += 1 + 3 * min((way - heading) % 4, (heading - way) % 4)
        heading = way
    return cost


def cheapest_slowly(cells: set[Cell], start: Cell, heading: int, target: Cell) -> float:
    """Return the least cost by SciPy's shortest paths over states, where each turn and each step is an edge."""
    order = {cell: number for number, cell in enumerate(sorted(cells))}
    edges = {}
    for (x, y), number in order.items():
        for way, (dx, dy) in enumerate(((1, 0), (0, 1), (-1, 0), (0, -1))):
            here = 4 * number + way
            edges[here, 4 * number + (way + 1) % 4] = edges[here, 4 * number + (way - 1) % 4] = 3
            if (x + dx, y + dy) in order:
                edges[here, 4 * order[x + dx, y + dy] + way] = 1
    rows, columns = np.array(list(edges)).T
    graph = sparse.csr_array((list(edges.values()), (rows, columns)), (4 * len(order),) * 2)
    return csgraph.dijkstra(graph, indices=4 * order[start] + heading)[4 * order[target] :][:4].min()


@given(connected_sets(8), st.integers(0, 3), st.data())
def test_a_route_is_the_cheapest_with_its_turns(
    drawn: tuple[np.ndarray, Cell], heading: int, data: st.DataObject
) -> None:
    cells, start = drawn
    target = data.draw(st.sampled_from(sorted(as_set(cells))))
    route = cheapest_route(start, heading, target, Maps(cells))
    assert (route[0], route[-1]) == (start, target)
    assert set(route) <= as_set(cells)
    assert walk_cost(route, heading) == cheapest_slowly(as_set(cells), start, heading, target)


def test_a_route_prefers_few_turns() -> None:
    route = cheapest_route((0, 0), 1, (4, 4), Maps(np.ones((5, 5), bool)))
    assert route == [*((0, y) for y in range(5)), *((x, 4) for x in range(1, 5))]
    assert walk_cost(route, 1) == 8 + 3
    assert walk_cost([(1, 0), (0, 0)], 0) == 1 + 6


@given(connected_sets(8), st.data())
def test_a_walk_passes_all_points_in_their_order(drawn: tuple[np.ndarray, Cell], data: st.DataObject) -> None:
    cells, start = drawn
    assume(len(as_set(cells)) > 1)
    targets = data.draw(st.lists(st.sampled_from(sorted(as_set(cells))), max_size=4))
    cells_walked = walk([start, *targets], 0, Maps(cells))
    passed = iter(cells_walked)
    assert next(passed) == cells_walked[0] == start
    for before, target in pairwise([start, *targets]):
        assert target == before or target in passed
    assert cells_walked[-1] == (targets or [start])[-1]


def test_no_route_leads_out_of_the_set() -> None:
    with pytest.raises(AssertionError, match="not connected"):
        cheapest_route((0, 0), 0, (2, 0), Maps(np.array([[1], [0], [1]], bool)))

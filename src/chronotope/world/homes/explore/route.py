"""Find the cheapest route between way points when turns cost too."""

import heapq
from collections.abc import Sequence

import numpy as np

from chronotope.world.homes.explore.maps import Cell, Maps

WAYS: tuple[Cell, ...] = ((1, 0), (0, 1), (-1, 0), (0, -1))  # headings 0 to 3, counter-clockwise from x
TURN_COSTS = (0, 3, 6, 3)  # by the difference of headings


def walk(points: Sequence[Cell], heading: int, maps: Maps) -> list[Cell]:
    """Return the cells of a walk through all points in order.

    The first point is the start.
    """
    cells = [points[0]]
    for target in points[1:]:
        leg = cheapest_route(cells[-1], heading, target, maps)
        if len(leg) > 1:
            (x0, y0), (x1, y1) = leg[-2:]
            heading = WAYS.index((x1 - x0, y1 - y0))
        cells += leg[1:]
    return cells


def cheapest_route(start: Cell, heading: int, target: Cell, maps: Maps) -> list[Cell]:
    """Return the cells of the cheapest route, both ends included.

    A step to the next cell costs 1; a turn of 90 degrees costs 3 more, and a reversal 6 more. The search is A*. Its
    state is a cell with a heading; its heuristic is the distance in cells, which never exceeds the remaining cost.
    """
    left = maps.whole(target)
    best = {(start, heading): 0}
    before: dict[tuple[Cell, int], tuple[Cell, int]] = {}
    queue = [(left[start], left[start], start, heading)]
    while queue:
        total, remaining, cell, facing = heapq.heappop(queue)
        cost = best[cell, facing]
        if total > cost + remaining:
            continue  # an older entry of a state that was reached at a lower cost
        if cell == target:
            return _back((cell, facing), before)
        for way, (dx, dy) in enumerate(WAYS):
            there = cell[0] + dx, cell[1] + dy
            if not (0 <= there[0] < left.shape[0] and 0 <= there[1] < left.shape[1]) or np.isinf(left[there]):
                continue
            reached = cost + 1 + TURN_COSTS[(way - facing) % 4]
            if reached < best.get((there, way), np.inf):
                best[there, way] = reached
                before[there, way] = cell, facing
                heapq.heappush(queue, (reached + left[there], left[there], there, way))
    raise AssertionError(f"no route from {start} to {target}: the set of cells is not connected")


def _back(state: tuple[Cell, int], before: dict[tuple[Cell, int], tuple[Cell, int]]) -> list[Cell]:
    cells = [state[0]]
    while state in before:
        state = before[state]
        cells.append(state[0])
    return cells[::-1]

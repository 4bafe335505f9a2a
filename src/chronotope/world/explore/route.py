"""The route: cells and headings of every frame, with few turns."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import dijkstra

from chronotope.world.explore.grid import Cell, steps_between

__all__ = ["HEADINGS", "TURN", "Frame", "shortest_way", "walk"]

HEADINGS: tuple[Cell, ...] = ((0, 1), (1, 0), (0, -1), (-1, 0))  # clockwise seen from above, from +y
TURN = 30  # degrees of one action
QUARTER = 90 // TURN  # actions of a quarter turn
COST_TURN, COST_BACK = 3, 6


@dataclass(frozen=True)
class Frame:
    """One frame: its cell, its heading in degrees clockwise from +y, and the action that led to it."""

    cell: Cell
    degrees: int
    action: str


def _turn_cost(first: int, second: int) -> int:
    quarters = (second - first) % 4
    return (0, COST_TURN, COST_BACK, COST_TURN)[quarters]


def shortest_way(free: np.ndarray, start: Cell, heading: int, end: Cell, to_go: np.ndarray) -> list[tuple[Cell, int]]:
    """Find the cheapest way to a cell: 1 for each step, 3 for a quarter turn, 6 for a half turn.

    ``to_go`` (X, Y) is the number of steps from each cell to the end. Returns the cells after the start, each with the
    heading of the step to it.
    """
    queue: list[tuple[float, int, Cell, int]] = [(float(to_go[start]), 0, start, heading)]
    costs = {(start, heading): 0}
    before: dict[tuple[Cell, int], tuple[Cell, int]] = {}
    while queue:
        _, cost, cell, towards = heapq.heappop(queue)
        if cell == end:
            way = [(cell, towards)]
            while way[-1] in before:
                way.append(before[way[-1]])
            return way[-2::-1]
        if cost > costs[cell, towards]:
            continue
        for number, (dx, dy) in enumerate(HEADINGS):
            beside = (cell[0] + dx, cell[1] + dy)
            if not (0 <= beside[0] < free.shape[0] and 0 <= beside[1] < free.shape[1] and free[beside]):
                continue
            total = cost + 1 + _turn_cost(towards, number)
            if total < costs.get((beside, number), total + 1):
                costs[beside, number] = total
                before[beside, number] = (cell, towards)
                heapq.heappush(queue, (total + float(to_go[beside]), total, beside, number))
    return []


def walk(free: np.ndarray, start: Cell, heading: int, tour: Sequence[Cell]) -> list[Frame]:
    """Walk a tour: every step and every turn by 30 degrees is one frame, after the frame of the start."""
    flat = np.ravel_multi_index(tuple(np.array([*tour]).T), free.shape)
    steps = dijkstra(steps_between(free), unweighted=True, indices=flat).reshape(len(tour), *free.shape)
    frames = [Frame(start, 90 * heading, "Start")]
    cell = start
    for end, to_go in zip(tour, steps, strict=True):
        for following, number in shortest_way(free, cell, heading, end, to_go):
            frames += _turns(frames[-1], heading, number)
            frames.append(Frame(following, 90 * number, "MoveAhead"))
            cell, heading = following, number
    return frames


def _turns(last: Frame, heading: int, wanted: int) -> list[Frame]:
    """Turn by the shorter side, and to the right for a half turn."""
    quarters = (wanted - heading) % 4
    sign, count = (1, quarters) if quarters < 3 else (-1, 1)
    action = "RotateRight" if sign > 0 else "RotateLeft"
    return [
        Frame(last.cell, (last.degrees + sign * TURN * number) % 360, action)
        for number in range(1, QUARTER * count + 1)
    ]

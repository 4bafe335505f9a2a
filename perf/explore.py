"""Measure the planning of walks through houses of 1 to 10 rooms, relative to one search from every way point.

usage: python perf/explore.py [--houses 5] [--results perf/RESULTS.md]

Each house has rooms of about 20 square metres with up to 14 pieces of furniture. The script measures the CPU time of
finding the reachable points and of planning the walk. The bare bound is one breadth-first search, by SciPy, from every
way point over the thinned floor: the order of the way points needs the distances between all of them. For each number
of rooms, the script reports the slowest house. The houses are those of tests/world/explore_houses.py.
"""

import argparse
import os
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from record import record
from scipy import sparse
from scipy.sparse import csgraph

from chronotope.world.homes.explore import Grid, component_of, explore
from chronotope.world.homes.explore.explore import points_to_pass
from chronotope.world.homes.explore.maps import Maps
from chronotope.world.homes.explore.rectangles import thin

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "world"))

from explore_houses import draw_house

ROOMS = range(1, 11)
REPEATS = 3  # the fastest counts
Found = TypeVar("Found")


@dataclass(frozen=True)
class Row:
    """The sizes of a house and its walk, and the CPU seconds."""

    rooms: int
    obstacles: int
    points: int
    passed: int
    frames: int
    grid: float
    plan: float
    bound: float


def timed(work: Callable[[], Found]) -> tuple[Found, float]:
    """Return the result of some work and its least CPU time in s."""
    took = []
    for _ in range(REPEATS):
        before = time.process_time()
        found = work()
        took.append(time.process_time() - before)
    return found, min(took)


def bound(grid: Grid, start: tuple[int, int]) -> tuple[int, float]:
    """Return the number of way points, and the CPU time of one search from each."""
    floor = thin(component_of(grid, start).reachable, start)
    points = points_to_pass(Maps(floor), start)
    number = np.cumsum(floor).reshape(floor.shape) - 1
    beside = [(number[:-1], number[1:], floor[:-1] & floor[1:])]
    beside.append((number[:, :-1], number[:, 1:], floor[:, :-1] & floor[:, 1:]))
    one, other = (np.concatenate([pair[end][pair[2]] for pair in beside]) for end in (0, 1))
    count = int(floor.sum())
    graph = sparse.csr_array((np.ones(2 * len(one)), (np.r_[one, other], np.r_[other, one])), (count, count))
    sources = number[tuple(points.T)]
    _, took = timed(lambda: [csgraph.breadth_first_order(graph, source) for source in sources])
    return len(points), took


def measure(rooms: int, seed: int) -> Row:
    """Return the times of one house."""
    house = draw_house(seed, rooms)
    grid, grid_s = timed(house.grid)
    route, plan_s = timed(lambda: explore(grid, np.random.default_rng(seed)))
    passed, bound_s = bound(grid, (int(route.cells[0, 0]), int(route.cells[0, 1])))
    points = int(grid.reachable.sum())
    return Row(rooms, len(house.obstacles), points, passed, len(route.cells), grid_s, plan_s, bound_s)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--houses", type=int, default=5, help="houses of each number of rooms")
    parser.add_argument("--results", type=Path, default=Path(__file__).with_name("RESULTS.md"))
    arguments = parser.parse_args()
    rows = [max((measure(n, seed) for seed in range(arguments.houses)), key=lambda row: row.plan) for n in ROOMS]
    lines = [
        f"| {row.rooms} | {row.obstacles} | {row.points} | {row.passed} | {row.frames} | {row.grid:.3f} | "
        f"{row.plan:.3f} | {row.plan / row.bound:.1f} |"
        for row in rows
    ]
    text = "\n".join(
        [
            "# Results of perf/explore.py",
            "",
            f"`python perf/explore.py --houses {arguments.houses}` on {os.cpu_count()} cores, Python "
            f"{platform.python_version()}. Each row is the slowest of {arguments.houses} houses.",
            "",
            "| rooms | obstacles | reachable points | way points | frames | grid CPU s | plan CPU s | plan / bound |",
            "|---" * 8 + "|",
            *lines,
            "",
            "The bound is one breadth-first search from every way point.",
            "",
        ]
    )
    record(arguments.results, text)
    print(text)


if __name__ == "__main__":
    main()

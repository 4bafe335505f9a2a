"""Plan the walk of a camera through a home."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chronotope.errors import InputError
from chronotope.geometry.polygons import well_inside
from chronotope.world.camera import look_at
from chronotope.world.homes.explore.actions import TURN, Action, actions_of, frames_of
from chronotope.world.homes.explore.grid import Grid, component_of
from chronotope.world.homes.explore.links import Link, link_shapes
from chronotope.world.homes.explore.maps import Cell, Maps
from chronotope.world.homes.explore.rectangles import Shape, contract, greedy_rectangles, is_large, thin
from chronotope.world.homes.explore.route import walk

EVERY = 3  # cells between way points of an outline or a link
APART = 2.0  # cells, Euclidean
FAR = 8  # cells (2 m): floor outside all shapes that is farther from the way points gets its own


def way_points(shapes: list[Shape], links: list[Link]) -> np.ndarray:
    """Return the way points (N, 2) in cells, the most important first.

    Ends of links come before corners of shapes, then points along links, then points along outlines. A point less than
    two cells from an earlier one is left out.
    """
    candidates = [link.path[[0, -1]] for link in links]
    candidates += [shape.corners for shape in shapes]
    candidates += [link.path[::EVERY] for link in links]
    candidates += [shape.outline[::EVERY] for shape in shapes]
    kept = np.zeros((0, 2), int)
    for cell in np.concatenate(candidates) if candidates else kept:
        if not np.any(((kept - cell) ** 2).sum(axis=1) < APART**2):
            kept = np.concatenate([kept, cell[None]])
    return kept


def add_stragglers(
    points: np.ndarray, outside: np.ndarray, start: np.ndarray, maps: Maps, far: int = FAR
) -> np.ndarray:
    """Add way points for floor that no shape covers.

    Such floor is a corridor one cell wide, for example. ``points`` (N, 2) are the way points so far. ``outside`` (X, Y)
    bool are the cells in no shape. Each new way point is the cell of them that is farthest from ``start`` (2,) and from
    all way points. Way points are added until no such cell is farther than ``far`` cells.
    """
    while True:
        distances = np.where(outside, maps.nearest(np.concatenate([points, start[None]])), 0)
        farthest = np.unravel_index(np.argmax(distances), distances.shape)
        if distances[farthest] <= far:
            return points
        points = np.concatenate([points, np.array([farthest])])


def add_parts(points: np.ndarray, parts: Sequence[np.ndarray]) -> np.ndarray:
    """Add a way point for each part of the floor without one.

    A part is a room, for example. ``points`` (N, 2) are the way points so far.
    ``parts`` (X, Y) bool are sets of cells. The added cell is the one nearest to the middle of the part's cells.
    """
    for part in parts:
        if part.any() and not part[tuple(points.T)].any():
            cells = np.argwhere(part)
            middle = np.argmin(np.linalg.norm(cells - cells.mean(axis=0), axis=1))
            points = np.concatenate([points, cells[middle][None]])
    return points


def order_points(distances: np.ndarray) -> list[int]:
    """Return the order of all points, for distances (N, N).

    The order starts with point 0.
    """
    return two_opt(nearest_neighbour(distances), distances)


def nearest_neighbour(distances: np.ndarray) -> list[int]:
    """Return the order in which the nearest point comes next.

    If several points are equally near, the first of them comes next.
    """
    left = np.ones(len(distances), bool)
    order = [0]
    left[0] = False
    while left.any():
        order.append(int(np.argmin(np.where(left, distances[order[-1]], np.inf))))
        left[order[-1]] = False
    return order


def two_opt(order: list[int], distances: np.ndarray) -> list[int]:
    """Reverse parts of a tour until no reversal makes it shorter.

    The reversal with the best gain is first.
    The first point stays; the end is open. ``distances`` (N, N) are symmetric.
    """
    tour = np.array(order)
    while len(tour) > 2:
        along = distances[np.ix_(tour, tour)]
        steps = np.r_[np.diagonal(along, 1), 0.0]  # the last point has no step
        # Reversing first..last joins the point before first with last, and first with the point after last.
        joined = along[:-1, 1:] + np.pad(along[1:, 2:], ((0, 0), (0, 1)))
        gains = np.triu(steps[:-1, None] + steps[None, 1:] - joined, 1)
        before, last = np.unravel_index(np.argmax(gains), gains.shape)
        if gains[before, last] < 1e-9:
            break
        part = slice(int(before) + 1, int(last) + 2)
        tour[part] = tour[part][::-1]
    return [int(point) for point in tour]


EYE_HEIGHT = 1.576  # m above the floor


@dataclass(frozen=True)
class Route:
    """Hold the frames of a walk; the first is the start view.

    ``cells`` (T, 2) are the cells of the grid. ``poses`` (T, 4) are x and y in m, yaw and pitch in rad. Yaw is
    counter-clockwise from x, in [0, 2π); positive pitch looks down. ``actions`` (T - 1) lead from frame to frame.
    """

    cells: np.ndarray
    poses: np.ndarray
    actions: tuple[Action, ...]


def explore(
    grid: Grid, generator: np.random.Generator, rooms: Sequence[np.ndarray] = (), *, pitch: float = 0.0
) -> Route:
    """Plan a walk through all the floor connected with a drawn start.

    ``rooms`` are polygons (N, 2) m. A room is entered if any of its floor that remains after thinning can be reached,
    even when no rectangle fits between its furniture. The start is any point of the grid; the walk begins facing along
    x or y. ``pitch`` (rad) is the same in all frames.

    Raises: InputError when the grid has no reachable point.
    """
    starts = grid.cells
    if not len(starts):
        raise InputError(
            "the floor has no point where the camera can stand", fix="leave more floor between walls and obstacles"
        )
    x, y = starts[generator.integers(len(starts))]
    start, heading = (int(x), int(y)), int(generator.integers(4))
    every = grid.points(np.moveaxis(np.indices(grid.reachable.shape), 0, -1))
    parts = [well_inside(every, room) for room in rooms]
    actions = tuple(actions_of(plan_walk(component_of(grid, start).reachable, start, heading, parts), heading))
    cells, turns = frames_of(start, heading, actions)
    poses = np.column_stack([grid.points(cells), np.radians(TURN * turns), np.full(len(cells), pitch)])
    return Route(cells, poses, actions)


def plan_walk(reachable: np.ndarray, start: Cell, heading: int, parts: Sequence[np.ndarray] = ()) -> list[Cell]:
    """Return the cells of a walk through a connected set.

    The set is (X, Y) bool; the cells follow each other as neighbours. The walk enters each of ``parts`` (X, Y) bool of
    which the thinned set has a cell.
    """
    maps = Maps(thin(reachable, start))
    points = add_parts(points_to_pass(maps, start), [part & maps.cells for part in parts])
    order = order_points(maps.between(points, points))
    return walk([(int(x), int(y)) for x, y in points[order]], heading, maps)


def points_to_pass(maps: Maps, start: Cell) -> np.ndarray:
    """Return the start and all way points (N, 2) in cells.

    ``maps`` are the maps of a thinned floor.
    """
    floor = maps.cells
    rectangles = [rectangle for rectangle in greedy_rectangles(floor) if is_large(rectangle)]
    shapes = [contract(rectangle, floor) for rectangle in rectangles]
    outside = floor.copy()
    for x0, y0, x1, y1 in rectangles:
        outside[x0 : x1 + 1, y0 : y1 + 1] = False
    points = way_points(shapes, link_shapes(shapes, maps))
    # A floor without shapes is all narrow passages: each of its cells is walked.
    points = add_stragglers(points, outside, np.array(start), maps, FAR if shapes else 0)
    return np.concatenate([np.array([start]), points])


def camera_poses(route: Route, eye_height: float = EYE_HEIGHT) -> np.ndarray:
    """Return the poses world_T_camera (T, 4, 4) of all frames.

    Cameras have OpenCV axes.
    The world has z up and the floor at z = 0. ``eye_height`` is in m.
    """
    return cameras_at(route.poses, eye_height)


def cameras_at(poses: np.ndarray, eye_height: float = EYE_HEIGHT) -> np.ndarray:
    """Return the cameras world_T_camera (T, 4, 4) of poses (T, 4).

    ``poses`` are x and y in m, yaw and pitch in rad. ``eye_height`` is in m.
    """
    x, y, yaw, pitch = poses.T
    positions = np.column_stack([x, y, np.full(len(x), eye_height)])
    forward = np.column_stack([np.cos(yaw) * np.cos(pitch), np.sin(yaw) * np.cos(pitch), -np.sin(pitch)])
    return look_at(positions, positions + forward)

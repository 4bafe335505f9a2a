"""Plan the walk of a camera through a home."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chronotope.errors import InputError
from chronotope.geometry.polygons import well_inside
from chronotope.world.camera import look_at
from chronotope.world.explore.actions import TURN, Action, actions_of, frames_of
from chronotope.world.explore.grid import Grid, component_of
from chronotope.world.explore.links import link_shapes
from chronotope.world.explore.maps import Cell, Maps
from chronotope.world.explore.rectangles import contract, greedy_rectangles, is_large, thin
from chronotope.world.explore.route import walk
from chronotope.world.explore.tour import order_points
from chronotope.world.explore.waypoints import FAR, add_parts, add_stragglers, way_points

__all__ = ["EYE_HEIGHT", "Route", "camera_poses", "cameras_at", "explore", "plan_walk", "points_to_pass"]

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

    ``rooms`` are polygons (N, 2) m. Each room is entered if its floor, without the border that is thinned away, can be
    reached, even when no rectangle fits between its furniture. The start is any point of the grid; the walk begins
    facing along x or y. ``pitch`` (rad) is the same in all frames.

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

    The set is (X, Y) bool; the cells follow each other as neighbours.
    Each of ``parts`` (X, Y) bool is entered if the thinned set has a cell of it.
    """
    maps = Maps(thin(reachable, start))
    points = add_parts(points_to_pass(maps, start), [part & maps.cells for part in parts])
    order = order_points(maps.between(points, points))
    return walk([(int(x), int(y)) for x, y in points[order]], heading, maps)


def points_to_pass(maps: Maps, start: Cell) -> np.ndarray:
    """Return the start and all way points (N, 2) in cells.

    ``maps`` are those of a thinned floor.
    """
    floor = maps.cells
    rectangles = [one for one in greedy_rectangles(floor) if is_large(one)]
    shapes = [contract(one, floor) for one in rectangles]
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

"""A walk through a home: along the outlines of the largest rectangles, and into every room."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chronotope.errors import InputError
from chronotope.world.explore.grid import Cell, Grid, inside
from chronotope.world.explore.links import link_shapes
from chronotope.world.explore.route import Frame, walk
from chronotope.world.explore.shapes import draw_shapes
from chronotope.world.explore.thinning import thin
from chronotope.world.explore.waypoints import choose_waypoints, order_waypoints

__all__ = ["EYE", "Route", "camera_poses", "explore", "rooms_of"]

EYE = 1.576  # m, height of the camera


@dataclass(frozen=True, eq=False)
class Route:
    """The frames of a walk over a grid."""

    grid: Grid
    frames: tuple[Frame, ...]

    @property
    def places(self) -> np.ndarray:
        """Return the place (T, 2) m of each frame."""
        return self.grid.place(np.array([frame.cell for frame in self.frames]))

    @property
    def degrees(self) -> np.ndarray:
        """Return the heading (T,) of each frame, clockwise from +y seen from above."""
        return np.array([frame.degrees for frame in self.frames])


def explore(generator: np.random.Generator, grid: Grid, floors: Sequence[np.ndarray]) -> Route:
    """Plan a walk from a random reachable point.

    The walk follows the outlines of the largest free rectangles. It also passes a point of each floor (N, 2) that has
    reachable points.

    Raises:
        InputError: If no point is reachable.
    """
    if not grid.free.any():
        raise InputError("no point of the home can be reached: leave more floor free of things")
    largest = np.argwhere(grid.free)
    start_at = largest[int(generator.integers(len(largest)))]
    start: Cell = (int(start_at[0]), int(start_at[1]))
    heading = int(generator.integers(4))
    reached = grid.component(start)
    thinned = thin(reached, start)
    shapes = draw_shapes(reached, thinned)
    links = link_shapes(thinned, shapes)
    required = [cell for floor in floors if (cell := _middle(reached, thinned, floor)) is not None]
    waypoints = choose_waypoints(thinned, shapes, links, required)
    tour = order_waypoints(thinned, start, waypoints)
    return Route(grid, tuple(walk(thinned, start, heading, tour)))


def _middle(reached: Grid, thinned: np.ndarray, floor: np.ndarray) -> Cell | None:
    """Return the point of a floor that is nearest to the middle of its reachable points."""
    cells = np.argwhere(thinned)
    own = cells[inside(reached.place(cells) + 1e-6, floor)]
    if not len(own):
        return None
    nearest = own[np.linalg.norm(own - own.mean(axis=0), axis=1).argmin()]
    return int(nearest[0]), int(nearest[1])


def camera_poses(route: Route, pitch: float = 0.0) -> np.ndarray:
    """Return world_T_camera (T, 4, 4) with OpenCV axes.

    ``pitch`` (rad) is positive for a camera that looks down.
    """
    yaw = np.radians(route.degrees)
    ahead = np.stack([np.sin(yaw) * np.cos(pitch), np.cos(yaw) * np.cos(pitch), np.full(len(yaw), -np.sin(pitch))], 1)
    right = np.stack([np.cos(yaw), -np.sin(yaw), np.zeros(len(yaw))], axis=1)
    poses = np.tile(np.eye(4), (len(yaw), 1, 1))
    poses[:, :3, 0], poses[:, :3, 1], poses[:, :3, 2] = right, np.cross(ahead, right), ahead
    poses[:, :2, 3], poses[:, 2, 3] = route.places, EYE
    return poses


def rooms_of(route: Route, floors: Sequence[np.ndarray]) -> np.ndarray:
    """Return the number of the floor (N, 2) in which each frame is, (T,).

    On a border, a frame belongs to the floor of the frame before it, else to the first floor around it; -1 is outside.
    """
    shifts = np.array([(1e-6, 1e-6), (-1e-6, -1e-6), (1e-6, -1e-6), (-1e-6, 1e-6)])
    held = np.array([[inside(route.places + shift, floor) for shift in shifts] for floor in floors]).any(axis=1)
    rooms = np.full(held.shape[1], -1)
    for frame, within in enumerate(held.T):
        if frame and rooms[frame - 1] >= 0 and within[rooms[frame - 1]]:
            rooms[frame] = rooms[frame - 1]
        elif within.any():
            rooms[frame] = int(within.argmax())
    return rooms

"""The agent of our simulator: where it stands, and where it can go."""

from dataclasses import dataclass, replace

import numpy as np

from chronotope.world.explore import Grid, component_of
from chronotope.world.kinds.house.operations import ImpossibleError
from chronotope.world.left_handed import Vector, from_vector, to_vector
from chronotope.world.simulator.interface import AGENT_HEIGHT
from chronotope.world.simulator.metadata import Agent

__all__ = ["Stand", "agent_of", "moved", "reachable_positions", "teleported", "turned"]

NEAR = 1e-3  # m; a position this close to a point of the grid is that point
_AHEAD = {0: (0, 1), 90: (1, 0), 180: (0, -1), 270: (-1, 0)}  # cells along x and y of the grid, by the yaw in degrees


@dataclass(frozen=True)
class Stand:
    """The pose of the agent: its cell of the grid, and its left-handed yaw and horizon in degrees."""

    cell: tuple[int, int]
    yaw: float = 0.0
    horizon: float = 0.0


def agent_of(stand: Stand, floor: Grid) -> Agent:
    """Return the agent's pose for an event."""
    return Agent(
        position=_on_floor(floor.points(np.array(stand.cell))),
        rotation=Vector(x=0.0, y=stand.yaw, z=0.0),
        cameraHorizon=stand.horizon,
    )


def reachable_positions(stand: Stand, floor: Grid) -> list[Vector]:
    """List the points of the floor to which the agent can walk.

    Raises:
        ImpossibleError: If something is where the agent stands.
    """
    if not floor.reachable[stand.cell]:
        raise ImpossibleError("something is where the agent stands")
    connected = component_of(floor, stand.cell)
    return [_on_floor(point) for point in connected.points(connected.cells)]


def teleported(floor: Grid, position: Vector, yaw: float, horizon: float) -> Stand:
    """Put the agent on a free point of the floor.

    Raises:
        ImpossibleError: If the position is not a free point of the grid.
    """
    point = from_vector(position)[:2]
    x, y = np.rint((point - floor.origin) / floor.step).astype(int).tolist()
    is_near = np.abs(floor.points(np.array([x, y])) - point).max() <= NEAR
    if not is_near or not _is_free(floor, (x, y)):
        raise ImpossibleError("the agent cannot stand at this position")
    return Stand((x, y), float(yaw) % 360, float(horizon))


def turned(stand: Stand, degrees: float) -> Stand:
    """Turn the agent clockwise by an angle in degrees."""
    return replace(stand, yaw=round(stand.yaw + degrees, 6) % 360)


def moved(stand: Stand, floor: Grid, metres: float) -> Stand:
    """Move the agent ahead, from point to point of the grid.

    Raises:
        ImpossibleError: If the agent does not face along the grid, if the distance is no whole number of steps, or if
            something is in the way.
    """
    yaw, steps = round(stand.yaw, 6), round(metres / floor.step)
    if yaw not in _AHEAD or steps < 1 or abs(steps * floor.step - metres) > NEAR:
        raise ImpossibleError(
            f"the agent cannot move {metres:g} m at a yaw of {yaw:g} degrees: it walks along x or z, in steps of "
            f"{floor.step:g} m"
        )
    (x, y), (right, ahead) = stand.cell, _AHEAD[int(yaw)]
    for _ in range(steps):
        x, y = x + right, y + ahead
        if not _is_free(floor, (x, y)):
            raise ImpossibleError("something is in the way of the agent")
    return replace(stand, cell=(x, y))


def _is_free(floor: Grid, cell: tuple[int, int]) -> bool:
    width, depth = floor.reachable.shape
    return 0 <= cell[0] < width and 0 <= cell[1] < depth and bool(floor.reachable[cell])


def _on_floor(point: np.ndarray) -> Vector:
    return to_vector([*point, AGENT_HEIGHT])

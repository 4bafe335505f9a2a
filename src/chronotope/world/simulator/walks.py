"""Walks through a scene of AI2-THOR."""

from collections.abc import Iterator

import numpy as np

from chronotope.errors import InputError
from chronotope.world.homes.explore import Grid, Route
from chronotope.world.homes.explore.actions import TURN
from chronotope.world.homes.explore.grid import STEP
from chronotope.world.left_handed import from_vector, to_left_handed, to_vector
from chronotope.world.simulator.events import Event
from chronotope.world.simulator.thor import ThorSimulator

_OFF = 0.02  # m, by which a simulator's point may be off the grid


def reachable_grid(simulator: ThorSimulator) -> Grid:
    """Ask a simulator where the agent can go.

    Raises:
        InputError: If the simulator cannot tell, or if its points are not those of a grid.
    """
    event = _done(simulator.step("GetReachablePositions"))
    points = np.array([from_vector(each)[:2] for each in event.metadata["actionReturn"]]).reshape(-1, 2)
    if not len(points):
        raise InputError("the simulator has no point where the agent can stand", fix="use another home")
    origin = points.min(axis=0)
    cells = np.rint((points - origin) / STEP).astype(int)
    if np.abs(origin + STEP * cells - points).max() > _OFF:
        raise InputError(
            f"the simulator's points are not on a grid of {STEP:g} m", fix=f"start it with gridSize={STEP:g}"
        )
    reachable = np.zeros(cells.max(axis=0) + 1, bool)
    reachable[tuple(cells.T)] = True
    return Grid(origin, STEP, reachable)


def walk(simulator: ThorSimulator, route: Route) -> Iterator[Event]:
    """Walk along a route in a simulator.

    The first event is the view from the start, and each action adds one event.

    Raises:
        InputError: If an action fails.
    """
    x, z, yaw, horizon = to_left_handed(route.poses[:1])[0].tolist()
    height = simulator.last_event.metadata["agent"]["position"]["y"]
    start = to_vector([x, z, height])
    yield _done(simulator.step("Teleport", position=start, rotation=yaw, horizon=horizon))
    for action in route.actions:
        parameters = {"moveMagnitude": STEP} if action == "MoveAhead" else {"degrees": float(TURN)}
        yield _done(simulator.step(action, **parameters))


def _done(event: Event) -> Event:
    if not event.success:
        told = event.metadata
        raise InputError(f"the simulator refused {told['lastAction']}: {told['errorMessage']}", fix="use another home")
    return event

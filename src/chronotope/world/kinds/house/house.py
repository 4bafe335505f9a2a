"""The layout of a home in two states, and the walk through each state."""

from dataclasses import replace

import numpy as np

from chronotope.errors import InputError
from chronotope.recording import Kind, Room
from chronotope.world.explore import Route, camera_poses, explore, reachable_grid, rooms_entered
from chronotope.world.film_set import FilmSet, Light
from chronotope.world.kinds.house.changes import change_home
from chronotope.world.kinds.house.draw_plan import draw_plan
from chronotope.world.kinds.house.floor_plan import FloorPlan
from chronotope.world.kinds.house.furnish import furnish
from chronotope.world.kinds.house.home import Home
from chronotope.world.kinds.house.shell import shell_of
from chronotope.world.quality import Quality
from chronotope.world.shot import Shot, Shots

__all__ = ["lay_house"]

FIELD = np.radians(120.0)  # vertical field of view
ATTEMPTS = 20
WALKED = (0.05, 1.5)  # m; only objects between these heights stop the walk
STATES = ("state_0", "state_1")
DEPTH_SCALE = 2000.0  # steps per metre; the largest depth is 32 m


def lay_house(generator: np.random.Generator, quality: Quality, rooms: int | None = None) -> Shots:
    """Lay out a home, change it, and plan a walk through each of its two states.

    Raises:
        InputError: If no home was found whose rooms can all be entered.
    """
    for _ in range(ATTEMPTS):
        plan = draw_plan(generator, rooms)
        before = furnish(generator, plan)
        changed = change_home(generator, before, "")
        if not changed.changes:
            continue
        routes = [_walk(generator, home) for home in (before, changed.home)]
        if all(route is not None for route in routes):
            break
    else:
        raise InputError(f"no home with a way into every room was found in {ATTEMPTS} attempts: use another seed")
    surroundings = shell_of(generator, plan)
    shots = [
        _shot(home, route, surroundings, state, quality)
        for home, route, state in zip((before, changed.home), routes, STATES, strict=True)
        if route is not None
    ]
    return Shots(tuple(shots), changed.changes)

"""The layout of a home in two states, and the walk through each state."""

from dataclasses import replace

import numpy as np

from chronotope.errors import InputError
from chronotope.recording import Kind
from chronotope.world.camera import intrinsics_of
from chronotope.world.explore import Route, camera_poses
from chronotope.world.film_set import FilmSet
from chronotope.world.kinds.house.changes import change_home
from chronotope.world.kinds.house.draw_plan import draw_plan
from chronotope.world.kinds.house.furnish import furnish
from chronotope.world.kinds.house.home import Home
from chronotope.world.kinds.house.scenery import DEPTH_SCALE, FIELD, film_set_of, rooms_of, walk_through
from chronotope.world.quality import Quality
from chronotope.world.shot import Shot, Shots

__all__ = ["STATES", "lay_house"]

ATTEMPTS = 20  # homes that are drawn until one can be walked through
STATES = ("state_0", "state_1")


def lay_house(generator: np.random.Generator, quality: Quality, rooms: int | None = None) -> Shots:
    """Lay out a home in two states.

    A walk through each state is planned. The number of ``rooms`` is random if it is not given.

    Raises:
        InputError: If no home was found whose rooms can all be entered.
    """
    for _ in range(ATTEMPTS):
        plan = draw_plan(generator, rooms)
        before = furnish(generator, plan)
        changed = change_home(generator, before, "")
        routes = [walk_through(generator, home) for home in (before, changed.home)]
        if changed.changes and all(route is not None for route in routes):
            break
    else:
        raise InputError(f"no home whose rooms can all be entered was found in {ATTEMPTS} attempts: use another --seed")
    film_set = film_set_of(generator, before)
    shots = tuple(
        _shot(home, route, film_set, state, quality)
        for home, route, state in zip((before, changed.home), routes, STATES, strict=True)
        if route is not None
    )
    return Shots(shots, changed.changes)


def _shot(home: Home, route: Route, film_set: FilmSet, state: str, quality: Quality) -> Shot:
    return Shot(
        film_set=replace(film_set, placements=home.placements()),
        times=np.arange(len(route.poses)) / quality.fps,
        camera=camera_poses(route),
        intrinsics=intrinsics_of(FIELD, quality.width, quality.height),
        kind=Kind.INDOOR,
        state=state,
        depth_scale=DEPTH_SCALE,
        provenance={"rooms": len(home.plan.rooms), "objects": len(home.objects)},
        rooms=rooms_of(home.plan),
    )

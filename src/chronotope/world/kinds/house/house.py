"""The layout of a home in two states, and the walk through each state."""

from dataclasses import replace

import numpy as np

from chronotope.errors import InputError
from chronotope.recording import Kind, Room
from chronotope.world.explore import Route, camera_poses, explore, free_points, largest_component, rooms_entered
from chronotope.world.film_set import FilmSet, Light
from chronotope.world.kinds.house.changes import change_home
from chronotope.world.kinds.house.draw_plan import draw_plan
from chronotope.world.kinds.house.floor_plan import THICKNESS, FloorPlan
from chronotope.world.kinds.house.furnish import furnish
from chronotope.world.kinds.house.home import Home
from chronotope.world.kinds.house.shell import shell_of
from chronotope.world.quality import Quality
from chronotope.world.shot import Shot, Shots

__all__ = ["STATES", "lay_house", "walk_through"]

FIELD = np.radians(120.0)  # vertical field of view
ATTEMPTS = 20  # homes that are drawn until one can be walked through
WALKED = (0.05, 1.5)  # m; only things between these heights stop the walk
STATES = ("state_0", "state_1")
DEPTH_SCALE = 2000.0  # steps per metre; the largest depth is 32 m
NEAR, FAR = 0.04, 32.0  # m
AMBIENT = (0.60, 0.60, 0.58)


def lay_house(generator: np.random.Generator, quality: Quality, rooms: int | None = None) -> Shots:
    """Lay out a home in two states.

    A walk through each state is planned.

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
    film_set = FilmSet((), shell_of(generator, plan), _lights(plan), AMBIENT, NEAR, FAR)
    shots = tuple(
        _shot(home, route, film_set, state, quality)
        for home, route, state in zip((before, changed.home), routes, STATES, strict=True)
        if route is not None
    )
    return Shots(shots, changed.changes)


def walk_through(generator: np.random.Generator, home: Home) -> Route | None:
    """Plan a walk through a home.

    Returns None if a room cannot be entered.
    """
    obstacles = [each.footprint() for each in home if each.heights()[1] > WALKED[0] and each.heights()[0] < WALKED[1]]
    leaves = [door.leaf for door in home.plan.doors if door.leaf is not None]
    floors = [room.polygon for room in home.plan.rooms]
    doorways = [door.segment for door in home.plan.doors if not door.is_outside]
    grid = free_points(floors, doorways, [*obstacles, *leaves], thickness=THICKNESS)
    if not grid.reachable.any():
        return None
    route = explore(largest_component(grid), generator, floors)
    return route if len(rooms_entered(route, floors)) == len(floors) else None


def _shot(home: Home, route: Route, film_set: FilmSet, state: str, quality: Quality) -> Shot:
    focal = quality.height / 2 / np.tan(FIELD / 2)
    middle = ((quality.width - 1) / 2, (quality.height - 1) / 2)
    return Shot(
        film_set=replace(film_set, placements=home.placements()),
        times=np.arange(len(route.poses)) / quality.fps,
        camera=camera_poses(route),
        intrinsics=np.array([[focal, 0, middle[0]], [0, focal, middle[1]], [0, 0, 1.0]]),
        kind=Kind.INDOOR,
        state=state,
        depth_scale=DEPTH_SCALE,
        provenance={"rooms": len(home.plan.rooms), "objects": len(home.objects)},
        rooms=tuple(Room(room.id, room.type, room.polygon, home.plan.neighbours(room.id)) for room in home.plan.rooms),
    )


def _lights(plan: FloorPlan) -> tuple[Light, ...]:
    # Light the home from above; the lamps cast no shadows, because walls would stop them.
    low, high = (np.array([bound(room.polygon, axis=0) for room in plan.rooms]) for bound in (np.min, np.max))
    x, y = (low.min(axis=0) + high.max(axis=0)) / 2
    return (
        Light((float(x) - 6.0, float(y) - 4.0, 12.0), (0.42, 0.28, -0.86), (0.22, 0.22, 0.21)),
        Light((float(x) + 6.0, float(y) + 5.0, 10.0), (-0.5, -0.42, -0.75), (0.12, 0.12, 0.13)),
    )

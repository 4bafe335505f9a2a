"""The parts of every film of a home: the set, the rooms, and a way through the home."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from chronotope.errors import InputError
from chronotope.geometry.polygons import distance_to_border, inside
from chronotope.recording import Kind, Room
from chronotope.world.camera import intrinsics_of
from chronotope.world.film_set import CeilingLamp, FilmSet, Light
from chronotope.world.homes.explore import (
    Grid,
    Route,
    camera_poses,
    explore,
    free_points,
    largest_component,
    rooms_entered,
)
from chronotope.world.homes.explore.grid import RADIUS
from chronotope.world.homes.floor_plan import THICKNESS, FloorPlan, RoomPlan
from chronotope.world.homes.home import Home
from chronotope.world.homes.shell import rectangles_of, shell_of
from chronotope.world.quality import Quality
from chronotope.world.shot import Shot

STATES = ("state_0", "state_1")
LEAVES_OUT = 0.4  # share of the walks that leave out a room, in homes with enough rooms
ROOMS_LEFT = 3  # rooms at least that both walks enter
FIELD = 120.0  # degrees, vertical field of view
WALKED = (0.05, 1.5)  # m; only things between these heights stop the walk
DOORWAY = 0.13  # m; a walk that leaves out a room stays at least so far away from its border
DEPTH_SCALE = 2000.0  # steps per metre; the largest depth is 32 m
NEAR, FAR = 0.04, 32.0  # m
AMBIENT = (0.60, 0.60, 0.58)
LAMP = 0.42  # m, side of a ceiling lamp
LAMPLIGHT = (0.28, 0.45)  # glow of a ceiling lamp for each m2 of floor, in a room with and without windows


def film_set_of(generator: np.random.Generator, home: Home) -> FilmSet:
    """Return the things of a home in its shell, with lamps above."""
    shell = shell_of(generator, home.plan)
    return FilmSet(home.placements(), shell, _lights(home.plan), AMBIENT, NEAR, FAR, lamps=_lamps(home.plan))


def rooms_of(plan: FloorPlan) -> tuple[Room, ...]:
    """Return the rooms for a recording."""
    return tuple(Room(room.id, room.type, room.polygon, plan.neighbours(room.id)) for room in plan.rooms)


def walk_through(
    generator: np.random.Generator, home: Home, everywhere: bool = True, left_out: str | None = None
) -> Route | None:
    """Plan a walk over the free floor of our own home."""
    return walk_over(generator, free_floor(home), home.plan.rooms, everywhere, left_out)


def walk_over(
    generator: np.random.Generator,
    grid: Grid,
    rooms: Sequence[RoomPlan],
    everywhere: bool = True,
    left_out: str | None = None,
) -> Route | None:
    """Plan a walk over the points where a camera can stand.

    The walk never comes nearer to the room ``left_out`` than a doorway. Returns None if nobody can walk over the grid,
    or if the walk must go ``everywhere`` and one of the other rooms cannot be entered.
    """
    floors = [room.polygon for room in rooms if room.id != left_out]
    if left_out is not None:
        closed = next(room.polygon for room in rooms if room.id == left_out)
        points = grid.points(np.moveaxis(np.indices(grid.reachable.shape), 0, -1))
        near = inside(points, closed) | (distance_to_border(points, closed) < DOORWAY)
        grid = replace(grid, reachable=grid.reachable & ~near)
    if not grid.reachable.any():
        return None
    route = explore(largest_component(grid), generator, floors)
    return route if not everywhere or len(rooms_entered(route, floors)) == len(floors) else None


def require_walk(where: str, generator: np.random.Generator, grid: Grid, rooms: Sequence[RoomPlan]) -> None:
    """Check that a camera can walk into all rooms.

    Walks start in the largest part of the grid that is connected.

    Raises:
        InputError: If a room cannot be entered. The message begins with ``where``, and names the rooms.
    """
    route = walk_over(generator, grid, rooms, everywhere=False)
    entered = set() if route is None else rooms_entered(route, [room.polygon for room in rooms])
    missing = [room.id for number, room in enumerate(rooms) if number not in entered]
    if missing:
        raise InputError(
            f"{where}: nobody can walk into {', '.join(missing)}: open a door at least 0.6 m wide, and keep the floor "
            "before it free"
        )


def rooms_left_out(
    generator: np.random.Generator, plan: FloorPlan, state: int | None = None
) -> tuple[str | None, str | None]:
    """Draw a room that the walk through each state does not enter.

    The result has a room for each state, or None for a walk through the complete home. If both walks leave out a room,
    the rooms differ. If a ``state`` is given, only the walk through this state leaves out a room.
    """
    found: list[str | None] = []
    draws = generator.random(2) if state is None else [float(each != state) for each in range(2)]
    for draw in draws:
        free = [room.id for room in plan.rooms if plan.can_leave_out(room.id) and room.id not in found]
        both = len(plan.rooms) - sum(each is not None for each in found) - 1
        chosen = draw < LEAVES_OUT and both >= ROOMS_LEFT and free
        found.append(str(generator.choice(free)) if chosen else None)
    first, second = found
    return first, second


def shot_along(route: Route, film_set: FilmSet, state: str, quality: Quality, left_out: str | None) -> Shot:
    """Return the shot of a walk along a route.

    ``left_out`` is the room that the walk does not enter, or None.
    """
    return Shot(
        film_set=film_set,
        times=np.arange(len(route.poses)) / quality.fps,
        camera=camera_poses(route),
        intrinsics=intrinsics_of(FIELD, quality.width, quality.height),
        kind=Kind.INDOOR,
        state=state,
        depth_scale=DEPTH_SCALE,
        provenance={} if left_out is None else {"left_out": [left_out]},
    )


def free_floor(home: Home, radius: float = RADIUS) -> Grid:
    """Return the points of a home where a camera can stand, or another thing of a radius (m).

    The points can have several components.
    """
    obstacles = [each.footprint() for each in home if each.heights()[1] > WALKED[0] and each.heights()[0] < WALKED[1]]
    leaves = [door.leaf for door in home.plan.doors if door.leaf is not None]
    floors = [room.polygon for room in home.plan.rooms]
    doorways = [door.segment for door in home.plan.doors if not door.is_closed]
    return free_points(floors, doorways, [*obstacles, *leaves], thickness=THICKNESS, radius=radius)


def _lamps(plan: FloorPlan) -> tuple[CeilingLamp, ...]:
    # A lamp in the middle of the largest rectangle of each room, stronger in a large room and where no daylight enters.
    lamps, bright = [], {window.room for window in plan.windows}
    for room in plan.rooms:
        x0, y0, x1, y1 = max(rectangles_of(room.polygon), key=lambda box: (box[2] - box[0]) * (box[3] - box[1]))
        glow = LAMPLIGHT[room.id not in bright] * max(room.area, 6.0)
        lamps.append(CeilingLamp(((x0 + x1) / 2, (y0 + y1) / 2, room.height), LAMP, glow))
    return tuple(lamps)


def _lights(plan: FloorPlan) -> tuple[Light, ...]:
    # The lamps are above the home and cast no shadows, because ceilings would stop them.
    low, high = (np.array([bound(room.polygon, axis=0) for room in plan.rooms]) for bound in (np.min, np.max))
    x, y = (low.min(axis=0) + high.max(axis=0)) / 2
    return (
        Light((float(x) - 6.0, float(y) - 4.0, 12.0), (0.42, 0.28, -0.86), (0.22, 0.22, 0.21)),
        Light((float(x) + 6.0, float(y) + 5.0, 10.0), (-0.5, -0.42, -0.75), (0.12, 0.12, 0.13)),
    )

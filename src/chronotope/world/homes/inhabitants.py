"""People in a home that is filmed."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from chronotope.world.homes.home import Home
from chronotope.world.homes.scenery import free_floor
from chronotope.world.people import Person
from chronotope.world.people.dwellers import Stage, dwell
from chronotope.world.quality import Quality
from chronotope.world.shot import Shot

ROOM = 0.32  # m, radius of the free floor around a person


def inhabited(
    generator: np.random.Generator, shot: Shot, home: Home, people: Sequence[Person], quality: Quality
) -> Shot:
    """Return the shot of a home in which people stand or walk.

    People for whom there is no room where the camera sees them are left out. They come after all things, so that the
    things keep their numbers.
    """
    grid = free_floor(home, ROOM)
    if not people or not len(grid.cells):
        return shot
    stage = Stage(
        shot.times,
        shot.camera,
        shot.intrinsics,
        (quality.width, quality.height),
        grid.points(grid.cells),
        [room.polygon for room in home.plan.rooms],
    )
    placements, events = dwell(generator, people, stage)
    film_set = replace(shot.film_set, placements=(*shot.film_set.placements, *placements))
    return replace(shot, film_set=film_set, events=events)


def left_out(shots: Sequence[Shot], people: int) -> tuple[str, ...]:
    """Return a sentence for the user if some people are in no shot of a home."""
    names = {placement.id for shot in shots for placement in shot.film_set.placements if placement.rig is not None}
    lack = people - len(names)
    if not lack:
        return ()
    return (f"{lack} of {people} people are left out: no place for them is free where the camera sees it",)

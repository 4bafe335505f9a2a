"""The layout of a home in two states, and the walk through each state."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.world.film_set import FilmSet
from chronotope.world.homes.assets import Assets
from chronotope.world.homes.changing import Changed, change_home
from chronotope.world.homes.document import document_of, home_of, read_house
from chronotope.world.homes.draw_plan import draw_plan
from chronotope.world.homes.explore import Route, camera_poses
from chronotope.world.homes.furnish import furnish
from chronotope.world.homes.home import Home
from chronotope.world.homes.inhabitants import inhabited
from chronotope.world.homes.inhabitants import left_out as people_left_out
from chronotope.world.homes.scenery import (
    STATES,
    film_set_of,
    free_floor,
    require_walk,
    rooms_left_out,
    rooms_of,
    shot_along,
    walk_through,
)
from chronotope.world.homes.unlettered import without_letters
from chronotope.world.homes.walker_sight import Sight
from chronotope.world.people.dwellers import draw_people
from chronotope.world.quality import Quality
from chronotope.world.shot import Shot, Shots

ATTEMPTS = 20  # homes that are drawn until one can be walked through
# Of a set of homes, every sixth has four rooms, and no other. So four rooms are as frequent as among single homes. In
# such a home each room is the only one of its type, so that each has a name, and the walk through one state leaves out
# a room, in turn through the second and through the first. Questions about the rooms that were visited need both.
PLANNED, PLANNED_ROOMS = 6, 4
FEWEST_FRAMES = 24  # frames of a walk; a shorter walk shows only a part of a room


def lay_house(
    generator: np.random.Generator,
    quality: Quality,
    rooms: int | None = None,
    assets: Assets | None = None,
    number: int | None = None,
    people: int = 0,
    unlettered: bool = False,
) -> Shots:
    """Lay out a home in two states.

    A walk through each state is planned. The number of ``rooms`` is random if it is not given. Some things are
    ``assets``, if there are any. If the home is one of a set, ``number`` is its place in the set, from 0: rare things
    are spread evenly over a set. In each state there are the same ``people`` people, or fewer if there is no room.
    In an ``unlettered`` home nothing can be read.

    Raises:
        InputError: If no home was found whose rooms can all be entered.
    """
    other, state = (None, None) if number is None else (PLANNED_ROOMS, _state_that_leaves_out(number))
    if state is not None:
        rooms = PLANNED_ROOMS
    for _ in range(ATTEMPTS):
        before = furnish(generator, draw_plan(generator, rooms, other), assets)
        before = without_letters(before) if unlettered else before
        shots = _two_states(generator, before, quality, state, people)
        if shots is not None and min(len(shot.times) for shot in shots.states) >= FEWEST_FRAMES:
            return shots
    raise InputError(f"no home whose rooms can all be entered was found in {ATTEMPTS} attempts: use another --seed")


def _state_that_leaves_out(number: int) -> int | None:
    """Return the state whose walk must leave out a room, or None.

    ``number`` is the place of the home in its set.
    """
    turn, place = divmod(number, PLANNED)
    return 1 - turn % 2 if place == PLANNED - 1 else None


def lay_file(
    path: Path,
    generator: np.random.Generator,
    quality: Quality,
    assets: Assets | None = None,
    people: int = 0,
    unlettered: bool = False,
) -> Shots:
    """Lay out the home of a house file in two states.

    The file describes the first state, and the changes are random. In each state there are up to ``people`` people.
    If the home is to be ``unlettered``, things of the file with letters are left out.

    Raises:
        InputError: If the file is not a house, if a room cannot be entered, or if nothing can be changed.
    """
    before, left_out = home_of(read_house(path), str(path), assets)
    before = without_letters(before) if unlettered else before
    require_walk(str(path), generator, free_floor(before), before.plan.rooms)
    for _ in range(ATTEMPTS):
        shots = _two_states(generator, before, quality, people=people)
        if shots is not None:
            return replace(shots, notes=(*_told(path, left_out), *shots.notes))
    raise InputError(f"{path}: no change of this house was found in {ATTEMPTS} attempts: add things that can be moved")


def _told(path: Path, left_out: tuple[str, ...]) -> tuple[str, ...]:
    if not left_out:
        return ()
    few, more = ", ".join(left_out[:5]), len(left_out) - 5
    others = f" and {more} more" if more > 0 else ""
    return (f"{path.name}: {len(left_out)} objects are left out, because no shape of theirs fits: {few}{others}",)


def _two_states(
    generator: np.random.Generator, before: Home, quality: Quality, state: int | None = None, people: int = 0
) -> Shots | None:
    """Change a home, and plan a walk through each state.

    If a ``state`` is given, only the walk through this state leaves out a room. Returns None if nothing was changed, if
    a room cannot be entered, or if a change would not be noticed.
    """
    left_out = rooms_left_out(generator, before.plan, state)
    first, seed = walk_through(generator, before, left_out=left_out[0]), int(generator.integers(2**31))
    planned = walk_through(np.random.default_rng(seed), before, left_out=left_out[1])
    if first is None or planned is None:
        return None
    film_set = film_set_of(generator, before)
    sight = Sight(before, film_set.backdrop, [camera_poses(first), camera_poses(planned)])
    changed = change_home(generator, before, "", sight)
    # The second walk is the planned one, unless a change is in its way.
    second = walk_through(np.random.default_rng(seed), changed.home, left_out=left_out[1])
    if not changed.changes or second is None:
        return None
    routes = first, second
    if not _are_noticed(before, changed, [camera_poses(route) for route in routes], film_set):
        return None
    shots = tuple(
        _shot(home, route, film_set, state, quality, room)
        for home, route, state, room in zip((before, changed.home), routes, STATES, left_out, strict=True)
    )
    if people:
        residents = draw_people(generator, people)
        homes = before, changed.home
        shots = tuple(inhabited(generator, *each, residents, quality) for each in zip(shots, homes, strict=True))
    return Shots(shots, changed.changes, people_left_out(shots, people))


def _are_noticed(before: Home, changed: Changed, cameras: list[np.ndarray], film_set: FilmSet) -> bool:
    """Check that the walk through each state shows all changes."""
    names = [change.object for change in changed.changes]
    old, new = ({name: home.objects.get(name) for name in names} for home in (before, changed.home))
    return all(
        Sight(home, film_set.backdrop, [walk]).tells_apart(old, new)
        for home, walk in zip((before, changed.home), cameras, strict=True)
    )


def _shot(
    home: Home, route: Route, film_set: FilmSet, state: str, quality: Quality, left_out: str | None = None
) -> Shot:
    shot = shot_along(route, replace(film_set, placements=home.placements()), state, quality, left_out)
    return replace(
        shot,
        provenance=home.provenance() | shot.provenance,
        licence=home.licence(),
        rooms=rooms_of(home.plan),
        files={"house.json": document_of(home, route).text()},
    )

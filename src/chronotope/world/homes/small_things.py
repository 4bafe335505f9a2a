"""Small things on and in the furniture of a home."""

from collections.abc import Collection
from dataclasses import replace
from itertools import count

import numpy as np

from chronotope.world.grounds import Ground, find_place
from chronotope.world.homes.home import Home, HomeObject, pose_at
from chronotope.world.things import HOME_KINDS, HomeState, Shelf
from chronotope.world.things.effects import LIQUIDS

MOST_ALIKE = 3  # things of one type that are put on one receptacle
_JITTER = np.radians(12)
_USUAL = {  # probabilities that a state differs from the default at first
    "openness": 0.12,
    "on": 0.4,
    "dirty": 0.3,
    "sliced": 0.12,
    "broken": 0.04,
    "cooked": 0.15,
    "liquid": 0.35,
    "used_up": 0.2,
}


def draw_state(generator: np.random.Generator, name: str) -> HomeState:
    """Draw the first state of a thing of an object type.

    Only states that a person can see differ from the default. A broken thing has no other state.
    """
    opened = HOME_KINDS[name].use.open
    chances = _USUAL if opened is None else {**_USUAL, "openness": opened}
    drawn = {key: bool(generator.random() < chance) for key, chance in chances.items()}
    degree = float(generator.choice([0.5, 0.75, 1.0]))
    liquid = str(generator.choice(list(LIQUIDS)))
    shows = HOME_KINDS[name].shows
    chosen = {key for key, is_so in drawn.items() if is_so and key in shows}
    if "broken" in chosen:
        return HomeState(broken=True)
    values = dict.fromkeys(chosen - {"openness", "liquid"}, True)
    return HomeState(
        openness=degree if "openness" in chosen else 0.0, liquid=liquid if "liquid" in chosen else None, **values
    )


def held_types(name: str) -> dict[str, float]:
    """Return the object types that a receptacle type may hold.

    The values are the shares of the receptacles called ``name`` that hold the object type. Unknown types hold nothing.
    """
    return dict(HOME_KINDS[name].use.holds) if name in HOME_KINDS else {}


def ground_of(home: Home, parent: HomeObject, number: int) -> Ground:
    """Return a shelf of a receptacle in the world.

    Places of things that stand on the shelf already are taken.
    """
    shelf: Shelf = parent.shelves[number]
    middle = parent.pose @ [*shelf.centre, 1.0]
    return Ground(
        owner=parent.id,
        middle=middle[:3],
        half=np.array([shelf.length, shelf.width]) / 2,
        yaw=parent.yaw,
        ceiling=shelf.clear,
        taken=[each.footprint() for each in home.children(parent.id) if each.shelf == number],
    )


def place_on(
    generator: np.random.Generator, home: Home, thing: HomeObject, parent: HomeObject, numbers: tuple[int, ...]
) -> HomeObject | None:
    """Place a thing upright on one of a receptacle's shelves.

    ``numbers`` are the shelves that may be used; they are tried in random order. Returns None if no shelf has a free
    place.
    """
    size = np.array(thing.made.thing.size)
    for number in generator.permutation(np.array(numbers, int)):
        ground = ground_of(home, parent, int(number))
        turn = 0.0 if thing.use.faces else float(generator.integers(4)) * np.pi / 2
        found = find_place(generator, size, ground, ground.yaw + turn + float(generator.uniform(-_JITTER, _JITTER)))
        if found is None:
            continue
        placed = settled(thing, parent, int(number), *found)
        if home.has_room_for(placed):
            return placed
    return None


def settled(thing: HomeObject, parent: HomeObject, number: int, place: np.ndarray, yaw: float) -> HomeObject:
    """Return a thing upright on a shelf of a receptacle.

    The middle of its bottom is at ``place`` (2,) m, and ``yaw`` (rad) is its direction.
    """
    middle = -thing.made.origin
    c, s = np.cos(yaw), np.sin(yaw)
    level = place - np.array([[c, -s], [s, c]]) @ middle[:2]
    height = (parent.pose @ [*parent.shelves[number].centre, 1.0])[2]
    return replace(
        thing, pose=pose_at(np.array([*level, height]), yaw), parent=parent.id, shelf=number, room=parent.room
    )


def put_small_things(generator: np.random.Generator, home: Home, room_types: dict[str, str], density: float) -> Home:
    """Put small things on all receptacles, as often as in real homes.

    ``room_types`` has the type of each room by its id. ``density`` multiplies the shares of ``held_types``. If rooms
    may have several things of a type, a receptacle may get several of them, too.
    """
    for parent in tuple(home):
        room_type = room_types[parent.room]
        for name, share in held_types(parent.name).items():
            use, mean = HOME_KINDS[name].use, density * share
            number = int(generator.poisson(mean)) if use.several else int(generator.random() < mean)
            if not number or not use.flags & {"pickupable", "moveable"} or not parent.shelves:
                continue
            if use.rooms and room_type not in use.rooms:
                continue
            if not use.several and any(each.name == name and each.room == parent.room for each in home):
                continue
            for _ in range(min(number, MOST_ALIKE)):
                thing = new_object(generator, home, name, parent.room, "surface")
                placed = place_on(generator, home, thing, parent, tuple(range(len(parent.shelves))))
                if placed is None:
                    break
                home = home.with_object(placed)
    return home


def new_object(
    generator: np.random.Generator, home: Home, name: str, room: str, on: str = "", taken: Collection[str] = ()
) -> HomeObject:
    """Draw an object of a type; the object has no place yet.

    ``on`` becomes a part of the id; it is "surface" for a small thing. The new id is neither an id of the home nor one
    of ``taken``.
    """
    stem = "|".join(filter(None, [name, on, room.rpartition("|")[2]]))
    names = (f"{stem}|{number}" for number in count())
    free = next(each for each in names if each not in home.objects and each not in taken)
    state, seed = draw_state(generator, name), int(generator.integers(2**31))
    asset = None if home.assets is None else home.assets.choose(name, seed)
    state = state if asset is None else HomeState()  # an asset has only one state
    return HomeObject(free, name, seed, room, np.eye(4), state, asset=asset)

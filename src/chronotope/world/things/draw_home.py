"""The list of all kinds of things in homes, and the choice of a thing."""

from dataclasses import replace
from functools import lru_cache

import numpy as np

from chronotope.errors import InputError
from chronotope.world.things.colours import paint
from chronotope.world.things.kind import PICTURE, HomeKind, HomeState, HomeThing, build
from chronotope.world.things.main_colour import has_main_colour
from chronotope.world.things.shapes import shape_of
from chronotope.world.things.sketches import (
    appliances,
    bathroom,
    beds,
    belongings,
    containers,
    devices,
    dishes,
    fittings,
    groceries,
    lamps,
    seats,
    showers,
    sports,
    storage,
    tables,
    toiletries,
    trinkets,
    wall,
)

# Each module of this package lists its kinds in KINDS.
_MODULES: tuple[tuple[HomeKind, ...], ...] = (
    storage.KINDS,
    containers.KINDS,
    tables.KINDS,
    seats.KINDS,
    beds.KINDS,
    bathroom.KINDS,
    showers.KINDS,
    fittings.KINDS,
    appliances.KINDS,
    lamps.KINDS,
    wall.KINDS,
    dishes.KINDS,
    groceries.KINDS,
    belongings.KINDS,
    devices.KINDS,
    toiletries.KINDS,
    sports.KINDS,
    trinkets.KINDS,
)

HOME_KINDS: dict[str, HomeKind] = {kind.type: kind for kinds in _MODULES for kind in kinds}
"""Every kind of thing in homes by its object type."""


def draw_home_thing(name: str, seed: int, state: HomeState | None = None) -> HomeThing:
    """Draw a thing of a home.

    ``name`` is its object type. Things of the same seed are the same thing, perhaps in two states. It is named by a
    colour only if this is its main colour in this state and in the usual one: an open book shows white pages. The same
    holds for its shape: an open box has none.

    Raises:
        InputError: If no kind has this object type.
    """
    if name not in HOME_KINDS:
        raise InputError(
            f"world: no object type {name!r} in the catalogue of homes: choose one of {', '.join(HOME_KINDS)}"
        )
    kind = HOME_KINDS[name]
    made = _draw(name, seed, HomeState() if state is None else state)
    states = HomeState(), _shown(kind, made.state)
    colours = {_main_colour(name, seed, each) for each in states}
    shapes = {_shape(name, seed, each) for each in states}
    thing = replace(made.thing, colour=colours.pop() if len(colours) == 1 else None)
    return replace(made, thing=thing, shape=shapes.pop() if len(shapes) == 1 else None)


@lru_cache(maxsize=4096)
def _main_colour(name: str, seed: int, state: HomeState) -> str | None:
    """Return the colour of a thing in a state.

    This is the colour by which a person would call it: None if no colour covers most of the thing, or if it shows a
    picture, since a white frame does not make a painting white.
    """
    if HOME_KINDS[name].front == PICTURE:
        return None
    thing = _draw(name, seed, state).thing
    is_main = thing.colour is not None and has_main_colour(thing.pieces, thing.colour)
    return thing.colour if is_main else None


@lru_cache(maxsize=4096)
def _shape(name: str, seed: int, state: HomeState) -> str | None:
    return shape_of(name, _draw(name, seed, state).thing.pieces)


@lru_cache(maxsize=64)
def _draw(name: str, seed: int, state: HomeState) -> HomeThing:
    kind = HOME_KINDS[name]
    generator = np.random.default_rng(seed)
    colour = str(generator.choice(kind.colours))
    painted = paint(generator, colour, str(generator.choice(kind.materials)))
    # As many things are between 20 and 22 cm as between 30 and 33: of options with a constant ratio, none is likelier.
    size = np.exp([generator.uniform(*np.log(bounds)) for bounds in kind.sizes])
    return build(kind, seed, state, painted, size, kind.sketch(generator, painted, size, _shown(kind, state)))


def _shown(kind: HomeKind, state: HomeState) -> HomeState:
    # Keep only what changes the model.
    return HomeState(**{field: getattr(state, field) for field in kind.shows})

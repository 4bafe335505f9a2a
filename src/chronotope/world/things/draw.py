"""The random choice of a thing of an object type: its colour, material, size and shape."""

from dataclasses import replace
from functools import lru_cache

import numpy as np

from chronotope.errors import InputError
from chronotope.world.things.colours import paint
from chronotope.world.things.kind import PICTURE, HomeState, HomeThing, Kind, Model, assemble, build, extent_of
from chronotope.world.things.main_colour import has_main_colour
from chronotope.world.things.object_types import HOME_KINDS, STAGE_KINDS, TABLE_KINDS
from chronotope.world.things.shapes import shape_of
from chronotope.world.things.thing import Paint, Thing

TWINS = 12  # largest number of attempts to find two sizes that clearly differ
APART = 0.35  # the positions of twins in the range of sizes (0 to 1) differ at least by this
_KINDS = TABLE_KINDS | STAGE_KINDS


def draw_thing(generator: np.random.Generator, category: str, colour: str | None = None) -> Thing:
    """Draw a thing for a table or a stage, by the noun of its object type.

    The same state of the generator gives the same arrays.

    Raises:
        InputError: If the category or the colour does not exist.
    """
    kind, painted, model = _sketched(generator, category, colour)
    low, high = extent_of(model)
    return assemble(kind, painted, model, kind.sizes.draw(generator, high - low))


def draw_twins(generator: np.random.Generator, category: str, colour: str, ratio: float) -> tuple[Thing, Thing] | None:
    """Draw a smaller and a larger thing from the same model.

    The longest side of the larger thing is at least ``ratio`` times as long as the longest side of the smaller thing,
    and no side of the larger thing is shorter than the same side of the smaller thing. The result is None if no such
    sizes were found in ``TWINS`` attempts.
    """
    kind, painted, model = _sketched(generator, category, colour)
    low, high = extent_of(model)
    for _ in range(TWINS):
        # Each position alone is uniform from 0 to 1, so twins have the same sizes as other things. The difference
        # between the two positions is at least APART.
        first = float(generator.uniform(0, 1))
        second = (first + float(generator.uniform(APART, 1 - APART))) % 1
        small, large = (kind.sizes.draw(generator, high - low, at) for at in sorted((first, second)))
        if large.max() >= ratio * small.max() and (large >= small).all():
            return assemble(kind, painted, model, small), assemble(kind, painted, model, large)
    return None


def _sketched(generator: np.random.Generator, category: str, colour: str | None) -> tuple[Kind, Paint, Model]:
    kind = _KINDS.get(category)
    if kind is None:
        raise InputError(f"world: no category {category!r} in the catalogue: choose one of {', '.join(_KINDS)}")
    if colour is not None and colour not in kind.colours:
        raise InputError(f"world: no {colour} {category} in the catalogue: its colours are {', '.join(kind.colours)}")
    colour = colour or str(generator.choice(kind.colours))
    painted = paint(generator, colour, str(generator.choice(kind.materials)))
    return kind, painted, kind.sketch(generator, painted)


def draw_home_thing(name: str, seed: int, state: HomeState | None = None) -> HomeThing:
    """Draw a thing of a home.

    ``name`` is the object type of the thing. Two calls with the same ``seed`` draw the same thing, perhaps in two
    states. The thing is called by a colour only if this is its main colour both in this state and in the usual state:
    an open book, for example, shows white pages. The same rule holds for the word for its shape: an open box, for
    example, has no such word.

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

    The main colour is the colour by which a person would call the thing. The result is None if no colour covers most of
    the thing. It is also None if the thing shows a picture, because a white frame does not make a painting white.
    """
    if HOME_KINDS[name].front == PICTURE:
        return None
    thing = _draw(name, seed, state).thing
    is_main = thing.colour is not None and has_main_colour(thing.pieces, thing.colour)
    return thing.colour if is_main else None


@lru_cache(maxsize=4096)
def _shape(name: str, seed: int, state: HomeState) -> str | None:
    return shape_of(HOME_KINDS[name].use.shape_from, _draw(name, seed, state).thing.pieces)


@lru_cache(maxsize=64)
def _draw(name: str, seed: int, state: HomeState) -> HomeThing:
    kind = HOME_KINDS[name]
    generator = np.random.default_rng(seed)
    colour = str(generator.choice(kind.colours))
    painted = paint(generator, colour, str(generator.choice(kind.materials)))
    # As many things are between 20 and 22 cm as between 30 and 33: of options with a constant ratio, none is likelier.
    size = np.exp([generator.uniform(*np.log(bounds)) for bounds in kind.sizes.bounds.T])
    return build(kind, seed, state, painted, size, kind.sketch(generator, painted, size, _shown(kind, state)))


def _shown(kind: Kind, state: HomeState) -> HomeState:
    # Keep only what changes the model.
    return HomeState(**{field: getattr(state, field) for field in kind.shows})

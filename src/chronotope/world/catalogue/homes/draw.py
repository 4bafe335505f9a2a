"""The list of all kinds of things in homes, and the choice of a thing."""

import numpy as np

from chronotope.errors import InputError
from chronotope.world.catalogue.colours import paint
from chronotope.world.catalogue.homes import (
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
    storage,
    tables,
    toiletries,
    wall,
)
from chronotope.world.catalogue.homes.kind import HomeKind, HomeState, HomeThing, build

__all__ = ["HOME_KINDS", "draw_home_thing"]

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
)

HOME_KINDS: dict[str, HomeKind] = {kind.type: kind for kinds in _MODULES for kind in kinds}
"""Every kind of thing in homes by its object type."""


def draw_home_thing(name: str, seed: int, state: HomeState | None = None) -> HomeThing:
    """Draw a thing of a home.

    ``name`` is its object type. Things of the same seed are the same thing, perhaps in two states.

    Raises:
        InputError: If no kind has this object type.
    """
    kind = HOME_KINDS.get(name)
    if kind is None:
        raise InputError(
            f"world: no object type {name!r} in the catalogue of homes: choose one of {', '.join(HOME_KINDS)}"
        )
    generator = np.random.default_rng(seed)
    colour = str(generator.choice(kind.colours))
    painted = paint(generator, colour, str(generator.choice(kind.materials)))
    size = np.array([generator.uniform(*bounds) for bounds in kind.sizes])
    state = HomeState() if state is None else state
    shown = HomeState(**{name: getattr(state, name) for name in kind.shows})
    return build(kind, seed, state, painted, size, kind.sketch(generator, painted, size, shown))

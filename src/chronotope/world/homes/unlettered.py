"""Homes in which nothing can be read, so that their mirrored twins look like homes."""

from dataclasses import replace

from chronotope.world.homes.home import Home, HomeObject
from chronotope.world.things import HOME_KINDS


def without_letters(home: Home) -> Home:
    """Return a home without printed things and what they carry, and with dark displays."""
    objects: dict[str, HomeObject] = {}
    for thing in home:  # receptacles stand before the things that they carry
        kind = HOME_KINDS[thing.name]
        if (thing.parent is None or thing.parent in objects) and kind.letters != "always":
            dark = kind.letters == "on" and thing.state.on
            objects[thing.id] = replace(thing, state=replace(thing.state, on=False)) if dark else thing
    return replace(home, objects=objects, unlettered=True)

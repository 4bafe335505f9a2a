"""The random choice of an articulated thing: its colour and its shape."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from chronotope.errors import InputError
from chronotope.world.things.articulated.articulated import Articulated
from chronotope.world.things.articulated.controls import lever, push_button
from chronotope.world.things.articulated.fans import ceiling_fan, desk_fan, ribbon_fan
from chronotope.world.things.articulated.lids import chest, hinged_box
from chronotope.world.things.articulated.signals import barrier, flagpole, globe_lamp, reading_lamp, traffic_light
from chronotope.world.things.colours import paint
from chronotope.world.things.thing import Paint


class _Type(NamedTuple):
    made: Callable[[np.random.Generator, Paint], Articulated]
    colours: str
    material: str


_BRIGHT = "red orange yellow green blue purple pink"
_TYPES = {
    "hinged box": _Type(hinged_box, "brown brown red green blue white", "wood"),
    "chest": _Type(chest, "brown", "wood"),
    "lever": _Type(lever, "red yellow green blue black", "plastic"),
    "push button": _Type(push_button, "red green blue yellow", "plastic"),
    "desk fan": _Type(desk_fan, "white black blue red green", "plastic"),
    "ribbon fan": _Type(ribbon_fan, "white black blue red green", "plastic"),
    "ceiling fan": _Type(ceiling_fan, "brown white black", "metal"),
    "flag": _Type(flagpole, _BRIGHT, "fabric"),
    "barrier": _Type(barrier, "yellow orange grey white", "metal"),
    "reading lamp": _Type(reading_lamp, "red green blue white black yellow", "metal"),
    "globe lamp": _Type(globe_lamp, "red green blue white black yellow", "metal"),
    "traffic light": _Type(traffic_light, "black", "metal"),
}

ARTICULATED = tuple(_TYPES)
"""The kinds of articulated things with rigid parts."""


def draw_articulated(generator: np.random.Generator, kind: str, colour: str | None = None) -> Articulated:
    """Draw an articulated thing at rest: closed, up or down, and unlit.

    ``kind`` is one of ARTICULATED. A traffic light is red at rest. A ceiling fan hangs from the top of its box, and all
    other things stand on its bottom.

    Raises:
        InputError: If there is no such kind, or if it does not have the colour.
    """
    if kind not in _TYPES:
        raise InputError(f"world: no articulated thing {kind!r}: choose one of {', '.join(ARTICULATED)}")
    made, of_type, material = _TYPES[kind]
    colours = of_type.split()
    if colour is not None and colour not in colours:
        raise InputError(f"world: no {colour} {kind}: its colours are {', '.join(dict.fromkeys(colours))}")
    return made(generator, paint(generator, colour or str(generator.choice(colours)), material))

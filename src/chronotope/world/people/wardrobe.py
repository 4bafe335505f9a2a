"""The choice of clothes: what people of a sex and an age wear together, and in which colours."""

from collections.abc import Mapping, Sequence

import numpy as np

from chronotope.errors import InputError
from chronotope.world.people.body import AgeGroup, Sex
from chronotope.world.people.garments import CUTS, Layer
from chronotope.world.people.person import Garment
from chronotope.world.things.colour_table import COLOUR_TABLE, SRGB
from chronotope.world.things.colours import shade

_SHADES = {"": 1.0, "dark": 0.42, "light": 1.35}
WORN: dict[str, SRGB] = {
    f"{word} {name}".strip(): shade(row.srgb, _SHADES[word]) for name, row in COLOUR_TABLE.items() for word in row.worn
}
"""The colours (sRGB) of clothes by their names, such as "yellow" or "dark blue"."""

_MUTED = ("black", "white", "grey")
_DENIM = ("blue", "dark blue", "black", "grey")
_OUTER = 0.25  # share of people in a jacket
_DRESS, _SKIRT, _SHORTS = 0.2, 0.25, 0.22  # shares of women in a dress, in a skirt, and of people in shorts
_ORDER: tuple[Layer, ...] = ("bottom", "skirt", "top", "outer")  # from the skin outwards


def draw_clothes(
    generator: np.random.Generator,
    sex: Sex,
    age: AgeGroup,
    kinds: Sequence[str] | None = None,
    colours: Mapping[str, str] | None = None,
) -> tuple[Garment, ...]:
    """Draw the clothes of a person, from the skin outwards.

    ``kinds`` are the nouns of the garments, or None. ``colours`` has the colours of some garments, by their nouns.

    Raises:
        InputError: If a garment or a colour does not exist, or the garments leave a part of the body bare.
    """
    colours = colours or {}
    worn = list(kinds) if kinds is not None else _draw_kinds(generator, sex, age)
    check_clothes(worn, colours)
    garments: list[Garment] = []
    for noun in sorted(worn, key=lambda noun: _ORDER.index(CUTS[noun].layer)):
        taken = {garment.colour for garment in garments}
        choice = [name for name in (_DENIM if noun == "jeans" else WORN) if name not in taken]
        drawn = str(generator.choice(choice))
        garments.append(Garment(noun, colours.get(noun, drawn)))
    return tuple(garments)


def check_clothes(kinds: Sequence[str], colours: Mapping[str, str]) -> None:
    """Check that clothes exist, and that they dress a person.

    Raises:
        InputError: If a garment or a colour does not exist, or the garments leave a part of the body bare.
    """
    if unknown := [noun for noun in (*kinds, *colours) if noun not in CUTS]:
        raise InputError(f"world: no garment {unknown[0]!r}: choose from {', '.join(CUTS)}")
    if unknown := [name for name in colours.values() if name not in WORN]:
        raise InputError(f"world: no clothes in the colour {unknown[0]!r}: choose from {', '.join(WORN)}")
    layers = sorted(CUTS[noun].layer for noun in kinds if noun != "dress")
    whole = ["bottom", "top"], ["skirt", "top"]
    inner = [layer for layer in layers if layer != "outer"]
    dressed = inner == [] if "dress" in kinds else inner in whole
    if not dressed or layers.count("outer") > 1:
        raise InputError(
            f"world: {', '.join(kinds) or 'no garments'} do not dress a person: give a dress, or one of"
            f" {', '.join(noun for noun, spec in CUTS.items() if spec.layer == 'top' and noun != 'dress')} and one of"
            f" {', '.join(noun for noun, spec in CUTS.items() if spec.layer in ('bottom', 'skirt'))}, and at most one"
            f" of {', '.join(noun for noun, spec in CUTS.items() if spec.layer == 'outer')} over them"
        )


def main_garment(garments: Sequence[Garment]) -> Garment:
    """Return the garment by which people would call a person.

    The result is the outermost garment of the trunk, or what is worn below it if only this has a bright colour.
    """
    trunk, legs = garments[-1], garments[0]
    muted, bright = trunk.colour in _MUTED, legs.colour.split()[-1] not in _MUTED
    return legs if muted and bright and CUTS[trunk.noun].layer == "top" else trunk


def _draw_kinds(generator: np.random.Generator, sex: Sex, age: AgeGroup) -> list[str]:
    outer, dress, low = (float(value) for value in generator.uniform(0, 1, 3))
    top = str(
        generator.choice(["T-shirt", "T-shirt", "pullover"] if age == "child" else ["T-shirt", "shirt", "pullover"])
    )
    legs = str(generator.choice(["trousers", "jeans"]))
    if sex == "female" and dress < _DRESS:
        return ["dress"]
    if sex == "female" and low < _SKIRT:
        kinds = ["skirt", top]
    elif _SKIRT <= low < _SKIRT + _SHORTS and age != "old":
        return ["shorts", "T-shirt"]
    else:
        kinds = [legs, top]
    return [*kinds, "jacket"] if outer < _OUTER and top != "pullover" else kinds

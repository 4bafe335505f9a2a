"""The closed vocabularies of colours and shapes, and the conversion of free words to words of these vocabularies."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, get_args

from chronotope.world.things.colour_table import COLOUR_TABLE, COLOUR_WORDS

DESCRIBED = "described"
"""The attribute of a thing that lists its attributes described by a model, and the key of the provenance."""

COLOURS: tuple[str, ...] = tuple(COLOUR_TABLE)
if TYPE_CHECKING:
    Colour = str
else:
    Colour = Literal[*COLOURS]
Shape = Literal[
    "round", "oval", "spherical", "cylindrical", "conical", "tapered", "rectangular",
    "square", "cubic", "triangular", "hexagonal", "L-shaped", "curved", "flat",
]  # fmt: skip
SHAPES: tuple[str, ...] = get_args(Shape)

_ALIKE = (
    *(f"{name} {other}" for name, row in COLOUR_TABLE.items() for other in row.alike),
    # Shapes of which people call one thing either.
    *("round spherical", "round oval", "round cylindrical", "round curved", "oval curved", "oval spherical"),
    *("cylindrical tapered", "conical tapered", "conical triangular", "rectangular square", "rectangular cubic"),
    *("square cubic", "rectangular L-shaped", "flat rectangular", "flat square", "flat round", "flat oval"),
)
_PAIRS = frozenset(frozenset(pair.split()) for pair in _ALIKE)

# Words that leave a colour or a shape the same, and words for the same shape.
_SHADES = frozenset(
    [
        *("dark", "light", "bright", "pale", "deep", "medium", "dull", "vivid", "off", "mostly", "matte", "glossy"),
        *("plain", "solid", "colored", "coloured"),
    ]
)
_SAME_SHAPE = {
    "circular": "round", "elliptical": "oval", "sphere": "spherical", "cylinder": "cylindrical", "cone": "conical",
    "rectangle": "rectangular", "boxy": "rectangular", "box": "rectangular", "cuboid": "rectangular",
    "cube": "cubic", "cubical": "cubic", "triangle": "triangular", "l": "L-shaped",
}  # fmt: skip
_KINDS = frozenset(["shaped", "shape", "like", "slightly", "mostly", "roughly"])


def are_alike(one: str, other: str) -> bool:
    """Check whether two words can be said of one thing."""
    return frozenset((one, other)) in _PAIRS


def basic_colour(said: str | None) -> str | None:
    """Return the basic colour that words name, or None.

    Shades of one colour are this colour: "dark brown" is brown. Two colours, or a word outside the vocabulary, are
    None.
    """
    return _basic(said, COLOURS, COLOUR_WORDS, _SHADES)


def basic_shape(said: str | None) -> str | None:
    """Return the basic shape that words name, or None.

    Two shapes, or a word outside the vocabulary, are None.
    """
    return _basic(said, SHAPES, _SAME_SHAPE, _KINDS)


def _basic(said: str | None, known: Sequence[str], same: Mapping[str, str], beside: frozenset[str]) -> str | None:
    found = {same.get(word, word) for word in re.findall("[a-z]+", (said or "").casefold())} - beside
    return found.pop() if len(found) == 1 and found <= set(known) else None

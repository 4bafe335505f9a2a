"""The one table of colours: a row for each colour that paints or names things, or is searched for in pictures.

A new colour is a new row. The table has data only and imports nothing heavy, so every room above ``world`` can read it
at no cost.
"""

from dataclasses import dataclass

SRGB = tuple[float, float, float]
HSV = tuple[int, int, int]


@dataclass(frozen=True)
class Colour:
    """One colour.

    ``srgb`` is the painted colour, from 0 to 1. The painted colours of any two rows differ by at least 20 in CIE Lab,
    and visibly in warm light and in shade. ``hsv`` has the lower and upper limits of the hue (0 to 180), the saturation
    and the value (0 to 255) of the colour, in warm light and in shade. ``hsv`` is empty if too many other things in a
    picture have the colour. ``words`` are other words for the colour. ``alike`` are colours that people may call the
    same thing instead: colours that differ by less than 20 (CIEDE2000), and colours that the thing can have in shade
    and in light. Dark letters are legible on a ``pale`` colour, and light letters on others. The asset forge calls
    things by the colour only if ``names_assets`` is true. Clothes have the shades ``worn`` of the colour: "" is the
    colour itself, and "dark" and "light" are the words before its name.
    """

    name: str
    srgb: SRGB
    hsv: tuple[tuple[HSV, HSV], ...] = ()
    words: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    pale: bool = False
    names_assets: bool = True
    worn: tuple[str, ...] = ("",)


_ROWS = (
    Colour(
        "red",
        (0.76, 0.08, 0.09),
        (((0, 150, 45), (6, 255, 255)), ((171, 140, 45), (180, 255, 255))),
        words=("scarlet", "crimson"),
        worn=("", "dark"),
    ),
    Colour("orange", (0.97, 0.46, 0.05), (((7, 195, 90), (17, 255, 255)),), pale=True),
    Colour("yellow", (0.98, 0.85, 0.12), (((20, 130, 90), (34, 255, 255)),), pale=True),
    Colour("green", (0.10, 0.52, 0.18), (((40, 90, 25), (88, 255, 255)),), worn=("", "light", "dark")),
    Colour(
        "blue",
        (0.09, 0.25, 0.72),
        (((102, 120, 40), (126, 255, 255)),),
        words=("navy",),
        alike=("purple",),
        worn=("", "light", "dark"),
    ),
    Colour("purple", (0.42, 0.15, 0.56), (((127, 80, 25), (158, 255, 220)),), words=("violet",)),
    Colour("pink", (0.98, 0.55, 0.70), (((145, 45, 120), (180, 150, 255)), ((0, 60, 150), (5, 145, 255))), pale=True),
    Colour("brown", (0.36, 0.20, 0.10)),  # most furniture and floors are brown
    Colour("white", (0.94, 0.94, 0.92), (((0, 0, 130), (180, 50, 255)),), words=("ivory",), pale=True),
    Colour("black", (0.06, 0.06, 0.07), (((0, 0, 0), (180, 255, 42)),)),
    Colour(
        "grey",
        (0.48, 0.49, 0.50),
        (((0, 0, 60), (180, 40, 170)),),
        words=("gray", "silver", "silvery"),
        names_assets=False,  # many things are somewhat grey, and nobody calls them so
    ),
    Colour(
        "golden",
        (0.72, 0.53, 0.16),
        (((15, 110, 60), (25, 225, 230)),),
        words=("gold",),
        alike=("orange", "yellow", "brown"),
        names_assets=False,  # furniture of wood is not golden
        worn=(),
    ),
)

COLOUR_TABLE: dict[str, Colour] = {row.name: row for row in _ROWS}
"""Every colour by its name, in the order in which they are listed to people and models."""

COLOUR_WORDS: dict[str, str] = {word: row.name for row in _ROWS for word in (row.name, *row.words)}
"""The name of the colour that each word means."""

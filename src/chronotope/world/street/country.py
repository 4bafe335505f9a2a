"""A straight country road: a carriageway with markings between verges, fields of many crops, and hills far away."""

from collections.abc import Iterator, Sequence

import numpy as np

from chronotope.world.slabs import slab
from chronotope.world.street.backdrop import ASPHALT, LANE, Street
from chronotope.world.things import Look, Piece, textures
from chronotope.world.things.colour_table import SRGB
from chronotope.world.things.colours import plain
from chronotope.world.things.mesh import ellipsoid, merge, moved
from chronotope.world.things.thing import finished

SHOULDER, VERGE = 0.5, 2.6  # m, of asphalt beside the outer line, and of grass beside the road
WIDE, FIELD = 260.0, (35.0, 80.0)  # m, how far fields reach from the road, and their lengths along it
CROPS: tuple[SRGB, ...] = ((0.36, 0.48, 0.22), (0.66, 0.58, 0.30), (0.47, 0.54, 0.26), (0.44, 0.34, 0.22))
GRASS: SRGB = (0.34, 0.46, 0.22)
HILLS: tuple[SRGB, ...] = ((0.34, 0.46, 0.36), (0.40, 0.50, 0.46))
_PAINT = plain((0.92, 0.92, 0.90), "paper")
_DASH, _PERIOD, _LINE, _THICK = 4.0, 12.0, 0.15, 0.006  # m, marks between lanes: length, period, width and height
_GRAIN = 1e-3  # m, of the vertices of hills


def country_set(
    generator: np.random.Generator, length: float, lanes: int = 3, crops: Sequence[SRGB] = CROPS, grass: SRGB = GRASS
) -> Street:
    """Draw a straight country road.

    The road goes along x, from -length / 2 to length / 2 m, with its middle at y = 0 and the carriageway at z = 0. All
    lanes lead to +x. In place of pavements, the result has the middles of the verges, whose height is 0.
    """
    half = lanes * LANE / 2 + SHOULDER
    asphalt = Look((1.0, 1.0, 1.0), 0.0, 0.0, textures.plaster(generator, ASPHALT, 256))
    lawn = Look((1.0, 1.0, 1.0), 0.0, 0.0, textures.carpet(generator, grass, 256))
    pieces = [slab((length, 2 * half, 0.1), (0, 0, -0.05), asphalt, 4.0), *_marks(length, lanes)]
    places = tuple(float((number - (lanes - 1) / 2) * LANE) for number in range(lanes))
    grown = [Look((1.0, 1.0, 1.0), 0.0, 0.0, textures.carpet(generator, colour, 256)) for colour in crops]
    for side in (-1, 1):
        pieces.append(slab((length, VERGE, 0.1), (0, side * (half + VERGE / 2), -0.05), lawn, 3.0))
        pieces += _fields(generator, length, half + VERGE, side, grown)
    pieces += _hills(generator, length)
    return Street(tuple(pieces), places, (-half - VERGE / 2, half + VERGE / 2))


def _marks(length: float, lanes: int) -> Iterator[Piece]:
    """Yield the dashes between lanes, and the whole lines at both edges."""
    for number in range(1, lanes):
        y = (number - lanes / 2) * LANE
        for x in np.arange(-length / 2 + _PERIOD / 2, length / 2 - _DASH / 2, _PERIOD):
            yield slab((_DASH, _LINE, _THICK), (float(x), y, _THICK / 2), _PAINT)
    for side in (-1, 1):
        yield slab((length, _LINE, _THICK), (0, side * lanes * LANE / 2, _THICK / 2), _PAINT)


def _fields(
    generator: np.random.Generator, length: float, first: float, side: int, looks: Sequence[Look]
) -> Iterator[Piece]:
    """Yield the fields of one side, one after the other along the road."""
    x, before = -length / 2, -1
    while x < length / 2:
        long = float(generator.uniform(*FIELD))
        crop = (before + 1 + int(generator.integers(len(looks) - 1))) % len(looks) if before >= 0 else 0
        yield slab((long, WIDE, 0.1), (x + long / 2, side * (first + WIDE / 2), -0.05), looks[crop], 9.0)
        x, before = x + long, crop


def _hills(generator: np.random.Generator, length: float) -> Iterator[Piece]:
    """Yield low hills along both sides, and beyond the end of the road."""
    made = []
    for side in (-1, 1):
        for x in np.arange(-length / 2, length / 2 + 60, 70.0):
            middle = float(x) + float(generator.uniform(-20, 20)), side * float(generator.uniform(100, 150)), -4.0
            radii = generator.uniform((60, 35, 14), (90, 55, 34))
            made.append(moved(ellipsoid(radii.tolist(), 40), by=middle))
    for number, colour in enumerate(HILLS):
        yield finished(merge(*made[number :: len(HILLS)]), plain(colour, "paper"), _GRAIN)

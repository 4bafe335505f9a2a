"""A plain straight street: carriageway with markings, kerbs, pavements, and houses on both sides."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from chronotope.world.slabs import slab
from chronotope.world.things import textures
from chronotope.world.things.colour_table import SRGB
from chronotope.world.things.thing import Look, Piece

LANE, PAVEMENT, KERB = 3.3, 2.8, 0.12  # m, widths of a lane and of a pavement, and height of a kerb
ASPHALT = (0.43, 0.43, 0.44)  # sRGB, of a road that is some years old
STOREY = 3.1  # m
_PAINT = Look((0.90, 0.90, 0.88), 0.0, 0.0)
_STONE = Look((0.66, 0.65, 0.62), 0.0, 0.0)
_DASH, _PERIOD, _LINE, _THICK = 3.0, 9.0, 0.14, 0.008  # m, marks between lanes: length, period, width and height
WALLS: tuple[SRGB, ...] = (
    (0.80, 0.74, 0.63),
    (0.70, 0.47, 0.38),
    (0.84, 0.82, 0.78),
    (0.66, 0.68, 0.70),
    (0.78, 0.68, 0.50),
    (0.62, 0.54, 0.46),
)
_WIDTHS, _DEEP = (9.0, 12.0, 15.0, 18.0), 9.0  # m, of houses
_NARROWEST = 5.0  # m, of houses in an exact row
_PIXELS = 32  # px, of one window with its wall


class Street(NamedTuple):
    """A straight street along x: its pieces, and where things can be.

    ``lanes`` are the places (y, m) of the middles of the lanes, from the right to the left; on a street of two
    directions, those on the left lead to -x. ``pavements`` are the (y, m) of the middles of the right and the left
    pavement, whose height is ``KERB``.
    """

    pieces: tuple[Piece, ...]
    lanes: tuple[float, ...]
    pavements: tuple[float, float]


@dataclass(frozen=True)
class _Front:
    """A house front: its place and size along the street, its storeys, and the picture of its wall."""

    start: float
    width: float
    storeys: int
    picture: np.ndarray


def street_backdrop(
    generator: np.random.Generator, length: float = 120.0, lanes: int = 2, parking: bool = True
) -> tuple[Piece, ...]:
    """Draw the pieces of a straight street (see `street_set`)."""
    return street_set(generator, length, lanes, parking).pieces


def street_set(
    generator: np.random.Generator,
    length: float = 120.0,
    lanes: int = 2,
    parking: bool = True,
    walls: Sequence[SRGB] = WALLS,
) -> Street:
    """Draw a straight street.

    The street goes along x, from -length / 2 to length / 2 m, with its middle at y = 0 and the carriageway at z = 0.
    With ``parking``, there is a strip for parked cars beside the outer lanes. At both ends, houses close the view.
    ``walls`` are the colours of the houses.
    """
    half = lanes * LANE / 2 + (2.1 if parking else 0.3)
    asphalt = Look((1.0, 1.0, 1.0), 0.0, 0.0, textures.plaster(generator, ASPHALT, 256))
    paving = Look((1.0, 1.0, 1.0), 0.0, 0.0, textures.tiles(generator, (0.64, 0.62, 0.59), size=256))
    places = tuple(float((number - (lanes - 1) / 2) * LANE) for number in range(lanes))
    pieces = [slab((length, 2 * half, 0.1), (0, 0, -0.05), asphalt, 4.0)]
    pieces += _markings(length, lanes, half, parking)
    middle = half + 0.15 + PAVEMENT / 2
    for side in (-1, 1):
        pieces.append(slab((length, 0.15, KERB + 0.05), (0, side * (half + 0.075), KERB / 2 - 0.025), _STONE))
        pieces.append(slab((length, PAVEMENT, KERB + 0.05), (0, side * middle, KERB / 2 - 0.025), paving, 2.0))
        pieces += house_row(generator, -length / 2, length / 2, side * (half + 0.15 + PAVEMENT), side, walls)
    pieces += _ends(generator, length, half + 0.15 + PAVEMENT, walls)
    return Street(tuple(pieces), places, (-middle, middle))


def _markings(length: float, lanes: int, half: float, parking: bool) -> Iterator[Piece]:
    """Yield the lines between lanes, and the lines of parking bays."""
    for number in range(1, lanes):
        y = (number - lanes / 2) * LANE
        for x in np.arange(-length / 2 + _PERIOD / 2, length / 2 - _DASH / 2, _PERIOD):
            yield slab((_DASH, _LINE, _THICK), (float(x), y, _THICK / 2), _PAINT)
    for side in (-1, 1):
        y = side * lanes * LANE / 2
        yield slab((length, _LINE, _THICK), (0, y, _THICK / 2), _PAINT)
        if parking:
            for x in np.arange(-length / 2 + 3.0, length / 2, 6.0):
                wide = half - lanes * LANE / 2 - 0.1
                yield slab((0.1, wide, _THICK), (float(x), y + side * (wide / 2 + 0.05), _THICK / 2), _PAINT)


def house_row(
    generator: np.random.Generator,
    first: float,
    last: float,
    y: float,
    side: int,
    walls: Sequence[SRGB] = WALLS,
    is_exact: bool = False,
) -> Iterator[Piece]:
    """Yield the houses on one side of a street, from one x (m) to another.

    Their fronts are at ``y``; ``side`` is 1 if they are behind it, seen from the street, and -1 if they are on the
    other side. If the row must be exact, the last house is no wider than its place; otherwise it may reach beyond.
    """
    x = first
    while x < last - _NARROWEST * is_exact:
        width = float(generator.choice(_WIDTHS))
        if is_exact and last - x - width < _NARROWEST:
            width = last - x
        front = _front(generator, x, width, walls)
        tall = front.storeys * STOREY
        box = slab((width, _DEEP, tall), (x + width / 2, y + side * _DEEP / 2, tall / 2), _wall(front))
        yield _papered(box, 0, x, width, tall)
        yield from _details(front, y, side)
        x += width


def _front(generator: np.random.Generator, start: float, width: float, walls: Sequence[SRGB]) -> _Front:
    storeys = int(generator.integers(2, 6))
    columns = max(2, round(width / 3))
    wall = walls[int(generator.integers(len(walls)))]
    return _Front(start, width, storeys, _facade(generator, storeys, columns, wall))


def _wall(front: _Front) -> Look:
    return Look((1.0, 1.0, 1.0), 0.0, 0.0, front.picture)


def _papered(box: Piece, axis: int, start: float, width: float, tall: float) -> Piece:
    """Stretch the picture of a front once over a box; its first row is at the ground."""
    uv = np.column_stack([(box.vertices[:, axis] - start) / width, box.vertices[:, 2] / tall])
    return Piece(box.vertices, box.faces, uv, box.look)


def _facade(generator: np.random.Generator, storeys: int, columns: int, wall: tuple[float, float, float]) -> np.ndarray:
    """Draw a house front (h, w, 3) uint8 with windows, a door and a plinth.

    The first row is at the ground.
    """
    size = _PIXELS
    picture = np.broadcast_to(wall, (storeys * size, columns * size, 3)).copy()
    picture *= 1 + 0.03 * generator.standard_normal((storeys * size, columns * size, 1))
    frame, sill = np.array((0.90, 0.89, 0.86)), np.array(wall) * 0.72
    door = int(generator.integers(columns))
    for storey in range(storeys):
        for column in range(columns):
            y, x = storey * size, column * size
            cell = picture[y : y + size, x : x + size]
            if storey == 0 and column == door:
                cell[1:24, 9:23] = frame
                cell[1:23, 10:22] = np.array((0.30, 0.20, 0.13)) * generator.uniform(0.7, 1.6)
                cell[17:22, 11:21] = (0.25, 0.32, 0.38)
                continue
            low, high = (8, 25)
            cell[low - 2 : low, 6:26] = sill
            cell[low:high, 7:25] = frame
            glass = np.array((0.24, 0.31, 0.38)) + generator.normal(0, 0.03)
            cell[low + 1 : high - 1, 8:24] = glass
            cell[low + 1 : high - 1, 15:17] = frame
            cell[17:18, 8:24] = frame
            if generator.random() < 0.3:  # curtains
                cell[low + 1 : high - 1, 8:11] = cell[low + 1 : high - 1, 21:24] = (0.82, 0.79, 0.72)
        if storey:
            picture[storey * size : storey * size + 1] *= 0.88
    picture[: size // 8] *= 0.75  # the plinth
    return np.rint(np.clip(picture, 0, 1) * 255).astype(np.uint8)


def _details(front: _Front, y: float, side: int) -> Iterator[Piece]:
    """Yield the cornice and the plinth of a house, which stand out of its front."""
    tall, middle = front.storeys * STOREY, front.start + front.width / 2
    pale = Look((0.78, 0.76, 0.72), 0.0, 0.0)
    yield slab((front.width, 0.5, 0.28), (middle, y - side * 0.05, tall - 0.1), pale)


def _ends(generator: np.random.Generator, length: float, half: float, walls: Sequence[SRGB]) -> Iterator[Piece]:
    """Yield the houses that close the view at both ends of the street."""
    for end in (-1, 1):
        width, storeys = 2 * half + 0.4, 4
        picture = _facade(generator, storeys, max(3, round(width / 3)), walls[int(generator.integers(len(walls)))])
        tall = storeys * STOREY
        place = (end * (length / 2 + 4.5 + _DEEP / 2), 0.0, tall / 2)
        box = slab((_DEEP, width, tall), place, Look((1.0, 1.0, 1.0), 0.0, 0.0, picture))
        yield _papered(box, 1, -width / 2, width, tall)
        yield slab((4.6, width, 0.1), (end * (length / 2 + 2.3), 0.0, -0.05), _STONE)

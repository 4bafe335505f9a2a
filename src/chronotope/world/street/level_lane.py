"""A narrow lane without kerbs between houses, hedges or stalls, with one narrow way that crosses it."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np

from chronotope.world.slabs import slab
from chronotope.world.street.backdrop import WALLS, house_row
from chronotope.world.things import Look, Piece, textures
from chronotope.world.things.colour_table import SRGB
from chronotope.world.things.colours import plain

Border = Literal["houses", "hedges", "stalls"]
HALF, FRONT, WAY = 1.9, 3.7, 1.8  # m: half the lane, from its middle to its borders, and half the way that crosses it
HEDGE, THICK = 3.2, 1.1  # m, height and thickness of hedges
STALL = (5.0, 2.5, 2.5)  # m, length, depth and height of a stall
_EDGE, _RISE = 0.16, 0.004  # m, width and height of the lines at the edges of the lane
_WIDE = 60.0  # m of ground on both sides
_SQUARE = 15.0  # m from the middle of the lane to the houses around a square
_FREE = 4.0  # m between stalls
_AWNINGS = (((0.76, 0.10, 0.10), (0.95, 0.94, 0.90)), ((0.10, 0.36, 0.22), (0.95, 0.94, 0.90)),
            ((0.12, 0.28, 0.62), (0.95, 0.94, 0.90)), ((0.93, 0.66, 0.12), (0.95, 0.94, 0.90)))  # fmt: skip


class LaneLooks(NamedTuple):
    """The colours of a lane: its surface, the ground beside it, the walls of its houses, and its hedges."""

    lane: SRGB
    ground: SRGB
    walls: Sequence[SRGB] = WALLS
    leaf: SRGB = (0.20, 0.36, 0.15)


def lane_set(
    generator: np.random.Generator, reach: tuple[float, float], crossing: float, border: Border, looks: LaneLooks
) -> tuple[Piece, ...]:
    """Draw a lane along x; all ground is at z = 0.

    The lane goes from the first to the last x (m) of ``reach``. Its borders leave a way free that crosses the lane at
    x = ``crossing`` (m); what is on this way is hidden from the lane by the borders. Stalls stand on a square, with
    houses farther away.
    """
    first, last = reach
    middle, length = (first + last) / 2, last - first
    white = (1.0, 1.0, 1.0)
    lane = Look(white, 0.0, 0.0, textures.plaster(generator, looks.lane, 256))
    ground = {
        "houses": lambda: Look(white, 0.0, 0.0, textures.tiles(generator, looks.ground, size=256)),
        "hedges": lambda: Look(white, 0.0, 0.0, textures.carpet(generator, looks.ground, 256)),
        "stalls": lambda: Look(white, 0.0, 0.0, textures.tiles(generator, looks.ground, size=256)),
    }[border]()
    pieces = [slab((length, 2 * HALF, 0.1), (middle, 0, -0.05), lane, 4.0)]
    stone = plain((0.80, 0.79, 0.75), "paper")
    for side in (-1, 1):
        y = side * (HALF + _WIDE / 2)
        pieces.append(slab((length, _WIDE, 0.1), (middle, y, -0.05), ground, 2.0 if border != "hedges" else 5.0))
        pieces.append(slab((length, _EDGE, 2 * _RISE), (middle, side * HALF, 0.0), stone))
        way = (2 * WAY - 0.3, FRONT + 4.0 - HALF, 0.006)
        if border == "hedges":
            pieces.append(slab(way, (crossing, side * (HALF + way[1] / 2), 0.0), lane, 4.0))
        for edge, end in ((crossing - WAY, first), (crossing + WAY, last)):
            pieces += _border(generator, edge, end, side, border, looks)
    return tuple(pieces)


def _border(
    generator: np.random.Generator, edge: float, end: float, side: int, border: Border, looks: LaneLooks
) -> Iterator[Piece]:
    """Yield what stands at one side of the lane.

    The border goes from the ``edge`` of the crossing way to an ``end`` (m).
    """
    low, high = min(edge, end), max(edge, end)
    if border == "houses":
        yield from house_row(generator, low, high, side * FRONT, side, looks.walls, is_exact=True)
    elif border == "hedges":
        leaves = Look((1.0, 1.0, 1.0), 0.0, 0.0, _leaves(generator, looks.leaf))
        place = ((low + high) / 2, side * (FRONT + THICK / 2), HEDGE / 2)
        yield slab((high - low, THICK, HEDGE), place, leaves, 1.6)
    else:
        yield from house_row(generator, low, high, side * _SQUARE, side, looks.walls, is_exact=True)
        for away in np.arange(STALL[0] / 2, high - low - STALL[0] / 2, STALL[0] + _FREE):
            yield from _stall(generator, edge + float(away) * np.sign(end - edge), side)


def _leaves(generator: np.random.Generator, colour: SRGB, size: int = 256) -> np.ndarray:
    """Draw the leaves of a trimmed hedge: small light and dark spots."""
    spots = generator.uniform(0.45, 1.25, (size // 4, size // 4)).repeat(4, axis=0).repeat(4, axis=1)
    fine = generator.uniform(0.85, 1.15, (size, size))
    return np.rint(np.clip(np.asarray(colour) * (spots * fine)[..., None], 0, 1) * 255).astype(np.uint8)


def _stall(generator: np.random.Generator, x: float, side: int) -> Iterator[Piece]:
    """Yield a closed market stall with a striped awning towards the lane."""
    long, deep, tall = STALL
    first, other = _AWNINGS[int(generator.integers(len(_AWNINGS)))]
    middle = side * (FRONT + deep / 2)
    wood = Look((1.0, 1.0, 1.0), 0.1, 0.1, textures.wood(generator, size=256))
    yield slab((long, deep, tall - 0.15), (x, middle, (tall - 0.15) / 2), wood, 1.5)
    cloth = Look((1.0, 1.0, 1.0), 0.0, 0.0, textures.stripes(generator, first, other, 8, 256, upright=True))
    yield slab((long + 0.1, deep + 0.5, 0.16), (x, middle - side * 0.2, tall - 0.08), cloth, 2.4)

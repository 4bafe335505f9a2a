"""The town around landmarks: blocks of houses with gardens, flat-roofed buildings, parks and roads.

The town is a backdrop of few pieces: houses are merged by their colours, and trees by theirs.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from chronotope.errors import InputError
from chronotope.world.slabs import slab
from chronotope.world.things import Look, Piece, textures
from chronotope.world.things.colours import plain
from chronotope.world.things.mesh import Mesh, merge
from chronotope.world.things.thing import finished
from chronotope.world.town.casters import with_caster
from chronotope.world.town.grounds import RIVER
from chronotope.world.town.solids import ASPHALT, GRASS, LEAVES, PAVING, WATER, WHITE, box, gable, look, tree

BLOCK = (110.0, 90.0)  # m, distance of roads along x and y
ROAD, PAVED = 9.0, 2.5  # m, width of a road, and of the pavement on each of its sides
LANE, DASH, LINE = 12.0, 3.5, 0.4  # m, distance, length and width of the dashes on a road
GRAIN = 1e-3  # m, of the vertices
SHORE = 6.0  # m, free ground beside a river
KINDS, SHARES = ("houses", "terraces", "flats", "park"), (0.56, 0.20, 0.14, 0.10)
ROOFS = ((0.58, 0.27, 0.19), (0.47, 0.23, 0.18), (0.34, 0.33, 0.35), (0.53, 0.42, 0.33))
WALLS = (0.82, 0.78, 0.70)
FLAT = ((0.60, 0.60, 0.59), (0.47, 0.48, 0.50), (0.72, 0.70, 0.66))
FURTHEST = 1000.0  # m, largest half side of a town; heights are rounded to a millimetre


class Clearing(NamedTuple):
    """A round place that the town leaves free, for a landmark: its middle and its radius (m)."""

    x: float
    y: float
    radius: float

    def touches(self, x: float, y: float, length: float, width: float) -> bool:
        """Check whether a rectangle about (x, y) reaches into the place."""
        away = np.maximum(np.abs((x - self.x, y - self.y)) - (length / 2, width / 2), 0)
        return bool(np.hypot(*away) < self.radius)


@dataclass
class _Meshes:
    """The meshes of a town by their looks."""

    made: dict[tuple[float, float, float], list[Mesh]] = field(
        default_factory=dict[tuple[float, float, float], list[Mesh]]
    )

    def add(self, colour: tuple[float, float, float], *meshes: Mesh) -> None:
        self.made.setdefault(colour, []).extend(meshes)

    def pieces(self) -> Iterator[Piece]:
        for colour, meshes in self.made.items():
            piece = finished(merge(*meshes), look(colour), GRAIN)
            yield with_caster(piece) if colour in FLAT else piece


def draw_town(
    generator: np.random.Generator,
    half: float,
    clearings: Sequence[Clearing] = (),
    river: float | None = None,
    is_seen: Callable[[float, float], bool] = lambda x, y: True,
) -> tuple[Piece, ...]:
    """Draw a town about the origin, on the ground z = 0.

    The town reaches ``half`` m along x and y, and leaves ``clearings`` free. ``river`` is the x (m) of the middle of a
    river along y, or None; the landmark "bridge" with this x crosses it. Blocks stay empty if ``is_seen`` is false for
    their middle (x, y) m.

    Raises:
        InputError: If the town would be too small or too large.
    """
    if not BLOCK[0] <= half <= FURTHEST:
        raise InputError(
            f"world: a town reaches {half} m from its middle: choose from {BLOCK[0]:.0f} to {FURTHEST:.0f} m"
        )
    grass = Look((1.0, 1.0, 1.0), 0.0, 0.0, textures.carpet(generator, GRASS))
    ground = [slab((2.4 * half, 2.4 * half, 1.0), (0, 0, -0.55), grass, 60.0)]
    if river is not None:
        ground += [slab((RIVER + 8, 2.4 * half, 0.04), (river, 0, -0.04), look((0.55, 0.50, 0.38))),
                   slab((RIVER, 2.4 * half, 0.08), (river, 0, -0.04), look(WATER))]  # fmt: skip
    taken = [*clearings]
    lines = [np.arange(-np.floor(half / step) * step, half + 1, step) for step in BLOCK]
    meshes = _Meshes()
    roads = list(_roads(lines, half, taken, river))
    for x, y in itertools.product(*(line[:-1] + step / 2 for line, step in zip(lines, BLOCK, strict=True))):
        if not is_seen(float(x), float(y)):
            continue
        kind = str(generator.choice(KINDS, p=SHARES))
        {"houses": _houses, "terraces": _terraces, "flats": _flats, "park": _park}[kind](
            generator, meshes, _Block(x, y, taken, river)
        )
    return (*ground, *roads, *meshes.pieces())


class _Block(NamedTuple):
    """The middle of a block between roads, and what is not free in it."""

    x: float
    y: float
    taken: Sequence[Clearing]
    river: float | None

    def is_free(self, x: float, y: float, length: float, width: float) -> bool:
        """Check whether a rectangle about (x, y), counted from the middle of the block, is free."""
        place = self.x + x, self.y + y
        wet = self.river is not None and abs(place[0] - self.river) < RIVER / 2 + SHORE + length / 2
        return not wet and not any(spot.touches(*place, length, width) for spot in self.taken)


def _roads(lines: Sequence[np.ndarray], half: float, taken: Sequence[Clearing], river: float | None) -> Iterator[Piece]:
    """Pave the roads between crossings, except where they would meet a clearing or the river."""
    along_x = [(x + BLOCK[0] / 2, y, BLOCK[0] + ROAD, ROAD) for x in lines[0][:-1] for y in lines[1]]
    along_y = [(x, y + BLOCK[1] / 2, ROAD, BLOCK[1] + ROAD) for x in lines[0] for y in lines[1][:-1]]
    free = [road for road in (*along_x, *along_y) if _Block(0, 0, taken, river).is_free(*road)]
    paved = [
        (x, y, length + 2 * PAVED * (length == ROAD), width + 2 * PAVED * (width == ROAD))
        for x, y, length, width in free
    ]
    yield _flat(paved, 0.02, PAVING)
    yield _flat(free, 0.05, ASPHALT)
    dashes = [
        (x + off, y, DASH, LINE) if length > width else (x, y + off, LINE, DASH)
        for x, y, length, width in free
        for off in np.arange(-max(length, width) / 2 + 15, max(length, width) / 2 - 14, LANE)
    ]
    yield _flat(dashes, 0.08, WHITE)


def _flat(
    rectangles: Iterable[tuple[float, float, float, float]], height: float, colour: tuple[float, float, float]
) -> Piece:
    """Make one piece of flat rectangles (x, y, length, width) at a height; only their tops have faces."""
    given = np.array(list(rectangles), float).reshape(-1, 4)
    signs = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    corners = given[:, None, :2] + signs * given[:, None, 2:] / 2
    vertices = np.concatenate([corners, np.full((*corners.shape[:2], 1), height)], axis=2).reshape(-1, 3)
    faces = (4 * np.arange(len(given))[:, None, None] + np.array([(0, 1, 2), (0, 2, 3)])).reshape(-1, 3)
    return Piece(vertices, faces, None, plain(colour, "paper"))


def _houses(generator: np.random.Generator, meshes: _Meshes, block: _Block) -> None:
    """Build three rows of single houses with gardens and trees."""
    for column, row in itertools.product(range(5), range(3)):
        x, y = -40 + 20 * column + generator.uniform(-1.5, 1.5), -28 + 28 * row + generator.uniform(-2, 2)
        length, width = generator.uniform(10, 14), generator.uniform(8, 10.5)
        low, rise = float(generator.choice([3.2, 6.0])), float(generator.uniform(2.6, 3.8))
        turned, roof = bool(generator.integers(2)), ROOFS[int(generator.integers(4))]
        crown = generator.uniform((-8, 7, 2.2, 6), (8, 11, 3.6, 10))
        leaf = LEAVES[int(generator.integers(3))]
        sides = (width, length) if turned else (length, width)
        if block.is_free(x, y, *sides):
            place = block.x + x, block.y + y
            meshes.add(WALLS, box(*place, *sides, 0, low))
            meshes.add(roof, gable(*place, length + 0.8, width + 0.8, low, rise, "y" if turned else "x"))
        if block.is_free(x + crown[0], y + crown[1], 8, 8):
            meshes.add(leaf, tree(block.x + x + crown[0], block.y + y + crown[1], crown[2], crown[3]))


def _terraces(generator: np.random.Generator, meshes: _Meshes, block: _Block) -> None:
    """Build two long rows of houses along the roads, with trees in the yard."""
    roof = ROOFS[int(generator.integers(4))]
    for row in (-1, 1):
        low = float(generator.uniform(7, 11))
        for part in range(4):
            x, y = -36 + 24 * part, 29.0 * row
            if block.is_free(x, y, 24, 11):
                meshes.add(WALLS, box(block.x + x, block.y + y, 23.6, 11, 0, low))
                meshes.add(roof, gable(block.x + x, block.y + y, 23.8, 11.8, low, 4.0))
    for x in np.arange(-40, 41, 13.0):
        crown, leaf = generator.uniform((-6, 2.6, 7), (6, 4.2, 11)), LEAVES[int(generator.integers(3))]
        if block.is_free(x, crown[0], 8, 8):
            meshes.add(leaf, tree(block.x + x, block.y + crown[0], crown[1], crown[2]))


def _flats(generator: np.random.Generator, meshes: _Meshes, block: _Block) -> None:
    """Build larger buildings with flat roofs, parapets and machines on top."""
    for column, row in itertools.product((-1, 1), (-1, 1)):
        x, y = 23.0 * column, 18.5 * row
        length, width, tall = generator.uniform((28, 20, 9), (38, 28, 24))
        roof, off = FLAT[int(generator.integers(3))], generator.uniform((-7, -5), (7, 5))
        if block.is_free(x, y, length, width):
            place = block.x + x, block.y + y
            meshes.add((0.70, 0.66, 0.60), box(*place, length, width, 0, tall))
            meshes.add(roof, box(*place, length - 1.2, width - 1.2, tall - 0.2, tall + 0.3))
            meshes.add((0.80, 0.80, 0.79), box(place[0] + off[0], place[1] + off[1], 4.5, 3.5, tall, tall + 2.4))


def _park(generator: np.random.Generator, meshes: _Meshes, block: _Block) -> None:
    """Plant trees at random places."""
    for _ in range(26):
        x, y, radius, height = generator.uniform((-45, -34, 2.6, 7), (45, 34, 4.6, 13))
        leaf = LEAVES[int(generator.integers(3))]
        if block.is_free(x, y, 10, 10):
            meshes.add(leaf, tree(block.x + x, block.y + y, radius, height))

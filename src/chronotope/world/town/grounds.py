"""Landmarks that lie flat: roundabout, swimming pool, bridge over a river, fountain, tennis courts, hedge maze."""

import itertools

import numpy as np

from chronotope.world.things.mesh import ellipsoid, lathe, merge, moved, tube
from chronotope.world.town.solids import (
    ASPHALT,
    GRASS,
    GRAVEL,
    LEAVES,
    PAVING,
    STONE,
    WATER,
    WHITE,
    Parts,
    Plan,
    box,
    cars,
    cone,
    drum,
    lawn,
    look,
    tree,
)

RIVER = 44.0  # m, width of the river under the bridge, along y
_POOL = (0.20, 0.68, 0.82)


def roundabout(generator: np.random.Generator) -> Parts:
    """Make a roundabout of 64 m with a green island, four roads and cars.

    The roads reach 65 m from the middle.
    """
    plan = lawn((130, 130), 6.0)
    for flat in (True, False):
        plan.rectangle(PAVING, 0, 0, *((130, 18) if flat else (18, 130)))
    plan.disc(PAVING, 0, 0, 35)
    for flat in (True, False):
        plan.rectangle(ASPHALT, 0, 0, *((130, 12) if flat else (12, 130)))
    plan.disc(ASPHALT, 0, 0, 32)
    plan.disc(WHITE, 0, 0, 16.6)
    plan.disc(GRASS, 0, 0, 16)
    plan.ring((0.86, 0.72, 0.18), 0, 0, 11, 2.0)  # a bed of flowers
    turns = np.linspace(0, 2 * np.pi, 33)[:-1]
    for first, last in zip(turns, turns + 0.12, strict=True):  # the dashes between two lanes
        arc = np.array([(np.cos(t), np.sin(t)) for t in (first, last)])
        plan.fill(WHITE, np.concatenate([arc * 24.3, arc[::-1] * 23.8]))
    for far, sign, flat in itertools.product(np.arange(40, 64, 6.0), (-1, 1), (True, False)):
        plan.rectangle(WHITE, *((sign * far, 0) if flat else (0, sign * far)), *((3, 0.5) if flat else (0.5, 3)))
    for off, sign, flat in itertools.product(np.arange(-5, 5.1, 2.0), (-1, 1), (True, False)):
        plan.rectangle(
            WHITE, *((sign * 35.5, off) if flat else (off, sign * 35.5)), *((3.4, 1.0) if flat else (1.0, 3.4))
        )
    middle = merge(drum(0, 0, 3.5, 0.1, 1.2, 24), tree(0, 0, 4.5, 11))
    bushes = merge(*(tree(8 * np.cos(t), 8 * np.sin(t), 1.4, 2.4) for t in turns[::4]))
    angles = generator.uniform(0, 360) + np.array([0, 75, 140, 215, 300])
    places = [
        (radius * np.cos(np.radians(a)), radius * np.sin(np.radians(a)), a + 90)
        for radius, a in zip((20, 28, 20, 28, 20), angles, strict=True)
    ]
    places += [(48, 3, 180), (-52, -3, 0), (3, -50, 90), (-3, 55, 270)]
    return [plan.slab(), (merge(middle, bushes), look(LEAVES[1])), *cars(generator, places, 0.1)]


def swimming_pool(generator: np.random.Generator) -> Parts:
    """Make an open-air pool of 50 m with lanes, on a lawn.

    Beside it are a round pool for children, a slide, parasols and towels.
    """
    plan = lawn((92, 62), 8.0)
    plan.rectangle((0.84, 0.79, 0.69), 0, 4, 66, 40)
    plan.rectangle(_POOL, 0, 8, 50, 21)
    plan.frame(WHITE, 0, 8, 51.2, 22.2, 0.6)
    for lane in range(1, 8):
        y = 8 - 10.5 + lane * 21 / 8
        for piece in range(25):
            plan.rectangle((0.85, 0.15, 0.15) if piece % 2 else WHITE, -24 + 2 * piece, y, 2.0, 0.32)
    plan.disc(WHITE, 24, -10.5, 5.6)
    plan.disc(_POOL, 24, -10.5, 5.0)
    towel = ((0.85, 0.20, 0.25), (0.20, 0.35, 0.75), (0.95, 0.80, 0.20), (0.95, 0.95, 0.95), (0.90, 0.45, 0.15))
    for number in range(26):
        x, y = generator.uniform((-42, -29), (42, -19))
        plan.rectangle(towel[number % 5], x, y, 1.1, 2.1)
    blocks = merge(*(box(-26.2, 8 - 10.5 + (lane + 0.5) * 21 / 8, 0.8, 0.8, 0.1, 0.9) for lane in range(8)))
    house = box(-40.5, 8, 7, 34, 0, 4)
    parts: Parts = [plan.slab(), (blocks, look(WHITE)), (house, look((0.78, 0.74, 0.68)))]
    for number in range(9):
        x, y = -28 + 6.4 * number, -13.5 - 1.2 * (number % 2)
        if x > 15:
            x, y = -28 + 6.4 * (number - 7), 23.0
        parts.append((moved(cone(0, 0, 1.7, 2.1, 0.7, 12), by=(x, y, 0)), look(towel[number % 5])))
    slide = tube(np.array([(30.5, 2, 0.8), (33, 4, 2.2), (32, 8, 3.4), (29.5, 8.5, 4.4)]), 0.6, 10)
    return [*parts, (slide, look((0.95, 0.75, 0.10), "plastic"))]


def bridge(generator: np.random.Generator) -> Parts:
    """Make a suspension bridge of 130 m along x over a river along y.

    A road hangs from white cables between two towers.
    """
    length, deck = 130.0, 13.0
    plan = Plan((length, deck), ASPHALT, 6.0)
    for sign in (-1, 1):
        plan.rectangle((0.70, 0.68, 0.66), 0, sign * (deck / 2 - 0.9), length, 1.8)
        plan.rectangle(WHITE, 0, sign * 4.4, length, 0.3)
    for x in np.arange(-62, 63, 6.0):
        plan.rectangle(WHITE, x, 0, 3, 0.35)
    ground = Plan((length, 150), GRASS, 3.0)
    ground.rectangle((0.55, 0.50, 0.38), 0, 0, RIVER + 8, 150)
    ground.rectangle(WATER, 0, 0, RIVER, 150)
    tone = look((0.72, 0.16, 0.10) if generator.random() < 0.5 else (0.80, 0.81, 0.82), "metal")
    towers = [box(x, y, 3, 2, 0, 34) for x, y in itertools.product((-18, 18), (-7.4, 7.4))]
    towers += [box(x, 0, 2.4, 13, z, z + 1.6) for x, z in itertools.product((-18, 18), (22.0, 31.5))]
    along = np.linspace(-52, 52, 41)
    sag = np.where(np.abs(along) <= 18, 11 + 22.5 * (along / 18) ** 2, 33.5 - 24.5 * (np.abs(along) - 18) / 34)
    cables = [tube(np.column_stack([along, np.full(41, y), sag]), 0.45, 6) for y in (-7.4, 7.4)]
    hangers = [
        box(x, y, 0.3, 0.3, 8, top)
        for (x, top), y in itertools.product(zip(along[2:-2], sag[2:-2], strict=True), (-7.4, 7.4))
        if top > 8.6
    ]
    ramps = [box(s * 50, 0, 30, deck, 0, 7) for s in (-1, 1)]
    road, surface = plan.slab(7.0, 8.0)
    places = [(-40, 2.2, 180), (-6, -2.2, 0), (12, 2.2, 180), (44, -2.2, 0)]
    boat = merge(moved(ellipsoid((8, 2.4, 1.4), 16), by=(0, 0, 0.6)), box(-1, 0, 6, 2.6, 1.2, 3.0))
    return [
        ground.slab(),
        (merge(*ramps), look(STONE)),
        (road, surface),
        (merge(*towers), tone),
        (merge(*cables, *hangers), look(WHITE, "metal")),
        (moved(boat, by=(4, -46, 0)), look(WHITE)),
        *cars(generator, places, 8.0),
    ]


def fountain_square(generator: np.random.Generator) -> Parts:
    """Make a fountain of 24 m in a paved square with rays.

    The square is 76 m wide and has trees and benches.
    """
    plan = Plan((76, 76), (0.74, 0.68, 0.58), 6.0)
    for ray in np.arange(16) * 22.5:
        a, b = np.radians((ray - 3.4, ray + 3.4))
        plan.fill((0.58, 0.46, 0.38), [(0, 0), (34 * np.cos(a), 34 * np.sin(a)), (34 * np.cos(b), 34 * np.sin(b))])
    plan.ring((0.58, 0.46, 0.38), 0, 0, 36, 2.0)
    basin = lathe([(10.6, 0.1), (12, 0.1), (12, 1.1), (10.6, 1.1)], 48, closed=True)
    middle = lathe(
        [
            (3.4, 0.1),
            (3.4, 0.8),
            (1.0, 1.2),
            (0.9, 3.0),
            (4.6, 3.6),
            (4.8, 4.2),
            (0.8, 3.9),
            (0.7, 5.6),
            (2.2, 6.0),
            (2.3, 6.4),
            (0, 6.3),
        ],
        32,
    )
    water = merge(drum(0, 0, 10.7, 0.1, 0.75, 48), drum(0, 0, 4.4, 3.9, 4.1, 32), drum(0, 0, 2.1, 6.2, 6.35, 24))
    jets = []
    for turn in np.arange(12) * 30.0:
        t = np.radians(turn)
        share = np.linspace(0, 1, 9)
        out = 9.4 - 6.0 * share
        jets.append(
            tube(np.column_stack([out * np.cos(t), out * np.sin(t), 0.8 + 12.5 * share * (1 - share)]), 0.17, 6)
        )
    jets.append(cone(0, 0, 0.5, 6.3, 5.0, 10))
    trees = merge(*(tree(x * 32, y * 32, 4.0, 9) for x, y in itertools.product((-1, 1), (-1, 1))))
    turns = np.radians(np.arange(8) * 45 + 22.5)
    benches = merge(*(box(20 * np.cos(t), 20 * np.sin(t), 2.4, 2.4, 0.1, 0.6) for t in turns))
    return [
        plan.slab(),
        (merge(basin, middle), look((0.80, 0.78, 0.74))),
        (water, look((0.22, 0.58, 0.74), "glass")),
        (merge(*jets), look((0.93, 0.97, 1.0))),
        (trees, look(LEAVES[0])),
        (benches, look((0.42, 0.28, 0.16))),
    ]


def tennis_courts(generator: np.random.Generator) -> Parts:
    """Make four tennis courts side by side with white lines and nets; 80 m wide."""
    clay = generator.random() < 0.5
    outside, inside = ((0.62, 0.30, 0.18), (0.70, 0.36, 0.22)) if clay else ((0.16, 0.40, 0.26), (0.18, 0.32, 0.58))
    plan = lawn((84, 48), 8.0)
    plan.rectangle(outside, 0, 0, 78, 40)
    nets = []
    for number in range(4):
        x = -29.25 + 19.5 * number
        plan.rectangle(inside, x, 0, 10.97, 23.77)
        plan.frame(WHITE, x, 0, 10.97, 23.77, 0.22)
        for sign in (-1, 1):
            plan.rectangle(WHITE, x + sign * 4.115, 0, 0.22, 23.77)
            plan.rectangle(WHITE, x, sign * 6.4, 8.23, 0.22)
        plan.rectangle(WHITE, x, 0, 0.22, 12.8)
        nets += [box(x, 0, 12.6, 0.16, 0.3, 1.0)]
    fence = [box(0, s * 20, 78, 0.2, 0.1, 3) for s in (-1, 1)] + [box(s * 39, 0, 0.2, 40, 0.1, 3) for s in (-1, 1)]
    return [plan.slab(), (merge(*nets), look((0.92, 0.92, 0.92))), (merge(*fence), look((0.12, 0.26, 0.18), "metal"))]


def hedge_maze(generator: np.random.Generator) -> Parts:
    """Make a maze of hedges around a small round pavilion, 62 m wide.

    Its ways join all cells.
    """
    count, cell = 11, 5.2
    half = count * cell / 2
    plan = Plan((2 * half + 12, 2 * half + 12), GRAVEL, 6.0)
    walls = _maze(generator, count)
    hedges = []
    for row, column, side in walls:
        x, y = (column - (count - 1) / 2) * cell, (row - (count - 1) / 2) * cell
        if side == "right":
            hedges.append(box(x + cell / 2, y, 1.8, cell + 1.8, 0.1, 3.0))
        else:
            hedges.append(box(x, y + cell / 2, cell + 1.8, 1.8, 0.1, 3.0))
    hedges += [box(0, half, 2 * half + 1.8, 1.8, 0.1, 3.0), box(cell / 2, -half, 2 * half - cell, 1.8, 0.1, 3.0)]
    hedges += [box(s * half, 0, 1.8, 2 * half + 1.8, 0.1, 3.0) for s in (-1, 1)]
    pavilion = merge(drum(0, 0, 1.6, 0.1, 3.4, 16))
    return [
        plan.slab(),
        (merge(*hedges), look((0.15, 0.34, 0.13))),
        (pavilion, look(WHITE)),
        (cone(0, 0, 2.3, 3.4, 1.8, 16), look((0.70, 0.20, 0.16))),
    ]


def _maze(generator: np.random.Generator, count: int) -> list[tuple[int, int, str]]:
    """Return the walls (row, column, side) that are left when ways join all cells of a square."""
    inner = [
        (row, column, side)
        for row, column in itertools.product(range(count), repeat=2)
        for side in ("right", "up")
        if (column if side == "right" else row) < count - 1
    ]
    group = np.arange(count * count)
    kept = []
    for number in generator.permutation(len(inner)):
        row, column, side = inner[number]
        first, second = row * count + column, row * count + column + (1 if side == "right" else count)
        if group[first] == group[second]:
            kept.append(inner[number])
        else:
            group[group == group[second]] = group[first]
    return kept

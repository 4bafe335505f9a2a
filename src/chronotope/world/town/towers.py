"""Tall landmarks that are known by their side: lighthouse, windmill, water tower, big wheel."""

import itertools

import numpy as np

from chronotope.world.things.mesh import block, cylinder, ellipsoid, lathe, loft, merge, moved, ring, tube, turned
from chronotope.world.town.solids import GRASS, PAVING, WATER, WHITE, Parts, Plan, box, cone, drum, gable, look

_RED = (0.78, 0.10, 0.09)
_CABINS = (
    (0.85, 0.15, 0.15),
    (0.15, 0.35, 0.75),
    (0.95, 0.78, 0.12),
    (0.15, 0.60, 0.30),
    (0.92, 0.48, 0.10),
    (0.55, 0.25, 0.62),
)


def lighthouse(generator: np.random.Generator) -> Parts:
    """Make a lighthouse of 34 to 40 m with red and white bands.

    The lighthouse and the house of its keeper are on a rock in the sea.
    """
    tall = float(generator.uniform(34, 40))
    sea = Plan((110, 110), WATER, 3.0)
    turn = np.linspace(0, 2 * np.pi, 41)[:-1]
    shore = 1 + 0.09 * np.sin(3 * turn + generator.uniform(0, 6)) + 0.05 * np.sin(7 * turn)
    outline = np.column_stack([np.cos(turn), np.sin(turn)]) * shore[:, None]
    sea.fill((0.85, 0.91, 0.93), outline * 27.5)
    sea.fill((0.48, 0.45, 0.40), outline * 26)
    levels = [(25.5, 0.0), (22, 2.2), (17, 3.2), (11, 4.0)]
    rock = loft(np.array([np.column_stack([outline * r, np.full(40, z)]) for r, z in levels]))
    edges = np.linspace(4, 4 + tall, 8)
    radii = np.interp(edges, [4, 4 + tall], [5.0, 3.2])
    pairs = itertools.pairwise(zip(radii, edges, strict=True))
    bands = [lathe([(0, low[1]), low, high, (0, high[1])], 32) for low, high in pairs]
    top = 4 + tall
    gallery = drum(0, 0, 4.6, top, top + 0.7)
    rail = moved(lathe([(4.3, 0), (4.5, 0), (4.5, 1.2), (4.3, 1.2)], 32, closed=True), by=(0, 0, top + 0.7))
    lamp = drum(0, 0, 2.4, top + 0.7, top + 4.2, 20)
    cap = cone(0, 0, 3.1, top + 4.2, 2.6)
    house, roof = box(-11, 2, 9, 6, 3.0, 7.5), gable(-11, 2, 10, 7, 7.5, 3)
    red, white = look(_RED), look(WHITE)
    return [
        sea.slab(),
        (rock, look((0.44, 0.41, 0.36))),
        (merge(*bands[::2], cap, roof), red),
        (merge(*bands[1::2], house), white),
        (merge(gallery, rail), look((0.15, 0.15, 0.17), "metal")),
        (lamp, look((1.0, 0.92, 0.55), "glass")),
    ]


def windmill(generator: np.random.Generator) -> Parts:
    """Make a windmill of 29 m with a cap and four sails.

    Eight walls narrow upwards, and the sails are at the front (+x).
    """
    grass = Plan((44, 44), GRASS, 4.0)
    grass.rectangle((0.68, 0.58, 0.42), 12, 0, 20, 5)
    body = lathe([(0, 3.5), (5.2, 3.5), (3.1, 17.5), (0, 17.5)], 8)
    base = lathe([(0, 0), (6.4, 0), (6.2, 3.6), (0, 3.6)], 8)
    gallery = moved(lathe([(5.0, 0), (8.2, 0), (8.2, 0.5), (5.0, 0.5)], 8, closed=True), by=(0, 0, 5.2))
    cap = moved(ellipsoid((4.2, 3.5, 3.6), 24, flattened=0.5), by=(0, 0, 17.5 + 0.02))
    hub = np.array([5.2, 0.0, 18.6])
    shaft = moved(cylinder(0.5, 3.4, "x", 0.05, 12), by=hub - (1.2, 0, 0))
    lean = float(generator.uniform(20, 60))
    cloth, wood = [], []
    for turn in (0, 90, 180, 270):
        spar = box(0, 0, 0.35, 0.4, 0.0, 11.6)
        laths = [box(0, 0.95, 0.2, 2.3, z, z + 0.16) for z in np.arange(2.2, 11.6, 1.15)]
        laths += [box(0, y, 0.2, 0.16, 2.2, 11.5) for y in (1.2, 2.1)]
        sheet = box(-0.12, 1.1, 0.06, 1.9, 2.2, 11.4)
        wood += [moved(turned(mesh, "x", turn + lean), by=hub) for mesh in (spar, *laths)]
        cloth.append(moved(turned(sheet, "x", turn + lean), by=hub))
    door, windows = (
        box(6.1, 0, 0.5, 2.0, 0.1, 2.8),
        merge(*(box(4.7 - 0.15 * k, 0, 0.8, 1.1, 7.5 + 3.5 * k, 9 + 3.5 * k) for k in range(3))),
    )
    return [
        grass.slab(),
        (merge(body), look((0.86, 0.83, 0.76))),
        (base, look((0.56, 0.32, 0.24))),
        (cap, look((0.34, 0.22, 0.15))),
        (merge(gallery, shaft, *wood), look((0.36, 0.24, 0.15))),
        (merge(*cloth), look((0.93, 0.90, 0.82))),
        (merge(door, windows), look((0.14, 0.20, 0.16))),
    ]


def water_tower(generator: np.random.Generator) -> Parts:
    """Make a water tower of 36 to 42 m on six braced legs.

    The round tank has a conical roof.
    """
    tall = float(generator.uniform(25, 30))
    ground = Plan((40, 40), GRASS, 3.0)
    ground.disc(PAVING, 0, 0, 13)
    turns = np.arange(6) * np.pi / 3
    legs = [
        tube(np.array([(9.5 * np.cos(t), 9.5 * np.sin(t), 0), (7 * np.cos(t), 7 * np.sin(t), tall + 1)]), 0.42, 8)
        for t in turns
    ]
    braces = []
    for level, (t, u) in itertools.product((0.0, 0.5), zip(turns, np.roll(turns, -1), strict=True)):
        a, b = 9.5 - 2.5 * level, 9.5 - 2.5 * (level + 0.5)
        low, high = tall * level, tall * (level + 0.5)
        braces.append(
            tube(np.array([(a * np.cos(t), a * np.sin(t), low + 0.3), (b * np.cos(u), b * np.sin(u), high)]), 0.16, 6)
        )
        braces.append(
            tube(np.array([(a * np.cos(u), a * np.sin(u), low + 0.3), (b * np.cos(t), b * np.sin(t), high)]), 0.16, 6)
        )
    pipe = drum(0, 0, 1.1, 0, tall, 16)
    tank = lathe(
        [(0, tall - 2.5), (3, tall - 2.2), (7.2, tall), (7.6, tall + 1), (7.6, tall + 8.5), (0, tall + 8.5)], 40
    )
    band = lathe([(7.5, tall + 3.4), (7.75, tall + 3.4), (7.75, tall + 6.2), (7.5, tall + 6.2)], 40, closed=True)
    walk = lathe([(7.5, tall + 0.8), (8.8, tall + 0.8), (8.8, tall + 1.1), (7.5, tall + 1.1)], 40, closed=True)
    roof = merge(cone(0, 0, 8.1, tall + 8.5, 3.6, 40), moved(ellipsoid(0.8, 12), by=(0, 0, tall + 12.2)))
    steel = look((0.55, 0.57, 0.60), "metal")
    tone = ((0.62, 0.76, 0.84), (0.90, 0.90, 0.88))[int(generator.integers(2))]
    return [
        ground.slab(),
        (merge(*legs, *braces, pipe, walk), steel),
        (tank, look(tone, "metal")),
        (band, look(_RED, "metal")),
        (roof, look((0.36, 0.40, 0.46), "metal")),
    ]


def big_wheel(generator: np.random.Generator) -> Parts:
    """Make a big wheel of 50 to 60 m with spokes and 24 cabins of many colours.

    The front of the wheel is +x.
    """
    radius = float(generator.uniform(25, 30))
    hub, count = radius + 5.0, 24
    square = Plan((50, 2 * radius + 10), PAVING, 4.0)
    square.frame((0.54, 0.50, 0.46), 0, 0, 46, 2 * radius + 6, 1.0)
    rims = [
        tube(ring(r, 72)[:, [2, 0, 1]] + (x, 0, hub), 0.32, 6, closed=True, up=(1, 0, 0))
        for x, r in ((-1.4, radius), (1.4, radius), (0, radius - 1.6))
    ]
    turns = np.arange(count) * 2 * np.pi / count
    spokes, ties, cabins = [], [], []
    for t in turns:
        out = np.array([0, np.cos(t), np.sin(t)])
        spokes += [
            tube(np.array([(0, 0, hub) + (x * 0.9, 0, 0) * np.ones(3), (x, 0, hub) + out * radius]), 0.10, 5)
            for x in (-1.4, 1.4)
        ]
        ties.append(
            box(
                0, float(radius * np.cos(t)), 3.0, 0.3, hub + radius * np.sin(t) - 0.15, hub + radius * np.sin(t) + 0.15
            )
        )
        cabins.append(moved(block((2.6, 2.4, 2.5), 0.5), by=(0, radius * np.cos(t), hub + radius * np.sin(t) - 1.8)))
    axle = moved(cylinder(1.1, 6.4, "x", 0.1, 20), by=(0, 0, hub))
    legs = [
        tube(np.array([(x * 3.0, 0, hub), (x * 7.0, y * 0.46 * radius, 0)]), 0.62, 8)
        for x, y in itertools.product((-1, 1), (-1, 1))
    ]
    booth = box(14, 0, 8, 9, 0, 4)
    parts: Parts = [
        square.slab(),
        (merge(*rims, *spokes, *ties), look(WHITE, "metal")),
        (merge(axle, *legs), look((0.16, 0.28, 0.52), "metal")),
        (booth, look(_RED)),
    ]
    return parts + [(merge(*cabins[k :: len(_CABINS)]), look(tone, "plastic")) for k, tone in enumerate(_CABINS)]

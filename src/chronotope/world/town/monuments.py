"""Large buildings that are known by their outline: stadium, church, pyramid, tower with a helipad, castle."""

import itertools

import numpy as np

from chronotope.world.things.mesh import lathe, merge, moved
from chronotope.world.town.solids import (
    GRASS,
    PAVING,
    STONE,
    WATER,
    WHITE,
    Parts,
    Plan,
    box,
    cone,
    drum,
    gable,
    lawn,
    look,
    pyramid,
    tree,
)

_SLATE, _TILE, _COPPER = (0.27, 0.30, 0.36), (0.55, 0.25, 0.18), (0.30, 0.52, 0.44)
_SEATS = ((0.68, 0.10, 0.12), (0.10, 0.24, 0.58), (0.78, 0.56, 0.08))


def stadium(generator: np.random.Generator) -> Parts:
    """Make an oval stadium of about 240 m with a ring of roof.

    The stands are around a striped pitch with white lines.
    """
    oval = (1.0, float(generator.uniform(0.78, 0.84)), 1.0)
    pitch = Plan((150, 112), (0.60, 0.24, 0.17), 4.0)
    for number in range(10):  # mown stripes
        tone = (0.22, 0.50, 0.20) if number % 2 else (0.27, 0.57, 0.24)
        pitch.rectangle(tone, -51.75 + 11.5 * number, 0, 11.5, 76)
    pitch.frame(WHITE, 0, 0, 105, 68, 0.8)
    pitch.rectangle(WHITE, 0, 0, 0.8, 68)
    pitch.ring(WHITE, 0, 0, 9.6, 0.8)
    for sign in (-1, 1):
        pitch.frame(WHITE, sign * 44.25, 0, 16.5, 40.3, 0.7)
        pitch.frame(WHITE, sign * 49.75, 0, 5.5, 18.3, 0.7)
    seats = moved(
        lathe([(66, 0), (112, 0), (112, 26), (109, 26), (92, 15), (91, 12), (66, 1.5)], 64, closed=True), scale=oval
    )
    roof = moved(lathe([(88, 30), (118, 26), (118, 28.5), (88, 32)], 64, closed=True), scale=oval)
    turns = np.linspace(0, 2 * np.pi, 25)[:-1]
    posts = [box(114 * np.cos(t), 114 * oval[1] * np.sin(t), 2.4, 2.4, 0, 27) for t in turns]
    base = drum(0, 0, 1, 0, 0.3, 64)
    return [
        pitch.slab(0.3, 0.5),
        (moved(base, scale=(132, 132 * oval[1], 1)), look(PAVING)),
        (seats, look(_SEATS[generator.integers(3)], "plastic")),
        (roof, look(WHITE, "metal")),
        (merge(*posts), look((0.70, 0.70, 0.72))),
    ]


def church(generator: np.random.Generator) -> Parts:
    """Make a church of 70 m in the form of a cross.

    The church has a nave, a transept, an apse, and a tower with a pointed roof.
    """
    wall, roof = look(STONE), look(_SLATE if generator.random() < 0.5 else _TILE)
    side = float(generator.uniform(17, 20))
    nave = merge(
        box(4, 0, 56, side, 0, 15),
        box(14, 0, side, 46, 0, 15),
        drum(32, 0, side / 2 - 0.5, 0, 12, 24),
        box(-28, 0, 13, 13, 0, 38),
    )
    roofs = merge(
        gable(4, 0, 57, side + 1, 15, 12), gable(14, 0, 47, side + 1, 15, 12, "y"), cone(32, 0, side / 2, 12, 8)
    )
    spire = pyramid(-28, 0, 14, 14, 38, 30)
    windows = merge(
        *(box(x, sign * (side / 2), 2.2, 0.4, 4, 11) for x, sign in itertools.product((-16, -9, -2, 27), (-1, 1)))
    )
    door = box(-34.6, 0, 0.4, 4, 0, 6)
    cross = merge(box(-28, 0, 0.6, 0.6, 67, 73), box(-28, 0, 0.6, 3.4, 70, 70.6))
    yard = lawn((96, 66), 4.0)
    yard.rectangle(PAVING, -41, 0, 14, 10)
    yard.frame(PAVING, 0, 0, 84, 56, 3.0)
    trees = merge(*(tree(x, sign * 29, 4.0, 10) for x, sign in itertools.product((-20, -6, 34), (-1, 1))))
    gold = look((0.85, 0.68, 0.22), "metal")
    return [
        yard.slab(),
        (nave, wall),
        (roofs, roof),
        (spire, look(_COPPER)),
        (merge(windows, door), look((0.16, 0.16, 0.20))),
        (cross, gold),
        (trees, look((0.17, 0.32, 0.13))),
    ]


def pyramid_hall(generator: np.random.Generator) -> Parts:
    """Make a glass pyramid of 40 to 50 m on a paved square.

    The pyramid has light bars, and three small pyramids are beside it.
    """
    side = float(generator.uniform(40, 50))
    rise = 0.62 * side
    square = Plan((side + 44, side + 44), PAVING, 4.0)
    half = (side + 44) / 2
    for number in range(1, 6):
        place = -half + number * 2 * half / 6
        square.rectangle((0.55, 0.52, 0.48), place, 0, 0.7, 2 * half)
        square.rectangle((0.55, 0.52, 0.48), 0, place, 2 * half, 0.7)
    glass = pyramid(0, 0, side, side, 0.1, rise)
    bars = []
    for share, sign, turn in itertools.product(np.linspace(0, 1, 9)[:-1], (-1, 1), (0, 1)):
        reach = side / 2 * (1 - share)
        low = 0.1 + rise * share
        size = (2 * reach, 0.5) if turn else (0.5, 2 * reach)
        place = (0, sign * reach) if turn else (sign * reach, 0)
        bars.append(box(*place, *size, low, low + 0.6))
    small = merge(
        *(pyramid(x, y, 9, 9, 0.1, 5.5) for x, y in ((side / 2 + 12, 0), (0, side / 2 + 12), (0, -side / 2 - 12)))
    )
    return [
        square.slab(),
        (glass, look((0.36, 0.54, 0.66), "glass")),
        (merge(*bars), look((0.88, 0.90, 0.92), "metal")),
        (small, look((0.36, 0.54, 0.66), "glass")),
    ]


def helipad(generator: np.random.Generator) -> Parts:
    """Make a tower of 70 to 100 m with a round pad on its roof.

    The pad has a white H in a yellow ring.
    """
    side, tall = generator.uniform((38, 70), (46, 100))
    body = box(0, 0, side, side, 0, tall)
    floors = [box(0, 0, side + 0.5, side + 0.5, z, z + 1.4) for z in np.arange(4, tall - 2, 4.0)]
    pad = Plan((34, 34), (0.46, 0.47, 0.48), 14.0)
    pad.disc((0.20, 0.24, 0.22), 0, 0, 17)
    pad.ring((0.98, 0.83, 0.10), 0, 0, 15.6, 1.5)
    for x in (-4.2, 4.2):
        pad.rectangle(WHITE, x, 0, 2.5, 15)
    pad.rectangle(WHITE, 0, 0, 8.4, 2.5)
    rim = [box(0, s * side / 2, side + 1, 1.0, tall, tall + 1.2) for s in (-1, 1)]
    rim += [box(s * side / 2, 0, 1.0, side + 1, tall, tall + 1.2) for s in (-1, 1)]
    huts = merge(
        box(-side / 2 + 4, side / 2 - 4, 5, 5, tall, tall + 3),
        box(side / 2 - 3.5, -side / 2 + 3.5, 4, 4, tall, tall + 2),
    )
    roof = box(0, 0, side - 0.5, side - 0.5, tall - 0.2, tall + 0.05)
    plaza = box(0, 0, side + 18, side + 18, 0, 0.1)
    pad_mesh, pad_look = pad.slab(tall, tall + 0.6)
    return [
        (plaza, look(PAVING)),
        (body, look((0.30, 0.40, 0.50), "glass")),
        (merge(*floors, *rim), look((0.80, 0.81, 0.82), "metal")),
        (roof, look((0.46, 0.47, 0.48))),
        (huts, look((0.68, 0.68, 0.67))),
        (pad_mesh, pad_look),
    ]


def castle(generator: np.random.Generator) -> Parts:
    """Make a castle of 100 m with four round towers.

    The castle has battlements, a keep, and a moat with a bridge.
    """
    half = float(generator.uniform(30, 34))
    stone, roof = look((0.62, 0.58, 0.52)), look(_TILE if generator.random() < 0.5 else _SLATE)
    ground = lawn((2 * half + 54, 2 * half + 54), 4.0)
    ground.rectangle(WATER, 0, 0, 2 * half + 42, 2 * half + 42)
    ground.rectangle(GRASS, 0, 0, 2 * half + 14, 2 * half + 14)
    ground.rectangle((0.62, 0.55, 0.43), 0, 0, 2 * half, 2 * half)
    walls = [box(0, s * half, 2 * half, 4, 0, 12) for s in (-1, 1)] + [
        box(s * half, 0, 4, 2 * half, 0, 12) for s in (-1, 1)
    ]
    teeth = [
        box(
            *((place, s * (half + 1.6)) if flat else (s * (half + 1.6), place)),
            *((2, 0.8) if flat else (0.8, 2)),
            12,
            13.8,
        )
        for place, s, flat in itertools.product(np.arange(-half + 9, half - 8, 4.0), (-1, 1), (True, False))
    ]
    corners = list(itertools.product((-half, half), (-half, half)))
    towers = [drum(x, y, 7, 0, 20, 24) for x, y in corners]
    tops = [cone(x, y, 8, 20, 12) for x, y in corners]
    keep = box(6, 6, 24, 20, 0, 24)
    gate = merge(box(0, -half, 14, 8, 0, 17), drum(-7, -half - 3, 3.4, 0, 19, 16), drum(7, -half - 3, 3.4, 0, 19, 16))
    tops += [cone(s * 7, -half - 3, 4, 19, 7, 16) for s in (-1, 1)] + [pyramid(6, 6, 26, 22, 24, 13)]
    door = box(0, -half - 4.2, 6, 0.4, 0, 8)
    bridge_ = box(0, -half - 15.5, 7, 24, 0.1, 0.8)
    return [
        ground.slab(),
        (merge(*walls, *teeth, *towers, keep, gate), stone),
        (merge(*tops), roof),
        (merge(door, bridge_), look((0.36, 0.24, 0.14))),
    ]

"""Household things: candle, clock, plants, buckets, hats."""

import numpy as np

from chronotope.world.things import textures
from chronotope.world.things.colours import plain, shade
from chronotope.world.things.kind import Model
from chronotope.world.things.mesh import (
    Mesh,
    block,
    curve,
    cylinder,
    ellipsoid,
    fillet,
    hollow,
    lathe,
    loft,
    merge,
    moved,
    pictured,
    rounded_rectangle,
    slices,
    tube,
    turned,
)
from chronotope.world.things.thing import Look, Paint

_BLACK, _PALE, _STEEL = (0.06, 0.06, 0.07), (0.95, 0.94, 0.90), (0.74, 0.74, 0.76)


def _arc(points: list[tuple[float, float]], count: int) -> np.ndarray:
    """Draw a smooth path through points (x, z) at y = 0."""
    path = curve(points, count)
    return np.column_stack([path[:, 0], np.zeros(count), path[:, 1]])


def candle(generator: np.random.Generator, paint: Paint) -> Model:
    """Sketch a pillar candle with drops of wax down its side."""
    radius, height = 0.030, 0.12
    outline = [
        (0, 0),
        (radius, 0),
        (radius, height),
        (radius - 0.004, height + 0.001),
        (radius - 0.009, height - 0.005),
    ]
    wax = lathe(np.concatenate([fillet(outline, 0.0025), [(0, height - 0.006)]]))
    drops = []
    for angle in generator.uniform(0, 360, 7):
        long = generator.uniform(0.012, 0.035)
        drop = ellipsoid((0.0010, 0.0035, long), 12)
        drops.append(turned(moved(drop, by=(radius - 0.0005, 0, height - long * 0.75)), "z", float(angle)))
    drops = [drop._replace(vertices=np.minimum(drop.vertices, [np.inf, np.inf, height])) for drop in drops]
    wick = lathe([(0, height - 0.008), (0.0014, height - 0.008), (0.0014, height + 0.009), (0, height + 0.009)], 8)
    return Model(
        (
            (wax, paint.look),
            (merge(*drops), plain(shade(paint.look.colour, 1.12), "wax")),
            (wick, plain(_BLACK, "fabric")),
        ),
        (wax, wick),
    )


def alarm_clock(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a clock with two bells, a hammer, and two faces."""
    radius, depth, z = 0.050, 0.042, 0.062
    drum = moved(cylinder(radius, depth, "y", 0.004, 44), by=(0, 0, z))
    dial = _dial(generator, (paint.look.colour if paint.colour != "white" else (0.2, 0.2, 0.2)))
    disc = pictured(cylinder(radius * 0.86, 0.002, "z", 0.0, 40))
    upright = turned(disc, "x", 90)
    faces = merge(
        moved(upright, by=(0, -depth / 2 - 0.0002, z)), moved(turned(upright, "z", 180), by=(0, depth / 2 + 0.0002, z))
    )
    bell = lathe(np.concatenate([[(0, 0), (0.024, 0)], curve([(0.024, 0.002), (0.020, 0.013), (0.0, 0.021)], 8)]), 28)
    bells, feet = [], []
    for side in (-1, 1):
        bells.append(moved(turned(bell, "y", side * 30), by=(side * 0.029, 0, z + 0.044)))
        feet.append(tube(np.array([[side * 0.026, 0, z - 0.040], [side * 0.037, 0, 0.004]]), 0.005, 12))
        feet.append(moved(ellipsoid(0.0065, 14), by=(side * 0.037, 0, 0.0065)))
    posts = [tube(np.array([[side * 0.022, 0, z + 0.040], [side * 0.030, 0, z + 0.050]]), 0.003, 8) for side in (-1, 1)]
    hammer = merge(
        moved(cylinder(0.002, 0.028, "z", 0.0, 10), by=(0, 0, z + 0.060)),
        moved(block((0.014, 0.006, 0.006), 0.002), by=(0, 0, z + 0.072)),
    )
    ring = tube(
        _arc([(-0.014, z + 0.066), (-0.013, z + 0.082), (0, z + 0.090), (0.013, z + 0.082), (0.014, z + 0.066)], 18),
        0.0026,
        8,
    )
    shiny = plain((0.80, 0.66, 0.30) if paint.colour not in ("yellow", "orange") else _STEEL, "steel")
    return Model(
        (
            (drum, paint.look),
            (faces, Look((1, 1, 1), 0.3, 0.5, dial)),
            (merge(*bells, *posts, hammer, ring, *feet), shiny),
        ),
        (merge(drum, faces), *bells, hammer, ring, merge(*feet[:2]), merge(*feet[2:])),
    )


def _dial(generator: np.random.Generator, rim: tuple[float, float, float]) -> np.ndarray:
    size = 192
    y, x = (np.mgrid[:size, :size] - (size - 1) / 2) / (size / 2)
    reach, angle = np.hypot(x, y), np.degrees(np.arctan2(x, -y)) % 360
    picture = np.full((size, size, 3), 245, np.uint8)
    off = np.abs((angle + 15) % 30 - 15)
    picture[(reach > 0.76) & (reach < 0.90) & (off * reach < 2.6)] = 25
    picture[(reach > 0.70) & (reach < 0.90) & (np.abs((angle + 45) % 90 - 45) * reach < 4.5)] = 25
    picture[reach > 0.94] = textures.ink(rim)
    minute, hour = generator.uniform(0, 360), 30 * generator.integers(0, 12)
    for degrees, length, width in ((minute, 0.68, 0.040), (hour + minute / 12, 0.46, 0.062)):
        along = x * np.sin(np.radians(degrees)) - y * np.cos(np.radians(degrees))
        across = x * np.cos(np.radians(degrees)) + y * np.sin(np.radians(degrees))
        picture[(along > -0.1) & (along < length) & (np.abs(across) < width)] = 20
    picture[reach < 0.085] = (190, 30, 30)
    return picture


_DOME = [(0, -0.8), *((np.cos(a), np.sin(a)) for a in np.linspace(-0.93, np.pi / 2, 18))]  # a sphere without its bottom


def potted_plant(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a pot with leaves, flowers, or a cactus."""
    outer = fillet([(0, 0), (0.046, 0), (0.060, 0.080), (0.067, 0.080), (0.069, 0.105)], 0.004)
    pot = lathe(hollow(outer, 0.006, 0.01), 36)
    earth = lathe([(0, 0.012), (0.042, 0.012), (0.058, 0.088), (0.030, 0.094), (0, 0.096)])
    kind = generator.choice(["leaves", "blossoms", "cactus"])
    soil = plain((0.22, 0.15, 0.10), "clay")
    green = plain(tuple(np.array([0.16, 0.42, 0.14]) * generator.uniform(0.85, 1.15)), "leaf")
    parts = [(pot, paint.look), (earth, soil)]
    if kind == "cactus":
        body = moved(lathe(_DOME, 48), scale=(0.046, 0.046, 0.075))
        around = np.arctan2(body.vertices[:, 1], body.vertices[:, 0])
        ribs = (1 - 0.13 * np.abs(np.cos(6 * around)) ** 3)[:, None] * [1, 1, 0] + [0, 0, 1]
        body = moved(body._replace(vertices=body.vertices * ribs), by=(0, 0, 0.150))
        flower = moved(
            merge(
                *(turned(moved(ellipsoid((0.011, 0.006, 0.004), 10), by=(0.009, 0, 0)), "z", 90 * k) for k in range(4))
            ),
            by=(0, 0, 0.227),
        )
        parts += [(body, green), (flower, plain((0.95, 0.45, 0.65), "leaf"))]
        return Model(tuple(parts), (pot, merge(body, flower)), called="cactus in a {colour} pot")
    leaves = []
    for number, (reach, rise, lift) in enumerate(((0.085, 0.045, 0.02), (0.062, 0.085, 0.03), (0.028, 0.105, 0.012))):
        count = (8, 8, 4)[number]
        leaf = _leaf(reach * generator.uniform(0.92, 1.08), rise * generator.uniform(0.9, 1.1), lift)
        leaf = moved(leaf, by=(0.001 * number, 0, 0.002 * number))  # no two leaves share an edge
        leaves += [turned(leaf, "z", (k + 0.5 * number) * 360 / count) for k in range(count)]
    crown = moved(merge(*leaves), by=(0, 0, 0.090))
    parts.append((crown, green))
    solids = [pot, *slices(crown, (0.0, 0.12, 0.145, 0.165, 0.3))]
    if kind == "blossoms":
        petals, hearts = [], []
        for k in range(4):
            petal = merge(
                *(turned(moved(ellipsoid((0.012, 0.008, 0.0035), 8), by=(0.013, 0, 0)), "z", 72 * i) for i in range(5))
            )
            place = (0.045, 0, 0.196)
            petals.append(turned(moved(turned(petal, "y", 28), by=place), "z", 90 * k + 20))
            hearts.append(turned(moved(ellipsoid(0.007, 10), by=np.add(place, [0.002, 0, 0.003])), "z", 90 * k + 20))
            petals.append(
                turned(tube(np.array([[0.006, 0, 0.10], [0.030, 0, 0.16], place]), 0.0016, 6), "z", 90 * k + 20)
            )
        bright = [(0.90, 0.20, 0.35), (0.95, 0.94, 0.92), (0.95, 0.55, 0.75)][int(generator.integers(3))]
        parts += [(merge(*petals), plain(bright, "leaf")), (merge(*hearts), plain((0.96, 0.80, 0.15), "leaf"))]
        solids.append(merge(*petals, *hearts).vertices[merge(*petals, *hearts).vertices[:, 2] > 0.12])
    return Model(tuple(parts), tuple(solids), called="plant in a {colour} pot")


def _leaf(reach: float, rise: float, droop: float) -> Mesh:
    """Make a leaf from the origin along x and up, tip hanging."""
    path = curve([(0.003, 0), (reach * 0.45, rise * 0.75), (reach * 0.8, rise), (reach, rise - droop)], 9)
    half = np.array([0.004, 0.008, 0.012, 0.0145, 0.0155, 0.0145, 0.011, 0.006, 0.0012])
    return tube(np.column_stack([path[:, 0], np.zeros(9), path[:, 1]]), np.column_stack([half, np.full(9, 0.0012)]), 6)


def basket(generator: np.random.Generator, paint: Paint) -> Model:
    """Return a woven basket with a hooped handle along x."""
    low, high, height = 0.095, 0.125, 0.105
    outer = [(0, 0), (low, 0), ((low + high) / 2 + 0.006, height * 0.5), (high, height)]
    bowl = lathe(hollow(np.array(outer), 0.007, 0.008), 44)
    z = bowl.vertices[:, 2]
    woven = bowl._replace(uv=np.column_stack([bowl.uv[:, 0] * 5, -z / height * 1.6]))
    rim = lathe(
        np.stack(
            [
                high - 0.003 + 0.0075 * np.cos(np.linspace(0, 2 * np.pi, 10, endpoint=False)),
                height + 0.0075 * np.sin(np.linspace(0, 2 * np.pi, 10, endpoint=False)),
            ],
            axis=1,
        ),
        closed=True,
    )
    turn = np.linspace(0, np.pi, 26)
    top = generator.uniform(0.13, 0.16)
    handle = tube(
        np.column_stack([(high - 0.006) * np.cos(turn), np.zeros(26), height - 0.012 + top * np.sin(turn)]),
        [(0.009, 0.0048)] * 26,
        10,
    )
    tone = tuple(np.array([0.62, 0.42, 0.22]) * generator.uniform(0.75, 1.1))
    cane = textures.wicker(generator, tone, 256, 8)
    return Model(
        ((woven, Look((1, 1, 1), 0.1, 0.2, cane)), (merge(rim, handle), plain(shade(tone, 0.8), "wood"))),
        (
            merge(bowl, rim),
            *(
                handle.vertices[(handle.vertices[:, 0] >= a - 0.022) & (handle.vertices[:, 0] <= b + 0.022)]
                for a, b in ((-0.13, -0.09), (-0.09, -0.03), (-0.03, 0.03), (0.03, 0.09), (0.09, 0.13))
            ),
        ),
    )


def bucket(generator: np.random.Generator, paint: Paint) -> Model:
    """Return a bucket with its handle upright, along x."""
    low, high, height = 0.085, 0.118, 0.20
    outer = fillet(
        [(0, 0), (low, 0), (high, height - 0.012), (high + 0.005, height - 0.012), (high + 0.005, height)], 0.003, 3
    )
    body = lathe(hollow(outer, 0.004, 0.005))
    turn = np.linspace(0, np.pi, 30)
    rise = generator.uniform(0.12, 0.14)
    wire = tube(
        np.column_stack([(high + 0.006) * np.cos(turn), np.zeros(30), height - 0.022 + rise * np.sin(turn)]), 0.0026, 8
    )
    grip = tube(
        np.column_stack(
            [
                np.linspace(-0.045, 0.045, 9),
                np.zeros(9),
                height - 0.022 + rise * np.sqrt(1 - (np.linspace(-0.045, 0.045, 9) / (high + 0.006)) ** 2),
            ]
        ),
        0.0085,
        12,
    )
    lugs = merge(
        *(moved(cylinder(0.010, 0.010, "x", 0.002, 16), by=(x * (high + 0.002), 0, height - 0.022)) for x in (-1, 1))
    )
    return Model(
        (
            (body, paint.look),
            (merge(wire, lugs), plain(_STEEL, "steel")),
            (grip, plain(_PALE if paint.colour != "white" else _BLACK, "plastic")),
        ),
        (
            body,
            lugs,
            grip,
            *(
                wire.vertices[(wire.vertices[:, 0] >= a) & (wire.vertices[:, 0] <= b)]
                for a, b in ((-0.2, -0.10), (-0.118, -0.045), (-0.06, 0.06), (0.045, 0.118), (0.10, 0.2))
            ),
        ),
    )


def watering_can(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a watering can: long spout with sprinkler head towards +x.

    The handle of the can is behind and above.
    """
    radius, height = 0.070, generator.uniform(0.125, 0.145)
    body = lathe(hollow(fillet([(0, 0), (radius, 0), (radius * 0.94, height)], 0.004), 0.0035, 0.004))
    shelf = lathe(
        [(0, height * 0.70), (radius * 0.93, height * 0.70), (radius * 0.93, height * 0.72), (0, height * 0.72)]
    )
    tip = np.array([0.190, 0, height + 0.035])
    start = np.array([radius * 0.80, 0, 0.030])
    spout = tube(np.linspace(start, tip, 8), np.linspace(0.0175, 0.0095, 8), 16)
    way = (tip - start) / np.linalg.norm(tip - start)
    rose = lathe([(0, -0.006), (0.009, -0.006), (0.028, 0.022), (0.028, 0.027), (0, 0.029)], 28)
    lean = np.degrees(np.arctan2(way[0], way[2]))
    rose = moved(turned(rose, "y", lean), by=tip)
    back = tube(
        _arc(
            [
                (-radius * 0.92, 0.035),
                (-radius - 0.050, 0.060),
                (-radius - 0.052, height * 0.85),
                (-radius * 0.90, height + 0.052),
                (0.0, height + 0.062),
                (radius * 0.78, height - 0.004),
            ],
            30,
        ),
        [(0.0085, 0.0055)] * 30,
        10,
    )
    brace = tube(np.array([[radius * 0.9, 0, height * 0.93], start + (tip - start) * 0.62]), 0.0036, 8)
    x = back.vertices[:, 0]
    rear = back.vertices[x < -radius * 0.9]
    hoop = [
        back.vertices[(x >= a) & (x <= b) & (back.vertices[:, 2] > height * 0.8)]
        for a, b in ((-0.125, -0.06), (-0.085, -0.015), (-0.03, 0.03), (0.01, 0.07))
    ]
    halves = [rear[rear[:, 2] < height * 0.50], rear[rear[:, 2] >= height * 0.40]]
    return Model(
        (
            (merge(body, shelf, spout, back, brace), paint.look),
            (rose, plain((0.72, 0.56, 0.26) if paint.colour != "yellow" else _STEEL, "metal")),
        ),
        (body, spout, rose, brace, *halves, *hoop),
    )


def toilet_roll(generator: np.random.Generator, paint: Paint) -> Model:
    """Return an upright roll of tissue around its tube."""
    radius, height = generator.uniform(0.048, 0.056), 0.10
    roll = lathe(
        fillet(
            [(0.0215, 0), (radius, 0), (radius, height), (0.0215, height), (0.0215, height / 2), (0.0215, 0)], 0.002
        )[:-1],
        closed=True,
    )
    core = lathe([(0.0195, 0.001), (0.0217, 0.001), (0.0217, height - 0.001), (0.0195, height - 0.001)], closed=True)
    return Model(((roll, paint.look), (core, plain((0.62, 0.47, 0.32), "cardboard"))), (merge(roll, core),))


def spray_bottle(generator: np.random.Generator, paint: Paint) -> Model:
    """Return a cleaner's bottle with a trigger: nozzle towards +x."""
    height = generator.uniform(0.155, 0.175)
    sizes = [
        (0.084, 0.054, 0.0),
        (0.090, 0.060, 0.004),
        (0.090, 0.060, height * 0.58),
        (0.070, 0.050, height * 0.74),
        (0.042, 0.036, height * 0.92),
        (0.032, 0.032, height),
    ]
    rings = np.array(
        [np.column_stack([rounded_rectangle(a, b, min(a, b) * 0.46, 6), np.full(28, z)]) for a, b, z in sizes]
    )
    body = loft(rings)
    collar = moved(cylinder(0.0175, 0.022, "z", 0.002, 28), by=(0, 0, height + 0.008))
    neck = moved(block((0.030, 0.024, 0.030), 0.005), by=(0.002, 0, height + 0.030))
    head = moved(block((0.098, 0.028, 0.026), 0.008), by=(0.014, 0, height + 0.052))
    nozzle = moved(cylinder(0.0115, 0.014, "x", 0.002, 20), by=(0.068, 0, height + 0.052))
    trigger = tube(
        _arc([(0.030, height + 0.046), (0.040, height + 0.026), (0.042, height + 0.004), (0.054, height - 0.016)], 10),
        [(0.009, 0.0045)] * 10,
        10,
    )
    label = loft(
        np.array(
            [
                np.column_stack([rounded_rectangle(0.0912, 0.0612, 0.0280, 6), np.full(28, z)])
                for z in (height * 0.12, height * 0.50)
            ]
        )
    )
    white = plain(_PALE if paint.colour != "white" else (0.62, 0.64, 0.66), "plastic")
    tint = plain(shade(paint.look.colour, 0.55) if paint.colour != "black" else (0.6, 0.1, 0.1), "plastic")
    return Model(
        ((body, paint.look), (merge(collar, neck, head), white), (merge(nozzle, trigger), tint), (label, white)),
        (
            np.concatenate([label.vertices, body.vertices[body.vertices[:, 2] < height * 0.6]]),
            body.vertices[body.vertices[:, 2] > height * 0.55],
            merge(collar, neck),
            merge(head, nozzle),
            trigger,
        ),
    )


def hat(generator: np.random.Generator, paint: Paint) -> Model:
    """Return a hat with a round brim and a band."""
    tall, brim = generator.uniform(0.100, 0.125), generator.uniform(0.140, 0.155)
    crown = np.concatenate(
        [
            [(0.090, 0.013)],
            curve([(0.088, 0.016), (0.086, tall * 0.6), (0.078, tall * 0.92), (0.058, tall), (0.0, tall - 0.006)], 16),
        ]
    )
    body = lathe(
        np.concatenate(
            [
                [(0, 0.0)],
                curve([(0.090, 0.002), (brim * 0.85, 0.003), (brim, 0.011)], 6),
                [(brim + 0.001, 0.0145)],
                curve([(brim - 0.002, 0.0155), (brim * 0.84, 0.009), (0.095, 0.009)], 6),
                crown,
            ]
        )
    )
    band = lathe([(0.080, 0.012), (0.0905, 0.012), (0.0893, 0.034), (0.080, 0.034)], closed=True)
    dark = (0.10, 0.09, 0.09) if paint.colour not in ("black", "brown") else (0.62, 0.12, 0.12)
    return Model(
        ((body, paint.look), (band, plain(dark, "fabric"))),
        (
            body.vertices[body.vertices[:, 2] < 0.02],
            merge(body, band).vertices[np.hypot(*merge(body, band).vertices[:, :2].T) < 0.096],
        ),
    )


def cap(generator: np.random.Generator, paint: Paint) -> Model:
    """Return a baseball cap lying on its edge: visor towards +x."""
    dome = ellipsoid((0.092, 0.080, 0.112), 40, flattened=0.5)
    angle = np.linspace(-1.25, 1.25, 19)
    inner = np.column_stack([0.088 * np.cos(angle), 0.078 * np.sin(angle)])
    reach = generator.uniform(0.066, 0.076)
    outer = (
        inner
        + reach
        * np.column_stack([np.cos(angle * 0.55), 0.22 * np.sin(angle)])
        * np.maximum(np.cos(angle * 1.256), 0.02)[:, None] ** 0.45
    )
    edges = np.stack([inner * [0.9, 0.97], outer, outer, inner * [0.9, 0.97]], axis=1)  # rings from side to side
    rise = 0.022 - 3.2 * edges[:, :, 1] ** 2 + np.array([0, 0, 0.004, 0.004])
    visor = loft(np.concatenate([edges, rise[:, :, None]], axis=2)[:, ::-1])
    button = moved(ellipsoid((0.007, 0.007, 0.004), 14), by=(0, 0, 0.112))
    seams = []
    for k in range(3):
        turn = np.linspace(0.02, np.pi - 0.02, 26)
        around = np.radians(60 * k + 30)
        line = np.column_stack(
            [0.0925 * np.cos(around) * np.cos(turn), 0.0805 * np.sin(around) * np.cos(turn), 0.1125 * np.sin(turn)]
        )
        seams.append(tube(line, 0.0011, 5))
    second = (
        paint.look
        if generator.random() < 0.35
        else plain(_PALE if paint.colour not in ("white", "yellow") else (0.12, 0.20, 0.50), "fabric")
    )
    return Model(
        (
            (dome, paint.look),
            (merge(visor, button), second),
            (merge(*seams), plain(shade(paint.look.colour, 0.6 if paint.colour != "black" else 1.3), "fabric")),
        ),
        (merge(dome, button, *seams), visor),
    )


def traffic_cone(generator: np.random.Generator, paint: Paint) -> Model:
    """Return a cone on a square foot with pale bands."""
    height = generator.uniform(0.28, 0.32)
    foot = moved(block((0.20, 0.20, 0.018), 0.006, corner=0.03), by=(0, 0, 0.009))
    low, high = 0.078, 0.018
    cone = lathe(fillet([(0, 0.010), (low, 0.010), (high, height), (0, height)], 0.005, 3))
    bands = []
    for a, b in ((0.34, 0.52), (0.68, 0.82)):
        rows = [(low + (high - low) * s + 0.0007, 0.010 + (height - 0.010) * s) for s in (a, b)]
        bands.append(
            lathe([(rows[0][0] - 0.004, rows[0][1]), rows[0], rows[1], (rows[1][0] - 0.004, rows[1][1])], closed=True)
        )
    return Model(
        ((merge(foot, cone), paint.look), (merge(*bands), plain(_PALE, "plastic"))), (foot, merge(cone, *bands))
    )

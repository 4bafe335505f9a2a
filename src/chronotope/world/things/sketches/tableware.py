"""Things on a set table and in a kitchen: lathed vessels with handles and spouts."""

import numpy as np

from chronotope.world.things.colours import plain, shade
from chronotope.world.things.kind import Model
from chronotope.world.things.mesh import (
    Mesh,
    curve,
    ellipsoid,
    fillet,
    hollow,
    lathe,
    merge,
    moved,
    slices,
    tube,
)
from chronotope.world.things.thing import Paint

_CREAM = (0.93, 0.91, 0.86)


def _loop(points: list[tuple[float, float]], radius: float, count: int = 18, flat: float = 1.0) -> Mesh:
    """Make a handle in the x-z plane through points (x, z).

    `flat` makes the handle thinner in the plane of its bend.
    """
    path = curve(points, count)
    return tube(np.column_stack([path[:, 0], np.zeros(count), path[:, 1]]), [(radius, radius * flat)] * count)


def mug(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a cylinder or barrel with a round handle.

    Some mugs are white inside.
    """
    height, radius = 0.095, generator.uniform(0.039, 0.043)
    belly = generator.choice([0.0, 0.0, 0.004])
    outer = fillet(
        [(0, 0), (radius - 0.004, 0), (radius, 0.004), (radius + belly, height / 2), (radius, height)], 0.004
    )
    body = lathe(hollow(outer, 0.0042, 0.006))
    out, reach = radius + belly / 2 - 0.002, generator.uniform(0.026, 0.031)
    low, high = 0.018, height - 0.016
    handle = _loop(
        [(out, high), (out + reach * 0.6, high), (out + reach, (low + high) / 2), (out + reach * 0.6, low), (out, low)],
        0.0062,
        flat=0.75,
    )
    parts = [(merge(body, handle), paint.look)]
    if generator.random() < 0.4 and paint.colour != "white":
        inside = lathe(
            [
                (0, 0.0062),
                (radius - 0.0060, 0.0062),
                (radius - 0.0036, 0.012),
                (radius - 0.0036, height - 0.001),
                (radius - 0.0044, height - 0.001),
                (radius - 0.0068, 0.0125),
                (0, 0.0070),
            ]
        )
        parts.append((inside, plain(_CREAM, "ceramic")))
    return Model(tuple(parts), (body, handle))


def bowl(generator: np.random.Generator, paint: Paint) -> Model:
    """Return a deep round bowl on a foot."""
    radius, height = 0.075, generator.uniform(0.058, 0.072)
    side = curve(
        [(0.036, 0.006), (0.055, 0.013), (radius * 0.93, height * 0.55), (radius, height)],
        14,
    )
    outer = np.concatenate([[(0, 0.003), (0.030, 0.003), (0.031, 0), (0.036, 0)], side])
    profile = hollow(side, 0.004)
    inner = profile[len(side) :]
    inner = inner[inner[:, 1] > 0.0105]
    body = lathe(np.concatenate([outer, inner[:-1], [(inner[-1][0] * 0.6, 0.011), (0, 0.010)]]))
    parts = [(body, paint.look)]
    if generator.random() < 0.45:
        line = shade(paint.look.colour, 0.45) if paint.colour in ("white", "yellow", "pink") else _CREAM
        rim = lathe(
            fillet(
                [
                    (radius - 0.0045, height - 0.006),
                    (radius + 0.0006, height - 0.006),
                    (radius + 0.0008, height + 0.0016),
                    (radius - 0.0045, height + 0.0016),
                ],
                0.001,
            ),
            closed=True,
        )
        parts.append((rim, plain(line, paint.material)))
    return Model(tuple(parts), (body,))


def plate(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a dinner plate with a raised rim.

    The plate is as high as a deep plate, so that it is visible from the side.
    """
    deep = generator.uniform(0.036, 0.040)
    top = [(0.115, deep), (0.085, deep * 0.62), (0.072, 0.009), (0.0, 0.008)]
    under = [(0, 0.003), (0.060, 0.003), (0.061, 0), (0.067, 0), (0.069, 0.003), (0.087, deep * 0.62 - 0.005)]
    body = lathe([*under, (0.113, deep - 0.005), (0.116, deep - 0.002), *fillet(top, 0.02)])
    parts = [(body, paint.look)]
    if generator.random() < 0.5:
        line = shade(paint.look.colour, 0.45) if paint.colour in ("white", "yellow", "pink") else _CREAM
        band = lathe(
            [(0.107, deep * 0.5 + 0.009), (0.1155, deep - 0.0035), (0.1158, deep + 0.0009), (0.107, deep * 0.9)],
            closed=True,
        )
        parts.append((band, plain(line, paint.material)))
    return Model(tuple(parts), (body,))


def bottle(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a bottle with shoulders, neck, screw cap and pale label.

    The label surrounds the whole bottle.
    """
    radius, height = 0.037, generator.uniform(0.24, 0.28)
    shoulder = generator.uniform(0.58, 0.66) * height
    neck = 0.0145
    outline = fillet(
        [(0, 0), (radius, 0), (radius, shoulder), (neck, shoulder + 0.055), (neck, height - 0.02), (0, height - 0.02)],
        0.02,
        steps=5,
    )
    body = lathe(outline)
    cap = lathe(fillet([(0, height - 0.024), (0.017, height - 0.024), (0.017, height), (0, height)], 0.002))
    label = lathe(
        [
            (radius - 0.002, shoulder * 0.25),
            (radius + 0.0006, shoulder * 0.25),
            (radius + 0.0006, shoulder * 0.78),
            (radius - 0.002, shoulder * 0.78),
        ],
        closed=True,
    )
    pale = _CREAM if paint.colour != "white" else (0.55, 0.68, 0.80)
    cap_colour = (0.1, 0.1, 0.1) if paint.colour != "black" else (0.75, 0.62, 0.25)
    line = lathe(
        [
            (radius - 0.002, shoulder * 0.34),
            (radius + 0.0011, shoulder * 0.34),
            (radius + 0.0011, shoulder * 0.42),
            (radius - 0.002, shoulder * 0.42),
        ],
        closed=True,
    )
    return Model(
        ((body, paint.look), (cap, plain(cap_colour, "plastic")), (label, plain(pale, "paper")), (line, paint.look)),
        (
            np.concatenate([label.vertices, body.vertices[body.vertices[:, 2] <= shoulder]]),
            body.vertices[(body.vertices[:, 2] >= shoulder - 0.021) & (body.vertices[:, 2] <= shoulder + 0.07)],
            np.concatenate([cap.vertices, body.vertices[body.vertices[:, 2] > shoulder + 0.035]]),
        ),
    )


def vase(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a vase with a belly, a waist and a flared lip.

    Some vases have a band.
    """
    belly, neck = generator.uniform(0.055, 0.07), generator.uniform(0.022, 0.03)
    where = generator.uniform(0.32, 0.5)
    side = curve(
        [(0.036, 0.0), (0.045, 0.03), (belly, 0.26 * where), (neck + 0.004, 0.20), (neck, 0.225), (neck + 0.017, 0.26)],
        20,
    )
    body = lathe(hollow(np.concatenate([[(0, 0)], side]), 0.005, 0.008))
    parts = [(body, paint.look)]
    if generator.random() < 0.6:
        middle = int(np.argmax(side[:, 0]))
        band = side[middle - 2 : middle + 3]
        pale = _CREAM if paint.colour not in ("white", "yellow") else (0.16, 0.28, 0.50)
        ring = lathe(np.concatenate([np.add(band, (0.0008, 0)), np.add(band[::-1], (-0.003, 0))]), closed=True)
        parts.append((ring, plain(pale, paint.material)))
    cuts = (0.0, 0.13, 0.175, 0.205, 0.232, 0.27)
    return Model(tuple(parts), slices(body, cuts))


def jug(generator: np.random.Generator, paint: Paint) -> Model:
    """Return a tall jug: handle at its front (+x), lip behind."""
    height = generator.uniform(0.20, 0.23)
    side = curve(
        [(0.042, 0), (0.054, 0.03), (0.060, 0.075), (0.050, height * 0.68), (0.044, height * 0.82), (0.050, height)], 17
    )
    vessel = lathe(hollow(np.concatenate([[(0, 0)], side]), 0.005, 0.008), segments=40)
    vertices = vessel.vertices.copy()
    angle = np.arctan2(vertices[:, 1], -vertices[:, 0])
    near = np.clip((vertices[:, 2] - height * 0.80) / (height * 0.2), 0, 1.2) ** 1.6
    pull = near * np.exp(-((angle / 0.36) ** 2))
    vertices[:, 0] -= 0.027 * pull
    vertices[:, 2] += 0.010 * pull
    body = vessel._replace(vertices=vertices)
    handle = _loop(
        [
            (0.045, height * 0.90),
            (0.078, height * 0.93),
            (0.100, height * 0.72),
            (0.088, height * 0.42),
            (0.055, height * 0.30),
        ],
        0.0075,
        flat=0.75,
    )
    low = body.vertices[body.vertices[:, 2] < height * 0.72]
    high = body.vertices[body.vertices[:, 2] > height * 0.66]
    return Model(((merge(body, handle), paint.look),), (low, high, handle))


def teapot(generator: np.random.Generator, paint: Paint) -> Model:
    """Return a round teapot: spout towards +x, handle behind, knobbed lid."""
    squat = generator.uniform(0.9, 1.1)
    side = curve([(0.040, 0.0), (0.062, 0.02), (0.078, 0.055), (0.068, 0.10), (0.040, 0.128)], 20)
    body = lathe(np.concatenate([[(0, 0)], side, [(0, 0.128)]]))
    lid = lathe(
        np.concatenate(
            [
                [(0, 0.124), (0.044, 0.124), (0.044, 0.129)],
                curve([(0.042, 0.131), (0.028, 0.141), (0.008, 0.146)], 6),
                [(0.006, 0.149)],
                curve([(0.009, 0.153), (0.012, 0.159), (0.008, 0.165), (0.0, 0.167)], 7),
            ]
        )
    )
    path = curve([(0.060, 0.042), (0.092, 0.055), (0.112, 0.092), (0.130, 0.124)], 14)
    points = np.column_stack([path[:, 0], np.zeros(14), path[:, 1]])
    spout = tube(points, np.linspace(0.021, 0.0095, 14), segments=16)
    mouth = tube(points[-3:] + (points[-1] - points[-2]) * 0.35, [0.0066] * 3, segments=12)
    handle = _loop(
        [(-0.060, 0.108), (-0.095, 0.118), (-0.122, 0.088), (-0.108, 0.048), (-0.070, 0.035)], 0.0085, flat=0.8
    )
    whole = moved(merge(body, lid, spout, handle), scale=(1, 1, squat))
    dark = moved(mouth, scale=(1, 1, squat))
    return Model(
        ((whole, paint.look), (dark, plain((0.12, 0.10, 0.09), "clay"))),
        tuple(moved(part, scale=(1, 1, squat)) for part in (body, lid, merge(spout, mouth), handle)),
    )


def frying_pan(generator: np.random.Generator, paint: Paint) -> Model:
    """Return a shallow pan, dark inside, with a long handle towards +x."""
    radius, height = 0.13, 0.05
    outer = fillet([(0, 0), (radius * 0.78, 0), (radius, height)], 0.018)
    body = lathe(hollow(outer, 0.004))
    upper = np.add(hollow(outer, 0.0048)[len(outer) + 1 :], (0, 0.0006))
    dark = lathe(np.concatenate([[(0, 0.0042)], np.add(upper[-2::-1], (0.0012, -0.0012)), upper]))
    start = radius * 0.93
    reach = generator.uniform(0.17, 0.20)
    path = fillet([(start, 0, 0.036), (start + 0.04, 0, 0.046), (start + reach, 0, 0.062)], 0.03, 6)
    share = np.linspace(0, 1, len(path))
    handle = tube(path, np.column_stack([0.0095 + 0.006 * share**2, 0.0065 + 0.0015 * share]), segments=14)
    grip = paint.look if generator.random() < 0.5 else plain((0.09, 0.09, 0.09), "plastic")
    inside = plain((0.13, 0.13, 0.14), "metal") if paint.colour != "black" else plain((0.22, 0.22, 0.23), "metal")
    return Model(((body, paint.look), (dark, inside), (handle, grip)), (body, handle))


def cooking_pot(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a pot with two side handles and a lid.

    The handles are along x; the lid has a knob.
    """
    radius, height = 0.105, generator.uniform(0.11, 0.135)
    body = lathe(fillet([(0, 0), (radius, 0), (radius, height), (0, height)], 0.008))
    rim = lathe(
        fillet(
            [
                (radius - 0.01, height - 0.004),
                (radius + 0.004, height - 0.004),
                (radius + 0.004, height + 0.003),
                (radius - 0.01, height + 0.003),
            ],
            0.002,
        ),
        closed=True,
    )
    lid = lathe(
        np.concatenate(
            [
                [(0, height), (radius - 0.002, height), (radius - 0.002, height + 0.004)],
                curve([(radius - 0.006, height + 0.006), (radius * 0.55, height + 0.020), (0.0, height + 0.026)], 9),
            ]
        )
    )
    knob = moved(ellipsoid((0.017, 0.017, 0.010), 20), by=(0, 0, height + 0.039))
    stem = lathe([(0, height + 0.02), (0.008, height + 0.02), (0.008, height + 0.036), (0, height + 0.036)], 16)
    z = height * 0.78
    ear = fillet(
        [
            (radius - 0.004, -0.034, z),
            (radius + 0.030, -0.030, z),
            (radius + 0.030, 0.030, z),
            (radius - 0.004, 0.034, z),
        ],
        0.018,
        6,
    )
    right = tube(ear, 0.0062, segments=10)
    left = tube(ear * [-1, -1, 1], 0.0062, segments=10)
    dark = plain((0.09, 0.09, 0.09), "plastic") if paint.colour != "black" else plain((0.75, 0.75, 0.76), "steel")
    steel = plain((0.75, 0.75, 0.76), "steel")
    return Model(
        ((merge(body, lid), paint.look), (rim, steel), (merge(knob, stem, right, left), dark)),
        (merge(body, rim), lid, merge(knob, stem), right, left),
    )

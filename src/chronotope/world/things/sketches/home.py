"""Balls and lamps."""

import numpy as np

from chronotope.world.things.colours import plain
from chronotope.world.things.kind import Model
from chronotope.world.things.mesh import curve, ellipsoid, fillet, lathe, merge, moved, tube, turned
from chronotope.world.things.thing import Paint

_BRASS, _STEEL, _DARK = (0.72, 0.56, 0.26), (0.72, 0.72, 0.74), (0.10, 0.10, 0.11)


def ball(generator: np.random.Generator, paint: Paint) -> Model:
    """Return a rubber ball; some have a pale band round the middle."""
    body = ellipsoid(0.05, 40)
    parts = [(body, paint.look)]
    if generator.random() < 0.6:
        rise = np.linspace(-0.16, 0.16, 7)
        band = np.stack([0.0502 * np.cos(rise), 0.0502 * np.sin(rise)], axis=1)
        pale = (0.94, 0.94, 0.9) if paint.colour != "white" else (0.10, 0.30, 0.60)
        parts.append((lathe(np.concatenate([band, band[::-1] * 0.97]), closed=True), plain(pale, paint.material)))
    return Model(tuple(parts), (body,))


def table_lamp(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a lamp: round foot, turned stem, coloured cloth shade."""
    wide, narrow = 0.105, generator.uniform(0.055, 0.09)
    low, high = 0.20, 0.36
    wall = 0.003
    shade = lathe([(wide - wall, low), (wide, low), (narrow, high), (narrow - wall, high)], closed=True)
    foot = lathe(
        np.concatenate(
            [
                fillet([(0, 0), (0.062, 0), (0.062, 0.014), (0.02, 0.022)], 0.006),
                curve([(0.012, 0.03), (0.03, 0.07), (0.034, 0.10), (0.012, 0.15), (0.008, 0.18)], 18),
                [(0.008, 0.30), (0, 0.30)],
            ]
        )
    )
    bulb = moved(ellipsoid((0.026, 0.026, 0.034), 20), by=(0, 0, 0.295))
    spider = merge(
        *(
            turned(tube(np.array([[0.0, 0, 0.30], [narrow, 0, 0.35 - 0.002]]), 0.0018, 6), "z", k * 120)
            for k in range(3)
        )
    )
    stem = plain(*(((0.55, 0.36, 0.2), "wood") if generator.random() < 0.5 else (_BRASS, "metal")))
    return Model(
        ((shade, paint.look), (merge(foot, spider), stem), (bulb, plain((1.0, 0.95, 0.8), "glass"))),
        (shade, foot.vertices[foot.vertices[:, 2] < 0.03], foot.vertices[foot.vertices[:, 2] > 0.015]),
    )


def desk_lamp(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a desk lamp: a jointed arm on a round foot.

    The head of the lamp leans out and shines towards +x.
    """
    foot = lathe(fillet([(0, 0), (0.075, 0), (0.075, 0.016), (0.018, 0.024), (0, 0.024)], 0.006))
    elbow, head = np.array([-0.085, 0, 0.20]), np.array([0.085, 0, 0.335])
    lower = tube(np.array([[0, 0, 0.015], elbow]), 0.0065, 10)
    upper = tube(np.array([elbow, head]), 0.0060, 10)
    joints = merge(
        *(
            moved(turned(lathe([(0, -0.011), (0.013, -0.011), (0.013, 0.011), (0, 0.011)], 20), "x", 90), by=p)
            for p in (elbow, head)
        )
    )
    outer = curve([(0.018, 0.063), (0.030, 0.050), (0.050, 0.022), (0.062, -0.030)], 12)
    cone = lathe(
        np.concatenate([[(0, 0.060), (0.013, 0.060)], outer - [0.003, 0], outer[::-1], [(0.016, 0.068), (0, 0.068)]])
    )
    bulb = moved(ellipsoid((0.020, 0.020, 0.030), 18), by=(0, 0, 0.005))
    cone, bulb = (moved(turned(part, "y", -42), by=np.add(head, (0.022, 0, -0.022))) for part in (cone, bulb))
    return Model(
        (
            (merge(foot, cone, lower, upper), paint.look),
            (joints, plain(_STEEL, "steel")),
            (bulb, plain((1.0, 0.95, 0.8), "glass")),
        ),
        (foot, lower, upper, cone, joints.vertices[: len(joints.vertices) // 2]),
    )

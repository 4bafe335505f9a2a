"""Lamps. If a lamp in a home is on, its shade or bulb is bright."""

import numpy as np

from chronotope.world.things.colours import plain
from chronotope.world.things.joinery import (
    STEEL,
    rod,
    wooden,
)
from chronotope.world.things.kind import HomeState, Model
from chronotope.world.things.mesh import (
    Mesh,
    curve,
    cylinder,
    ellipsoid,
    fillet,
    lathe,
    merge,
    moved,
    tube,
    turned,
)
from chronotope.world.things.thing import Look, Paint

_BRASS, _STEEL, _DARK = (0.72, 0.56, 0.26), (0.72, 0.72, 0.74), (0.10, 0.10, 0.11)
_GLOW = Look((1.0, 0.90, 0.55), 0.0, 0.0, glow=1.5)
_SHADES = ((0.62, 0.58, 0.50), (0.42, 0.40, 0.40), (0.50, 0.36, 0.26), (0.30, 0.40, 0.45))


def _lit(shape: np.ndarray) -> np.ndarray:
    """Draw a lit lamp shade (64, 8, 3): brightest near the bulb."""
    glow = np.exp(-(((shape - 0.6) / 0.35) ** 2))[:, None]
    values = np.array([1.0, 0.80, 0.45]) * (1 - glow) + np.array([1.0, 1.0, 0.88]) * glow
    return np.rint(255 * np.repeat(values[:, None], 8, axis=1)).astype(np.uint8)


def _shade(
    low: float, high: float, r0: float, r1: float, state: HomeState, tone: tuple[float, float, float]
) -> tuple[tuple[Mesh, Look], ...]:
    # Make a lamp shade between two heights with its bulb; on, both glow.
    t = 0.004
    mesh = lathe([(r0 - t, low), (r0, low), (r1, high), (r1 - t, high)], 36, closed=True)
    mesh = mesh._replace(uv=np.stack([mesh.uv[:, 0], (high - mesh.vertices[:, 2]) / (high - low)], axis=1))
    look = Look((1, 1, 1), 0, 0, _lit(np.linspace(0, 1, 64)), glow=1.2) if state.on else plain(tone, "fabric")
    middle = low + 0.4 * (high - low)
    bulb = moved(ellipsoid((0.035, 0.035, 0.045), 18), by=(0, 0, middle))
    spokes = [
        rod(
            (0, 0, middle + 0.05),
            (r1 * np.cos(k) - t * np.cos(k), r1 * np.sin(k) - t * np.sin(k), high - 0.006),
            0.003,
            6,
        )
        for k in np.arange(3) * 2.0944
    ]
    return (
        (mesh, look),
        (bulb, Look((1.0, 1.0, 0.85), 0, 0, glow=6.0) if state.on else plain((0.8, 0.8, 0.78), "glass")),
        (merge(*spokes), STEEL),
    )


def floor_lamp(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a tall lamp: on a column, on three legs, or on an arc."""
    deep, wide, tall = size
    style, tone = int(generator.integers(0, 3)), _SHADES[int(generator.integers(0, 4))]
    wood, r = wooden(generator), min(deep, wide) / 2
    low = tall - 0.27
    shade_parts = _shade(low, tall, r, 0.7 * r if style != 2 else 0.98 * r, state, tone)
    if style == 1:
        reach = 0.95 * r
        legs = [
            rod(
                (reach * np.cos(k), reach * np.sin(k), 0),
                (0.02 * np.cos(k), 0.02 * np.sin(k), low - 0.1),
                (0.013, 0.016),
                10,
            )
            for k in np.arange(3) * 2.0944 + 0.5
        ]
        neck = rod((0, 0, low - 0.14), (0, 0, low + 0.12), 0.02)
        return Model(((merge(*legs), wood), (neck, paint.look), *shade_parts), (*legs, neck, shade_parts[0][0]))
    foot = lathe([(0, 0), (0.68 * r, 0), (0.68 * r, 0.012), (0.6 * r, 0.024), (0.03, 0.04), (0, 0.04)], 36)
    pole = rod((0, 0, 0.03), (0, 0, low + 0.12), 0.012 if style == 0 else 0.02)
    extra = [moved(ellipsoid((0.035, 0.035, 0.05), 18), by=(0, 0, z)) for z in (0.1, 0.5 * tall)] if style == 2 else []
    return Model(((merge(foot, pole, *extra), paint.look), *shade_parts), (foot, pole, shade_parts[0][0]))


def desk_lamp(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a desk lamp with a jointed arm, with a fabric shade, or with a bent neck."""
    deep, wide, tall = size
    style, tone = int(generator.integers(0, 3)), _SHADES[int(generator.integers(0, 4))]
    a = deep / 2
    if style == 1:
        r = min(deep, wide) / 2
        parts = _shade(tall - 0.5 * tall, tall, r, 0.62 * r, state, tone)
        body = lathe(
            [
                (0, 0),
                (0.55 * r, 0),
                (0.55 * r, 0.015),
                (0.2 * r, 0.04),
                (0.45 * r, 0.2 * tall),
                (0.3 * r, 0.38 * tall),
                (0.012, 0.45 * tall),
                (0.012, 0.68 * tall),
                (0, 0.68 * tall),
            ],
            32,
        )
        return Model(((body, paint.look), *parts), (body, parts[0][0]))
    r = 0.42 * min(wide, deep)
    foot = moved(cylinder(r, 0.022, "z", 0.006, 32), by=(-a + r, 0, 0.011))
    x0, tip = -a + r, np.array([a - 0.106, 0, tall - 0.12])
    joint = np.add(tip, (-0.02, 0, 0.08))
    if style == 0:
        elbow = np.array([x0 - 0.4 * r, 0, 0.62 * tall])
        arm = [rod((x0, 0, 0.02), tuple(elbow), 0.008), rod(tuple(elbow), tuple(joint), 0.008)]
        arm += [moved(cylinder(0.016, 0.03, "y", 0.003, 16), by=p) for p in (elbow, joint)]
    else:
        path = fillet(
            [(x0, 0, 0.015), (x0, 0, tall - 0.02), (tip[0] - 0.01, 0, tall - 0.02), (tip[0], 0, tall - 0.07)], 0.14, 8
        )
        arm = [tube(path, 0.009, 10)]
    hood = lathe(
        [(0, 0.0), (0.062, 0.0), (0.083, -0.06), (0.087, -0.06), (0.066, 0.005), (0.026, 0.05), (0, 0.055)], 28
    )
    lens = lathe([(0, -0.022), (0.068, -0.022), (0.081, -0.058), (0.0825, -0.058), (0.0625, -0.001), (0, -0.001)], 28)
    bulb = moved(ellipsoid((0.034, 0.034, 0.035), 16), by=(0, 0, -0.04))
    hood, bulb, lens = (moved(turned(m, "y", -48), by=tip) for m in (hood, bulb, lens))
    lit = Look((1.0, 1.0, 0.82), 0, 0, glow=10.0) if state.on else plain((0.55, 0.55, 0.53), "glass")
    inner = _GLOW if state.on else plain((0.30, 0.30, 0.31), "metal")
    return Model(((merge(foot, *arm, hood), paint.look), (bulb, lit), (lens, inner)), (foot, *arm, hood))


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


def jointed_lamp(generator: np.random.Generator, paint: Paint) -> Model:
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

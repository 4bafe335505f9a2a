"""Devices of homes: things with a screen, a lamp, a flame or a clock."""

from dataclasses import replace

import numpy as np

from chronotope.world.things.colours import plain
from chronotope.world.things.joinery import board, pane, rod, tilted
from chronotope.world.things.kind import HomeState, Model
from chronotope.world.things.mesh import Mesh, block, cylinder, ellipsoid, merge, moved, turned
from chronotope.world.things.thing import Look, Paint
from chronotope.world.things.wall_pictures import desktop

_DARK, _PALE, _STEEL = (0.09, 0.09, 0.10), (0.95, 0.94, 0.90), (0.72, 0.73, 0.75)


def _screen(generator: np.random.Generator) -> Look:
    """Draw a dark or a bright screen."""
    picture, is_on = desktop(generator), bool(generator.random() < 0.75)
    return Look((1.0, 1.0, 1.0), 0.1, 0.1, picture) if is_on else plain((0.03, 0.03, 0.04), "glass")


def _keyboard(low: tuple[float, float], high: tuple[float, float], z: float, tall: float) -> tuple[Mesh, Mesh]:
    """Make a keyboard: a tray and its rows of keys.

    The tray lies between two corners (x, y) at height ``z``.
    """
    (x0, y0), (x1, y1) = low, high
    tray = board((x0, y0, z), (x1, y1, z + 0.5 * tall))
    deep, wide = (x1 - x0) / 5, (y1 - y0) / 12
    keys = []
    for row in range(5):
        x = x0 + (row + 0.5) * deep
        spans = [(k, k + 1) for k in range(12)] if row < 4 else [(0, 1), (1, 3), (3, 9), (9, 11), (11, 12)]
        keys += [
            board((x - 0.38 * deep, y0 + (first + 0.1) * wide, z + 0.5 * tall - 0.0002),
                  (x + 0.38 * deep, y0 + (last - 0.1) * wide, z + tall))
            for first, last in spans
        ]  # fmt: skip
    return tray, merge(*keys)


def laptop(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a laptop; its lid turns about the rear edge, and its screen looks towards +x."""
    deep, wide = float(size[0]), float(size[1])
    half, thick, low = deep / 2, 0.55 * float(size[2]), 0.55 * float(size[2])
    base = board((-half, -wide / 2, 0), (half, wide / 2, thick))
    tray, keys = _keyboard((-0.78 * half, -0.45 * wide), (0.22 * half, 0.45 * wide), low - 0.0005, 0.0035)
    pad = board((0.36 * half, -0.15 * wide, low), (0.9 * half, 0.15 * wide, low + 0.0012))
    # The lid is made upright over the rear edge, and then turned down to its angle; closed, it lies on the keys.
    gap, sheet = 0.0035, float(size[2]) - low - 0.0035
    lid = board((-half - sheet, -wide / 2, low), (-half, wide / 2, low + deep))
    rim = pane((-0.49 * wide, low + 0.004), (0.49 * wide, low + deep - 0.004), -half - 0.0006, 0.001)
    glass = pane((-0.455 * wide, low + 0.024), (0.455 * wide, low + deep - 0.016), -half, 0.0008)
    badge = board(
        (-half - sheet - 0.0008, -0.06 * wide, low + 0.44 * deep), (-half - sheet, 0.06 * wide, low + 0.56 * deep)
    )
    degrees = 90 - 112 * state.openness if state.openness > 0 else 90
    lid, rim, glass, badge = (
        moved(tilted(mesh, (-half, low), degrees), by=(0, 0, gap)) for mesh in (lid, rim, glass, badge)
    )
    hinge = rod((-half + 0.004, -0.42 * wide, low + 0.0015), (-half + 0.004, 0.42 * wide, low + 0.0015), 0.0045, 8)
    light = plain(_PALE, "plastic") if paint.colour == "black" else plain((0.55, 0.56, 0.58), "metal")
    parts = (
        (merge(base, lid), paint.look),
        (merge(tray, rim, hinge), plain(_DARK, "plastic")),
        (keys, plain((0.30, 0.31, 0.33), "plastic")),
        (merge(pad, badge), light),
        (glass, _screen(generator)),
    )
    return Model(parts, (base.vertices, lid.vertices))


def desktop_computer(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a computer: a screen, which may have cracks, a case beside it, a keyboard and a mouse."""
    deep, wide, tall = (float(each) for each in size)
    back, left = -deep / 2, -wide / 2
    case_wide, case_tall = 0.17 * wide, 0.78 * tall
    case = board((back, wide / 2 - case_wide, 0), (0.42 * deep, wide / 2, case_tall))
    front_x, y = 0.42 * deep, wide / 2 - case_wide / 2
    slots = [
        board(
            (front_x, y - 0.36 * case_wide, z * case_tall),
            (front_x + 0.002, y + 0.36 * case_wide, (z + 0.05) * case_tall),
        )
        for z in (0.74, 0.84)
    ]
    lamp = board((front_x, y - 0.012, 0.6 * case_tall), (front_x + 0.003, y + 0.012, 0.6 * case_tall + 0.024))
    screen_wide = 0.76 * wide
    middle = left + screen_wide / 2
    x, low = back + 0.06, tall - 0.66 * screen_wide
    low = max(low, 0.14 * tall)
    foot = moved(block((0.13, 0.28 * screen_wide, 0.012), 0.004, 0.02), by=(x, middle, 0.006))
    neck = board((x - 0.02, middle - 0.03, 0.008), (x - 0.004, middle + 0.03, 0.55 * tall))
    body = board((x, left, low), (x + 0.022, left + screen_wide, tall))
    glass = pane((left + 0.015, low + 0.03), (left + screen_wide - 0.015, tall - 0.015), x + 0.022, 0.001)
    keyed = _keyboard((deep / 2 - 0.115, left + 0.02), (deep / 2, left + 0.62 * screen_wide), 0.0, 0.016)
    mouse = moved(ellipsoid((0.05, 0.03, 0.032), 16, 0.5), by=(deep / 2 - 0.055, left + 0.78 * screen_wide, 0))
    mouse = moved(mouse, by=(0, 0, -float(mouse.vertices[:, 2].min())))
    picture, angles = desktop(generator), generator.uniform(-80, 80, 7)
    shown = Look((1, 1, 1), 0.1, 0.1, picture) if state.on else plain((0.03, 0.03, 0.04), "glass")
    glow = Look((0.2, 0.95, 0.35), 0, 0) if state.on else plain((0.2, 0.2, 0.2), "glass")
    parts = [
        (merge(case, foot, neck, body), paint.look),
        (merge(*slots, keyed[0]), plain(_DARK if paint.colour == "white" else (0.22, 0.22, 0.24), "plastic")),
        (merge(keyed[1], mouse), plain(_PALE if paint.colour == "white" else (0.33, 0.33, 0.35), "plastic")),
        (glass, shown),
        (lamp, glow),
    ]
    if state.broken:
        reach, centre = 0.5 * (tall - low), (x + 0.0238, middle, (low + tall) / 2)
        cracks = [moved(turned(block((0.0012, 0.006, 1.6 * reach), 0), "x", float(a)), by=centre) for a in angles]
        hole = moved(cylinder(0.3 * reach, 0.0016, "x", 0, 7), by=centre)
        parts.append((merge(*cracks, hole), plain(_PALE, "glass")))
    solids = (case, foot, neck, body, keyed[0], mouse)
    return Model(tuple(parts), tuple(each.vertices for each in solids))


def phone(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a telephone that lies on its back; broken, white cracks cross its screen."""
    length, width, height = (float(each) for each in size)
    body = moved(block((length, width, height), 0.002, 0.008), by=(0, 0, height / 2))
    glass = moved(block((0.92 * length, 0.88 * width, 0.001), 0.0, 0.006), by=(0, 0, height))
    bright = tuple(float(each) for each in generator.uniform(0.45, 0.95, 3))
    lit = plain((bright[0], bright[1], bright[2]), "glass") if state.on else plain((0.03, 0.03, 0.04), "glass")
    angles = generator.uniform(0, 180, 6)
    parts: list[tuple[object, Look]] = [(body, paint.look), (glass, lit)]
    if state.broken:
        cracks = [turned(block((0.8 * width, 0.0025, 0.001), 0), "z", float(angle)) for angle in angles]
        parts.append((moved(merge(*cracks), by=(0.1 * length, 0, height + 0.001)), plain(_PALE, "glass")))
    return Model(tuple(parts), (body.vertices,))  # pyright: ignore[reportArgumentType]


def remote(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a remote control with rows of buttons."""
    length, width, height = (float(each) for each in size)
    body = moved(block((length, width, 0.85 * height), 0.003, 0.008), by=(0, 0, 0.425 * height))
    dots = [
        moved(cylinder(0.13 * width, 0.15 * height, "z", 0.0005, 12), by=(x * length, y * width, 0.92 * height))
        for x in (-0.35, -0.2, -0.05, 0.1)
        for y in (-0.28, 0.0, 0.28)
    ]
    power = moved(cylinder(0.14 * width, 0.15 * height, "z", 0.0005, 12), by=(0.36 * length, 0, 0.92 * height))
    light = plain(_PALE if paint.colour == "black" else _DARK, "rubber")
    return Model(
        ((body, paint.look), (merge(*dots), light), (power, plain((0.8, 0.1, 0.1), "rubber"))), (body.vertices,)
    )


def coffee_machine(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a coffee machine; switched on, its lamp is lit and coffee runs into the tray."""
    deep, wide, tall = (float(each) for each in size)
    a, b = deep / 2, wide / 2
    tower = board((-a, -b, 0), (-0.1 * a, b, tall))
    head = board((-0.1 * a, -0.8 * b, 0.68 * tall), (0.8 * a, 0.8 * b, tall))
    tray = board((-0.1 * a, -0.8 * b, 0), (a, 0.8 * b, 0.10 * tall))
    nozzle = rod((0.4 * a, 0, 0.69 * tall), (0.4 * a, 0, 0.58 * tall), 0.014, 12)
    lamp = moved(ellipsoid((0.008, 0.022, 0.022), 14), by=(0.8 * a, 0, 0.86 * tall))
    glow = Look((0.15, 0.95, 0.25), 0.2, 0.2) if state.on else plain((0.05, 0.12, 0.06), "glass")
    parts = [
        (merge(tower, head), paint.look),
        (merge(tray, nozzle), plain(_STEEL, "steel")),
        (lamp, glow),
    ]
    if state.on:
        stream = rod((0.4 * a, 0, 0.10 * tall), (0.4 * a, 0, 0.60 * tall), 0.010, 10)
        pool = moved(cylinder(0.05, 0.004, "z", 0, 20), by=(0.4 * a, 0, 0.10 * tall + 0.002))
        parts.append((merge(stream, pool), plain((0.24, 0.13, 0.06), "glass")))
    return Model(tuple(parts), (tower.vertices, head.vertices, tray.vertices))


def toaster(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a toaster with two slices of bread; these are down in glowing slots if it is on."""
    deep, wide, tall = (float(each) for each in size)
    body = moved(block((deep, wide, 0.92 * tall), 0.02, 0.03), by=(0, 0, 0.46 * tall))
    slots = merge(
        *(moved(block((0.72 * deep, 0.12 * wide, 0.006), 0.001), by=(0, y * wide, 0.92 * tall)) for y in (-0.2, 0.2))
    )
    lever = board((0.5 * deep - 0.002, -0.02, 0.55 * tall), (0.5 * deep + 0.018, 0.02, 0.62 * tall))
    slot = Look((1.0, 0.42, 0.08), 0.0, 0.0) if state.on else plain(_DARK, "steel")
    rise = [
        board((-0.25 * deep, y * wide - 0.008, 0.92 * tall), (0.25 * deep, y * wide + 0.008, tall)) for y in (-0.2, 0.2)
    ]
    parts = [(body, paint.look), (slots, slot), (lever, plain(_DARK, "plastic"))]
    if not state.on:
        parts.append((merge(*rise), plain((0.78, 0.55, 0.28), "fruit")))
    return Model(tuple(parts), (body.vertices,))


def candle(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState, model: Model) -> Model:
    """Add a flame to a candle that burns."""
    if not state.on:
        return model
    flame = moved(ellipsoid((0.007, 0.007, 0.018), 14), by=(0, 0, size[2] + 0.012))
    return replace(model, parts=(*model.parts, (flame, Look((1.0, 0.80, 0.25), 0.0, 0.0))))

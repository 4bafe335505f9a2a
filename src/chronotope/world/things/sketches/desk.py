"""Things on a desk or a workbench."""

from itertools import pairwise

import numpy as np

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
    tube,
    turned,
)
from chronotope.world.things.thing import Look, Paint

_BLACK, _STEEL = (0.06, 0.06, 0.07), (0.74, 0.74, 0.76)


def laptop(generator: np.random.Generator, paint: Paint) -> Model:
    """Return an open laptop: keyboard towards +x, screen tilted back."""
    deep, wide, thick = 0.205, 0.285, 0.016
    base = moved(block((deep, wide, thick), 0.003, corner=0.012), by=(deep / 2, 0, thick / 2))
    top = thick + 0.0006
    well = moved(block((deep * 0.46, wide * 0.88, 0.002), 0.0), by=(deep * 0.34, 0, thick))
    keys = []
    for row in range(5):
        x = deep * 0.34 + (row - 2) * 0.0178
        widths = [1] * 12 if row < 4 else [1, 1, 1.2, 4.6, 1.2, 1, 1, 1]
        edges = np.concatenate([[0], np.cumsum(widths)]) / sum(widths) * wide * 0.85 - wide * 0.425
        for left, right in pairwise(edges):
            keys.append(moved(block((0.0148, right - left - 0.0030, 0.0022)), by=(x, (left + right) / 2, top + 0.001)))
    pad = moved(block((deep * 0.25, wide * 0.32, 0.001)), by=(deep * 0.78, 0, thick + 0.0003))
    lean = generator.uniform(40, 46)
    tall = 0.195
    lid = moved(block((tall, wide, 0.008), 0.003, corner=0.012), by=(tall / 2, 0, 0))
    glass = pictured(block((wide - 0.020, tall - 0.022, 0.002)))
    glass = glass._replace(vertices=glass.vertices[:, [1, 0, 2]] * [1, 1, -1] + [tall / 2 + 0.002, 0, -0.0042])
    bezel = moved(block((tall - 0.008, wide - 0.008, 0.0012)), by=(tall / 2, 0, -0.0040))

    def opened(mesh: Mesh) -> Mesh:
        return moved(turned(mesh, "y", -(180 - lean)), by=(0.004, 0, thick * 0.9))

    lid, glass, bezel = opened(lid), opened(glass), opened(bezel)
    hinge = moved(cylinder(0.006, wide * 0.75, "y", 0.001, 16), by=(0.004, 0, thick * 0.8))
    dark = plain((0.09, 0.09, 0.10), "plastic")
    tone = plain((0.24, 0.24, 0.26), "plastic") if paint.colour == "black" else dark
    return Model(
        (
            (merge(base, lid, hinge), paint.look),
            (merge(well, bezel), dark),
            (
                merge(*keys),
                plain((0.20, 0.20, 0.21), "plastic")
                if paint.colour != "white"
                else plain((0.30, 0.30, 0.32), "plastic"),
            ),
            (pad, tone if paint.colour == "black" else plain(shade(paint.look.colour, 0.75), "plastic")),
            (glass, Look((1, 1, 1), 0.3, 0.8, _screen(generator))),
        ),
        (merge(base, *keys[:2], *keys[-2:], *keys[8:12]), merge(lid, glass, bezel), hinge),
    )


def _screen(generator: np.random.Generator) -> np.ndarray:
    """Draw hills under a sky, and a bar of icons."""
    y, x = np.mgrid[:160, :240].astype(float)
    sky = np.stack([90 + 0.6 * y, 150 + 0.4 * y, 225 + 0 * y], axis=2)
    for k, tone in enumerate(((70, 120, 110), (50, 100, 70), (35, 75, 45))):
        ridge = (
            70
            + 25 * k
            + 12 * np.sin(x / (35 - 6 * k) + generator.uniform(0, 6))
            + 5 * np.sin(x / 11 + generator.uniform(0, 6))
        )
        sky[y > ridge] = tone
    sky[(x - 180) ** 2 + (y - 35) ** 2 < 196] = (255, 240, 190)
    sky[148:] = 40
    for k in range(7):
        sky[150:158, 60 + 18 * k : 70 + 18 * k] = generator.integers(90, 255, 3)
    return np.clip(sky, 0, 255).astype(np.uint8)


def photo_camera(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a reflex camera on its base: lens towards +x.

    The thing is called "photo camera", because "the camera" means the filming camera.
    """
    z = 0.0377  # the lens touches the table, so that the camera does not tip forwards
    body = moved(block((0.046, 0.116, 0.078), 0.008, corner=0.012), by=(0, 0, 0.041))
    grip = moved(block((0.030, 0.030, 0.074), 0.010), by=(0.022, -0.044, 0.040))
    hump = moved(block((0.050, 0.048, 0.030), 0.008, taper=0.72), by=(0.002, 0, 0.088))
    flash = moved(block((0.004, 0.026, 0.011), 0.001), by=(0.0265, 0, 0.090))
    reach = generator.uniform(0.080, 0.090)
    lens = lathe(
        fillet(
            [
                (0, 0),
                (0.034, 0),
                (0.034, reach * 0.35),
                (0.031, reach * 0.37),
                (0.031, reach * 0.62),
                (0.035, reach * 0.66),
                (0.035, reach),
                (0.031, reach),
                (0.025, reach - 0.010),
                (0, reach - 0.010),
            ],
            0.0012,
            1,
        ),
        32,
    )
    lens = moved(turned(lens, "y", 90), by=(0.018, 0, z))
    rings = merge(
        *(
            moved(cylinder(r, w, "x", 0.001, 32), by=(0.018 + reach * s, 0, z))
            for r, w, s in ((0.0345, 0.010, 0.18), (0.0357, 0.012, 0.80))
        )
    )
    line = moved(cylinder(0.0316, 0.003, "x", 0.0005, 36), by=(0.018 + reach * 0.5, 0, z))
    glass = moved(ellipsoid((0.008, 0.0245, 0.0245), 28), by=(0.018 + reach - 0.0105, 0, z))
    button = moved(cylinder(0.007, 0.006, "z", 0.001, 18), by=(0.022, -0.044, 0.079))
    dial = moved(cylinder(0.011, 0.009, "z", 0.001, 22), by=(-0.004, -0.042, 0.083))
    back = moved(block((0.003, 0.072, 0.050), 0.001), by=(-0.0235, 0.010, 0.036))
    black = plain((0.08, 0.08, 0.085), "plastic") if paint.colour != "black" else plain((0.17, 0.17, 0.18), "plastic")
    return Model(
        (
            (merge(body, hump), paint.look),
            (merge(grip, lens), black),
            (rings, plain((0.14, 0.14, 0.15), "rubber")),
            (line, plain((0.80, 0.10, 0.10) if paint.colour != "red" else (0.85, 0.75, 0.3), "plastic")),
            (glass, plain((0.16, 0.14, 0.30), "glass")),
            (merge(button, dial), plain(_STEEL, "steel")),
            (flash, plain((0.94, 0.94, 0.90), "glass")),
            (back, plain((0.12, 0.16, 0.22), "glass")),
        ),
        (merge(body, back), grip, merge(hump, flash), merge(lens, rings), button, dial),
    )


def pencil_holder(generator: np.random.Generator, paint: Paint) -> Model:
    """Return a cup with eight pencils, points up."""
    radius, height = 0.040, 0.10
    cup = lathe(hollow(fillet([(0, 0), (radius, 0), (radius, height)], 0.003), 0.0028, 0.004))
    shafts: dict[int, list[Mesh]] = {0: [], 1: []}
    wood, leads = [], []
    for k in range(8):
        long = (0.165, 0.145)[k % 2]
        shaft = lathe([(0, 0), (0.0042, 0), (0.0042, long), (0, long)], 6)
        tip = lathe([(0, long - 0.001), (0.0042, long), (0.0012, long + 0.013), (0, long + 0.013)], 12)
        lead = lathe([(0, long + 0.012), (0.0014, long + 0.0125), (0, long + 0.0185)], 8)
        for mesh, group in ((shaft, shafts[k % 2]), (tip, wood), (lead, leads)):
            leaning = moved(turned(mesh, "y", 9 + 4 * (k % 2)), by=(0.008, 0, 0.006))
            group.append(turned(leaning, "z", 45 * k + 10))
    inks = [(0.85, 0.12, 0.10), (0.10, 0.30, 0.75), (0.98, 0.80, 0.10), (0.10, 0.50, 0.20)]
    first = int(generator.integers(4))
    second = (first + int(generator.integers(1, 4))) % 4
    sheaf = merge(*shafts[0], *shafts[1], *wood, *leads)
    return Model(
        (
            (cup, paint.look),
            (merge(*shafts[0]), plain(inks[first], "wood")),
            (merge(*shafts[1]), plain(inks[second], "wood")),
            (merge(*wood), plain((0.85, 0.68, 0.47), "wood")),
            (merge(*leads), plain((0.12, 0.12, 0.12), "plastic")),
        ),
        (cup, sheaf),
        called="{colour} {category} with pencils",
    )


def trophy(generator: np.random.Generator, paint: Paint) -> Model:
    """Return a cup with two handles (along x) on a black foot."""
    height = generator.uniform(0.24, 0.27)
    foot = moved(block((0.085, 0.085, 0.045), 0.003), by=(0, 0, 0.0225))
    plate = merge(*(moved(block((0.05, 0.001, 0.022)), by=(0, side * 0.0427, 0.022)) for side in (-1, 1)))
    bowl = height - 0.12
    stem = lathe(
        np.concatenate(
            [
                fillet([(0, 0.045), (0.036, 0.045), (0.034, 0.056), (0.010, 0.070)], 0.005),
                curve([(0.009, 0.078), (0.014, 0.090), (0.009, 0.104), (0.012, 0.118), (0, 0.122)], 11),
            ]
        )
    )
    outer = np.concatenate(
        [
            [(0, 0.115)],
            curve(
                [(0.014, 0.116), (0.040, 0.130), (0.052, 0.115 + bowl * 0.5), (0.056, height - 0.004), (0.060, height)],
                13,
            ),
        ]
    )
    cup = lathe(hollow(outer, 0.003, 0.004))
    path = curve(
        [
            (0.050, height - 0.022),
            (0.078, height - 0.010),
            (0.090, height - 0.034),
            (0.076, height - 0.070),
            (0.046, 0.150),
        ],
        16,
    )
    right = tube(np.column_stack([path[:, 0], np.zeros(16), path[:, 1]]), 0.0050, 8)
    left = turned(right, "z", 180)
    return Model(
        ((merge(stem, cup, right, left), paint.look), (foot, plain(_BLACK, "wood")), (plate, paint.look)),
        (merge(foot, plate), stem, cup, right, left),
    )


def toolbox(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a box with sloping lid, latches and a handle along x."""
    length, width, height = 0.38, 0.19, generator.uniform(0.115, 0.135)
    body = moved(block((length, width, height), 0.006, taper=1.04), by=(0, 0, height / 2))
    lid = moved(block((length * 1.05, width * 1.07, 0.050), 0.007, taper=0.82), by=(0, 0, height + 0.026))
    seam = moved(block((length * 1.055, width * 1.08, 0.010), 0.003), by=(0, 0, height + 0.003))
    grip = moved(block((0.17, 0.026, 0.020), 0.007), by=(0, 0, height + 0.088))
    posts = merge(*(moved(block((0.020, 0.022, 0.044), 0.004), by=(x, 0, height + 0.068)) for x in (-0.075, 0.075)))
    latches = merge(
        *(
            moved(block((0.036, 0.010, 0.055), 0.002), by=(x, y * (width * 0.535), height - 0.004))
            for x in (-0.11, 0.11)
            for y in (-1, 1)
        )
    )
    dark = plain((0.09, 0.09, 0.10), "plastic") if paint.colour != "black" else plain((0.80, 0.12, 0.10), "plastic")
    silver = plain(_STEEL, "steel")
    return Model(
        ((merge(body, lid), paint.look), (merge(seam, grip, posts), dark), (latches, silver)),
        (merge(body, latches), merge(lid, seam), merge(grip, posts)),
    )


def dumbbell(generator: np.random.Generator, paint: Paint) -> Model:
    """Return a hand weight with six-sided heads, lying along x."""
    radius, reach = 0.043, generator.uniform(0.088, 0.098)
    flat = np.linspace(0, 2 * np.pi, 6, endpoint=False)
    levels = [(0.80, -0.026), (1.0, -0.020), (1.0, 0.020), (0.80, 0.026)]
    head = loft(
        np.array(
            [np.stack([radius * s * np.cos(flat), radius * s * np.sin(flat), np.full(6, z)], axis=1) for s, z in levels]
        )
    )
    head = turned(turned(head, "y", 90), "x", 30)
    heads = merge(*(moved(head, by=(x * reach * 0.72, 0, 0)) for x in (-1, 1)))
    bar = cylinder(0.0155, 0.10, "x", 0.0, 24)
    return Model(
        ((heads, paint.look), (bar, plain(_STEEL, "steel"))),
        (*(moved(head, by=(x * reach * 0.72, 0, 0)) for x in (-1, 1)), bar),
    )


def tissue_box(generator: np.random.Generator, paint: Paint) -> Model:
    """Return a box of tissues, with one tissue in the slot."""
    length, width, height = 0.225, 0.118, generator.uniform(0.075, 0.090)
    body = moved(block((length, width, height), 0.002), by=(0, 0, height / 2))
    slot = moved(cylinder(1.0, 0.0016, "z", 0.0, 32), by=(0, 0, height), scale=(0.075, 0.026, 1))
    rows = []
    wave = generator.uniform(3.2, 5.2)
    for share in np.linspace(0, 1, 7):
        angle = np.arange(28) * (2 * np.pi / 28)
        wide, thin = 0.045 + 0.020 * share - 0.035 * share**3, 0.004 + 0.010 * share - 0.010 * share**3
        y = thin * np.sin(angle) + 0.010 * share * np.sin(wave * np.cos(angle))
        rise = height - 0.002 + 0.065 * share * (1 - 0.16 * share * np.cos(0.7 * wave * np.cos(angle)))
        rows.append(np.stack([wide * np.cos(angle), y, rise], axis=1))
    tissue = loft(np.array(rows))
    stripe = merge(
        *(moved(block((length + 0.001, width + 0.001, 0.006)), by=(0, 0, z)) for z in (height * 0.18, height * 0.82))
    )
    pale = plain((0.95, 0.94, 0.90) if paint.colour != "white" else (0.30, 0.50, 0.75), "paper")
    return Model(
        (
            (body, paint.look),
            (slot, plain((0.10, 0.10, 0.12), "paper")),
            (tissue, plain((0.97, 0.97, 0.96), "paper")),
            (stripe, pale),
        ),
        (merge(body, stripe), tissue),
        called="{colour} {category} with a tissue",
    )

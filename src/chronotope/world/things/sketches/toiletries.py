"""Things to clean with: paper, soap, cloths and brushes."""

import numpy as np

from chronotope.world.things import textures
from chronotope.world.things.colours import plain, shade
from chronotope.world.things.effects import soiled
from chronotope.world.things.joinery import board, clad, rod
from chronotope.world.things.kind import HomeState, Model
from chronotope.world.things.mesh import block, cylinder, extrude, fillet, lathe, merge, moved, turned
from chronotope.world.things.thing import Paint

_DARK, _PALE, _STEEL = (0.09, 0.09, 0.10), (0.95, 0.94, 0.90), (0.72, 0.73, 0.75)
_CARD = (0.66, 0.50, 0.33)


def roll(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make an upright roll of paper; used up, only its brown core is left."""
    radius, tall = min(float(size[0]), float(size[1])) / 2, float(size[2])
    core = lathe(
        np.array([(0.30 * radius, 0), (0.36 * radius, 0), (0.36 * radius, tall), (0.30 * radius, tall)]),
        24,
        closed=True,
    )
    if state.used_up:
        return Model(((core, plain(_CARD, "cardboard")),), (core.vertices,))
    outer = fillet([(0.37 * radius, 0), (radius, 0), (radius, 0.99 * tall), (0.37 * radius, 0.99 * tall)], 0.004)
    paper = lathe(outer, 32, closed=True)
    return Model(((core, plain(_CARD, "cardboard")), (paper, paint.look)), (paper.vertices,))


def tissue_box(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a box of tissues; used up, no tissue sticks out of the dark slot."""
    deep, wide, tall = float(size[0]), float(size[1]), 0.75 * float(size[2])
    body = moved(block((deep, wide, tall), 0.002), by=(0, 0, tall / 2))
    slot = moved(block((0.22 * deep, 0.62 * wide, 0.002), 0, 0.01), by=(0, 0, tall))
    lean = float(generator.uniform(-25, 25))
    parts = [(body, paint.look), (slot, plain(_DARK, "paper"))]
    if not state.used_up:
        fold = [
            moved(
                turned(block((0.004, 0.34 * wide, 0.28 * tall), 0.001), "z", lean + k * 35),
                by=(0, 0, tall + 0.14 * tall),
            )
            for k in (-1, 0, 1)
        ]
        parts.append((merge(*fold), plain(_PALE, "fabric")))
    return Model(tuple(parts), (body.vertices,))


def soap_bottle(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a clear pump bottle with coloured soap; used up, it is clear and empty."""
    radius, tall = min(float(size[0]), float(size[1])) / 2, float(size[2])
    shoulder = float(generator.uniform(0.55, 0.65)) * tall
    level = shoulder * 0.85
    lower = lathe(fillet([(0, 0), (radius, 0), (radius, level), (0, level)], 0.004), 28)
    upper = lathe(
        np.array(
            [(0, level), (radius, level), (0.9 * radius, shoulder), (0.3 * radius, 0.72 * tall), (0, 0.72 * tall)]
        ),
        28,
    )
    neck = rod((0, 0, 0.72 * tall), (0, 0, 0.96 * tall), 0.008, 12)
    spout = rod((0, 0, 0.97 * tall), (min(radius, 0.045), 0, 0.955 * tall), 0.007, 10)
    clear = plain((0.86, 0.89, 0.91), "glass")
    soap = clear if state.used_up else paint.look
    return Model(
        ((lower, soap), (upper, clear), (merge(neck, spout), plain(_PALE, "plastic"))),
        (lower.vertices, upper.vertices, neck.vertices, spout.vertices),
    )


def cloth(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a folded cloth of three layers."""
    length, width, height = (float(each) for each in size)
    layers = [
        moved(block((length * s, width * s, 0.34 * height), 0.14 * height, 0.01), by=(0, 0, (0.17 + 0.33 * k) * height))
        for k, s in enumerate((1.0, 0.985, 0.97))
    ]
    model = Model(((merge(*layers), paint.look),), tuple(layer.vertices for layer in layers))
    child = np.random.default_rng(generator.integers(2**31))
    return soiled(child, paint, model) if state.dirty else model


def towel(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a folded bath towel.

    The towel has thick, round folds of terry cloth with a woven border.
    """
    deep, wide, tall = (float(each) for each in size)
    picture = textures.fabric(generator, paint.look.colour, 128, 40)
    count = 3 + int(generator.integers(2))
    thick = tall / count
    folds = [
        moved(block((deep * s, wide * s, thick), 0.46 * thick, 0.02), by=(0, 0, (k + 0.5) * thick))
        for k, s in enumerate(np.linspace(1.0, 0.96, count))
    ]
    border = [
        board((-0.48 * deep, y * wide - 0.012, tall - 0.002), (0.48 * deep, y * wide + 0.012, tall + 0.0008))
        for y in (0.26, 0.36)
    ]
    tint = plain(shade(paint.look.colour, 1.55 if paint.colour != "white" else 0.62), "fabric")
    cloth = clad(merge(*folds), 0.2)
    return Model(((cloth, plain((1, 1, 1), "fabric", picture)), (merge(*border), tint)), tuple(folds))


def hand_towel(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a rolled hand towel.

    Its ends show the spiral of its layers.
    """
    deep, wide, tall = (float(each) for each in size)
    radius = min(deep, tall) / 2
    turns = np.linspace(0, 2 * np.pi, 33)[:-1]
    outline = np.stack([radius * np.cos(turns), radius * np.sin(turns)], axis=1)
    roll = extrude(outline, wide, 0.012)
    flap = board((0.0, -wide / 2 + 0.006, 2 * radius - 0.012), (0.75 * radius, wide / 2 - 0.006, 2 * radius - 0.004))
    roll = moved(turned(roll, "x", 90), by=(0, 0, radius))
    roll = moved(roll, by=(0, -(roll.vertices[:, 1].min() + roll.vertices[:, 1].max()) / 2, 0))
    rings = []
    for r in (0.8 * radius, 0.55 * radius, 0.3 * radius):
        spiral = lathe(np.array([(r - 0.003, 0), (r, 0), (r, 0.001), (r - 0.003, 0.001)]), 28, closed=True)
        rings += [moved(turned(spiral, "x", 90), by=(0, s * (wide / 2 - 0.0002) + 0.0005, radius)) for s in (-1, 1)]
    bands = [
        moved(turned(cylinder(1.006 * radius, 0.014, "z", 0.0, 32), "x", 90), by=(0, s * 0.36 * wide, radius))
        for s in (-1, 1)
    ]
    tint = plain(shade(paint.look.colour, 1.5 if paint.colour != "white" else 0.6), "fabric")
    cloth = plain((1, 1, 1), "fabric", textures.fabric(generator, paint.look.colour, 128, 40))
    low = min(each.vertices[:, 2].min() for each in bands)
    return Model(
        (
            (moved(clad(merge(roll, flap), 0.2), by=(0, 0, -low)), cloth),
            (moved(merge(*rings, *bands), by=(0, 0, -low)), tint),
        ),
        (moved(roll, by=(0, 0, -low)),),
    )


def soap_bar(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a bar of soap with round edges."""
    body = moved(block(size.tolist(), 0.4 * float(size[2]), 0.4 * float(size[1])), by=(0, 0, size[2] / 2))
    return Model(((body, paint.look),), (body.vertices,))


def plunger(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a plunger: a rubber cup below a wooden stick."""
    radius, tall = float(min(size[0], size[1])) / 2, float(size[2])
    cup = lathe(
        np.array([(0, 0), (radius, 0), (0.92 * radius, 0.06), (0.4 * radius, 0.10), (0.02, 0.115), (0, 0.115)]), 28
    )
    stick = rod((0, 0, 0.11), (0, 0, tall), 0.011, 12)
    return Model(((cup, paint.look), (stick, plain((0.76, 0.58, 0.36), "wood"))), (cup.vertices, stick.vertices))


def brush(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a toilet brush in its holder."""
    radius, tall = float(min(size[0], size[1])) / 2, float(size[2])
    holder = lathe(fillet([(0, 0), (radius, 0), (0.8 * radius, 0.38 * tall), (0, 0.38 * tall)], 0.006), 28)
    stick = rod((0, 0, 0.37 * tall), (0, 0, tall), 0.009, 12)
    collar = moved(cylinder(0.55 * radius, 0.02, "z", 0.003, 24), by=(0, 0, 0.38 * tall + 0.009))
    return Model(
        ((merge(holder, collar), paint.look), (stick, plain(_STEEL, "steel"))), (holder.vertices, stick.vertices)
    )

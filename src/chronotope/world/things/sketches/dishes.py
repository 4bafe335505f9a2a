"""Dishes, bottles and cutlery of homes."""

import numpy as np

from chronotope.world.things.colours import plain
from chronotope.world.things.effects import filled, shards, soiled
from chronotope.world.things.joinery import rod, tilted
from chronotope.world.things.kind import HomeState, Model
from chronotope.world.things.mesh import block, curve, ellipsoid, fillet, hollow, lathe, merge, moved, tube
from chronotope.world.things.thing import Paint

_STEEL = plain((0.74, 0.75, 0.77), "steel")


def open_dish(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState, model: Model) -> Model:
    """Show the state of a mug, bowl, cup, plate, pan or pot."""
    child = np.random.default_rng(generator.integers(2**31))
    if state.broken:
        return shards(child, paint.look, size)
    if state.dirty:
        model = soiled(child, paint, model)
    width = float(size[1])  # a handle is at +x, so the round body is at the other end
    return filled(model, state.liquid, 0.40 * width, (width - float(size[0])) / 2, 0.88 * float(size[2]))


def cup(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a tumbler without a handle."""
    radius, tall = min(size[0], size[1]) / 2, float(size[2])
    low = float(generator.uniform(0.66, 0.95)) * radius
    profile = hollow(np.array([(0, 0), (low, 0), (radius, tall)]), 0.003)
    body = moved(lathe(profile, 32), scale=(size[0] / (2 * radius), size[1] / (2 * radius), 1))
    model = Model(((body, paint.look),), (body.vertices,))
    return open_dish(generator, paint, size, state, model)


def breakable(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState, model: Model) -> Model:
    """Turn a broken bottle or vase into shards."""
    child = np.random.default_rng(generator.integers(2**31))
    return shards(child, paint.look, np.array([1.5 * size[0], 1.5 * size[1], size[2]])) if state.broken else model


def cutlery(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState, head: str) -> Model:
    """Make a spoon, fork, knife or spatula that lies along x."""
    length, width, height = (float(each) for each in size)
    thick = min(height, 0.006)
    has_grip = bool(generator.random() < 0.5)
    handle = moved(block((0.62 * length, max(0.3 * width, 0.006), thick), 0.0015), by=(-0.19 * length, 0, thick / 2))
    if head == "ladle":
        return _ladle(length, width, height, paint if has_grip else None)
    if head == "butter knife":
        blade = moved(
            block((0.40 * length, width, 0.5 * thick), 0.001, 0.45 * width), by=(0.30 * length, 0, 0.25 * thick)
        )
    elif head == "knife":
        blade = moved(block((0.42 * length, width, 0.6 * thick), 0.001), by=(0.29 * length, 0, 0.3 * thick))
    elif head == "fork":
        tines = [
            moved(block((0.2 * length, 0.14 * width, 0.8 * thick), 0.0008), by=(0.40 * length, y * width, 0.4 * thick))
            for y in (-0.42, -0.14, 0.14, 0.42)
        ]
        palm = moved(block((0.2 * length, width, 0.8 * thick), 0.001), by=(0.21 * length, 0, 0.4 * thick))
        blade = merge(palm, *tines)
    elif head == "spatula":
        blade = moved(block((0.34 * length, width, 0.6 * thick), 0.001), by=(0.33 * length, 0, 0.3 * thick))
    else:
        blade = moved(ellipsoid((0.17 * length, width / 2, height / 2), 20), by=(0.33 * length, 0, height / 2))
    grip = paint.look if has_grip else _STEEL
    return Model(((handle, grip), (blade, _STEEL)), (handle.vertices, blade.vertices))


def _ladle(length: float, width: float, height: float, paint: Paint | None) -> Model:
    """Make a ladle that lies on its round bowl.

    Its handle is along -x.
    """
    radius = width / 2
    profile = hollow(np.array([(0, 0), (0.6 * radius, 0.1 * height), (radius, 0.8 * height)]), 0.002)
    bowl = moved(lathe(profile, 28), by=(length / 2 - radius, 0, 0))
    x = length / 2 - 2 * radius
    handle = tube(
        curve([(x + 0.004, 0, 0.77 * height), (x - 0.03, 0, height - 0.006), (-length / 2 + 0.03, 0, 0.75 * height),
               (-length / 2 + 0.01, 0, 0.5 * height)], 14), np.full((14, 2), (0.009, 0.004)), 8,
    )  # fmt: skip
    grip = rod((-length / 2 + 0.015, 0, 0.68 * height), (-0.12 * length, 0, 0.84 * height), 0.011, 10)
    parts = [(merge(bowl, handle), _STEEL)]
    if paint is not None:
        parts.append((grip, paint.look))
    return Model(tuple(parts), (bowl.vertices, handle.vertices))


def shaker(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState, letter: str) -> Model:
    """Make a shaker of glass with a metal top and its content: white salt or black pepper."""
    radius, tall = min(size[0], size[1]) / 2, float(size[2])
    waist = float(generator.uniform(0.75, 1.0))
    body = lathe(fillet([(0, 0), (radius, 0), (waist * radius, 0.68 * tall), (0, 0.68 * tall)], 0.004), 24)
    top = lathe(np.array([(0, 0.68 * tall), (0.9 * radius, 0.68 * tall), (0.8 * radius, 0.9 * tall), (0, tall)]), 24)
    inside = (0.93, 0.93, 0.90) if letter == "S" else (0.16, 0.14, 0.13)
    return Model(((body, plain(inside, "glass")), (top, _STEEL)), (body.vertices, top.vertices))


def kettle(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a kettle with a spout at +x, a bow handle, and a lid that opens."""
    radius, tall = 0.42 * float(size[1]), 0.66 * float(size[2])
    outer = curve([(0.92 * radius, 0), (radius, 0.3 * tall), (0.86 * radius, 0.72 * tall), (0.45 * radius, tall)], 16)
    rim = np.array([(0.42 * radius, 0.98 * tall), (0, 0.9 * tall)])
    body = lathe(np.concatenate([[(0, 0)], outer, rim]), 32)
    spout = rod((0.7 * radius, 0, 0.45 * tall), (0.5 * float(size[0]), 0, 0.92 * tall), (0.022, 0.012), 12)
    rise = float(size[2]) - 0.8 * tall
    arch = [(np.cos(a) * 0.75 * radius, 0.0, 0.8 * tall + np.sin(a) * rise) for a in (0.15, 1.0, 2.1, 2.99)]
    bow = merge(*(rod(arch[k], arch[k + 1], 0.008, 8) for k in range(3)))
    wide = 0.46 * radius
    lid = lathe(np.array([(0, 0), (wide, 0), (0.9 * wide, 0.012), (0.3 * wide, 0.02), (0.012, 0.03), (0, 0.035)]), 28)
    lid = moved(lid, by=(0, 0, tall - 0.001))
    if state.openness > 0:
        lid = tilted(lid, (-wide, tall - 0.001), -75 * state.openness)
    parts = ((merge(body, spout), paint.look), (bow, plain((0.12, 0.12, 0.13), "plastic")), (lid, _STEEL))
    return Model(parts, (body.vertices, spout.vertices, bow.vertices))

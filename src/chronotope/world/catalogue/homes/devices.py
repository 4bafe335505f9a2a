"""Devices of homes: things with a screen, a lamp, a flame or a clock."""

from dataclasses import replace

import numpy as np

from chronotope.world.catalogue import household
from chronotope.world.catalogue.colours import plain
from chronotope.world.catalogue.homes.effects import adapted
from chronotope.world.catalogue.homes.joinery import board, pane, rod, tilted
from chronotope.world.catalogue.homes.kind import HomeKind, HomeState, Model
from chronotope.world.catalogue.homes.pictures import broadcast
from chronotope.world.catalogue.mesh import block, cylinder, ellipsoid, merge, moved, turned
from chronotope.world.catalogue.things import Look, Paint

__all__ = ["KINDS"]

_DARK, _PALE, _STEEL = (0.09, 0.09, 0.10), (0.95, 0.94, 0.90), (0.72, 0.73, 0.75)
_BRIGHT = ("red", "orange", "yellow", "green", "blue", "purple", "pink")


def _screen(generator: np.random.Generator) -> Look:
    """Draw a dark or a bright screen."""
    picture, is_on = broadcast(generator), bool(generator.random() < 0.6)
    return Look((1.0, 1.0, 1.0), 0.1, 0.1, picture) if is_on else plain((0.03, 0.03, 0.04), "glass")


def _laptop(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    # Make a laptop; its lid turns about the rear edge, and its screen looks towards +x.
    deep, wide = float(size[0]), float(size[1])
    half, thick = deep / 2, 0.010
    base = board((-half, -wide / 2, 0), (half, wide / 2, 1.2 * thick))
    keys = board((-0.75 * half, -0.42 * wide, 1.2 * thick), (0.1 * half, 0.42 * wide, 1.2 * thick + 0.002))
    pad = board((0.35 * half, -0.13 * wide, 1.2 * thick), (0.85 * half, 0.13 * wide, 1.2 * thick + 0.0015))
    # The lid is made upright behind the base, and then turned down to its angle.
    low = 1.2 * thick
    lid = board((-half, -wide / 2, low), (-half + 0.7 * thick, wide / 2, low + deep - 0.004))
    glass = pane((-0.45 * wide, low + 0.02), (0.45 * wide, low + deep - 0.02), -half + 0.7 * thick, 0.001)
    degrees = 90 - 110 * state.openness if state.openness > 0 else 90
    lid, glass = (tilted(mesh, (-half, low + 0.0012), degrees) for mesh in (lid, glass))
    look = _screen(generator)
    parts = (
        (merge(base, lid), paint.look),
        (merge(keys, pad), plain(_DARK, "plastic")),
        (glass, look),
    )
    return Model(parts, (base.vertices, lid.vertices))


def _phone(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    # Make a telephone that lies on its back; broken, white cracks cross its screen.
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


def _remote(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
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


def _coffee_machine(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    # Make a coffee machine; switched on, its lamp is lit and coffee runs into the tray.
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


def _toaster(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    # Make a toaster with two slices of bread; if it is on, these are down and the slots glow.
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


def _candle(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState, model: Model) -> Model:
    if not state.on:
        return model
    flame = moved(ellipsoid((0.007, 0.007, 0.018), 14), by=(0, 0, size[2] + 0.012))
    return replace(model, parts=(*model.parts, (flame, Look((1.0, 0.80, 0.25), 0.0, 0.0))))


KINDS: tuple[HomeKind, ...] = (
    HomeKind(
        "Laptop",
        "laptop",
        ("white", "black", "blue", "pink"),
        ("plastic",),
        ((0.22, 0.26), (0.32, 0.38), (0.02, 0.022)),
        _laptop,
        "surface",
        front="its keyboard",
        shows=frozenset({"openness"}),
    ),
    HomeKind(
        "CellPhone",
        "mobile phone",
        ("black", "white", "red", "blue"),
        ("plastic",),
        ((0.14, 0.16), (0.068, 0.08), (0.008, 0.011)),
        _phone,
        "surface",
        symmetry="half",
        along="its two short sides",
        shows=frozenset({"on", "broken"}),
    ),
    HomeKind(
        "RemoteControl",
        "remote control",
        ("black", "white"),
        ("plastic",),
        ((0.19, 0.22), (0.045, 0.06), (0.018, 0.024)),
        _remote,
        "surface",
        front="its red button",
    ),
    HomeKind(
        "CoffeeMachine",
        "coffee machine",
        ("red", "white", "black"),
        ("plastic",),
        ((0.30, 0.38), (0.24, 0.30), (0.36, 0.42)),
        _coffee_machine,
        "surface",
        front="its tray",
        shows=frozenset({"on"}),
    ),
    HomeKind(
        "Toaster",
        "toaster",
        ("red", "white", "black", "blue"),
        ("metal",),
        ((0.30, 0.36), (0.18, 0.22), (0.19, 0.23)),
        _toaster,
        "surface",
        front="its lever",
        shows=frozenset({"on"}),
    ),
    HomeKind(
        "AlarmClock",
        "alarm clock",
        ("red", "yellow", "green", "blue", "white", "black"),
        ("metal",),
        ((0.10, 0.14), (0.05, 0.07), (0.12, 0.17)),
        adapted(household.alarm_clock),
        "surface",
        symmetry="half",
    ),
    HomeKind(
        "Candle",
        "candle",
        (*_BRIGHT, "white"),
        ("wax",),
        ((0.05, 0.08), (0.05, 0.08), (0.09, 0.19)),
        adapted(household.candle, _candle),
        "surface",
        symmetry="any",
        shows=frozenset({"on"}),
    ),
)

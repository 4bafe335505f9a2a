"""Wheels: where they are on a vehicle, and their sketches, whose spokes or holes show that they turn."""

from typing import Literal, NamedTuple

import numpy as np

from chronotope.world.things.colours import plain
from chronotope.world.things.mesh import Mesh, along, block, cylinder, lathe, merge, moved, tube, turned
from chronotope.world.things.thing import Look

TYRE = plain((0.045, 0.045, 0.05), "rubber")
ALLOY, STEEL = plain((0.72, 0.73, 0.75), "metal"), plain((0.55, 0.56, 0.58), "metal")
DARK = plain((0.07, 0.07, 0.075), "metal")
_RIM = 0.68  # share of the radius of a car's wheel that is no tyre


class Wheel(NamedTuple):
    """A wheel of a vehicle: the name of its joint, its middle (3,) m in the model, and its radius and width (m)."""

    joint: str
    centre: tuple[float, float, float]
    radius: float
    width: float


def sketch_wheel(wheel: Wheel, style: Literal["alloy", "steel"]) -> tuple[tuple[Mesh, Look], ...]:
    """Make a wheel of a car, a van or a truck, at its place.

    The outer side of the wheel is on the side of the vehicle on which it is.
    """
    radius, half = wheel.radius, wheel.width / 2
    rim, shoulder = _RIM * radius, 0.09 * radius
    tyre = lathe(
        [
            (rim, -half),
            (radius - shoulder, -half),
            (radius, -half + shoulder),
            (radius, half - shoulder),
            (radius - shoulder, half),
            (rim, half),
        ],
        32,
        closed=True,
    )
    ring = lathe([(0.9 * rim, 0.0), (rim, 0.0), (rim, 0.98 * half), (0.9 * rim, 0.92 * half)], 32, closed=True)
    depth = 0.66 * half
    hub = moved(cylinder(0.2 * rim, 0.05, "z", 0.008, 14), by=(0, 0, depth))
    if style == "alloy":
        disc = moved(cylinder(0.92 * rim, 0.7 * half, "z", 0.0, 28), by=(0, 0, -0.1 * half))
        spoke = moved(block((0.86 * rim, 0.17 * rim, 0.035), 0.006, steps=1), by=(0.5 * rim, 0, depth))
        metal = merge(ring, hub, *(turned(spoke, "z", k * 72) for k in range(5)))
        parts = [(tyre, TYRE), (metal, ALLOY), (disc, DARK)]
    else:
        disc = moved(cylinder(0.92 * rim, half, "z", 0.0, 28), by=(0, 0, 0.2 * half))
        hole = moved(cylinder(0.13 * rim, half, "z", 0.0, 12), by=(0.6 * rim, 0, 0.2 * half + 0.006))
        parts = [(tyre, TYRE), (merge(ring, hub, disc), STEEL)]
        parts.append((merge(*(turned(hole, "z", k * 60) for k in range(6))), DARK))
    outward = 1 if wheel.centre[1] > 0 else -1
    return tuple((_placed(mesh, wheel, outward), look) for mesh, look in parts)


def sketch_spoked_wheel(wheel: Wheel, rim: Look) -> tuple[tuple[Mesh, Look], ...]:
    """Make a wheel of a bicycle, at its place, with a reflector between its spokes."""
    radius, half = wheel.radius, wheel.width / 2
    turn = np.linspace(0, 2 * np.pi, 9)[:-1]
    inner = radius - half
    tyre = lathe(np.column_stack([inner + half * np.cos(turn), half * np.sin(turn)]), 48, closed=True)
    band = inner - half
    ring = lathe(
        [(band - 0.012, -0.009), (band + 0.004, -0.009), (band + 0.004, 0.009), (band - 0.012, 0.009)], 48, closed=True
    )
    spokes = []
    for k in range(16):
        way = np.array([np.cos(k * np.pi / 8), np.sin(k * np.pi / 8)])
        ends = [(*(0.02 * way), 0.02 * (-1) ** k), (*((band - 0.004) * way), 0.0)]
        spokes.append(tube(np.array(ends), 0.0022, 5))
    hub = cylinder(0.024, 0.07, "z", 0.004, 16)
    reflector = moved(block((0.075, 0.03, 0.02), 0.004), by=(0.62 * radius, 0, 0))
    parts = [
        (tyre, TYRE),
        (merge(ring, *spokes, hub), rim),
        (reflector, plain((0.98, 0.62, 0.05), "plastic")),
    ]
    return tuple((_placed(mesh, wheel, 1), look) for mesh, look in parts)


def _placed(mesh: Mesh, wheel: Wheel, outward: int) -> Mesh:
    upright = along(mesh, "y")
    return moved(upright if outward > 0 else turned(upright, "z", 180), by=wheel.centre)

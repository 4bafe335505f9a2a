"""Controls that a hand moves: a lever and a big push button."""

from dataclasses import replace

import numpy as np

from chronotope.world.things.articulated.articulated import Articulated, Limit, Part, joined
from chronotope.world.things.colours import plain, shade
from chronotope.world.things.joinery import board, rod
from chronotope.world.things.mesh import block, cylinder, ellipsoid, fillet, lathe, merge, moved
from chronotope.world.things.thing import Look, Paint

_STEEL, _CASE = plain((0.70, 0.71, 0.73), "steel"), plain((0.22, 0.23, 0.25), "metal")
_SLOT = plain((0.04, 0.04, 0.05), "plastic")
LEAN = float(np.radians(38))  # of a lever, to each side


def lever(generator: np.random.Generator, paint: Paint) -> Articulated:
    """Make a lever on a housing, with a coloured ball on its arm.

    The arm goes from the back (-x) to the front (+x).
    """
    deep, wide, tall = generator.uniform((0.17, 0.10, 0.065), (0.21, 0.13, 0.08))
    length = float(generator.uniform(0.20, 0.26))
    case = moved(block((deep, wide, tall), 0.008, taper=0.86), by=(0, 0, tall / 2))
    slot = board((-0.30 * deep, -0.011, tall - 0.004), (0.30 * deep, 0.011, tall + 0.0015))
    hub = moved(cylinder(0.014, 0.018, "y", 0.002, 20), by=(0, 0, tall - 0.006))
    lean = -LEAN
    tip = np.array([np.sin(lean) * length, 0, tall - 0.006 + np.cos(lean) * length])
    arm = rod((0, 0, tall - 0.006), tuple(tip), (0.0085, 0.0065), 14)
    knob = moved(ellipsoid(0.024, 24), by=tip)
    parts = [
        Part(case, _CASE), Part(slot, _SLOT), Part(merge(hub, arm), _STEEL, "lever"), Part(knob, paint.look, "lever"),
    ]  # fmt: skip
    limits = {"lever": Limit((0.0, 1.0, 0.0), 0.0, 2 * LEAN)}
    states = {"position": {"back": {}, "front": {}}}
    return joined(
        "lever", paint.colour, "metal", parts, {"lever": (0.0, 0.0, tall - 0.006)}, limits, states, density=2500.0
    )


def push_button(generator: np.random.Generator, paint: Paint) -> Articulated:
    """Make a big round button on a square base.

    The button goes down when it is pressed, and can be lit.
    """
    side, tall = generator.uniform((0.13, 0.045), (0.17, 0.06))
    radius = 0.36 * side
    base = moved(block((side, side, tall), 0.006, taper=0.92), by=(0, 0, tall / 2))
    ends = [(radius + out, tall + up) for out, up in ((0.001, -0.004), (0.010, -0.004), (0.010, 0.008), (0.001, 0.008))]
    collar = lathe(fillet(ends, 0.002, 2), 40, closed=True)
    high = tall + 0.026
    cap = lathe(
        [(0, tall - 0.012), (radius, tall - 0.012), (radius, high - 0.008), (0.92 * radius, high - 0.002),
         (0.7 * radius, high + 0.004), (0.35 * radius, high + 0.008), (0, high + 0.009)], 40,
    )  # fmt: skip
    case = plain((0.93, 0.80, 0.16), "plastic") if paint.colour not in ("yellow", "orange") else _CASE
    bright = np.array(paint.look.colour) / max(paint.look.colour)
    lit = Look((float(bright[0]), float(bright[1]), float(bright[2])), 0.1, 0.3, glow=2.0)
    unlit = replace(paint.look, colour=shade(paint.look.colour, 0.7))
    parts = [Part(base, case), Part(collar, _STEEL), Part(cap, unlit, "button")]
    limits = {"button": Limit((0.0, 0.0, -1.0), 0.0, 0.014, slides=True)}
    states = {"light": {"off": {2: unlit}, "on": {2: lit}}}
    return joined(
        "button", paint.colour, "plastic", parts, {"button": (0.0, 0.0, tall)}, limits, states, "quarter", None
    )

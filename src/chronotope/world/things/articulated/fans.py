"""Fans: one for a desk, and one under a ceiling."""

import numpy as np

from chronotope.world.things.articulated.articulated import Articulated, Limit, Part, joined
from chronotope.world.things.colours import plain, shade
from chronotope.world.things.joinery import board, rod, wooden
from chronotope.world.things.mesh import (
    Mesh,
    block,
    cylinder,
    ellipsoid,
    fillet,
    lathe,
    loft,
    merge,
    moved,
    ring,
    tube,
    turned,
)
from chronotope.world.things.thing import Paint

_STEEL, _DARK = plain((0.74, 0.75, 0.77), "steel"), plain((0.12, 0.12, 0.13), "plastic")
POWER = {"power": {"off": {}, "on": {}}}
TURN = 2 * float(np.pi)


def desk_fan(generator: np.random.Generator, paint: Paint) -> Articulated:
    """Make a desk fan: a foot, a wire cage, and four blades that turn about x.

    An openness of 1 is one turn.
    """
    parts, hub = _fan_parts(generator, paint)
    limits = {"blades": Limit((1.0, 0.0, 0.0), 0.0, TURN, endless=True)}
    return joined("fan", paint.colour, "plastic", parts, {"blades": (0.024, 0.0, hub)}, limits, POWER, front="its cage")


def _fan_parts(
    generator: np.random.Generator, paint: Paint, wire: float = 0.0014, bows: int = 14
) -> tuple[list[Part], float]:
    """Make the parts of a desk fan; also return the height (m) of its hub."""
    radius = float(generator.uniform(0.13, 0.16))
    hub = 0.12 + radius
    foot = lathe(fillet([(0, 0), (0.095, 0), (0.095, 0.018), (0.025, 0.032), (0, 0.032)], 0.006))
    neck = rod((-0.035, 0, 0.02), (-0.035, 0, hub), 0.014, 16)
    motor = moved(
        turned(lathe(fillet([(0, -0.055), (0.040, -0.055), (0.050, 0.02), (0, 0.02)], 0.014), 28), "y", 90),
        by=(-0.035, 0, hub),
    )
    cage: list[Mesh] = []
    for turn in np.arange(bows) * (2 * np.pi / bows):
        path = np.array([(0.068, 0.022), (0.066, 0.55 * radius), (0.045, 0.92 * radius), (0.020, radius),
                         (-0.008, 0.92 * radius), (-0.024, 0.55 * radius), (-0.024, 0.03)])  # fmt: skip
        bow = np.column_stack([path[:, 0], path[:, 1] * np.cos(turn), path[:, 1] * np.sin(turn)])
        cage.append(tube(bow, wire, 6))
    for x, out in ((0.020, 1.0), (0.062, 0.66), (0.066, 0.36)):
        circle = ring(out * radius, 40)[:, [2, 0, 1]] + (x, 0, 0)
        cage.append(tube(circle, 0.0030 if out == 1.0 else wire, 8, closed=True, up=(1, 0, 0)))
    badge = moved(cylinder(0.026, 0.006, "x", 0.002, 24), by=(0.068, 0, 0))
    blades = [turned(_blade(0.86 * radius), "x", 90 * k) for k in range(4)]
    spinner = turned(lathe([(0, -0.03), (0.028, -0.03), (0.028, 0.005), (0.018, 0.016), (0, 0.020)], 24), "y", 90)
    up = (0, 0, hub)
    is_dark = sum(paint.look.colour) < 1.4
    tone = plain(shade(paint.look.colour, 1.35 if is_dark else 0.55), "plastic")
    parts = [
        Part(merge(foot, neck, motor), paint.look),
        Part(moved(merge(*cage), by=up), _STEEL),
        Part(moved(badge, by=up), paint.look),
        Part(moved(merge(*blades), by=(0.024, 0, hub)), tone, "blades"),
        Part(moved(spinner, by=(0.026, 0, hub)), _DARK, "blades"),
    ]
    return parts, hub


def ribbon_fan(generator: np.random.Generator, paint: Paint) -> Articulated:
    """Make a desk fan with ribbons before its cage.

    The ribbons hang at rest, and blow out over +x while the blades turn.
    """
    parts, hub = _fan_parts(generator, paint, wire=0.0026, bows=9)  # a small picture shows the wires, too
    tied, length = 0.075, 0.20
    along = np.linspace(0, 1, 14)
    strips: list[Mesh] = []
    for number, side in enumerate((-0.066, -0.022, 0.022, 0.066)):
        wave = tied + 0.006 * np.sin(2 * np.pi * along + number)
        low = hub - length * along
        corners = ((0.0, -0.014), (0.0, 0.014), (0.0012, 0.014), (0.0012, -0.014))
        rings = [[(x + thick, side + across, z) for thick, across in corners] for x, z in zip(wave, low, strict=True)]
        strips.append(loft(np.array(rings)))
    bright = plain((0.95, 0.10, 0.50) if paint.colour != "red" else (0.10, 0.75, 0.95), "fabric")
    parts.append(Part(merge(*strips), bright, "ribbons"))
    limits = {"blades": Limit((1.0, 0.0, 0.0), 0.0, TURN, endless=True),
              "ribbons": Limit((0.0, -1.0, 0.0), 0.0, float(np.radians(82)))}  # fmt: skip
    places = {"blades": (0.024, 0.0, hub), "ribbons": (tied, 0.0, hub)}
    return joined("fan", paint.colour, "plastic", parts, places, limits, POWER, front="its cage")


def _blade(reach: float) -> Mesh:
    """Make a twisted blade along +z, which turns about x."""
    rings = []
    for share in np.linspace(0, 1, 9):
        wide = 0.020 + 0.040 * np.sin(np.pi * (0.15 + 0.75 * share)) * (reach / 0.12)
        angle = np.radians(38 - 14 * share)
        across = np.array([np.sin(angle), np.cos(angle), 0.0])
        thin = np.array([np.cos(angle), -np.sin(angle), 0.0]) * 0.0012
        middle = np.array([0.0, 0.0, 0.018 + (reach - 0.018) * share])
        edge = across * wide / 2
        rings.append([middle - edge - thin, middle - edge + thin, middle + edge + thin, middle + edge - thin])
    return loft(np.array(rings))


def ceiling_fan(generator: np.random.Generator, paint: Paint) -> Articulated:
    """Make a fan under a ceiling: a rod, a motor, and five blades that turn about z.

    An openness of 1 is one turn.
    """
    reach, drop = generator.uniform((0.52, 0.22), (0.66, 0.32))
    rose = lathe(fillet([(0, -0.05), (0.035, -0.05), (0.065, 0.0), (0, 0.0)], 0.010), 32)
    stem = rod((0, 0, -drop), (0, 0, -0.03), 0.012, 14)
    motor = moved(
        lathe(fillet([(0, -0.10), (0.06, -0.10), (0.105, -0.05), (0.095, 0.0), (0.03, 0.02), (0, 0.02)], 0.02), 36),
        by=(0, 0, -drop),
    )
    wood = wooden(generator) if paint.colour == "brown" else paint.look
    blades, arms = [], []
    for number in range(5):
        blade = turned(
            moved(block((reach - 0.17, 0.125, 0.007), 0.0025, corner=0.045), by=((reach + 0.17) / 2, 0, 0)), "x", 11
        )
        arm = board((0.085, -0.018, -0.006), (0.23, 0.018, 0.0))
        blades.append(moved(turned(blade, "z", 72 * number), by=(0, 0, -drop - 0.045)))
        arms.append(moved(turned(arm, "z", 72 * number), by=(0, 0, -drop - 0.052)))
    globe = moved(ellipsoid((0.075, 0.075, 0.05), 24), by=(0, 0, -drop - 0.11))
    metal = _STEEL if paint.colour != "white" else paint.look
    parts = [
        Part(merge(rose, stem, motor), metal), Part(globe, plain((0.93, 0.92, 0.88), "glass")),
        Part(merge(*blades), wood, "blades"), Part(merge(*arms), metal, "blades"),
    ]  # fmt: skip
    limits = {"blades": Limit((0.0, 0.0, 1.0), 0.0, TURN, endless=True)}
    return joined(
        "ceiling fan", paint.colour, "wood", parts, {"blades": (0.0, 0.0, -drop - 0.045)}, limits, POWER, "none", None
    )

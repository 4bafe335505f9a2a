"""Things that show something: two lamps, a traffic light, a flag on a pole and a barrier."""

import itertools

import numpy as np

from chronotope.world.things.articulated.articulated import Articulated, Limit, Part, joined
from chronotope.world.things.colours import plain, shade
from chronotope.world.things.joinery import board, boards, rod
from chronotope.world.things.mesh import (
    Mesh,
    block,
    curve,
    cylinder,
    ellipsoid,
    extrude,
    fillet,
    lathe,
    loft,
    merge,
    moved,
    turned,
    upright,
)
from chronotope.world.things.thing import Look, Paint

_STEEL, _DARK = plain((0.70, 0.71, 0.73), "steel"), plain((0.09, 0.09, 0.10), "plastic")
_GLASS, _INSIDE = plain((0.52, 0.51, 0.48), "glass"), plain((0.28, 0.27, 0.26), "metal")
_MILKY = plain((0.40, 0.42, 0.45), "glass")
_LIT, _LIT_INSIDE = Look((1.0, 0.98, 0.80), 0, 0, glow=10.0), Look((1.0, 0.90, 0.52), 0, 0, glow=1.5)
_LENSES = {"red": (0.95, 0.06, 0.05), "amber": (1.0, 0.66, 0.02), "green": (0.05, 0.90, 0.35)}
_SHOWN = {"red": ("red",), "red and amber": ("red", "amber"), "green": ("green",), "amber": ("amber",), "off": ()}


def reading_lamp(generator: np.random.Generator, paint: Paint) -> Articulated:
    """Make a jointed reading lamp whose head leans out over +x, can be tilted, and lights."""
    tall = float(generator.uniform(0.36, 0.44))
    foot = lathe(fillet([(0, 0), (0.085, 0), (0.085, 0.018), (0.020, 0.026), (0, 0.026)], 0.006))
    elbow, head = np.array([-0.10, 0, 0.58 * tall]), np.array([0.09, 0, tall])
    arm = merge(
        *(rod(tuple(low), tuple(high), 0.0075, 12) for low, high in ((np.array([0, 0, 0.018]), elbow), (elbow, head)))
    )
    joints = merge(*(moved(cylinder(0.015, 0.026, "y", 0.003, 20), by=place) for place in (elbow, head)))
    outer = curve([(0.022, 0.070), (0.036, 0.055), (0.062, 0.020), (0.080, -0.040)], 12)
    inside = np.concatenate([[(0, 0.066), (0.014, 0.066)], np.subtract(outer, (0.003, 0))])
    shell = lathe(np.concatenate([inside, outer[::-1], [(0.015, 0.076), (0, 0.076)]]), 36)
    lining = lathe(
        np.concatenate([np.subtract(outer, (0.0045, 0)), np.subtract(outer, (0.002, 0))[::-1]]), 36, closed=True
    )
    bulb = moved(ellipsoid((0.026, 0.026, 0.034), 20), by=(0, 0, 0.0))
    shell, lining, bulb = (
        moved(turned(mesh, "y", -40), by=np.add(head, (0.026, 0, -0.020))) for mesh in (shell, lining, bulb)
    )
    parts = [
        Part(merge(foot, arm), paint.look), Part(joints, _STEEL), Part(shell, paint.look, "head"),
        Part(lining, _INSIDE, "head"), Part(bulb, _GLASS, "head"),
    ]  # fmt: skip
    limits = {"head": Limit((0.0, 1.0, 0.0), 0.0, float(np.radians(35)))}
    states = {"light": {"off": {3: _INSIDE, 4: _GLASS}, "on": {3: _LIT_INSIDE, 4: _LIT}}}
    return joined(
        "reading lamp", paint.colour, "metal", parts, {"head": tuple(head)}, limits, states, front="its shade"
    )


def globe_lamp(generator: np.random.Generator, paint: Paint) -> Articulated:
    """Make a lamp with a globe of milky glass on a short stem, which lights."""
    radius, low = float(generator.uniform(0.085, 0.10)), float(generator.uniform(0.10, 0.13))
    high = low + 0.012
    outline = [(0, 0), (0.075, 0), (0.075, 0.016), (0.022, 0.034), (0.014, low), (0.045, high), (0, high)]
    foot = lathe(fillet(outline, 0.004))
    globe = moved(ellipsoid(radius, 36), by=(0, 0, low + 0.006 + radius))
    lit = Look((1.0, 0.93, 0.42), 0, 0, glow=4.0)
    parts = [Part(foot, paint.look), Part(globe, _MILKY)]
    states = {"light": {"off": {1: _MILKY}, "on": {1: lit}}}
    return joined("globe lamp", paint.colour, "metal", parts, {}, {}, states, "any", None)


def traffic_light(generator: np.random.Generator, paint: Paint) -> Articulated:
    """Make a traffic light on a post, 3.0 to 3.4 m high.

    Its three lights are red, amber and green.
    """
    top = float(generator.uniform(3.0, 3.4))
    case_low = top - 0.98
    post = rod((0, 0, 0), (0, 0, case_low + 0.1), 0.055, 20)
    foot = moved(block((0.30, 0.30, 0.04), 0.006), by=(0, 0, 0.02))
    case = moved(block((0.20, 0.34, 0.98), 0.03), by=(0.02, 0, case_low + 0.49))
    plate = board((-0.005, -0.26, case_low - 0.09), (0.005, 0.26, top + 0.09))
    parts = [Part(merge(post, foot), plain((0.34, 0.36, 0.38), "metal")), Part(merge(case, plate), _DARK)]
    hoods, lenses = [], []
    for number, name in enumerate(_LENSES):
        z = top - 0.17 - 0.32 * number
        hoods.append(moved(_hood(), by=(0.11, 0, z)))
        lens = moved(
            turned(lathe([(0, 0), (0.112, 0), (0.10, 0.012), (0.06, 0.022), (0, 0.026)], 32), "y", 90), by=(0.118, 0, z)
        )
        lenses.append(Part(lens, plain(shade(_LENSES[name], 0.20), "glass")))
    parts += [Part(merge(*hoods), _DARK), *lenses]
    first = len(parts) - len(lenses)
    dark = {first + k: lens.look for k, lens in enumerate(lenses)}
    bright = {first + k: Look(colour, 0.1, 0.3, glow=4.0) for k, colour in enumerate(_LENSES.values())}
    order = list(_LENSES)
    states = {
        value: {index: (bright if order[index - first] in lit else dark)[index] for index in dark}
        for value, lit in _SHOWN.items()
    }
    start = [Part(part.mesh, states["red"].get(index, part.look)) for index, part in enumerate(parts)]
    return joined("traffic light", None, "metal", start, {}, {}, {"light": states}, front="its lights", density=900.0)


def _hood() -> Mesh:
    """Make the hood over one light, which stands out most at its top."""
    turn = np.radians(np.linspace(-20, 200, 20))
    arc = np.column_stack([np.cos(turn), np.sin(turn)])
    hood = upright(moved(extrude(np.concatenate([arc * 0.128, arc[::-1] * 0.121]), 0.15), by=(0, 0, 0.075)))
    hood.vertices[:, 0] *= 0.35 + 0.65 * np.clip((hood.vertices[:, 2] + 0.05) / 0.17, 0, 1)
    return hood


def flagpole(generator: np.random.Generator, paint: Paint) -> Articulated:
    """Make a small pole with a flag that is hoisted from the foot to the top.

    The flag flies towards +x.
    """
    tall = float(generator.uniform(0.55, 0.70))
    foot = lathe(fillet([(0, 0), (0.075, 0), (0.075, 0.016), (0.018, 0.026), (0, 0.026)], 0.005))
    pole = rod((0, 0, 0.02), (0, 0, tall), 0.006, 14)
    ball = moved(ellipsoid(0.012, 18), by=(0, 0, tall + 0.006))
    wide, high, low = 0.24, 0.155, 0.05
    along = np.linspace(0, 1, 40)
    wave = 0.016 * np.sin(2.3 * np.pi * along) * along**0.6
    thick = 0.0012
    rings = []
    for x, y in zip(0.0075 + wide * along, wave, strict=True):
        rings.append([(x, y - thick, low), (x, y + thick, low), (x, y + thick, low + high), (x, y - thick, low + high)])
    cloth = loft(np.array(rings))
    loops = merge(*(moved(cylinder(0.0095, 0.012, "z", 0.001, 16), by=(0, 0, low + z)) for z in (0.02, high - 0.02)))
    parts = [
        Part(merge(foot, pole), plain((0.62, 0.63, 0.65), "steel")), Part(ball, plain((0.80, 0.62, 0.22), "metal")),
        Part(cloth, paint.look, "flag"), Part(loops, _STEEL, "flag"),
    ]  # fmt: skip
    limits = {"flag": Limit((0.0, 0.0, 1.0), 0.0, tall - high - low - 0.012, slides=True)}
    states = {"flag": {"down": {}, "up": {}}}
    return joined("flag", paint.colour, "fabric", parts, {"flag": (0.0, 0.0, low)}, limits, states, front="its flag")


def barrier(generator: np.random.Generator, paint: Paint) -> Articulated:
    """Make a barrier: a striped boom along +y that rises from a housing.

    The boom is 3.0 to 3.6 m long, and the front of the housing is +x.
    """
    length = float(generator.uniform(3.0, 3.6))
    pivot = 0.92
    case = moved(block((0.30, 0.34, 1.02), 0.02), by=(-0.06, 0, 0.51))
    foot = moved(block((0.42, 0.46, 0.03), 0.005), by=(-0.06, 0, 0.015))
    axle = moved(cylinder(0.055, 0.10, "x", 0.006, 24), by=(0.13, 0, pivot))
    count = round(length / 0.36)
    ends = np.linspace(0.16, 0.16 + length, count + 1)
    strips = [((0.135, first, pivot - 0.05), (0.185, last, pivot + 0.05)) for first, last in itertools.pairwise(ends)]
    tail = board((0.12, -0.36, pivot - 0.07), (0.20, 0.165, pivot + 0.07))
    lamp = moved(ellipsoid((0.05, 0.05, 0.055), 18), by=(-0.06, 0, 1.05))
    off, on = plain((0.45, 0.20, 0.04), "glass"), Look((1.0, 0.62, 0.10), 0.1, 0.2, glow=4.0)
    red, white = plain((0.80, 0.07, 0.07), "plastic"), plain((0.95, 0.95, 0.94), "plastic")
    parts = [
        Part(case, paint.look), Part(merge(foot, axle), _STEEL), Part(lamp, off),
        Part(boards(*strips[::2]), red, "boom"), Part(boards(*strips[1::2]), white, "boom"), Part(tail, _DARK, "boom"),
    ]  # fmt: skip
    limits = {"boom": Limit((1.0, 0.0, 0.0), 0.0, float(np.radians(84)))}
    states = {"boom": {"down": {}, "up": {}}, "light": {"off": {2: off}, "on": {2: on}}}
    return joined("barrier", paint.colour, "metal", parts, {"boom": (0.13, 0.0, pivot)}, limits, states)

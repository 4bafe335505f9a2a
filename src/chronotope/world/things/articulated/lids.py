"""Boxes with hinged lids, of the size that stands on a table."""

import itertools

import numpy as np

from chronotope.world.things.articulated.articulated import Articulated, Limit, Part, joined
from chronotope.world.things.colours import plain
from chronotope.world.things.joinery import board, boards, clad, surface
from chronotope.world.things.mesh import Mesh, cylinder, ellipsoid, extrude, merge, moved, turned
from chronotope.world.things.thing import Paint

_BRASS, _IRON = plain((0.75, 0.58, 0.24), "metal"), plain((0.16, 0.16, 0.17), "metal")
_HOLE = plain((0.05, 0.05, 0.05), "metal")
LID = {"openness": {"closed": {}, "open": {}}}
WALL = 0.010  # m


def hinged_box(generator: np.random.Generator, paint: Paint) -> Articulated:
    """Make a box with a hinged lid and a clasp at its front.

    The lid turns about the upper edge of the back (-x).
    """
    deep, wide, tall = generator.uniform((0.20, 0.28, 0.13), (0.26, 0.36, 0.18))
    a, b, rim = deep / 2, wide / 2, tall - 0.030
    sides = boards(
        ((-a, -b, 0), (a, b, WALL)),
        ((-a, -b, WALL), (-a + WALL, b, rim)), ((a - WALL, -b, WALL), (a, b, rim)),
        ((-a + WALL, -b, WALL), (a - WALL, -b + WALL, rim)), ((-a + WALL, b - WALL, WALL), (a - WALL, b, rim)),
    )  # fmt: skip
    low = rim + 0.001
    lid = boards(
        ((-a, -b, tall - WALL), (a, b, tall)),
        ((-a, -b, low), (-a + WALL, b, tall - WALL)), ((a - WALL, -b, low), (a, b, tall - WALL)),
        ((-a + WALL, -b, low), (a - WALL, -b + WALL, tall - WALL)),
        ((-a + WALL, b - WALL, low), (a - WALL, b, tall - WALL)),
    )  # fmt: skip
    clasp = moved(cylinder(0.013, 0.006, "x", 0.001, 20), by=(a + 0.002, 0, low + 0.010))
    plate = board((a - 0.001, -0.016, rim - 0.030), (a + 0.003, 0.016, rim - 0.004))
    hinges = merge(
        *(moved(cylinder(0.005, 0.04, "y", 0.001, 12), by=(-a - 0.003, s * 0.3 * wide, rim)) for s in (-1, 1))
    )
    look = surface(generator, paint)
    parts = [Part(sides, look), Part(merge(plate, hinges), _BRASS), Part(lid, look, "lid"), Part(clasp, _BRASS, "lid")]
    # The lid is lifted by a turn about -y.
    limits = {"lid": Limit((0.0, -1.0, 0.0), 0.0, float(np.radians(110)))}
    return joined(
        "box", paint.colour, paint.material, parts, {"lid": (-a - 0.003, 0.0, rim)}, limits, LID, front="its clasp"
    )


def chest(generator: np.random.Generator, paint: Paint) -> Articulated:
    """Make a chest with a vaulted lid, iron bands and a lock at its front (+x)."""
    deep, wide, rim = generator.uniform((0.22, 0.34, 0.14), (0.26, 0.42, 0.18))
    a, b, vault = deep / 2, wide / 2, 0.40 * deep
    sides = boards(
        ((-a, -b, 0), (a, b, WALL)),
        ((-a, -b, WALL), (-a + WALL, b, rim)), ((a - WALL, -b, WALL), (a, b, rim)),
        ((-a + WALL, -b, WALL), (a - WALL, -b + WALL, rim)), ((-a + WALL, b - WALL, WALL), (a - WALL, b, rim)),
    )  # fmt: skip
    low, turn = rim + 0.001, np.linspace(0, np.pi, 19)
    arc = np.column_stack([np.cos(turn), np.sin(turn)])

    def arch(outside: float, inside: float, middle: float, length: float) -> Mesh:
        # A hollow vault between two outlines, which are shifted from the outer side of the wood.
        outer, inner = (arc * (a + by, vault + by) for by in (outside, inside))
        flat = extrude(np.concatenate([outer, inner[::-1]]), length)
        return moved(turned(flat, "x", 90), by=(0, middle, low))

    ends = [moved(turned(extrude(arc * (a - 0.0005, vault - 0.0005), WALL), "x", 90), by=(0, s * (b - WALL / 2), low))
            for s in (-1, 1)]  # fmt: skip
    vaulted = arch(0.0, -WALL, 0.0, wide)
    bands = [arch(0.0035, -0.001, y, 0.028) for y in (-0.62 * b, 0.62 * b)]
    straps = [board((s * (a - 0.001), y - 0.014, 0.0), (s * (a + 0.0035), y + 0.014, rim))
              for s, y in itertools.product((-1, 1), (-0.62 * b, 0.62 * b))]  # fmt: skip
    hasp = board((a - 0.002, -0.020, low - 0.020), (a + 0.006, 0.020, low + 0.024))
    lock = board((a - 0.001, -0.028, rim - 0.062), (a + 0.005, 0.028, rim - 0.004))
    hole = moved(ellipsoid((0.003, 0.006, 0.009), 12), by=(a + 0.004, 0, rim - 0.040))
    wood = surface(generator, paint)
    parts = [
        Part(sides, wood),
        Part(merge(*straps), _IRON),
        Part(lock, _BRASS),
        Part(hole, _HOLE),
        Part(clad(merge(vaulted, *ends)), wood, "lid"),
        Part(merge(*bands), _IRON, "lid"),
        Part(hasp, _BRASS, "lid"),
    ]
    limits = {"lid": Limit((0.0, -1.0, 0.0), 0.0, float(np.radians(100)))}
    return joined("chest", paint.colour, "wood", parts, {"lid": (-a, 0.0, rim)}, limits, LID, front="its lock")

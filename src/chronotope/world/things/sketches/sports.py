"""Things for sports that are in homes."""

import numpy as np

from chronotope.world.things.colours import plain
from chronotope.world.things.joinery import BLACK, rod, surface
from chronotope.world.things.kind import HomeState, Model
from chronotope.world.things.mesh import along, cylinder, lathe, merge, moved, tube
from chronotope.world.things.thing import Paint

_STRING = plain((0.93, 0.92, 0.84), "plastic")


def bat(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a baseball bat along x: a thick barrel, a thin handle with tape, and a knob."""
    length, radius = float(size[0]), float(min(size[1], size[2])) / 2
    look = surface(generator, paint)
    stations = [
        (0.0, 0.0),
        (0.0, 0.62),
        (0.02, 0.66),
        (0.03, 0.40),
        (0.32, 0.42),
        (0.5, 0.60),
        (0.68, 0.92),
        (0.8, 1.0),
    ]
    stations += [(0.97, 0.98), (1.0, 0.75), (1.0, 0.0)]
    body = lathe([(share * radius, (at - 0.5) * length) for at, share in stations], 24)
    grip = moved(cylinder(0.45 * radius, 0.26 * length, "z", 0.001, 20), by=(0, 0, -0.335 * length))
    ring = moved(cylinder(1.005 * radius, 0.012, "z", 0.0, 24), by=(0, 0, 0.33 * length))
    body, grip, ring = (moved(along(each, "x"), by=(0, 0, radius)) for each in (body, grip, ring))
    tape = BLACK if paint.colour != "black" else plain((0.8, 0.15, 0.12), "rubber")
    low = min(float(each.vertices[:, 2].min()) for each in (body, grip, ring))
    parts = tuple((moved(mesh, by=(0, 0, -low)), each) for mesh, each in ((body, look), (merge(grip, ring), tape)))
    return Model(parts, (parts[0][0],))


def racket(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a tennis racket flat along x: an oval frame with strings, a throat and a handle."""
    length, width, tall = (float(each) for each in size)
    thick, middle = 0.011, tall / 2
    a, b = 0.26 * length, width / 2 - thick
    head = length / 2 - a - thick
    turn = np.arange(36) * (2 * np.pi / 36)
    path = np.stack([head + a * np.cos(turn), b * np.sin(turn), np.full(36, middle)], axis=1)
    frame = tube(path, np.full((36, 2), (thick, 0.9 * thick)), 10, closed=True)
    neck = -0.06 * length
    throat = [
        rod((head - 0.86 * a, s * 0.5 * b, middle), (neck, s * 0.012, middle), (0.010, 0.011), 10) for s in (-1, 1)
    ]
    butt = moved(cylinder(tall / 2, 0.35 * length, "x", 0.004, 8), by=(-length / 2 + 0.175 * length, 0, middle))
    shaft = rod(
        (neck - 0.005, 0, middle), (-length / 2 + 0.34 * length, 0, middle), np.minimum((0.019, 0.016), 0.47 * tall), 12
    )
    across = [
        rod(
            (x + head, -b * np.sqrt(1 - (x / a) ** 2), middle),
            (x + head, b * np.sqrt(1 - (x / a) ** 2), middle),
            0.0013,
            4,
        )
        for x in np.linspace(-0.82 * a, 0.82 * a, 11)
    ]
    down = [
        rod(
            (head - a * np.sqrt(1 - (y / b) ** 2), y, middle),
            (head + a * np.sqrt(1 - (y / b) ** 2), y, middle),
            0.0013,
            4,
        )
        for y in np.linspace(-0.8 * b, 0.8 * b, 9)
    ]
    parts = (
        (merge(frame, *throat, shaft), paint.look),
        (butt, BLACK if paint.colour != "black" else plain((0.85, 0.85, 0.82), "rubber")),
        (merge(*across, *down), _STRING),
    )
    return Model(parts, (frame, butt, shaft))

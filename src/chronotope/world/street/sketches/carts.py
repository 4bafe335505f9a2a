"""Carts that people push: a pram and a shopping trolley; they roll forward along +x, with the handle behind."""

from dataclasses import replace

import numpy as np

from chronotope.world.street.vehicle_model import CHASSIS, VehicleModel
from chronotope.world.street.wheels import TYRE, Wheel, sketch_spoked_wheel
from chronotope.world.things.colours import plain, shade
from chronotope.world.things.mesh import Mesh, along, block, cylinder, ellipsoid, loft, merge, moved, tube
from chronotope.world.things.thing import Look, Paint

_Part = tuple[Mesh, Look, str]
METAL, GRIP = plain((0.70, 0.71, 0.73), "metal"), plain((0.07, 0.07, 0.075), "rubber")
LINING = plain((0.94, 0.93, 0.90), "fabric")
_WIRE, _PITCH = 0.008, 0.06  # m, radius and distance of the wires of a basket
_FORK = 0.05  # m from the middle of a castor to its fork


def _four(front: float, rear: float, y: float, radius: float, width: float) -> tuple[Wheel, ...]:
    """Return four wheels at the x of their axles and at ±y (m)."""
    return tuple(
        Wheel(f"wheel_{end}_{side}", (x, sy * y, radius), radius, width)
        for end, x in (("front", front), ("rear", rear))
        for side, sy in (("left", 1), ("right", -1))
    )


def _rod(*points: tuple[float, float, float], radius: float = 0.011) -> Mesh:
    return tube(np.array(points), radius, 8)


def pram(generator: np.random.Generator, paint: Paint, size: np.ndarray) -> VehicleModel:
    """Make a pram with a round hood on four large wheels.

    ``size`` (3,) m is the length with the handle, the width of the axles, and the height of the hood.
    """
    length, width, height = size
    radius = 0.155 * length
    front, rear = 0.28 * length, -0.28 * length
    wheels = _four(front, rear, width / 2 - 0.025, radius, 0.036)
    wide, low, rim = 0.68 * width, 0.46 * height, 0.70 * height
    body = moved(block((0.66 * length, wide, rim - low), 0.07, taper=1.10), by=(0.04 * length, 0, (low + rim) / 2))
    hood = ellipsoid((0.27 * length, 0.58 * wide, height - rim), 32, flattened=0.5)
    bed = moved(block((0.34 * length, 0.86 * wide, 0.05), 0.02), by=(-0.13 * length, 0, rim + 0.012))
    frame: list[Mesh] = []
    for side in (-1, 1):
        y, inner = side * (width / 2 - 0.06), side * 0.45 * wide
        frame += [
            _rod((front, y, radius), (-0.16 * length, inner, low + 0.03)),
            _rod((rear, y, radius), (0.22 * length, inner, low + 0.03)),
            _rod((-0.25 * length, inner, rim - 0.05), (-0.48 * length, inner, height - 0.03)),
        ]
    frame += [_rod((x, -width / 2 + 0.01, radius), (x, width / 2 - 0.01, radius)) for x in (front, rear)]
    grip = _rod(
        (-0.48 * length, -0.47 * wide, height - 0.03), (-0.48 * length, 0.47 * wide, height - 0.03), radius=0.02
    )
    cover = moved(hood, by=(0.13 * length, 0, rim - 0.01))
    parts: list[_Part] = [(merge(body, cover), paint.look, CHASSIS), (bed, LINING, CHASSIS), (grip, GRIP, CHASSIS)]
    parts.append((merge(*frame), METAL, CHASSIS))
    parts += [(mesh, look, wheel.joint) for wheel in wheels for mesh, look in sketch_spoked_wheel(wheel, METAL)]
    return VehicleModel(tuple(parts), wheels, (length / 2, 0.0, 0.72 * height))


def shopping_trolley(generator: np.random.Generator, paint: Paint, size: np.ndarray) -> VehicleModel:
    """Make a shopping trolley of a size (3,) m.

    A basket of wires is on a frame with four castors.
    """
    length, width, height = size
    radius = 0.068
    front, rear = length / 2 - 0.14, -length / 2 + 0.27
    half = width / 2 - 0.04
    wheels = _four(front, rear, half - 0.05, radius, 0.042)
    head, tail, low, top = length / 2 - 0.01, -length / 2 + 0.10, 0.46 * height, 0.90 * height
    liner, wires = _basket(head, tail, width / 2, low, top)
    frame: list[Mesh] = []
    for side in (-1, 1):
        y = side * (half - 0.05)
        frame += [
            _rod((front, y, radius + _FORK), (rear, y, radius + _FORK), radius=0.021),
            _rod((rear, y, radius + _FORK), (tail, side * (width / 2 - 0.02), top + 0.03), radius=0.021),
            _rod((rear + 0.06, y, 0.3 * height), (front - 0.02, y, low + 0.01), radius=0.018),
        ]
        frame += [_rod((x, y, radius), (x, y, radius + _FORK + 0.01), radius=0.018) for x in (front, rear)]
    handle = _rod(
        (tail, -width / 2 + 0.02, top + 0.03), (-length / 2 + 0.028, -width / 2 + 0.02, height - 0.028),
        (-length / 2 + 0.028, width / 2 - 0.02, height - 0.028), (tail, width / 2 - 0.02, top + 0.03), radius=0.026,
    )  # fmt: skip
    parts: list[_Part] = [(merge(*wires), paint.look, CHASSIS), (merge(*frame), METAL, CHASSIS)]
    darker = replace(paint.look, colour=shade(paint.look.colour, 0.62))
    parts += [(handle, GRIP, CHASSIS), (liner, darker, CHASSIS)]
    for wheel in wheels:
        tread = moved(along(cylinder(radius, wheel.width, "z", 0.004, 20), "y"), by=wheel.centre)
        hub = moved(block((0.05, wheel.width + 0.006, 0.02), 0.004), by=wheel.centre)
        parts += [(tread, TYRE, wheel.joint), (hub, METAL, wheel.joint)]
    return VehicleModel(tuple(parts), wheels, (length / 2, 0.0, 0.8 * height))


def _basket(head: float, tail: float, half: float, low: float, top: float) -> tuple[Mesh, list[Mesh]]:
    """Make a basket from x = ``tail`` to ``head``, where it is narrower: its liner and its wires.

    The liner behind the wires is closed, because the verifier cannot find points on wires that are thinner than pixels.
    """

    def corner(x: float, side: int, share: float, inset: float = 0.0) -> tuple[float, float, float]:
        ahead = (x - tail) / (head - tail)
        bottom = low + 0.10 * ahead
        wide = half * (0.80 + 0.20 * share) * (1 - 0.14 * ahead) - inset
        along = x - 0.05 * (1 - share) * ahead + (inset if ahead < 0.5 else -inset)
        return along, side * wide, bottom + share * (top - bottom)

    def loop(share: float, inset: float) -> list[tuple[float, float, float]]:
        return [corner(x, side, share, inset) for x, side in ((tail, -1), (head, -1), (head, 1), (tail, 1))]

    liner = loft(np.array([loop(0.02, 0.01), loop(0.97, 0.01), loop(0.97, 0.02), loop(0.06, 0.02)]))
    wires: list[Mesh] = []
    for x in np.linspace(tail, head, round((head - tail) / _PITCH) + 1):
        ends = [corner(x, side, share) for side, share in ((-1, 1.0), (-1, 0.0), (1, 0.0), (1, 1.0))]
        wires.append(tube(np.array(ends), _WIRE, 5))
    for share in np.linspace(0, 1, 6):
        around = loop(share, 0.0)
        wires.append(tube(np.array([*around, around[0]]), _WIRE * (2.2 if share == 1 else 1.0), 5))
    for end in (tail, head):
        for share in np.linspace(-0.8, 0.8, 7):
            points = [np.array(corner(end, 1, height)) * (1, share, 1) for height in (0.0, 1.0)]
            wires.append(tube(np.array(points), _WIRE, 5))
    return liner, wires

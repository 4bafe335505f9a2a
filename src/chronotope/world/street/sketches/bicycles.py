"""Bicycles: a painted frame of tubes between two spoked wheels."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from chronotope.world.street.hull import plate
from chronotope.world.street.vehicle_model import CHASSIS, CRANK, PEDALS, Cockpit, VehicleModel
from chronotope.world.street.wheels import Wheel, sketch_spoked_wheel
from chronotope.world.things.colours import plain
from chronotope.world.things.mesh import Mesh, block, curve, cylinder, ellipsoid, loft, merge, moved, tube
from chronotope.world.things.thing import Paint

GEAR = 2.4  # turns of a wheel for each turn of the crank: 42 and 18 teeth
ARM, DOWN, OUT = 0.17, np.radians(25.0), 0.136  # m, the crank arms; how far the left one points down; pedals' places
_SADDLE, _PEDAL = 0.028, 0.011  # m, from the middle of the saddle and of a pedal to its upper side
METAL, BLACK = plain((0.66, 0.67, 0.69), "metal"), plain((0.06, 0.06, 0.065), "rubber")


@dataclass(frozen=True, eq=False)
class _Joints:
    """The places (3,) m where the tubes of a bicycle meet, and those of its wheels."""

    front: float
    rear: float
    radius: float
    crank: np.ndarray
    saddle: np.ndarray
    seat: np.ndarray
    head: np.ndarray
    neck: np.ndarray
    bar: np.ndarray


def bicycle(generator: np.random.Generator, paint: Paint, size: np.ndarray) -> VehicleModel:
    """Make a bicycle for town, with mudguards and a rack.

    ``size`` (3,) m sets the length between the outer ends of the tyres, the width of the handlebar, and its height.
    """
    length, width, height = size
    radius = 0.19 * length
    front, rear = length / 2 - radius, -length / 2 + radius
    crank, saddle = _place(rear + 0.44, radius - 0.07), _place(rear + 0.27, 0.82 * height)
    joints = _Joints(
        front=front,
        rear=rear,
        radius=radius,
        crank=crank,
        saddle=saddle,
        seat=crank + 0.80 * (saddle - crank),
        head=_place(front - 0.22, 0.80 * height),
        neck=_place(front - 0.175, 0.64 * height),
        bar=_place(front - 0.25, height - 0.035),
    )
    wheels = tuple(
        Wheel(joint, (x, 0.0, radius), radius, 0.042) for joint, x in (("wheel_front", front), ("wheel_rear", rear))
    )
    bars, grips = _handlebar(joints, width / 2)
    cranks, pedals, chain = _cranks(joints)
    guards = merge(*(_mudguard(x, radius, first, last) for x, first, last in ((rear, 5, 205), (front, 20, 165))))
    lamp = moved(cylinder(0.04, 0.07, "x", 0.01, 16), by=_moved(joints.head, 0.07, 0, 0))
    behind = 0.97 * (radius + 0.04)
    tail = moved(ellipsoid((0.02, 0.035, 0.03), 12), by=(rear - behind, 0, radius + 0.26 * behind))
    parts = [
        (merge(_frame(joints), guards), paint.look, CHASSIS),
        (merge(bars, *_rack(rear, radius)), METAL, CHASSIS),
        (cranks, METAL, CRANK),
        (merge(_cushion(saddle), grips, chain), BLACK, CHASSIS),
        (lamp, plain((0.93, 0.93, 0.90), "glass"), CHASSIS),
        (tail, plain((0.75, 0.04, 0.05), "plastic"), CHASSIS),
    ]
    parts += [(pedal, BLACK, name) for name, pedal in zip(PEDALS, pedals, strict=True)]
    for wheel in wheels:
        parts += [(mesh, look, wheel.joint) for mesh, look in sketch_spoked_wheel(wheel, METAL)]
    return VehicleModel(tuple(parts), wheels, (front - 0.1, 0.0, height + 0.35), _cockpit(joints, width / 2))


def _cockpit(joints: _Joints, half: float) -> Cockpit:
    """Tell where a rider touches the bicycle."""
    crank, end = joints.crank, half - 0.017
    pedal = crank + np.array([ARM * np.cos(DOWN), OUT, -ARM * np.sin(DOWN)])
    ends = joints.bar + np.array([[-0.08, 0.82 * end, 0.008], [-0.19, end, -0.004]])
    outwards = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
    saddle = joints.saddle + np.array([0.0, 0.0, _SADDLE])
    middle = ends.mean(axis=0)
    places: list[Any] = [tuple(np.round(place, 6).tolist()) for place in (crank, pedal, saddle, middle, outwards)]
    return Cockpit(places[0], places[1], places[2], places[3], places[4], _PEDAL, GEAR)


def _place(x: float, z: float) -> np.ndarray:
    return np.array([x, 0.0, z])


def _moved(place: np.ndarray, x: float, y: float, z: float) -> np.ndarray:
    return place + np.array([x, y, z])


def _frame(joints: _Joints) -> Mesh:
    """Make the painted tubes between the crank, the saddle, the handlebar and the axles."""
    crank, seat, head, neck = joints.crank, joints.seat, joints.head, joints.neck
    tubes = [
        tube(np.array([crank, neck]), 0.021, 12),
        tube(np.array([seat, head]), 0.018, 12),
        tube(np.array([crank, seat]), 0.018, 12),
        tube(np.array([_moved(neck, 0.012, 0, -0.06), _moved(head, 0, 0, 0.02)]), 0.024, 12),
    ]
    for y in (-0.055, 0.055):
        hub, ahead = np.array([joints.rear, y, joints.radius]), np.array([joints.front, y, joints.radius])
        tubes.append(tube(np.array([hub, _moved(crank, 0, y * 0.5, 0)]), 0.010, 8))
        tubes.append(tube(np.array([hub, _moved(seat, 0, y * 0.35, 0)]), 0.009, 8))
        fork = [_moved(neck, 0.005, 0, -0.02), _moved(neck, 0.02, y, -0.07), ahead]
        tubes.append(tube(curve(np.array(fork), 8), 0.012, 8))
    return merge(*tubes)


def _handlebar(joints: _Joints, half: float) -> tuple[Mesh, Mesh]:
    """Make the handlebar with the post of the saddle, and the grips."""
    end = half - 0.017
    side = [(0.03, 0.2 * half, 0.01), (-0.02, 0.62 * half, 0.03), (-0.16, end, 0.015)]
    bend = [*((x, -y, z) for x, y, z in side[::-1]), (0.03, 0.0, 0.0), *side]
    metal = [
        tube(np.array([joints.head, joints.bar]), 0.013, 10),
        tube(_moved(joints.bar, -0.03, 0, -0.02) + curve(bend, 28), 0.011, 8),
        tube(np.array([joints.seat, joints.saddle]), 0.013, 10),
    ]
    grips = [
        tube(joints.bar + np.array([[-0.19, y, -0.004], [-0.08, 0.82 * y, 0.008]]), 0.017, 10) for y in (-end, end)
    ]
    return merge(*metal), merge(*grips)


def _cushion(place: np.ndarray) -> Mesh:
    """Make the saddle: wide behind, and narrow at its nose."""
    turn = np.arange(12) * np.pi / 6
    outline = curve(np.array([(-0.13, 0.075), (-0.05, 0.085), (0.04, 0.035), (0.14, 0.022)]), 12)
    rings = [np.column_stack([np.full(12, x), y * np.cos(turn), 0.028 * np.sin(turn)]) for x, y in outline]
    return moved(loft(np.array(rings)), by=place)


def _cranks(joints: _Joints) -> tuple[Mesh, tuple[Mesh, Mesh], Mesh]:
    """Make the cranks with the chain wheel, the left and the right pedal, and the chain."""
    crank = joints.crank
    metal = [moved(cylinder(0.095, 0.006, "y", 0.001, 28), by=_moved(crank, 0, -0.05, 0))]
    pedals = []
    for turn, y in ((DOWN, 0.08), (DOWN + np.pi, -0.08)):
        way = np.array([np.cos(turn), 0, -np.sin(turn)]) * ARM
        metal.append(tube(np.array([_moved(crank, 0, y, 0), _moved(crank, 0, y, 0) + way]), 0.011, 8))
        pedals.append(moved(block((0.10, 0.08, 2 * _PEDAL), 0.006), by=_moved(crank, 0, np.sign(y) * OUT, 0) + way))
    chain = []
    for z in (0.09, -0.09):
        ends = [_moved(crank, 0, -0.05, z), (joints.rear, -0.05, joints.radius + 0.4 * z)]
        chain.append(tube(np.array(ends), 0.006, 6))
    return merge(*metal), (pedals[0], pedals[1]), merge(*chain)


def _mudguard(x: float, radius: float, first: float, last: float) -> Mesh:
    """Make a mudguard over the wheel at x (m), from one direction to another (degrees from ahead, upwards)."""
    turn, across = np.radians(np.linspace(first, last, 20)), np.array([0.027, 0.0, -0.027])
    reach = radius + 0.022 - 0.008 * np.abs(across) / 0.027
    points = np.empty((20, 3, 3))
    points[..., 0] = x + np.cos(turn)[:, None] * reach
    points[..., 1] = across
    points[..., 2] = radius + np.sin(turn)[:, None] * reach
    return plate(points, 0.003, 0.003)


def _rack(rear: float, radius: float) -> tuple[Mesh, ...]:
    """Make a rack over the rear wheel."""
    top = 2 * radius + 0.07
    bars = [tube(np.array([[rear - 0.24, y, top], [rear + 0.16, y, top]]), 0.007, 6) for y in (-0.055, 0.0, 0.055)]
    bars += [tube(np.array([[rear + x, -0.06, top], [rear + x, 0.06, top]]), 0.007, 6) for x in (-0.24, -0.04, 0.16)]
    bars += [tube(np.array([[rear - 0.16, y, top], [rear, y, radius]]), 0.006, 6) for y in (-0.06, 0.06)]
    return tuple(bars)

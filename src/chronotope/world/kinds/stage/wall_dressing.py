"""What makes a wall tell the kind of its room: tool boards, blackboards, rows of books or goods, garlands, and more.

A dressing is a list of pieces in the frame of a wall: x along the wall, y out of it into the room, z up, with the
origin on the floor. Dressings are parts of the backdrop: nobody asks about them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np

from chronotope.world.slabs import slab
from chronotope.world.things import Look, Piece
from chronotope.world.things.mesh import cylinder, ellipsoid, lathe, moved, turned
from chronotope.world.things.thing import finished

Colour = tuple[float, float, float]
Dressing = Callable[[np.random.Generator, float], list[Piece]]

BRIGHT: tuple[Colour, ...] = (
    (0.80, 0.16, 0.14), (0.14, 0.36, 0.70), (0.92, 0.74, 0.16), (0.16, 0.52, 0.28), (0.90, 0.48, 0.14),
    (0.48, 0.22, 0.56), (0.92, 0.90, 0.84), (0.26, 0.62, 0.68),
)  # fmt: skip
SPINES: tuple[Colour, ...] = (
    (0.45, 0.14, 0.13), (0.16, 0.24, 0.40), (0.22, 0.36, 0.24), (0.62, 0.50, 0.30), (0.34, 0.22, 0.15),
    (0.72, 0.66, 0.56), (0.52, 0.34, 0.16), (0.20, 0.20, 0.22),
)  # fmt: skip
COVERS: tuple[Colour, ...] = ((0.16, 0.2, 0.3), (0.5, 0.16, 0.15), (0.2, 0.2, 0.21), (0.16, 0.38, 0.28))
BALLS: tuple[Colour, ...] = ((0.85, 0.42, 0.12), (0.93, 0.92, 0.90), (0.86, 0.80, 0.22), (0.18, 0.36, 0.66))
HUNG = 0.6  # m; shelves that begin higher hang on the wall
ROOMY = 2.0  # m of wall, so that people can pass what stands before it
WOOD, STEEL, DARK, PALE = (0.58, 0.44, 0.30), (0.62, 0.64, 0.66), (0.13, 0.13, 0.14), (0.93, 0.92, 0.90)


def _plain(colour: Colour) -> Look:
    return Look(colour, 0.1, 0.2)


def _of(colours: Sequence[Colour], number: int) -> Look:
    return _plain(colours[number % len(colours)])


def _drum(radius: float, length: float, axis: str, place: Sequence[float], colour: Colour) -> Piece:
    return finished(moved(cylinder(radius, length, axis, 0.0, 24), by=tuple(place)), _plain(colour))


class Slot(NamedTuple):
    """The room for one thing in a row: its middle along x, its width, its bottom, its height and its depth (m).

    ``number`` counts the things of the row, so that neighbours differ or agree.
    """

    middle: float
    wide: float
    low: float
    tall: float
    deep: float
    number: int


def _book(generator: np.random.Generator, slot: Slot) -> list[Piece]:
    tall = slot.tall * float(generator.uniform(0.62, 0.92))
    look = _of(SPINES, int(generator.integers(len(SPINES))))
    size = slot.wide - 0.002, 0.8 * slot.deep, tall
    return [slab(size, (slot.middle, slot.deep / 2, slot.low + tall / 2), look)]


def _binder(generator: np.random.Generator, slot: Slot) -> list[Piece]:
    tall = min(0.31, 0.9 * slot.tall)
    look = _of(COVERS, slot.number // 5)
    front = slot.deep * 0.95 + 0.003
    return [slab((slot.wide - 0.004, 0.9 * slot.deep, tall), (slot.middle, slot.deep / 2, slot.low + tall / 2), look),
            slab((0.045, 0.004, 0.11), (slot.middle, front, slot.low + 0.62 * tall), _plain(PALE))]  # fmt: skip


def _pack(generator: np.random.Generator, slot: Slot) -> list[Piece]:
    tall, band = 0.8 * slot.tall, (0.7 * slot.wide, 0.004, 0.28 * slot.tall)
    size = slot.wide - 0.006, 0.8 * slot.deep, tall
    return [slab(size, (slot.middle, slot.deep / 2, slot.low + tall / 2), _of(BRIGHT, slot.number // 4)),
            slab(band, (slot.middle, 0.9 * slot.deep + 0.003, slot.low + 0.6 * tall),
                 _of(BRIGHT, slot.number // 4 + 3))]  # fmt: skip


def _jar(generator: np.random.Generator, slot: Slot) -> list[Piece]:
    tall, at = min(0.2, 0.75 * slot.tall), (slot.middle, slot.deep / 2)
    return [_drum(0.44 * slot.wide, tall, "z", (*at, slot.low + tall / 2), _of(BRIGHT, slot.number).colour),
            _drum(0.46 * slot.wide, 0.02, "z", (*at, slot.low + tall + 0.01), STEEL)]  # fmt: skip


def _towels(generator: np.random.Generator, slot: Slot) -> list[Piece]:
    mesh, pieces = cylinder(0.033, slot.deep, "y", 0.0, 16), []
    for layer, side in product(range(int(slot.tall / 0.07)), (-1, 1)):
        at = slot.middle + side * slot.wide / 4, slot.deep / 2, slot.low + 0.034 + 0.067 * layer
        pieces.append(finished(moved(mesh, by=at), _of((PALE, (0.55, 0.75, 0.78)), slot.number + layer)))
    return pieces


def _trays(generator: np.random.Generator, slot: Slot) -> list[Piece]:
    tall, front, pieces = 0.42 * slot.tall, 0.95 * slot.deep + 0.003, []
    for layer in (0, 1):
        at = slot.low + (0.5 + 1.06 * layer) * tall
        look = _of(BRIGHT, slot.number + 3 * layer)
        pieces.append(slab((slot.wide - 0.015, 0.9 * slot.deep, tall), (slot.middle, slot.deep / 2, at), look))
        pieces.append(slab((0.09, 0.004, 0.025), (slot.middle, front, at + 0.2 * tall), _plain(DARK)))
    return pieces


def _ball(generator: np.random.Generator, slot: Slot) -> list[Piece]:
    radius = min(0.48 * slot.wide, 0.45 * slot.tall)
    at = slot.middle, slot.deep - radius, slot.low + radius
    pieces = [finished(moved(ellipsoid(radius, 20), by=at), _of(BALLS, slot.number))]
    if slot.number % 4 in (0, 1):  # seams
        pieces += [_drum(radius * 1.004, 0.006, axis, at, DARK) for axis in ("x", "z")]
    return pieces


def _pot(generator: np.random.Generator, slot: Slot) -> list[Piece]:
    tall, middle = 0.4 * slot.tall, slot.deep / 2
    pot = lathe(np.array([(0.05, 0.0), (0.07, tall), (0.06, tall), (0.045, 0.01)]), 24, closed=True)
    pieces = [finished(moved(pot, by=(slot.middle, middle, slot.low)), _plain((0.72, 0.36, 0.22)))]
    for side in (-1, 0, 1):
        at = slot.middle + 0.035 * side, middle, slot.low + 1.2 * tall
        leaf = moved(ellipsoid((0.05, 0.045, 0.07), 14), by=at)
        pieces.append(finished(leaf, _plain((0.20 + 0.06 * side, 0.46, 0.16))))
    return pieces


_ROWS: Mapping[str, tuple[tuple[float, float], Callable[[np.random.Generator, Slot], list[Piece]]]] = {
    "books": ((0.022, 0.055), _book),
    "binders": ((0.07, 0.075), _binder),
    "goods": ((0.10, 0.11), _pack),
    "jars": ((0.11, 0.13), _jar),
    "towels": ((0.24, 0.28), _towels),
    "trays": ((0.26, 0.27), _trays),
    "balls": ((0.20, 0.24), _ball),
    "pots": ((0.17, 0.21), _pot),
}
ROWS = tuple(_ROWS)
"""What can stand in a row."""


def rows(
    generator: np.random.Generator, kind: str, wide: float, low: float, high: float, deep: float = 0.2
) -> list[Piece]:
    """Fill a compartment with a row of one of ROWS, from its bottom to its top.

    The compartment reaches from -wide / 2 to wide / 2, and its contents stand with their backs at y = 0.
    """
    widths, make = _ROWS[kind]
    pieces, x, number = list[Piece](), -wide / 2 + 0.01, int(generator.integers(8))
    while (step := float(generator.uniform(*widths))) + x < wide / 2 - 0.01:
        pieces += make(generator, Slot(x + step / 2, step, low, high - low, deep, number))
        x, number = x + step, number + 1
    return pieces


def _shelves(generator: np.random.Generator, wide: float, kind: str, levels: Sequence[float]) -> list[Piece]:
    """Make shelves at the wall, with a row on each but the uppermost."""
    frame = _plain(WOOD if kind == "books" else STEEL if kind == "goods" else PALE)
    pieces = [slab((wide, 0.24, 0.025), (0, 0.12, level), frame) for level in levels]
    foot = levels[0] if levels[0] > HUNG else 0.0  # lower shelves stand on the floor
    pieces += [slab((0.025, 0.24, levels[-1] - foot), (side * wide / 2, 0.12, (foot + levels[-1]) / 2), frame)
               for side in (-1, 1)]  # fmt: skip
    for low, high in pairwise(levels):
        pieces += rows(generator, kind, wide - 0.05, low + 0.0125, high - 0.0125)
    return pieces


def _books(generator: np.random.Generator, wide: float) -> list[Piece]:
    return _shelves(generator, min(wide, 2.4), "books", (0.3, 0.66, 1.02, 1.38, 1.74, 2.1, 2.46))


def _binders(generator: np.random.Generator, wide: float) -> list[Piece]:
    return _shelves(generator, min(wide, 1.8), "binders", (1.2, 1.58, 1.96, 2.34))


def _goods(generator: np.random.Generator, wide: float) -> list[Piece]:
    """Make shelves with rows of equal goods, under a striped awning."""
    wide = min(wide, 2.8)
    pieces = _shelves(generator, wide, "goods", (0.5, 0.82, 1.14, 1.46, 1.78, 2.1))
    count = int(wide / 0.2)
    for number in range(count):
        x = (number + 0.5 - count / 2) * 0.2
        pieces.append(slab((0.2, 0.5, 0.28), (x, 0.25, 2.42), _plain((0.75, 0.15, 0.14) if number % 2 else PALE)))
    return pieces


def _tools(generator: np.random.Generator, wide: float) -> list[Piece]:
    """Make a board with hammers, saws, spanners and screwdrivers, over a long bench."""
    wide = min(wide, 2.6)
    pieces = [slab((wide, 0.03, 1.0), (0, 0.015, 1.75), _plain((0.74, 0.60, 0.40))),
              slab((wide, 0.5, 0.07), (0, 0.25, 0.9), _plain((0.46, 0.34, 0.22)))]  # fmt: skip
    pieces += [slab((0.09, 0.4, 0.86), (side * (wide / 2 - 0.1), 0.25, 0.43), _plain((0.40, 0.30, 0.2)))
               for side in (-1, 1)]  # fmt: skip
    handle = ((0.78, 0.20, 0.14), (0.15, 0.30, 0.60), (0.85, 0.65, 0.14), (0.55, 0.36, 0.18))
    for number in range(int(wide / 0.27)):
        x = -wide / 2 + 0.2 + 0.27 * number
        look, kind = _of(handle, number), number % 4
        if kind == 0:  # a hammer
            pieces.append(slab((0.035, 0.03, 0.34), (x, 0.05, 1.72), _plain(handle[3])))
            pieces.append(slab((0.16, 0.05, 0.06), (x, 0.06, 1.92), _plain(DARK)))
        elif kind == 1:  # a saw
            blade = moved(turned(cylinder(0.19, 0.006, "y", 0.0, 3), "y", 30), by=(x, 0.05, 1.62))
            pieces.append(finished(blade, _plain(STEEL)))
            pieces.append(slab((0.14, 0.03, 0.12), (x, 0.05, 1.88), look))
        elif kind == 2:  # a spanner
            pieces.append(slab((0.035, 0.015, 0.3), (x, 0.045, 1.75), _plain(STEEL)))
            pieces += [_drum(0.045, 0.016, "y", (x, 0.045, 1.75 + side * 0.16), STEEL) for side in (-1, 1)]
            pieces += [slab((0.035, 0.018, 0.05), (x, 0.047, 1.75 + side * 0.19), _plain((0.74, 0.60, 0.40)))
                       for side in (-1, 1)]  # fmt: skip
        else:  # two screwdrivers
            for side in (-0.05, 0.05):
                pieces.append(_drum(0.022, 0.12, "z", (x + side, 0.055, 1.9), look.colour))
                pieces.append(_drum(0.007, 0.18, "z", (x + side, 0.055, 1.75), STEEL))
    return pieces


def _roller_door(generator: np.random.Generator, wide: float) -> list[Piece]:
    """Make a closed roller door between yellow posts, and two stacks of tyres where there is room."""
    wide = min(wide, 2.9)
    pieces = [slab((wide, 0.04, 0.115), (0, 0.02 + 0.012 * (k % 2), 0.06 + 0.12 * k), _plain((0.66, 0.68, 0.70)))
              for k in range(20)]  # fmt: skip
    pieces.append(slab((wide + 0.2, 0.3, 0.3), (0, 0.15, 2.55), _plain((0.50, 0.52, 0.54))))
    for side in (-1, 1):
        for k in range(6):
            colour = (0.90, 0.72, 0.10) if k % 2 else DARK
            pieces.append(slab((0.12, 0.12, 0.2), (side * (wide / 2 + 0.08), 0.06, 0.1 + 0.2 * k), _plain(colour)))
        for k in range(5 if wide > ROOMY else 0):
            turns = np.linspace(0, 2 * np.pi, 13)
            profile = np.column_stack([0.24 + 0.1 * np.cos(turns), 0.11 + 0.1 * np.sin(turns)])
            tyre = moved(lathe(profile, 32, closed=True), by=(side * (wide / 2 - 0.45), 0.45, 0.21 * k))
            pieces.append(finished(tyre, _plain((0.09, 0.09, 0.095))))
    return pieces


def _blackboard(generator: np.random.Generator, wide: float) -> list[Piece]:
    """Make a blackboard with drawings of chalk, and a globe on a wall shelf beside it."""
    wide = min(wide, 2.6)
    chalk = _plain((0.92, 0.93, 0.90))
    pieces = [slab((wide, 0.04, 1.25), (0, 0.02, 1.75), _plain((0.50, 0.36, 0.22))),
              slab((wide - 0.12, 0.02, 1.13), (0, 0.035, 1.75), Look((0.10, 0.24, 0.17), 0.02, 0.05)),
              slab((wide - 0.12, 0.09, 0.03), (0, 0.06, 1.13), _plain((0.50, 0.36, 0.22)))]  # fmt: skip
    ring = [(0.22 * np.cos(t), 0.22 * np.sin(t)) for t in np.linspace(0, 2 * np.pi, 25)]
    shapes = [(-0.32 * wide, ring), (0.0, [(-0.25, -0.2), (0.25, -0.2), (-0.25, 0.25), (-0.25, -0.2)]),
              (0.31 * wide, [(-0.3, -0.25), (-0.3, 0.25)]), (0.31 * wide, [(-0.3, -0.25), (0.3, -0.25)]),
              (0.31 * wide, [(-0.3 + 0.06 * k, -0.2 + 0.004 * k * k) for k in range(10)])]  # fmt: skip
    shrunk = min(1.0, wide / 2.4)
    for middle, drawn in shapes:
        points = [(shrunk * x, shrunk * z) for x, z in drawn]
        pieces += [
            slab((max(abs(b[0] - a[0]), 0.016), 0.006, max(abs(b[1] - a[1]), 0.016)),
                 (middle + (a[0] + b[0]) / 2, 0.047, 1.8 + (a[1] + b[1]) / 2), chalk)
            for a, b in _short(points)
        ]  # fmt: skip
    pieces.append(slab((0.2, 0.06, 0.02), (0.3 * wide, 0.08, 1.15), chalk))
    return pieces


def _short(points: Sequence[tuple[float, float]]) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Cut a line into pieces so short that upright boxes draw it."""
    found = []
    for a, b in pairwise(points):
        count = max(1, int(np.hypot(b[0] - a[0], b[1] - a[1]) / 0.02))
        steps = [(a[0] + (b[0] - a[0]) * k / count, a[1] + (b[1] - a[1]) * k / count) for k in range(count + 1)]
        found += list(pairwise(steps))
    return found


def _counter(generator: np.random.Generator, wide: float) -> list[Piece]:
    """Make a serving counter with pans of food, a glass guard's rail, hanging lamps and stacks of plates."""
    wide = min(wide, 2.8)
    pieces = [slab((wide, 0.6, 0.86), (0, 0.4, 0.43), _plain(STEEL)),
              slab((wide + 0.05, 0.7, 0.05), (0, 0.42, 0.885), _plain((0.80, 0.81, 0.82))),
              slab((wide, 0.03, 0.7), (0, 0.02, 1.5), _plain((0.25, 0.27, 0.28))),
              slab((wide, 0.03, 0.03), (0, 0.72, 1.28), _plain(STEEL))]  # fmt: skip
    food = ((0.80, 0.52, 0.14), (0.66, 0.14, 0.10), (0.30, 0.52, 0.16), (0.90, 0.82, 0.52), (0.42, 0.22, 0.10))
    for number in range(int(wide / 0.45)):
        x = -wide / 2 + 0.25 + 0.45 * number
        pieces.append(slab((0.4, 0.36, 0.05), (x, 0.4, 0.93), _plain((0.86, 0.87, 0.88))))
        mound = ellipsoid((0.17, 0.15, 0.09), 16)
        pieces.append(finished(moved(mound, by=(x, 0.4, 0.96)), _of(food, number)))
        pieces.append(_drum(0.004, 0.6, "z", (x, 0.4, 2.1), DARK))
        shade = lathe(np.array([(0.02, 0.14), (0.13, 0.0), (0.12, 0.0), (0.01, 0.13)]), 24, closed=True)
        pieces.append(finished(moved(shade, by=(x, 0.4, 1.68)), _plain((0.85, 0.55, 0.12))))
        pieces += [_drum(0.12, 0.012, "z", (x, 0.14, 1.16 + 0.02 * k), PALE) for k in range(6)]
    return pieces


def _departures(generator: np.random.Generator, wide: float) -> list[Piece]:
    """Make a large dark board with rows of amber dashes, over a bench."""
    wide = min(wide, 2.8)
    amber = Look((0.98, 0.70, 0.12), 0.3, 0.2)
    pieces = [slab((wide, 0.14, 1.1), (0, 0.07, 2.15), _plain((0.07, 0.08, 0.10))),
              slab((wide, 0.16, 0.12), (0, 0.08, 2.62), _plain((0.10, 0.22, 0.45)))]  # fmt: skip
    for row in range(6):
        x = -wide / 2 + 0.12
        for length in (0.2, 0.75, 0.16, 0.3):
            shown = length * float(generator.uniform(0.6, 1.0)) * wide / 2.0
            count = max(1, int(shown / 0.055))
            pieces += [slab((0.04, 0.01, 0.06), (x + 0.055 * k, 0.145, 2.5 - 0.15 * row), amber) for k in range(count)]
            x += length * wide / 1.75
    seat = _plain((0.45, 0.30, 0.18))
    pieces += [
        slab((wide * 0.7, 0.4, 0.05), (0, 0.35, 0.45), seat),
        slab((wide * 0.7, 0.04, 0.4), (0, 0.14, 0.72), seat),
    ]
    pieces += [slab((0.06, 0.38, 0.43), (side * wide * 0.3, 0.34, 0.215), _plain(DARK)) for side in (-1, 0, 1)]
    return pieces


def _pans(generator: np.random.Generator, wide: float) -> list[Piece]:
    """Make a rail with pans and ladles, and wall cupboards above."""
    wide = min(wide, 2.4)
    pieces = [slab((wide, 0.03, 0.03), (0, 0.05, 1.62), _plain(STEEL))]
    for number in range(int(wide / 0.3)):
        x = -wide / 2 + 0.16 + 0.3 * number
        pieces.append(slab((0.025, 0.015, 0.18), (x, 0.06, 1.52), _plain(DARK)))
        if number % 3 == 2:
            pieces.append(finished(moved(ellipsoid(0.045, 16), by=(x, 0.07, 1.38)), _plain(STEEL)))
        else:
            radius = 0.10 + 0.02 * (number % 2)
            colour = (0.62, 0.34, 0.18) if number % 2 else DARK
            pieces.append(_drum(radius, 0.05, "y", (x, 0.06, 1.43 - radius), colour))
    for number in range(int(wide / 0.6)):
        x = -wide / 2 + 0.3 + 0.6 * number
        pieces.append(slab((0.58, 0.32, 0.6), (x, 0.16, 2.1), _plain(PALE)))
        pieces.append(slab((0.02, 0.03, 0.12), (x + 0.22, 0.335, 1.92), _plain(DARK)))
    return pieces


def _garland(generator: np.random.Generator, wide: float) -> list[Piece]:
    """Hang two garlands of bright pennants, and bunches of balloons."""
    pieces, number = [], 0
    for drop, first in ((0.42, 2.15), (0.42, 2.55)):
        for x in np.arange(-wide / 2 + 0.1, wide / 2, 0.2):
            phase = (x / 1.6) % 1.0
            z = first - 4 * drop * phase * (1 - phase) * 0.6
            flag = moved(turned(cylinder(0.1, 0.01, "y", 0.0, 3), "y", -30), by=(float(x), 0.06, float(z)))
            pieces.append(finished(flag, _of(BRIGHT, number)))
            number += 1
    for side in (-1, 0, 1):
        for k in range(5):
            turn = 2 * np.pi * k / 5
            at = (side * (wide / 2 - 0.4) + 0.16 * np.cos(turn), 0.25, 1.55 + 0.2 * np.sin(turn) + 0.1 * (k % 2))
            balloon = ellipsoid((0.13, 0.13, 0.16), 20)
            pieces.append(
                finished(moved(balloon, by=tuple(map(float, at))), Look(BRIGHT[(k + 2 * side) % 6], 0.4, 0.6))
            )
    return pieces


def _gym(generator: np.random.Generator, wide: float) -> list[Piece]:
    """Make wall bars, a basketball hoop with its board, and mats.

    Balls there would seem to lie in containers before the wall.
    """
    wide = min(wide, 2.8)
    wood = _plain((0.72, 0.52, 0.30))
    pieces = []
    for x in (-wide / 2 + 0.45, wide / 2 - 0.45):
        pieces += [slab((0.05, 0.1, 2.3), (x + side * 0.42, 0.1, 1.2), wood) for side in (-1, 1)]
        pieces += [_drum(0.018, 0.84, "x", (x, 0.14, 0.2 + 0.16 * k), wood.colour) for k in range(14)]
    pieces += [slab((1.05, 0.04, 0.7), (0, 0.06, 2.2), _plain(PALE)), slab((0.36, 0.01, 0.28), (0, 0.086, 2.1),
               _plain((0.75, 0.14, 0.12))), slab((0.30, 0.014, 0.22), (0, 0.088, 2.1), _plain(PALE))]  # fmt: skip
    turns = np.linspace(0, 2 * np.pi, 9)
    hoop = lathe(np.column_stack([0.22 + 0.014 * np.cos(turns), 0.014 * np.sin(turns)]), 32, closed=True)
    pieces.append(finished(moved(hoop, by=(0.0, 0.32, 1.98)), _plain((0.90, 0.36, 0.10))))
    blue, grip = _plain((0.16, 0.34, 0.62)), _plain(PALE)
    for number in range(2):  # two mats that lean at the wall
        pieces.append(slab((0.86, 0.07, 1.05), (0.03 * number, 0.06 + 0.08 * number, 0.53), blue))
        pieces += [slab((0.16, 0.075, 0.03), (0.03 * number + x, 0.06 + 0.08 * number, 0.8), grip) for x in (-0.2, 0.2)]
    return pieces


DRESSINGS: Mapping[str, Dressing] = {
    "books": _books,
    "binders": _binders,
    "goods": _goods,
    "tools": _tools,
    "roller door": _roller_door,
    "blackboard": _blackboard,
    "counter": _counter,
    "departures": _departures,
    "pans": _pans,
    "garland": _garland,
    "gym": _gym,
}


HANGING = ("tools", "blackboard", "departures", "pans", "garland", "binders")


def dress(
    generator: np.random.Generator, name: str, wide: float, place: np.ndarray, inward: np.ndarray, lift: float = 0.0
) -> list[Piece]:
    """Put a dressing on a wall.

    ``wide`` (m) is the free width of the wall, ``place`` (2,) m the foot of its middle, and ``inward`` (2,) the unit
    vector into the room. What hangs is ``lift`` (m) higher than usual.
    """
    turn = np.array([[inward[1], inward[0], 0.0], [-inward[0], inward[1], 0.0], [0.0, 0.0, 1.0]])
    shift = np.array([place[0], place[1], lift if name in HANGING else 0.0])
    return [
        replace(piece, vertices=np.round(piece.vertices @ turn.T + shift, 6), caster=None)
        for piece in DRESSINGS[name](generator, wide)
    ]

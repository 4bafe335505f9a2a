"""Simple solids of buildings in m, on the ground z = 0: boxes, roofs, trees, cars and flat pictures."""

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw

from chronotope.world.things import Look, textures
from chronotope.world.things.colours import plain
from chronotope.world.things.joinery import board
from chronotope.world.things.mesh import (
    Mesh,
    block,
    ellipsoid,
    extrude,
    lathe,
    loft,
    merge,
    moved,
    pictured,
    turned,
    upright,
)
from chronotope.world.things.pictograms import FINER
from chronotope.world.things.textures import Colour

Parts = list[tuple[Mesh, Look]]

GRASS, ASPHALT, PAVING = (0.33, 0.44, 0.22), (0.33, 0.33, 0.35), (0.66, 0.63, 0.58)
STONE, WATER, WHITE = (0.76, 0.71, 0.62), (0.16, 0.40, 0.55), (0.95, 0.95, 0.94)
LEAVES = ((0.16, 0.31, 0.12), (0.24, 0.38, 0.15), (0.13, 0.27, 0.15))
CARS = ((0.75, 0.08, 0.08), (0.12, 0.22, 0.55), (0.90, 0.90, 0.90), (0.10, 0.10, 0.11), (0.55, 0.57, 0.60))
TREE = 8  # segments around a crown


def look(colour: Colour, material: str = "clay") -> Look:
    """Return the look of a plain surface."""
    return plain(colour, material)


def box(x: float, y: float, length: float, width: float, low: float, high: float) -> Mesh:
    """Make an upright box about (x, y), from a height to another height."""
    return board((x - length / 2, y - width / 2, low), (x + length / 2, y + width / 2, high))


def gable(x: float, y: float, length: float, width: float, low: float, rise: float, along: str = "x") -> Mesh:
    """Make a gabled roof about (x, y) whose ridge is along x or y."""
    roof = upright(extrude([(-width / 2, 0.0), (width / 2, 0.0), (0.0, rise)], length))
    return moved(roof if along == "x" else turned(roof, "z", 90), by=(x, y, low))


def pyramid(x: float, y: float, length: float, width: float, low: float, rise: float) -> Mesh:
    """Make a pyramid on a rectangle about (x, y)."""
    a, b = length / 2, width / 2
    base = np.array([(a, -b, 0.0), (a, b, 0.0), (-a, b, 0.0), (-a, -b, 0.0)])
    return moved(loft(np.array([base, np.tile([0.0, 0.0, rise], (4, 1))])), by=(x, y, low))


def drum(x: float, y: float, radius: float, low: float, high: float, segments: int = 32) -> Mesh:
    """Make an upright cylinder about (x, y), from a height to another height."""
    return moved(lathe([(0, low), (radius, low), (radius, high), (0, high)], segments), by=(x, y, 0))


def cone(x: float, y: float, radius: float, low: float, rise: float, segments: int = 24) -> Mesh:
    """Make a cone about (x, y)."""
    return moved(lathe([(0, low), (radius, low), (0, low + rise)], segments), by=(x, y, 0))


def tree(x: float, y: float, radius: float, height: float) -> Mesh:
    """Make the crown of a tree about (x, y), which reaches nearly down to the ground."""
    return moved(ellipsoid((radius, radius, 0.46 * height), TREE), by=(x, y, 0.54 * height))


def car(x: float, y: float, degrees: float) -> tuple[Mesh, Mesh]:
    """Make the body and the windows of a car about (x, y)."""
    body = merge(moved(block((4.3, 1.8, 0.7), 0.15, steps=1), by=(0, 0, 0.62)),
                 moved(block((2.1, 1.5, 0.12), 0.05, steps=1), by=(-0.25, 0, 1.42)))  # fmt: skip
    glass = moved(block((2.5, 1.62, 0.45), 0.05, steps=1, taper=0.85), by=(-0.25, 0, 1.15))
    return tuple(moved(turned(mesh, "z", degrees), by=(x, y, 0)) for mesh in (body, glass))  # type: ignore[return-value]


def cars(generator: np.random.Generator, places: Sequence[tuple[float, float, float]], low: float = 0.0) -> Parts:
    """Make cars of random colours at (x, y, degrees), on a road of the height ``low``."""
    made = [tuple(moved(mesh, by=(0, 0, low)) for mesh in car(*place)) for place in places]
    painted = [(body, look(CARS[generator.integers(len(CARS))], "metal")) for body, _ in made]
    return [*painted, (merge(*(glass for _, glass in made)), look((0.08, 0.09, 0.11), "glass"))]


GRAVEL, PATH = (0.80, 0.72, 0.56), 2.0  # colour and width (m) of the path around a lawn


class Plan:
    """A flat picture of the ground, drawn with polygons in m; x goes to the right, and y upwards."""

    def __init__(self, size: tuple[float, float], colour: Colour, scale: float) -> None:
        """Start with one colour.

        ``size`` (m) is that along x and y, and ``scale`` is in px per m.
        """
        self.size, self._scale = size, scale * FINER
        shape = round(size[0] * scale) * FINER, round(size[1] * scale) * FINER
        self._picture = Image.new("RGB", shape, _ink(colour))
        self._draw = ImageDraw.Draw(self._picture)

    def fill(self, colour: Colour, *outlines: Sequence[Sequence[float]] | np.ndarray) -> None:
        """Fill outlines (N, 2) m with a colour."""
        half = np.array(self.size) / 2
        for outline in outlines:
            placed = (np.array(outline) * (1, -1) + half) * self._scale
            self._draw.polygon([(float(x), float(y)) for x, y in placed], fill=_ink(colour))

    def rectangle(self, colour: Colour, x: float, y: float, length: float, width: float) -> None:
        """Fill a rectangle about (x, y)."""
        a, b = length / 2, width / 2
        self.fill(colour, [(x - a, y - b), (x + a, y - b), (x + a, y + b), (x - a, y + b)])

    def frame(self, colour: Colour, x: float, y: float, length: float, width: float, line: float) -> None:
        """Draw the outline of a rectangle about (x, y), with a line of a width."""
        for sign in (-1, 1):
            self.rectangle(colour, x, y + sign * (width - line) / 2, length, line)
            self.rectangle(colour, x + sign * (length - line) / 2, y, line, width)

    def disc(self, colour: Colour, x: float, y: float, radius: float) -> None:
        """Fill a disc about (x, y)."""
        turn = np.linspace(0, 2 * np.pi, 97)[:-1]
        self.fill(colour, np.column_stack([x + radius * np.cos(turn), y + radius * np.sin(turn)]))

    def ring(self, colour: Colour, x: float, y: float, radius: float, line: float) -> None:
        """Draw a circle about (x, y), with a line of a width inside its radius."""
        turn = np.linspace(0, 2 * np.pi, 97)
        circle = np.column_stack([np.cos(turn), np.sin(turn)])
        self.fill(colour, np.add(np.concatenate([circle * radius, circle[::-1] * (radius - line)]), (x, y)))

    def slab(self, low: float = 0.0, high: float = 0.1) -> tuple[Mesh, Look]:
        """Return the picture on a flat box about the origin, from a height to another height."""
        mesh = pictured(block((*self.size, high - low)))
        picture = np.asarray(self._picture.reduce(FINER))
        return moved(mesh, by=(0, 0, (low + high) / 2)), plain((1.0, 1.0, 1.0), "paper", picture)


def lawn(size: tuple[float, float], fine: float) -> Plan:
    """Start a plan of a lawn, with a gravel path that shows its outline on grass."""
    plan = Plan(size, GRAVEL, fine)
    plan.rectangle(GRASS, 0, 0, size[0] - 2 * PATH, size[1] - 2 * PATH)
    return plan


def _ink(colour: Colour) -> tuple[int, int, int]:
    red, green, blue = textures.ink(colour).tolist()
    return red, green, blue

"""A kit of parts, to which the designs add parts and steps."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from chronotope.world.furniture.product import UP, AssemblyStep, Entry, Fastener, Group, Joining, Part, Product, Vector
from chronotope.world.things.colours import COLOURS, paint
from chronotope.world.things.joinery import board, wooden
from chronotope.world.things.mesh import Mesh, cylinder, loft, moved, ring
from chronotope.world.things.thing import Look

DOWN: Vector = (0.0, 0.0, -1.0)
LEFT: Vector = (0.0, -1.0, 0.0)
RIGHT: Vector = (0.0, 1.0, 0.0)
FRONT: Vector = (1.0, 0.0, 0.0)
BACK: Vector = (-1.0, 0.0, 0.0)
OVER, SIDE = DOWN, RIGHT  # the directions that point up when a product stands on its head, and when it lies on its left
FASTENERS = ("dowel", "screw", "cam", "bolt")
REACH = 0.002  # m around a part in which another part touches it


@dataclass
class Kit:
    """The parts and steps of a product, while it is designed."""

    generator: np.random.Generator
    parts: list[Part] = field(default_factory=list[Part])
    steps: list[AssemblyStep] = field(default_factory=list[AssemblyStep])
    fastener: str = FASTENERS[0]

    def __post_init__(self) -> None:
        """Draw the looks of the product: that of its frame and that of its other parts."""
        self.fastener = str(self.generator.choice(FASTENERS))
        self.frame = self._drawn()
        self.other = self.frame if self.chance(0.5) else self._drawn()

    def _drawn(self) -> Look:
        if self.chance(0.5):
            return wooden(self.generator)
        colour = str(self.generator.choice(sorted(COLOURS)))
        return paint(self.generator, colour, "wood").look

    def size(self, low: float, high: float) -> float:
        """Draw a length (m) between two limits, in steps of 5 mm."""
        return round(float(self.generator.uniform(low, high)) / 0.005) * 0.005

    def chance(self, share: float) -> bool:
        """Return True with a probability."""
        return bool(self.generator.random() < share)

    def count(self, low: int, high: int) -> int:
        """Draw a whole number between two limits, which are included."""
        return int(self.generator.integers(low, high + 1))

    def add(self, name: str, kind: str, *shapes: Mesh, look: Look | None = None) -> int:
        """Add a part and return its index."""
        self.parts.append(Part(name, kind, shapes, self.frame if look is None else look))
        return len(self.parts) - 1

    def join(
        self, base: Group | int, *entries: tuple[Group | int, Vector], up: Vector = UP, again: bool = False
    ) -> Group:
        """Add a step, and return the group that it makes.

        With ``again``, the last step does the same once more, with equal parts.
        """
        first, there, made = _group(base), list(_group(base)), []
        for given, toward in entries:
            parts = _group(given)
            made.append(Entry(parts, toward, self._fasteners(parts, there, toward)))
            there += parts
        joining = Joining(first, tuple(made), up)
        before = self.steps.pop().joinings if again else ()
        self.steps.append(AssemblyStep((*before, joining)))
        return joining.joined

    def _fasteners(self, moving: Group, there: Sequence[int], toward: Vector) -> tuple[Fastener, ...]:
        """Put one fastener, or two along a long joint, where a group touches the parts that are there."""
        pairs = itertools.product(moving, there)
        places = [place for part, still in pairs for place in _joint(self.parts[part], self.parts[still])]
        return tuple(Fastener(self.fastener, place, toward) for place in places)

    def product(self, category: str, name: str) -> Product:
        """Return the finished product."""
        return Product(category.capitalize(), name, tuple(self.parts), tuple(self.steps))


def _group(given: Group | int) -> Group:
    return (given,) if isinstance(given, int) else tuple(sorted(given))


def _joint(one: Part, other: Part) -> list[Vector]:
    """Return where two parts touch.

    The place is the middle of the common box of two shapes, or two places near the ends of a long box.
    """
    for a in one.solids:
        for b in other.solids:
            low = np.maximum(a.min(axis=0), b.min(axis=0)) - REACH
            high = np.minimum(a.max(axis=0), b.max(axis=0)) + REACH
            if np.all(high - low > 0):
                long = int(np.argmax(high - low))
                middle = (low + high) / 2
                if high[long] - low[long] < 0.2:
                    return [_vector(middle)]
                ends = []
                for share in (0.15, 0.85):
                    place = middle.copy()
                    place[long] = low[long] + share * (high[long] - low[long])
                    ends.append(_vector(place))
                return ends
    return []


def _vector(values: np.ndarray) -> Vector:
    x, y, z = (round(float(value), 4) for value in values)
    return x, y, z


def bar(low: Vector, high: Vector) -> Mesh:
    """Make a box between two opposite corners (m)."""
    return board(low, high)


def post(x: float, y: float, low: float, high: float, width: float, foot: float | None = None, sides: int = 4) -> Mesh:
    """Make an upright leg around (x, y) between two heights.

    ``width`` (m) is its side or diameter at the top, and ``foot`` at the bottom. With 4 ``sides`` the leg is square.
    """
    foot = width if foot is None else foot
    if sides > 4:
        if foot == width:
            return moved(cylinder(width / 2, high - low, segments=sides), by=(x, y, (low + high) / 2))
        circle = ring(0.5, sides)
    else:
        circle = np.array([(-0.5, -0.5, 0), (0.5, -0.5, 0), (0.5, 0.5, 0), (-0.5, 0.5, 0)])
        if foot == width:
            half = width / 2
            return board((x - half, y - half, low), (x + half, y + half, high))
    return loft(np.array([circle * foot + (x, y, low), circle * width + (x, y, high)]))


def disc(radius: float, low: float, high: float, x: float = 0.0, y: float = 0.0) -> Mesh:
    """Make a round plate around (x, y) between two heights."""
    return moved(cylinder(radius, high - low, segments=36), by=(x, y, (low + high) / 2))

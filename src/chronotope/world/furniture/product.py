"""The data of a product: its parts, and the steps that join them.

All coordinates are in the frame of the finished product, in m: z is up, and the front is along +x. A part is a union of
convex shapes. A step joins groups of parts. Each group is one part, or the parts that earlier steps joined.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from chronotope.world.things.mesh import Mesh, volume
from chronotope.world.things.thing import Look

Group = tuple[int, ...]  # indices of parts, sorted
Vector = tuple[float, float, float]
UP: Vector = (0.0, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Part:
    """A part in its place in the finished product.

    ``name`` is the name of the part, such as "left side". ``kind`` is the same for parts that can be exchanged, such as
    the four legs. Each of the ``shapes`` is a closed convex mesh.
    """

    name: str
    kind: str
    shapes: tuple[Mesh, ...]
    look: Look

    @cached_property
    def solids(self) -> tuple[np.ndarray, ...]:
        """Return the corners (N, 3) of each shape."""
        return tuple(np.unique(np.round(shape.vertices, 6), axis=0) for shape in self.shapes)

    @cached_property
    def points(self) -> np.ndarray:
        """Return the corners (N, 3) of all shapes."""
        return np.concatenate(self.solids)

    @cached_property
    def mass(self) -> float:
        """Return the volume (m3), which stands for the mass because all parts have the same density."""
        return sum(abs(volume(shape.vertices, shape.faces)) for shape in self.shapes)

    @cached_property
    def middle(self) -> np.ndarray:
        """Return the centre of mass (3,), with the middle of each shape's box as its centre."""
        weights = [abs(volume(shape.vertices, shape.faces)) for shape in self.shapes]
        middles = [(solid.min(axis=0) + solid.max(axis=0)) / 2 for solid in self.solids]
        return np.average(middles, axis=0, weights=weights)


@dataclass(frozen=True)
class Fastener:
    """A small piece that holds two parts together: its ``kind``, the place ``at`` (3,), and the direction inwards."""

    kind: str
    at: Vector
    inward: Vector


@dataclass(frozen=True)
class Entry:
    """A group of parts that a step brings in.

    The group moves in the direction ``toward`` (a unit vector) until it is in its place.
    """

    parts: Group
    toward: Vector
    fasteners: tuple[Fastener, ...] = ()


@dataclass(frozen=True)
class Joining:
    """Groups of parts that are joined.

    The groups of the ``entries`` are brought in one after the other, and join the group ``base``. Meanwhile the
    direction ``up`` of the product points up: a table is often built upside down.
    """

    base: Group
    entries: tuple[Entry, ...]
    up: Vector = UP

    @property
    def joined(self) -> Group:
        """Return all parts that are together afterwards."""
        return tuple(sorted({*self.base, *(part for entry in self.entries for part in entry.parts)}))

    @property
    def groups(self) -> tuple[Group, ...]:
        """Return the groups that are joined, the base first."""
        return (self.base, *(entry.parts for entry in self.entries))


@dataclass(frozen=True)
class AssemblyStep:
    """A step of the manual: one joining, or the same joining of equal parts several times, such as two equal frames."""

    joinings: tuple[Joining, ...]

    @property
    def shown(self) -> Joining:
        """Return the joining that the manual shows."""
        return self.joinings[0]


@dataclass(frozen=True, eq=False)
class Product:
    """A piece of furniture, its parts, and the steps of its assembly.

    ``category`` is the group of furniture to which the product belongs, and ``name`` its own name.
    """

    category: str
    name: str
    parts: tuple[Part, ...]
    steps: tuple[AssemblyStep, ...]

    def points(self, group: Group) -> np.ndarray:
        """Return the corners (N, 3) of a group of parts."""
        return np.concatenate([self.parts[part].points for part in group])

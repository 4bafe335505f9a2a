"""The data of a thing in a home: its shape at real size, its visible states, and its shelves for other things."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from chronotope.world.things.mesh import Mesh, support_points
from chronotope.world.things.sizes import Sizes
from chronotope.world.things.thing import Look, Paint, Symmetry, Thing, finished, size_of

Mount = Literal["floor", "wall", "surface"]
PICTURE = "its picture"  # the front of a thing that shows a picture
_NEAR = 0.004  # m, allowed distance of a thing's surface from the hulls of its solids


@dataclass(frozen=True)
class HomeState:
    """The state of a thing that can be seen.

    ``openness`` is from 0 (closed) to 1. ``liquid`` is "water", "coffee", "wine" or None.
    """

    openness: float = 0.0
    on: bool = False
    dirty: bool = False
    sliced: bool = False
    broken: bool = False
    cooked: bool = False
    liquid: str | None = None
    used_up: bool = False


@dataclass(frozen=True)
class Shelf:
    """A level rectangle that carries other things, in the frame of its model.

    ``centre`` (3,) m is the middle of the rectangle; ``length`` is along x and ``width`` along y. ``clear`` (m) is the
    free height above it. Things on it are "in" the model, not "on" it, if ``inside`` is True; ``closed`` says that they
    cannot be seen or reached in the present state.
    """

    centre: tuple[float, float, float]
    length: float
    width: float
    clear: float = np.inf
    inside: bool = False
    closed: bool = False


@dataclass(frozen=True, eq=False)
class Model:
    """The shape of a thing in one state, in m.

    The thing stands on z = 0 (or its lower edge is there, if it hangs on a wall), and its front is along +x. In x and
    y, the origin is the middle of the closed thing; for a thing on a wall, the wall is the plane at x = 0. Doors that
    are open and parts that fell off may lie outside the closed thing. ``solids`` are meshes or points (N, 3) whose
    convex hulls are its shape in collisions.
    """

    parts: tuple[tuple[Mesh, Look], ...]
    solids: tuple[Mesh | np.ndarray, ...]
    shelves: tuple[Shelf, ...] = ()


@dataclass(frozen=True, eq=False)
class HomeKind:
    """A kind of thing in homes: its name, looks, real sizes and visible states.

    ``type`` is the object type of AI2-THOR, and ``noun`` the usual name. ``sizes`` are the smallest and the largest
    size along x, y and z (m) of the closed thing, with the front along +x. ``shows`` names the fields of ``HomeState``
    that change the model. ``sketch`` gets a generator, the paint, the size (3,) m and the state. It draws the same
    random numbers in every state, so that only the state differs.
    """

    type: str
    noun: str
    colours: tuple[str, ...]
    materials: tuple[str, ...]
    sizes: tuple[tuple[float, float], tuple[float, float], tuple[float, float]]
    sketch: Callable[[np.random.Generator, Paint, np.ndarray, HomeState], Model]
    mount: Mount = "floor"
    symmetry: Symmetry = "none"
    front: str | None = None
    along: str | None = None
    density: float = 300.0
    shows: frozenset[str] = field(default_factory=frozenset[str])


@dataclass(frozen=True, eq=False)
class HomeThing:
    """A thing of a home in one state.

    ``closed`` (3,) m is the size of the closed thing along the axes of the model. ``origin`` (3,) m is the origin of
    the model in the frame of ``thing``, whose own origin is the middle of its box. ``shelves`` are in the frame of the
    model. ``shape`` is the word for its shape, if its shape is plain.
    """

    kind: HomeKind
    seed: int
    state: HomeState
    closed: np.ndarray
    thing: Thing
    origin: np.ndarray
    shelves: tuple[Shelf, ...]
    shape: str | None = None

    def pose(self, model: np.ndarray) -> np.ndarray:
        """Return the pose (4, 4) of ``thing``.

        ``model`` is the pose (4, 4) of its model.
        """
        shift = np.eye(4)
        shift[:3, 3] = -self.origin
        return model @ shift


def build(kind: HomeKind, seed: int, state: HomeState, paint: Paint, size: np.ndarray, model: Model) -> HomeThing:
    """Turn a model into a thing.

    The origin of the thing is the middle of its box. ``size`` (3,) m is the size of the closed thing.
    """
    corners = np.concatenate([mesh.vertices for mesh, _ in model.parts])
    middle = np.round((corners.min(axis=0) + corners.max(axis=0)) / 2, 6)
    pieces = tuple(finished(mesh._replace(vertices=mesh.vertices - middle), look) for mesh, look in model.parts)
    box = size_of(pieces)
    solids = tuple(
        support_points((solid.vertices if isinstance(solid, Mesh) else solid) - middle, _NEAR) for solid in model.solids
    )
    thing = Thing(
        category=kind.noun,
        colour=paint.colour,
        material=paint.material,
        pieces=pieces,
        size=box,
        symmetry=kind.symmetry,
        front=kind.front,
        mass=float(kind.density * np.prod(box)),
        solids=solids,
        support=None,
        along=kind.along,
        sizes=_sizes(kind, size, np.array(box)),
    )
    return HomeThing(kind, seed, state, size, thing, -middle, model.shelves)


def _sizes(kind: HomeKind, closed: np.ndarray, box: np.ndarray) -> Sizes | None:
    """Return the sizes of all things of a kind in a state.

    In this state, a thing of the size ``closed`` fills ``box``.

    None if the thing is not of the kind's sizes, as some assets are not.
    """
    least, most = np.array(kind.sizes).T
    if (closed < least - 1e-4).any() or (closed > most + 1e-4).any():
        return None
    bounds = 100 * np.array([least, most]).T * (box / closed)[:, None]
    return Sizes("x y z", *((float(low), float(high)) for low, high in bounds))

"""The data of object types and their models: looks, real sizes, visible states, and shelves for other things."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from chronotope.world.things.mesh import Mesh, support_points, volume
from chronotope.world.things.sizes import Sizes
from chronotope.world.things.thing import Look, Paint, Symmetry, Thing, finished, size_of

Mount = Literal["floor", "wall", "surface"]
Side = Literal["top", "front", "body"]
PICTURE = "its picture"  # the front of a thing that shows a picture
_NEAR = 0.004  # m, allowed distance of a thing's surface from the hulls of its solids
# the same for a thing on a table: in m, and as a share of its shortest side
_HULL, _HULL_SHARE = 0.003, 0.08


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
    """The shape of a thing in one state.

    ``solids`` are meshes or points (N, 3) whose convex hulls are its shape in collisions. The front is along +x, and z
    is up.

    The model of a home, in m, stands on z = 0 (or its lower edge is there, if it hangs on a wall). In x and y, the
    origin is the middle of the closed thing; for a thing on a wall, the wall is the plane at x = 0. Doors that are open
    and parts that fell off may lie outside the closed thing.

    A sketch without a size makes a model at any position and of any size, which is scaled afterwards. ``support`` is
    the length and width of its flat top, if other things can stand there, and ``called`` its usual name, with fields
    for colour and category.
    """

    parts: tuple[tuple[Mesh, Look], ...]
    solids: tuple[Mesh | np.ndarray, ...]
    shelves: tuple[Shelf, ...] = ()
    support: tuple[float, float] | None = None
    called: str = Thing.called


@dataclass(frozen=True)
class Use:
    """How an object type is used in homes.

    - ``purpose`` is the purpose of the object: at most five words, which complete "an object which is".
    - ``rooms`` has a weight of 1 or 2 for each type of room in which the object occurs.
    - ``several`` is True if a room may have more than one such object.
    - ``flags`` are the capability flags of AI2-THOR.
    - ``places`` has the places of the object in a type of room, beside those in the room's own list
      (`world/homes/rooms.yaml`).
    - ``holds`` is the share of the receptacles of this type that hold at least one object of another type.
    - ``faces`` is True if the object faces the same way as the furniture on which it stands.
    - ``open`` is the probability that the object is open at first, or None for the usual probability.
    - ``tiny`` is True if nobody sees from a distance whether the object is on.
    - ``sides`` is the number of sides of the object at which other furniture may face it.
    - ``fronted`` is True if every shape of the type shows its front, so that the name of the front of built-in shapes
      also fits assets.
    - ``flat_top`` is True if things stand on the flat top of assets of this type.
    - ``shape_from`` is the side from which people name the shape of the object: the outline of its top or front, or the
      whole body.
    """

    purpose: str
    rooms: Mapping[str, int] = field(default_factory=dict[str, int])
    several: bool = False
    flags: frozenset[str] = frozenset()
    holds: Mapping[str, float] = field(default_factory=dict[str, float])
    places: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    faces: bool = False
    open: float | None = None
    tiny: bool = False
    sides: int = 1
    fronted: bool = False
    flat_top: bool = False
    shape_from: Side | None = None


@dataclass(frozen=True, eq=False)
class Kind:
    """An object type as it is in homes or on tables: its name, looks, real sizes and visible states.

    ``type`` is the name in the table of object types (for homes, the name in AI2-THOR), and ``noun`` is the usual name.
    ``sizes`` are the sizes of the closed thing, with the front along +x. ``along`` names the parts at both ends of its
    x axis. ``shows`` names the fields of ``HomeState`` that change the model. ``density`` (kg/m3) refers to the box of
    a thing in homes, and to the volume of the meshes of a thing on a table; it is low for hollow things. ``moves`` is
    the verb of its motion, if it moves on a table. ``hollow`` is true if its top is open, and things inside are seen
    only from above. ``lettered`` is true if letters are printed on it.

    In homes, ``sketch`` is called with a generator, the paint, the size (3,) m and the state. It draws the same random
    numbers in every state, so that only the state differs. A thing on a table has one state, so its ``sketch`` is
    called with the generator and the paint only.
    """

    type: str
    noun: str
    colours: tuple[str, ...]
    materials: tuple[str, ...]
    sizes: Sizes
    sketch: Callable[..., Model]
    density: float
    mount: Mount = "surface"
    symmetry: Symmetry = "none"
    front: str | None = None
    along: str | None = None
    shows: frozenset[str] = frozenset()
    moves: str | None = None
    hollow: bool = False
    lettered: bool = False
    use: Use = Use("")

    @property
    def letters(self) -> Literal["never", "on", "always"]:
        """Tell when letters are seen: on screens and displays, only while the thing is on."""
        if not self.lettered:
            return "never"
        return "on" if "on" in self.shows else "always"


@dataclass(frozen=True, eq=False)
class HomeThing:
    """A thing of a home in one state.

    ``closed`` (3,) m is the size of the closed thing along the axes of the model. ``origin`` (3,) m is the origin of
    the model in the frame of ``thing``, whose own origin is the middle of its box. ``shelves`` are in the frame of the
    model. ``shape`` is the word for its shape, if its shape is plain.
    """

    kind: Kind
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


def extent_of(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest and the highest corner (3,) of a model."""
    everything = np.concatenate([mesh.vertices for mesh, _ in model.parts])
    return everything.min(axis=0), everything.max(axis=0)


def build(kind: Kind, seed: int, state: HomeState, paint: Paint, size: np.ndarray, model: Model) -> HomeThing:
    """Turn a model into a thing of a home.

    The origin of the thing is the middle of its box. ``size`` (3,) m is the size of the closed thing.
    """
    low, high = extent_of(model)
    middle = np.round((low + high) / 2, 6)
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


def _sizes(kind: Kind, closed: np.ndarray, box: np.ndarray) -> Sizes | None:
    """Return the sizes of all things of a kind in a state.

    In this state, a thing of the size ``closed`` fills ``box``.

    The result is None if the size of the thing is not one of the kind's sizes; some assets have other sizes.
    """
    if closed not in kind.sizes:
        return None
    bounds = kind.sizes.bounds.T * (box / closed)[:, None]
    return Sizes("x y z", *((float(low), float(high)) for low, high in bounds))


def assemble(kind: Kind, paint: Paint, model: Model, wanted: np.ndarray) -> Thing:
    """Scale a model for a table to the size ``wanted`` (3,) m.

    The result is in the thing's own frame.
    """
    low, high = extent_of(model)
    scale = wanted / (high - low)
    middle = (low + high) / 2

    def placed(vertices: np.ndarray) -> np.ndarray:
        return (vertices - middle) * scale

    pieces = tuple(finished(mesh._replace(vertices=placed(mesh.vertices)), look) for mesh, look in model.parts)
    solids = tuple(
        support_points(
            placed(solid.vertices if isinstance(solid, Mesh) else solid), min(_HULL, _HULL_SHARE * wanted.min())
        )
        for solid in model.solids
    )
    amount = sum(volume(piece.vertices, piece.faces) for piece in pieces)
    return Thing(
        category=kind.noun,
        colour=paint.colour,
        material=paint.material,
        pieces=pieces,
        size=size_of(pieces),
        symmetry=kind.symmetry,
        front=kind.front,
        mass=float(amount * kind.density),
        solids=solids,
        support=(float(model.support[0] * scale[0]), float(model.support[1] * scale[1])) if model.support else None,
        called=model.called,
        along=kind.along,
        sizes=kind.sizes,
    )

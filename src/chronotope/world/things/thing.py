"""The data of a thing in a simulated world."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from chronotope.geometry import least_rectangle
from chronotope.world.things.mesh import Mesh, finish, support_points, volume
from chronotope.world.things.sizes import Sizes

Symmetry = Literal["none", "half", "quarter", "any"]
SNUG = 0.002  # m; a box with nearly the sides of the smallest box counts as the smallest, which changes no answer
# allowed distance of a thing's surface from the hulls of its solids: in m, and as a share of its shortest side
HULL, HULL_SHARE = 0.003, 0.08


@dataclass(frozen=True, eq=False)
class Look:
    """The appearance of a surface: its colour, its gloss, and its picture.

    The colour is sRGB, from 0 to 1. The gloss is from 0 to 1, as in MuJoCo. The picture is (h, w, 3) uint8 or None. The
    picture is multiplied by the colour, which is white if the picture itself is coloured. The first row of the picture
    is at v = 0. ``glow`` is the light that the surface gives, in units of a bright sky; only baked light uses it.
    """

    colour: tuple[float, float, float]
    specular: float
    shininess: float
    texture: np.ndarray | None = None
    glow: float = 0.0


@dataclass(frozen=True, eq=False)
class Piece:
    """One closed mesh with one look, in the coordinate frame of its thing.

    vertices (V, 3) m; faces (F, 3) counter-clockwise seen from outside; uv (V, 2) if the look has a picture. Vertices
    are repeated along sharp edges, so that shading with one normal per vertex is correct. ``caster`` (V, 3) are
    vertices of a smaller body inside the piece. This body casts the shadow of the piece, because a large flat face in
    slanted light would otherwise be speckled by its own shadow.
    """

    vertices: np.ndarray
    faces: np.ndarray
    uv: np.ndarray | None
    look: Look
    caster: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Thing:
    """A thing that people can name immediately, at its real size.

    The origin of its frame is the middle of the box of all vertices; z is up, and x is along the longer horizontal
    side. `symmetry` states which turns about z do not change the outline of the thing. If the symmetry is "none",
    `front` names the part at +x. `solids` are point sets (N, 3); their convex hulls are the shape of the thing in
    collisions. `support` is the length and width of the flat rectangle, centred on the top of the thing, that supports
    other things. `colour` is None if no colour covers most of the thing. `called` is its usual name, with fields for
    colour and category; `along` names the parts at both ends of the x axis, or is None. `sizes` are the sizes of all
    things of its kind, if they are known.
    """

    category: str
    colour: str | None
    material: str
    pieces: tuple[Piece, ...]
    size: tuple[float, float, float]
    symmetry: Symmetry
    front: str | None
    mass: float
    solids: tuple[np.ndarray, ...]
    support: tuple[float, float] | None
    called: str = "{colour} {category}"
    along: str | None = None
    sizes: Sizes | None = None

    @property
    def label(self) -> str:
        """Return the usual name of the thing, such as "red mug"."""
        return self.called.format(colour=self.colour or "", category=self.category).strip()

    @property
    def box(self) -> str:
        """Return the kind of box that the thing's size describes.

        The kind is "smallest" for the smallest upright box around the thing. Otherwise it names the part that shows the
        box's orientation, such as "lined up with its handle", or is "unclear" if no part shows it.
        """
        _, smallest, _ = least_rectangle(np.concatenate([piece.vertices[:, :2] for piece in self.pieces]))
        if np.abs(np.sort(self.size[:2]) - np.sort(smallest)).max() <= SNUG:
            return "smallest"
        shown = self.front or self.along
        return "unclear" if shown is None else f"lined up with {shown}"


@dataclass(frozen=True)
class Paint:
    """The look of a thing's main colour, with the names of colour and material."""

    colour: str
    material: str
    look: Look


@dataclass(frozen=True, eq=False)
class Draft:
    """A thing before it is scaled, at any position and with any size.

    The front of the thing is along +x, and z is up. `solids` are meshes or points (N, 3); only their hulls are used.
    `called` is its usual name, with fields for colour and category.
    """

    parts: tuple[tuple[Mesh, Look], ...]
    solids: tuple[Mesh | np.ndarray, ...]
    support: tuple[float, float] | None = None
    called: str = Thing.called


@dataclass(frozen=True, eq=False)
class Category:
    """A kind of thing: its possible colours and materials, and its real size.

    `along` names the parts at both ends of the thing's x axis. `sizes` are the sizes of such things; `density` (kg/m3)
    refers to the volume of its meshes, and is low if a solid mesh represents a hollow thing; `sketch` makes a draft of
    such a thing.
    """

    name: str
    colours: tuple[str, ...]
    materials: tuple[str, ...]
    sizes: Sizes
    density: float
    symmetry: Symmetry
    front: str | None
    along: str | None
    sketch: Callable[[np.random.Generator, Paint], Draft]


def extent_of(draft: Draft) -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest and the highest corner (3,) of a draft."""
    everything = np.concatenate([mesh.vertices for mesh, _ in draft.parts])
    return everything.min(axis=0), everything.max(axis=0)


def finished(mesh: Mesh, look: Look) -> Piece:
    """Turn a mesh into a piece with repeated vertices along sharp edges."""
    done = finish(mesh, look.texture is not None)
    return Piece(done.vertices, done.faces, done.uv if look.texture is not None else None, look)


def size_of(pieces: Sequence[Piece]) -> tuple[float, float, float]:
    """Return the size (m) of the box around pieces."""
    corners = np.array(
        [bound for piece in pieces for bound in (piece.vertices.min(axis=0), piece.vertices.max(axis=0))]
    )
    length, width, height = (corners.max(axis=0) - corners.min(axis=0)).tolist()
    return length, width, height


def assemble(category: Category, paint: Paint, draft: Draft, wanted: np.ndarray) -> Thing:
    """Scale a thing to the size ``wanted`` (3,) m.

    The result is in the thing's own frame.
    """
    low, high = extent_of(draft)
    scale = wanted / (high - low)
    middle = (low + high) / 2

    def placed(vertices: np.ndarray) -> np.ndarray:
        return (vertices - middle) * scale

    pieces = tuple(finished(mesh._replace(vertices=placed(mesh.vertices)), look) for mesh, look in draft.parts)
    solids = tuple(
        support_points(
            placed(solid.vertices if isinstance(solid, Mesh) else solid), min(HULL, HULL_SHARE * wanted.min())
        )
        for solid in draft.solids
    )
    amount = sum(volume(piece.vertices, piece.faces) for piece in pieces)
    return Thing(
        category=category.name,
        colour=paint.colour,
        material=paint.material,
        pieces=pieces,
        size=size_of(pieces),
        symmetry=category.symmetry,
        front=category.front,
        mass=float(amount * category.density),
        solids=solids,
        support=(float(draft.support[0] * scale[0]), float(draft.support[1] * scale[1])) if draft.support else None,
        called=draft.called,
        along=category.along,
        sizes=category.sizes,
    )

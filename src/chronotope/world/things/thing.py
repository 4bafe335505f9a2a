"""The data of a thing in a simulated world."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from chronotope.geometry import least_rectangle
from chronotope.world.things.mesh import GRAIN, Mesh, finish
from chronotope.world.things.sizes import Sizes

Symmetry = Literal["none", "half", "quarter", "any"]
SNUG = 0.002  # m; a box with nearly the sides of the smallest box counts as the smallest, which changes no answer


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


def finished(mesh: Mesh, look: Look, grain: float = GRAIN) -> Piece:
    """Turn a mesh into a piece with repeated vertices along sharp edges.

    Vertices are rounded to multiples of ``grain`` (m). It is larger for things of more than 2 m.
    """
    done = finish(mesh, look.texture is not None, grain=grain)
    return Piece(done.vertices, done.faces, done.uv if look.texture is not None else None, look)


def size_of(pieces: Sequence[Piece]) -> tuple[float, float, float]:
    """Return the size (m) of the box around pieces."""
    corners = np.array(
        [bound for piece in pieces for bound in (piece.vertices.min(axis=0), piece.vertices.max(axis=0))]
    )
    length, width, height = (corners.max(axis=0) - corners.min(axis=0)).tolist()
    return length, width, height

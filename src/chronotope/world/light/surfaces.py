"""The surfaces of a set as one list of triangles, each with its linear colour and its glow."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from chronotope.world.things import Look, Piece
from chronotope.world.things.mesh import vertex_normals


@dataclass(frozen=True, eq=False)
class Surfaces:
    """Triangles in world coordinates.

    ``vertices`` (V, 3) m, ``normals`` (V, 3) and ``uv`` (V, 2) belong to corners; ``faces`` (F, 3) are
    counter-clockwise seen from outside, and ``piece`` (F,) is the index of the look of each triangle.
    """

    vertices: np.ndarray
    normals: np.ndarray
    uv: np.ndarray
    faces: np.ndarray
    piece: np.ndarray
    looks: tuple[Look, ...]

    @cached_property
    def colours(self) -> np.ndarray:
        """Return the mean linear colour (P, 3) of each look."""
        return np.array([_mean_colour(look) for look in self.looks]).reshape(-1, 3)

    @property
    def glow(self) -> np.ndarray:
        """Return the glow (P,) of each look."""
        return np.array([look.glow for look in self.looks])

    @property
    def specular(self) -> np.ndarray:
        """Return the gloss (P,) of each look."""
        return np.array([look.specular for look in self.looks])


def linear(colour: np.ndarray) -> np.ndarray:
    """Convert sRGB from 0 to 1 to linear light."""
    return np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)


def encoded(light: np.ndarray) -> np.ndarray:
    """Convert linear light from 0 to 1 to sRGB."""
    return np.where(light <= 0.0031308, 12.92 * light, 1.055 * np.maximum(light, 1e-9) ** (1 / 2.4) - 0.055)


def placed(piece: Piece, pose: np.ndarray) -> Piece:
    """Move a piece into world coordinates."""
    return Piece(piece.vertices @ pose[:3, :3].T + pose[:3, 3], piece.faces, piece.uv, piece.look)


def surfaces_of(pieces: Sequence[Piece]) -> Surfaces:
    """Join pieces in world coordinates.

    The normal of a vertex is the mean of the normals of its triangles, weighted by area.
    """
    starts = np.cumsum([0, *(len(piece.vertices) for piece in pieces)])[: len(pieces)]
    counts = [len(piece.faces) for piece in pieces]
    return Surfaces(
        vertices=_stacked([piece.vertices for piece in pieces], 3),
        normals=_stacked([vertex_normals(piece.vertices, piece.faces) for piece in pieces], 3),
        uv=_stacked([np.zeros((len(piece.vertices), 2)) if piece.uv is None else piece.uv for piece in pieces], 2),
        faces=_stacked([piece.faces + start for piece, start in zip(pieces, starts, strict=True)], 3).astype(np.int64),
        piece=np.repeat(np.arange(len(pieces)), counts),
        looks=tuple(piece.look for piece in pieces),
    )


def joined(first: Surfaces, second: Surfaces) -> Surfaces:
    """Join two lists of triangles; the numbers of the first one stay."""
    return Surfaces(
        np.concatenate([first.vertices, second.vertices]),
        np.concatenate([first.normals, second.normals]),
        np.concatenate([first.uv, second.uv]),
        np.concatenate([first.faces, second.faces + len(first.vertices)]),
        np.concatenate([first.piece, second.piece + len(first.looks)]),
        first.looks + second.looks,
    )


def _stacked(arrays: Iterable[np.ndarray], width: int) -> np.ndarray:
    return np.concatenate([np.zeros((0, width)), *arrays])


def _mean_colour(look: Look) -> np.ndarray:
    colour = linear(np.array(look.colour))
    return colour if look.texture is None else colour * linear(look.texture / 255.0).mean(axis=(0, 1))

"""Rigs: joints that move the pieces of an articulated thing, such as a person, a car or a box with a lid."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from chronotope.world.things.thing import Piece


class Weights(NamedTuple):
    """The joints that move each vertex of a soft piece: ``bones`` (V, K) int, and their ``shares`` (V, K).

    The shares of a vertex have the sum 1.
    """

    bones: np.ndarray
    shares: np.ndarray


class Joined(NamedTuple):
    """The surface of a thing as one mesh: ``vertices`` (V, 3) m, ``faces`` (F, 3), and the joints that move it."""

    vertices: np.ndarray
    faces: np.ndarray
    weights: Weights


@dataclass(frozen=True, eq=False)
class Rig:
    """The joints of a thing, and what they move.

    ``rest`` (J, 4, 4) contains the frames thing_T_joint in which the pieces of the thing are drawn. ``path``
    (T, J, 4, 4) contains the poses world_T_joint, one for each frame and joint. ``bindings`` has one entry
    for each piece of the thing: the index of the joint that carries a rigid piece (a wheel, a lid), or the weights of a
    soft piece (skin, cloth). The first joint is the root. ``joints`` are the names of the joints.
    """

    joints: tuple[str, ...]
    rest: np.ndarray
    path: np.ndarray
    bindings: tuple[int | Weights, ...]

    def transforms(self, frame: int) -> np.ndarray:
        """Return world_T_thing of each joint (J, 4, 4) in a frame.

        A vertex that one joint moves is mapped by that joint's matrix from its place at rest to its place in the world.
        """
        return self.path[frame] @ np.linalg.inv(self.rest)

    def posed(self, piece: int, vertices: np.ndarray, frame: int) -> np.ndarray:
        """Return the vertices (V, 3) m of a piece in a frame, in world coordinates."""
        moved, binding = self.transforms(frame), self.bindings[piece]
        if not isinstance(binding, Weights):
            return vertices @ moved[binding, :3, :3].T + moved[binding, :3, 3]
        return blend(moved, binding, vertices)

    def joined(self, pieces: Sequence[Piece]) -> Joined:
        """Join the pieces of the thing to one mesh.

        A vertex of a rigid piece is moved by the joint of its piece alone.
        """
        ends = np.cumsum([0, *(len(piece.vertices) for piece in pieces)])
        most = max((binding.bones.shape[1] for binding in self.bindings if isinstance(binding, Weights)), default=1)
        bones, shares = np.zeros((ends[-1], most), np.int64), np.zeros((ends[-1], most))
        for start, end, binding in zip(ends[:-1], ends[1:], self.bindings, strict=True):
            if isinstance(binding, Weights):
                width = binding.bones.shape[1]
                bones[start:end, :width], shares[start:end, :width] = binding
            else:
                bones[start:end, 0], shares[start:end, 0] = binding, 1.0
        return Joined(
            np.concatenate([piece.vertices for piece in pieces]),
            np.concatenate([piece.faces + start for piece, start in zip(pieces, ends[:-1], strict=True)]),
            Weights(bones, shares),
        )


def blend(moved: np.ndarray, weights: Weights, vertices: np.ndarray) -> np.ndarray:
    """Skin vertices (V, 3) linearly.

    ``moved`` (J, 4, 4) maps rest places to places in the world, for each joint.
    """
    mixed = np.einsum("vk,vkij->vij", weights.shares, moved[weights.bones][..., :3, :])
    return np.einsum("vij,vj->vi", mixed[..., :3], vertices) + mixed[..., 3]

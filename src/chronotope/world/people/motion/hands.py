"""The hands of a person: how the fingers curl, and where their skin then is."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from chronotope.geometry import rotation_from_vector
from chronotope.world.people.motion.skeleton import FINGERS, Body, Skeleton
from chronotope.world.rig import Weights

THUMB_ROOT = 1.1  # bend of the root of the thumb, as a share of the bend of its second joint
OWN = 0.5  # least share of a finger's joints in a vertex of it
TIP = 0.6  # least share of the last joint in a vertex of the fingertip


@dataclass(frozen=True, eq=False)
class Hand:
    """A hand at rest, relative to its joint.

    ``fingers``, ``palm`` and ``thumb`` (3,) are the directions in which the fingers point, the palm faces, and the
    thumb lies. ``knuckles`` (5, 3, 3) m are the places of the joints of the fingers, thumb first, and ``axes`` (5, 3)
    the axes about which they bend. ``skins`` has the vertices (V, 3) m of each finger and the shares (V, 4) of the hand
    and of the three joints in them. ``back`` (V, 3) m are the vertices of the rest of the hand.
    """

    fingers: np.ndarray
    palm: np.ndarray
    thumb: np.ndarray
    knuckles: np.ndarray
    axes: np.ndarray
    skins: tuple[tuple[np.ndarray, np.ndarray], ...]
    back: np.ndarray

    @cached_property
    def length(self) -> float:
        """Return the length (m) from the wrist to the end of the middle finger."""
        return float((self.skins[2][0] @ self.fingers).max())

    def tip(self, finger: int) -> np.ndarray:
        """Return which vertices (V,) of a finger belong to its tip."""
        return self.skins[finger][1][:, 3] > TIP

    def turns(self, finger: int, curl: np.ndarray) -> list[np.ndarray]:
        """Return the rotations hand_R_joint (..., 3, 3) of a finger's joints for a curl (..., 3) rad.

        The joints of a finger bend by their angles. The first angle of the thumb brings it in front of the palm.
        """
        axis = self.axes[finger]
        bends = [rotation_from_vector(curl[..., part, None] * axis) for part in range(3)]
        if finger == 0:
            root = np.cross(self.thumb, self.palm)
            bends[0] = rotation_from_vector(curl[..., 0, None] * root) @ rotation_from_vector(
                THUMB_ROOT * curl[..., 1, None] * axis
            )
        first = bends[0]
        return [first, first @ bends[1], first @ bends[1] @ bends[2]]

    def posed(self, finger: int, curl: np.ndarray) -> np.ndarray:
        """Return the places (..., V, 3) m of a finger's vertices for a curl (..., 3) rad.

        The places are relative to the hand.
        """
        vertices, shares = self.skins[finger]
        joints = self.knuckles[finger]
        result = shares[:, :1] * vertices
        place = joints[0]
        for part, turn in enumerate(self.turns(finger, curl)):
            moved = (vertices - joints[part]) @ np.swapaxes(turn, -1, -2) + place[..., None, :]
            result = result + shares[:, part + 1, None] * moved
            if part < 2:
                place = place + turn @ (joints[part + 1] - joints[part])
        return result


def hand_of(body: Body, skeleton: Skeleton, side: str) -> Hand:
    """Return the left or right hand of a person."""
    wrist = skeleton.place(f"{side}Hand")
    knuckles = np.array([[skeleton.place(f"{side}Hand{name}{part}") - wrist for part in (1, 2, 3)] for name in FINGERS])
    sign = 1 if side == "Left" else -1
    fingers = knuckles[2, 0] / np.linalg.norm(knuckles[2, 0])
    palm = sign * np.cross(fingers, knuckles[1, 0] - knuckles[4, 0])
    palm /= np.linalg.norm(palm)
    thumb = -sign * np.cross(fingers, palm)
    axes: list[np.ndarray] = []
    for number in range(5):
        along = knuckles[number, 2] - knuckles[number, 0]
        towards = palm if number else 0.5 * palm - thumb
        axis = np.cross(along, towards)
        axes.append(axis / np.linalg.norm(axis))
    joints = [
        [skeleton.index[f"{side}Hand"], *(skeleton.index[f"{side}Hand{name}{part}"] for part in (1, 2, 3))]
        for name in FINGERS
    ]
    skins = tuple(_skin(body, wrist, row) for row in joints)
    back, share = _bound(body, wrist, joints[0][:1])
    return Hand(fingers, palm, thumb, knuckles, np.array(axes), skins, back[share[:, 0] > 1 - 0.02])


def _skin(body: Body, wrist: np.ndarray, joints: list[int]) -> tuple[np.ndarray, np.ndarray]:
    vertices, shares = _bound(body, wrist, joints)
    own = shares[:, 1:].sum(1) > OWN
    return vertices[own], shares[own] / shares[own].sum(1, keepdims=True)


def _bound(body: Body, wrist: np.ndarray, joints: list[int]) -> tuple[np.ndarray, np.ndarray]:
    # The vertices (V, 3) relative to the wrist that the joints move, and the share (V, K) of each joint in them.
    vertices: list[np.ndarray] = []
    shares: list[np.ndarray] = []
    for piece, binding in zip(body.thing.pieces, body.bindings, strict=True):
        if isinstance(binding, Weights):
            share = np.stack([np.where(binding.bones == joint, binding.shares, 0.0).sum(1) for joint in joints], 1)
        else:
            share = np.tile([float(binding == joint) for joint in joints], (len(piece.vertices), 1))
        some = share.sum(1) > 0
        vertices.append(piece.vertices[some] - wrist)
        shares.append(share[some])
    return np.concatenate(vertices), np.concatenate(shares)

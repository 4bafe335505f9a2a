"""The sole of a foot, and how the foot rolls on the floor without sliding."""

from dataclasses import dataclass

import numpy as np

from chronotope.world.people.motion.skeleton import Body, Skeleton
from chronotope.world.rig import Weights

OWN = 0.99  # least share of the foot's joints in a vertex of the sole
HIGH = 0.05  # m, most height of a vertex of the sole at rest
UP, DOWN = np.radians(45.0), np.radians(80.0)  # the table covers these pitches
STEP = np.radians(0.25)
SOFT = 0.0008  # m, height at which a point counts e times less as a point of contact
BEND = 0.9  # angle of the toes relative to the foot, for each radian that the heel is raised
MOST_BEND = np.radians(50.0)


@dataclass(frozen=True, eq=False)
class Sole:
    """One foot's rolling on the floor, as a table over pitch.

    The pitch (rad) is positive if the toes are up. ``forward`` is the direction (rad) in which the foot points at rest.
    ``pitches`` increase; ``ahead`` and ``height`` (m) are the place of the ankle above the floor, relative to the place
    on the floor under the ankle of the flat foot. ``points`` (V, 2) m and ``share`` (V,) are the vertices of the sole
    relative to the ankle (forward, up) and the share of the toes in them; ``toe`` (2,) m is the place of their joint.
    """

    forward: float
    pitches: np.ndarray
    ahead: np.ndarray
    height: np.ndarray
    points: np.ndarray
    share: np.ndarray
    toe: np.ndarray

    def roll(self, pitch: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return how far the ankle is ahead and high (m) at a pitch (rad)."""
        return np.interp(pitch, self.pitches, self.ahead), np.interp(pitch, self.pitches, self.height)

    def lowest(self, pitch: np.ndarray, bend: np.ndarray) -> np.ndarray:
        """Return the height (m) of the lowest point of the sole relative to the ankle."""
        return _posed(self.points, self.share, self.toe, pitch, bend)[..., 1].min(-1)


def bend_of(pitch: np.ndarray) -> np.ndarray:
    """Return by what angle (rad) the toes bend up when the foot has rolled to a pitch (rad)."""
    return MOST_BEND * np.tanh(np.maximum(0.0, -pitch) * BEND / MOST_BEND)


def sole_of(body: Body, skeleton: Skeleton, side: str) -> Sole:
    """Return the sole of the person's left or right foot."""
    foot, toe = skeleton.index[f"{side}Foot"], skeleton.index[f"{side}ToeBase"]
    ankle, joint = skeleton.places[foot], skeleton.places[toe]
    forward = float(np.arctan2(joint[1] - ankle[1], joint[0] - ankle[0]))
    vertices, share = sole_vertices(body, foot, toe)
    along = np.array([[np.cos(forward), np.sin(forward), 0.0], [0.0, 0.0, 1.0]])
    points, hinge = (vertices - ankle) @ along.T, along @ (joint - ankle)
    pitches = np.arange(-DOWN, UP + STEP / 2, STEP)
    bends = bend_of(pitches)
    posed = _posed(points, share, hinge, pitches, bends)
    height = -posed[..., 1].min(-1)
    # The points of contact stand still, so that the ankle moves against their motion relative to it.
    weight = np.exp(-(posed[..., 1] + height[:, None]) / SOFT)
    middle = (weight[1:] + weight[:-1]) / 2
    moved = (middle * np.diff(posed[..., 0], axis=0)).sum(1) / middle.sum(1)
    ahead = np.concatenate([[0.0], -np.cumsum(moved)])
    return Sole(forward, pitches, ahead - np.interp(0.0, pitches, ahead), height, points, share, hinge)


def sole_vertices(body: Body, foot: int, toe: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the vertices (V, 3) m at rest that only a foot moves, and their shares.

    A share (V,) is that of the toes in a vertex.
    """
    vertices: list[np.ndarray] = []
    shares: list[np.ndarray] = []
    for piece, binding in zip(body.thing.pieces, body.bindings, strict=True):
        if isinstance(binding, Weights):
            toes = np.where(binding.bones == toe, binding.shares, 0.0).sum(1)
            own = toes + np.where(binding.bones == foot, binding.shares, 0.0).sum(1)
        else:
            toes = np.full(len(piece.vertices), float(binding == toe))
            own = np.full(len(piece.vertices), float(binding in (foot, toe)))
        chosen = (own >= OWN) & (piece.vertices[:, 2] < HIGH)
        vertices.append(piece.vertices[chosen])
        shares.append(toes[chosen] / np.maximum(own[chosen], OWN))
    return np.concatenate(vertices), np.concatenate(shares)


def _posed(points: np.ndarray, share: np.ndarray, toe: np.ndarray, pitch: np.ndarray, bend: np.ndarray) -> np.ndarray:
    # The places (..., V, 2) of a sole's vertices relative to the ankle; the skin is mixed linearly.
    turn, turn_toe = _flat_turn(pitch), _flat_turn(pitch + bend)
    by_foot = points @ np.swapaxes(turn, -1, -2)
    by_toe = (points - toe) @ np.swapaxes(turn_toe, -1, -2) + (turn @ toe)[..., None, :]
    return by_foot + share[:, None] * (by_toe - by_foot)


def _flat_turn(pitch: np.ndarray) -> np.ndarray:
    # Rotations (..., 2, 2) in the plane (forward, up).
    c, s = np.cos(pitch), np.sin(pitch)
    return np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], -2)

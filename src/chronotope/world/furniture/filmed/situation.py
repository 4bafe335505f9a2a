"""What a person meets who brings a group of parts to a product: where everything is, and what is in the way."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial import ConvexHull

from chronotope.world.furniture.possible import hulls_meet
from chronotope.world.furniture.product import Entry, Group, Joining, Product, Vector

SHRINK = 0.002  # m by which solids that touch are smaller when ways are checked


def upright(up: Vector, yaw: float) -> np.ndarray:
    """Return the rotation (3, 3) of a product whose direction ``up`` points up, with a yaw (rad)."""
    high = np.array(up, float)
    ahead = np.array([1.0, 0.0, 0.0]) if abs(high[0]) < 0.9 else np.array([0.0, 0.0, 1.0])
    level = np.stack([ahead, np.cross(high, ahead), high])
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ level


@dataclass(frozen=True, eq=False)
class Situation:
    """The group of an entry, and what stands there before it comes.

    ``pose`` (4, 4) is world_T_product: the floor is at z = 0, and the middle of what is built is above the origin.
    """

    product: Product
    there: Group
    entry: Entry
    pose: np.ndarray

    @property
    def toward(self) -> np.ndarray:
        """Return the direction (3,) in the world in which the group comes to its place."""
        return self.pose[:3, :3] @ np.array(self.entry.toward, float)

    def solids(self, group: Group) -> list[np.ndarray]:
        """Return the corners (N, 3) in the world of the solids of a group."""
        return [
            solid @ self.pose[:3, :3].T + self.pose[:3, 3]
            for part in group
            for solid in self.product.parts[part].solids
        ]

    @cached_property
    def still(self) -> list[np.ndarray]:
        """Return the solids that are there."""
        return self.solids(self.there)

    @cached_property
    def moving(self) -> list[np.ndarray]:
        """Return the solids of the group, in their place."""
        return self.solids(self.entry.parts)

    @cached_property
    def planes(self) -> list[np.ndarray]:
        """Return the planes (F, 4) of each solid that is there."""
        return [ConvexHull(solid).equations for solid in self.still]

    @cached_property
    def own_planes(self) -> list[np.ndarray]:
        """Return the planes (F, 4) of each solid of the group, in its place."""
        return [ConvexHull(solid).equations for solid in self.moving]

    def passes(self, way: np.ndarray, sway: tuple[float, float] = (0.0, 0.0)) -> bool:
        """Check whether the group meets something, or the floor, on its way.

        ``way`` has offsets (N, 3) m from its place, between which the group moves straight. ``sway`` has the distances
        (m) by which the group may be beside its way, and above or below.
        """
        margin = np.array(list(itertools.product((-1.0, 1.0), repeat=3))) * [sway[0], sway[0], sway[1]]
        for solid in self.moving:
            middle = (solid.min(axis=0) + solid.max(axis=0)) / 2
            half = (solid.max(axis=0) - solid.min(axis=0)) / 2
            small = middle + (solid - middle) * np.maximum(half - SHRINK, 1e-6) / np.maximum(half, 1e-6)
            if any(sway):
                small = (small[:, None] + margin).reshape(-1, 3)
            if small[:, 2].min() + way[:, 2].min() < -SHRINK:
                return True
            for start, end in itertools.pairwise(way):
                swept = np.concatenate([small + start, small + end])
                if any(hulls_meet(swept, other) for other in self.still):
                    return True
        return False


def deepest(points: np.ndarray, planes: list[np.ndarray]) -> float:
    """Return how deep (m) the deepest of points (N, 3) lies in convex solids.

    The depth is below 0 outside.
    """
    return max((float((-(points @ each[:, :3].T + each[:, 3]).max(axis=1)).max()) for each in planes), default=-np.inf)


def situations(product: Product, joining: Joining, yaw: float = 0.0) -> Iterator[Situation]:
    """Yield what the person meets at each entry of a joining."""
    turn = upright(joining.up, yaw)
    base = product.points(joining.base) @ turn.T
    whole = product.points(joining.joined) @ turn.T
    pose = np.eye(4)
    pose[:3, :3] = turn
    pose[:2, 3] = -(whole[:, :2].min(axis=0) + whole[:, :2].max(axis=0)) / 2
    pose[2, 3] = -min(base[:, 2].min(), whole[:, 2].min())
    there = joining.base
    for entry in joining.entries:
        yield Situation(product, there, entry, pose)
        there = tuple(sorted((*there, *entry.parts)))

"""The skeleton of a person: joints, their parents, and forward kinematics of many frames at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from chronotope.errors import InputError
from chronotope.world.rig import Weights
from chronotope.world.things.thing import Thing

SIDES = ("Left", "Right")
FINGERS = ("Thumb", "Index", "Middle", "Ring", "Pinky")


def _parents() -> dict[str, str | None]:
    parents: dict[str, str | None] = {"Hips": None, "Spine": "Hips", "Spine1": "Spine", "Spine2": "Spine1"}
    parents |= {"Neck": "Spine2", "Head": "Neck"}
    for side in SIDES:
        for chain in (("Shoulder", "Arm", "ForeArm", "Hand"), ("UpLeg", "Leg", "Foot", "ToeBase")):
            before = "Spine2" if chain[0] == "Shoulder" else "Hips"
            for part in chain:
                parents[side + part], before = before, side + part
        for finger in FINGERS:
            before = f"{side}Hand"
            for number in (1, 2, 3):
                parents[f"{side}Hand{finger}{number}"], before = before, f"{side}Hand{finger}{number}"
    return parents


PARENTS = _parents()  # the names of Mixamo, without prefix


class Body(Protocol):
    """What motion needs to know of a person.

    ``rest`` (J, 4, 4) contains the frames person_T_joint at rest, with the axes of the person's frame: x forward, y
    left, z up, origin on the floor under the hips. ``thing`` has the pieces, and ``bindings`` the joints that move
    them.
    """

    @property
    def joints(self) -> tuple[str, ...]:
        """Return the names of the joints."""
        ...

    @property
    def rest(self) -> np.ndarray:
        """Return the frames person_T_joint (J, 4, 4) at rest."""
        ...

    @property
    def thing(self) -> Thing:
        """Return the pieces at rest."""
        ...

    @property
    def bindings(self) -> Sequence[int | Weights]:
        """Return what moves each piece."""
        ...


@dataclass(frozen=True, eq=False)
class Skeleton:
    """The joints of a person, in an order in which parents come first.

    ``places`` (J, 3) m are the places of the joints at rest in the person's frame.
    """

    joints: tuple[str, ...]
    places: np.ndarray

    @cached_property
    def index(self) -> dict[str, int]:
        """Return the index of each joint by its name."""
        return {name: number for number, name in enumerate(self.joints)}

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """Return the index of each joint's parent; that of the root is -1."""
        return tuple(-1 if PARENTS[name] is None else self.index[PARENTS[name] or ""] for name in self.joints)

    @cached_property
    def hip_height(self) -> float:
        """Return the height (m) of the hip joints above the floor at rest, which scales a gait."""
        return float(self.place("LeftUpLeg")[2])

    @cached_property
    def offsets(self) -> np.ndarray:
        """Return the place (J, 3) m of each joint at rest relative to its parent."""
        offsets = self.places.copy()
        offsets[1:] -= self.places[list(self.parents[1:])]
        return offsets

    def place(self, joint: str) -> np.ndarray:
        """Return the place (3,) m of a joint at rest."""
        return self.places[self.index[joint]]

    def length(self, joint: str, other: str) -> float:
        """Return the distance (m) between two joints at rest."""
        return float(np.linalg.norm(self.place(joint) - self.place(other)))

    def chain(self, rotations: np.ndarray, root: np.ndarray, joints: tuple[str, ...] | None = None) -> np.ndarray:
        """Return the places (T, J, 3) m of the joints.

        ``rotations`` (T, J, 3, 3) are world_R_joint; ``root`` (T, 3) m is the place of the first joint. If ``joints``
        are named, only they and their ancestors have places.
        """
        places = np.zeros((*rotations.shape[:2], 3))
        places[:, 0] = root
        for number in self._needed(joints):
            parent = self.parents[number]
            places[:, number] = places[:, parent] + rotations[:, parent] @ self.offsets[number]
        return places

    def _needed(self, joints: tuple[str, ...] | None) -> list[int]:
        if joints is None:
            return list(range(1, len(self.joints)))
        needed: set[int] = set()
        for name in joints:
            number = self.index[name]
            while number > 0:
                needed.add(number)
                number = self.parents[number]
        return sorted(needed)


def skeleton_of(body: Body) -> Skeleton:
    """Return the skeleton of a person.

    Raises:
        InputError: If a joint has no known name, is missing, or comes before its parent.
    """
    seen: set[str] = set()
    for name in body.joints:
        if name not in PARENTS or PARENTS[name] not in seen | {None}:
            fault = f"joint {name!r} is unknown, or comes before its parent"
            raise InputError(fault, expected="the joints of Mixamo without prefix, Hips first")
        seen.add(name)
    if len(seen) < len(PARENTS):
        missing = ", ".join(sorted(set(PARENTS) - seen)[:4])
        raise InputError(f"a person lacks the joints {missing}", expected="all joints of Mixamo")
    return Skeleton(tuple(body.joints), np.array(body.rest[:, :3, 3], float))


def about(axis: int, angle: np.ndarray | float) -> np.ndarray:
    """Return rotations (..., 3, 3) by angles (rad) about a coordinate axis (0 to 2)."""
    angle = np.asarray(angle, float)
    result = np.zeros((*angle.shape, 3, 3))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    result[..., axis, axis] = 1.0
    result[..., i, i] = result[..., j, j] = np.cos(angle)
    result[..., j, i] = np.sin(angle)
    result[..., i, j] = -result[..., j, i]
    return result


def framed(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the rotations (..., 3, 3) whose x axis is along ``first`` (..., 3).

    The y axis is as near to ``second`` (..., 3) as possible.
    """
    x = first / np.linalg.norm(first, axis=-1, keepdims=True)
    y = second - x * (x * second).sum(-1, keepdims=True)
    y = y / np.linalg.norm(y, axis=-1, keepdims=True)
    return np.stack([x, y, np.cross(x, y)], axis=-1)


def ease(share: np.ndarray) -> np.ndarray:
    """Return a smooth rise from 0 to 1 over shares from 0 to 1.

    The curve has the least jerk, and rests at both ends.
    """
    x = np.clip(share, 0.0, 1.0)
    return x**3 * (10.0 - 15.0 * x + 6.0 * x**2)


def hermite(u: np.ndarray, start: float, out: float, end: float, into: float) -> np.ndarray:
    """Return the cubic from ``start`` to ``end`` over shares from 0 to 1.

    The rates at the ends are ``out`` and ``into``.
    """
    return (
        start * (1 + 2 * u) * (1 - u) ** 2 + out * u * (1 - u) ** 2 + end * u * u * (3 - 2 * u) + into * u * u * (u - 1)
    )

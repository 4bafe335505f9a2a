"""The data of an articulated thing with rigid parts, and the motion of its joints."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from chronotope.errors import InputError
from chronotope.world.rig import Rig
from chronotope.world.things.mesh import Mesh, moved, volume
from chronotope.world.things.thing import Look, Symmetry, Thing, finished, size_of

ROOT = "base"
GRAIN = 1e-5  # m, of the vertices
Looks = Mapping[int, Look]


class Limit(NamedTuple):
    """How far a joint moves: the two ends of its motion.

    ``axis`` (3,) is a unit vector in the joint's frame. The joint turns about it by the right-hand rule (rad), or, if
    ``slides`` is true, moves along it (m). An ``endless`` joint, such as a fan, may go beyond both ends.
    """

    axis: tuple[float, float, float]
    low: float
    high: float
    slides: bool = False
    endless: bool = False

    def motion(self, openness: np.ndarray) -> np.ndarray:
        """Return the motions (T, 4, 4) in the joint's frame.

        ``openness`` (T,) is 0 at ``low`` and 1 at ``high``.
        """
        moves = np.tile(np.eye(4), (len(openness), 1, 1))
        by = (self.low + openness * (self.high - self.low))[:, None] * np.array(self.axis)
        if self.slides:
            moves[:, :3, 3] = by
        else:
            moves[:, :3, :3] = Rotation.from_rotvec(by).as_matrix()
        return moves


@dataclass(frozen=True, eq=False)
class Articulated:
    """A thing whose rigid pieces move with joints.

    The pieces are drawn at rest, with all joints at 0. ``joints`` are the names of the joints, the root first. ``rest``
    (J, 4, 4) contains thing_T_joint at rest, and ``bindings`` has the index of the joint of each piece. ``limits`` are
    those of the joints that move, by name; their limits count from the pose at rest. ``states`` has the looks of pieces
    for each value of each property that can be seen, such as the light of a lamp; the first value is that at rest. The
    looks of a value are empty if only a joint shows it, such as a lid that is open.
    """

    thing: Thing
    joints: tuple[str, ...]
    rest: np.ndarray
    bindings: tuple[int, ...]
    limits: Mapping[str, Limit]
    states: Mapping[str, Mapping[str, Looks]] = field(default_factory=dict[str, Mapping[str, Looks]])

    @property
    def attributes(self) -> dict[str, str]:
        """Return the value of each property at rest."""
        return {key: next(iter(values)) for key, values in self.states.items()}

    def rig(self, poses: np.ndarray, **openness: ArrayLike) -> Rig:
        """Move the thing and its joints over time.

        ``poses`` (T, 4, 4) are the poses world_T_thing of the thing's frame, or one pose (4, 4) if it stands still.
        ``openness`` (T,) of each joint that moves is 0 at one end of its motion and 1 at the other end. A joint that
        is not named stays at rest.

        Raises:
            InputError: If a joint does not exist or goes beyond its limits, or if the numbers of frames differ.
        """
        given = {name: np.atleast_1d(np.asarray(values, float)) for name, values in openness.items()}
        poses = poses[None] if poses.ndim == 2 else poses
        counts = {len(values) for values in (*given.values(), poses)} - {1}
        if len(counts) > 1:
            raise InputError(f"world: the motion of a {self.thing.label} has {sorted(counts)} frames: give one number")
        frames = max(counts, default=1)
        path = np.broadcast_to(poses, (frames, 4, 4))[:, None] @ self.rest
        for name, values in given.items():
            path[:, self._index(name)] = path[:, self._index(name)] @ self._limit(name, values).motion(
                np.broadcast_to(values, (frames,))
            )
        return Rig(self.joints, self.rest, path, self.bindings)

    def _index(self, name: str) -> int:
        if name not in self.limits:
            raise InputError(
                f"world: a {self.thing.label} has no joint {name!r}: choose one of {', '.join(self.limits)}"
            )
        return self.joints.index(name)

    def _limit(self, name: str, openness: np.ndarray) -> Limit:
        limit = self.limits[name]
        if not np.isfinite(openness).all() or (not limit.endless and ((openness < 0) | (openness > 1)).any()):
            raise InputError(f"world: the joint {name!r} of a {self.thing.label} opens from 0 to 1: keep to this range")
        return limit


class Part(NamedTuple):
    """A mesh with its look, and the name of the joint that moves it."""

    mesh: Mesh
    look: Look
    joint: str = ROOT


def joined(
    noun: str,
    colour: str | None,
    material: str,
    parts: Sequence[Part],
    places: Mapping[str, Sequence[float]],
    limits: Mapping[str, Limit],
    states: Mapping[str, Mapping[str, Looks]] | None = None,
    symmetry: Symmetry = "none",
    front: str | None = "its front",
    density: float = 800.0,
) -> Articulated:
    """Join parts to an articulated thing, whose origin is the middle of its box at rest.

    ``places`` (3,) m are the origins of the joints in the frame of the parts; all frames have the axes of the thing.
    ``density`` (kg/m3) refers to the volume of the meshes.
    """
    points = np.concatenate([part.mesh.vertices for part in parts])
    middle = np.round((points.min(axis=0) + points.max(axis=0)) / 2, 6)
    pieces = tuple(finished(moved(part.mesh, by=-middle), part.look, GRAIN) for part in parts)
    joints = (ROOT, *places)
    rest = np.tile(np.eye(4), (len(joints), 1, 1))
    rest[1:, :3, 3] = np.array(list(places.values())).reshape(-1, 3) - middle
    thing = Thing(
        category=noun, colour=colour, material=material, pieces=pieces, size=size_of(pieces), symmetry=symmetry,
        front=front, mass=float(density * sum(volume(piece.vertices, piece.faces) for piece in pieces)),
        solids=tuple(piece.vertices for piece in pieces), support=None,
    )  # fmt: skip
    return Articulated(thing, joints, rest, tuple(joints.index(part.joint) for part in parts), limits, states or {})

"""A small set in which things move, in ways that a test can compute on its own: a ball, a lid, a soft stick, a lamp."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from chronotope.world.camera import intrinsics_of, look_at
from chronotope.world.film_set import CeilingLamp, FilmSet, LookChange, Placement
from chronotope.world.quality import Quality
from chronotope.world.rig import Rig, Weights
from chronotope.world.slabs import slab
from chronotope.world.things import Look, Thing
from chronotope.world.things.mesh import ellipsoid, lathe
from chronotope.world.things.thing import Piece, finished, size_of

FRAMES = 12
TIMES = np.arange(FRAMES) / 10
QUALITY = Quality("fast", 160, 120, 10, (1.2, 1.2), 512, 2, 18)
EYE = np.array([0.05, -1.1, 0.55])
DARK, LIT = Look((0.85, 0.82, 0.7), 0.1, 0.1), Look((1.0, 0.95, 0.8), 0.1, 0.1, glow=3.0)
LAMP_ON = 6  # the frame from which the lamp is on
RADIUS = 0.06
FROM, TO = np.array([-0.35, 0.05]), np.array([0.35, 0.05])


@dataclass(frozen=True)
class Truth:
    """The places of vertices at rest and, for each frame, the matrices (J, 4, 4) that move them."""

    vertices: np.ndarray
    faces: np.ndarray
    weights: np.ndarray  # (V, J)
    joints: np.ndarray  # (T, J, 4, 4), world_T_rest

    def posed(self, frame: int) -> np.ndarray:
        moved = np.zeros_like(self.vertices)
        for joint, matrix in enumerate(self.joints[frame]):
            moved += self.weights[:, joint, None] * (self.vertices @ matrix[:3, :3].T + matrix[:3, 3])
        return moved


def thing_of(category: str, *pieces: Piece) -> Thing:
    return Thing(category, None, "wood", pieces, size_of(pieces), "none", None, 1.0, (), None, "{category}")


def at(x: float, y: float, z: float, turn: np.ndarray | None = None) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    if turn is not None:
        pose[:3, :3] = turn
    return pose


def chest() -> Placement:
    """A box whose lid opens about its rear edge, by 80 degrees within a second."""
    body, lid = (
        slab((0.2, 0.15, 0.1), (0, 0, 0), Look((0.1, 0.2, 0.7), 0, 0)),
        slab((0.2, 0.15, 0.012), (0, 0, 0.056), Look((0.8, 0.1, 0.1), 0, 0)),
    )
    rest = np.stack([np.eye(4), at(0, 0.075, 0.05)])
    pose = at(0.3, 0.3, 0.05)
    path = np.tile(pose @ rest, (FRAMES, 1, 1, 1))
    path[:, 1, :3, :3] = Rotation.from_euler("x", -np.radians(80) * np.minimum(TIMES, 1.0)[:, None]).as_matrix()
    rig = Rig(("chest", "lid"), rest, path, (0, 1))
    return Placement("chest", thing_of("chest", body, lid), pose, rig=rig, changes=(LookChange(1, "open", "true"),))


def stick() -> Placement:
    """A soft stick whose upper half bends to and fro."""
    profile = [(0, -0.15), *((0.03, z) for z in np.linspace(-0.15, 0.15, 16)), (0, 0.15)]
    piece = finished(lathe(profile, 16), Look((0.2, 0.7, 0.2), 0, 0))
    upper = np.clip((piece.vertices[:, 2] + 0.05) / 0.1, 0, 1)
    weights = Weights(np.tile([0, 1], (len(upper), 1)), np.stack([1 - upper, upper], axis=1))
    rest, pose = np.stack([at(0, 0, -0.15), np.eye(4)]), at(-0.2, 0.3, 0.15)
    path = np.tile(pose @ rest, (FRAMES, 1, 1, 1))
    path[:, 1, :3, :3] = Rotation.from_euler("y", 0.7 * np.sin(4 * TIMES)[:, None]).as_matrix()
    return Placement("stick", thing_of("stick", piece), pose, rig=Rig(("root", "tip"), rest, path, (weights,)))


def ball() -> Placement:
    share = (TIMES / TIMES[-1])[:, None]
    path = np.tile(np.eye(4), (FRAMES, 1, 1))
    path[:, :2, 3] = FROM + share * (TO - FROM)
    path[:, 2, 3] = RADIUS
    piece = finished(ellipsoid(RADIUS), Look((0.9, 0.4, 0.6), 0, 0))
    return Placement("ball", thing_of("ball", piece), path[0], path=path)


def lamp() -> Placement:
    piece = finished(ellipsoid(0.04), DARK)
    changes = (LookChange(LAMP_ON, "on", "true", {0: LIT}),)
    return Placement("lamp", thing_of("lamp", piece), at(0.5, -0.2, 0.04), attributes={"on": "false"}, changes=changes)


def film_set(*placements: Placement, glow: float = 3.0) -> FilmSet:
    """Things on the floor of a closed grey room with a lamp under its ceiling."""
    grey = Look((0.6, 0.6, 0.6), 0.0, 0.0)
    plates = ((3.2, 3.2, 0.1), (0, 0, -0.05)), ((3.2, 3.2, 0.1), (0, 0, 2.45))
    walls = [((0.1, 3.2, 2.4), (sign * 1.55, 0, 1.2)) for sign in (-1, 1)]
    walls += [((3.2, 0.1, 2.4), (0, sign * 1.55, 1.2)) for sign in (-1, 1)]
    backdrop = tuple(slab(size, centre, grey) for size, centre in (*plates, *walls))
    return FilmSet(placements, backdrop, lamps=(CeilingLamp((-0.4, -0.2, 2.4), 0.5, glow),), near=0.05)


def cameras(moving: bool = False) -> np.ndarray:
    eyes = np.tile(EYE, (FRAMES, 1))
    if moving:
        eyes[:, 0] += np.linspace(-0.1, 0.1, FRAMES)
    return look_at(eyes, np.tile([0.0, 0.15, 0.08], (FRAMES, 1)))


INTRINSICS = intrinsics_of(52.0, QUALITY.width, QUALITY.height)


def truth_of(placement: Placement) -> Truth:
    """What a rigged thing's vertices do, from its rig's raw numbers."""
    rig = placement.rig
    assert rig is not None
    pieces, starts, weights = placement.thing.pieces, 0, []
    for piece, binding in zip(pieces, rig.bindings, strict=True):
        dense = np.zeros((len(piece.vertices), len(rig.joints)))
        if isinstance(binding, int):
            dense[:, binding] = 1.0
        else:
            for column in range(binding.bones.shape[1]):
                dense[np.arange(len(dense)), binding.bones[:, column]] += binding.shares[:, column]
        weights.append(dense)
    faces = []
    for piece in pieces:
        faces.append(piece.faces + starts)
        starts += len(piece.vertices)
    joints = np.array(
        [[pose @ np.linalg.inv(rest) for pose, rest in zip(frame, rig.rest, strict=True)] for frame in rig.path]
    )
    return Truth(
        np.concatenate([piece.vertices for piece in pieces]), np.concatenate(faces), np.concatenate(weights), joints
    )

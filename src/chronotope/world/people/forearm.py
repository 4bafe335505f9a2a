"""The arm, or the forearm and the hand, of a person, for a camera that sees nothing else of its bearer."""

from dataclasses import replace
from typing import Literal

import numpy as np

from chronotope.world.people.person import Person
from chronotope.world.people.sheet import all_shares, rim_of
from chronotope.world.rig import Weights
from chronotope.world.things import Piece
from chronotope.world.things.thing import size_of

Side = Literal["Left", "Right"]

_LEAST = 0.5  # least part of the weights that the kept joints have at a vertex


def forearm_of(person: Person, side: Side) -> Person:
    """Return a person of whom only one forearm and hand are there, with their sleeve.

    The joints are those of the whole person, so that the same motion moves both. The end at the elbow is closed; a
    camera that looks from the eyes has it outside the picture.
    """
    return _kept(person, side, "ForeArm")


def arm_of(person: Person, side: Side) -> Person:
    """Return a person of whom only one arm is there, closed at the shoulder, with its sleeve."""
    return _kept(person, side, "Arm", "ForeArm")


def _kept(person: Person, side: Side, *bones: str) -> Person:
    """Keep the hand and the ``bones`` of an arm, from the body outwards."""
    names = {side + bone for bone in bones}
    carried = [k for k, name in enumerate(person.joints) if name in names or name.startswith(f"{side}Hand")]
    pieces: list[Piece] = []
    bindings: list[Weights] = []
    parts: list[str] = []
    for piece, weights, part in zip(person.thing.pieces, person.bindings, person.parts, strict=True):
        of_arm = all_shares(weights)[:, carried].sum(axis=1) >= _LEAST
        faces = piece.faces[of_arm[piece.faces].all(axis=1)]
        if not len(faces):
            continue
        upper = person.rest[person.joints.index(side + bones[0]), :3, 3]
        wrist = person.rest[person.joints.index(f"{side}Hand"), :3, 3]
        made, bound = _closed(piece, faces, weights, upper, wrist)
        pieces.append(made)
        bindings.append(bound)
        parts.append(part)
    thing = replace(person.thing, pieces=tuple(pieces), size=size_of(pieces), solids=())
    return replace(person, thing=thing, bindings=tuple(bindings), parts=tuple(parts))


def _closed(
    piece: Piece, faces: np.ndarray, weights: Weights, upper: np.ndarray, wrist: np.ndarray
) -> tuple[Piece, Weights]:
    """Keep some faces of a piece, and close the opening at its upper end with a fan."""
    used, faces = np.unique(faces, return_inverse=True)
    faces = faces.reshape(-1, 3)
    vertices, bones, shares = piece.vertices[used], weights.bones[used], weights.shares[used]
    uv = None if piece.uv is None else piece.uv[used]
    rim = rim_of(faces)
    along = (vertices - upper) @ (wrist - upper) / ((wrist - upper) @ (wrist - upper))
    rim = rim[along[rim].mean(axis=1) < 0.4]
    if not len(rim):
        return replace(piece, vertices=vertices, faces=faces, uv=uv), Weights(bones, shares)
    ring = np.unique(rim)
    middle = len(vertices)
    near = ring[np.argmin(np.linalg.norm(vertices[ring] - vertices[ring].mean(axis=0), axis=1))]
    fan = np.column_stack([rim[:, ::-1], np.full(len(rim), middle)])
    return (
        replace(
            piece,
            vertices=np.vstack([vertices, vertices[ring].mean(axis=0)]),
            faces=np.vstack([faces, fan]),
            uv=None if uv is None else np.vstack([uv, uv[near]]),
        ),
        Weights(np.vstack([bones, bones[near]]), np.vstack([shares, shares[near]])),
    )

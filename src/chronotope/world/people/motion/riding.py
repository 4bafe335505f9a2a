"""Riding a bicycle: the seat on the saddle, the feet on turning pedals, and the hands on the grips."""

from dataclasses import dataclass

import numpy as np

from chronotope.errors import InputError
from chronotope.world.people.motion.feet import Foot
from chronotope.world.people.motion.hands import Hand
from chronotope.world.people.motion.limbs import STRAIGHT
from chronotope.world.people.motion.posing import solve
from chronotope.world.people.motion.posture import Build, Posture, build_of, stand
from chronotope.world.people.motion.skeleton import SIDES, Body, framed
from chronotope.world.people.motion.soles import Sole

PELVIS, CHEST = np.radians(14.0), np.radians(24.0)  # lean of a rider in town
BEHIND, SUNK = 0.03, 0.03  # m, the hip joints are behind the middle of the saddle, and the seat is pressed in
SHORTEST = 0.83  # least distance from the hip to the ankle over the lowest pedal, as a share of the leg
HEEL, ANKLING = np.radians(10.0), np.radians(9.0)  # how far the heel is raised, and by how much that changes
PALM = np.array([0.0, -0.62, -0.78])  # where the palm of the left hand faces: down and inwards
REACH, DEEP = 0.46, 0.035  # from the wrist to a grip: a share of the hand's length, and m below the hand
FIST = (0.95, 1.15, 0.75)  # rad, bends of the fingers around a grip


@dataclass(frozen=True, eq=False)
class Contacts:
    """Where a rider touches a bicycle, in the frame of the rider: on the ground below it, x ahead.

    ``saddle`` (3,) m is the middle of its top. ``pedals`` (2, T, 3) m are the middles of the upper sides of the left
    and the right pedal in each frame, and ``turns`` (T,) rad is how far the left crank arm points down from ahead.
    ``grip`` (3,) m is the middle of the left grip, and ``outwards`` (3,) its direction away from the bicycle.
    """

    saddle: np.ndarray
    pedals: np.ndarray
    turns: np.ndarray
    grip: np.ndarray
    outwards: np.ndarray


def ride(person: Body, path: np.ndarray, contacts: Contacts) -> np.ndarray:
    """Return the poses world_T_joint (T, J, 4, 4) of a person who rides a bicycle on level ground.

    ``path`` (T, 3) has the places (m) and headings (rad) of the rider's frame.

    Raises:
        InputError: If the legs of the person are too short or too long for the bicycle.
    """
    build = build_of(person)
    posture = stand(build, path[0], len(path))
    posture.path[:] = path
    posture.hips[:] = contacts.saddle + np.array([-BEHIND, 0.0, build.seat - SUNK])
    posture.pelvis[:, 1], posture.chest[:, 1] = PELVIS, CHEST
    for side in (0, 1):
        posture.feet[side] = _foot(build.soles[side], path, contacts, side)
        posture.aims[side], posture.guide[side] = _hold(build.hands[side], contacts, side), 1.0
        posture.curls[side, :, 1:] = FIST
    joints = solve(build, posture)
    _require_reach(build, posture, joints)
    return joints


def _foot(sole: Sole, path: np.ndarray, contacts: Contacts, side: int) -> Foot:
    """Return the motion of a foot whose ball is on its pedal."""
    turn = contacts.turns + side * np.pi
    pitch = -HEEL + ANKLING * np.sin(turn)  # the heel is lowest when the pedal is
    ball = np.array([sole.toe[0], sole.points[sole.points[:, 0] > sole.toe[0] - 0.03, 1].min()])
    ahead = np.cos(pitch) * ball[0] - np.sin(pitch) * ball[1]
    above = np.sin(pitch) * ball[0] + np.cos(pitch) * ball[1]
    ankle = contacts.pedals[side] - np.column_stack([ahead, np.zeros(len(pitch)), above])
    cosine, sine = np.cos(path[:, 2]), np.sin(path[:, 2])
    places = np.column_stack(
        [
            path[:, 0] + cosine * ankle[:, 0] - sine * ankle[:, 1],
            path[:, 1] + sine * ankle[:, 0] + cosine * ankle[:, 1],
            ankle[:, 2],
        ]
    )
    return Foot(places, path[:, 2].copy(), pitch, np.zeros(len(pitch)))


def _hold(hand: Hand, contacts: Contacts, side: int) -> np.ndarray:
    """Return the pose (4, 4) of a hand on its grip, in the frame of the rider."""
    mirror = np.array([1.0, 1.0 if side == 0 else -1.0, 1.0])
    grip, along = contacts.grip * mirror, contacts.outwards * mirror
    palm = PALM * mirror
    palm -= along * (along @ palm)
    palm /= np.linalg.norm(palm)
    fingers = np.cross(palm, along) * (1 if side == 0 else -1)
    pose = np.eye(4)
    pose[:3, :3] = framed(fingers, palm) @ framed(hand.fingers, hand.palm).T
    pose[:3, 3] = grip - REACH * hand.length * fingers - DEEP * palm
    return pose


def _require_reach(build: Build, posture: Posture, joints: np.ndarray) -> None:
    """Refuse a rider whose feet do not come to the pedals, or whose legs stay bent."""
    skeleton = build.skeleton
    for side, name in enumerate(SIDES):
        hip = joints[:, skeleton.index[f"{name}UpLeg"], :3, 3]
        leg = skeleton.length(f"{name}UpLeg", f"{name}Leg") + skeleton.length(f"{name}Leg", f"{name}Foot")
        share = float(np.linalg.norm(posture.feet[side].ankle - hip, axis=1).max()) / leg
        if share > STRAIGHT:
            raise InputError("world: the legs of a rider are too short for the pedals", fix="draw a taller person")
        if share < SHORTEST:
            raise InputError("world: the legs of a rider are too long for the saddle", fix="draw a smaller person")

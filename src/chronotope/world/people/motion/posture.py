"""The posture of a person in each frame: the few angles and places from which all joints follow."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from chronotope.world.people.motion.feet import Foot, flat_foot
from chronotope.world.people.motion.footsteps import half_width, stance_places
from chronotope.world.people.motion.hands import Hand, hand_of
from chronotope.world.people.motion.skeleton import FINGERS, SIDES, Body, Skeleton, skeleton_of
from chronotope.world.people.motion.soles import Sole, sole_of
from chronotope.world.rig import Weights

LEG = 0.993  # reach of the legs of a person who stands, as a share of their length
ARM_OUT, ELBOW = np.radians(7.0), np.radians(14.0)  # a hanging arm
RELAXED = (0.35, 0.35, 0.25)  # rad, curl of the joints of a relaxed finger, from the knuckle outwards
THUMB = (0.25, 0.1, 0.15)  # rad, curl of a relaxed thumb


class Build(NamedTuple):
    """What the motion of a person depends on.

    ``standing`` (m) is the height of the first joint when the person stands, and ``seat`` (m) its height above a seat.
    """

    skeleton: Skeleton
    soles: tuple[Sole, Sole]
    hands: tuple[Hand, Hand]
    standing: float
    seat: float


def build_of(body: Body) -> Build:
    """Return the build of a person."""
    skeleton = skeleton_of(body)
    left, right = (sole_of(body, skeleton, side) for side in SIDES)
    leg = skeleton.length("LeftUpLeg", "LeftLeg") + skeleton.length("LeftLeg", "LeftFoot")
    out = half_width(skeleton.hip_height) - skeleton.place("LeftUpLeg")[1]
    rise = np.sqrt((LEG * leg) ** 2 - out**2)
    down = skeleton.place("Hips")[2] - skeleton.place("LeftUpLeg")[2]
    hands = hand_of(body, skeleton, "Left"), hand_of(body, skeleton, "Right")
    standing = float(left.roll(np.array(0.0))[1] + rise + down)
    return Build(skeleton, (left, right), hands, standing, _flesh(body, skeleton) + float(down))


def _flesh(body: Body, skeleton: Skeleton) -> float:
    # How far (m) the skin at the back of the thigh is behind the hip joint: below it, when the person sits.
    joint, knee = skeleton.place("LeftUpLeg"), skeleton.place("LeftLeg")
    high, low = joint + 0.1 * (knee - joint), joint + 0.4 * (knee - joint)
    number = skeleton.index["LeftUpLeg"]
    depths = [0.0]
    for piece, binding in zip(body.thing.pieces, body.bindings, strict=True):
        if isinstance(binding, Weights):
            share = np.where(binding.bones == number, binding.shares, 0.0).sum(1)
            level = piece.vertices[:, 2]
            back = piece.vertices[(share > 0.5) & (level < high[2]) & (level > low[2])]
            depths += list(joint[0] - back[:, 0])
    return max(depths)


@dataclass(eq=False)
class Posture:
    """The posture of a person in T frames.

    ``path`` (T, 3) is the place (m) and heading (rad) of the person's frame on the floor. All that follows is relative
    to it: ``hips`` (T, 3) m is the place of the first joint; ``pelvis`` and ``chest`` (T, 3) rad are lean to the right,
    lean forward, and turn to the left; ``look`` (T, 2) rad is how far the head is turned to the left and bowed;
    ``swing`` (2, T, 3) rad is how far each upper arm is forward and out, and how far its elbow is bent. A hand follows
    ``aims`` (2, T, 4, 4) instead, if its ``guide`` (2, T) is 1. ``curls`` (2, T, 5, 3) rad are the bends of the joints
    of the fingers. ``feet`` are in the world.
    """

    path: np.ndarray
    hips: np.ndarray
    pelvis: np.ndarray
    chest: np.ndarray
    look: np.ndarray
    swing: np.ndarray
    aims: np.ndarray
    guide: np.ndarray
    curls: np.ndarray
    feet: list[Foot]

    def part(self, frames: slice) -> "Posture":
        """Return the posture in some of the frames; the arrays are shared."""
        return Posture(
            self.path[frames],
            self.hips[frames],
            self.pelvis[frames],
            self.chest[frames],
            self.look[frames],
            self.swing[:, frames],
            self.aims[:, frames],
            self.guide[:, frames],
            self.curls[:, frames],
            [Foot(*(values[frames] for values in foot)) for foot in self.feet],
        )


def stand(build: Build, pose: np.ndarray, frames: int) -> Posture:
    """Return the posture of a person who stands.

    ``pose`` (3,) has x and y in m, and the heading in rad.
    """
    places = stance_places(pose, build.skeleton.hip_height)
    curls = np.tile(np.array(RELAXED), (2, frames, len(FINGERS), 1))
    curls[:, :, 0] = THUMB
    swing = np.tile(np.array([0.0, ARM_OUT, ELBOW]), (2, frames, 1))
    return Posture(
        path=np.tile(np.asarray(pose, float), (frames, 1)),
        hips=np.tile([0.0, 0.0, build.standing], (frames, 1)),
        pelvis=np.zeros((frames, 3)),
        chest=np.zeros((frames, 3)),
        look=np.zeros((frames, 2)),
        swing=swing,
        aims=np.tile(np.eye(4), (2, frames, 1, 1)),
        guide=np.zeros((2, frames)),
        curls=curls,
        feet=[flat_foot(place, sole, frames) for place, sole in zip(places, build.soles, strict=True)],
    )

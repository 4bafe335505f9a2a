"""The reach of the arms: shoulder, elbow and wrist for a pose of the hand."""

import numpy as np

from chronotope.geometry import rotation_from_vector
from chronotope.world.people.motion.limbs import bend_limb, turn_bone
from chronotope.world.people.motion.skeleton import Skeleton

ELBOW = (-0.65, 0.4, -0.4)  # direction in which the left elbow points: back, out and down
ROLL = 0.6  # share of a turn of the hand about the forearm that the forearm shares


def arm_length(skeleton: Skeleton, side: str) -> float:
    """Return the length (m) of an arm from the shoulder to the wrist."""
    return skeleton.length(f"{side}Arm", f"{side}ForeArm") + skeleton.length(f"{side}ForeArm", f"{side}Hand")


def elbow_hinge(skeleton: Skeleton, side: str) -> np.ndarray:
    """Return the axis (3,) of the elbow at rest, where the arm is a little bent."""
    upper = skeleton.place(f"{side}ForeArm") - skeleton.place(f"{side}Arm")
    across = skeleton.place(f"{side}Hand") - skeleton.place(f"{side}Arm")
    return np.cross(upper - across * (upper @ across) / (across @ across), across)


def reach_arm(
    skeleton: Skeleton,
    side: str,
    shoulder: np.ndarray,
    facing: np.ndarray,
    hand: np.ndarray,
    elbow: tuple[float, float, float] = ELBOW,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the rotations (T, 3, 3) of the upper arm and of the forearm.

    The hand comes to the poses ``hand`` (T, 4, 4). ``shoulder`` (T, 3) m is the place of the shoulder, and ``facing``
    (T, 3, 3) the direction of the person. ``elbow`` is the direction in which a left elbow points: back, out and down.
    """
    place, sign = skeleton.place, 1 if side == "Left" else -1
    upper = place(f"{side}ForeArm") - place(f"{side}Arm")
    lower = place(f"{side}Hand") - place(f"{side}ForeArm")
    rest = elbow_hinge(skeleton, side)
    way = hand[:, :3, 3] - shoulder
    pole = (facing @ (np.array(elbow) * [1, sign, 1])[:, None])[..., 0]
    axis = np.cross(pole, way)
    bend, wrist, hinge = bend_limb(
        shoulder, hand[:, :3, 3], axis, float(np.linalg.norm(upper)), float(np.linalg.norm(lower))
    )
    arm = turn_bone(upper, rest, bend - shoulder, hinge)
    forearm = turn_bone(lower, rest, wrist - bend, hinge)
    along = lower / np.linalg.norm(lower)
    roll = twist_about(along, np.swapaxes(forearm, -1, -2) @ hand[:, :3, :3])
    return arm, forearm @ rotation_from_vector(ROLL * roll[:, None] * along)


def twist_about(axis: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """Return the angle (T,) rad by which rotations (T, 3, 3) turn about a unit axis (3,).

    The angle is from -pi to pi. The rest of a rotation turns the axis itself.
    """
    # Of the quaternion, up to its length: the part along the axis, and the real part.
    along = ((turn[:, [2, 0, 1], [1, 2, 0]] - turn[:, [1, 2, 0], [2, 0, 1]]) * axis).sum(-1)
    real = 1 + np.trace(turn, axis1=1, axis2=2)
    return 2 * np.arctan2(along, real)

"""All joints of a person from the person's posture."""

import numpy as np

from chronotope.geometry import rotation_from_vector, rotation_vector
from chronotope.world.people.motion.arms import elbow_hinge, reach_arm
from chronotope.world.people.motion.hands import Hand
from chronotope.world.people.motion.limbs import bend_limb, turn_bone
from chronotope.world.people.motion.posture import Build, Posture
from chronotope.world.people.motion.skeleton import FINGERS, SIDES, Skeleton, about

LEFT = np.array([0.0, 1.0, 0.0])
KNEE_OUT = 0.5  # share of the yaw of the foot in the direction of the knee; the rest is that of the pelvis


def solve(build: Build, posture: Posture) -> np.ndarray:
    """Return the poses world_T_joint (T, J, 4, 4)."""
    skeleton = build.skeleton
    frames = len(posture.path)
    turns = np.tile(np.eye(3), (frames, len(skeleton.joints), 1, 1))
    heading = about(2, posture.path[:, 2])
    _turn_trunk(skeleton, posture, heading, turns)
    root = (heading @ posture.hips[..., None])[..., 0]
    root[:, :2] += posture.path[:, :2]
    ends = tuple(side + part for side in SIDES for part in ("UpLeg", "Arm"))
    places = skeleton.chain(turns, root, ends)
    for number, side in enumerate(SIDES):
        _turn_leg(build, posture, number, side, places, turns)
        _turn_arm(build, posture, number, heading, places[:, skeleton.index[f"{side}Arm"]], turns)
        _curl(build.hands[number], skeleton, side, posture.curls[number], turns)
    joints = np.tile(np.eye(4), (frames, len(skeleton.joints), 1, 1))
    joints[..., :3, :3] = turns
    joints[..., :3, 3] = skeleton.chain(turns, root)
    return joints


def heading_frames(path: np.ndarray) -> np.ndarray:
    """Return the poses (T, 4, 4) of the person's frame.

    ``path`` (T, 3) has its places on the floor (m) and its headings (rad).
    """
    frames = np.tile(np.eye(4), (len(path), 1, 1))
    frames[:, :3, :3] = about(2, path[:, 2])
    frames[:, :2, 3] = path[:, :2]
    return frames


def trunk(angles: np.ndarray) -> np.ndarray:
    """Return rotations (..., 3, 3) of the trunk by angles (..., 3) rad.

    The angles are lean to the right, lean forward, and turn to the left.
    """
    return about(2, angles[..., 2]) @ about(0, angles[..., 0]) @ about(1, angles[..., 1])


def _turn_trunk(skeleton: Skeleton, posture: Posture, heading: np.ndarray, turns: np.ndarray) -> None:
    pelvis, chest = posture.pelvis, posture.chest
    head = np.column_stack([np.zeros(len(chest)), posture.look[:, 1], posture.look[:, 0]])
    shares = {"Hips": pelvis, "Spine": pelvis + (chest - pelvis) / 3, "Spine1": pelvis + (chest - pelvis) * 2 / 3}
    shares |= {"Spine2": chest, "LeftShoulder": chest, "RightShoulder": chest}
    shares |= {"Neck": (chest + head) / 2, "Head": head}
    for name, angles in shares.items():
        turns[:, skeleton.index[name]] = heading @ trunk(angles)


def _turn_leg(build: Build, posture: Posture, number: int, side: str, places: np.ndarray, turns: np.ndarray) -> None:
    skeleton, foot, sole = build.skeleton, posture.feet[number], build.soles[number]
    index, place = skeleton.index, skeleton.place
    thigh, shin = place(f"{side}Leg") - place(f"{side}UpLeg"), place(f"{side}Foot") - place(f"{side}Leg")
    inward = (foot.yaw - sole.forward - posture.path[:, 2] + np.pi) % (2 * np.pi) - np.pi
    facing = posture.path[:, 2] + (1 - KNEE_OUT) * posture.pelvis[:, 2] + KNEE_OUT * inward
    hip = places[:, index[f"{side}UpLeg"]]
    axis = about(2, facing)[:, :, 1]
    knee, ankle, hinge = bend_limb(hip, foot.ankle, axis, float(np.linalg.norm(thigh)), float(np.linalg.norm(shin)))
    turns[:, index[f"{side}UpLeg"]] = turn_bone(thigh, LEFT, knee - hip, hinge)
    turns[:, index[f"{side}Leg"]] = turn_bone(shin, LEFT, ankle - knee, hinge)
    yaw, back = about(2, foot.yaw), about(2, -sole.forward)
    turns[:, index[f"{side}Foot"]] = yaw @ about(1, -foot.pitch) @ back
    turns[:, index[f"{side}ToeBase"]] = yaw @ about(1, -foot.pitch - foot.bend) @ back


def hanging(skeleton: Skeleton, side: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the rotations (3, 3) of the upper arm and the forearm, from rest to straight down."""
    down, right, hinge = np.array([0.0, 0.0, -1.0]), np.array([0.0, -1.0, 0.0]), elbow_hinge(skeleton, side)
    upper = skeleton.place(f"{side}ForeArm") - skeleton.place(f"{side}Arm")
    lower = skeleton.place(f"{side}Hand") - skeleton.place(f"{side}ForeArm")
    return turn_bone(upper, hinge, down, right), turn_bone(lower, hinge, down, right)


def _turn_arm(
    build: Build, posture: Posture, number: int, heading: np.ndarray, shoulder: np.ndarray, turns: np.ndarray
) -> None:
    skeleton, side = build.skeleton, SIDES[number]
    names = [skeleton.index[f"{side}{part}"] for part in ("Arm", "ForeArm", "Hand")]
    sign = 1 if number == 0 else -1
    forward, out, elbow = (posture.swing[number, :, part] for part in range(3))
    upper, lower = hanging(skeleton, side)
    arm = turns[:, skeleton.index["Spine2"]] @ about(0, sign * out) @ about(1, -forward)
    bent = arm @ about(1, -elbow) @ lower
    for name, turn in zip(names, (arm @ upper, bent, bent), strict=True):
        turns[:, name] = turn
    guide = posture.guide[number]
    led = guide > 0
    if not led.any():
        return
    aims = posture.aims[number, led]
    hand = aims.copy()
    hand[:, :3, :3] = heading[led] @ aims[:, :3, :3]
    hand[:, :3, 3] = (heading[led] @ aims[:, :3, 3, None])[..., 0]
    hand[:, :2, 3] += posture.path[led, :2]
    reached = (*reach_arm(skeleton, side, shoulder[led], heading[led], hand), hand[:, :3, :3])
    share = guide[led, None]
    for name, turn in zip(names, reached, strict=True):
        free = turns[led, name]
        mixed = free @ rotation_from_vector(share * rotation_vector(np.swapaxes(free, -1, -2) @ turn))
        turns[led, name] = np.where(share[..., None] >= 1, turn, mixed)


def _curl(hand: Hand, skeleton: Skeleton, side: str, curls: np.ndarray, turns: np.ndarray) -> None:
    wrist = turns[:, skeleton.index[f"{side}Hand"]]
    for finger, name in enumerate(FINGERS):
        for part, turn in enumerate(hand.turns(finger, curls[:, finger])):
            turns[:, skeleton.index[f"{side}Hand{name}{part + 1}"]] = wrist @ turn

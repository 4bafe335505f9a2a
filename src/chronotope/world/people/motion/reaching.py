"""The acts of the hands: grasp, carry, place and press."""

from collections.abc import Mapping

import numpy as np

from chronotope.errors import InputError
from chronotope.geometry import invert
from chronotope.world.people.motion.arms import arm_length, reach_arm
from chronotope.world.people.motion.gaze import Look
from chronotope.world.people.motion.grips import CLOSED, find_grip
from chronotope.world.people.motion.posing import heading_frames, solve
from chronotope.world.people.motion.posture import ARM_OUT, ELBOW, RELAXED, THUMB, stand
from chronotope.world.people.motion.script import SEATED, THIGHS, Held, Script, glide
from chronotope.world.people.motion.skeleton import SIDES, about, ease, framed
from chronotope.world.people.motion.surfaces import Surface

HAND_SPEED = 0.65  # m/s, mean speed of a hand
LEAST = 0.9  # s, of a motion of a hand
CLOSE, DWELL = 0.45, 0.12  # s, in which the fingers close, and in which the hand then rests
BEFORE = 0.09  # m, from where the hand comes the last bit straight
NEAR_BODY, OVER = 0.15, 0.05  # share of the way, and m: where a hand rises on its way to a table
LIFT = 0.08  # m, by which things are lifted off and set down from above
REACH = 0.96  # farthest reach as a share of the length of the arm
LEAN = {1: np.radians(65.0), 2: np.radians(80.0)}  # of the chest, at most, in a reach of one hand or two hands
TWIST = np.radians(22.0)  # the same to a side
SQUAT = {1: 0.6, 2: 0.95}  # share of the height of the hips, from which on one hand or two hands bring them lower
HINGE = 0.65  # share of the lean that is in the hips
STEP = 0.04  # step of the search for the least lean
TWISTS = (-1.0, -0.5, 0.0, 0.5, 1.0)  # shares of the twist that are tried, towards the side of the arm


def grasp(script: Script, name: str, side: int) -> None:
    """Reach for an object and take hold of it."""
    if side in script.held:
        raise InputError(f"{script.agent}: the hand that shall grasp {name!r} holds {script.held[side].object!r}")
    pose = _pose_of(script, name)
    hand, surface = script.build.hands[side], Surface(script.placements[name].thing.pieces)
    middle = pose[:3, :3] @ (surface.points.min(0) + surface.points.max(0)) / 2 + pose[:3, 3]
    grip = find_grip(hand, surface, pose, _neutral(script, side, middle), name)
    there = _relative(script, pose @ grip.hand)
    before = _back(there, grip.approach)
    began = script.frame
    script.looks.append(Look(script.now, middle, 0.6))
    seconds = _go(script, side, [(0.36, None), (0.84, before), (1.0, there)], name)
    _curl(script, side, grip.spread, seconds)
    script.advance(seconds)
    _curl(script, side, grip.curls, CLOSE)
    script.advance(CLOSE)
    taken = script.frame
    script.tell("reach", began, taken, name)
    script.held[side] = Held(name, invert(grip.hand), grip.approach, grip.spread, taken)
    script.advance(DWELL)


def carry(script: Script, side: int) -> None:
    """Bring what a hand holds before the body."""
    if side not in script.held:
        raise InputError(f"{script.agent}: {script.act}, but the {SIDES[side].lower()} hand holds nothing")
    now, skeleton = script.hand_pose(side), script.build.skeleton
    length, sign = arm_length(skeleton, SIDES[side]), 1 if side == 0 else -1
    shoulder = (
        skeleton.place(f"{SIDES[side]}Arm") - skeleton.place("Hips") + [0.0, 0.0, script.posture.hips[script.frame, 2]]
    )
    fingers = now[:3, :3] @ script.build.hands[side].fingers
    goal = now.copy()
    if np.hypot(*fingers[:2]) > 0.5:  # the hand points ahead and a little inwards; what it holds stays upright
        goal[:3, :3] = about(2, -sign * np.radians(20.0) - np.arctan2(fingers[1], fingers[0])) @ now[:3, :3]
    goal[:3, 3] = shoulder + length * np.array([0.5, -0.05 * sign, -0.5])
    up = _moved(now, np.array([0.0, 0.0, LIFT]))
    seconds = max(1.0, float(np.linalg.norm(goal[:3, 3] - now[:3, 3])) / HAND_SPEED + 0.4)
    glide(script, side, [(0.3, up), (1.0, goal)], seconds, settled=1.0)
    straighten(script, seconds)
    script.looks.append(Look(script.now, None, 0.8))
    script.held[side].carried = True
    script.advance(seconds)


def place(script: Script, name: str, goal: np.ndarray) -> None:
    """Set a held object down and let go.

    ``goal`` is a pose (4, 4), or the place (3,) m of an object that keeps its direction in the hand.
    """
    side = next((side for side, held in script.held.items() if held.object == name), None)
    if side is None:
        raise InputError(f"{script.agent}: {script.act}, but no hand holds {name!r}")
    held, goal = script.held[side], np.asarray(goal, float)
    if goal.shape == (3,):
        pose = heading_frames(script.posture.path[script.frame][None])[0] @ script.hand_pose(side) @ held.relative
        pose[:3, 3] = goal
        goal = pose
    there = _relative(script, goal @ invert(held.relative))
    above = _moved(there, np.array([0.0, 0.0, LIFT]))
    script.looks.append(Look(script.now, goal[:3, 3], 0.6))
    script.advance(_go(script, side, [(0.75, above), (1.0, there)], name))
    script.advance(DWELL / 2)
    released = script.frame
    script.tell("hold", held.first, released, name, joint=f"{SIDES[side]}Hand")
    script.tell("move", held.first, released, name)
    script.holds.append((name, side, held.first, released))
    script.poses[name] = goal
    del script.held[side]
    script.advance(DWELL / 2)
    _curl(script, side, held.spread, CLOSE)
    script.advance(CLOSE)
    _go_home(script, side, _back(there, held.approach))


def press(
    script: Script, name: str, point: np.ndarray, direction: np.ndarray, travel: float, seconds: float, side: int
) -> None:
    """Press a point (3,) m of an object in a direction (3,) with the index finger."""
    if side in script.held:
        raise InputError(f"{script.agent}: the hand that shall press {name!r} holds {script.held[side].object!r}")
    _pose_of(script, name)
    hand = script.build.hands[side]
    curls = np.array([[0.9, 0.3, 0.3], [0.15, 0.2, 0.1], *np.tile(0.8 * CLOSED, (3, 1))])
    point = np.asarray(point, float)
    direction = np.asarray(direction, float) / np.linalg.norm(direction)
    base = heading_frames(script.posture.path[script.frame][None])[0]
    ahead = base[:3, 0]
    level = abs(float(direction @ ahead)) > 0.7  # a level push is straight; a push down comes from obliquely behind
    finger = direction if level else direction + 0.9 * ahead
    knuckle = hand.knuckles[1]
    tips = hand.posed(1, curls[1])[hand.tip(1)]
    along = tips.mean(0) - knuckle[0]
    turn = framed(finger, base[:3, 2] - finger) @ framed(along, -hand.palm).T
    touch = np.eye(4)
    touch[:3, :3] = turn
    touch[:3, 3] = point - turn @ tips[np.argmax(tips @ turn.T @ direction)]
    there = _relative(script, touch)
    push = base[:3, :3].T @ direction
    before = _moved(there, -0.06 * push)
    began = script.frame
    script.looks.append(Look(script.now, point, 0.6))
    to_it = _go(script, side, [(0.36, None), (0.84, before), (1.0, there)], name)
    _curl(script, side, curls, to_it)
    script.advance(to_it)
    touched = script.frame
    script.tell("reach", began, touched, name)
    glide(script, side, [(1.0, _moved(there, travel * push))], seconds / 2)
    script.advance(seconds / 2)
    glide(script, side, [(1.0, there)], seconds / 2)
    script.advance(seconds / 2)
    script.tell("press", touched, script.frame, name)
    _go_home(script, side, before)


def _pose_of(script: Script, name: str) -> np.ndarray:
    if name not in script.poses:
        known = ", ".join(sorted(script.poses)[:5]) or "none"
        raise InputError(f"{script.agent}: {script.act}: there is no object {name!r}", expected=f"one of {known}")
    return script.poses[name]


def _relative(script: Script, pose: np.ndarray) -> np.ndarray:
    # A pose (4, 4) in the world relative to the person.
    return invert(heading_frames(script.posture.path[script.frame][None])[0]) @ pose


def _moved(pose: np.ndarray, by: np.ndarray) -> np.ndarray:
    pose = pose.copy()
    pose[:3, 3] += by
    return pose


def _back(there: np.ndarray, approach: np.ndarray) -> np.ndarray:
    # The pose from which a hand comes to a thing, and to which it leaves it; it is not lower.
    return _moved(there, np.minimum(BEFORE * (there[:3, :3] @ approach), [np.inf, np.inf, 0.0]) * -1.0)


def _neutral(script: Script, side: int, point: np.ndarray) -> np.ndarray:
    # The direction (3, 3) in the world of a hand that is stretched out to a point, with the wrist not bent.
    skeleton = script.build.skeleton
    base = heading_frames(script.posture.path[script.frame][None])[0]
    shoulder = skeleton.place(f"{SIDES[side]}Arm") - skeleton.place("Hips") + [0.0, 0.0, script.build.standing]
    goal = np.eye(4)
    goal[:3, 3] = (invert(base) @ [*point, 1.0])[:3] - [0.6 * script.build.hands[side].length, 0.0, -0.04]
    _, forearm = reach_arm(skeleton, SIDES[side], shoulder[None], np.eye(3)[None], goal[None])
    return base[:3, :3] @ forearm[0]


def _go(script: Script, side: int, keys: list[tuple[float, np.ndarray | None]], name: str) -> float:
    # Moves a hand along poses relative to the person, and returns the seconds. A pose that is None is above the way.
    start, end = script.hand_pose(side), keys[-1][1]
    assert end is not None, "the last pose is given"
    lean, twist, hips = lean_to(script, {side: end}, name)
    seconds = max(LEAST, float(np.linalg.norm(end[:3, 3] - start[:3, 3])) / HAND_SPEED + 0.35)
    above = _over(start, end)
    glide(script, side, [(share, above if pose is None else pose) for share, pose in keys], seconds)
    script.blend(script.posture.guide[side], np.array(1.0), 0.5 * seconds)
    script.blend(script.posture.pelvis, np.array([0.0, HINGE * lean, 0.3 * twist]), 0.8 * seconds)
    script.blend(script.posture.chest, np.array([0.0, lean, twist]), 0.8 * seconds)
    script.blend(script.posture.hips, hips, 0.8 * seconds)
    return seconds


def _over(low: np.ndarray, far: np.ndarray) -> np.ndarray:
    # A pose near the body and above both others, so that the hand does not go through the edge of a table.
    over = far.copy()
    over[:3, 3] = low[:3, 3] + NEAR_BODY * (far[:3, 3] - low[:3, 3])
    over[2, 3] = max(low[2, 3], far[2, 3] + OVER)
    return over


def _go_home(script: Script, side: int, away: np.ndarray) -> None:
    seconds = leave(script, side, away)
    straighten(script, seconds)
    script.advance(seconds)


def leave(script: Script, side: int, away: np.ndarray) -> float:
    """Let a hand leave a thing, and return the seconds that this takes.

    Then the arm hangs, or the hand lies on the thigh. ``away`` (4, 4) is the pose relative to the person to which the
    hand goes first.
    """
    rest, swing = stand(script.build, np.zeros(3), 1), np.array([0.0, ARM_OUT, ELBOW])
    if script.sits is not None:
        swing = np.array(THIGHS)
        rest.hips[:], rest.pelvis[:] = script.posture.hips[script.frame], SEATED
        rest.swing[side] = swing
    home = solve(script.build, rest)[0, script.build.skeleton.index[f"{SIDES[side]}Hand"]]
    seconds = max(1.0, float(np.linalg.norm(home[:3, 3] - away[:3, 3])) / HAND_SPEED + 0.5)
    glide(script, side, [(0.3, away), (0.65, _over(home, away)), (1.0, home)], seconds, settled=1.0)
    later = slice(script.frame, None)
    script.posture.guide[side, later] = 1 - ease((script.local[later] / seconds - 0.4) / 0.6)
    script.blend(script.posture.swing[side], swing, seconds)
    _curl(script, side, np.array([THUMB, *[RELAXED] * 4]), seconds)
    script.looks.append(Look(script.now, None, 0.8))
    return seconds


def _curl(script: Script, side: int, curls: np.ndarray, seconds: float) -> None:
    script.blend(script.posture.curls[side], curls, seconds)


def straighten(script: Script, seconds: float) -> None:
    """Let the body stand or sit upright again."""
    if script.sits is None:
        script.blend(script.posture.hips, np.array([0.0, 0.0, script.build.standing]), seconds)
    script.blend(script.posture.pelvis, np.zeros(3) if script.sits is None else np.array(SEATED), seconds)
    script.blend(script.posture.chest, np.zeros(3), seconds)


def lean_to(script: Script, goals: Mapping[int, np.ndarray], name: str) -> tuple[float, float, np.ndarray]:
    """Return the least lean and twist (rad) with which hands get to poses, with the hips.

    The third value is the place (3,) m of the hips meanwhile. ``goals`` has the pose (4, 4) relative to the person of
    each hand by its side.

    Raises:
        InputError: If a hand does not get there.
    """
    build, frame = script.build, script.frame
    skeleton, sign = build.skeleton, 1 if min(goals) == 0 else -1
    sits = script.sits is not None
    base = script.posture.hips[frame] if sits else np.array([0.0, 0.0, build.standing])
    share = np.repeat(np.arange(0.0, 1.0 + STEP / 2, STEP), len(TWISTS))
    twists = np.tile(TWISTS, len(share) // len(TWISTS))
    lean, twist = LEAN[len(goals)] * share, sign * TWIST * twists * np.minimum(1.0, 2.5 * share)
    low = max(0.0, SQUAT[len(goals)] * build.standing - float(np.mean([goal[2, 3] for goal in goals.values()])))
    hips = np.tile(base, (len(share), 1))
    if not sits:  # the hips go back, so that the person does not fall, and down if the goal is low
        back = 0.16 * skeleton.hip_height * np.sin(HINGE * lean)
        hips -= np.column_stack([back, 0 * back, back**2 / skeleton.hip_height + 0.9 * low * share])
    posture = stand(build, np.zeros(3), len(share))
    posture.hips = hips
    posture.pelvis = np.column_stack([0 * lean, HINGE * lean, 0.3 * twist])
    posture.chest = np.column_stack([0 * lean, lean, twist])
    joints = solve(build, posture)[..., :3, 3]
    lacks = [
        np.linalg.norm(goal[:3, 3] - joints[:, skeleton.index[f"{SIDES[side]}Arm"]], axis=1)
        - REACH * arm_length(skeleton, SIDES[side])
        for side, goal in goals.items()
    ]
    lack = np.max(lacks, axis=0)
    near = np.flatnonzero(lack <= 0)
    if not len(near):
        raise InputError(
            f"{script.agent}: {script.act}: the hand lacks {lack.min():.2f} m to {name!r}",
            fix="let the person walk closer, or look towards it",
        )
    least = near[share[near] == share[near[0]]]
    number = int(least[np.argmin(lack[least])])
    return float(lean[number]), float(twist[number]), hips[number]

"""The own hand of a first-person view: from outside the picture to things and back, at given times."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.interpolate import PchipInterpolator

from chronotope.errors import InputError
from chronotope.geometry import invert, rotation_from_vector, rotation_vector, wrap_angle
from chronotope.recording import Event
from chronotope.world.film_set import Placement
from chronotope.world.people.motion.acts import Side
from chronotope.world.people.motion.arms import arm_length, reach_arm
from chronotope.world.people.motion.grips import Grip, find_grip
from chronotope.world.people.motion.performance import Performance
from chronotope.world.people.motion.posing import heading_frames, solve
from chronotope.world.people.motion.posture import RELAXED, THUMB, Build, build_of, stand
from chronotope.world.people.motion.skeleton import FINGERS, SIDES, Body, about, ease, framed
from chronotope.world.people.motion.surfaces import Surface

GRAVITY = 9.81  # m/s2
AHEAD = np.pi / 2  # rad, the direction in which the person looks: along y
PITCH = np.radians(30.0)  # by which the fingers of a hand that takes things point down
HOME, HOME_PITCH = (
    (0.05, 0.34, -0.40),
    np.radians(10.0),
)  # m from the eye, ahead, to the side and up: out of the picture
ELBOW = (-0.4, 0.45, -0.8)  # where the left elbow points: back, out and down; higher than that of a hanging arm
NEAR, LEFT_BY = 0.07, 0.04  # m, from where a hand comes to a thing, and to where it goes when it has let go
BOWED = (0.10, 0.16)  # m from the shoulders to the eyes, ahead and up
REACH, MOST_LEAN = 0.95, 0.22  # share of the arm's length, and m by which the shoulder may go after the hand
SOFT = 0.01  # m
BELOW = ("Hips", "Leg", "Foot", "ToeBase")  # ends of the names of the joints that stay when the shoulder goes on


class _Shares(NamedTuple):
    # Shares of a trip: the hand is near the thing, is at it, holds it, and has it; is at the goal, lets go, is open,
    # and is away.
    near: float
    at: float
    takes: float
    has: float
    goal: float
    lets_go: float
    opens: float
    away: float


_STRAIGHT = _Shares(0.22, 0.31, 0.355, 0.42, 0.72, 0.74, 0.80, 0.87)
_ROUND = _Shares(0.30, 0.37, 0.41, 0.475, 0.76, 0.775, 0.835, 0.89)  # on a way with places before the thing


class Trip(NamedTuple):
    """A trip of the hand, which takes an object, carries it to a goal, and leaves.

    The trip is from ``start`` to ``end`` (s). ``before`` and ``between`` (N, 3) m are places of the object over which
    the hand goes to it, and then carries it to ``goal`` (3,) m, where the hand lets go. What is carried turns about the
    upright only. ``lands`` (3,) m is where it falls, which may be the goal itself.
    """

    object: str
    start: float
    end: float
    goal: np.ndarray
    lands: np.ndarray
    before: np.ndarray
    between: np.ndarray

    @property
    def shares(self) -> _Shares:
        """Return when the hand does what."""
        return _ROUND if len(self.before) else _STRAIGHT

    def at(self, share: float) -> float:
        """Return the time (s) of a share of the trip."""
        return self.start + share * (self.end - self.start)


class _Track(NamedTuple):
    # The pose (T, 4, 4) of the hand in the world, and the curls (T, 5, 3) of its fingers.
    poses: np.ndarray
    curls: np.ndarray


def move_own_hand(
    person: Body,
    side: Side,
    times: np.ndarray,
    eye: np.ndarray,
    trips: Sequence[Trip],
    objects: Sequence[Placement],
    agent: str = "hand",
) -> Performance:
    """Move a hand of a person with eyes at ``eye`` (3,) m, and the things that it carries.

    The person looks along y. ``times`` (T,) s are those of the frames. Between trips, the hand is out of the picture,
    below and beside the eye. The trunk is where the arm needs it, since only the arm is seen.

    Raises:
        InputError: If the hand cannot hold an object or reach it, or if a frame is missing in which it takes it.
    """
    build, number = build_of(person), SIDES.index(side)
    shown = {placement.id: placement for placement in objects}
    paths = {name: np.tile(np.array(placement.pose, float), (len(times), 1, 1)) for name, placement in shown.items()}
    home = _home(build, number, eye)
    track = _Track(np.tile(home, (len(times), 1, 1)), np.tile([THUMB, *[RELAXED] * 4], (len(times), 1, 1)))
    grips: dict[tuple[int, float], Grip] = {}
    events: list[Event] = []
    shoulder = _shoulder(build, number, eye)
    for trip in trips:
        pose = paths[trip.object][-1].copy()
        heading = float(np.arctan2(*(pose[:2, 3] - shoulder[:2])[::-1]))
        thing = shown[trip.object].thing
        yaw = heading if thing.symmetry == "any" else float(np.arctan2(pose[1, 0], pose[0, 0]))
        key = id(thing), round(heading - yaw, 3)
        faced = pose.copy()
        faced[:3, :3] = about(2, yaw)
        if key not in grips:  # a round thing is taken in the same way from each side
            neutral = _turned(build, number, heading, PITCH)
            grips[key] = find_grip(build.hands[number], Surface(thing.pieces), faced, neutral, trip.object)
        _reach_out(track, times, trip, faced, grips[key], home, shoulder)
        events += _carry_along(track, times, trip, paths[trip.object], agent, f"{side}Hand")
    joints = _joints(build, number, times, eye, track.poses, track.curls)
    path = np.tile([eye[0], eye[1], AHEAD], (len(times), 1))
    moved = {trip.object: paths[trip.object] for trip in trips}
    return Performance(
        heading_frames(path), joints, moved, tuple(sorted(events, key=lambda e: (e.start, e.end))), shown
    )


def _shoulder(build: Build, number: int, eye: np.ndarray) -> np.ndarray:
    # The place (3,) of the shoulder when the arm is at the side. The head of who looks at the own hands is bowed.
    _, side, _ = build.skeleton.place(f"{SIDES[number]}Arm")
    return eye + about(2, AHEAD) @ [-BOWED[0], side, -BOWED[1]]


def _turned(build: Build, number: int, heading: float, pitch: float) -> np.ndarray:
    # The rotation (3, 3) of a hand whose palm is down, with the fingers in a direction and down by a pitch.
    hand = build.hands[number]
    level = about(2, heading) @ about(1, pitch)
    return framed(level @ [1.0, 0.0, 0.0], level @ [0.0, 0.0, -1.0]) @ framed(hand.fingers, hand.palm).T


def _home(build: Build, number: int, eye: np.ndarray) -> np.ndarray:
    pose = np.eye(4)
    sign = -1 if number == 0 else 1
    pose[:3, 3] = eye + np.array([sign * HOME[1], HOME[0], HOME[2]])
    pose[:3, :3] = _turned(build, number, AHEAD, HOME_PITCH)
    return pose


def _reach_out(
    track: _Track,
    times: np.ndarray,
    trip: Trip,
    pose: np.ndarray,
    grip: Grip,
    home: np.ndarray,
    shoulder: np.ndarray,
) -> None:
    """Fill in the hand on a trip."""
    there, when = pose @ grip.hand, trip.shares
    heading, towards = (np.arctan2(*(p[:2] - shoulder[:2])[::-1]) for p in (pose[:3, 3], trip.goal))
    turn = float(wrap_angle(towards - heading))
    last = about(2, turn) @ there[:3, :3]
    first_offset, last_offset = there[:3, 3] - pose[:3, 3], about(2, turn) @ (there[:3, 3] - pose[:3, 3])
    back = NEAR * (there[:3, :3] @ grip.approach)
    away = LEFT_BY * (last @ grip.approach)
    keys = [(0.0, home[:3, 3])]
    parts = len(trip.before) + 1
    keys += [(when.near * (k + 1) / parts, place + first_offset) for k, place in enumerate(trip.before)]
    keys += [(when.near, there[:3, 3] - back), (when.at, there[:3, 3]), (when.has, there[:3, 3])]
    for k, place in enumerate(trip.between):
        share = (k + 1) / (len(trip.between) + 1)
        at = when.has + share * (when.goal - when.has)
        keys.append((at, place + (1 - share) * first_offset + share * last_offset))
    end = trip.goal + last_offset
    keys += [(when.goal, end), (when.opens, end), (when.away, end - away), (1.0, home[:3, 3])]
    inside = (times >= trip.start) & (times <= trip.end)
    share = (times[inside] - trip.start) / (trip.end - trip.start)
    at, places = np.array([key for key, _ in keys]), np.array([place for _, place in keys])
    track.poses[inside, :3, 3] = PchipInterpolator(at, places)(share)
    carried = _between(there[:3, :3], last, (share - when.has) / (when.goal - when.has))
    turns = np.where(
        (share > when.has)[:, None, None], carried, _between(home[:3, :3], there[:3, :3], share / when.near)
    )
    leaving = _between(last, home[:3, :3], (share - when.opens) / (1 - when.opens))
    track.poses[inside, :3, :3] = np.where((share > when.opens)[:, None, None], leaving, turns)
    relaxed = track.curls[0]
    for start, end_, curls in ((0.0, when.near, grip.spread), (when.at - 0.02, when.takes, grip.curls),
                               (when.opens - 0.03, when.away, grip.spread), (when.away, 1.0, relaxed)):  # fmt: skip
        later = np.flatnonzero(inside)[share >= start]
        done = ease((times[later] - trip.at(start)) / (trip.at(end_) - trip.at(start)))[:, None, None]
        track.curls[later] += done * (curls - track.curls[later])
    track.curls[np.flatnonzero(inside)[-1] + 1 :] = relaxed


def _between(start: np.ndarray, end: np.ndarray, share: np.ndarray) -> np.ndarray:
    # Rotations (T, 3, 3) from one to another, for shares (T,) of the turn.
    turn = rotation_vector(start.T @ end)
    return start @ rotation_from_vector(ease(share)[:, None] * turn)


def _carry_along(track: _Track, times: np.ndarray, trip: Trip, path: np.ndarray, agent: str, joint: str) -> list[Event]:
    """Move the object of a trip, and return what happens to it."""
    when = trip.shares
    began, taken, released = (
        int(np.searchsorted(times, trip.at(share) - 1e-9)) for share in (0.0, when.takes, when.lets_go)
    )
    if released >= len(times) or times[taken] > trip.at(when.has) or times[released] > trip.at(when.opens):
        raise InputError(
            f"{agent}: no frame shows how the hand takes {trip.object!r} and lets it go",
            expected=f"trips that take at least {np.diff(times[:2])[0] / (when.has - when.takes):.1f} s",
        )
    held = slice(taken, released + 1)
    path[held] = track.poses[held] @ (invert(track.poses[taken]) @ path[taken])
    free = times[released:] - times[released]
    start = path[released].copy()
    path[released:] = start
    deep = start[2, 3] - trip.lands[2]
    fallen = np.minimum(0.5 * GRAVITY * free**2, deep) if deep > 1e-6 else np.zeros_like(free)
    share = fallen / deep if deep > 1e-6 else ease(free)
    path[released:, 2, 3] = start[2, 3] - fallen
    path[released:, :2, 3] += (share**2)[:, None] * (trip.lands[:2] - start[:2, 3])
    landed = released + (int(np.argmax(share >= 1)) if deep > 1e-6 else 0)
    at = [float(times[frame]) for frame in (began, taken, released, landed)]
    return [
        Event("reach", at[0], at[1], agent, trip.object),
        Event("hold", at[1], at[2], agent, trip.object, {"joint": joint}),
        Event("move", at[1], at[3], None, trip.object),
    ]


def _joints(
    build: Build, number: int, times: np.ndarray, eye: np.ndarray, poses: np.ndarray, curls: np.ndarray
) -> np.ndarray:
    """Return the joints (T, J, 4, 4) of the person; only the arm is where it would be."""
    skeleton, side = build.skeleton, SIDES[number]
    shoulder = _shoulder(build, number, eye)
    way = poses[:, :3, 3] - shoulder
    far = np.linalg.norm(way, axis=1)
    lack = SOFT * np.logaddexp(0.0, (far - REACH * arm_length(skeleton, side)) / SOFT)
    if lack.max() > MOST_LEAN:
        raise InputError(f"the hand lacks {lack.max() - MOST_LEAN:.2f} m at {times[lack.argmax()]:.1f} s")
    posture = stand(build, np.array([eye[0], eye[1], AHEAD]), len(times))
    posture.curls[number] = curls
    joints = solve(build, posture)
    index = skeleton.index
    lean = (lack / far)[:, None, None] * way[:, None]
    joints[..., :3, 3] += (shoulder - joints[0, index[f"{side}Arm"], :3, 3]) + lean
    facing = np.tile(about(2, AHEAD), (len(times), 1, 1))
    arm, forearm = reach_arm(skeleton, side, joints[:, index[f"{side}Arm"], :3, 3], facing, poses, ELBOW)
    turns = joints[..., :3, :3].copy()
    turns[:, index[f"{side}Arm"]], turns[:, index[f"{side}ForeArm"]] = arm, forearm
    turns[:, index[f"{side}Hand"]] = poses[:, :3, :3]
    hand = build.hands[number]
    for finger, name in enumerate(FINGERS):
        for part, turn in enumerate(hand.turns(finger, curls[:, finger])):
            turns[:, index[f"{side}Hand{name}{part + 1}"]] = poses[:, :3, :3] @ turn
    places = skeleton.chain(turns, joints[:, 0, :3, 3])
    places[:, [index[name] for name in index if name.endswith(BELOW)]] -= lean
    joints[..., :3, :3], joints[..., :3, 3] = turns, places
    return joints

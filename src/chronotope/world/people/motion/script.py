"""The state of a person in the course of a script, and the acts of the whole body."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy.interpolate import PchipInterpolator

from chronotope.errors import InputError
from chronotope.geometry import rotation_from_vector, rotation_vector, wrap_angle
from chronotope.recording import Event
from chronotope.world.film_set import Placement
from chronotope.world.people.motion.footsteps import Strides, stance_places, steps_along, steps_round
from chronotope.world.people.motion.gait import walk_into
from chronotope.world.people.motion.gaze import Look
from chronotope.world.people.motion.posing import heading_frames, solve
from chronotope.world.people.motion.posture import ARM_OUT, ELBOW, Build, Posture, stand
from chronotope.world.people.motion.skeleton import SIDES, ease
from chronotope.world.people.motion.ways import way_of

SLOW, FAST = 0.4, 2.2  # m/s, speeds of walks
START = 0.1  # m, from where a person stands to the begin of a way
ASKEW = np.radians(30.0)  # a person turns on the spot before a way that starts more askew
CHANGE, CHANGE_SIDE = 4.0, 0.008  # s and m: how a standing person shifts the weight
SIT_SECONDS, BOW = 1.7, np.radians(38.0)  # time to sit down, and bow of the chest meanwhile
SEATED = (0.0, np.radians(-8.0), 0.0)  # lean of the pelvis of a sitting person
THIGHS = (np.radians(12.0), np.radians(8.0), np.radians(62.0))  # arms of a sitting person: hands on the thighs


class ClipEndsError(InputError):
    """The acts of a script take longer than the clip."""


@dataclass(eq=False)
class Held:
    """An object in a hand: its id, the pose hand_T_object, and the frame in which the hand takes it.

    ``carried`` states whether the hand has brought it before the body."""

    object: str
    relative: np.ndarray
    approach: np.ndarray
    spread: np.ndarray
    first: int
    carried: bool = False


@dataclass(eq=False)
class Script:
    """A person in the course of a script.

    ``frame`` is the frame in which the next act begins, and ``feet`` (2, 3) are the places of the feet. ``holds`` has
    each released object, with the side of the hand, and the first and the last frame in which it was held.
    """

    agent: str
    build: Build
    times: np.ndarray
    posture: Posture
    feet: np.ndarray
    placements: Mapping[str, Placement]
    poses: dict[str, np.ndarray]
    frame: int = 0
    act: str = ""
    sits: int | None = None
    held: dict[int, Held] = field(default_factory=dict[int, Held])
    holds: list[tuple[str, int, int, int]] = field(default_factory=list[tuple[str, int, int, int]])
    looks: list[Look] = field(default_factory=list[Look])
    events: list[Event] = field(default_factory=list[Event])

    @property
    def now(self) -> float:
        """Return the time (s) at which the next act begins."""
        return float(self.times[self.frame])

    @property
    def local(self) -> np.ndarray:
        """Return the times (T,) s since the act began; they are negative before it."""
        return self.times - self.now

    @property
    def pose(self) -> np.ndarray:
        """Return the place (m) and heading (rad) of the person (3,) when the act begins."""
        return self.posture.path[self.frame].copy()

    def frame_at(self, seconds: float) -> int:
        """Return the first frame that is ``seconds`` or more after the begin of the act.

        Raises:
            InputError: If the clip has no such frame.
        """
        frame = int(np.searchsorted(self.times, self.now + seconds - 1e-9))
        if frame >= len(self.times):
            end = self.now + seconds
            raise ClipEndsError(
                f"{self.agent}: {self.act} ends at {end:.2f} s, after the end of the clip",
                expected=f"acts that end by {self.times[-1]:.2f} s",
                fix="use a longer clip, fewer acts, or a higher speed",
            )
        return frame

    def advance(self, seconds: float) -> int:
        """Let ``seconds`` pass, and return the frame in which the act began."""
        before = self.frame
        self.frame = self.frame_at(seconds)
        return before

    def tell(self, kind: str, start: int, end: int, name: str | None = None, **parameters: object) -> None:
        """Note an event from a frame to a frame."""
        agent = None if kind == "move" else self.agent
        self.events.append(Event(kind, float(self.times[start]), float(self.times[end]), agent, name, dict(parameters)))

    def blend(self, values: np.ndarray, goal: np.ndarray, seconds: float) -> None:
        """Move values (T, ...) smoothly to a goal (...), beginning with the act; they keep it."""
        later = slice(self.frame, None)
        share = ease(self.local[later] / seconds).reshape(-1, *[1] * (values.ndim - 1))
        values[later] = values[self.frame] + share * (goal - values[self.frame])

    def hand_pose(self, side: int) -> np.ndarray:
        """Return the pose (4, 4) of a hand relative to the person, when the act begins."""
        part = self.posture.part(slice(self.frame, self.frame + 1))
        joints = solve(self.build, part)[0]
        hand = joints[self.build.skeleton.index[f"{SIDES[side]}Hand"]]
        return np.linalg.inv(heading_frames(part.path)[0]) @ hand


def begin(
    agent: str, build: Build, times: np.ndarray, start: np.ndarray, placements: Mapping[str, Placement]
) -> Script:
    """Return the script of a person who stands at a pose (3,), before the first act."""
    feet = stance_places(start, build.skeleton.hip_height)
    poses = {name: np.array(placement.pose, float) for name, placement in placements.items()}
    return Script(agent, build, times, stand(build, start, len(times)), feet, placements, poses)


def walk(script: Script, way: np.ndarray, speed: float) -> None:
    """Walk along a way (N, 2) m."""
    _must_stand(script)
    if not SLOW <= speed <= FAST:
        raise InputError(f"{script.agent}: a walk at {speed} m/s", expected=f"{SLOW} to {FAST} m/s")
    curve = way_of(way)
    off = float(np.hypot(*(curve.points[0] - script.pose[:2])))
    if off > START:
        raise InputError(
            f"{script.agent}: a walk begins {off:.2f} m from where the person stands", expected=f"at most {START} m"
        )
    heading = float(curve.heading(np.array(0.0)))
    if abs(float(wrap_angle(heading - script.pose[2]))) > ASKEW:
        turn(script, heading)
    strides = steps_along(curve, speed, script.pose, script.build.skeleton.hip_height)
    before = script.frame
    _step(script, strides)
    first, last = (int(np.searchsorted(script.times, script.times[before] + at)) for at in strides.moving)
    script.tell("walk", max(before, first - 1), min(script.frame, last))


def turn(script: Script, heading: float) -> None:
    """Turn on the spot to a heading (rad)."""
    _must_stand(script)
    angle = float(wrap_angle(heading - script.pose[2]))
    if abs(angle) > np.radians(1.0):
        _step(script, steps_round(angle, script.pose, script.build.skeleton.hip_height))


def _must_stand(script: Script) -> None:
    if script.sits is not None:
        raise InputError(f"{script.agent}: {script.act} while the person sits", fix="let the person rise before")


def _step(script: Script, strides: Strides) -> None:
    end, posture = script.frame_at(strides.seconds), script.posture
    aims = posture.aims[:, script.frame].copy()
    walk_into(script.build, strides, script.feet, posture, script.local)
    # What a hand carries goes up and down and sideways with the body.
    later = slice(script.frame, None)
    moved = posture.hips[later] - posture.hips[script.frame]
    posture.aims[:, later] = aims[:, None]
    posture.aims[:, later, :3, 3] += moved
    for fall in strides.falls:
        script.feet[fall.side] = [*fall.place, fall.yaw]
    script.frame = end


def wait(script: Script, seconds: float) -> None:
    """Stand or sit for some seconds; a standing person shifts the weight a little."""
    before = script.frame
    end = script.frame_at(seconds)
    local = script.local
    if script.sits is None and not script.held and seconds > 2.0:
        inner = (local > 0) & (local < seconds)
        at = local[inner]
        share = ease(at) * ease(seconds - at)
        side = share * CHANGE_SIDE * np.sin(2 * np.pi * at / CHANGE)
        script.posture.hips[inner, 1] += side
        script.posture.pelvis[inner, 0] += 1.5 * side
        script.posture.chest[inner, 0] -= 1.0 * side
    script.frame = end
    if script.sits is None:
        script.tell("stand", before, end)


def look(script: Script, point: np.ndarray | None, seconds: float) -> None:
    """Look at a point (3,) m from now on, or ahead."""
    script.looks.append(Look(script.now, None if point is None else np.asarray(point, float), seconds))
    if point is None:
        script.advance(seconds)
        return
    end = script.frame_at(seconds)
    script.tell("look", script.frame, end, None, point=[round(float(part), 6) for part in np.asarray(point)])
    script.frame = end


def sit(script: Script, height: float) -> None:
    """Sit down on a seat at a height (m) behind the person."""
    _must_stand(script)
    build, posture, place = script.build, script.posture, script.build.skeleton
    thigh = place.length("LeftUpLeg", "LeftLeg")
    most = build.standing - 0.25 * thigh
    if not 0.5 * place.length("LeftLeg", "LeftFoot") < height + build.seat < most:
        raise InputError(
            f"{script.agent}: a seat {height:.2f} m high", expected=f"a seat less than {most - build.seat:.2f} m high"
        )
    goal = np.array([-0.95 * thigh, 0.0, height + build.seat])
    script.blend(posture.hips, goal, SIT_SECONDS)
    _bow(script)
    script.blend(posture.pelvis, np.array(SEATED), SIT_SECONDS)
    for side in (0, 1):
        if side not in script.held:
            script.blend(posture.swing[side], np.array(THIGHS), SIT_SECONDS)
        posture.aims[side, script.frame :, :3, 3] += (posture.hips - posture.hips[script.frame])[script.frame :]
    script.sits = script.frame
    script.advance(SIT_SECONDS)


def rise(script: Script) -> None:
    """Stand up from a seat."""
    if script.sits is None:
        raise InputError(f"{script.agent}: {script.act}, but the person does not sit")
    build, posture = script.build, script.posture
    script.tell("sit", script.sits, script.frame)
    script.sits = None
    script.blend(posture.hips, np.array([0.0, 0.0, build.standing]), SIT_SECONDS)
    _bow(script)
    script.blend(posture.pelvis, np.zeros(3), SIT_SECONDS)
    for side in (0, 1):
        if side not in script.held:
            script.blend(posture.swing[side], np.array([0.0, ARM_OUT, ELBOW]), SIT_SECONDS)
        posture.aims[side, script.frame :, :3, 3] += (posture.hips - posture.hips[script.frame])[script.frame :]
    script.advance(SIT_SECONDS)


def _bow(script: Script) -> None:
    share = np.clip(script.local / SIT_SECONDS, 0.0, 1.0)
    script.posture.chest[:, 1] += BOW * np.sin(np.pi * ease(share)) ** 2


def glide(
    script: Script, side: int, keys: list[tuple[float, np.ndarray]], seconds: float, settled: float = 0.8
) -> None:
    """Move a hand along poses (4, 4) relative to the person, beginning with the act.

    ``keys`` have the share of the motion at which each of them is reached; the last one has the share 1. The hand has
    turned to the last pose at the share ``settled``.
    """
    later = slice(script.frame, None)
    start, end = script.hand_pose(side), keys[-1][1]
    share = ease(script.local[later] / seconds)
    at = np.array([0.0, *(key for key, _ in keys)])
    places = np.stack([start[:3, 3], *(pose[:3, 3] for _, pose in keys)])
    aims = script.posture.aims[side, later]
    aims[:, :3, 3] = PchipInterpolator(at, places)(share)
    turned = rotation_vector(start[:3, :3].T @ end[:3, :3])
    aims[:, :3, :3] = start[:3, :3] @ rotation_from_vector(ease(share / settled)[:, None] * turned)
    done = share >= 1
    aims[done] = end

"""Performances: scripts of acts become the poses of a person's joints, and of the things that the person moves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from chronotope.errors import InputError
from chronotope.recording import Event
from chronotope.world.film_set import Placement
from chronotope.world.people.motion import fitting, reaching
from chronotope.world.people.motion import script as bodily
from chronotope.world.people.motion.acts import (
    Act,
    Bear,
    Carry,
    Fit,
    Grasp,
    LookAt,
    Place,
    Press,
    Rise,
    Sit,
    Stand,
    Turn,
    Walk,
)
from chronotope.world.people.motion.gaze import EYES, turn_head
from chronotope.world.people.motion.posing import heading_frames, solve
from chronotope.world.people.motion.posture import build_of
from chronotope.world.people.motion.script import ClipEndsError, Script, begin
from chronotope.world.people.motion.skeleton import SIDES, Body
from chronotope.world.people.motion.ways import way_of
from chronotope.world.rig import Rig

LEAST_MORE = 5.0  # s by which a clip is longer while acts are planned that it has no time for
LONGEST, RATE = 600.0, 20.0  # s and 1/s, of the trial that measures how long acts take


@dataclass(frozen=True, eq=False)
class Performance:
    """What a person does in a clip.

    ``path`` (T, 4, 4) is the pose of the person's frame: on the floor under the hips, x ahead. ``joints`` (T, J, 4, 4)
    are the poses world_T_joint. ``objects`` has the path (T, 4, 4) of each object that the person moves, by its id.
    ``events`` are in the order of their starts; their times are times of frames.
    """

    path: np.ndarray
    joints: np.ndarray
    objects: Mapping[str, np.ndarray]
    events: tuple[Event, ...]
    shown: Mapping[str, Placement] = field(repr=False, default_factory=dict[str, Placement])

    def rig(self, person: Body) -> Rig:
        """Return the rig that moves the person's pieces."""
        return Rig(tuple(person.joints), person.rest, self.joints, tuple(person.bindings))

    def placement(self, name: str, person: Body) -> Placement:
        """Return the person in the world, with an id."""
        attributes = {"role": "person", "box": "unclear"}
        return Placement(name, person.thing, self.path[0], path=self.path, attributes=attributes, rig=self.rig(person))

    def until(self, times: np.ndarray) -> "Performance":
        """Return the first frames, which have the times (T,) s.

        Events that begin later are left out.
        """
        frames, last = len(times), float(times[-1])
        if frames == len(self.path):
            return self
        events = tuple(replace(event, end=min(event.end, last)) for event in self.events if event.start < last)
        objects = {name: path[:frames] for name, path in self.objects.items()}
        return replace(self, path=self.path[:frames], joints=self.joints[:frames], objects=objects, events=events)

    def since(self, times: np.ndarray) -> "Performance":
        """Return the last frames, which have the times (T,) s.

        Events that end before them are left out.
        """
        first, frames = float(times[0]), slice(len(self.path) - len(times), None)
        events = tuple(replace(event, start=max(event.start, first)) for event in self.events if event.end >= first)
        objects = {name: path[frames] for name, path in self.objects.items()}
        return replace(self, path=self.path[frames], joints=self.joints[frames], objects=objects, events=events)

    def moved(self) -> tuple[Placement, ...]:
        """Return the placements of the objects that the person moves, with their paths."""
        return tuple(replace(self.shown[name], pose=path[0], path=path) for name, path in self.objects.items())


def perform(
    person: Body,
    times: np.ndarray,
    acts: Sequence[Act],
    objects: Sequence[Placement] = (),
    start: np.ndarray | None = None,
    agent: str = "person",
    complete: bool = False,
) -> Performance:
    """Let a person do acts one after the other, from the first frame on.

    ``times`` (T,) s are those of the frames. ``objects`` are the things that acts name. ``start`` (3,) is where the
    person stands first: x and y in m, heading in rad; without it, it is the begin of the first act's way. ``agent`` is
    the id of the person in events. After the last act, the person stays as it is. If the clip ends before the acts do,
    the person is still busy in the last frame, unless all acts must be ``complete``.

    Raises:
        InputError: If an act cannot be done, or if the acts must be complete and take longer than the clip.
    """
    times = np.asarray(times, float)
    if times.ndim != 1 or len(times) < 2 or not (np.diff(times) > 0).all():
        raise InputError(f"{agent}: the times of frames do not increase", expected="times (T,) s, at least two")
    longer = times
    while True:
        try:
            return _performed(person, longer, acts, objects, start, agent).until(times)
        except ClipEndsError:
            if complete or longer[-1] - longer[0] > LONGEST:
                raise
        step = times[-1] - times[-2]
        longer = np.concatenate([longer, longer[-1] + step * np.arange(1, len(longer) + round(LEAST_MORE / step))])


def _performed(
    person: Body,
    times: np.ndarray,
    acts: Sequence[Act],
    objects: Sequence[Placement],
    start: np.ndarray | None,
    agent: str,
) -> Performance:
    """Let a person do acts that the clip has time for."""
    script = _run(person, times, acts, objects, start, agent)
    posture = script.posture
    eye = script.build.skeleton.place("Head")[2] + EYES * script.build.skeleton.hip_height
    posture.look = turn_head(script.looks, times, posture.path, float(eye))
    joints = solve(script.build, posture)
    last = len(times) - 1
    for side, held in script.held.items():
        script.tell("hold", held.first, last, held.object, joint=f"{SIDES[side]}Hand")
        script.tell("move", held.first, last, held.object)
        script.holds.append((held.object, side, held.first, last))
    if script.sits is not None:
        script.tell("sit", script.sits, last)
    paths = _object_paths(script, joints)
    events = tuple(sorted(script.events, key=lambda event: (event.start, event.end, event.kind)))
    return Performance(heading_frames(posture.path), joints, paths, events, script.placements)


def seconds_needed(
    person: Body, acts: Sequence[Act], objects: Sequence[Placement] = (), start: np.ndarray | None = None
) -> float:
    """Return about how long (s) acts take.

    A clip that is a tenth of a second longer for each act has room for them.
    """
    times = np.arange(0.0, LONGEST, 1 / RATE)
    script = _run(person, times, acts, objects, start, "person")
    return script.now


def _run(
    person: Body,
    times: np.ndarray,
    acts: Sequence[Act],
    objects: Sequence[Placement],
    start: np.ndarray | None,
    agent: str,
) -> Script:
    placements = {placement.id: placement for placement in objects}
    script = begin(agent, build_of(person), times, _start(acts, start, agent), placements)
    for number, act in enumerate(acts, 1):
        script.act = f"act {number} ({type(act).__name__})"
        _do(script, act)
    return script


def _start(acts: Sequence[Act], start: np.ndarray | None, agent: str) -> np.ndarray:
    if start is not None:
        return np.asarray(start, float)
    if not acts or not isinstance(acts[0], Walk):
        raise InputError(f"{agent}: nobody knows where the person stands first", fix="state start, or walk first")
    way = way_of(acts[0].way)
    return np.array([*way.points[0], float(way.heading(np.array(0.0)))])


def _do(script: Script, act: Act) -> None:
    match act:
        case Walk(way, speed):
            for side in sorted(script.held):
                _carry_once(script, side)
            bodily.walk(script, way, speed)
        case Turn(heading):
            for side in sorted(script.held):
                _carry_once(script, side)
            bodily.turn(script, heading)
        case Stand(seconds):
            bodily.wait(script, seconds)
        case LookAt(point, seconds):
            bodily.look(script, point, seconds)
        case Grasp(name, hand):
            reaching.grasp(script, name, SIDES.index(hand))
        case Carry(hand):
            reaching.carry(script, SIDES.index(hand))
        case Place(name, goal):
            reaching.place(script, name, goal)
        case Bear(name, holds):
            fitting.bear(script, name, {SIDES.index(side): hold for side, hold in holds.items()})
        case Fit(name, places, seconds):
            fitting.fit(script, name, places, seconds)
        case Press(name, point, direction, travel, seconds, hand):
            reaching.press(script, name, point, direction, travel, seconds, SIDES.index(hand))
        case Sit(height):
            bodily.sit(script, height)
        case Rise():
            bodily.rise(script)


def _carry_once(script: Script, side: int) -> None:
    if not script.held[side].carried:
        reaching.carry(script, side)


def _object_paths(script: Script, joints: np.ndarray) -> dict[str, np.ndarray]:
    # Held objects have the pose of the hand times a constant; before and after, they stand still.
    paths: dict[str, np.ndarray] = {}
    for name, side, first, last in script.holds:
        if name not in paths:
            paths[name] = np.tile(np.array(script.placements[name].pose, float), (len(joints), 1, 1))
        hand = joints[:, script.build.skeleton.index[f"{SIDES[side]}Hand"]]
        relative = np.linalg.inv(hand[first]) @ paths[name][first]
        paths[name][first : last + 1] = hand[first : last + 1] @ relative
        paths[name][last + 1 :] = paths[name][last]
    return paths

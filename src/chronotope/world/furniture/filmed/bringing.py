"""The motion of a person who brings a group of parts to its place, and what happens meanwhile."""

from dataclasses import dataclass, replace

import numpy as np

from chronotope.errors import InputError
from chronotope.recording import Event
from chronotope.world.film_set import Placement
from chronotope.world.furniture.filmed.grasps import SIDES, WALK, Grasp, grasps, relative_holds
from chronotope.world.furniture.filmed.pauses import Pause
from chronotope.world.furniture.filmed.situation import Situation, deepest
from chronotope.world.people.motion import Act, Bear, Fit, Performance, Stand, Walk, perform
from chronotope.world.people.motion.posture import Build
from chronotope.world.people.person import Person
from chronotope.world.refused import RefusedError
from chronotope.world.things.thing import Thing

LONGEST = 16.0  # s
SPEED = 0.9  # m/s, of the last steps before the product
PRESS, AFTER = 0.5, 0.3  # s in which the hands press, and in which the person then stands
MOVES = 1e-4  # m; joints that move less than this between two frames stand still
LIMBS = {"Head": 0.07, "Spine2": 0.10, "LeftForeArm": 0.03, "RightForeArm": 0.03}  # m, radius of the body at joints
SLIP = 0.001  # m by which a hand may slip on what it holds
INSIDE = 0.02  # m by which limbs may be in what is there
NAME = "group"


@dataclass(frozen=True, eq=False)
class Bringing:
    """What a person does, frame by frame.

    ``offsets`` (T, 3) m tell where the group is, relative to its place. ``events`` name the parts by their index.
    """

    performance: Performance
    offsets: np.ndarray
    events: tuple[Event, ...]
    heading: float


def bring(
    situation: Situation, person: Person, build: Build, fps: int, agent: str, pause: Pause | None = None
) -> Bringing:
    """Let a person bring a group to its place, perhaps with a pause.

    Raises:
        RefusedError: If the person cannot do it.
    """
    why = "no hands have room"
    for grasp in grasps(situation, build):
        for way in grasp.ways:
            try:
                found = _brought(situation, person, grasp, way, fps, agent, pause)
            except InputError as error:
                why = str(error)
                continue
            if not _is_rigid(found, person):
                why = "the hands do not get everywhere"
            elif not _is_free(situation, found.performance, person):
                why = "the body has no room"
            else:
                return found
    names = situation.product.parts[situation.entry.parts[0]].name
    raise RefusedError(f"{situation.product.name}: nobody can bring the {names}: {why}", ("brought",), why)


def _brought(
    situation: Situation, person: Person, grasp: Grasp, way: np.ndarray, fps: int, agent: str, pause: Pause | None
) -> Bringing:
    ahead = np.array([np.cos(grasp.heading), np.sin(grasp.heading)])
    walked = np.zeros(2) if grasp.is_pushed else WALK * ahead
    spot = grasp.spot
    goal = np.eye(4)
    pose = goal.copy()
    pose[:3, 3] = way[0] - [*walked, 0.0]
    placement = Placement(NAME, _nothing(), pose)
    start = np.array([*(spot - walked), grasp.heading])
    acts: list[Act] = [Bear(NAME, relative_holds(grasp, goal))]
    if pause is not None and pause.when == "between":
        acts += pause.acts(start)
    if grasp.is_pushed:
        acts.append(Stand(0.2))
    else:
        acts.append(Walk(np.array([spot - walked, spot]), SPEED))
    if pause is not None and pause.when == "inside":
        acts += pause.acts(np.array([*spot, grasp.heading]))
    acts.append(Fit(NAME, way[1:], PRESS))
    times = np.arange(round(LONGEST * fps)) / fps
    done = perform(person, times, acts, (placement,), start, agent, complete=True)
    moving = np.abs(np.diff(done.joints[..., :3, 3], axis=0)).max(axis=(1, 2)) > MOVES
    last = min(int(np.flatnonzero(moving)[-1]) + 1 + round(AFTER * fps), len(times) - 1)
    done = done.until(times[: last + 1])
    offsets = done.objects[NAME][:, :3, 3].copy()
    released = next(event.end for event in done.events if event.kind == "move")
    offsets[times[: last + 1] >= released - 1e-9] = 0.0
    first = int(np.flatnonzero(np.abs(np.diff(offsets, axis=0)).max(axis=1) > MOVES)[0])
    return Bringing(done, offsets, _events(situation, grasp, done.events, float(times[first])), grasp.heading)


def _nothing() -> Thing:
    # The performance needs the pose of what is borne, and nothing else of it.
    return Thing("", None, "", (), (0.0, 0.0, 0.0), "none", None, 0.0, (), None)


def _events(situation: Situation, grasp: Grasp, events: tuple[Event, ...], moves: float) -> tuple[Event, ...]:
    """Return the events with the indices of the parts in place of the group.

    The group ``moves`` from a time (s) on.
    """
    found: list[Event] = []
    for event in events:
        if event.object != NAME:
            found.append(event)
        elif event.kind == "move":
            found += [replace(event, object=str(part), start=max(event.start, moves)) for part in situation.entry.parts]
        else:
            side = SIDES[0] if str(event.parameters["joint"]).startswith(SIDES[0]) else SIDES[1]
            found.append(replace(event, object=str(grasp.held[side])))
    return tuple(found)


def _is_rigid(found: Bringing, person: Person) -> bool:
    """Check that both hands are where the group needs them, as long as they hold it."""
    hands = found.performance.joints[:, [person.joints.index(f"{side}Hand") for side in SIDES]][..., :3, 3]
    last = int(np.flatnonzero(np.abs(np.diff(found.offsets, axis=0)).max(axis=1) > 0)[-1]) + 1
    slips = (hands - found.offsets[:, None])[: last + 1]
    return bool(np.abs(slips - slips[-1]).max() <= SLIP)


def _is_free(situation: Situation, done: Performance, person: Person) -> bool:
    """Check that head, chest and elbows do not go through what is there."""
    index = [person.joints.index(name) for name in LIMBS]
    places = done.joints[::3, index][..., :3, 3]
    return all(
        deepest(places[:, number], situation.planes) + radius <= INSIDE for number, radius in enumerate(LIMBS.values())
    )

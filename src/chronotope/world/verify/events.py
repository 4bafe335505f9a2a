"""The check "events": events are within the clip, name what exists, and match the motion."""

import numpy as np

from chronotope.recording import Entity, Event, Recording
from chronotope.world.verify.outcome import Check, judged
from chronotope.world.verify.timing import (
    EPSILON_S,
    apart,
    during,
    events_of,
    joint_poses,
    poses_of,
    relative,
    stretches,
    tolerance,
)

OF_AGENTS = {"walk", "stand", "look", "sit", "crouch", "reach", "hold", "press"}
OF_OBJECTS = {"move", "reach", "hold", "press", "switch"}
MOVES_M, MOVES = 0.00005, np.radians(0.01)  # between two frames, the pose of a thing that moves changes by more
WALKED_M, TURNED = 0.02, np.radians(5)  # what hips move at least while a person walks, in WALKING_S
WALKING_S = 0.8
STRAYED_M = 0.15  # m, largest movement of the hips of a person who does not walk
CARRIED_M, CONSTANT_M, CONSTANT = 0.02, 0.002, np.radians(0.5)
BEFORE_S = 0.3  # s before and after a hold in which the object must not move with the joint


def check_events(recording: Recording) -> Check:
    """Check all events of a recording."""
    entities = {entity.id: entity for entity in recording.entities}
    faults: list[str] = []
    for event in recording.events:
        fault = _misnamed(recording, event, entities)
        if fault is None:
            fault = _mistimed(recording, event, entities)
        if fault is not None:
            faults.append(f"{event.kind} from {event.start:.2f} s to {event.end:.2f} s: {fault}")
    for entity in recording.entities:
        faults += _unstated(recording, entity)
    return judged("events", faults, f"{len(recording.events)} events match the motion")


def _misnamed(recording: Recording, event: Event, entities: dict[str, Entity]) -> str | None:
    """Describe what is wrong with the times and names of an event."""
    last = float(recording.times[-1]) + 1 / (recording.fps or 1.0)
    if not -EPSILON_S <= event.start <= event.end <= last + EPSILON_S:
        return f"the clip goes from 0 s to {last:.2f} s"
    for kinds, role, name in ((OF_AGENTS, "agent", event.agent), (OF_OBJECTS, "object", event.object)):
        if name not in entities and (name is not None or event.kind in kinds):
            return f"its {role} is {name}, which is not an entity"
    return None


def _mistimed(recording: Recording, event: Event, entities: dict[str, Entity]) -> str | None:
    """Describe how the times of an event contradict the motion."""
    agent, thing = entities.get(event.agent or ""), entities.get(event.object or "")
    if event.kind == "move" and thing is not None:
        return _move_fault(recording, event, thing)
    if event.kind == "walk" and agent is not None:
        return _walk_fault(recording, event, agent)
    if event.kind == "hold" and agent is not None and thing is not None:
        return _hold_fault(recording, event, agent, thing)
    if event.kind == "switch" and thing is not None:
        return _switch_fault(recording, event, thing)
    return None


def _moving(recording: Recording, entity: Entity) -> np.ndarray:
    """Find the steps (T - 1,) from a frame to the next in which an entity moves.

    An articulated entity moves if any of its joints moves.
    """
    poses = poses_of(entity, len(recording.times))[:, None] if entity.body is None else entity.body.poses
    moved, turned = apart(poses[1:], poses[:-1])
    return ((moved > MOVES_M) | (turned > MOVES)).any(axis=1)


def _move_fault(recording: Recording, event: Event, thing: Entity) -> str | None:
    times, wider = recording.times, tolerance(recording)
    inside = (times[:-1] >= event.start - wider) & (times[1:] <= event.end + wider)
    moving = np.flatnonzero(_moving(recording, thing) & inside)
    if not len(moving):
        return f"{thing.id} does not move"
    first, last = float(times[moving[0]]), float(times[moving[-1] + 1])
    if first > event.start + wider:
        return f"{thing.id} begins to move at {first:.2f} s"
    if last < event.end - wider - (times[1] - times[0]):
        return f"{thing.id} stops at {last:.2f} s"
    return None


def _walk_fault(recording: Recording, event: Event, agent: Entity) -> str | None:
    hips = joint_poses(agent, "Hips")
    if hips is None:
        return f"{agent.id} has no hips"
    times = recording.times
    for start, end, when in (
        (event.start, event.start + WALKING_S, "first"),
        (event.end - WALKING_S, event.end, "last"),
    ):
        frames = np.flatnonzero((times >= start - EPSILON_S) & (times <= end + EPSILON_S) & recording.valid)
        if event.end - event.start >= 2 * WALKING_S and len(frames) > 1:
            moved, turned = apart(hips[frames], hips[frames[0]])
            if moved.max() < WALKED_M and turned.max() < TURNED:
                return f"{agent.id} stands in the {when} {WALKING_S:g} s"
    return None


def _hold_fault(recording: Recording, event: Event, agent: Entity, thing: Entity) -> str | None:
    """Describe how an object moves with a joint before or after a hold."""
    joint = joint_poses(agent, event.parameters.get("joint"))
    if joint is None:
        return None  # told by the check "held"
    times, wider = recording.times, tolerance(recording)
    own = relative(poses_of(thing, len(times)), joint)
    for start, end, when in (
        (event.start - wider - BEFORE_S, event.start - wider, "before"),
        (event.end + wider, event.end + wider + BEFORE_S, "after"),
    ):
        frames = np.flatnonzero((times >= start - EPSILON_S) & (times <= end + EPSILON_S) & recording.valid)
        if len(frames) < 3:
            continue
        moved, turned = apart(own[frames], own[frames[0]])
        carried, _ = apart(joint[frames], joint[frames[0]])
        if moved.max() < CONSTANT_M and turned.max() < CONSTANT and carried.max() > CARRIED_M:
            return f"{thing.id} moves with the joint {when} it"
    return None


def _switch_fault(recording: Recording, event: Event, thing: Entity) -> str | None:
    key, value = event.parameters.get("key"), event.parameters.get("value")
    frames = [change.frame for change in thing.changes if (change.key, change.value) == (key, value)]
    if not frames:
        return f"{thing.id} has no change of {key!r} to {value!r}"
    near = min((float(recording.times[frame]) for frame in frames), key=lambda time: abs(time - event.start))
    if abs(near - event.start) > 1 / (recording.fps or np.inf) + EPSILON_S:
        return f"{thing.id} changes its {key} at {near:.2f} s"
    return None


def _unstated(recording: Recording, entity: Entity) -> list[str]:
    """Describe motion that no event states: of things that have such events, and of people."""
    times, wider = recording.times, tolerance(recording)
    faults = []
    moves = events_of(recording, entity.id, "move")
    if moves and entity.body is None:
        stated = np.zeros(len(times) - 1, bool)
        for event in events_of(recording, entity.id, "move", "hold"):
            stated |= (times[:-1] >= event.start - wider - EPSILON_S) & (times[1:] <= event.end + wider + EPSILON_S)
        free = np.flatnonzero(_moving(recording, entity) & ~stated)
        if len(free):
            faults.append(f"{entity.id} moves at {times[free[0]]:.2f} s, but no event says so")
    hips = joint_poses(entity, "Hips")
    walks = [
        event for event in recording.events if event.agent == entity.id and event.kind in ("walk", "sit", "crouch")
    ]
    walks += moves  # of somebody who rides
    if hips is not None:
        free = recording.valid.copy()
        for event in walks:
            free &= ~during(times, event, wider)
        for frames in stretches(free):
            moved, _ = apart(hips[frames], hips[frames[0]])
            if moved.max() > STRAYED_M:
                faults.append(
                    f"the hips of {entity.id} move by {moved.max():.2f} m from {times[frames[0]]:.2f} s to "
                    f"{times[frames[-1]]:.2f} s, but no event says so"
                )
    return faults

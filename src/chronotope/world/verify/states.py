"""Checks of a home in two states: the log has exactly the changes, and the camera's way can be walked.

The checks read the recordings and the logged changes only. They share no code with the programs that made the
recordings.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from chronotope.recording import Change, Entity, Recording, Scene
from chronotope.world.verify.outcome import Check, Verification, judged
from chronotope.world.verify.rooms import away_from, to_border

SAME = 1e-6  # m; poses and sizes of unchanged things differ by less
SETTLED = 0.02  # m by which gravity may move what was not touched
PLACED_M = 0.002  # m, allowed distance between a logged and a recorded position
CLEAR = 120 / 448**2  # least area of a thing that a person notices, as a share of the square of the picture's height
CLEAR_FRAMES = 2  # least number of frames that show it so large
STEP_M, TURN = 0.26, np.radians(31)  # largest step and turn between two frames
DOORWAY_M = 0.01  # m; a camera this close to the line of a wall is in a doorway
WALL_M = 0.2  # m; a camera in a doorway may be this far outside the floors


def verify_states(scene: Scene, is_still: bool = True) -> Verification:
    """Check the two recordings of a scene against each other.

    The recordings are also checked against the scene's changes. If the scene is not still, because an engine with
    gravity holds it, things may settle by SETTLED metres, the camera may be inside a box of a collider, and a change
    may be invisible.
    """
    before, after = scene.recordings
    facts = [
        _check_unchanged(before, after, scene.changes, SAME if is_still else SETTLED),
        _check_changes(before, after, scene.changes, PLACED_M if is_still else SETTLED),
        *([_check_seen(before, after, scene.changes)] if is_still else []),
        *(_check_walk(recording, is_still) for recording in scene.recordings),
        _check_entered(before, after),
    ]
    return Verification(scene.id, tuple(facts))


def _check_unchanged(before: Recording, after: Recording, changes: Sequence[Change], most: float) -> Check:
    """Check that only logged things differ between the states."""
    logged = {change.object for change in changes}
    old, new = ({entity.id: entity for entity in recording.entities} for recording in (before, after))
    # People go where they want.
    logged |= {entity.id for entities in (old, new) for entity in entities.values() if entity.is_person}
    faults = [
        f"{name} is only in one state, but no change is logged" for name in sorted((old.keys() ^ new.keys()) - logged)
    ]
    same = sorted((old.keys() & new.keys()) - logged)
    faults += [
        f"{name} {fault}, but no change is logged"
        for name in same
        if (fault := _difference(old[name], new[name], most))
    ]
    return judged("unchanged things", faults, f"{len(same)} things are equal in both states")


def _difference(old: Entity, new: Entity, most: float) -> str | None:
    """Describe the first difference of an entity between two states.

    ``most`` (m) is the difference of poses and sizes that does not count.
    """
    if np.abs(old.poses[0] - new.poses[0]).max() > most:
        return f"is {np.linalg.norm(old.poses[0][:3, 3] - new.poses[0][:3, 3]):.3f} m away from its first place"
    if np.abs(np.subtract(old.size, new.size)).max() > most:
        return "has another size"
    if old.attributes != new.attributes:
        keys = sorted(
            key for key in old.attributes | new.attributes if old.attributes.get(key) != new.attributes.get(key)
        )
        return f"has another {keys[0]}"
    if (old.parent, old.label) != (new.parent, new.label):
        return "has another parent or name"
    return None


def _check_changes(before: Recording, after: Recording, changes: Sequence[Change], most: float) -> Check:
    """Check that each logged change is in the recordings."""
    old, new = ({entity.id: entity for entity in recording.entities} for recording in (before, after))
    last = {change.object: change for change in changes}  # the last change of an object decides its facts
    faults = [fault for change in last.values() if (fault := _missing(change, old, new, most))]
    return judged("logged changes", faults, f"{len(last)} things changed as logged")


def _missing(change: Change, old: dict[str, Entity], new: dict[str, Entity], most: float) -> str | None:
    """Describe how a logged change is missing in the recordings.

    ``most`` (m) is the allowed distance from a logged position.
    """
    name, kind = change.object, change.operation
    for facts, entities, state in ((change.before, old, "before"), (change.after, new, "after")):
        if bool(facts) != (name in entities):
            return f"{kind} of {name}: the thing {'is missing' if facts else 'exists'} in the state {state}"
        if facts and (fault := _contradiction(facts, entities[name], most)):
            return f"{kind} of {name}: {fault} in the state {state}"
    if not change.before or not change.after:
        return None if kind in ("AddObject", "RemoveObject") else f"{kind} of {name}: the thing is not in both states"
    moved = np.linalg.norm(old[name].poses[0][:3, 3] - new[name].poses[0][:3, 3]) > most
    if kind == "PlaceObjectAtPoint":
        return None if moved else f"{kind} of {name}: it did not move"
    return None if old[name].attributes != new[name].attributes else f"{kind} of {name}: nothing differs"


def _contradiction(facts: dict[str, Any], entity: Entity, most: float) -> str | None:
    """Describe how an entity contradicts logged facts."""
    apart = np.linalg.norm(np.subtract(facts["position"], entity.poses[0][:3, 3]))
    if apart > most:
        return f"it is {apart:.3f} m away from the logged position"
    if facts["receptacle"] != entity.parent:
        return f"it is on {entity.parent}, the log states {facts['receptacle']}"
    for key, value in facts.items():
        if key not in ("position", "receptacle", "room") and entity.attributes.get(key) != str(value):
            return f"its {key} is {entity.attributes.get(key)}, the log states {value}"
    return None


def _check_seen(before: Recording, after: Recording, changes: Sequence[Change]) -> Check:
    # Check that a person can notice all changes: each thing is clearly seen in each state in which it exists.
    faults = [
        f"{change.operation} of {change.object}: the thing is not clearly seen in {recording.state}"
        for change in changes
        for recording, facts in ((before, change.before), (after, change.after))
        if facts and not _is_clear(recording, change.object)
    ]
    return judged("visible changes", faults, f"{len(changes)} changes are clearly seen")


def _is_clear(recording: Recording, name: str) -> bool:
    entity = next((each for each in recording.entities if each.id == name), None)
    if entity is None or entity.visible_pixels is None or recording.clip is None:
        return False
    return bool((entity.visible_pixels >= CLEAR * recording.clip.height**2).sum() >= CLEAR_FRAMES)


def _check_walk(recording: Recording, is_still: bool) -> Check:
    """Check that a person could walk the camera's way.

    The camera's distance from things is checked only if the scene ``is_still``.
    """
    faults: list[str] = []
    poses = recording.world_T_camera
    places = poses[:, :2, 3]
    steps = np.linalg.norm(np.diff(poses[:, :3, 3], axis=0), axis=1)
    turns = np.arccos(np.clip(np.einsum("tij,tij->t", poses[:-1, :3, :3], poses[1:, :3, :3]) / 2 - 0.5, -1, 1))
    faults += [f"a step of {step:.2f} m to frame {frame + 1}" for frame, step in enumerate(steps) if step > STEP_M]
    faults += [
        f"a turn of {np.degrees(turn):.0f} degrees to frame {frame + 1}"
        for frame, turn in enumerate(turns)
        if turn > TURN
    ]
    away = np.array([away_from(places, room.floor) for room in recording.rooms])
    faults += [
        f"frame {frame} is {far:.2f} m outside all floors" for frame, far in enumerate(away.min(axis=0)) if far > WALL_M
    ]
    faults += _passages(recording, away)
    faults += _hits(recording) if is_still else []
    return judged(f"walk of {recording.state}", faults, f"{len(places)} frames in {len(recording.rooms)} rooms")


def _passages(recording: Recording, away: np.ndarray) -> list[str]:
    """Find rooms that are never entered, and ways without doors.

    ``away`` (R, T) m has the distance of each frame from each floor.
    """
    rooms, faults = recording.rooms, []
    places = recording.world_T_camera[:, :2, 3]
    # A camera on the line of a wall is in a doorway, so it is in neither room.
    inside = (away == 0) & np.array([to_border(places, room.floor) > DOORWAY_M for room in rooms])
    entered = [int(column.argmax()) for column in inside.T if column.any()]
    for one, other in dict.fromkeys(pairwise(entered)):
        if one != other and rooms[other].id not in rooms[one].connections:
            faults.append(f"the camera goes from {rooms[one].id} to {rooms[other].id}, which no door connects")
    stated = set(recording.provenance.get("left_out", ()))
    for number, room in enumerate(rooms):
        if (number in entered) == (room.id in stated):
            other = "entered, but the recording states that it is left out" if number in entered else "never entered"
            faults.append(f"{room.id} is {other}")
    return faults


def _check_entered(before: Recording, after: Recording) -> Check:
    """Check that at least one of the two walks enters each room."""
    left_out = [set(recording.provenance.get("left_out", ())) for recording in (before, after)]
    faults = [f"no walk enters {name}" for name in sorted(left_out[0] & left_out[1])]
    return judged("entered rooms", faults, f"{len(before.rooms)} rooms")


def _hits(recording: Recording) -> list[str]:
    """Find frames whose camera is inside the box of a thing."""
    eyes, found = recording.world_T_camera[:, :3, 3], []
    for entity in recording.entities:
        half = np.array(entity.size) / 2
        own = np.einsum("ti,tij->tj", eyes - entity.poses[:, :3, 3], entity.poses[:, :3, :3])
        inside = (np.abs(own) < half).all(axis=1)
        if inside.any():
            found.append(f"frame {int(inside.argmax())} is inside {entity.id}")
    return found

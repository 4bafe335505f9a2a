"""The check "held": during a hold, the object moves rigidly with a joint, and the hand is at the object."""

import numpy as np

from chronotope.recording import Entity, Event, Recording
from chronotope.world.verify.outcome import Check, judged
from chronotope.world.verify.skin import Posed, Skin
from chronotope.world.verify.timing import apart, during, joint_poses, poses_of, relative, tolerance

HELD_M, HELD = 0.002, np.radians(0.5)  # largest change of the object's pose in the coordinates of the joint
TOUCH_M = 0.010  # m, largest distance of the hand from what it holds or presses
BOUND = 0.5  # least sum of weights with which the corners of a triangle belong to a hand
POINTS = 600  # points of a hand whose distance is measured
INNER = 0.4  # share of a hold at each end, at most, that the tolerance of times leaves out: short holds are checked too
LOOKED = 12  # largest number of frames of an event in which the distance of the hand is measured
ROUND = "any"  # the symmetry of a thing that is round about its z axis


def check_held(recording: Recording) -> Check | None:
    """Check all holds and presses; the result is None if there are none.

    The hand consists of the joint that an event names and of the joints whose names begin with its name. The distance
    of the hand from the object is measured to the box of the object, or to the cylinder in this box if the object is
    round: pixels show only the side of the object that may be turned away from the hand.
    """
    entities = {entity.id: entity for entity in recording.entities}
    faults: list[str] = []
    events = [event for event in recording.events if event.kind in ("hold", "press")]
    if not events:
        return None
    for event in events:
        agent, thing = entities.get(event.agent or ""), entities.get(event.object or "")
        if agent is None or thing is None or agent.body is None:
            faults.append(f"a {event.kind} has no object or no agent with a body")
        elif event.kind == "hold":
            faults += _hold_faults(recording, event, agent, thing)
        else:
            faults += _press_faults(recording, event, agent, thing)
    return judged("held", faults, f"{len(events)} holds and presses")


def _hold_faults(recording: Recording, event: Event, agent: Entity, thing: Entity) -> list[str]:
    name = event.parameters.get("joint")
    joint = joint_poses(agent, name)
    inner = min(tolerance(recording), INNER * (event.end - event.start))
    frames = np.flatnonzero(during(recording.times, event, -inner) & recording.valid)
    if joint is None:
        return [f"{agent.id} holds {thing.id} with the joint {name!r}, which it does not have"]
    if not len(frames):
        return []
    poses = relative(poses_of(thing, len(recording.times))[frames], joint[frames])
    moved, turned = apart(poses, poses[len(poses) // 2])
    faults = []
    if moved.max() > HELD_M or turned.max() > HELD:
        at = int(np.maximum(moved / HELD_M, turned / HELD).argmax())
        faults.append(
            f"{thing.id} is {moved[at] * 1000:.1f} mm and {np.degrees(turned[at]):.1f} degrees beside its place at "
            f"{name} of {agent.id} in frame {frames[at]}, although it is held"
        )
    away = _away(agent, (str(name),), thing, frames, len(recording.times))
    at = int(away.argmax())
    if away[at] > TOUCH_M:
        faults.append(
            f"{name} of {agent.id} is {away[at] * 1000:.0f} mm away from {thing.id} in frame {frames[at]}, although "
            "it holds it"
        )
    return faults


def _press_faults(recording: Recording, event: Event, agent: Entity, thing: Entity) -> list[str]:
    frames = np.flatnonzero(during(recording.times, event, tolerance(recording)) & recording.valid)
    stated = event.parameters.get("joint")
    names = ("LeftHand", "RightHand") if stated is None else (str(stated),)
    if not len(frames):
        return []
    away = float(_away(agent, names, thing, frames, len(recording.times)).min())
    if away <= TOUCH_M:
        return []
    return [f"no hand of {agent.id} comes nearer to {thing.id} than {away * 1000:.0f} mm while it presses it"]


def _away(agent: Entity, names: tuple[str, ...], thing: Entity, frames: np.ndarray, samples: int) -> np.ndarray:
    """Return the distance (m) of a hand from a thing in each of some frames, at most LOOKED."""
    assert agent.body is not None
    skin = Skin(agent.body)
    joints = np.flatnonzero([name.startswith(names) for name in agent.body.joints])
    hand = skin.part(joints, BOUND)
    if not len(hand):
        return np.full(len(frames), np.inf)
    points = skin.spread(POINTS, hand)
    poses, found = poses_of(thing, samples), np.zeros(len(frames))
    for at in np.unique(np.linspace(0, len(frames) - 1, LOOKED).astype(int)):
        pose = poses[frames[at]]
        posed = Posed(skin, skin.vertices_at(int(frames[at])))
        places = (posed.places(*points) - pose[:3, 3]) @ pose[:3, :3]
        found[at] = _from_box(places, np.array(thing.size) / 2, thing.symmetry == ROUND).min()
    return found


def _from_box(places: np.ndarray, half: np.ndarray, is_round: bool) -> np.ndarray:
    """Return the distances (N,) m of places (N, 3) from a box.

    For a round thing, the distances are those from the cylinder in the box.
    """
    beyond = np.abs(places) - half
    if is_round:
        radius = half[:2].mean()
        beyond = np.stack([np.linalg.norm(places[:, :2], axis=1) - radius, beyond[:, 2]], axis=1)
    return np.linalg.norm(np.maximum(beyond, 0), axis=1)

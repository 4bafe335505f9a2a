"""IO: the person comes in from the told side, and moves exactly one object with a hand that never leaves it."""

from itertools import pairwise

import numpy as np

from chronotope.recording import Entity, Event
from chronotope.world.verify.outcome import Check, judged
from chronotope.world.verify.stage.evidence import PROTOCOLS, Evidence, listed
from chronotope.world.verify.stage.persons import Points
from chronotope.world.verify.timing import joint_poses

LEVEL = (-25.0, 5.0)  # degrees, pitch of a view at eye level
FRACTION = 0.5  # least visible fraction of the objects at first, and of the target when it is taken
GAP = 0.004  # share of the picture's width, least gap between the objects
LATE, EDGE = 0.15, 0.25  # s without the person at first, and share of the width in which the person is seen first
DISPLACED = 0.5  # m, least way of the target
STILL, RESTS, AWAY = 1e-6, 0.005, 0.03  # m: of what stands, of what lies on a table, and of a hand that has let go
TOUCH, TIPS = 0.012, 120  # m, and points of a hand or of the tips of the fingers
SHIFT = 0.02  # share of the width by which the middle of a distractor's pixels may go to and fro
SEEN_WELL = 0.9  # visible fraction from which the middle of the pixels counts
SPOTS = ("Left", "Center", "Right")


def check(evidence: Evidence) -> list[Check]:
    """Return the gates of the task."""
    return [
        check_view(evidence), check_entry(evidence), check_moved(evidence), check_grasp(evidence),
        check_placed(evidence), check_steps(evidence), check_truth(evidence),
    ]  # fmt: skip


def _things(evidence: Evidence) -> list[str]:
    return [each["id"] for each in evidence.by_role("target", "distractor")]


def _displaced(evidence: Evidence, name: str) -> float:
    """Return how far (m) an object gets from its first place."""
    poses = evidence.entity(name).poses
    return float(np.linalg.norm(poses[:, :3, 3] - poses[0, :3, 3], axis=1).max())


def _taken(evidence: Evidence) -> str:
    """Return the object that gets farthest."""
    return max(_things(evidence), key=lambda name: _displaced(evidence, name))


def _holds(evidence: Evidence) -> list[Event]:
    return [event for event in evidence.recording.events if event.kind == "hold"]


def _places(entity: Entity, samples: int) -> np.ndarray:
    return np.broadcast_to(entity.poses, (samples, 4, 4))


def check_view(evidence: Evidence) -> Check:
    """Check that the camera stands at eye level, and that it first sees the whole row with gaps."""
    poses, faults = evidence.recording.world_T_camera, []
    if np.abs(poses - poses[0]).max() > STILL:
        faults.append("the camera moves")
    if not LEVEL[0] <= evidence.pitch[0] <= LEVEL[1]:
        faults.append(f"the pitch is {evidence.pitch[0]:.0f} degrees")
    spans = []
    for name in [*_things(evidence), "destination_surface"]:
        share = float(evidence.fraction(name)[0])
        if share < FRACTION and name != "destination_surface":
            faults.append(f"{share:.2f} of {name} at first")
        columns = np.flatnonzero((evidence.kept[0].identities == evidence.index[name] + 1).any(axis=0))
        if not len(columns):
            faults.append(f"{name} is not seen at first")
        elif name != "destination_surface":
            spans.append((int(columns[0]), int(columns[-1])))
    width = evidence.kept[0].identities.shape[1]
    spans.sort()
    faults += [f"objects are {b[0] - a[1]} px apart" for a, b in pairwise(spans)
               if b[0] - a[1] < max(2.0, GAP * width)]  # fmt: skip
    return judged("stage view", faults, "a row of objects with gaps, at eye level")


def check_entry(evidence: Evidence) -> Check:
    """Check that the person comes into the empty picture over the edge of the parameter."""
    seen, faults = evidence.of_object("agent"), []
    frames = np.flatnonzero(seen)
    if not len(frames):
        return Check("stage entry", False, "the person is not seen")
    first = int(frames[0])
    start = float(evidence.recording.times[first])
    place = evidence.index["agent"]
    column = float(evidence.columns[first][place])
    side = "Left" if column < EDGE else "Right" if column > 1 - EDGE else "middle"
    if start < LATE:
        faults.append(f"the person is seen at {start:.1f} s")
    if not evidence.cut[first][place]:
        faults.append("the person appears inside the picture")
    if side != evidence.graph["params"]["agent_entry"]:
        faults.append(f"the person comes from the {side}")
    return judged("stage entry", faults, f"from the {side} at {start:.1f} s")


def check_moved(evidence: Evidence) -> Check:
    """Check that exactly one object moves, and that the pixels of the others stay where they are."""
    faults, taken = [], _taken(evidence)
    far = _displaced(evidence, taken)
    if far < DISPLACED:
        faults.append(f"{taken} gets {far:.2f} m away")
    columns = np.array(evidence.columns)
    for name in _things(evidence):
        if name == taken:
            continue
        if _displaced(evidence, name) > STILL:
            faults.append(f"{name} moves by {_displaced(evidence, name):.3f} m")
        well = columns[evidence.fraction(name) >= SEEN_WELL, evidence.index[name]]
        if len(well) and np.ptp(well) > SHIFT:
            faults.append(f"the pixels of {name} move by {np.ptp(well):.2f} of the width")
        faults += [f"a hand holds {name}" for event in _holds(evidence) if event.object == name]
    shown = columns[[0, -1], evidence.index[taken]]
    if not evidence.graph["params"]["returns"] and not abs(shown[1] - shown[0]) > 3 * SHIFT:
        faults.append(f"the pixels of {taken} are where they were")
    return judged("stage moved", faults, f"only {taken} moves, by {far:.2f} m")


def check_grasp(evidence: Evidence) -> Check:
    """Check that fingertips take the object, and that a hand is at it whenever it moves."""
    faults, name, times = [], _taken(evidence), evidence.recording.times
    thing, agent, worst = evidence.entity(name), evidence.entity("agent"), 0.0
    if agent.body is None or not _holds(evidence):
        return Check("stage grasp", False, "no hand holds an object")
    poses = _places(thing, len(times))
    steps = np.abs(np.diff(poses, axis=0)).max(axis=(1, 2)) > STILL
    held = np.zeros(len(times), bool)
    for event in _holds(evidence):
        joint = str(event.parameters.get("joint"))
        frames = np.flatnonzero((times >= event.start - 1e-6) & (times <= event.end + 1e-6))
        held[frames] = True
        share = float(evidence.fraction(name)[frames[0]])
        if share < FRACTION:
            faults.append(f"{share:.2f} of {name} is seen when it is taken")
        fingers = [f"{joint}{finger}3" for finger in ("Thumb", "Index", "Middle", "Ring", "Pinky")]
        tips = [_gap(Points(agent, TIPS, (finger,)).at(int(frames[0])), thing, poses[frames[0]]) for finger in fingers]
        if tips[0] > TOUCH or min(tips[1:]) > TOUCH:
            faults.append(f"the fingertips are {1000 * max(tips[0], min(tips[1:])):.0f} mm away when it is taken")
        hand = Points(agent, 3 * TIPS, (joint,))
        gaps = [_gap(hand.at(int(frame)), thing, poses[frame]) for frame in frames]
        worst = max(worst, *gaps)
    if worst > TOUCH:
        faults.append(f"the hand is {1000 * worst:.0f} mm away from {name}")
    loose = np.flatnonzero(steps & ~(held[:-1] & held[1:]))
    faults += [f"{name} moves after frame {k} without a hand" for k in loose]
    return judged("stage grasp", faults, f"the hand is at {name} to {1000 * worst:.0f} mm")


def _gap(points: np.ndarray, thing: Entity, pose: np.ndarray) -> float:
    """Return the least distance (m) of points (N, 3) from the box of a thing."""
    own = (points - pose[:3, 3]) @ pose[:3, :3]
    return float(np.linalg.norm(np.maximum(np.abs(own) - np.array(thing.size) / 2, 0), axis=1).min())


def _lies_on(evidence: Evidence, name: str, frame: int) -> str | None:
    """Return the table on whose top an object lies in a frame."""
    thing = evidence.entity(name)
    pose = _places(thing, len(evidence.recording.times))[frame]
    low = float(pose[2, 3] - np.abs(pose[2, :3]) @ np.array(thing.size) / 2)
    for each in ("primary_surface", "destination_surface"):
        table = evidence.entity(each)
        top = float(table.poses[0][2, 3] + table.size[2] / 2)
        away = np.abs((pose[:3, 3] - table.poses[0][:3, 3]) @ table.poses[0][:3, :3])[:2]
        if abs(low - top) <= RESTS and (away <= np.array(table.size[:2]) / 2).all():
            return each
    return None


def check_placed(evidence: Evidence) -> Check:
    """Check that the object lies on the other table after the hold.

    If it is returned, it lies on the first one again after the second hold.
    """
    name, times, faults = _taken(evidence), evidence.recording.times, []
    agent = evidence.entity("agent")
    holds = _holds(evidence)
    if agent.body is None or not holds:
        return Check("stage placed", False, "no hand holds an object")
    wanted = ["destination_surface", "primary_surface"][: 1 + evidence.graph["params"]["returns"]]
    if len(holds) != len(wanted):
        faults.append(f"{len(holds)} holds, not {len(wanted)}")
    for event, table in zip(holds, wanted, strict=False):
        frame = int(np.searchsorted(times, event.end - 1e-6))
        found = _lies_on(evidence, name, frame)
        if found != table:
            faults.append(f"{name} is on {found} after the hold, not on {table}")
    hand = joint_poses(agent, holds[-1].parameters.get("joint"))
    after = np.flatnonzero(times >= holds[-1].end - 1e-6)
    gone = 0.0 if hand is None else float(np.linalg.norm(hand[after, :3, 3] - hand[after[0], :3, 3], axis=1).max())
    if gone < AWAY:
        faults.append(f"the hand stays at {name} afterwards")
    return judged("stage placed", faults, f"on {wanted[-1]}, and the hand goes {100 * gone:.0f} cm away")


def check_steps(evidence: Evidence) -> Check:
    """Check that the frames of each protocol show the object before, in and after each hold."""
    times, faults, fewest = evidence.recording.times, [], 99
    holds = _holds(evidence)
    edges = [float(times[0]), *(t for event in holds for t in (event.start, event.end)), float(times[-1]) + 1e-3]
    for count in PROTOCOLS:
        at = times[evidence.sampled(count)]
        for start, end in pairwise(edges):
            found = int(((at >= start - 1e-6) & (at < end)).sum())
            fewest = min(fewest, found)
            if not found:
                faults.append(f"none of {count} frames from {start:.1f} to {end:.1f} s")
    return judged("stage steps", faults, f"{fewest} or more of 8 frames before, in and after each hold")


def check_truth(evidence: Evidence) -> Check:
    """Check the truth of the graph against the order of masks, what moved, and where it was put."""
    told, faults, taken = evidence.graph["ground_truth"], [], _taken(evidence)
    row = sorted(_things(evidence), key=lambda name: evidence.columns[0][evidence.index[name]])
    position = SPOTS[row.index(taken)]
    holds = _holds(evidence)
    end = int(np.searchsorted(evidence.recording.times, holds[0].end - 1e-6)) if holds else 0
    table = _lies_on(evidence, taken, end)
    goal = evidence.objects[table]["label"] if table else "nothing"
    seen = evidence.of_object("agent")
    column = float(evidence.columns[int(np.argmax(seen > 0))][evidence.index["agent"]])
    found = taken, position, "Left" if column < 0.5 else "Right", goal
    wanted = tuple(told[k] for k in ("target_object_id", "target_position", "agent_entry_direction", "destination"))
    if found != wanted:
        faults.append(f"{listed(found)}, told {listed(wanted)}")
    aside = evidence.entity("destination_surface").poses[0][:3, 3] - evidence.entity("primary_surface").poses[0][:3, 3]
    side = "left" if aside @ evidence.recording.world_T_camera[0, :3, 0] < 0 else "right"
    if side != evidence.graph["params"]["destination_side"]:
        faults.append(f"the other table is on the {side}")
    faults += [f"{name} is a {evidence.entity(name).label}" for name in [*_things(evidence), "agent"]
               if evidence.entity(name).label != evidence.objects[name]["label"]]  # fmt: skip
    return judged("stage truth", faults, listed(found))

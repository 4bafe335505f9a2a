"""CM: presses and reactions, found in the motion of joints and in pictures, give the links."""

import itertools
from typing import NamedTuple

import numpy as np

from chronotope.recording import Entity
from chronotope.world.verify.outcome import Check, judged
from chronotope.world.verify.stage.evidence import PROTOCOLS, Evidence
from chronotope.world.verify.timing import apart, joint_poses, poses_of, relative, stretches

SHIFTS = 1e-6  # m by which the camera may move
PITCH = (30.0, 45.0)  # degrees by which the camera looks down
FACING = 30.0  # degrees, largest angle between the person's heading and the camera
PRESSED_M, PRESSED = 0.008, np.radians(20.0)  # least motion of a trigger
TOUCHED = 0.02  # share of this motion from which on a trigger is pressed
MOVED_M, MOVED = 2e-5, 1e-4  # m and rad, from frame to frame, of a joint that moves
APART, AROUND = 0.7, 1.2  # s between presses, and with a hand over the desk, at least
WITHDRAWN = 0.4  # s between presses without a hand over the desk
LATE, LASTS = 2, 1.5  # frames from the bottom of a press to its reaction, and s of a reaction, at least
PLAIN, SAME = 10.0, 4.0  # mean change of colour (of 255): of what reacts at least, and of what does not at most
SOON = 0.6  # s after the touch, when a reaction is plain
NO_EFFECT = "No Effect"
OTHER = {"left": "right", "right": "left"}
NAMES = ("effector_1", "effector_2")


class Press(NamedTuple):
    """A press of a trigger: its first, lowest and last frame."""

    trigger: str
    first: int
    bottom: int
    last: int


def check(evidence: Evidence) -> list[Check]:
    """Return the gates of the task."""
    return [
        check_view(evidence), check_sides(evidence), check_presses(evidence), check_reactions(evidence),
        check_inert(evidence), check_single(evidence), check_truth(evidence),
    ]  # fmt: skip


def _motion(entity: Entity, frames: int) -> np.ndarray:
    """Return how far (T,) a thing's joints are from their first places, as shares of a press."""
    if entity.body is None:
        return np.zeros(frames)
    found = np.zeros(frames)
    for joint in range(1, entity.body.poses.shape[1]):
        moved, turned = apart(own := relative(entity.body.poses[:, joint], entity.body.poses[:, 0]), own[0])
        found = np.maximum(found, np.maximum(moved / PRESSED_M, turned / PRESSED))
    return found


def presses(evidence: Evidence) -> list[Press]:
    """Return the presses of both triggers, in order."""
    found: list[Press] = []
    for name in ("trigger_1", "trigger_2"):
        motion = _motion(evidence.entity(name), len(evidence.recording.times))
        for run in stretches(motion > TOUCHED):
            bottom = int(run[motion[run].argmax()])
            found += [Press(name, int(run[0]), bottom, int(run[-1]))] if motion[bottom] >= 1 else []
    return sorted(found, key=lambda press: press.first)


def active(evidence: Evidence, name: str) -> np.ndarray:
    """Return in which frames (T,) an effector moves, or has another state than at first."""
    entity, frames = evidence.entity(name), len(evidence.recording.times)
    found = np.zeros(frames, bool)
    for change in entity.changes:
        found[change.frame :] = change.value != entity.attributes.get(change.key)
    paths = [poses_of(entity, frames)]
    if entity.body is not None:
        paths += [entity.body.poses[:, joint] for joint in range(entity.body.poses.shape[1])]
    for poses in paths:
        moved, turned = apart(poses[1:], poses[:-1])
        found[1:] |= (moved > MOVED_M) | (turned > MOVED)
    for before, after in itertools.pairwise(stretches(found)):  # a slow begin of the way back is no rest
        if after[0] - before[-1] <= 1 + LATE:
            found[before[-1] : after[0]] = True
    return found


def check_view(evidence: Evidence) -> Check:
    """Check that the camera stands still and looks down at a person who faces it."""
    poses, faults = evidence.recording.world_T_camera, []
    moved = float(np.abs(poses - poses[0]).max())
    if moved > SHIFTS:
        faults.append(f"the camera moves by {moved:.3f}")
    down = -float(evidence.pitch[0])
    if not PITCH[0] - 0.1 <= down <= PITCH[1] + 0.1:
        faults.append(f"it looks down by {down:.0f} degrees")
    hips = joint_poses(evidence.entity("agent"), "Hips")
    if hips is None:
        return judged("stage view", [*faults, "the person has no hips"], "")
    way = poses[0][:2, 3] - hips[0, :2, 3]
    angle = float(np.degrees(np.arccos(np.clip(hips[0, :2, 0] @ way / np.linalg.norm(way), -1, 1))))
    if angle > FACING:
        faults.append(f"the person looks {angle:.0f} degrees beside the camera")
    return judged("stage view", faults, f"{down:.0f} degrees down, towards the person")


def check_sides(evidence: Evidence) -> Check:
    """Check the sides in the picture and for the person, and that triggers lie between person and effectors."""
    params, faults = evidence.graph["params"], []
    hips = joint_poses(evidence.entity("agent"), "Hips")
    camera = evidence.recording.world_T_camera[0]
    for what in ("trigger", "effector"):
        first = params[f"{what}_1_side"]
        for number, side in ((1, first), (2, OTHER[first])):
            name = f"{what}_{number}"
            column = float(evidence.columns[0][evidence.index[name]])
            if ("left" if column < 0.5 else "right") != side:
                faults.append(f"{name} is not on the {side}")
            own = 0.0 if hips is None else float((np.linalg.inv(hips[0]) @ evidence.entity(name).poses[0])[1, 3])
            if (own > 0) != (side == "right"):  # the left of who faces the camera is on the right in the picture
                faults.append(f"{name} is on the wrong side of the person")

    def far(name: str) -> float:
        return float((evidence.entity(name).poses[0][:2, 3] - camera[:2, 3]) @ camera[:2, 2])

    if not max(map(far, NAMES)) < min(far("trigger_1"), far("trigger_2")) < far("agent"):
        faults.append("effectors, triggers and person do not lie behind each other")
    return judged("stage sides", faults, "as in the graph, and mirrored for the person")


def check_presses(evidence: Evidence) -> Check:
    """Check one press of each trigger in order, with a pause and the hand away between them."""
    times, faults, found = evidence.recording.times, [], presses(evidence)
    if [press.trigger for press in found] != ["trigger_1", "trigger_2"]:
        return Check("stage presses", False, f"presses of {', '.join(p.trigger for p in found) or 'nothing'}")
    pause = float(times[found[1].first] - times[found[0].last])
    if pause < APART:
        faults.append(f"{pause:.1f} s between the presses")
    out = [_out(evidence, press) for press in found]
    for press, run in zip(found, out, strict=True):
        seconds = float(times[run[-1]] - times[run[0]]) if len(run) else 0.0
        if seconds < AROUND:
            faults.append(f"the hand is out for {seconds:.1f} s to press {press.trigger}")
        faults += [f"none of {k} frames shows how {press.trigger} is pressed"
                   for k in PROTOCOLS if not np.isin(evidence.sampled(k), run).any()]  # fmt: skip
    rest = float(times[out[1][0]] - times[out[0][-1]]) if all(len(run) for run in out) else 0.0
    if rest < WITHDRAWN - 1e-6:
        faults.append(f"no hand is over the desk for only {rest:.1f} s between the presses")
    return judged(
        "stage presses", faults, f"two presses, {pause:.1f} s apart; no hand over the desk for {rest:.1f} s between"
    )


def _out(evidence: Evidence, press: Press) -> np.ndarray:
    """Return the frames about a press in which a hand is over the desk."""
    desk, agent = evidence.entity("anchor"), evidence.entity("agent")
    out = np.zeros(len(evidence.recording.times), bool)
    for joint in ("LeftHand", "RightHand", "LeftHandIndex3", "RightHandIndex3"):
        poses = joint_poses(agent, joint)
        if poses is not None:
            places = (np.linalg.inv(desk.poses[0]) @ poses)[:, :3, 3]
            half = np.array(desk.size) / 2
            out |= (np.abs(places[:, :2]) < half[:2]).all(axis=1) & (places[:, 2] > half[2])
    return next((run for run in stretches(out) if press.bottom in run), np.empty(0, int))


def _onsets(evidence: Evidence) -> list[tuple[int, int, str]]:
    """Return the first and the last frame of each reaction, and the effector, in order."""
    runs = [(int(run[0]), int(run[-1]), name) for name in NAMES for run in stretches(active(evidence, name))]
    return sorted(runs)


def check_reactions(evidence: Evidence) -> Check:
    """Check that each reaction follows a press at once, lasts, is plain in the picture, and is sampled."""
    times, faults, frames = evidence.recording.times, [], len(evidence.recording.times)
    found = presses(evidence)
    for first, last, name in _onsets(evidence):
        press = next((p for p in found if p.bottom <= first <= p.bottom + LATE), None)
        if press is None:
            faults.append(f"{name} reacts at {times[first]:.1f} s without a press")
            continue
        seconds = float(times[last] - times[first])
        if last < frames - 1 and seconds < LASTS:
            faults.append(f"{name} reacts for {seconds:.1f} s")
        faults += [f"none of {k} frames shows the reaction of {name}" for k in PROTOCOLS if not np.isin(
            evidence.sampled(k), np.arange(first, last + 1)).any()]  # fmt: skip
        change = _change(evidence, name, press)
        if change is not None and change < PLAIN:
            faults.append(f"the picture of {name} changes by {change:.1f}")
    return judged("stage reactions", faults, f"{len(_onsets(evidence))} reactions at once and plain")


def _change(evidence: Evidence, name: str, press: Press) -> float | None:
    """Return the mean change of colour where an effector is seen, from the touch until soon after it."""
    times, kept = evidence.recording.times, sorted(evidence.kept)
    before = max((k for k in kept if k <= press.first), default=None)
    soon = [k for k in kept if k > press.bottom and times[k] <= times[press.first] + SOON + 0.25]
    if before is None or not soon:
        return None
    one, other = evidence.kept[before], evidence.kept[soon[-1]]
    if one.picture is None or other.picture is None:
        return None
    identity = evidence.index[name] + 1
    region = (one.identities == identity) | (other.identities == identity)
    if not region.any():
        return None
    return float(np.abs(one.picture[region].astype(int) - other.picture[region]).mean())


def check_inert(evidence: Evidence) -> Check:
    """Check that a press changes no joint, no state and no colour of what it does not drive."""
    faults, worst = [], 0.0
    inert = {"A": 0, "B": 1, "C": 2}[evidence.graph["params"]["scenario_type"]]
    for press in presses(evidence):
        number = int(press.trigger[-1])
        for name in NAMES:
            if name == f"effector_{number}" and number != inert:
                continue
            if active(evidence, name)[press.first : press.last + 1 + LATE].any():
                faults.append(f"{name} reacts to {press.trigger}")
            change = _change(evidence, name, press)
            worst = max(worst, change or 0.0)
            if change is not None and change > SAME:
                faults.append(f"the picture of {name} changes by {change:.1f} with {press.trigger}")
    return judged("stage inert", faults, f"what does not react changes by {worst:.1f} or less")


def check_single(evidence: Evidence) -> Check:
    """Check that no frame has both reactions, and the first and the last have none."""
    both = np.array([active(evidence, name) for name in NAMES])
    motion = np.array([_motion(evidence.entity(f"trigger_{k}"), both.shape[1]) for k in (1, 2)]) > TOUCHED
    faults = [f"frame {k} shows both reactions" for k in np.flatnonzero(both.all(axis=0))]
    faults += [f"frame {k} is not at rest" for k in (0, both.shape[1] - 1) if both[:, k].any() or motion[:, k].any()]
    return judged("stage single", faults, "one reaction at a time")


def check_truth(evidence: Evidence) -> Check:
    """Check the links against the presses and the reactions that follow them."""
    told, faults, links = evidence.graph["ground_truth"], [], {}
    onsets = _onsets(evidence)
    for press in presses(evidence):
        after = range(press.bottom, press.bottom + LATE + 1)
        driven = [evidence.entity(name).label for first, _, name in onsets if first in after]
        links[press.trigger] = driven[0] if len(driven) == 1 else "both" if driven else NO_EFFECT
    for number in (1, 2):
        effect = links.get(f"trigger_{number}", "no press")
        if effect != told[f"trigger_{number}_effect"]:
            faults.append(f"trigger {number} drives {effect}, told {told[f'trigger_{number}_effect']}")
    working = [number for number in (1, 2) if links.get(f"trigger_{number}", NO_EFFECT) != NO_EFFECT]
    kind = {(1, 2): "A", (2,): "B", (1,): "C"}.get(tuple(working))
    if kind != told["scenario_type"]:
        faults.append(f"the scenario is {kind}, told {told['scenario_type']}")
    return judged("stage truth", faults, ", ".join(links.values()))

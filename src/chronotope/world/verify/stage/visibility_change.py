"""VI: what the observer can see of the target in both holds, by rays and again from the picture alone."""

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from chronotope.world.verify.frame import Frame
from chronotope.world.verify.outcome import Check, judged
from chronotope.world.verify.stage.evidence import PROTOCOLS, Evidence, listed
from chronotope.world.verify.stage.persons import Points, eyes_of, hips_of

VISIBLE, OCCLUDED = 0.95, 0.02  # least and largest share of the target's points that count as these states
WORDS = {True: "Visible", False: "Occluded"}
POINTS = 80  # of the target's surface
FRACTION = 0.6  # least visible fraction of each of the three in every frame
STANDS, WALKS = 0.06, 1.0  # m: how far the hips of who stands may move, and how far who moves goes at least
CIRCLE, OFF, HOUR = 2.5, 0.3, 8.0  # m and degrees: radius of the clock points, and how far people may be from them
TOLD = 0.15  # largest difference between the told and the found share in the holds
CROWN, EYE_DOWN = 0.12, 0.11  # m: part of the picture of a person that is the head, and the eyes below the crown
TOP, GRAIN = 0.06, 1e-9  # m: how far below the highest pixel of the occluder its upper side goes on
SEEN_BY_PICTURE, HIDDEN_BY_PICTURE = 0.9, 0.1  # shares of the target's pixels


def check(evidence: Evidence) -> list[Check]:
    """Return the gates of the task."""
    sight = _sight(evidence)
    return [
        check_view(evidence), check_mover(evidence), check_sight(evidence, sight), check_picture(evidence),
        check_change(evidence, sight), check_truth(evidence, sight),
    ]  # fmt: skip


def check_view(evidence: Evidence) -> Check:
    """Check that the camera stands high and still, and that all three are seen well in every frame."""
    poses, faults = evidence.recording.world_T_camera, []
    if np.abs(poses - poses[0]).max() > 1e-6:
        faults.append("the camera moves")
    down = -float(evidence.pitch[0])
    if not 60 <= down <= 80:
        faults.append(f"the camera looks down by {down:.0f} degrees")
    worst = 1.0
    for name in evidence.objects:
        least = float(evidence.fraction(name).min())
        worst = min(worst, least)
        if least < FRACTION:
            faults.append(f"{least:.2f} of {name} in frame {int(evidence.fraction(name).argmin())}")
        if np.array(evidence.cut)[:, evidence.index[name]].any():
            faults.append(f"{name} reaches the edge of the picture")
    return judged("stage view", faults, f"{worst:.2f} of each of the three or more")


def _mover(evidence: Evidence) -> str:
    """Return who goes farther."""
    gone = {role: float(np.ptp(hips_of(evidence.entity(role)), axis=0).max()) for role in ("observer", "target")}
    return max(gone, key=lambda role: gone[role])


def check_mover(evidence: Evidence) -> Check:
    """Check that only one person walks, in the phase of the movement, and that the occluder stands."""
    mover, faults = _mover(evidence), []
    other = "target" if mover == "observer" else "observer"
    hips = hips_of(evidence.entity(mover))
    strayed = float(np.linalg.norm(np.diff(hips_of(evidence.entity(other)), axis=0).cumsum(axis=0), axis=1).max())
    if strayed > STANDS:
        faults.append(f"{other} moves by {strayed:.2f} m")
    for name in ("initial", "final_hold"):
        frames = evidence.phase(name)
        moved = float(np.linalg.norm(hips[frames] - hips[frames[0]], axis=1).max())
        if moved > STANDS:
            faults.append(f"{mover} moves by {moved:.2f} m in the phase {name}")
    gone = float(np.linalg.norm(np.diff(hips, axis=0), axis=1).sum())
    if gone < WALKS:
        faults.append(f"{mover} goes {gone:.2f} m")
    if len(evidence.entity("occluder").poses) > 1:
        faults.append("the occluder moves")
    return judged("stage mover", faults, f"only {mover} moves, by {gone:.1f} m")


def _sight(evidence: Evidence) -> np.ndarray:
    """Return the share (T,) of the target's surface to which rays from the observer's eyes are free."""
    box = evidence.entity("occluder")
    eyes, points = eyes_of(evidence.entity("observer")), Points(evidence.entity("target"), POINTS)
    shares = []
    for frame, eye in enumerate(eyes):
        ends = (points.at(frame) - box.poses[0][:3, 3]) @ box.poses[0][:3, :3]
        start = (eye - box.poses[0][:3, 3]) @ box.poses[0][:3, :3]
        shares.append(1 - float(_through_box(start, ends, np.array(box.size) / 2).mean()))
    return np.array(shares)


def _through_box(start: np.ndarray, ends: np.ndarray, half: np.ndarray) -> np.ndarray:
    """Return which lines (N,) from a point to ends (N, 3) go through a box about the origin."""
    way = ends - start
    way = np.where(np.abs(way) < GRAIN, GRAIN, way)
    first, second = (-half - start) / way, (half - start) / way
    into, out = np.minimum(first, second).max(axis=1), np.maximum(first, second).min(axis=1)
    return (into < out) & (into < 1) & (out > 0)


def _state(share: float) -> str | None:
    return WORDS[True] if share >= VISIBLE else WORDS[False] if share <= OCCLUDED else None


def check_sight(evidence: Evidence, sight: np.ndarray) -> Check:
    """Check that the observer sees all or nothing of the target in each hold, as the episode tells."""
    faults, told = [], np.asarray(evidence.episode["facts"]["sight"], float)
    for name in ("initial", "final_hold"):
        frames = evidence.phase(name)
        states = {_state(float(share)) for share in sight[frames]}
        if len(states) > 1 or None in states:
            faults.append(f"{sight[frames].min():.2f} to {sight[frames].max():.2f} in the phase {name}")
        if told.shape != sight.shape or np.abs(told - sight)[frames].max() > TOLD:
            faults.append(f"the episode tells another sight in the phase {name}")
    if evidence.graph["params"]["transition"].startswith("Always"):
        states = {_state(float(share)) for share in sight}
        if len(states) > 1:
            faults.append(f"{sight.min():.2f} to {sight.max():.2f} on the way")
    return judged("stage sight", faults, f"{sight[0]:.2f} at first, {sight[-1]:.2f} at last")


def check_picture(evidence: Evidence) -> Check:
    """Check the sight in the first and the last frame by depth and identities alone.

    The upper side of the occluder is the hull of its highest pixels, and the eyes are below the highest pixels of the
    observer. Lines from there to the pixels of the target go over this hull, or do not.
    """
    faults, found = [], []
    for number, name in ((0, "initial"), (len(evidence.seen) - 1, "final_hold")):
        share = _share_by_picture(evidence, evidence.kept[number])
        told = evidence.graph["temporal_flow"]["observer_view_status"][name.removesuffix("_hold")]
        found.append(share)
        if share is None or (share >= SEEN_BY_PICTURE) != (told == WORDS[True]) or (
            told == WORDS[False] and share > HIDDEN_BY_PICTURE
        ):  # fmt: skip
            faults.append(f"{share or 0:.2f} of the target is in sight in frame {number}, told {told}")
    return judged("stage picture", faults, " and ".join(f"{share or 0:.2f}" for share in found) + " in sight")


def _share_by_picture(evidence: Evidence, frame: Frame) -> float | None:
    """Return the share of the target's pixels that the observer sees past the occluder's hull."""
    seen = {}
    for name in ("observer", "target", "occluder"):
        rows, columns = np.nonzero((frame.identities == evidence.index[name] + 1) & np.isfinite(frame.depth))
        if len(rows) < 4:
            return None
        seen[name] = frame.unproject(rows, columns)
    crown = float(seen["observer"][:, 2].max())
    head = seen["observer"][seen["observer"][:, 2] > crown - CROWN]
    eye = np.array([*head[:, :2].mean(axis=0), crown - EYE_DOWN])
    high = float(seen["occluder"][:, 2].max())
    top = seen["occluder"][seen["occluder"][:, 2] > high - TOP][:, :2]
    try:
        hull = ConvexHull(top)
    except QhullError:
        return None
    # A line is inside the hull between its last entry through a side and its first exit.
    normal, offset = hull.equations[:, :2], hull.equations[:, 2]
    start = normal @ eye[:2] + offset
    end = seen["target"][:, :2] @ normal.T + offset
    step = np.where(np.abs(end - start) < GRAIN, GRAIN, end - start)
    at = -start / step
    into = np.where(step < 0, at, -np.inf).max(axis=1)
    out = np.where(step > 0, at, np.inf).min(axis=1)
    height = eye[2] + np.clip(into, 0, 1) * (seen["target"][:, 2] - eye[2])
    return 1 - float(((into < out) & (into < 1) & (out > 0) & (height < high)).mean())


def check_change(evidence: Evidence, sight: np.ndarray) -> Check:
    """Check that no sampled frame shows a whole change.

    Both holds and the walk are sampled by each protocol.
    """
    faults = []
    walking = evidence.phase("movement")
    for count in PROTOCOLS:
        sampled = evidence.sampled(count)
        states = [_state(float(share)) for share in sight[sampled]]
        between = [k for k, frame in enumerate(sampled) if frame in walking]
        if not between or between[0] == 0 or between[-1] == len(sampled) - 1:
            faults.append(f"{count} frames do not show a hold, the walk and a hold")
        elif f"{states[0]}_to_{states[-1]}" != _both(evidence):
            faults.append(f"{count} frames go from {states[0]} to {states[-1]}")
    return judged("stage change", faults, "from hold to hold by any of the protocols")


def _both(evidence: Evidence) -> str:
    told = evidence.graph["ground_truth"]
    return f"{told['initial_status']}_to_{told['final_status']}"


def check_truth(evidence: Evidence, sight: np.ndarray) -> Check:
    """Check the truth of the graph against places, sight and labels."""
    told, faults = evidence.graph["ground_truth"], []
    first, last = _state(float(sight[0])), _state(float(sight[-1]))
    found = f"{first}_to_{last}" if first != last else f"Always_{first}"
    if found != told["visibility_transition"] or (first, last) != (told["initial_status"], told["final_status"]):
        faults.append(f"{found}, told {told['visibility_transition']}")
    mover = f"{_mover(evidence).capitalize()}_Moves"
    if mover != told["mover"]:
        faults.append(f"{mover}, told {told['mover']}")
    for role in ("observer", "target"):
        position = evidence.objects[role]["attributes"]["position"]
        wanted = [int(part.split()[-1]) for part in position.split(" o'clock")[:-1]]
        places = hips_of(evidence.entity(role))[[0, -1], :2]
        for hour, place in zip((wanted[0], wanted[-1]), places, strict=True):
            off = (np.degrees(np.arctan2(place[0], place[1])) - 30 * hour + 180) % 360 - 180
            if abs(off) > HOUR or abs(float(np.linalg.norm(place)) - CIRCLE) > OFF:
                faults.append(f"{role} is not at {hour} o'clock")
    side = {True: "Right", False: "Left"}
    sides = {side[bool(x > 0)] for x in hips_of(evidence.entity("observer"))[[0, -1], 0] if abs(x) > 1}
    if told["observer_side"] not in sides:
        faults.append(f"the observer is on the side {listed(sorted(sides))}, told {told['observer_side']}")
    faults += [f"{role} is a {evidence.entity(role).label}" for role in evidence.objects
               if evidence.entity(role).label != evidence.objects[role]["label"]]  # fmt: skip
    return judged("stage truth", faults, f"{found} by {mover}")

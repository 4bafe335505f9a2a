"""RV: all vehicles keep their speeds and their lanes, and each passes the other as the truth says."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from chronotope.world.verify.outcome import Check, judged
from chronotope.world.verify.stage.evidence import PROTOCOLS, Evidence, listed

SLOWER, FASTER = "Slower-than-Ego", "Faster-than-Ego"
APART, STEADY, DRIFT = 3.0, 0.05, 0.1  # m/s between two speeds, m/s that a speed may vary, and m beside a lane
LANE = (2.5, 4.5)  # m, from the middle of the camera's lane to that of a mover's
PIXELS, TWICE, GROWTH = 300, 2, 1.5  # at 720 lines; sampled frames that show a mover, and ratio of its sizes
UNSEEN_S = 1.0  # s at first in which a faster mover is out of view
FRAMES = 6  # least number of frames in which a mover is whole in the picture
ROLES = ("slower", "faster")


def check(evidence: Evidence) -> list[Check]:
    """Return the gates of the task."""
    if evidence.recording.vehicle_pose is None:
        return [Check("stage speeds", False, "the recording has no pose of the vehicle with the camera")]
    return [check_speeds(evidence), check_lanes(evidence), check_entry(evidence), check_cues(evidence),
            check_truth(evidence)]  # fmt: skip


def _axes(evidence: Evidence) -> tuple[np.ndarray, np.ndarray]:
    """Return the unit vectors ahead and to the left of the vehicle with the camera."""
    assert evidence.recording.vehicle_pose is not None
    pose = evidence.recording.vehicle_pose[0]
    return pose[:3, 0], pose[:3, 1]


def _ego(evidence: Evidence) -> np.ndarray:
    assert evidence.recording.vehicle_pose is not None
    return evidence.recording.vehicle_pose[:, :3, 3]


def _movers(evidence: Evidence) -> list[Mapping[str, Any]]:
    return evidence.by_role(*ROLES)


def _ahead(evidence: Evidence, name: str) -> np.ndarray:
    """Return how far (T,) m a mover is ahead of the camera."""
    return (evidence.places(name) - evidence.recording.world_T_camera[:, :3, 3]) @ _axes(evidence)[0]


def _relation(evidence: Evidence, name: str) -> str:
    """Return the relative speed as the poses show it; "" if its sign changes."""
    rates = evidence.rates(_ahead(evidence, name))
    return SLOWER if (rates < -APART).all() else FASTER if (rates > APART).all() else ""


def check_speeds(evidence: Evidence) -> Check:
    """Check that all speeds are constant, and that those of the movers differ clearly from the camera's."""
    ahead, _ = _axes(evidence)
    faults, speeds = [], []
    for name, places in (("ego", _ego(evidence)), *((m["id"], evidence.places(m["id"])) for m in _movers(evidence))):
        rates = evidence.rates(places @ ahead)
        speeds.append(f"{rates.mean():.1f}")
        if np.ptp(rates) > STEADY:
            faults.append(f"the speed of {name} varies by {np.ptp(rates):.2f} m/s")
        if name != "ego" and not _relation(evidence, name):
            faults.append(f"{name} is neither slower nor faster by {APART} m/s in all frames")
    return judged("stage speeds", faults, f"{listed(speeds)} m/s")


def check_lanes(evidence: Evidence) -> Check:
    """Check that each vehicle keeps its lane, and that movers are on the sides of the parameters."""
    _, left = _axes(evidence)
    params, faults = evidence.graph["params"], []
    own = _ego(evidence) @ left
    if np.ptp(own) > DRIFT:
        faults.append(f"the camera drifts by {np.ptp(own):.2f} m")
    for mover in _movers(evidence):
        name, side = mover["id"], params["slow_side" if mover["role"] == "slower" else "overtake_side"]
        beside = evidence.places(name) @ left
        if np.ptp(beside) > DRIFT:
            faults.append(f"{name} drifts by {np.ptp(beside):.2f} m")
        off = float((beside - own).mean())
        if not LANE[0] <= abs(off) <= LANE[1] or (off > 0) != (side == "Left"):
            faults.append(f"{name} is {off:.1f} m to the left, not on the {side.lower()} lane")
        column = evidence.mean_column(name, np.arange(len(own)))
        if (column < 0.5) != (side == "Left"):
            faults.append(f"{name} is seen at {column:.2f} of the width")
    return judged("stage lanes", faults, "each vehicle keeps its lane")


def check_entry(evidence: Evidence) -> Check:
    """Check that at first only what is slower is seen, and the order of passing."""
    times, faults = evidence.recording.times, []
    early = times <= UNSEEN_S
    passed: dict[str, float] = {}
    for mover in _movers(evidence):
        name, role, seen = mover["id"], mover["role"], evidence.of_object(mover["id"])
        relation = _relation(evidence, name)
        if relation == SLOWER and (seen[0] < evidence.pixels(PIXELS) or seen[-1]):
            faults.append(f"{name} has {seen[0]} px at first and {seen[-1]} px at the end")
        if relation == FASTER and (seen[early].max() or seen[-1] < evidence.pixels(PIXELS)):
            faults.append(f"{name} has {seen[early].max()} px before it enters and {seen[-1]} px at the end")
        ahead = _ahead(evidence, name)
        passes = np.flatnonzero(np.diff(ahead >= 0))
        passed[role] = float(times[passes[0] + 1]) if len(passes) else np.inf
        phase = evidence.phase(f"{role}_cue")
        if len(passes) != 1 or not times[phase[0]] <= passed[role] <= times[phase[-1]]:
            faults.append(f"{name} passes at {passed[role]:.1f} s")
    order = "slower_first" if passed["slower"] < passed["faster"] else "faster_first"
    if order != evidence.graph["params"]["overtake_order"]:
        faults.append(f"the order is {order}")
    return judged("stage entry", faults, f"pass at {listed([f'{at:.1f}' for at in sorted(passed.values())])} s")


def check_cues(evidence: Evidence) -> Check:
    """Check that a slower mover grows in the picture and a faster one shrinks.

    Sampled frames show each of them at least twice: speed is seen in two frames or more, never in one.
    """
    faults, ratios = [], []
    cut = np.array(evidence.cut)
    for mover in _movers(evidence):
        name, seen = mover["id"], evidence.of_object(mover["id"])
        whole = np.flatnonzero((seen > 0) & ~cut[:, evidence.index[name]])
        if len(whole) < FRAMES:
            faults.append(f"{name} is whole in the picture in {len(whole)} frames")
            continue
        ratio = float(seen[whole[-2:]].mean() / seen[whole[:2]].mean())
        ratios.append(f"{ratio:.1f}")
        if ratio < GROWTH and _relation(evidence, name) == SLOWER:
            faults.append(f"{name} grows by a factor of {ratio:.2f}")
        if ratio > 1 / GROWTH and _relation(evidence, name) == FASTER:
            faults.append(f"{name} shrinks to {ratio:.2f} of its size")
        for count in PROTOCOLS:
            found = int((seen[evidence.sampled(count)] >= evidence.pixels(PIXELS)).sum())
            if found < TWICE:
                faults.append(f"{name} is in {found} of {count} frames")
    return judged("stage cues", faults, f"sizes change by {listed(ratios)}")


def check_truth(evidence: Evidence) -> Check:
    """Check the relative speeds and their order against the poses, and the labels of the movers."""
    told, faults = evidence.graph["ground_truth"], []
    ahead, _ = _axes(evidence)
    speeds = {"ego": float(evidence.rates(_ego(evidence) @ ahead).mean())}
    for mover in _movers(evidence):
        name = mover["id"]
        speeds[name] = float(evidence.rates(evidence.places(name) @ ahead).mean())
        relation = _relation(evidence, name)
        if told["relative_velocity_per_agent"].get(name) != relation:
            faults.append(f"{name} is {relation}, told {told['relative_velocity_per_agent'].get(name)}")
        if evidence.entity(name).label != mover["label"]:
            faults.append(f"{name} is a {evidence.entity(name).label}")
    ranked = sorted(speeds, key=lambda name: speeds[name])
    if list(told["velocity_ranking_low_to_high"]) != ranked:
        faults.append(f"{listed(ranked)} from slow to fast, told {listed(told['velocity_ranking_low_to_high'])}")
    return judged("stage truth", faults, f"{listed(ranked)} from slow to fast")

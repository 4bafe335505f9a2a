"""HO: at each rest of the camera one level is seen alone, and only the tilt changes."""

import numpy as np

from chronotope.world.verify.outcome import Check, judged
from chronotope.world.verify.stage.evidence import Evidence, listed

PIXELS = 300  # at 720 lines
APART = 0.4  # m, least distance of two levels
HOLD = 1.4  # s, of a rest of the camera at a level
SHIFTS = 1e-6  # m, and degrees, that a camera which only tilts may move or turn
ROLES = ("obj_lowest", "obj_middle", "obj_highest")


def check(evidence: Evidence) -> list[Check]:
    """Return the gates of the task."""
    return [check_tilt(evidence), check_levels(evidence), check_side(evidence), check_truth(evidence)]


def _levels(evidence: Evidence) -> list[list[str]]:
    """Return the objects of each level by the heights of their supports, from low to high."""
    names = sorted(evidence.objects, key=evidence.low_of)
    levels: list[list[str]] = []
    for name in names:
        if not levels or evidence.low_of(name) - evidence.low_of(levels[-1][0]) > 0.01:
            levels.append([])
        levels[-1].append(name)
    return levels


def check_tilt(evidence: Evidence) -> Check:
    """Check that the camera keeps its place, its heading and its roll, and tilts as the parameter says."""
    poses = evidence.recording.world_T_camera
    faults = []
    moved = float(np.abs(poses[:, :3, 3] - poses[0, :3, 3]).max())
    turned = float(np.ptp(evidence.heading))
    rolled = float(np.degrees(np.abs(poses[:, 2, 0]).max()))
    if moved > SHIFTS or turned > 1e-3 or rolled > 1e-3:
        faults.append(f"moved {moved:.3f} m, turned {turned:.2f} and rolled {rolled:.2f} degrees")
    params = evidence.graph["params"]
    steps = [float(evidence.pitch[hold[0]]) for hold in evidence.holds()]
    ups = np.diff(steps[:3])
    if (
        len(steps) != 3 + params["turns_back"]
        or not (ups > 0 if params["tilt_dir"] == "Bottom-to-Top" else ups < 0).all()
    ):
        faults.append(f"rests at {listed([f'{step:.0f}' for step in steps])} degrees")
    shortest = min((len(hold) for hold in evidence.holds()), default=0) / (evidence.recording.fps or 1)
    if shortest < HOLD:
        faults.append(f"rests for {shortest:.1f} s")
    return judged("stage tilt", faults, f"rests at {listed([f'{step:.0f}' for step in steps])} degrees")


def check_levels(evidence: Evidence) -> Check:
    """Check that each rest shows all things of one level and nothing of the others."""
    levels, faults = _levels(evidence), []
    order = (0, 1, 2) if evidence.graph["params"]["tilt_dir"] == "Bottom-to-Top" else (2, 1, 0)
    order = (*order, 1) if evidence.graph["params"]["turns_back"] else order
    for level, hold in zip(order, evidence.holds(), strict=False):
        for name in evidence.objects:
            seen = evidence.of_object(name)[hold]
            if name in levels[min(level, len(levels) - 1)]:
                if seen.min() < evidence.pixels(PIXELS):
                    faults.append(f"{name} has {seen.min()} px at its level")
            elif seen.max():
                faults.append(f"{name} has {seen.max()} px at another level")
    every = [k for k in range(len(evidence.seen)) if all(evidence.of_object(role)[k] > 0 for role in ROLES)]
    faults += [f"frame {k} shows all three levels" for k in every]
    return judged("stage levels", faults, "one level at each rest")


def check_side(evidence: Evidence) -> Check:
    """Check that the distractor is beside its level's object, on the stated side."""
    params = evidence.graph["params"]
    beside = f"obj_{params['distractor_level']}"
    faults = []
    if abs(evidence.low_of("obj_distractor") - evidence.low_of(beside)) > 0.005:
        faults.append("it stands on another support")
    shown = np.array(evidence.columns)[:, [evidence.index["obj_distractor"], evidence.index[beside]]]
    shown = shown[np.isfinite(shown).all(axis=1)]
    away = shown[:, 0] - shown[:, 1]
    if not len(away) or ((away > 0) != (params["distractor_side"] == "right")).any():
        faults.append(f"it is not to the {params['distractor_side']} of {beside}")
    return judged("stage side", faults, f"{params['distractor_side']} of {beside}")


def check_truth(evidence: Evidence) -> Check:
    """Check the ranking against the heights of the supports."""
    lows = {role: evidence.low_of(role) for role in ROLES}
    ranked = sorted(ROLES, key=lambda role: lows[role])
    told = list(evidence.graph["ground_truth"]["height_ranking_low_to_high"])
    found = [evidence.objects[role]["label"] for role in ranked]
    faults = [] if found == told else [f"{listed(found)}, told {listed(told)}"]
    gaps = np.diff([lows[role] for role in ranked])
    if gaps.min() < APART:
        faults.append(f"two levels are {gaps.min():.2f} m apart")
    faults += [
        f"{role} is a {evidence.entity(role).label}"
        for role in (*ROLES, "obj_distractor")
        if evidence.entity(role).label != evidence.objects[role]["label"]
    ]
    return judged("stage truth", faults, listed(found))

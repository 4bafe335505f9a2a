"""BT: the hazard is out of view until it comes onto the lane, and only then the agent reacts, as the truth says."""

import numpy as np

from chronotope.world.verify.outcome import Check, judged
from chronotope.world.verify.stage.evidence import PROTOCOLS, Evidence, listed

BEHIND, UP, DOWN = (8.0, 0.5), (6.0, 0.3), (-30.0, 1.0)  # of the drone and its view: m, m and degrees, with tolerances
CENTRE, LOW = 0.1, 0.5  # share of the width beside the middle, and of the height, where the agent is seen at first
PIXELS = 300  # at 720 lines
PROMPT = 0.3  # s from the hazard at the edge of the lane to the brakes
STEADY, SLOWED = 0.02, 0.03  # shares of the speed by which it may vary, and from which on the agent brakes
STOPPED, PAUSE, RESUMED = 0.02, 0.8, 0.8  # m/s, s, and share of the first speed
SHORT, HALF_HAZARD = 2.0, 0.35  # m from the front of the agent to the hazard, and half the length of a hazard
TWICE = 2  # sampled frames that show a state


def check(evidence: Evidence) -> list[Check]:
    """Return the gates of the task."""
    return [check_follow(evidence), check_hidden(evidence), check_enters(evidence), check_reaction(evidence),
            check_bystander(evidence), check_frames(evidence), check_truth(evidence)]  # fmt: skip


def _axes(evidence: Evidence) -> tuple[np.ndarray, np.ndarray]:
    """Return the unit vectors ahead and to the left of the agent, in the first frame."""
    entity = evidence.entity("agent")
    pose = (entity.poses if entity.body is None else entity.body.poses[:, 0])[0]
    return pose[:3, 0], pose[:3, 1]


def _along(evidence: Evidence, name: str) -> np.ndarray:
    """Return how far (T,) m an entity is ahead of the first place of the agent."""
    return (evidence.places(name) - evidence.places("agent")[0]) @ _axes(evidence)[0]


def _aside(evidence: Evidence, name: str) -> np.ndarray:
    """Return how far (T,) m an entity is to the left of the first place of the agent."""
    return (evidence.places(name) - evidence.places("agent")[0]) @ _axes(evidence)[1]


def _on_lane(evidence: Evidence) -> np.ndarray:
    """Return in which frames (T,) the middle of the hazard is on the lane."""
    return np.abs(_aside(evidence, "trigger")) <= float(evidence.episode["facts"]["lane_half"])


def check_follow(evidence: Evidence) -> Check:
    """Check that the camera is behind and above the agent, which is seen below the middle at first."""
    poses, ahead, faults = evidence.recording.world_T_camera, _axes(evidence)[0], []
    offset = evidence.places("agent") - poses[:, :3, 3]
    found = {"behind": offset @ ahead, "above": poses[:, 2, 3], "pitch": evidence.pitch}
    for (what, values), (wanted, within) in zip(found.items(), (BEHIND, UP, DOWN), strict=True):
        if np.abs(values - wanted).max() > within:
            faults.append(f"{what} is {values[np.abs(values - wanted).argmax()]:.1f}, not {wanted:g}")
    region = evidence.kept[0].regions[evidence.index["agent"]]
    column = float(evidence.columns[0][evidence.index["agent"]])
    row = 0.0 if region is None else (region[0].start + region[0].stop) / 2 / evidence.kept[0].depth.shape[0]
    if not abs(column - 0.5) <= CENTRE or row < LOW:
        faults.append(f"the agent is at {column:.2f} of the width and {row:.2f} of the height")
    return judged("stage follow", faults, "behind and above the agent")


def check_hidden(evidence: Evidence) -> Check:
    """Check that the hazard is outside the view at first, and not seen before it enters."""
    seen, faults = evidence.of_object("trigger"), []
    baseline = evidence.phase("baseline")
    if seen[baseline].max():
        faults.append(f"{seen[baseline].max()} px before it enters")
    frame = evidence.kept[0]
    (row,), (column,), (depth,) = frame.project(evidence.places("trigger")[:1])
    height, width = frame.depth.shape
    if np.isfinite(depth) and 0 <= row < height and 0 <= column < width:
        faults.append(f"it is in the view at first, at ({column:.0f}, {row:.0f})")
    return judged("stage hidden", faults, "no pixel of the hazard before it enters")


def check_enters(evidence: Evidence) -> Check:
    """Check from which side and when the hazard comes, in the world and in the picture."""
    seen, times, faults = evidence.of_object("trigger"), evidence.recording.times, []
    wanted = str(evidence.graph["params"]["trigger_side"])
    aside = _aside(evidence, "trigger")
    if (aside[0] > 0) != (wanted == "left"):
        faults.append(f"it waits {aside[0]:.1f} m to the left")
    first = np.flatnonzero(seen)[:3]
    column = evidence.mean_column("trigger", first) - evidence.mean_column("agent", first) if len(first) else np.nan
    if not np.isfinite(column) or (column < 0) != (wanted == "left"):
        faults.append(f"it is first seen at {column:+.2f} of the width from the agent")
    reached = np.flatnonzero(_on_lane(evidence))
    enters = evidence.phase("trigger_enters")
    at = float(times[reached[0]]) if len(reached) else np.inf
    if not times[enters[0]] <= at <= times[enters[-1]] + PROMPT:
        faults.append(f"it reaches the lane at {at:.1f} s")
    elif not seen[enters].max() >= evidence.pixels(PIXELS) / 2:
        faults.append(f"it has {seen[enters].max()} px when it enters")
    return judged("stage enters", faults, f"from the {wanted}, on the lane at {at:.1f} s")


def _brakes(evidence: Evidence) -> tuple[np.ndarray, float, np.ndarray]:
    """Return the speeds (T - 1,) of the agent, its first speed, and the slower steps.

    Speeds are in m/s.
    """
    rates = evidence.rates(_along(evidence, "agent"))
    first = float(rates[evidence.phase("baseline")[:-1]].mean())
    return rates, first, np.flatnonzero(rates < first * (1 - SLOWED))


def check_reaction(evidence: Evidence) -> Check:
    """Check that the agent reacts as the parameter says, once the hazard is on the lane."""
    times, wanted = evidence.recording.times, str(evidence.graph["params"]["reaction_type"])
    rates, first, slower = _brakes(evidence)
    steady = rates[evidence.phase("baseline")[:-1]]
    faults = [f"the first speed varies by {np.ptp(steady):.2f} m/s"] if np.ptp(steady) > STEADY * first else []
    lane, along = _on_lane(evidence), _along(evidence, "agent")
    if wanted == "No_Reaction":
        front = along + evidence.entity("agent").size[0] / 2
        near = np.flatnonzero(front >= _along(evidence, "trigger") - HALF_HAZARD)
        faults += [f"it slows down at {times[slower[0]]:.1f} s"] if len(slower) else []
        if len(near) and lane[near[0] :].any():
            faults.append("the hazard is on the lane when the agent comes")
        return judged("stage reaction", faults, f"{first:.1f} m/s to the end")
    if not len(slower):
        return Check("stage reaction", False, ", ".join([*faults, "the agent does not brake"]))
    onset, reached = float(times[slower[0]]), np.flatnonzero(lane)
    edge = float(times[reached[0]]) if len(reached) else np.inf
    step = float(times[1] - times[0])
    shown = np.flatnonzero(evidence.of_object("trigger"))
    if not edge - step <= onset <= edge + PROMPT or not len(shown) or times[shown[0]] > onset:
        faults.append(f"the agent brakes at {onset:.1f} s, and the hazard is on the lane at {edge:.1f} s")
    faults += _stops(evidence, rates, first, wanted)
    gap = _along(evidence, "trigger") - along - evidence.entity("agent").size[0] / 2 - HALF_HAZARD
    if lane.any() and gap[lane].min() < SHORT:
        faults.append(f"the hazard is {gap[lane].min():.1f} m before the agent")
    return judged("stage reaction", faults, f"brakes at {onset:.1f} s, {gap[lane].min(initial=99):.1f} m short")


def _stops(evidence: Evidence, rates: np.ndarray, first: float, wanted: str) -> list[str]:
    """Describe what is wrong with the stop of the agent, and with what follows it."""
    times = evidence.recording.times
    still = np.flatnonzero(rates <= STOPPED)
    seconds = float(len(still) * (times[1] - times[0]))
    if seconds < PAUSE:
        return [f"the agent stands for {seconds:.1f} s"]
    if wanted == "Full_Stop":
        moving = rates[still[0] :].max()
        return [f"the agent moves at {moving:.1f} m/s after its stop"] if moving > STOPPED else []
    faults = []
    if rates[-1] < RESUMED * first:
        faults.append(f"the last speed is {rates[-1]:.1f} of {first:.1f} m/s")
    if _on_lane(evidence)[still[-1] + 1 :].any():
        faults.append("the agent goes on while the hazard is on the lane")
    return faults


def check_bystander(evidence: Evidence) -> Check:
    """Check that the bystander object stands beside the lane on its side, and is seen from the start."""
    wanted, faults = str(evidence.graph["params"]["distractor_position"]), []
    entity, seen = evidence.entity("distractor"), evidence.of_object("distractor")
    if np.abs(entity.poses - entity.poses[0]).max() > 1e-6 or entity.body is not None:
        faults.append("it moves")
    aside = float(_aside(evidence, "distractor")[0])
    reach = float(min(entity.size[:2])) / 2
    if (aside > 0) != (wanted == "left") or abs(aside) - reach < float(evidence.episode["facts"]["lane_half"]):
        faults.append(f"it is {aside:.1f} m to the left")
    column = evidence.mean_column("distractor", np.flatnonzero(seen))
    if (column < 0.5) != (wanted == "left") or not seen[0]:
        faults.append(f"it is seen at {column:.2f} of the width, with {seen[0]} px at first")
    return judged("stage bystander", faults, f"{wanted} of the lane")


def check_frames(evidence: Evidence) -> Check:
    """Check that sampled frames show the motion before, the hazard, and the state after.

    Each is in two frames or more. What the agent does is thus seen, and no single frame tells it.
    """
    times, faults = evidence.recording.times, []
    seen, rates = evidence.of_object("trigger"), evidence.rates(_along(evidence, "agent"))
    ends = evidence.phase("baseline")[-1], evidence.phase("reaction")[0]
    states = {
        "the drive before": np.arange(len(times)) <= ends[0],
        "the hazard": seen >= evidence.pixels(PIXELS) / 2,
        "the reaction": np.arange(len(times)) >= ends[1],
    }
    if evidence.graph["params"]["reaction_type"] == "Full_Stop":
        states["the stop"] = np.r_[rates <= STOPPED, rates[-1] <= STOPPED]
    for count in PROTOCOLS:
        sampled = evidence.sampled(count)
        faults += [f"{what} is in {shown[sampled].sum()} of {count} frames" for what, shown in states.items()
                   if shown[sampled].sum() < TWICE]  # fmt: skip
    return judged("stage frames", faults, f"{listed(list(states))} in two frames or more")


def check_truth(evidence: Evidence) -> Check:
    """Check the reaction, the trigger and the labels against what the poses show."""
    told, faults = evidence.graph["ground_truth"], []
    rates, _, slower = _brakes(evidence)
    stands = rates[-1] <= STOPPED
    found = "Full_Stop" if stands else "Wait_and_Resume" if (rates <= STOPPED).any() else "No_Reaction"
    if told["reaction_type"] != found or bool(len(slower)) != (found != "No_Reaction"):
        faults.append(f"{found}, told {told['reaction_type']}")
    entered = [entity["object"] for entity in evidence.episode["entities"] if entity["object"]
               and len(evidence.entity(entity["id"]).poses) > 1 and entity["object"] != "agent"]  # fmt: skip
    if entered != [told["trigger_object_id"]]:
        faults.append(f"{listed(entered)} moves, told {told['trigger_object_id']}")
    for name, planned in evidence.objects.items():
        if evidence.entity(name).label != planned["label"]:
            faults.append(f"{name} is a {evidence.entity(name).label}")
    if evidence.objects["trigger"]["label"] != told["trigger_object_label"]:
        faults.append(f"told {told['trigger_object_label']}")
    return judged("stage truth", faults, f"{found} because of the {told['trigger_object_label']}")

"""The gates: who stands, who passes first, and from which side, measured from the recording alone."""

import numpy as np

from chronotope.world.verify.outcome import Check, judged
from chronotope.world.verify.stage import TaskGates
from chronotope.world.verify.stage.evidence import Evidence

STILL, STANDS, APART = 0.01, 1.5, 2.5  # m/s, s of standing, and m between the middles of the vehicles


def check(evidence: Evidence) -> list[Check]:
    """Return the gates of the task."""
    names, times, faults = list(evidence.objects), evidence.recording.times, []
    speeds = {name: np.linalg.norm(evidence.rates(evidence.places(name)), axis=1) for name in names}
    stood = {name: float((np.diff(times) * (speeds[name] < STILL)).sum()) for name in names}
    waiting = [name for name in names if stood[name] >= STANDS]
    passed = {name: float(times[np.linalg.norm(evidence.places(name)[:, :2], axis=1).argmin()]) for name in names}
    told = evidence.graph["ground_truth"]
    if waiting != [told["waiting"]] or sorted(names, key=lambda name: passed[name]) != list(told["order"]):
        faults.append(f"{waiting} wait, and pass at {passed} s")
    [crossing] = (each["id"] for each in evidence.by_role("crossing"))
    seen = np.flatnonzero(evidence.of_object(crossing) > 0)
    side = "Left" if evidence.mean_column(crossing, seen[:1]) < 0.5 else "Right"
    if side != evidence.graph["params"]["side"]:
        faults.append(f"{crossing} comes from the {side.lower()}")
    gap = float(np.linalg.norm(evidence.places(names[0]) - evidence.places(names[1]), axis=1).min())
    if gap < APART:
        faults.append(f"the vehicles come within {gap:.1f} m")
    return [judged("junction", faults, f"{waiting[:1]} stands {max(stood.values()):.1f} s, {gap:.1f} m apart")]


GATES = TaskGates("JN_E_EXO_DYN", check)

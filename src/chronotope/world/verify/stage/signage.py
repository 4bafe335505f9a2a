"""DS: the sign can be read, all exits are open, and the heading of the walk decides."""

from collections import Counter

import numpy as np

from chronotope.world.verify.outcome import Check, judged
from chronotope.world.verify.stage.evidence import PROTOCOLS, Evidence

LETTER, READ = 14.0, 1.0  # px of a capital at 360 lines, and s for which it is at least as large
FACING = 60.0  # degrees, largest angle between the view and the sign
TURN = 3.0  # degrees
AFTER, ON = 2.5, 2.0  # s at the end without the sign, and m walked meanwhile
STILL, HIGH = 0.02, (1.4, 1.8)  # m that the camera may move at first, and height of the eye over the floor
EYE, BEYOND, OPEN = 1.5, 0.5, 0.3  # m: height of points in an exit, what is seen beyond it, least share of points
WAYS = {"Left": -90.0, "Straight": 0.0, "Right": 90.0}
EXITS = "Not indicated on sign"


def check(evidence: Evidence) -> list[Check]:
    """Return the gates of the task."""
    found = [check_legible(evidence), check_exits(evidence), check_walk(evidence), check_gone(evidence),
             check_truth(evidence)]  # fmt: skip
    return [*found, check_arrows(evidence)] if evidence.arrows else found


def check_legible(evidence: Evidence) -> Check:
    """Check that letters are large enough for long enough, while the whole sign is in the picture."""
    sign, cameras = evidence.entity("sign"), evidence.recording.world_T_camera
    offset = sign.poses[0][:3, 3] - cameras[:, :3, 3]
    depth = np.einsum("ti,ti->t", offset, cameras[:, :3, 2])
    letters = evidence.focal * float(evidence.episode["facts"]["capital"]) / np.maximum(depth, 1e-6)
    facing = -cameras[:, :3, 2] @ sign.poses[0][:3, 0] > np.cos(np.radians(FACING))
    place = evidence.index["sign"]
    whole = (evidence.seen[:, place] > 0) & ~np.array(evidence.cut)[:, place] & (depth > 0) & facing
    read = whole & (letters >= LETTER * evidence.lines / 360)
    seconds = float(read.sum() / (evidence.recording.fps or 1))
    faults = [] if seconds >= READ else [f"{seconds:.1f} s"]
    faults += [f"in none of {count} frames" for count in PROTOCOLS if not read[evidence.sampled(count)].any()]
    return judged(
        "stage legible", faults, f"letters of {letters[whole].max(initial=0):.0f} px, legible for {seconds:.1f} s"
    )


def check_arrows(evidence: Evidence) -> Check:
    """Check that most pictures of the sign show the arrows of its entries."""
    found = [
        Counter(way for way in ways if way is not None).most_common(1) for ways in zip(*evidence.arrows, strict=True)
    ]
    shown = [best[0][0] if best else "no arrow" for best in found]
    told = [entry["arrow"] for entry in evidence.entries]
    faults = [] if shown == told else [f"the pictures show {', '.join(shown)}, told {', '.join(told)}"]
    return judged("stage arrows", faults, ", ".join(told))


def check_exits(evidence: Evidence) -> Check:
    """Check that one sees through each exit in the first frame."""
    frame, faults = evidence.kept[0], []
    height, width = frame.depth.shape
    exits, aside = evidence.episode["facts"]["exits"], dict[str, float]()
    if set(exits) != set(WAYS):
        faults.append(f"the exits are {', '.join(sorted(exits)) or 'none'}")
    for name, ends in exits.items():
        one, other = np.array(ends, float)
        shares = np.linspace(0.05, 0.95, 19)[:, None]
        points = np.column_stack([one + shares * (other - one), np.full(19, EYE)])
        rows, columns, depth = frame.project(points)
        aside[name] = float((frame.camera[:3, 0] @ (points - frame.camera[:3, 3]).T).mean())
        inside = np.isfinite(depth) & (rows >= 0) & (rows < height - 1) & (columns >= 0) & (columns < width - 1)
        found = frame.depth[rows[inside].round().astype(int), columns[inside].round().astype(int)]
        open_ = int((found > depth[inside] + BEYOND).sum())
        if open_ < OPEN * len(points):
            faults.append(f"{open_} of {len(points)} points of the exit {name}")
    if sorted(aside, key=lambda name: aside[name]) != sorted(aside, key=lambda name: WAYS.get(name, 0.0)):
        faults.append("the exits are not where their names say")
    return judged("stage exits", faults, "three open exits in the first frame")


def check_walk(evidence: Evidence) -> Check:
    """Check that the camera stands at first, is at eye level, and walks straight on at the end."""
    places, times = evidence.recording.world_T_camera[:, :3, 3], evidence.recording.times
    first, last = times < times[0] + 0.3, times >= times[-1] - AFTER
    faults = []
    if np.ptp(places[first], axis=0).max() > STILL:
        faults.append("it walks at first")
    if not HIGH[0] <= places[:, 2].mean() <= HIGH[1]:
        faults.append(f"the eye is {places[:, 2].mean():.2f} m high")
    far = float(np.linalg.norm(np.ptp(places[last, :2], axis=0)))
    if far < ON or np.ptp(evidence.heading[last]) > TURN:
        faults.append(f"{far:.1f} m straight on at the end")
    return judged("stage walk", faults, f"{far:.1f} m straight on at the end")


def check_gone(evidence: Evidence) -> Check:
    """Check that the sign is out of view at the end."""
    times = evidence.recording.times
    last = evidence.of_object("sign")[times >= times[-1] - AFTER]
    return judged("stage gone", [f"{last.max()} px at the end"] if last.max() else [], f"no sign in the last {AFTER} s")


def check_truth(evidence: Evidence) -> Check:
    """Check the destination against the heading of the walk and the entries of the sign."""
    turned = float(evidence.heading[-1] - evidence.heading[0])
    way = min(WAYS, key=lambda name: abs(WAYS[name] - turned))
    faults = [] if abs(WAYS[way] - turned) <= TURN else [f"the heading changes by {turned:.0f} degrees"]
    leads = next((entry["text"] for entry in evidence.entries if entry["arrow"] == way), EXITS)
    told = evidence.graph["ground_truth"]
    if (told["agent_heading"], told["destination"]) != (way, leads):
        faults.append(f"{way} to {leads}, told {told['agent_heading']} to {told['destination']}")
    return judged("stage truth", faults, f"{way} to {leads}")

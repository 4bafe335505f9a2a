"""DE: the second leg is hidden until the turn, and the poses of the walk give the clock direction of the start."""

from math import atan2, degrees

import numpy as np

from chronotope.world.verify.outcome import Check, judged
from chronotope.world.verify.stage.evidence import Evidence

PIXELS = 500  # at 720 lines, of landmark 1 at the start
TURNED = 20.0  # degrees of turn until which landmark 2 stays hidden
TURN = 3.0  # degrees, largest difference of a turn from 90
SWAY = 0.04  # m, largest change of the eye's height
EYE = (1.4, 1.8)  # m, of the eye over the floor, z = 0
WALL, STRIP, SEEN = 0.12, (0.8, 1.3), 40  # m from a wall, m from the way to a wall, and pixels of it at 360 lines
BORDER = 3.0  # degrees, least distance of the direction from a full hour


def check(evidence: Evidence) -> list[Check]:
    """Return the gates of the task."""
    return [check_hidden(evidence), check_walls(evidence), check_walk(evidence), check_truth(evidence)]


def check_hidden(evidence: Evidence) -> Check:
    """Check that landmark 1 is in view at the start, and landmark 2 from the turn on."""
    first, second = evidence.of_object("landmark_1"), evidence.of_object("landmark_2")
    later = sum(evidence.of_object(name) for name in evidence.objects if name not in ("landmark_1", "landmark_2"))
    early = np.abs(evidence.heading - evidence.heading[0]) < TURNED
    early &= np.arange(len(early)) < int(np.argmin(early)) if not early.all() else True
    faults = []
    if first[0] < evidence.pixels(PIXELS):
        faults.append(f"landmark 1 has {first[0]} px at first")
    if second[early].max(initial=0):
        faults.append(f"landmark 2 has {second[early].max()} px before the turn")
    if np.any(np.broadcast_to(later, early.shape)[early]):
        faults.append("a later landmark is seen before the turn")
    return judged("stage hidden", faults, f"landmark 1 has {first[0]} px at first, landmark 2 none before the turn")


def check_walls(evidence: Evidence) -> Check:
    """Check that both walls of the first leg are seen as the turn begins, as in a corridor."""
    frame = evidence.kept[evidence.turning]
    start = evidence.recording.world_T_camera[0]
    rows, columns = np.nonzero(np.isfinite(frame.depth))
    points = frame.unproject(rows, columns) - start[:3, 3]
    ahead = np.array([start[0, 2], start[1, 2]]) / np.hypot(start[0, 2], start[1, 2])
    aside = points[:, 0] * ahead[1] - points[:, 1] * ahead[0]  # positive is to the right
    upright = np.abs(points[:, 2] + start[2, 3] / 2) < start[2, 3] / 2 - WALL  # neither floor nor ceiling
    least, found = SEEN * (evidence.lines / 360) ** 2, {}
    for name, side in (("left", -1), ("right", 1)):
        near = upright & (aside * side > STRIP[0]) & (aside * side < STRIP[1])
        values = np.sort(aside[near] * side)
        found[name] = 0 if not len(values) else int((np.abs(values - np.median(values)) < WALL).sum())
    faults = [f"the {name} wall has {count} px" for name, count in found.items() if count < least]
    return judged("stage walls", faults, f"{min(found.values())} px or more of each wall of the first leg")


def check_walk(evidence: Evidence) -> Check:
    """Check the turns of the walk, its side, and that it is level."""
    params, faults = evidence.graph["params"], []
    side = 1 if params["turn_direction"] == "Right" else -1
    wanted = {"L": side * 90, "U": side * 180, "Z": 0}[params["shape"]]
    turned = float(evidence.heading[-1] - evidence.heading[0])
    if abs(turned - wanted) > TURN:
        faults.append(f"the heading changes by {turned:.0f} degrees, not by {wanted}")
    moving = np.flatnonzero(np.abs(evidence.heading - evidence.heading[0]) > 10)
    if len(moving) and np.sign(evidence.heading[moving[0]] - evidence.heading[0]) != side:
        faults.append("the first turn is to the other side")
    heights = evidence.recording.world_T_camera[:, 2, 3]
    if np.ptp(heights) > SWAY:
        faults.append(f"the eye rises by {np.ptp(heights):.2f} m")
    if not EYE[0] <= heights.mean() <= EYE[1]:
        faults.append(f"the eye is {heights.mean():.2f} m high")
    return judged("stage walk", faults, f"the heading changes by {turned:.0f} degrees")


def check_truth(evidence: Evidence) -> Check:
    """Check the clock direction of the start against the poses of the camera."""
    places = evidence.recording.world_T_camera[:, :2, 3]
    back = places[0] - places[-1]
    bearing = (degrees(atan2(back[0], back[1])) - float(evidence.heading[-1])) % 360
    low = int(bearing // 30)
    hours = f"{low or 12}-{low + 1} o'clock"
    told = evidence.graph["ground_truth"]
    faults = [] if hours == told["relative_direction_to_start"] else [f"{bearing:.0f} degrees, told {hours}"]
    if min(bearing % 30, 30 - bearing % 30) < BORDER:
        faults.append(f"{bearing:.0f} degrees is near a full hour")
    if told["turn_direction"] != evidence.graph["params"]["turn_direction"]:
        faults.append(f"told {told['turn_direction']}")
    return judged("stage truth", faults, f"the start is at {bearing:.0f} degrees, {hours}")

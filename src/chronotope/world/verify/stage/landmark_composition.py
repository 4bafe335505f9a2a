"""LS: the view is straight down with the North up, and landmarks appear and vanish as the task says."""

from math import atan2, degrees

import numpy as np

from chronotope.world.verify.outcome import Check, judged
from chronotope.world.verify.stage.evidence import PROTOCOLS, Evidence

AXIS, MARGIN = 1.0, 12.0  # degrees: of the view from straight down, and of a direction from its octant's border
TALL = 0.3  # least share of the picture's height that landmark 3 fills at the end
PIXELS = 300  # at 720 lines
WINDS = ("North", "Northeast", "East", "Southeast", "South", "Southwest", "West", "Northwest")
RATIO = 6.0


def check(evidence: Evidence) -> list[Check]:
    """Return the gates of the task."""
    return [check_nadir(evidence), check_appears(evidence), check_truth(evidence)]


def check_nadir(evidence: Evidence) -> Check:
    """Check that the camera looks straight down, with the North up in the picture."""
    poses = evidence.recording.world_T_camera
    off = float(np.degrees(np.arccos(np.clip(-poses[:, 2, 2], -1, 1))).max())
    north = float(np.degrees(np.arccos(np.clip(-poses[:, 1, 1], -1, 1))).max())
    faults = [f"off by {off:.1f} and {north:.1f} degrees"] if max(off, north) > AXIS else []
    return judged("stage nadir", faults, f"within {max(off, north):.2f} degrees")


def check_appears(evidence: Evidence) -> Check:
    """Check that landmark 2 appears after the climb, and that only landmark 3 is seen at the end."""
    one, two, three = (evidence.of_object(f"landmark_{number}") for number in (1, 2, 3))
    faults, least = [], evidence.pixels(PIXELS)
    heights = evidence.recording.world_T_camera[:, 2, 3]
    low = heights < heights[0] + 0.02 * (heights.max() - heights[0])
    start = low & (np.arange(len(low)) < int(np.argmax(heights)))
    if one[0] < least or two[start].max(initial=0) or three[start].max(initial=0):
        faults.append(f"{one[0]}, {two[start].max(initial=0)} and {three[start].max(initial=0)} px at first")
    if two.max() < least:
        faults.append(f"landmark 2 has at most {two.max()} px")
    if one[-1] or two[-1]:
        faults.append(f"{one[-1]} px of landmark 1 and {two[-1]} px of landmark 2 at the end")
    last = evidence.kept[len(heights) - 1]
    region = last.regions[evidence.index["landmark_3"]]
    tall = 0.0 if region is None else (region[0].stop - region[0].start) / last.depth.shape[0]
    if tall < TALL:
        faults.append(f"landmark 3 fills {tall:.2f} of the height at the end")
    faults += [f"frame {k} shows landmarks 1 and 3" for k in np.flatnonzero((one > 0) & (three > 0))]
    for count in PROTOCOLS:
        pair = (two if evidence.graph["params"]["composed"] else np.minimum(one, two))[evidence.sampled(count)]
        if pair.max() < least:
            faults.append(f"none of {count} frames shows where landmark 2 is")
    return judged("stage appears", faults, f"landmark 3 fills {tall:.2f} of the height at the end")


def check_truth(evidence: Evidence) -> Check:
    """Check the directions against the places of the landmarks and the way of the camera."""
    places = [evidence.entity(f"landmark_{number}").poses[0][:2, 3] for number in (1, 2, 3)]
    told, composed = evidence.graph["ground_truth"], evidence.graph["params"]["composed"]
    ends = evidence.recording.world_T_camera[[0, -1], :2, 3]
    faults = []
    ways = {
        "L2_relative_to_L1": places[1] - places[0],
        "L3_relative_to_L1": places[2] - places[0],
        "drift_direction": places[2] - places[1 if composed else 0],
    }
    for key, way in ways.items():
        bearing = degrees(atan2(way[0], way[1])) % 360
        wind = WINDS[round(bearing / 45) % 8]
        if wind != told[key]:
            faults.append(f"{key} is {wind}, told {told[key]}")
        if 22.5 - abs((bearing + 22.5) % 45 - 22.5) < MARGIN:
            faults.append(f"{key} is at {bearing:.0f} degrees, near the border of its octant")
    if np.abs(ends - [places[0], places[2]]).max() > 1.0:
        faults.append("the camera does not fly from landmark 1 to landmark 3")
    near, far = (float(np.linalg.norm(ways[key])) for key in ("L2_relative_to_L1", "L3_relative_to_L1"))
    if not composed and far < RATIO * near:
        faults.append(f"landmark 3 is only {far / near:.1f} times as far as landmark 2")
    return judged("stage truth", faults, f"{told['L3_relative_to_L1']}, {far:.0f} m away")

"""MC: contents are hidden from the side and seen from above, in the same order."""

import numpy as np

from chronotope.world.verify.outcome import Check, judged
from chronotope.world.verify.stage.evidence import Evidence, named

LOW, HIGH = 10.0, 70.0  # degrees of elevation of the first and the last view, or the reverse
HOLD = 1.4  # s, of the first and the last view
SIDEWAYS = 1e-6  # m, or of a unit vector, by which the camera may leave the plane of the boom
PIXELS, FRAMES = 300, 8  # at 720 lines: of a content from above, and in how many frames
FRACTION = 0.6  # least visible fraction of the uppermost things of a content from above
FLOOR = 0.4  # lower part of a container, as a share of its height
FLOOR_SHARE = 0.25  # least share of the opening's width in which an empty floor is seen
EMPTY = "Empty"


def check(evidence: Evidence) -> list[Check]:
    """Return the gates of the task."""
    return [check_boom(evidence), check_hidden(evidence), check_shown(evidence), check_order(evidence),
            check_truth(evidence)]  # fmt: skip


def _views(evidence: Evidence) -> tuple[np.ndarray, np.ndarray]:
    """Return the frames of the view from the side and of the view from above."""
    holds = evidence.holds()
    if len(holds) < 2:
        return np.empty(0, int), np.empty(0, int)
    first, last = holds[0], holds[-1]
    return (first, last) if evidence.pitch[first[0]] > evidence.pitch[last[0]] else (last, first)


def _contents(evidence: Evidence, name: str) -> list[str]:
    return [evidence.recording.entities[k].id for k in evidence.parts(name)
            if evidence.recording.entities[k].id != name]  # fmt: skip


def _containers(evidence: Evidence) -> list[str]:
    return [each["id"] for each in evidence.by_role("container")]


def check_boom(evidence: Evidence) -> Check:
    """Check that the camera rests low and high, and goes the way of the parameter."""
    side, above = _views(evidence)
    if not len(side):
        return Check("stage boom", False, "the camera does not rest at both ends")
    low, high = -float(evidence.pitch[side].min()), -float(evidence.pitch[above].max())
    faults = []
    if low > LOW or high < HIGH:
        faults.append(f"elevations of {low:.0f} and {high:.0f} degrees")
    if (evidence.graph["params"]["camera_trajectory"] == "Boom_Up") != (side[0] < above[0]):
        faults.append("the camera goes the other way")
    shortest = min(len(side), len(above)) / (evidence.recording.fps or 1)
    if shortest < HOLD:
        faults.append(f"rests for {shortest:.1f} s")
    poses = evidence.recording.world_T_camera
    if max(np.ptp(poses[:, 0, 3]), np.ptp(poses[:, :3, 0], axis=0).max()) > SIDEWAYS:
        faults.append("the camera leaves the plane of the boom")
    return judged("stage boom", faults, f"from {low:.0f} to {high:.0f} degrees, or the reverse")


def check_hidden(evidence: Evidence) -> Check:
    """Check that no content is seen from the side."""
    side, _ = _views(evidence)
    faults = []
    for name in _containers(evidence):
        for each in _contents(evidence, name):
            most = int(evidence.seen[side, evidence.index[each]].max(initial=0))
            if most:
                faults.append(f"{each} has {most} px from the side")
    return judged("stage hidden", faults, "no content from the side")


def check_shown(evidence: Evidence) -> Check:
    """Check that each content, or the floor of an empty container, is seen from above."""
    _, above = _views(evidence)
    faults, worst = [], 1.0
    for name in _containers(evidence):
        contents = _contents(evidence, name)
        if contents:
            heights = {each: float(evidence.entity(each).poses[0][2, 3]) for each in contents}
            upper = [each for each in contents if heights[each] > max(heights.values()) - 0.01]
            share = float(np.mean([evidence.fraction(each)[above].min(initial=1.0) for each in upper]))
            worst = min(worst, share)
            shown = evidence.seen[:, [evidence.index[each] for each in contents]].sum(axis=1)
            frames = int((shown >= evidence.pixels(PIXELS)).sum())
            if share < FRACTION or frames < FRAMES:
                faults.append(
                    f"{share:.2f} of the content of {name}, {evidence.pixels(PIXELS):.0f} px in {frames} frames"
                )
        elif len(above) and not _shows_floor(evidence, name, int(above[-1 if above[0] else 0])):
            faults.append(f"the floor of {name} is not seen")
    return judged("stage shown", faults, f"{worst:.2f} of each content or more from above")


def _shows_floor(evidence: Evidence, name: str, number: int) -> bool:
    """Check from depth whether the floor of an empty container is seen in a frame."""
    frame, entity = evidence.kept.get(number), evidence.entity(name)
    if frame is None:
        return False
    rows, columns = np.nonzero(frame.identities == evidence.index[name] + 1)
    points = frame.unproject(rows, columns) - entity.poses[0][:3, 3]
    size = np.array(entity.size)
    deep = points[:, 2] < (FLOOR - 0.5) * size[2]
    inside = (np.abs(points[:, :2]) < 0.3 * size[:2]).all(axis=1)
    found = points[deep & inside]
    return len(found) > 20 and bool(np.ptp(found[:, 0]) > FLOOR_SHARE * size[0])


def check_order(evidence: Evidence) -> Check:
    """Check that the containers have the order of the graph in both views."""
    order = ["left", "middle_left", "middle", "middle_right", "right"]
    told = {r["subject"]: r["relation"].removeprefix("standing_on_").removesuffix("_of")
            for r in evidence.graph["spatial_layout"]}  # fmt: skip
    wanted = sorted(told, key=lambda name: order.index(told[name]))
    faults = []
    for view in _views(evidence):
        for number in view[:: max(1, len(view) - 1)]:
            columns = [evidence.columns[number][evidence.index[name]] for name in wanted]
            if not (np.diff(columns) > 0).all():
                faults.append(f"frame {number}")
    return judged("stage order", faults, "left to right as in the graph")


def check_truth(evidence: Evidence) -> Check:
    """Check the mapping against what lies in each container."""
    faults, labels = [], {each["id"]: each["label"] for each in evidence.by_role("container")}
    found: dict[str, str] = {}
    for name, label in labels.items():
        box = evidence.entity(name)
        inside = []
        for entity in evidence.recording.entities:
            away = np.abs(entity.poses[0][:3, 3] - box.poses[0][:3, 3])
            if entity.id != name and (away < np.array(box.size) / 2).all():
                inside.append(entity.label)
                if entity.poses[0][2, 3] + entity.size[2] / 2 > box.poses[0][2, 3] + box.size[2] / 2:
                    faults.append(f"{entity.id} sticks out of {name}")
        found[label] = EMPTY if not inside else inside[0] if len(set(inside)) == 1 else "a mixture"
    mapping = evidence.graph["ground_truth"]["mapping"]
    for label, content in mapping.items():
        kind = found.get(label, "nothing")
        if kind != content and not _is(kind, named(content)):
            faults.append(f"{label} holds {kind}, told {content}")
    return judged("stage truth", faults, f"{len(mapping)} contents as told")


def _is(label: str, content: str) -> bool:
    return label == content or set(label.split()) == set(content.split())

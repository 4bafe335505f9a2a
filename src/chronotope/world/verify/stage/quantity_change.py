"""QC: things go over the rim one at a time, the inside is never seen, and the poses at the end give the count."""

import itertools

import numpy as np

from chronotope.world.verify.outcome import Check, judged
from chronotope.world.verify.stage.evidence import PROTOCOLS, Evidence, listed
from chronotope.world.verify.timing import apart, poses_of, stretches

SHIFTS = 1e-6  # m by which the camera may move
FRACTION, SEEN = 0.6, 8 / 24  # least visible fraction of an item on its way, and for how long (s)
AT_START = 0.5  # least visible fraction of each item in the first frame
PAUSE, ACTION = 0.4, 1.2  # s without the hand between actions, and of an action, at least
INNER = 0.01  # m; no pixel of the container lies farther from the camera than its axis by more
ELSEWHERE = 0.05  # m between the places of a thing that is moved on the table, at least
ACTIONS = {1: "ADD", -1: "REMOVE", 0: "MOVE"}
RESTS = 0.35  # s for which what is carried may rest in the air
MOVED, TURNED = 1e-6, 1e-5  # m and rad, change of a pose from frame to frame of what moves
SAME = 1e-6  # m, largest difference between the sizes of equal items


def check(evidence: Evidence) -> list[Check]:
    """Return the gates of the task."""
    return [
        check_view(evidence), check_hidden(evidence), check_start(evidence), check_hand(evidence),
        check_transfers(evidence), check_truth(evidence),
    ]  # fmt: skip


def _items(evidence: Evidence) -> list[int]:
    return evidence.parts("items")


def _paths(evidence: Evidence) -> np.ndarray:
    """Return the poses (N, T, 4, 4) of the items."""
    samples = len(evidence.recording.times)
    return np.array([poses_of(evidence.recording.entities[k], samples) for k in _items(evidence)])


def _inside(evidence: Evidence) -> np.ndarray:
    """Return which items (N, T) are in the box of the container, below its rim."""
    box = evidence.entity("container")
    middle, half = box.poses[0][:3, 3], np.array(box.size) / 2
    return (np.abs(_paths(evidence)[..., :3, 3] - middle) < half).all(axis=-1)


def _moving(evidence: Evidence) -> np.ndarray:
    """Return which items (N, T - 1) move from a frame to the next."""
    moved, turned = apart((paths := _paths(evidence))[:, 1:], paths[:, :-1])
    return (moved > MOVED) | (turned > TURNED)


def transfers(evidence: Evidence) -> list[tuple[int, int, int, int]]:
    """Return the moves in order: number of the item, first and last frame, and way.

    The way is 1 for in, -1 for out, and 0 for a move that does not cross the rim.
    """
    inside, found = _inside(evidence).astype(int), list[tuple[int, int, int, int]]()
    times = evidence.recording.times
    for number, steps in enumerate(_moving(evidence)):
        for before, after in itertools.pairwise(stretches(steps)):  # a hand that rests does not end a move
            if times[after[0]] - times[before[-1]] < RESTS:
                steps[before[-1] : after[0]] = True
        for run in stretches(steps):
            first, last = int(run[0]), int(run[-1]) + 1
            found.append((number, first, last, int(inside[number, last] - inside[number, first])))
    return sorted(found, key=lambda move: move[1])


def check_view(evidence: Evidence) -> Check:
    """Check that the camera stands still below the rim, and no wall of the inside is seen."""
    poses, box = evidence.recording.world_T_camera, evidence.entity("container")
    rim = float(box.poses[0][2, 3] + box.size[2] / 2)
    faults = []
    moved = float(np.abs(poses - poses[0]).max())
    if moved > SHIFTS:
        faults.append(f"the camera moves by {moved:.3f}")
    eye = float(poses[:, 2, 3].max())
    if eye >= rim:
        faults.append(f"the eye is {eye - rim:.2f} m above the rim")
    ahead = poses[0][:2, 2] / np.linalg.norm(poses[0][:2, 2])
    for number, frame in sorted(evidence.kept.items()):
        rows, columns = np.nonzero(frame.identities == evidence.index["container"] + 1)
        deep = (frame.unproject(rows, columns)[:, :2] - box.poses[0][:2, 3]) @ ahead
        if len(deep) and deep.max() > INNER:
            faults.append(f"frame {number} shows the container {deep.max():.2f} m behind its axis")
    return judged("stage view", faults, f"the eye is {100 * (rim - eye):.0f} cm below the rim")


def check_hidden(evidence: Evidence) -> Check:
    """Check that nothing inside is seen: neither its floor, nor an item that lies in it."""
    faults = []
    floor = str(evidence.episode["facts"]["board"])
    if evidence.seen[:, evidence.index[floor]].max():
        faults.append(f"{floor} has {evidence.seen[:, evidence.index[floor]].max()} px")
    moving = _moving(evidence)
    rests = ~(np.pad(moving, ((0, 0), (0, 1))) | np.pad(moving, ((0, 0), (1, 0))))
    for place, inside, rest in zip(_items(evidence), _inside(evidence), rests, strict=True):
        most = int(evidence.seen[inside & rest, place].max(initial=0))
        if most:
            faults.append(f"{evidence.recording.entities[place].id} has {most} px inside")
    return judged("stage hidden", faults, "nothing inside is seen")


def check_start(evidence: Evidence) -> Check:
    """Check the equal items beside the container in the first frame, on the side of the parameter."""
    params, faults = evidence.graph["params"], []
    entities = [evidence.recording.entities[place] for place in _items(evidence)]
    if len(entities) != params["initial_surface_count"] or _inside(evidence)[:, 0].any():
        faults.append(f"{len(entities)} items, {int(_inside(evidence)[:, 0].sum())} of them inside")
    if len({entity.label for entity in entities}) > 1 or np.ptp([e.size for e in entities], axis=0).max() > SAME:
        faults.append("the items are not equal")
    middle = evidence.columns[0][evidence.index["container"]]
    for place, entity in zip(_items(evidence), entities, strict=True):
        side = "left" if evidence.columns[0][place] < middle else "right"
        if side != params["item_side"]:
            faults.append(f"{entity.id} is on the {side}")
        if evidence.fraction(entity.id)[0] < AT_START or evidence.cut[0][place]:
            faults.append(f"{evidence.fraction(entity.id)[0]:.2f} of {entity.id} at first")
    return judged("stage start", faults, f"{len(entities)} on the {params['item_side']}")


def check_hand(evidence: Evidence) -> Check:
    """Check that the hand is seen once for each action, with pauses, and in sampled frames."""
    times, faults = evidence.recording.times, []
    seen = evidence.seen[:, evidence.index[str(evidence.episode["facts"]["hand"])]] > 0
    runs = stretches(seen)
    step = float(times[1] - times[0])
    if seen[0] or seen[-1]:
        faults.append("the hand is in the first or the last frame")
    actions = len(evidence.graph["params"]["action_sequence"])
    if len(runs) != actions:
        faults.append(f"the hand is seen {len(runs)} times for {actions} actions")
    for before, after in itertools.pairwise(runs):
        pause = times[after[0]] - times[before[-1]]
        if pause < PAUSE - 1e-6:
            faults.append(f"a pause of {pause:.1f} s")
    shortest = min((float(times[run[-1]] - times[run[0]]) + step for run in runs), default=0.0)
    if shortest < ACTION:
        faults.append(f"an action of {shortest:.1f} s")
    for count in PROTOCOLS:
        sampled = evidence.sampled(count)
        faults += [f"none of {count} frames shows action {k}" for k, run in enumerate(runs, 1) if not np.isin(
            sampled, run).any()]  # fmt: skip
    return judged("stage hand", faults, f"{len(runs)} actions of {shortest:.1f} s or more")


def check_transfers(evidence: Evidence) -> Check:
    """Check that one item moves at a time, over the rim or elsewhere, held and well seen."""
    times, faults, least = evidence.recording.times, [], np.inf
    step, end = float(times[1] - times[0]), -1
    held = [(e.object, e.start, e.end) for e in evidence.recording.events if e.kind == "hold"]
    for number, first, last, way in transfers(evidence):
        entity = evidence.recording.entities[_items(evidence)[number]]
        seconds = step * int((evidence.fraction(entity.id)[first : last + 1] >= FRACTION).sum())
        least = min(least, seconds)
        if seconds < SEEN - 1e-6:
            faults.append(f"{entity.id} is well seen for {seconds:.1f} s from {times[first]:.1f} s on")
        if first < end:
            faults.append(f"{entity.id} moves at {times[first]:.1f} s with another")
        end = last
        places = _paths(evidence)[number, :, :3, 3]
        if not way and np.linalg.norm(places[last] - places[first]) < ELSEWHERE:
            faults.append(f"{entity.id} moves at {times[first]:.1f} s, neither over the rim nor elsewhere")
        if not any(name == entity.id and start <= times[last] and stop >= times[first] for name, start, stop in held):
            faults.append(f"no hand holds {entity.id} at {times[first]:.1f} s")
    return judged("stage transfers", faults, f"each item is well seen for {least:.1f} s or more on its way")


def check_truth(evidence: Evidence) -> Check:
    """Check the sequence of actions and the count at the end against the poses."""
    told, faults = evidence.graph["ground_truth"], []
    actions = [ACTIONS[way] for *_, way in transfers(evidence)]
    if actions != list(told["action_sequence"]):
        faults.append(f"{listed(actions)}, told {listed(told['action_sequence'])}")
    inside = _inside(evidence).sum(axis=0)
    if inside[-1] != told["final_inside_count"] or inside[0] != told["initial_inside_count"]:
        faults.append(f"{inside[0]} and {inside[-1]} inside, told {told['final_inside_count']} at the end")
    table = evidence.entity("anchor")
    top = float(table.poses[0][2, 3] + table.size[2] / 2)
    outside = ~_inside(evidence)[:, -1]
    lows = _paths(evidence)[:, -1, 2, 3] - [evidence.recording.entities[k].size[2] / 2 for k in _items(evidence)]
    faults += [f"an item lies {low - top:.3f} m above the table" for low in lows[outside] if abs(low - top) > 0.002]
    return judged("stage truth", faults, f"{listed(actions)}: {inside[-1]} inside")

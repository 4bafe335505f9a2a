"""Checks of takes with a mistake: what goes wrong is found again from masks, depth and poses, and the right manual.

Nothing here reads what the person was told to do. At the end of each shot, the pixels of a part tell whether it is
where the product's file puts it, and depth tells whether the place of a part is empty. From the order in which groups
come follows which mistake it is.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.recording import Recording
from chronotope.world.verify.frame import Frame, read_frame
from chronotope.world.verify.outcome import Check, Verification, judged
from chronotope.world.verify.timing import poses_of

SAME_M, SAME = 0.003, np.radians(0.3)  # parts that are joined agree about the pose of the product
NEAR_M, FAR_M = 0.008, 0.02  # m from its right place: in it, and clearly beside it
BESIDE, WITHIN = 0.2, 0.9  # shares of the pixels of a group that are beside its place, or in it
PIXELS, FEWEST = 600, 40
THROUGH_M, EMPTY = 0.03, 0.15  # m and share of a place through which the camera sees, if it is empty
SAMPLES = 40  # random points of a solid
MOVED_M = 0.0005  # m; a part that moves less between two frames stands still
LATE_S = 0.26  # s by which the record may differ from the motion

Place = tuple[int, int]  # the number of a step, and of an entry in this step


@dataclass(frozen=True, eq=False)
class Sight:
    """What the last frame of a shot tells of a product.

    ``came`` are the parts that moved. ``points`` has the pixels (N, 3) of each part that is seen, in the frame of the
    product. ``empty`` has the share of the place of each part through which the camera sees. ``joined`` are the parts
    whose poses agree with the base. ``moves`` are the first and the last frame in which something came.
    """

    came: tuple[int, ...]
    points: Mapping[int, np.ndarray]
    empty: Mapping[int, float]
    joined: frozenset[int]
    moves: tuple[int, int]
    frames: int


@dataclass(frozen=True)
class _Found:
    kind: str
    step: int
    parts: tuple[int, ...]
    start: int
    end: int


def look_at_end(recording: Recording, folder: Path, product: Mapping[str, Any]) -> Sight:
    """Look at the last frame of a shot; ``product`` is the file of parts and steps."""
    frames = len(recording.times)
    frame = read_frame(recording, folder, frames - 1)
    names = [entity.id for entity in recording.entities]
    poses = [
        poses_of(recording.entities[names.index(f"part-{number}")], frames) for number in range(len(product["parts"]))
    ]
    steps = [np.abs(np.diff(own[:, :3, 3], axis=0)).max(axis=1) for own in poses]
    came = tuple(number for number, own in enumerate(steps) if own.max() > MOVED_M)
    moving = np.flatnonzero(np.max([steps[number] for number in came], axis=0) > MOVED_M) if came else np.array([0])
    base, joined = _product_pose([own[-1] for own in poses], product, came)
    points: dict[int, np.ndarray] = {}
    for number in range(len(product["parts"])):
        rows, columns = frame.pixels_of(names.index(f"part-{number}") + 1, PIXELS, frame.interior)
        points[number] = (frame.unproject(rows, columns) - base[:3, 3]) @ base[:3, :3]
    empty = {number: _seen_through(frame, base, part["solids"]) for number, part in enumerate(product["parts"])}
    return Sight(came, points, empty, joined, (int(moving[0]), int(moving[-1]) + 1), frames)


def _product_pose(
    poses: Sequence[np.ndarray], product: Mapping[str, Any], came: tuple[int, ...]
) -> tuple[np.ndarray, frozenset[int]]:
    """Return the pose world_T_product on which most parts near what came agree, and these parts."""
    own: list[np.ndarray] = []
    for pose, part in zip(poses, product["parts"], strict=True):
        moved = pose.copy()
        moved[:3, 3] -= moved[:3, :3] @ _middle(part)
        own.append(moved)
    groups = [frozenset(n for n, other in enumerate(own) if _agree(one, other)) for one in own]
    middle = np.mean([poses[number][:3, 3] for number in came], axis=0) if came else np.zeros(3)

    def worth(group: frozenset[int]) -> tuple[bool, float]:
        away = min(float(np.linalg.norm(poses[number][:3, 3] - middle)) for number in group)
        return not set(came) & group or len(group) == len(came), away

    # What comes is joined to a group. If it is in a wrong place, the nearest other group is meant.
    best = min((group for group in groups if not group <= set(came)), key=worth, default=groups[0])
    return own[min(best)], best


def _agree(one: np.ndarray, other: np.ndarray) -> bool:
    turned = np.arccos(np.clip((np.trace(one[:3, :3].T @ other[:3, :3]) - 1) / 2, -1, 1))
    return bool(np.linalg.norm(one[:3, 3] - other[:3, 3]) < SAME_M and turned < SAME)


def _middle(part: Mapping[str, Any]) -> np.ndarray:
    points = np.concatenate([np.array(one) for one in part["solids"]])
    return (points.min(axis=0) + points.max(axis=0)) / 2


def _seen_through(frame: Frame, base: np.ndarray, solids: Sequence[Any]) -> float:
    """Return the share of a place that is in front of all that is seen."""
    generator, shares = np.random.default_rng(1), []
    for solid in map(np.array, solids):
        points = generator.dirichlet(np.full(len(solid), 0.4), SAMPLES) @ solid
        rows, columns, depths = frame.project(points @ base[:3, :3].T + base[:3, 3])
        height, width = frame.depth.shape
        inside = (rows > 0) & (rows < height - 1) & (columns > 0) & (columns < width - 1)
        seen = np.zeros(len(points))
        at = np.round(rows[inside]).astype(int), np.round(columns[inside]).astype(int)
        seen[inside] = frame.depth[at] > depths[inside] + THROUGH_M
        shares.append(float(seen.mean()))
    return float(np.mean(shares))


def verify_mistake(
    recording: Recording, told: Mapping[str, Any], product: Mapping[str, Any], sights: Sequence[Sight]
) -> Verification:
    """Check the mistake that the record of a take tells.

    ``product`` is the right file of parts and steps.
    """
    found = list(_mistakes(product, sights, told["fps"]))
    wanted = told["mistake"]
    faults: list[str] = []
    if len(found) != 1:
        faults.append(f"{len(found)} mistakes are seen")
    timing: list[str] = []
    for one in found[:1]:
        if one.kind != wanted["kind"]:
            faults.append(f"a {one.kind} is seen in place of a {wanted['kind']}")
        if one.step != wanted["step"]:
            faults.append(f"it is seen in step {one.step + 1} in place of step {wanted['step'] + 1}")
        if sorted(one.parts) != sorted(wanted["parts"]):
            faults.append(f"parts {list(one.parts)} are concerned in place of {list(wanted['parts'])}")
        for name, frame in (("start", one.start), ("end", one.end)):
            if abs(frame / told["fps"] - wanted[name]) > LATE_S:
                timing.append(f"its {name} is seen in frame {frame}, the record says {wanted[name]} s")
    checks = [
        judged("mistake", faults, f"{wanted['kind']} in step {wanted['step'] + 1}"),
        judged("time of the mistake", timing, f"from {wanted['start']} s to {wanted['end']} s"),
        _check_seen(product, sights, found),
    ]
    return Verification(recording.id, tuple(checks))


def _mistakes(product: Mapping[str, Any], sights: Sequence[Sight], fps: float) -> Iterator[_Found]:
    """Yield what differs from the manual, in the order of the shots."""
    order = [
        ((number, at), tuple(sorted(entry["parts"])))
        for number, step in enumerate(product["steps"])
        for at, entry in enumerate(entry for joining in step for entry in joining["entries"])
    ]
    place_of = {parts: place for place, parts in order}
    firsts = np.concatenate([[0], np.cumsum([sight.frames for sight in sights])]).tolist()
    came: list[tuple[int, Place | None]] = [
        (at, place_of.get(tuple(sorted(sight.came)))) for at, sight in enumerate(sights)
    ]
    there = {parts for _, parts in order if set(parts) <= sights[0].joined} - {tuple(sorted(sights[0].came))}
    begun = min(place for _, place in came if place is not None)
    # What the first shot finds has come: all steps before, however they were joined.
    there |= {parts for place, parts in order if place < (begun[0], 0) and not _comes(sights, parts)}
    for at, place in came:
        sight = sights[at]
        parts = tuple(sorted(sight.came))
        start, end = firsts[at], firsts[at] + sight.moves[1]
        due = next((one for one, group in order if group not in there), None)
        if not _is_in_place(product, sight, parts):
            own = due is not None and place is not None and place[0] == due[0]
            yield _Found("wrong_side" if own else "wrong_part", place[0] if own and place else due[0] if due else -1,
                         parts, start, end)  # fmt: skip
            # The place is taken, by whatever it is.
            there |= {parts} if own else {group for one, group in order if one == due}
            continue
        there.add(parts)
        skipped = [group for one, group in order if place is not None and one < place and group not in there]
        if not skipped:
            continue
        late = [later for later, _ in came[at + 1 :] if tuple(sorted(sights[later].came)) in skipped]
        if late:
            step = place[0] if place else -1
            of_step = [n for n, one in came if one is not None and one[0] == step]
            own = tuple(sorted(part for n in of_step for part in sights[n].came))
            yield _Found(
                "wrong_order", step, own, firsts[of_step[0]], firsts[of_step[-1]] + sights[of_step[-1]].moves[1]
            )
            there |= {group for one, group in order if one[0] == step} | set(skipped)
        else:
            missing = place_of[skipped[0]][0]
            yield _Found("left_out", missing, tuple(sorted(part for group in skipped for part in group)), start, end)
            there |= set(skipped)


def _comes(sights: Sequence[Sight], parts: tuple[int, ...]) -> bool:
    return any(tuple(sorted(sight.came)) == parts for sight in sights)


def _is_in_place(product: Mapping[str, Any], sight: Sight, parts: tuple[int, ...]) -> bool:
    """Check whether a group is where its parts, or equal ones, belong.

    Its pose tells, and its pixels if they are seen.
    """
    return set(parts) <= sight.joined and _beside(product, sight, parts, NEAR_M) < 1 - WITHIN


def _beside(product: Mapping[str, Any], sight: Sight, parts: tuple[int, ...], limit: float) -> float:
    kinds = {product["parts"][part]["kind"] for part in parts}
    boxes = [np.array(solid) for part in product["parts"] if part["kind"] in kinds for solid in part["solids"]]
    points = np.concatenate([sight.points[part] for part in parts])
    if len(points) < FEWEST:
        return 0.0
    away = np.min([np.maximum(box.min(axis=0) - points, points - box.max(axis=0)).max(axis=1) for box in boxes], axis=0)
    return float((away > limit).mean())


def _check_seen(product: Mapping[str, Any], sights: Sequence[Sight], found: Sequence[_Found]) -> Check:
    """Check that the pictures show the mistake clearly."""
    faults: list[str] = []
    figure = ""
    for one in found[:1]:
        if one.kind in ("wrong_part", "wrong_side"):
            at = next(n for n, sight in enumerate(sights) if tuple(sorted(sight.came)) == tuple(sorted(one.parts)))
            share = _beside(product, sights[at], one.parts, FAR_M)
            figure = f"{share:.0%} of the pixels of what is wrong are beside its place"
            if share < BESIDE:
                faults.append(figure)
        elif one.kind == "left_out":
            share = max(np.mean([sight.empty[part] for part in one.parts]) for sight in _after(sights, one.start))
            figure = f"the camera sees through {share:.0%} of what should be there"
            if share < EMPTY:
                faults.append(figure)
        else:
            counts = [_pixels(sights, parts) for parts in (one.parts, _before(product, one.step))]
            figure = f"{counts} pixels show what comes too early and too late"
            if min(counts) < FEWEST:
                faults.append(figure)
    return judged("mistake seen", faults, figure)


def _before(product: Mapping[str, Any], step: int) -> tuple[int, ...]:
    """Return the parts that come in the step before."""
    return tuple(
        part for joining in product["steps"][step - 1] for entry in joining["entries"] for part in entry["parts"]
    )


def _pixels(sights: Sequence[Sight], parts: tuple[int, ...]) -> int:
    """Return how many pixels show parts at the end of the shots in which they come, at most."""
    counts = [sum(len(sight.points[part]) for part in sight.came) for sight in sights if set(sight.came) <= set(parts)]
    return max(counts, default=0)


def _after(sights: Sequence[Sight], start: int) -> list[Sight]:
    """Return the shots that begin at a frame or later."""
    firsts = np.concatenate([[0], np.cumsum([sight.frames for sight in sights])]).tolist()
    return [sight for first, sight in zip(firsts, sights, strict=False) if start <= first]

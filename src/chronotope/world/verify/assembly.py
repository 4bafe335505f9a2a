"""Checks of takes in which a product is assembled: where each part ends, in which step, and on which way.

The checks read the product's file of parts and steps, poses, depth and identities. The solids of a part are convex
hulls of corners in the frame of the product. From the pose of a part follows where the product would be; parts that are
joined agree about this.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull

from chronotope.media import decode_frames, probe
from chronotope.recording import Recording
from chronotope.world.verify.frame import read_frame
from chronotope.world.verify.outcome import Check, Verification, judged
from chronotope.world.verify.timing import poses_of
from chronotope.world.verify.workplace import check_camera, check_clutter, check_pauses

SAME_M, SAME = 0.003, np.radians(0.3)  # parts that are joined agree about the pose of the product
APART_M = 0.05  # m; a part that waits is at least this far from its place
ON_M, MOST_OFF = 0.008, 0.05  # m from its solid, and share of the pixels of a part that may be farther
PIXELS, FEWEST = 400, 40  # largest and least number of pixels of a part that are looked at
DEEP_M = 0.003  # m by which a part may be in another one on its way
SAMPLES = 24  # random points of a solid, besides its corners
STRAIGHT_M, STRAIGHT = 0.10, 0.995  # m before its place from which a part comes straight, and the least cosine
SEEN = 0.2  # least share of the frames of a shot in which what comes is seen
SEEN_PIXELS = 30
MOVED_M = 0.0005  # m; a part that moves less between two frames stands still
BLOCK, LIKE = 12, 24.0  # px, and largest difference (of 255) of the mean of a block from that in the joined clip


def verify_shot(
    recording: Recording, folder: Path, product: Mapping[str, Any], told: Mapping[str, Any]
) -> Verification:
    """Check a shot in which a group of parts comes to its place.

    ``product`` is the file of parts and steps; ``told`` is what the record of the take tells of the shot.
    """
    poses = _product_poses(recording, product)
    checks = (
        _check_step(product, told),
        _check_order(poses, told),
        _check_places(recording, folder, product, poses, told),
        _check_way(product, poses, told),
        _check_direction(product, poses, told),
        _check_seen(recording, folder, told),
        check_camera(recording, told),
        check_clutter(recording),
        check_pauses(recording, told, recording.fps or 1.0),
    )
    return Verification(recording.id, checks)


def verify_motion(placed: Sequence[np.ndarray], product: Mapping[str, Any], told: Mapping[str, Any]) -> Verification:
    """Check the motion of a shot before it is filmed.

    ``placed`` are the poses (T, 4, 4) of each part.
    """
    poses = _as_products(placed, product)
    checks = (_check_order(poses, told), _check_way(product, poses, told), _check_direction(product, poses, told))
    return Verification("motion", checks)


def verify_take(
    recording: Recording, told: Mapping[str, Any], product: Mapping[str, Any], shots: Sequence[Recording]
) -> Verification:
    """Check the joined take: its segments, the parts that move in each of them, and its pictures.

    ``told`` is the record of the take, and ``shots`` are the recordings of its shots, whose clips are still there.
    """
    checks = (_check_segments(recording, told, product), _check_pictures(recording, told, shots))
    return Verification(recording.id, checks)


def _middle(part: Mapping[str, Any]) -> np.ndarray:
    points = np.concatenate([np.array(one) for one in part["solids"]])
    return (points.min(axis=0) + points.max(axis=0)) / 2


def _product_poses(recording: Recording, product: Mapping[str, Any]) -> dict[int, np.ndarray]:
    entities = {entity.id: entity for entity in recording.entities}
    placed = [poses_of(entities[f"part-{number}"], len(recording.times)) for number in range(len(product["parts"]))]
    return _as_products(placed, product)


def _as_products(placed: Sequence[np.ndarray], product: Mapping[str, Any]) -> dict[int, np.ndarray]:
    """Return the poses world_T_product (T, 4, 4) that follow from the pose of each part."""
    found: dict[int, np.ndarray] = {}
    for number, part in enumerate(product["parts"]):
        own = placed[number].copy()
        own[:, :3, 3] -= own[:, :3, :3] @ _middle(part)
        found[number] = own
    return found


def _apart(one: np.ndarray, other: np.ndarray, middle: np.ndarray | None = None) -> tuple[float, float]:
    at = np.zeros(3) if middle is None else middle
    moved = float(np.linalg.norm((one[:3, :3] @ at + one[:3, 3]) - (other[:3, :3] @ at + other[:3, 3])))
    turned = float(np.arccos(np.clip((np.trace(one[:3, :3].T @ other[:3, :3]) - 1) / 2, -1, 1)))
    return moved, turned


def _check_step(product: Mapping[str, Any], told: Mapping[str, Any]) -> Check:
    """Check that the step brings this group to what is there, after all parts that it rests on."""
    faults: list[str] = []
    wanted = [
        (sorted([*joining["base"], *(part for before in joining["entries"][:k] for part in before["parts"])]),
         sorted(entry["parts"]))
        for joining in product["steps"][told["step"]] for k, entry in enumerate(joining["entries"])
    ]  # fmt: skip
    if (sorted(told["there"]), sorted(told["parts"])) not in wanted:
        faults.append(f"step {told['step'] + 1} does not bring parts {told['parts']} to parts {told['there']}")
    return judged("step of the product", faults, f"step {told['step'] + 1}")


def _check_order(poses: Mapping[int, np.ndarray], told: Mapping[str, Any]) -> Check:
    """Check what is in its place before and after the group comes."""
    faults: list[str] = []
    base = poses[told["there"][0]]
    for number, own in poses.items():
        first, last = _apart(own[0], base[0]), _apart(own[-1], base[-1])
        is_there, comes = number in told["there"], number in told["parts"]
        if (is_there or comes) and (last[0] > SAME_M or last[1] > SAME):
            faults.append(f"part {number} ends {last[0] * 1000:.0f} mm beside its place")
        if is_there and (first[0] > SAME_M or first[1] > SAME):
            faults.append(f"part {number} is not there when the shot begins")
        if not is_there and first[0] < APART_M and first[1] < SAME:
            faults.append(f"part {number} is in its place when the shot begins")
        if not (is_there or comes) and last[0] < APART_M and last[1] < SAME:
            faults.append(f"part {number} is in its place before its step")
    return judged("order of parts", faults, f"{len(told['there'])} parts are there, {len(told['parts'])} come")


def _check_places(
    recording: Recording,
    folder: Path,
    product: Mapping[str, Any],
    poses: Mapping[int, np.ndarray],
    told: Mapping[str, Any],
) -> Check:
    """Check that the pixels of joined parts lie on their solids, seen from the base."""
    frame = read_frame(recording, folder, len(recording.times) - 1)
    names = [entity.id for entity in recording.entities]
    base = poses[told["there"][0]][-1]
    faults, looked, worst = [], 0, 0.0
    for number in (*told["there"], *told["parts"]):
        rows, columns = frame.pixels_of(names.index(f"part-{number}") + 1, PIXELS, frame.interior)
        if len(rows) < FEWEST:
            continue
        own = (frame.unproject(rows, columns) - base[:3, 3]) @ base[:3, :3]
        away = np.min([_beyond(own, np.array(solid)) for solid in product["parts"][number]["solids"]], axis=0)
        off = float((np.abs(away) > ON_M).mean())
        looked, worst = looked + 1, max(worst, off)
        if off > MOST_OFF:
            faults.append(f"{off:.0%} of the pixels of part {number} are not where it belongs")
    if not looked:
        faults.append("no part of the product is seen in the last frame")
    return judged("places from depth", faults, f"{looked} parts, at most {worst:.1%} of their pixels beside")


def _beyond(points: np.ndarray, solid: np.ndarray) -> np.ndarray:
    """Return about how far (N,) m points are outside a solid; they are negative inside."""
    planes = ConvexHull(solid).equations
    return (points @ planes[:, :3].T + planes[:, 3]).max(axis=1)


def _check_way(product: Mapping[str, Any], poses: Mapping[int, np.ndarray], told: Mapping[str, Any]) -> Check:
    """Check that no part passes through another one on its way."""
    generator, faults, worst = np.random.default_rng(1), [], 0.0
    base = poses[told["there"][0]][0]
    still = [(part, np.array(solid)) for part in told["there"] for solid in product["parts"][part]["solids"]]
    for part in told["parts"]:
        relative = np.linalg.inv(base) @ poses[part]
        moving = np.flatnonzero(np.abs(np.diff(relative[:, :3, 3], axis=0)).max(axis=1) > MOVED_M)
        frames = relative[np.unique(np.concatenate([moving, moving + 1, [len(relative) - 1]]))]
        for solid in map(np.array, product["parts"][part]["solids"]):
            own = _filled(solid, generator)
            for other, standing in still:
                their = _filled(standing, generator)
                deep = max(_deep(frame, own, solid, their, standing) for frame in frames)
                worst = max(worst, deep)
                if deep > DEEP_M:
                    faults.append(f"part {part} goes {deep * 1000:.0f} mm into part {other}")
    return judged("ways of parts", faults, f"at most {max(worst, 0) * 1000:.1f} mm into another part")


def _filled(solid: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    shares = generator.dirichlet(np.full(len(solid), 0.4), SAMPLES)
    return np.concatenate([solid, shares @ solid])


def _deep(frame: np.ndarray, own: np.ndarray, solid: np.ndarray, their: np.ndarray, standing: np.ndarray) -> float:
    moved = own @ frame[:3, :3].T + frame[:3, 3]
    if (moved.min(axis=0) > standing.max(axis=0)).any() or (moved.max(axis=0) < standing.min(axis=0)).any():
        return 0.0
    back = (their - frame[:3, 3]) @ frame[:3, :3]
    return float(-min(_beyond(moved, standing).min(), _beyond(back, solid).min()))


def _check_direction(product: Mapping[str, Any], poses: Mapping[int, np.ndarray], told: Mapping[str, Any]) -> Check:
    """Check that the group comes in the direction that the product's file states."""
    faults: list[str] = []
    entries = [entry for joining in product["steps"][told["step"]] for entry in joining["entries"]]
    entry = next((one for one in entries if sorted(one["parts"]) == sorted(told["parts"])), None)
    part = told["parts"][0]
    base = poses[told["there"][0]]
    places = (np.linalg.inv(base) @ poses[part])[:, :3, 3]
    before = places[-1] - places
    away = np.linalg.norm(before, axis=1)
    last = np.flatnonzero(away >= STRAIGHT_M)
    # It may be near its place before, on a way around something.
    near = (away > 0.005) & (np.arange(len(away)) > (last[-1] if len(last) else -1))
    if entry is None or not near.any():
        faults.append(f"part {part} comes on no way that the file of the product states")
    else:
        cosines = before[near] @ np.array(entry["toward"]) / away[near]
        if cosines.min() < STRAIGHT:
            faults.append(f"part {part} comes {np.degrees(np.arccos(cosines.min())):.0f} degrees askew")
    return judged("direction of parts", faults, f"along {[] if entry is None else entry['toward']}")


def _check_seen(recording: Recording, folder: Path, told: Mapping[str, Any]) -> Check:
    """Check that the masks show what comes."""
    names = [entity.id for entity in recording.entities]
    own = [names.index(f"part-{part}") + 1 for part in told["parts"]]
    counts = [
        int(np.isin(read_frame(recording, folder, index).identities, own).sum())
        for index in range(0, len(recording.times), 4)
    ]
    share = float((np.array(counts) >= SEEN_PIXELS).mean())
    faults = [] if share >= SEEN else [f"what comes is seen in only {share:.0%} of the frames"]
    return judged("seen", faults, f"what comes is seen in {share:.0%} of the frames")


def _check_segments(recording: Recording, told: Mapping[str, Any], product: Mapping[str, Any]) -> Check:
    """Check that segments follow without gaps, and that only the parts of a step move in each."""
    faults, fps, frames = [], told["fps"], len(recording.times)
    entities = {entity.id: entity for entity in recording.entities}
    cuts = {shot["first_frame"] for shot in told["shots"]}
    moves = {
        number: np.flatnonzero(
            np.abs(np.diff(poses_of(entities[f"part-{number}"], frames)[:, :3, 3], axis=0)).max(axis=1) > MOVED_M
        ) + 1
        for number in range(len(product["parts"]))
    }  # fmt: skip
    end, order = 0, product.get("order", range(len(product["steps"])))
    for number, segment in zip(order, told["segments"], strict=False):
        first, last = round(segment["start"] * fps), round(segment["end"] * fps)
        if segment["step"] != number or first != end or last <= first:
            faults.append(f"the segment of step {segment['step'] + 1} is not where the one before ends")
        end = last
        own = {
            part for joining in product["steps"][segment["step"]]
            for entry in joining["entries"] for part in entry["parts"]
        }  # fmt: skip
        moved = {part for part, at in moves.items() if {*at[(at >= first) & (at < last)].tolist()} - cuts}
        if moved != own:
            faults.append(f"in the segment of step {segment['step'] + 1}, parts {sorted(moved ^ own)} are wrong")
    if end != frames or len(told["segments"]) != len(order):
        faults.append(f"the segments end in frame {end}, the take has {frames} frames")
    return judged("segments", faults, f"{len(told['segments'])} segments")


def _check_pictures(recording: Recording, told: Mapping[str, Any], shots: Sequence[Recording]) -> Check:
    """Check that the joined clip shows each shot where the record says."""
    faults, worst = [], 0.0
    assert recording.clip is not None, "a take has a clip"
    firsts = [shot["first_frame"] for shot in told["shots"]]
    wanted = {first + at: (number, at) for number, first in enumerate(firsts)
              for at in (0, told["shots"][number]["frames"] - 1)}  # fmt: skip
    joined = {index: _blocks(picture) for index, picture in decode_frames(recording.clip.path, sorted(wanted))}
    for index, (number, at) in wanted.items():
        clip = shots[number].clip
        assert clip is not None, "a shot has a clip"
        if probe(clip.path).frames != told["shots"][number]["frames"]:
            faults.append(f"shot {number + 1} has another number of frames")
            continue
        _, own = next(iter(decode_frames(clip.path, [at])))
        away = float(np.abs(_blocks(own) - joined[index]).max())
        worst = max(worst, away)
        if away > LIKE:
            faults.append(f"frame {index} of the take is not frame {at} of shot {number + 1}")
    return judged("pictures of the take", faults, f"blocks of pictures differ by at most {worst:.1f} of 255")


def _blocks(picture: np.ndarray) -> np.ndarray:
    """Return the mean colours of the square blocks of a picture."""
    rows, columns = picture.shape[0] // BLOCK, picture.shape[1] // BLOCK
    whole = picture[: rows * BLOCK, : columns * BLOCK].astype(float)
    return whole.reshape(rows, BLOCK, columns, BLOCK, 3).mean(axis=(1, 3))

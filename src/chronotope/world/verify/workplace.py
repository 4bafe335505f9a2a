"""Checks of the place where a product is assembled: the camera, the things around, and the pauses of the person.

The checks read the recording and the record of a shot, and know no script.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from chronotope.recording import Entity, Recording
from chronotope.world.verify.outcome import Check, judged
from chronotope.world.verify.timing import joint_poses, poses_of, relative

AGENT = "person"
STILL_M = 1e-5  # m by which a fixed camera may move
WORN_M, SHAKES_M = 0.30, 0.01  # m from the joint of the head to a worn camera, and by which this place may change
AT_WORK = 0.5  # least share of the frames with motion in which a worn camera sees what comes
FASTEST = np.radians(200.0)  # per second, fastest turn of a worn camera
FACING, BENT = np.radians(40.0), 0.5  # largest level angle from the head to a worn camera, if the head is so level
MOVES_M_S = 0.008  # m/s of a part that moves
FLOOR_M = 0.01
FEWEST_THINGS = 3
BODY_M, PART_M = 0.12, 0.04  # least distance from a thing to a joint of the person, and to the box of a part
HIDDEN = 0.02  # largest share of the lines of sight to what comes that things interrupt
EVERY = 3  # frames
STOPS_M = 0.03  # m by which hips and parts may move in a pause
STANDS_M_S = 0.016  # m/s of hips and parts while a person stands
LOOKS, UNTOLD = np.radians(20.0), np.radians(30.0)  # turn of the head in a pause, and at most without one
AHEAD, SLOW_S = np.radians(12.0), 0.6  # turn of the head at both ends of a pause, and time from there to a larger one


def check_camera(recording: Recording, told: Mapping[str, Any]) -> Check:
    """Check that the camera stands, moves or is worn as the record says."""
    kind, camera, faults = told["camera"], recording.world_T_camera, list[str]()
    moved = float(np.ptp(camera[:, :3, 3], axis=0).max())
    head = joint_poses(_agent(recording), "Head")
    assert head is not None, "a person has a head"
    away = np.linalg.norm(camera[:, :3, 3] - head[:, :3, 3], axis=1)
    if kind == "worn":
        shakes = float(np.ptp(relative(camera, head)[:, :3, 3], axis=0).max())
        if away.max() > WORN_M or shakes > SHAKES_M:
            faults.append(f"the worn camera is up to {away.max():.2f} m from the head, and slips by {shakes:.3f} m")
        faults += [*_faces_away(camera, head), *_not_at_work(recording, told)]
    elif away.min() < WORN_M:
        faults.append(f"the {kind} camera is {away.min():.2f} m from the head")
    elif (moved > STILL_M) != (kind == "moving"):
        faults.append(f"the {kind} camera moves by {moved:.3f} m")
    return judged("camera", faults, f"{kind}, {away.min():.2f} m or more from the head")


def _faces_away(camera: np.ndarray, head: np.ndarray) -> list[str]:
    """Describe a worn camera that does not look where the head does, seen from above."""
    ways = [camera[:, :2, 2], head[:, :2, 0]]
    level = np.linalg.norm(ways[1], axis=1) > BENT
    yaws = [np.arctan2(way[:, 1], way[:, 0]) for way in ways]
    apart = np.abs((yaws[0] - yaws[1] + np.pi) % (2 * np.pi) - np.pi)
    if not level.any():
        return ["the head is bent down in all frames, so nothing says where the worn camera looks"]
    if apart[level].max() > FACING:
        return [f"the worn camera looks {np.degrees(apart[level].max()):.0f} degrees aside of the head"]
    return []


def _not_at_work(recording: Recording, told: Mapping[str, Any]) -> list[str]:
    """Describe a worn camera that turns too fast, or does not see what comes."""
    camera, faults = recording.world_T_camera, list[str]()
    steps = np.einsum("tij,tij->t", camera[1:, :3, :3], camera[:-1, :3, :3])
    turns = np.arccos(np.clip((steps - 1) / 2, -1, 1)) / np.diff(recording.times)
    if turns.max() > FASTEST:
        faults.append(f"the worn camera turns by {np.degrees(turns.max()):.0f} degrees per second")
    seen, moving = np.zeros(len(camera), bool), np.zeros(len(camera), bool)
    entities = {entity.id: entity for entity in recording.entities}
    for part in told["parts"]:
        one = entities[f"part-{part}"]
        assert one.visible_pixels is not None, "our own engine measures what is seen"
        moving[1:] |= _speeds(poses_of(one, len(camera)), recording.times) > MOVES_M_S
        seen |= one.visible_pixels > 0
    share = float(seen[moving].mean()) if moving.any() else 0.0
    if share < AT_WORK:
        faults.append(f"the worn camera sees what comes in {share:.0%} of the frames in which it moves")
    return faults


def check_clutter(recording: Recording) -> Check:
    """Check that things around stand on the floor, in nobody's way, and hide nothing that comes."""
    things = [one for one in recording.entities if one.id.startswith("clutter-")]
    parts = [one for one in recording.entities if one.id.startswith("part-")]
    body, frames, faults = _agent(recording).body, len(recording.times), list[str]()
    assert body is not None, "a person has joints"
    if len(things) < FEWEST_THINGS:
        faults.append(f"{len(things)} things lie or stand around, expected {FEWEST_THINGS} or more")
    joints = body.poses[::EVERY, :, :3, 3].reshape(-1, 3)
    corners = [_corners(one, poses_of(one, frames)[::EVERY]) for one in parts]
    comes = [at for at, one in enumerate(parts) if len(one.poses) > 1]
    eyes = recording.world_T_camera[::EVERY, :3, 3]
    for thing in things:
        pose, half = thing.poses[0], np.array(thing.size) / 2
        low = float(_corners(thing, pose[None])[..., 2].min())
        if len(thing.poses) > 1 or abs(low) > FLOOR_M:
            faults.append(f"{thing.id} moves, or is {low:.2f} m above the floor")
        near = float(_outside(joints, pose, half).min())
        close = min(float(_outside(one.reshape(-1, 3), pose, half).min()) for one in corners)
        if near < BODY_M or close < PART_M:
            faults.append(f"{thing.id} is {near:.2f} m from a joint of the person, and {close:.2f} m from a part")
        blocked = [_crosses(eyes[:, None], corners[at], pose, half) for at in comes]
        if blocked and (share := float(np.mean(blocked))) > HIDDEN:
            faults.append(f"{thing.id} hides what comes in {share:.0%} of the lines of sight")
    return judged("clutter", faults, f"{len(things)} things are out of the way")


def check_pauses(recording: Recording, told: Mapping[str, Any], fps: float) -> Check:
    """Check that the person stops and looks around in each pause of the record, and only then.

    A pause begins when the head begins to turn aside, and ends when the head is ahead again.
    """
    agent, faults, frames = _agent(recording), list[str](), len(recording.times)
    hips, head = joint_poses(agent, "Hips"), joint_poses(agent, "Head")
    assert hips is not None and head is not None, "a person has hips and a head"
    # How far the head is turned aside, seen from above.
    ahead = [np.unwrap(np.arctan2(each[:, 1, 0], each[:, 0, 0])) for each in (head, hips)]
    aside = np.abs((ahead[0] - ahead[1] + np.pi) % (2 * np.pi) - np.pi)
    standing = stands(recording, told, hips)
    untold, first = np.ones(frames, bool), told["first_frame"]
    for pause in told["pauses"]:
        begin, end = (round(pause[key] * fps) - first for key in ("from", "to"))
        inner = slice(max(begin, 0), min(end, frames - 1) + 1)
        untold[max(begin - 2, 0) : end + 3] = False
        places = [hips[inner, :3, 3], *(
            poses_of(one, frames)[inner, :3, 3] for one in recording.entities if one.id.startswith("part-")
        )]  # fmt: skip
        moved = max((float(np.ptp(each, axis=0).max()) for each in places if len(each)), default=np.inf)
        turned = float(aside[inner].max(initial=0.0))
        if moved > STOPS_M or turned < LOOKS:
            faults.append(
                f"in the pause from {pause['from']:.2f} s on, something moves by {moved:.2f} m, and the head turns by "
                f"{np.degrees(turned):.0f} degrees"
            )
        if fault := _wrong_ends(aside[inner], fps):
            faults.append(f"the pause from {pause['from']:.2f} s to {pause['to']:.2f} s {fault}")
    if (aside[untold & standing] > UNTOLD).any():
        faults.append("the person looks around, but the record has no pause then")
    return judged("pauses", faults, f"{len(told['pauses'])} pauses")


def _wrong_ends(aside: np.ndarray, fps: float) -> str | None:
    """Tell what is wrong with the ends of a pause.

    ``aside`` (T,) rad is the turn of the head in its frames.
    """
    turned = np.flatnonzero(aside > AHEAD)
    if not len(turned):
        return None  # told elsewhere
    if turned[0] == 0 or turned[-1] == len(aside) - 1:
        return "begins or ends while the head is turned aside"
    early, late = turned[0] / fps, (len(aside) - 1 - turned[-1]) / fps
    return "begins before, or ends after, the head is turned aside" if max(early, late) > SLOW_S + 1 / fps else None


def _speeds(poses: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return the speeds (T - 1,) m/s between frames of poses (T, 4, 4)."""
    return np.linalg.norm(np.diff(poses[:, :3, 3], axis=0), axis=1) / np.diff(times)


def stands(recording: Recording, told: Mapping[str, Any], hips: np.ndarray) -> np.ndarray:
    """Find the frames (T,) in which nothing moves, before what comes is in its place.

    Who works may look aside, at the product.
    """
    frames, last = len(hips), 0
    moves = _speeds(hips, recording.times) > STANDS_M_S
    for one in recording.entities:
        if one.id in [f"part-{part}" for part in told["parts"]]:
            own = _speeds(poses_of(one, frames), recording.times) > STANDS_M_S
            moves |= own
            last = max(last, int(np.flatnonzero(own).max(initial=0)))
    still = np.ones(frames, bool)
    still[1:] &= ~moves
    still[:-1] &= ~moves
    still[last:] = False
    return still


def _agent(recording: Recording) -> Entity:
    return next(one for one in recording.entities if one.id == AGENT)


def _corners(thing: Entity, poses: np.ndarray) -> np.ndarray:
    """Return the corners and the middle (T, 9, 3) m of the box of a thing."""
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)] + [[0, 0, 0]], float)
    own = signs * np.array(thing.size) / 2
    return own @ poses[:, :3, :3].transpose(0, 2, 1) + poses[:, None, :3, 3]


def _outside(points: np.ndarray, pose: np.ndarray, half: np.ndarray) -> np.ndarray:
    """Return the distances (N,) m of points from a box; they are 0 inside."""
    own = (points - pose[:3, 3]) @ pose[:3, :3]
    return np.linalg.norm(np.maximum(np.abs(own) - half, 0.0), axis=1)


def _crosses(eyes: np.ndarray, points: np.ndarray, pose: np.ndarray, half: np.ndarray) -> np.ndarray:
    """Check which ways (T, N) from eyes (T, 1, 3) to points (T, N, 3) cross a box."""
    start, end = ((each - pose[:3, 3]) @ pose[:3, :3] for each in (eyes, points))
    way = end - start
    way = np.where(np.abs(way) < 1e-9, 1e-9, way)
    to = np.stack([(-half - start) / way, (half - start) / way])
    enters, leaves = to.min(axis=0).max(axis=-1), to.max(axis=0).min(axis=-1)
    return (enters < leaves) & (leaves > 0) & (enters < 1)

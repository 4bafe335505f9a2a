"""Checks that need no frame: rigid poses, things at rest on their parents, facts of the clip."""

import numpy as np

from chronotope.media import probe
from chronotope.recording import Entity, Recording
from chronotope.world.verify.frame import heights
from chronotope.world.verify.outcome import Check, judged

RIGID = 1e-5  # largest deviation of a pose from a rigid transform
REST_M = 0.005
STANDS = 0.9999  # least cosine between up and the nearest axis of a thing that stands on a face of its box
TIMES_S = 1e-3


def check_poses(recording: Recording) -> Check:
    """Check that poses of the camera, of entities and of their joints are rigid.

    Rigid poses do not mirror, stretch or shear.
    """
    worst, whose = 0.0, ""
    for name, poses in (
        ("camera", recording.world_T_camera[recording.valid]),
        *((entity.id, entity.poses) for entity in recording.entities),
        *(
            (f"{entity.id}: {name}{when}", poses)
            for entity in recording.entities
            if entity.body is not None
            for joint, name in enumerate(entity.body.joints)
            for when, poses in (
                ("", entity.body.poses[recording.valid, joint]),
                (" at rest", entity.body.rest[joint][None]),
            )
        ),
    ):
        turns = poses[:, :3, :3]
        off = np.abs(turns @ turns.transpose(0, 2, 1) - np.eye(3)).max(axis=(1, 2))
        off = np.maximum(off, np.abs(poses[:, 3] - [0, 0, 0, 1]).max(axis=1))
        off = np.where(np.linalg.det(turns) > 0, off, 2.0)
        off = np.where(np.isfinite(poses).all(axis=(1, 2)), off, np.inf)
        if len(off) and off.max() > worst:
            worst, whose = float(off.max()), name
    if worst <= RIGID:
        return Check("poses", True, f"rigid to {worst:.0e}")
    return Check("poses", False, f"a pose of {whose!r} is not a rigid transform (off by {worst:.2g})")


def check_rest(recording: Recording) -> Check:
    """Check that a thing at rest touches or is inside its parent.

    The tolerance is 5 mm.
    """
    up = recording.up
    if up is None:
        return Check("rest", True, "not checked, because the recording has no up direction")
    by_id = {entity.id: entity for entity in recording.entities}
    faults, widest = [], 0.0
    for thing in recording.entities:
        if thing.parent is None or len(thing.poses) > 1:
            continue
        parent = by_id.get(thing.parent)
        if parent is None:
            faults.append(f"{thing.id} rests on {thing.parent}, which is not an entity")
        elif len(parent.poses) == 1:
            apart = max(_height_apart(thing, parent, up), _sideways_apart(thing, parent, up))
            widest = max(widest, apart)
            if apart > REST_M:
                faults.append(f"{thing.id} is {apart * 1000:.1f} mm away from its parent {parent.id}")
    return judged("rest", faults, f"at most {widest * 1000:.1f} mm away from the parent")


def _heights(entity: Entity, up: np.ndarray) -> tuple[float, float]:
    return heights(entity.poses[0], np.array(entity.size) / 2, up)


def _height_apart(thing: Entity, parent: Entity, up: np.ndarray) -> float:
    """Return the vertical distance (m) of a thing's bottom from its parent."""
    bottom = _heights(thing, up)[0]
    low, high = _heights(parent, up)
    # A corner of a tilted box can be lower than the thing inside (a ball, for example). So only "too high" is a fault.
    stands = np.abs(up @ thing.poses[0][:3, :3]).max() > STANDS
    return max(low - bottom if stands else 0.0, bottom - high, 0.0)


def _sideways_apart(thing: Entity, parent: Entity, up: np.ndarray) -> float:
    """Return the horizontal distance (m) of a thing from its parent's box.

    The thing is replaced by the ball around its box.
    """
    pose = parent.poses[0]
    low, high = _heights(parent, up)
    centre = thing.poses[0][:3, 3]
    level = centre + up * ((low + high) / 2 - up @ centre)
    beyond = np.maximum(np.abs(pose[:3, :3].T @ (level - pose[:3, 3])) - np.array(parent.size) / 2, 0)
    return float(max(np.linalg.norm(beyond) - np.linalg.norm(thing.size) / 2, 0))


def check_clip(recording: Recording, size: tuple[int, int]) -> Check:
    """Check that the clip has the claimed hash and facts.

    The clip must have a frame for each sample at the claimed time. The size (width, height) of the clip must be the
    size of the depth pictures, with odd sizes padded to even sizes.

    Raises:
        InputError: If the clip is missing or cannot be read.
    """
    clip = recording.clip
    if clip is None:
        return Check("clip", False, "the recording names no clip")
    facts, samples = probe(clip.path), len(recording.times)
    padded = tuple(side + side % 2 for side in size)
    faults = []
    if facts.frames != samples:
        faults.append(f"{facts.frames} frames for {samples} samples")
    if facts.sha256 != clip.sha256:
        faults.append(f"its SHA-256 begins with {facts.sha256[:8]}, the recording states {clip.sha256[:8]}")
    if (facts.width, facts.height) not in (size, padded):
        faults.append(f"{facts.width}x{facts.height} px, but depth of {size[0]}x{size[1]} px")
    if (facts.width, facts.height) != (clip.width, clip.height):
        faults.append(f"{facts.width}x{facts.height} px, the recording states {clip.width}x{clip.height}")
    if facts.fps is None:
        faults.append("its rate varies")
    else:
        off = np.abs(recording.times - np.arange(samples) / facts.fps).max()
        if off > TIMES_S or abs(facts.fps - clip.fps) > 1e-3 * clip.fps:
            faults.append(
                f"{facts.fps:g} frames/s, the recording states {clip.fps:g}, and times that differ by up to {off:.3f} s"
            )
    return judged("clip", faults, f"{facts.frames} frames of {facts.width}x{facts.height} px")

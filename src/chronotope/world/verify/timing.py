"""Poses over time, and the frames of events."""

import numpy as np

from chronotope.recording import Entity, Event, Recording

TOLERANCE_S, TOLERANCE_FRAMES = 0.15, 2  # by which events may be beside the motion: the larger one counts
EPSILON_S = 1e-6


def tolerance(recording: Recording) -> float:
    """Return the time (s) by which an event may begin or end beside what it says."""
    return max(TOLERANCE_S, TOLERANCE_FRAMES / (recording.fps or np.inf)) + EPSILON_S


def poses_of(entity: Entity, samples: int) -> np.ndarray:
    """Return the poses (T, 4, 4) of an entity, one for each frame."""
    return np.broadcast_to(entity.poses, (samples, 4, 4)) if len(entity.poses) == 1 else entity.poses


def events_of(recording: Recording, name: str, *kinds: str) -> list[Event]:
    """Return the events of some kinds that have an entity as their object."""
    return [event for event in recording.events if event.object == name and event.kind in kinds]


def during(times: np.ndarray, event: Event, wider: float = 0.0) -> np.ndarray:
    """Find the frames (T,) of an event, which begins and ends ``wider`` (s) earlier and later than stated."""
    return (times >= event.start - wider - EPSILON_S) & (times <= event.end + wider + EPSILON_S)


def apart(poses: np.ndarray, reference: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distances (N,) m and the angles (N,) rad between poses (N, 4, 4) and a reference.

    The reference is one pose (4, 4), or one for each pose (N, 4, 4).
    """
    moved = np.linalg.norm(poses[..., :3, 3] - reference[..., :3, 3], axis=-1)
    # For small angles, the difference of two rotations is more exact than the arccosine of their trace.
    differences = np.linalg.norm(poses[..., :3, :3] - reference[..., :3, :3], axis=(-2, -1))
    return moved, 2 * np.arcsin(np.clip(differences / np.sqrt(8), 0, 1))


def relative(poses: np.ndarray, to: np.ndarray) -> np.ndarray:
    """Return poses (T, 4, 4) in the coordinates of other poses (T, 4, 4)."""
    inverse = np.zeros_like(to)
    inverse[:, :3, :3] = to[:, :3, :3].transpose(0, 2, 1)
    inverse[:, :3, 3] = -np.einsum("tji,tj->ti", to[:, :3, :3], to[:, :3, 3])
    inverse[:, 3, 3] = 1.0
    return inverse @ poses


def joint_poses(entity: Entity | None, name: object) -> np.ndarray | None:
    """Return the poses (T, 4, 4) of a joint, or None if the entity has no such joint."""
    if entity is None or entity.body is None or name not in entity.body.joints:
        return None
    return entity.body.poses[:, entity.body.joints.index(str(name))]


def stretches(chosen: np.ndarray) -> list[np.ndarray]:
    """Return the frames of each uninterrupted stretch of ``chosen`` (T,) bool."""
    frames = np.flatnonzero(chosen)
    return [part for part in np.split(frames, np.flatnonzero(np.diff(frames) > 1) + 1) if len(part)]

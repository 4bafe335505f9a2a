"""A recording in a few numbers."""

from typing import Any

import numpy as np

from chronotope.geometry import accumulated_turn, displacement, elevation, forward_of, heading, path_length
from chronotope.recording.types import Entity, Recording

__all__ = ["summarise"]

_VERTICAL = np.radians(89)  # a view within 1 degree of the vertical has no heading


def summarise(recording: Recording) -> dict[str, Any]:
    """Summarise a recording in plain values, over its valid samples.

    ``id``, ``kind``, ``source``; ``frames`` (all samples) and ``duration_s`` (from the first to the last of them);
    ``path_length_m`` along the camera's positions, ``displacement_m`` from the first to the last; ``mean_speed_mps``,
    the path over the time from the first to the last valid sample (None if that is zero); ``net_turn_deg``, the
    accumulated change of the viewing direction's heading seen from above, left positive, with full turns (None if up or
    the viewing direction is unknown, or a view is within 1 degree of the vertical); ``invalid_frames``; ``gravity``
    (None if unknown); and, if there are any, ``entities`` with id, label, category, size (m)
    and, where it is known, size_range (m).
    """
    valid = np.asarray(recording.valid, bool)
    times, poses = recording.times[valid], recording.world_T_camera[valid]
    positions = poses[:, :3, 3]
    length = path_length(positions)
    span = float(times[-1] - times[0]) if len(times) else 0.0
    summary: dict[str, Any] = {
        "id": recording.id,
        "kind": str(recording.kind),
        "source": recording.source,
        "frames": len(recording.times),
        "duration_s": float(recording.times[-1] - recording.times[0]) if len(recording.times) else 0.0,
        "path_length_m": length,
        "displacement_m": displacement(positions) if len(positions) else 0.0,
        "mean_speed_mps": length / span if span > 0 else None,
        "net_turn_deg": _net_turn(recording, poses),
        "invalid_frames": int((~valid).sum()),
        "gravity": None if recording.gravity is None else [float(part) for part in recording.gravity],
    }
    if recording.entities:
        summary["entities"] = [_entity(entity) for entity in recording.entities]
    return summary


def _entity(entity: Entity) -> dict[str, Any]:
    row: dict[str, Any] = {"id": entity.id, "label": entity.label, "category": entity.category}
    row["size"] = [float(length) for length in entity.size]
    if entity.size_range is not None:
        row["size_range"] = [[float(length) for length in bound] for bound in entity.size_range]
    return row


def _net_turn(recording: Recording, poses: np.ndarray) -> float | None:
    """Return the accumulated turn (degrees) of valid poses (N, 4, 4).

    The result is None if it is undefined.
    """
    up = recording.up
    if up is None or recording.native_axes is None or not len(poses):
        return None
    forward = forward_of(poses)
    if (np.abs(elevation(forward, up)) > _VERTICAL).any():
        return None
    return float(np.degrees(accumulated_turn(heading(forward, up))))

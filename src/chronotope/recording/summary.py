"""A summary of a recording: its length, path, turns and entities."""

from typing import Any

import numpy as np

from chronotope.geometry import accumulated_turn, displacement, elevation, forward_of, heading, path_length
from chronotope.geometry.polygons import area_of
from chronotope.recording.rooms import camera_rooms, stays
from chronotope.recording.types import Entity, Recording

_VERTICAL = np.radians(89)  # a view within 1 degree of the vertical has no heading


def summarise(recording: Recording) -> dict[str, Any]:
    """Summarise the valid samples of a recording as a dictionary.

    The dictionary has these entries:

    - ``id``, ``kind`` and ``source`` of the recording, and its ``scene`` and ``state`` if it has them.
    - ``frames``: the number of all samples, valid or not.
    - ``duration_s``: the time from the first to the last of all samples.
    - ``path_length_m``: the length of the camera's path.
    - ``displacement_m``: the distance between the first and the last camera position.
    - ``mean_speed_mps``: the path length divided by the time from the first to the last valid sample. The speed is
      None if this time is zero.
    - ``net_turn_deg``: the accumulated change of the camera's heading, seen from above. Turns to the left are
      positive, and full turns are counted. The turn is None if the up direction or the viewing direction is
      unknown, or if a viewing direction is within 1 degree of the vertical.
    - ``invalid_frames``: the number of samples without a valid pose.
    - ``gravity``: the direction of gravity, or None if it is unknown.
    - ``entities``: the id, label, category and size (m) of each entity, and its size_range (m) if it is known. This
      entry is missing if the recording has no entities.
    - ``area_m2``: the sum of the areas of all rooms. ``rooms``: the id, type and area (m2) of each room, and in how
      many frames the camera is in it. ``visits``: the camera's unbroken stays in rooms, each with its first and last
      frame. These entries are missing if the recording has no rooms.
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
        **({} if recording.scene is None else {"scene": recording.scene}),
        **({} if recording.state is None else {"state": recording.state}),
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
    return summary | _rooms(recording) if recording.rooms else summary


def _rooms(recording: Recording) -> dict[str, Any]:
    near = camera_rooms(recording)
    areas = [area_of(room.floor) for room in recording.rooms]
    return {
        "area_m2": sum(areas),
        "rooms": [
            {"id": room.id, "type": room.type, "area_m2": area, "frames": near.count(room.id)}
            for room, area in zip(recording.rooms, areas, strict=True)
        ],
        "visits": [{"room": room, "first": first, "last": last} for room, first, last in stays(near)],
    }


def _entity(entity: Entity) -> dict[str, Any]:
    row: dict[str, Any] = {"id": entity.id, "label": entity.label, "category": entity.category}
    row["size"] = [float(length) for length in entity.size]
    if entity.size_range is not None:
        row["size_range"] = [[float(length) for length in bound] for bound in entity.size_range]
    return row


def _net_turn(recording: Recording, poses: np.ndarray) -> float | None:
    """Return the accumulated turn (degrees) of valid poses (N, 4, 4).

    The result is None if the turn is undefined.
    """
    up = recording.up
    if up is None or recording.native_axes is None or not len(poses):
        return None
    forward = forward_of(poses)
    if (np.abs(elevation(forward, up)) > _VERTICAL).any():
        return None
    return float(np.degrees(accumulated_turn(heading(forward, up))))

"""Records of a walk in left-handed axes: y up, x right, z forward, degrees, yaw clockwise from z."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from chronotope.world.explore.explore import Route
from chronotope.world.explore.rooms import OUTSIDE, room_of_frames

__all__ = ["from_left_handed", "to_left_handed", "trajectory_records"]

START = "Start"  # the action of frame 0


def to_left_handed(poses: np.ndarray) -> np.ndarray:
    """Return x and z in m, yaw and pitch in degrees (T, 4), for poses (T, 4) with x, y in m and yaw, pitch in rad.

    x stays x, and y becomes z. Yaw 0 looks along z, 90 along x, in [0, 360). Positive pitch looks down in both.
    """
    x, y, yaw, pitch = poses.T
    degrees = np.round(90 - np.degrees(yaw), 9) % 360
    return np.column_stack([x, y, degrees, np.degrees(pitch)])


def from_left_handed(poses: np.ndarray) -> np.ndarray:
    """Return poses (T, 4) with x, y in m and yaw, pitch in rad, for x, z in m and yaw, pitch in degrees (T, 4)."""
    x, z, degrees, pitch = poses.T
    return np.column_stack([x, z, np.radians((90 - degrees) % 360), np.radians(pitch)])


def trajectory_records(route: Route, rooms: Sequence[np.ndarray], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return one record for each frame: its step, position, rotation, pitch, room and action.

    ``rooms`` are polygons (N, 2) m, ``names`` their names. The room outside of all is -1, with an empty name.
    """
    actions = [START, *route.actions]
    records = []
    for step, (pose, room) in enumerate(zip(to_left_handed(route.poses), room_of_frames(route, rooms), strict=True)):
        x, z, yaw, pitch = (float(value) for value in pose)
        records.append(
            {
                "step_count": step,
                "position": {"x": x, "z": z},
                "rotation": yaw,
                "pitch": pitch,
                "room_id": int(room),
                "room_name": "" if room == OUTSIDE else names[room],
                "action": actions[step],
            }
        )
    return records

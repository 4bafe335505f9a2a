"""Make records of a walk in left-handed axes.

The axes are y up, x right, z forward. Angles are in degrees, yaw clockwise from z.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from chronotope.world.explore.explore import Route
from chronotope.world.explore.rooms import OUTSIDE, room_of_frames

__all__ = ["from_left_handed", "to_left_handed", "trajectory_records"]

START = "Start"  # the action of frame 0


def to_left_handed(poses: np.ndarray) -> np.ndarray:
    """Return left-handed poses (T, 4) of poses (T, 4).

    The result is x and z in m, yaw and pitch in degrees. ``poses`` are x and y in m, yaw and pitch in rad.
    x stays x, and y becomes z. Yaw 0 looks along z, 90 along x, in [0, 360). Positive pitch looks down in both.
    """
    x, y, yaw, pitch = poses.T
    degrees = np.round(90 - np.degrees(yaw), 9) % 360
    return np.column_stack([x, y, degrees, np.degrees(pitch)])


def from_left_handed(poses: np.ndarray) -> np.ndarray:
    """Return the poses (T, 4) of left-handed poses (T, 4).

    The result is x and y in m, yaw and pitch in rad. ``poses`` are x and z in m, yaw and pitch in degrees.
    """
    x, z, degrees, pitch = poses.T
    return np.column_stack([x, z, np.radians((90 - degrees) % 360), np.radians(pitch)])


def trajectory_records(route: Route, rooms: Sequence[np.ndarray], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return a record of each frame's pose, room and action.

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

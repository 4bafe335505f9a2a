"""Make records of a walk in left-handed axes.

The axes are y up, x right, z forward. Angles are in degrees, yaw clockwise from z.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from chronotope.world.explore.explore import Route
from chronotope.world.explore.rooms import OUTSIDE, room_of_frames
from chronotope.world.left_handed import to_left_handed

__all__ = ["trajectory_records"]

START = "Start"  # the action of frame 0


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

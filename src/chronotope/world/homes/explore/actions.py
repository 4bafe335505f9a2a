"""Split a walk into atomic actions.

An action is one step ahead or one turn of 30 degrees, each with one frame.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import numpy as np

from chronotope.world.homes.explore.maps import Cell
from chronotope.world.homes.explore.route import WAYS

Action = Literal["MoveAhead", "RotateLeft", "RotateRight"]
TURN = 30  # degrees of one turn
_QUARTER = 90 // TURN  # turns


def actions_of(cells: Sequence[Cell], heading: int) -> list[Action]:
    """Return the actions that lead through neighbouring cells.

    ``heading`` (0 to 3) is the heading at the start. Turns go the shorter way; a turn of 180 degrees goes right.
    """
    actions: list[Action] = []
    for (x0, y0), (x1, y1) in pairwise(cells):
        way = WAYS.index((x1 - x0, y1 - y0))
        left = (way - heading) % 4
        turn: Action = "RotateLeft" if left == 1 else "RotateRight"
        actions.extend(turn for _ in range(min(left, -left % 4) * _QUARTER))
        actions.append("MoveAhead")
        heading = way
    return actions


def frames_of(start: Cell, heading: int, actions: Sequence[Action]) -> tuple[np.ndarray, np.ndarray]:
    """Return the cells (T, 2) and the yaws (T,) of all frames.

    Yaws are in turns of 30 degrees, counter-clockwise from x.
    Frame 0 is the start view; each action adds one frame, with the pose after the action.
    """
    cells, yaws = [start], [_QUARTER * heading]
    for action in actions:
        (x, y), yaw = cells[-1], yaws[-1]
        if action == "MoveAhead":
            dx, dy = WAYS[yaw // _QUARTER]
            x, y = x + dx, y + dy
        else:
            yaw = (yaw + (1 if action == "RotateLeft" else -1)) % (4 * _QUARTER)
        cells.append((x, y))
        yaws.append(yaw)
    return np.array(cells), np.array(yaws)

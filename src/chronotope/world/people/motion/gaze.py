"""Where a person looks: the turn of the head."""

from dataclasses import dataclass

import numpy as np

from chronotope.world.people.motion.skeleton import ease

EYES = 0.07  # m for each metre of hip height, height of the eyes above the joint of the head
SIDEWAYS, UP, DOWN = np.radians(75.0), np.radians(35.0), np.radians(55.0)  # most turn of the head


@dataclass(frozen=True, eq=False)
class Look:
    """A look from a time (s) on, at a point (3,) m or ahead, to which the head turns in ``seconds``."""

    start: float
    point: np.ndarray | None
    seconds: float


def turn_head(looks: list[Look], times: np.ndarray, path: np.ndarray, eye: float) -> np.ndarray:
    """Return how far the head is turned to the left and bowed (T, 2) rad.

    ``path`` (T, 3) is the place (m) and heading (rad) of the person, and ``eye`` (m) the height of the eyes.
    """
    angles = np.zeros((len(times), 2))
    for look in looks:
        share = ease((times - look.start) / look.seconds)[:, None]
        angles += share * (_towards(look.point, path, eye) - angles)
    return angles


def _towards(point: np.ndarray | None, path: np.ndarray, eye: float) -> np.ndarray:
    if point is None:
        return np.zeros((len(path), 2))
    way = np.asarray(point, float)[:2] - path[:, :2]
    # Behind the person, the head stays at the side where it was: the angle has no jump within a look.
    yaw = np.unwrap(np.arctan2(way[:, 1], way[:, 0])) - path[:, 2]
    yaw -= 2 * np.pi * np.round(yaw[:1] / (2 * np.pi))
    bow = np.arctan2(eye - float(point[2]), np.hypot(way[:, 0], way[:, 1]))
    return np.column_stack([SIDEWAYS * np.tanh(yaw / SIDEWAYS), np.clip(bow, -UP, DOWN)])

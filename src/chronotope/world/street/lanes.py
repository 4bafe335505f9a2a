"""Lanes: ways on the ground that vehicles follow, straight or curved."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

_STEP = 0.1  # m, largest distance of two points of a lane
_RAMP = 8  # pieces of equal curvature while the curvature of a bend grows
_COARSE = np.radians(2.5)  # largest turn between two points of a coarse lane
_FOLLOW = 0.02  # m, steps in which a rear axle follows


@dataclass(frozen=True, eq=False)
class Lane:
    """A way on the ground: points (N, 3) m, and their distances (N,) m from its start.

    Before its start and beyond its end, the lane goes on straight.
    """

    points: np.ndarray
    along: np.ndarray

    @property
    def length(self) -> float:
        """Return the length (m) of the lane."""
        return float(self.along[-1])

    def at(self, distance: np.ndarray) -> np.ndarray:
        """Return the places (..., 3) m at distances (...) m from the start."""
        distance = np.asarray(distance, float)
        inside = np.clip(distance, 0.0, self.length)
        found = np.stack([np.interp(inside, self.along, self.points[:, axis]) for axis in range(3)], axis=-1)
        beyond = distance - inside
        first, last = self._direction(0), self._direction(-1)
        return found + beyond[..., None] * np.where((beyond < 0)[..., None], first, last)

    def _direction(self, end: int) -> np.ndarray:
        way = self.points[1] - self.points[0] if end == 0 else self.points[-1] - self.points[-2]
        return way / np.linalg.norm(way)

    def poses(self, distance: np.ndarray, axles: tuple[float, float] = (0.1, -0.1)) -> np.ndarray:
        """Return poses (..., 4, 4) of vehicles on the ground at distances (...) m from the start.

        ``axles`` are the places (m) of the front and of the rear axle along x, in the frame of the vehicle. The front
        axle is on the lane, and the rear axle follows it, so that no wheel slides sideways.
        """
        distance = np.asarray(distance, float)
        length = axles[0] - axles[1]
        ahead = self.at(distance + axles[0])
        steps, behind = _followers(self, length)
        rear = np.stack([np.interp(distance + axles[0], steps, behind[:, axis]) for axis in range(3)], axis=-1)
        outside = (distance + axles[0] < steps[0]) | (distance + axles[0] > steps[-1])
        rear = np.where(outside[..., None], self.at(distance + axles[1]), rear)
        way = ahead - rear
        way /= np.linalg.norm(way, axis=-1, keepdims=True)
        left = np.cross([0.0, 0.0, 1.0], way)
        left /= np.linalg.norm(left, axis=-1, keepdims=True)
        poses = np.zeros((*distance.shape, 4, 4))
        poses[..., :3, 0], poses[..., :3, 1], poses[..., :3, 2] = way, left, np.cross(way, left)
        poses[..., :3, 3], poses[..., 3, 3] = ahead - axles[0] * way, 1.0
        return poses


@lru_cache(maxsize=64)
def _followers(lane: Lane, length: float) -> tuple[np.ndarray, np.ndarray]:
    """Let a rear axle follow a front axle on a lane (a tractrix).

    Returns distances (K,) m of the front axle, and the places (K, 3) m of the rear axle.
    """
    beyond = 4 * length  # after the end, the rear axle comes back to the line
    steps = np.linspace(-length, lane.length + beyond, max(2, int((lane.length + beyond + length) / _FOLLOW)))
    ahead = lane.at(steps)
    behind = np.empty_like(ahead)
    behind[0] = lane.at(np.array(steps[0] - length))
    for number in range(1, len(steps)):
        way = ahead[number] - behind[number - 1]
        behind[number] = ahead[number] - length * way / np.linalg.norm(way)
    return steps, behind


def lane_of(points: Sequence[Sequence[float]] | np.ndarray) -> Lane:
    """Make a lane from points (N, 3) m, by straight lines between them."""
    points = np.asarray(points, float)
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    return Lane(points, np.concatenate([[0.0], np.cumsum(steps)]))


def straight_lane(start: Sequence[float], end: Sequence[float]) -> Lane:
    """Make a straight lane between two places (3,) m."""
    return lane_of([start, end])


def lane_beside(lane: Lane, left: float) -> Lane:
    """Return the lane that is ``left`` (m) to the left of a lane on level ground."""
    along = np.gradient(lane.points, lane.along, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    return lane_of(lane.points + left * np.cross([0.0, 0.0, 1.0], along))


def coarse_lane(lane: Lane) -> Lane:
    """Return a lane with few points: its ends, and wherever it has turned by some degrees."""
    steps = np.diff(lane.points[:, :2], axis=0)
    headings = np.unwrap(np.arctan2(steps[:, 1], steps[:, 0]))
    kept = [0]
    for number in range(1, len(headings)):
        turns = abs(headings[number] - headings[number - 1]) > 1e-6
        begins = number > 1 and turns != (abs(headings[number - 1] - headings[number - 2]) > 1e-6)
        if begins or abs(headings[number] - headings[kept[-1]]) > _COARSE:
            kept.append(number)
    return lane_of(lane.points[[*kept, len(lane.points) - 1]])


def lane_back(lane: Lane) -> Lane:
    """Return the lane in the other direction."""
    return lane_of(lane.points[::-1])


def bend(angle: float, radius: float, ramp: float) -> list[tuple[float, float]]:
    """Return the parts of a bend for `curved_lane`.

    The bend turns by ``angle`` (rad), above 0 to the left, at least by ``ramp`` / ``radius``. Its curvature grows
    from 0 over ``ramp`` (m) until the bend has its ``radius`` (m), as a driver turns the wheel, and falls in the same
    way.
    """
    sign, steps = np.sign(angle), (np.arange(_RAMP) + 0.5) / _RAMP
    grow = [(ramp / _RAMP, float(sign * step / radius)) for step in steps]
    return [*grow, (abs(angle) * radius - ramp, float(sign / radius)), *grow[::-1]]


def curved_lane(start: Sequence[float], heading: float, parts: Sequence[tuple[float, float]]) -> Lane:
    """Make a lane of arcs that join smoothly.

    The lane begins at a place (3,) m with a heading (rad). Each part has a length (m) and a curvature (1/m), which is
    above 0 for a curve to the left and 0 for a straight part.
    """
    place, points = np.asarray(start, float), [np.asarray(start, float)]
    for length, curvature in parts:
        count = max(1, int(np.ceil(length / _STEP)))
        for _ in range(count):
            middle = heading + curvature * length / count / 2
            place = place + length / count * np.array([np.cos(middle), np.sin(middle), 0.0])
            heading += curvature * length / count
            points.append(place)
    return lane_of(np.array(points))

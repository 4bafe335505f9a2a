"""The view of a page: a parallel projection from the front and above."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chronotope.world.furniture.product import Vector


@dataclass(frozen=True, eq=False)
class View:
    """A parallel projection.

    The rows of ``axes`` (3, 3) are the directions to the right, down and away from the viewer, in the frame of the
    product. ``scale`` is in px per m, and ``shift`` (2,) px is the place of the origin.
    """

    axes: np.ndarray
    scale: float = 1.0
    shift: tuple[float, float] = (0.0, 0.0)

    def flat(self, points: np.ndarray) -> np.ndarray:
        """Project points (..., 3) m to (..., 2) px."""
        return self.scale * (points @ self.axes[:2].T) + np.array(self.shift)

    def depth(self, points: np.ndarray) -> np.ndarray:
        """Return how far points (..., 3) are away (m), from a plane through the origin."""
        return points @ self.axes[2]


def towards(up: Vector, azimuth: float, elevation: float) -> View:
    """Return the view of a product whose direction ``up`` points up.

    ``azimuth`` and ``elevation`` (degrees) are those of the viewer: at 0 and 0, the viewer sees the front.
    """
    high = np.array(up, float)
    forward = np.array([1.0, 0.0, 0.0])
    if abs(high @ forward) > 0.9:
        forward = np.array([0.0, 0.0, -1.0])
    level = np.stack([forward, np.cross(high, forward), high])
    turn, rise = np.radians([azimuth, elevation])
    away = -np.array([np.cos(rise) * np.cos(turn), np.cos(rise) * np.sin(turn), np.sin(rise)])
    right = np.array([-np.sin(turn), np.cos(turn), 0.0])
    return View(np.stack([right, np.cross(away, right), away]) @ level)


def fitted(view: View, points: np.ndarray, box: Sequence[float]) -> View:
    """Scale and shift a view so that points (N, 3) m fill a box.

    The ``box`` is (left, upper, right, lower) px.
    """
    flat = points @ view.axes[:2].T
    low, high = flat.min(axis=0), flat.max(axis=0)
    corner, end = np.array(box[:2]), np.array(box[2:])
    scale = float(((end - corner) / np.maximum(high - low, 1e-6)).min())
    x, y = ((corner + end) / 2 - scale * (low + high) / 2).tolist()
    return View(view.axes, scale, (x, y))

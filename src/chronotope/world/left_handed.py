"""Conversion between the world's axes and left-handed axes.

In left-handed axes, x points right, y up and z forward; angles are in degrees, and yaw is clockwise from z. The world's
x stays x, and the world's y becomes z. All conversions between the two are in this module.
"""

from collections.abc import Sequence
from typing import TypedDict

import numpy as np


class Vector(TypedDict):
    """A position or size in metres, or a rotation in degrees, in left-handed axes."""

    x: float
    y: float
    z: float


def to_left_handed(poses: np.ndarray) -> np.ndarray:
    """Convert poses (T, 4) in the world's axes to left-handed poses (T, 4).

    The result is x and z in m, yaw and pitch in degrees. ``poses`` are x and y in m, yaw and pitch in rad.
    x stays x, and y becomes z. Yaw 0 looks along z, 90 along x, in [0, 360). Positive pitch looks down in both.
    """
    x, y, yaw, pitch = poses.T
    degrees = np.round(90 - np.degrees(yaw), 9) % 360
    return np.column_stack([x, y, degrees, np.degrees(pitch)])


def from_left_handed(poses: np.ndarray) -> np.ndarray:
    """Convert left-handed poses (T, 4) to poses (T, 4) in the world's axes.

    The result is x and y in m, yaw and pitch in rad. ``poses`` are x and z in m, yaw and pitch in degrees.
    """
    x, z, degrees, pitch = poses.T
    return np.column_stack([x, z, np.radians((90 - degrees) % 360), np.radians(pitch)])


def swapped(points: np.ndarray) -> np.ndarray:
    """Convert points or sizes (..., 3) between the two systems of axes.

    The conversion is the same in both directions.
    """
    return np.asarray(points)[..., [0, 2, 1]]


def to_vector(point: np.ndarray | Sequence[float]) -> Vector:
    """Return a point or size (3,) in left-handed axes."""
    x, y, z = swapped(np.asarray(point, float)).tolist()
    return Vector(x=x, y=y, z=z)


def from_vector(vector: Vector) -> np.ndarray:
    """Return the point (3,) of a left-handed vector."""
    return swapped(np.array([vector["x"], vector["y"], vector["z"]], float))

"""Directions about the vertical: headings, bearings, and the words for them (sectors, clock, compass).

All angles in the ground plane are radians, positive to the left seen from above, that is right-handed about up.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from chronotope.geometry.rigid import FloatArray

_COMPASS = ("north", "north-west", "west", "south-west", "south", "south-east", "east", "north-east")
_SECTOR = np.pi / 4
_HOUR = np.pi / 6


def wrap_angle(a: ArrayLike) -> FloatArray:
    """Wrap angles (...) to (-pi, pi]."""
    angle = np.asarray(a, dtype=float)
    # Angles already there stay as they are, to the last bit.
    wrapped = np.where((angle > -np.pi) & (angle <= np.pi), angle, np.pi - np.mod(np.pi - angle, 2 * np.pi))
    # The remainder of a tiny negative number rounds up to the whole turn.
    return np.where(wrapped <= -np.pi, np.pi, wrapped)[()]


def _unit(vector: ArrayLike, name: str) -> FloatArray:
    v = np.asarray(vector, dtype=float)
    length = float(np.linalg.norm(v)) if v.shape == (3,) else 0.0
    if not np.isfinite(length) or length == 0:
        raise ValueError(f"{name} must be three finite numbers that are not all zero; got {v.tolist()}.")
    return v / length


def horizontal_basis(up: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return two unit vectors e1, e2 (3,) that span the ground plane.

    They are right-handed about ``up`` (3,): e1 x e2 = up. e1 is the world's x axis projected onto the plane (the y axis
    if x is nearly vertical), so that z up gives x and y.

    Raises:
        ValueError: If ``up`` has no direction.
    """
    vertical = _unit(up, "Up")
    axis = np.array([0.0, 1.0, 0.0]) if abs(vertical[0]) > 0.9 else np.array([1.0, 0.0, 0.0])
    e1 = axis - (axis @ vertical) * vertical
    e1 /= np.linalg.norm(e1)
    return e1, np.cross(vertical, e1)


def heading(forward: ArrayLike, up: ArrayLike) -> FloatArray:
    """Compute the azimuth (...) of directions (..., 3) about ``up`` (3,).

    It lies in (-pi, pi], is positive to the left, and is zero along the e1 of ``horizontal_basis``. Vertical directions
    have no azimuth: check ``elevation``.
    """
    e1, e2 = horizontal_basis(up)
    direction = np.asarray(forward, dtype=float)
    return wrap_angle(np.arctan2(direction @ e2, direction @ e1))


def elevation(forward: ArrayLike, up: ArrayLike) -> FloatArray:
    """Compute the angle (...) of directions (..., 3) above the ground plane.

    It lies in [-pi/2, pi/2].
    """
    vertical = _unit(up, "Up")
    direction = np.asarray(forward, dtype=float)
    upward = direction @ vertical
    level = np.linalg.norm(direction - upward[..., None] * vertical, axis=-1)
    return np.arctan2(upward, level)


def forward_of(T: ArrayLike) -> FloatArray:
    """Return the viewing directions (..., 3) of cameras in the world.

    ``T`` are poses world_T_camera (..., 4, 4) with OpenCV axes; the result is their third column.
    """
    return np.asarray(T, dtype=float)[..., :3, 2].copy()


def bearing(offset: ArrayLike, forward: ArrayLike, up: ArrayLike) -> FloatArray:
    """Compute the angle (...) from ``forward`` to ``offset`` in the ground plane.

    It is atan2(left, ahead), in (-pi, pi], positive to the left. ``offset`` (..., 3) points from the observer to the
    target, ``forward`` (..., 3) is the observer's direction; both and ``up`` (3,) are in the same frame. In an OpenCV
    camera frame ``offset`` is the point itself and ``forward`` is (0, 0, 1).
    """
    return wrap_angle(heading(offset, up) - heading(forward, up))


def sector(bearing: float, names: Sequence[str]) -> tuple[str, float]:
    """Return the 45° sector of a bearing, and its margin.

    The second value is the distance (rad, at most pi/8) to the nearest border. ``names`` are the eight sectors in the
    order of increasing bearing: ahead (centred on zero), then leftwards.

    Raises:
        ValueError: If there are not eight names, or the bearing is not finite.
    """
    if len(names) != 8:
        raise ValueError(f"Eight names of sectors are needed, ahead first and then to the left; got {len(names)}.")
    steps = _finite(bearing) / _SECTOR
    index = int(np.floor(steps + 0.5))
    return names[index % 8], float((0.5 - abs(steps - index)) * _SECTOR)


def clock_direction(bearing: float) -> int:
    """Return the hour, 1 to 12, that is nearest to a bearing.

    12 is ahead, 3 to the right, 9 to the left.

    Raises:
        ValueError: If the bearing is not finite.
    """
    return round(-_finite(bearing) / _HOUR) % 12 or 12


def compass_direction(heading_from_north: float) -> str:
    """Return the nearest of the eight compass directions.

    The heading is relative to north and positive to the left (west).

    Raises:
        ValueError: If the heading is not finite.
    """
    return sector(heading_from_north, _COMPASS)[0]


def _finite(angle: float) -> float:
    if not np.isfinite(angle):
        raise ValueError(f"A direction needs a finite angle; got {angle}.")
    return float(wrap_angle(angle))

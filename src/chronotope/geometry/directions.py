"""Directions around the vertical axis: headings, bearings, and words for directions (sectors, clock, compass).

All angles in the ground plane are in radians and positive to the left, seen from above. Such angles are
right-handed about the up direction.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from chronotope.geometry.rigid import FloatArray

_COMPASS = ("north", "north-west", "west", "south-west", "south", "south-east", "east", "north-east")
_SECTOR = np.pi / 4
_HOUR = np.pi / 6


def wrap_angle(a: ArrayLike) -> FloatArray:
    """Wrap angles (...) rad to the interval (-pi, pi]."""
    angle = np.asarray(a, dtype=float)
    # Angles inside the interval are returned without any rounding.
    wrapped = np.where((angle > -np.pi) & (angle <= np.pi), angle, np.pi - np.mod(np.pi - angle, 2 * np.pi))
    # If pi - angle is a tiny negative number, its remainder is rounded up to 2 pi. The result is -pi instead of pi.
    return np.where(wrapped <= -np.pi, np.pi, wrapped)[()]


def _unit(vector: ArrayLike, name: str) -> FloatArray:
    v = np.asarray(vector, dtype=float)
    length = float(np.linalg.norm(v)) if v.shape == (3,) else 0.0
    if not np.isfinite(length) or length == 0:
        raise ValueError(f"{name} must be three finite numbers that are not all zero; got {v.tolist()}.")
    return v / length


def horizontal_basis(up: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return two unit vectors e1, e2 (3,) that span the ground plane.

    The vectors are right-handed about ``up`` (3,): e1 x e2 is the unit vector along ``up``. e1 is the world's x
    axis projected onto the ground plane, or the y axis if x is nearly vertical. If z is up, e1 is the x axis and e2
    is the y axis.

    Raises:
        ValueError: If ``up`` is zero or not finite.
    """
    vertical = _unit(up, "Up")
    axis = np.array([0.0, 1.0, 0.0]) if abs(vertical[0]) > 0.9 else np.array([1.0, 0.0, 0.0])
    e1 = axis - (axis @ vertical) * vertical
    e1 /= np.linalg.norm(e1)
    return e1, np.cross(vertical, e1)


def heading(forward: ArrayLike, up: ArrayLike) -> FloatArray:
    """Compute the azimuth (...) rad of directions (..., 3) about ``up`` (3,).

    The azimuth is in (-pi, pi], is positive to the left, and is zero along the vector e1 of ``horizontal_basis``. A
    vertical direction has no azimuth; use ``elevation`` to find such directions.
    """
    e1, e2 = horizontal_basis(up)
    direction = np.asarray(forward, dtype=float)
    return wrap_angle(np.arctan2(direction @ e2, direction @ e1))


def elevation(forward: ArrayLike, up: ArrayLike) -> FloatArray:
    """Compute the angle (...) rad of directions above the ground plane.

    The directions ``forward`` are (..., 3). The angle is in [-pi/2, pi/2].
    """
    vertical = _unit(up, "Up")
    direction = np.asarray(forward, dtype=float)
    upward = direction @ vertical
    level = np.linalg.norm(direction - upward[..., None] * vertical, axis=-1)
    return np.arctan2(upward, level)


def forward_of(T: ArrayLike) -> FloatArray:
    """Return the viewing directions (..., 3) of cameras in the world.

    ``T`` are poses world_T_camera (..., 4, 4) with OpenCV axes. The viewing direction is the third column of a
    pose.
    """
    return np.asarray(T, dtype=float)[..., :3, 2].copy()


def bearing(offset: ArrayLike, forward: ArrayLike, up: ArrayLike) -> FloatArray:
    """Compute the angle (...) from ``forward`` to ``offset`` in the ground plane.

    The angle is atan2(left, ahead), in (-pi, pi], positive to the left. In this formula, ahead is the component of
    ``offset`` along ``forward``, and left is its component to the left of ``forward``. ``offset`` (..., 3) points
    from the observer to the target, and ``forward`` (..., 3) is the observer's direction. ``offset``, ``forward``
    and ``up`` (3,) are in the same frame. In an OpenCV camera frame, ``offset`` is the point itself and ``forward``
    is (0, 0, 1).
    """
    return wrap_angle(heading(offset, up) - heading(forward, up))


def sector(bearing: float, names: Sequence[str]) -> tuple[str, float]:
    """Return the name of a bearing's 45° sector, and the margin.

    The margin is the distance (rad, at most pi/8) from the bearing to the nearest border of the sector. ``names``
    are the names of the eight sectors in the order of increasing bearing. The first sector is ahead (centred on
    zero), and the next is to its left.

    Raises:
        ValueError: If there are not eight names, or the bearing is not finite.
    """
    if len(names) != 8:
        raise ValueError(
            f"Eight sector names are needed, with ahead first and then to the left; got {len(names)} names."
        )
    steps = _finite(bearing) / _SECTOR
    index = int(np.floor(steps + 0.5))
    return names[index % 8], float((0.5 - abs(steps - index)) * _SECTOR)


def clock_direction(bearing: float) -> int:
    """Return the hour, 1 to 12, that is nearest to a bearing.

    The hour 12 is ahead, 3 is to the right, and 9 is to the left.

    Raises:
        ValueError: If the bearing is not finite.
    """
    return round(-_finite(bearing) / _HOUR) % 12 or 12


def compass_direction(heading_from_north: float) -> str:
    """Return the compass direction, one of eight, nearest to a heading.

    The heading (rad) is relative to north and positive to the left (west).

    Raises:
        ValueError: If the heading is not finite.
    """
    return sector(heading_from_north, _COMPASS)[0]


def _finite(angle: float) -> float:
    if not np.isfinite(angle):
        raise ValueError(f"A direction needs a finite angle; got {angle}.")
    return float(wrap_angle(angle))

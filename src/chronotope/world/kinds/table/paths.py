"""Smooth paths of a camera around a table: functions from time to poses.

Every path passes below ``LOW`` for a part of the time: only for such a low camera does the order of depth differ from
the order of height in the picture.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import radians

import numpy as np

from chronotope.world.camera import look_at

__all__ = ["LOW", "PATHS", "CameraPath", "draw_path"]

LOW = radians(22)  # elevation above the table's things


@dataclass(frozen=True, eq=False)
class CameraPath:
    """A camera's path: its name and poses world_T_camera (T, 4, 4), OpenCV axes."""

    name: str
    poses: np.ndarray


def _ease(x: np.ndarray) -> np.ndarray:
    """Ease from 0 to 1 with speed zero at both ends."""
    return x * x * (3 - 2 * x)


# A path gives, for times x from 0 to 1 and three factors between 0 and 1 drawn for it, the azimuth turned (rad), the
# elevation between its least and its greatest (0 to 1), and the distance between its greatest and its least (0 to 1).
Shape = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]


def _orbit(x: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Move around the table, fastest in the middle of the path."""
    return radians(70 + 60 * f[0]) * (0.4 * x + 0.6 * _ease(x)), 0.25 * np.sin(np.pi * x) * f[1], 0 * x + f[2]


def _rise(x: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Move from low to high, and a little around the table."""
    return radians(20 + 40 * f[0]) * x, _ease(x), 0.5 * f[1] + 0.2 * x


def _sink(x: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Move from high to low, and nearer."""
    return radians(25 + 45 * f[0]) * _ease(x), 1 - _ease(np.minimum(1.4 * x, 1)), (0.3 + 0.7 * f[1]) * x


def _approach(x: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Move towards the things in a shallow bend, ever more slowly."""
    return radians(30 + 30 * f[0]) * x**2, 0.3 * f[1] * _ease(x), 1 - (1 - x) ** 2


def _sweep(x: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Move to one side, to the other, and back, bobbing."""
    swing = np.sin(2 * np.pi * x * (0.8 + 0.4 * f[0]))
    return radians(22 + 14 * f[1]) * swing, 0.5 - 0.5 * np.cos(2 * np.pi * x), 0.4 * f[2] + 0.2 * x


def _spiral(x: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Move around, up and nearer at once, ever faster."""
    return radians(80 + 60 * f[0]) * (0.3 * x + 0.7 * x**2), x**2 * (0.5 + 0.5 * f[1]), 0.8 * x


PATHS: dict[str, Shape] = {
    "orbit": _orbit, "rise": _rise, "sink": _sink, "approach": _approach, "sweep": _sweep, "spiral": _spiral,
}  # fmt: skip

_LOWEST = (radians(10), radians(17))
_HIGHEST = (radians(30), radians(44))
_NEAREST = (0.78, 0.9)  # m from what the camera looks at
_FARTHEST = (1.05, 1.3)


def draw_path(generator: np.random.Generator, times: np.ndarray, target: np.ndarray, azimuth: float) -> CameraPath:
    """Choose a random path of the camera, at times (T,) s.

    The camera faces ``target`` (3,) m.
    """
    name = str(generator.choice(list(PATHS)))
    x = times / times[-1]
    turned, climbed, neared = PATHS[name](x, generator.uniform(0, 1, 3))
    side = float(generator.choice([-1.0, 1.0]))
    low, high = generator.uniform(*_LOWEST), generator.uniform(*_HIGHEST)
    near, far = generator.uniform(*_NEAREST), generator.uniform(*_FARTHEST)
    angle = azimuth + generator.uniform(-0.3, 0.3) + side * (turned - turned.mean())
    elevation, distance = low + (high - low) * np.clip(climbed, 0, 1), far + (near - far) * np.clip(neared, 0, 1)
    flat = np.cos(elevation) * distance
    away = np.stack([flat * np.cos(angle), flat * np.sin(angle), np.sin(elevation) * distance], axis=1)
    # The eye wanders a little, as a person's would, so that no thing stays in the middle of the picture.
    phase, swing = generator.uniform(0, 2 * np.pi, 3), np.array([0.03, 0.03, 0.015])
    wander = swing * np.sin(2 * np.pi * x[:, None] * 0.7 + phase)
    return CameraPath(name, look_at(target + away, target + wander))

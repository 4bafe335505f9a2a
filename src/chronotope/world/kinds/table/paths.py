"""Smooth paths of a camera around a table: functions from time to poses.

Every path is below ``LOW`` for a part of the time. In all higher views, the order of things by depth equals their order
by height in the picture. The camera's average speed and its distance from the things are given. Therefore a slow camera
follows only a part of the path's shape, and a fast camera moves back and forth.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import radians

import numpy as np

from chronotope.world.camera import look_at

LOW = radians(22)  # rad; a view from a smaller elevation above the things counts as low


@dataclass(frozen=True, eq=False)
class CameraPath:
    """A camera's path: its name and poses world_T_camera (T, 4, 4), OpenCV axes."""

    name: str
    poses: np.ndarray


def _ease(x: np.ndarray) -> np.ndarray:
    """Increase smoothly from 0 to 1, with speed zero at both ends."""
    return x * x * (3 - 2 * x)


# The shape of a path, for times x from 0 to 1 and three random factors between 0 and 1. The shape returns the change of
# azimuth (rad), the elevation (0 for the least, 1 for the greatest), and the distance (0 for the greatest, 1 for the
# least).
Shape = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]


def _orbit(x: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Move around the table, fastest in the middle of the path."""
    return radians(70 + 60 * f[0]) * (0.4 * x + 0.6 * _ease(x)), 0.25 * np.sin(np.pi * x) * f[1], 0 * x + f[2]


def _rise(x: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Move from low to high, and slightly around the table."""
    return radians(20 + 40 * f[0]) * x, _ease(x), 0.5 * f[1] + 0.2 * x


def _sink(x: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Move from high to low, and nearer."""
    return radians(25 + 45 * f[0]) * _ease(x), 1 - _ease(np.minimum(1.4 * x, 1)), (0.3 + 0.7 * f[1]) * x


def _approach(x: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Move towards the things in a shallow bend, slower and slower."""
    return radians(30 + 30 * f[0]) * x**2, 0.3 * f[1] * _ease(x), 1 - (1 - x) ** 2


def _sweep(x: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Move to one side, to the other and back, while moving vertically."""
    swing = np.sin(2 * np.pi * x * (0.8 + 0.4 * f[0]))
    return radians(22 + 14 * f[1]) * swing, 0.5 - 0.5 * np.cos(2 * np.pi * x), 0.4 * f[2] + 0.2 * x


def _spiral(x: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Move around, up and nearer at the same time, faster and faster."""
    return radians(80 + 60 * f[0]) * (0.3 * x + 0.7 * x**2), x**2 * (0.5 + 0.5 * f[1]), 0.8 * x


def _pass(x: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Move past the things on a straight line, nearest in the middle."""
    reach = 0.5 + 0.3 * f[0]
    along = reach * (2 * x - 1)
    return np.arctan(along), 0.2 * f[1] + 0 * x, 1 - (np.hypot(1, along) - 1) / (np.hypot(1, reach) - 1)


def _retreat(x: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Move away from the things and up, slowly at first."""
    return radians(15 + 30 * f[0]) * x, (0.3 + 0.7 * f[1]) * _ease(x), 1 - x**1.5


PATHS: dict[str, Shape] = {
    "orbit": _orbit, "rise": _rise, "sink": _sink, "approach": _approach, "sweep": _sweep, "spiral": _spiral,
    "pass": _pass, "retreat": _retreat,
}  # fmt: skip

_LOWEST = (radians(9), radians(18))
_HIGHEST = (radians(30), radians(46))
_NEAREST, _FARTHEST = (0.76, 0.88), (1.06, 1.24)  # ranges, as factors of the given distance
_POINTS = 400  # points for measuring the length of a path
_EASED = 0.15  # share at each end of the path in which the camera slows down to turn back


def draw_path(
    generator: np.random.Generator, times: np.ndarray, target: np.ndarray, azimuth: float, distance: float, speed: float
) -> CameraPath:
    """Draw a camera's path at times (T,) s.

    The camera faces ``target`` (3,) m from about ``distance`` (m). The average speed of the camera is ``speed`` (m/s).
    """
    name = str(generator.choice(list(PATHS)))
    factors = generator.uniform(0, 1, 3)
    side = float(generator.choice([-1.0, 1.0]))
    low, high = generator.uniform(*_LOWEST), generator.uniform(*_HIGHEST)
    near, far = distance * generator.uniform(*_NEAREST), distance * generator.uniform(*_FARTHEST)
    middle = azimuth + generator.uniform(-0.4, 0.4)
    kept = float(generator.uniform(0, 1))  # for a short path: its distance from the things (0 is far, 1 is near)

    def away(x: np.ndarray, share: float) -> np.ndarray:
        turned, climbed, neared = PATHS[name](x, factors)
        whole = PATHS[name](np.linspace(0, 1, 101), factors)
        angle = middle + side * share * (turned - whole[0].mean())
        climbed, neared = np.clip(climbed, 0, 1), np.clip(neared, 0, 1)
        # A shortened path stays near the lowest elevation of the whole path.
        elevation = low + (high - low) * (climbed.min() + share * (climbed - climbed.min()))
        reached = far + (near - far) * (kept * (1 - share) + share * neared)
        flat = np.cos(elevation) * reached
        return np.stack([flat * np.cos(angle), flat * np.sin(angle), np.sin(elevation) * reached], axis=1)

    ways, share = _fitted(away, speed * times[-1])
    x = _to_and_fro(times / times[-1] * ways, ways)
    # The viewing direction varies slightly, as if hand-held, so that no thing stays in the middle of the picture.
    phase, swing = generator.uniform(0, 2 * np.pi, 3), np.array([0.03, 0.03, 0.015]) * min(distance, 1.0)
    wander = swing * np.sin(2 * np.pi * (times / times[-1])[:, None] * 0.7 + phase)
    return CameraPath(name, look_at(target + away(x, share), target + wander))


def _fitted(away: Callable[[np.ndarray, float], np.ndarray], wanted: float) -> tuple[int, float]:
    """Choose the number of passes and the length of each pass.

    The total length of the passes is ``wanted`` m.
    """
    grid = np.linspace(0, 1, _POINTS)

    def length(share: float) -> float:
        return float(np.linalg.norm(np.diff(away(grid, share), axis=0), axis=1).sum())

    ways = max(1, int(np.ceil(wanted / length(1.0) - 0.05)))
    low, high = 0.0, 1.05
    for _ in range(30):
        share = (low + high) / 2
        low, high = (share, high) if ways * length(share) < wanted else (low, share)
    return ways, min((low + high) / 2, 1.0)


def _to_and_fro(passed: np.ndarray, ways: int) -> np.ndarray:
    """Return the position on the path (0 to 1) after ``passed`` passes.

    The camera slows down before and after each turn.
    """
    if ways == 1:
        return passed
    number = np.minimum(passed.astype(int), ways - 1)
    part = passed - number
    share = np.concatenate([[0.0], np.cumsum(np.clip(np.minimum(_TICKS, 1 - _TICKS) / _EASED, 0, 1))])
    eased = np.interp(part, np.linspace(0, 1, len(share)), share / share[-1])
    return np.where(number % 2 == 0, eased, 1 - eased)


_TICKS = np.linspace(0, 1, 200) + 1 / 400

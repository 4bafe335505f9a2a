"""Views through a window: pictures (h, w, 3) uint8 whose first row is at the bottom."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy.ndimage import gaussian_filter

from chronotope.world.things import textures

SIZE = 128  # px
Colour = tuple[float, float, float]


def draw_view(generator: np.random.Generator) -> np.ndarray:
    """Draw one of the views, by day."""
    view = VIEWS[str(generator.choice(list(VIEWS)))]
    return np.rint(255 * np.clip(view(generator) * (1 + 0.03 * _grain())[..., None], 0, 1)).astype(np.uint8)


def _sky(horizon: Colour, zenith: Colour) -> np.ndarray:
    height = np.linspace(0, 1, SIZE)[:, None, None]
    return np.broadcast_to((1 - height) * np.array(horizon) + height * np.array(zenith), (SIZE, SIZE, 3)).copy()


@lru_cache(maxsize=1)
def _grain() -> np.ndarray:
    """Return noise (SIZE, SIZE) of leaves and grass.

    Its mean is 0 and its deviation 1. The noise is the same for all views, and does not depend on the generator of a
    view.
    """
    fine, broad = np.random.default_rng(0).normal(size=(2, SIZE, SIZE))
    noise = gaussian_filter(fine, 0.7, mode="wrap") / 0.4 + gaussian_filter(broad, 2.5, mode="wrap") / 0.11
    return (noise - noise.mean()) / noise.std()


def _levels() -> tuple[np.ndarray, np.ndarray]:
    """Return heights (SIZE, 1) and horizontal positions (1, SIZE), 0 to 1."""
    return np.linspace(0, 1, SIZE)[:, None], np.linspace(0, 1, SIZE)[None]


def _ridge(generator: np.random.Generator, height: float, rough: float) -> np.ndarray:
    across = np.linspace(0, 2 * np.pi, SIZE)
    waves = [rough / k * np.sin(k * across + generator.uniform(0, 6)) for k in (1, 2, 5)]
    return height + np.sum(waves, axis=0)


def _hills(generator: np.random.Generator) -> np.ndarray:
    """Draw hills and a meadow."""
    picture, hills = _sky((0.86, 0.90, 0.93), (0.66, 0.80, 0.94)), _ridge(generator, 0.33, 0.05)
    level, _ = _levels()
    picture[level < hills] = (0.60, 0.70, 0.66)
    picture[level < 0.6 * hills] = (0.56, 0.68, 0.46)
    return picture


def _mountains(generator: np.random.Generator) -> np.ndarray:
    """Draw steep mountains with snow under a grey sky."""
    picture = _sky((0.80, 0.82, 0.86), (0.62, 0.70, 0.80))
    level, across = _levels()
    peaks = np.max(
        [0.75 - np.abs(across - at) * generator.uniform(1.2, 2.0) for at in generator.uniform(0, 1, 4)], axis=0
    )
    picture[level < peaks] = (0.52, 0.55, 0.62)
    picture[(level < peaks) & (level > 0.5)] = (0.93, 0.94, 0.96)
    picture[np.broadcast_to(level < 0.16, (SIZE, SIZE))] = (0.40, 0.50, 0.40)
    return picture


def _sea(generator: np.random.Generator) -> np.ndarray:
    """Draw the sea, and clouds above it."""
    picture, (level, across) = _sky((0.93, 0.92, 0.88), (0.55, 0.76, 0.95)), _levels()
    for x, y, wide in generator.uniform((0, 0.6, 0.1), (1, 0.9, 0.25), (4, 3)):
        picture[((across - x) / wide) ** 2 + ((level - y) / (0.3 * wide)) ** 2 < 1] = (0.97, 0.97, 0.97)
    waves = 0.02 * np.sin(140 * level + 9 * across)
    sea = np.array([0.30, 0.50, 0.64]) + waves[..., None]
    return np.where((level < 0.42)[..., None], sea, picture)


def _town(generator: np.random.Generator) -> np.ndarray:
    """Draw houses with windows, by day."""
    return _houses(generator, _sky((0.90, 0.90, 0.90), (0.70, 0.80, 0.90)), (0.70, 0.62, 0.56), (0.34, 0.40, 0.46))


def _terrace(generator: np.random.Generator) -> np.ndarray:
    """Draw a row of pale houses under a blue sky."""
    return _houses(generator, _sky((0.88, 0.91, 0.94), (0.55, 0.73, 0.92)), (0.80, 0.77, 0.70), (0.40, 0.45, 0.50))


def _houses(generator: np.random.Generator, picture: np.ndarray, wall: Colour, window: Colour) -> np.ndarray:
    start = 0
    while start < SIZE:
        wide, tall = int(generator.integers(14, 30)), int(generator.integers(35, 100))
        end = min(start + wide, SIZE)
        picture[:tall, start:end] = np.array(wall) * generator.uniform(0.8, 1.15)
        for low in range(6, tall - 8, 11):
            for left in range(start + 3, end - 5, 7):
                if generator.random() < 0.7:
                    picture[low : low + 6, left : left + 4] = window
        start = end
    return picture


def _trees(generator: np.random.Generator) -> np.ndarray:
    """Draw round trees on a lawn."""
    picture, (level, across) = _sky((0.88, 0.92, 0.90), (0.62, 0.80, 0.92)), _levels()
    picture[np.broadcast_to(level < 0.3, (SIZE, SIZE))] = (0.45, 0.62, 0.34)
    for x in generator.uniform(0, 1, 5):
        y, wide = generator.uniform(0.45, 0.6), generator.uniform(0.10, 0.18)
        picture[np.broadcast_to((np.abs(across - x) < 0.018) & (level < y) & (level > 0.2), (SIZE, SIZE))] = (
            0.35,
            0.26,
            0.2,
        )
        away = np.sqrt((across - x) ** 2 + (level - y) ** 2) / wide
        crown = away + 0.09 * _grain() < 1  # leaves at the edge
        light = generator.uniform(0.8, 1.3) * (1 + 0.5 * (level - y) / wide + 0.1 * _grain())
        picture[crown] = np.array([0.26, 0.43, 0.20]) * np.clip(light, 0.4, 1.6)[crown][:, None]
    return picture


def _wall(generator: np.random.Generator) -> np.ndarray:
    """Draw the brick wall of the house opposite."""
    return textures.brick(generator, (0.62, 0.42, 0.34), SIZE) / 255 * 0.9 + 0.06


VIEWS: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
    "hills": _hills, "mountains": _mountains, "sea": _sea, "town": _town, "terrace": _terrace, "trees": _trees,
    "wall": _wall,
}  # fmt: skip

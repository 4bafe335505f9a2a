"""The real sizes of the things of each kind, and the freedom of their proportions."""

from dataclasses import dataclass

import numpy as np

LOOSE = 0.35  # a side and its thing differ by at most this in their positions (0 to 1) in the range of sizes
ATTEMPTS = 50
LONGER = 1.03  # smallest ratio of length to width for a thing whose width is free


@dataclass(frozen=True)
class Sizes:
    """The smallest and the largest length, width and height (m) of a kind.

    ``tied`` has groups of axes, and all axes of a group have the same scale. For example, "xy z" is for a round thing,
    whose height has its own scale. The ranges of tied axes follow from the proportions of the sketch.
    """

    tied: str
    length: tuple[float, float]
    width: tuple[float, float]
    height: tuple[float, float]

    @property
    def bounds(self) -> np.ndarray:
        """Return the smallest and the largest size, (2, 3) m."""
        return np.array([self.length, self.width, self.height]).T

    def draw(self, generator: np.random.Generator, extent: np.ndarray, at: float | None = None) -> np.ndarray:
        """Draw a size (3,) m for a sketch with an extent (3,).

        ``at`` (0 to 1) is the position of the thing between the smallest and the largest size; if ``at`` is None, the
        position is chosen at random. For each group of axes this position is shifted by up to ``LOOSE``. A position
        outside 0 to 1 is reflected into this range, so each side is log-uniform in its range.
        """
        at = float(generator.uniform(0, 1)) if at is None else at
        extent = np.asarray(extent, float)
        for _ in range(ATTEMPTS):
            scale = np.empty(3)
            for axes in self.tied.split():
                chosen = ["xyz".index(axis) for axis in axes]
                least, most = (self.bounds[:, chosen] / extent[chosen])[[0, 1]]
                low, high = least.max(), most.min()
                shift = generator.uniform(-LOOSE, LOOSE) if len(chosen) < 3 else 0.0
                scale[chosen] = low * (high / low) ** _reflected(at + shift)
            size = scale * extent
            if "xy" in self.tied or size[0] >= LONGER * size[1]:
                return size
        raise AssertionError("no size was found whose length is larger than its width")

    def __contains__(self, size: object) -> bool:
        # Checks whether a size (3,) m is within the bounds, with a tolerance of 0.1 mm.
        least, most = self.bounds
        given = np.asarray(size, float)
        return bool((given >= least - 1e-4).all() and (given <= most + 1e-4).all())


def _reflected(at: float) -> float:
    """Reflect a number at 0 and 1 into this range."""
    at = at % 2
    return 2 - at if at > 1 else at

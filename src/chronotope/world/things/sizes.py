"""The real sizes of the things of each kind, and the freedom of their proportions."""

from dataclasses import dataclass

import numpy as np

LOOSE = 0.35  # a side and its thing differ by at most this in their positions (0 to 1) in the range of sizes
ATTEMPTS = 50
LONGER = 1.03  # smallest ratio of length to width for a thing whose width is free


@dataclass(frozen=True)
class Sizes:
    """The smallest and the largest length, width and height (cm) of a kind.

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
        return np.array([self.length, self.width, self.height]).T / 100

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


SIZES: dict[str, Sizes] = {
    "mug": Sizes("xy z", (8.0, 15.1), (6.2, 10.5), (6, 13)),
    "bowl": Sizes("xy z", (10, 25), (10, 25), (4, 11)),
    "plate": Sizes("xy z", (15, 30), (15, 30), (1.6, 4)),
    "bottle": Sizes("xy z", (5.5, 11), (5.5, 11), (15, 34)),
    "vase": Sizes("xy z", (7, 17), (7, 17), (13, 34)),
    "jug": Sizes("xy z", (12.1, 24.4), (8, 16), (12, 28)),
    "teapot": Sizes("xy z", (14.5, 29.2), (8.5, 17), (9.5, 21)),
    "frying pan": Sizes("xy z", (22.7, 46.9), (14, 27), (4, 8.5)),
    "cooking pot": Sizes("xy z", (15.5, 33.7), (12, 26), (9, 22)),
    "book": Sizes("x y z", (16, 31), (11, 22), (1, 4.2)),
    "cardboard box": Sizes("x y z", (14, 36), (9.5, 24), (6, 24)),
    "cereal box": Sizes("x y z", (13, 22), (3.8, 8.5), (17, 34)),
    "gift box": Sizes("x y z", (8, 24), (6.5, 19), (5, 18)),
    "ball": Sizes("xyz", (4.5, 15), (4.5, 15), (4.4, 15)),
    "table lamp": Sizes("xy z", (14, 29), (14, 29), (22, 46)),
    "desk lamp": Sizes("xyz", (17.5, 34), (9.6, 18.9), (24.1, 47.0)),
    "candle": Sizes("xy z", (4, 9.8), (3.9, 9.8), (5, 21)),
    "alarm clock": Sizes("xz y", (4.5, 9.2), (2.4, 5.2), (6.5, 13.5)),
    "potted plant": Sizes("xy z", (9, 24), (9, 24), (12, 34)),
    "basket": Sizes("xy z", (15, 34), (15, 34), (12, 30)),
    "bucket": Sizes("xy z", (12.3, 28.9), (12, 28), (15, 36)),
    "watering can": Sizes("xy z", (20.3, 40.8), (8, 16), (11, 26)),
    "toilet roll": Sizes("xy z", (5.5, 13), (5.5, 13), (8.5, 11.5)),
    "spray bottle": Sizes("xy z", (8.6, 17.0), (4.4, 8.6), (14, 29)),
    "hat": Sizes("xy z", (23, 36), (23, 36), (7.5, 16)),
    "cap": Sizes("xy z", (20.3, 31.4), (13.5, 20), (8.5, 15)),
    "traffic cone": Sizes("xy z", (8.5, 22), (8.5, 22), (12, 34)),
    "apple": Sizes("xy z", (5.5, 10), (5.5, 10), (5.5, 10)),
    "pear": Sizes("xy z", (5, 9.5), (5, 9.5), (7.5, 14.5)),
    "banana": Sizes("x yz", (12, 23), (4.2, 8.8), (2.3, 5.5)),
    "pumpkin": Sizes("xy z", (10, 28), (10, 28), (7.5, 23)),
    "tin can": Sizes("xy z", (5, 10.5), (5, 10.5), (5.5, 12.5)),
    "milk carton": Sizes("xy z", (5.6, 10), (5.4, 9.8), (12, 25)),
    "toy car": Sizes("xz y", (6.5, 19), (3, 8.5), (2.6, 7.8)),
    "toy train": Sizes("xz y", (10, 28), (3.7, 9.5), (5.4, 15.3)),
    "toy plane": Sizes("xz y", (11, 30), (9, 25), (5.0, 13.7)),
    "toy boat": Sizes("x y z", (12, 32), (4.6, 12), (12, 33)),
    "rubber duck": Sizes("xy z", (5.5, 15), (3.8, 10.6), (4.6, 12.5)),
    "piggy bank": Sizes("xy z", (9, 22), (5.4, 13.4), (6.8, 16)),
    "teddy bear": Sizes("xy z", (11, 27), (10.9, 26.8), (13, 33)),
    "toy brick": Sizes("xy z", (2.4, 6.4), (1.6, 4.4), (1.2, 3.4)),
    "die": Sizes("xyz", (1.2, 3.0), (1.2, 3.0), (1.2, 3.0)),
    "laptop": Sizes("x y z", (24, 37), (20, 31), (10, 17)),
    "photo camera": Sizes("x yz", (8, 17), (7, 14), (6.0, 12.1)),
    "pencil holder": Sizes("xy z", (5.4, 10.5), (5.4, 10.5), (12.5, 22)),
    "trophy": Sizes("xy z", (9, 23), (5.6, 14.6), (13, 36)),
    "toolbox": Sizes("x y z", (20, 42), (11, 22), (11, 23)),
    "dumbbell": Sizes("x yz", (13, 31), (5.4, 12), (4.6, 10.4)),
    "tissue box": Sizes("x y z", (12, 26), (8, 13.5), (8.5, 17)),
    "rocking horse": Sizes("xz y", (14, 38), (6, 16), (10.2, 28.0)),
    "boot": Sizes("xz y", (13, 30), (5, 11), (8.4, 19.6)),
    "headphones": Sizes("xy z", (14, 22), (13.1, 20.8), (5.2, 9)),
    "cupcake": Sizes("xy z", (4, 9), (4, 9), (4, 9)),
    "toy forklift": Sizes("xz y", (10, 30), (3.7, 11), (6.1, 18.5)),
    "wheelbarrow": Sizes("xz y", (13, 38), (4.8, 14), (4.4, 12.9)),
    "reindeer": Sizes("xz y", (5.5, 16.1), (2.6, 7.4), (11, 32)),
}
"""The sizes of every kind of thing by its name."""

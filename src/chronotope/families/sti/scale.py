"""Constants that depend on the size of a scene: gaps between options, limits, printed units."""

from dataclasses import dataclass, replace
from math import ceil, log10

import numpy as np

from chronotope.recording import Kind


@dataclass(frozen=True)
class PrintedUnit:
    """A unit for printed numbers.

    ``si`` is the SI unit of the values, and ``factor`` is the number of printed units in one SI unit. ``decimals`` is
    the number of printed decimals.
    """

    name: str
    factor: float
    decimals: int
    si: str

    def fine_enough(self, smallest: float, ratio: float) -> "PrintedUnit":
        """Return this unit with enough decimals for a geometric sequence.

        With these decimals, rounding changes the gap between two neighbours by at most a tenth. ``smallest`` is the
        smallest value in this unit.
        """
        wanted = ceil(-log10(smallest * (ratio - 1) / 10))
        return replace(self, decimals=max(self.decimals, wanted))

    @property
    def step(self) -> float:
        """Return the smallest difference between two printed numbers."""
        return 10.0**-self.decimals


CENTIMETRES, METRES = PrintedUnit("cm", 100.0, 2, "m"), PrintedUnit("m", 1.0, 2, "m")


NEARLY_THE_SAME = 3  # ticks; maximum difference of the times of two windows that are treated as the same
MOST_TAILS = 2.0  # a value further outside the limits, in units of ``Usual.tail``, is unusual


@dataclass(frozen=True)
class Usual:
    """The distribution of speeds (m/s) or lengths (m) that a reader of many clips expects.

    The logarithm of the value is uniform between ``low`` and ``high``. Outside, the density falls like that of a normal
    distribution with the standard deviation ``tail``, the relative width of the limits. The standard deviation of
    values above ``high`` is ``above``, if it is given.
    """

    low: float
    high: float
    tail: float
    above: float | None = None

    def likelihood(self, value: float, factors: np.ndarray) -> np.ndarray:
        """Return the density (at most 1) of ``value`` times each factor.

        A usual value never becomes an unusual one. If ``value`` is unusual, nothing is known about its distribution:
        then all unusual values are equally likely, and usual ones are excluded.
        """
        tails = self._tails(value * factors)
        if self._tails(np.array(value)) > MOST_TAILS:
            return (tails > MOST_TAILS).astype(np.float64)
        return np.where(tails <= MOST_TAILS, np.exp(-0.5 * tails**2), 0.0)

    def _tails(self, values: np.ndarray) -> np.ndarray:
        """Return the distance of each value from the limits, in tails."""
        logs = np.log(values)
        below, above = np.log(self.low) - logs, logs - np.log(self.high)
        return np.maximum(np.maximum(below / self.tail, above / (self.above or self.tail)), 0.0)


@dataclass(frozen=True)
class Scale:
    """The constants for one kind of scene.

    - ``nearest`` (m) is the published range for the gap between an option and its nearest neighbour. The same numbers
      are used for speeds (m/s) and accelerations (m/s²).
    - ``decimals`` is the number of decimals for the motion of cameras and things.
    - ``turn_decimals`` is the number of decimals for angles of turns.
    - ``speed_change`` (m/s) is the minimum change of speed for a question about average acceleration.
    - ``camera_speed`` and ``thing_speed`` are the usual mean speeds of a camera and of a thing in motion.
      ``thing_speed`` is None if the usual speeds of the things in these scenes differ too much.
    - ``length`` is the unit for sizes and distances of things.

    The constants for smoothing, and for the decision whether something is at rest, are in
    ``chronotope.scene.MOTION_LIMITS``.
    """

    scene: str
    nearest: tuple[float, float]
    decimals: int
    turn_decimals: int
    speed_change: float
    camera_speed: Usual
    thing_speed: Usual | None
    length: PrintedUnit

    def along_the_way(self, unit: str) -> PrintedUnit:
        """Return the printed unit for a quantity of motion.

        ``unit`` is the SI unit of a length, speed or acceleration.
        """
        return PrintedUnit(unit, 1.0, self.decimals, unit)


# Desktop speeds are from simulated scenes. Indoors, a person carries the camera; outdoors, a car carries the camera.
_TABLE, _TOY = Usual(0.03, 0.27, 0.02), Usual(0.05, 0.25, 0.02)
_CARRIED, _DRIVEN = Usual(0.18, 0.3, 0.25), Usual(3.0, 12.0, 0.6)

STEPPED = Usual(0.3, 0.55, 0.2)  # m/s; mean speed of an agent that moves in steps, in windows of 2 to 10 s

# Mean speeds (m/s) of the camera in motion, in simulated scenes that have speeds of their own: {source: {the kind of
# road, or what the car does at a crossing: distribution}}. The questions of a drive show its course, and a reader who
# knows the course expects these speeds. Fitted to 48 drives.
SPEEDS = {
    "world:street": {
        "straight": Usual(4.6, 8.4, 0.1),
        "curve": Usual(6.5, 7.6, 0.06),
        "passes": Usual(3.7, 4.7, 0.12),
        "turns": Usual(3.7, 4.7, 0.12),
        "stops": Usual(1.9, 3.1, 0.25),
    }
}

# Distances in simulated scenes: {source: {name of the distance: distribution}}. Those of tables are fitted to 250
# tables: a table ends, so long distances are cut off more sharply than short ones. Those of walks are fitted to 106
# clips, and those of drives to 47. Walks show things from farther away than the agent of a house, which stops
# near them.
DISTANCES = {
    "world:table": {
        "gap": Usual(0.4, 0.4, 1.2, 0.305),
        "centre-distance": Usual(0.5, 0.5, 0.6, 0.27),
        "camera-distance": Usual(1.67, 1.67, 0.45, 0.145),
    },
    "world:walk": {
        "gap": Usual(0.25, 1.6, 0.55),
        "centre-distance": Usual(0.38, 2.2, 0.34),
        "camera-distance": Usual(2.15, 2.55, 0.31),
    },
    "world:house": {
        "gap": Usual(0.25, 1.5, 0.8),
        "centre-distance": Usual(0.4, 1.8, 0.6),
        "camera-distance": Usual(1.3, 2.2, 0.25),
    },
    "world:street": {
        "gap": Usual(3.0, 14.0, 0.75, 0.45),
        "centre-distance": Usual(7.0, 17.0, 0.45, 0.5),
        "camera-distance": Usual(11.0, 24.0, 0.4, 0.45),
    },
}

SCALES = {
    Kind.DESKTOP: Scale("Desktop", (0.005, 0.05), 3, 2, 0.05, _TABLE, _TOY, CENTIMETRES),
    Kind.INDOOR: Scale("Indoor", (0.05, 0.5), 2, 2, 0.05, _CARRIED, None, METRES),
    Kind.OUTDOOR: Scale("Outdoor", (0.5, 5.0), 2, 0, 0.5, _DRIVEN, None, METRES),
}

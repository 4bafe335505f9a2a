"""Constants that depend on the scene's size: ranges of options, noise limits, formats."""

from dataclasses import dataclass, replace
from math import ceil, log10

from chronotope.recording import Kind

__all__ = ["SCALES", "PrintedUnit", "Scale"]


@dataclass(frozen=True)
class PrintedUnit:
    """A unit of printed numbers: name, size, decimals, SI unit.

    The size is its number per SI unit.
    """

    name: str
    factor: float
    decimals: int
    si: str

    def fine_enough(self, smallest: float, ratio: float) -> "PrintedUnit":
        """Return this unit with enough decimals for values of one ratio.

        Rounding then changes no gap between neighbours by more than a tenth. ``smallest`` is the smallest value in this
        unit.
        """
        wanted = ceil(-log10(smallest * (ratio - 1) / 10))
        return replace(self, decimals=max(self.decimals, wanted))

    @property
    def step(self) -> float:
        """Return the last place printed, in this unit."""
        return 10.0**-self.decimals


CENTIMETRES, METRES = PrintedUnit("cm", 100.0, 2, "m"), PrintedUnit("m", 1.0, 2, "m")


@dataclass(frozen=True)
class Scale:
    """The constants of one kind of scene.

    ``nearest`` (m) is the published range of the distance between an option and its nearest neighbour; the same numbers
    are used for speeds (m/s) and accelerations (m/s²). ``speed_change`` (m/s) is the minimum change of speed for an
    average acceleration. ``plausible_speed`` (m/s) is the range of a camera's mean speed: everybody would know that an
    option beyond it is wrong. ``length`` is the unit of sizes and distances of things. ``decimals`` are for the motion
    of cameras and things. ``chronotope.scene.MOTION_LIMITS`` has the smoothing and the limits of rest.
    """

    scene: str
    nearest: tuple[float, float]
    decimals: int
    turn_decimals: int
    speed_change: float
    plausible_speed: tuple[float, float]
    length: PrintedUnit

    def along_the_way(self, unit: str) -> PrintedUnit:
        """Return the printed units of lengths, speeds and accelerations of motion."""
        return PrintedUnit(unit, 1.0, self.decimals, unit)


SCALES = {
    Kind.DESKTOP: Scale("Desktop", (0.005, 0.05), 3, 2, 0.05, (0.03, 0.8), CENTIMETRES),
    Kind.INDOOR: Scale("Indoor", (0.05, 0.5), 2, 2, 0.05, (0.05, 2.5), METRES),
    Kind.OUTDOOR: Scale("Outdoor", (0.5, 5.0), 2, 0, 0.5, (0.8, 35.0), METRES),
}

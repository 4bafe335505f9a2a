"""What depends on how large the scene is: ranges of options, noise limits, printed formats (specification, 5, 6, 8)."""

from dataclasses import dataclass

from chronotope.recording import Kind

__all__ = ["SCALES", "LengthUnit", "Scale"]


@dataclass(frozen=True)
class LengthUnit:
    """A unit that lengths are printed in: its name, how many of it make a metre, and the decimals printed."""

    name: str
    per_metre: float
    decimals: int

    @property
    def step(self) -> float:
        """The last place printed, in this unit."""
        return 10.0**-self.decimals


CENTIMETRES, METRES = LengthUnit("cm", 100.0, 2), LengthUnit("m", 1.0, 2)


@dataclass(frozen=True)
class Scale:
    """The constants of one kind of scene.

    ``nearest`` (m) is the published range of the distance between an option and its nearest neighbour; the same
    numbers serve speeds (m/s) and accelerations (m/s²). ``smoothing`` (s) is the window of the Savitzky-Golay filter,
    ``still`` (m) how far a camera at rest may wander, ``speed_change`` (m/s) the least change that an average
    acceleration needs. Sizes and distances of things are printed in ``length``, ``decimals`` serve the camera's ways.
    """

    scene: str
    nearest: tuple[float, float]
    decimals: int
    turn_decimals: int
    smoothing: float
    still: float
    speed_change: float
    length: LengthUnit


SCALES = {
    Kind.DESKTOP: Scale("Desktop", (0.005, 0.05), 3, 2, 0.5, 0.005, 0.05, CENTIMETRES),
    Kind.INDOOR: Scale("Indoor", (0.05, 0.5), 2, 2, 0.5, 0.03, 0.05, METRES),
    Kind.OUTDOOR: Scale("Outdoor", (0.5, 5.0), 2, 0, 1.0, 0.05, 0.5, METRES),
}

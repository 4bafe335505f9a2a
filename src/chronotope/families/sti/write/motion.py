"""Questions about motion of a camera or a thing: lengths, speeds, accelerations."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from chronotope.families import Profile
from chronotope.families.sti.measure import motion
from chronotope.families.sti.refusal import Code
from chronotope.families.sti.scale import SCALES
from chronotope.families.sti.write.scalar import published_item, world_item
from chronotope.families.sti.write.worlds import Worlds
from chronotope.question import Reason, Refused
from chronotope.recording import Kind
from chronotope.scene import Candidate, Item, Place, Track

# Minimum ratio of neighbouring accelerations at a moment: two good ways to smooth a track differ by up to 7 %.
LEAST_RATIO = 1.19
SPEED_AGREEMENT = 0.5  # m/s; maximum difference between the measured speed and the source's speed

_LENGTH, _RATE = "Displacement & Path Length", "Speed & Acceleration"


@dataclass(frozen=True)
class Motion:
    """A scalar quantity, measured on a track over a window or at a moment.

    If ``signed`` is true, values may be negative. If ``zero_is_legal`` is true, a camera or thing at rest has the value
    zero with the profile ``paper``. ``noun`` is the value of the tag ``quantity`` of the questions.
    """

    name: str
    task: str
    unit: str
    quantity: Callable[..., float]
    noun: str
    at_moment: bool = False
    signed: bool = False
    zero_is_legal: bool = False

    def measure(self, track: Track, place: Place, profile: Profile) -> float:
        """Return the true answer in the SI unit, or raise Refused."""
        try:
            return self.quantity(track, *((place.start, place.end) if place.at is None else (place.at,)))
        except Refused as refused:
            if profile == "paper" and self.zero_is_legal and refused.code is Reason.STATIONARY:
                return 0.0
            raise

    def item(
        self,
        generator: np.random.Generator,
        track: Track,
        candidates: Sequence[Candidate],
        worlds: Worlds | None,
        stem: Callable[[Candidate], str],
    ) -> Item:
        """Make an item for one of the candidates, with its ``stem``.

        The options are the values in the five ``worlds``. If ``worlds`` is None, the published rule makes the options.

        Raises:
            Refused: If no candidate has valid options, or if the worlds are too similar for an acceleration at a
                moment.
        """
        scale = SCALES[track.kind]
        unit = scale.along_the_way(self.unit)
        if worlds is not None and self.quantity is motion.tangential_acceleration and worlds.ratio < LEAST_RATIO:
            raise Refused(Code.BELOW_PRECISION)
        if worlds is None:
            return published_item(generator, candidates[0], unit, scale.nearest, stem, signed=self.signed)
        least = [self._least(track, candidate.place) for candidate in candidates]
        item = world_item(candidates, worlds, unit, least, stem)
        return replace(item, tags={**item.tags, "quantity": (self.noun,)})

    def _least(self, track: Track, place: Place) -> float:
        """Return the smallest possible magnitude of an answer."""
        least = SCALES[track.kind].nearest[0]
        if self.quantity is motion.average_acceleration:
            least = max(least, SCALES[track.kind].speed_change / (place.end - place.start))
        return least


MOTIONS = (
    Motion("displacement", _LENGTH, "m", motion.displacement, "lengths of motion"),
    Motion("path-length", _LENGTH, "m", motion.path, "lengths of motion"),
    Motion("average-speed", _RATE, "m/s", motion.average_speed, "speeds", zero_is_legal=True),
    Motion("speed", _RATE, "m/s", motion.speed, "speeds", at_moment=True, zero_is_legal=True),
    Motion("average-acceleration", _RATE, "m/s²", motion.average_acceleration, "accelerations", signed=True),
    Motion("acceleration", _RATE, "m/s²", motion.tangential_acceleration, "accelerations", at_moment=True, signed=True),
)


def require_agreement(times: np.ndarray, velocities: np.ndarray | None, place: Place, speed: float) -> None:
    """Check that the source's own velocities give the same speed.

    ``velocities`` are (T, 3) m/s at ``times`` (T,) s, or None if the source has no velocities.

    Raises:
        Refused: If the speeds differ.
    """
    if velocities is None or place.at is None:
        return
    told = np.linalg.norm(velocities, axis=1)
    known = np.isfinite(told)
    if known.any() and abs(float(np.interp(place.at, times[known], told[known])) - speed) > SPEED_AGREEMENT:
        raise Refused(Code.LABELS_DISAGREE)


def motions(kind: Kind) -> list[Motion]:
    """Return the quantities for a kind of scene.

    The acceleration at a moment is measured only in outdoor scenes.
    """
    return [one for one in MOTIONS if one.name != "acceleration" or kind is Kind.OUTDOOR]

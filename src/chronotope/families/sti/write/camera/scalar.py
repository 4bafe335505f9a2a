"""Questions whose answer is one number: lengths, speeds, accelerations (specification, 6d, 6e, 8)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chronotope.families import Profile
from chronotope.families.sti.write.camera import measures
from chronotope.families.sti.write.camera.text import STEMS
from chronotope.families.sti.write.camera.track import CameraTrack
from chronotope.families.sti.write.exchangeable import exchangeable_scalars
from chronotope.families.sti.write.item import Candidate, Item
from chronotope.families.sti.write.published import published_scalars
from chronotope.families.sti.write.refusal import Code, Refused
from chronotope.families.sti.write.text import number, seconds
from chronotope.families.sti.write.windows import Place, moments, windows

__all__ = ["SCALARS", "ScalarVariant"]


@dataclass(frozen=True)
class ScalarVariant:
    """A quantity of one number, measured over a window or at a moment.

    ``signed`` values may be negative; ``zero_is_legal`` values are exactly zero for a camera at rest (published rule).
    """

    name: str
    task: str
    unit: str
    quantity: Callable[..., float]
    at_moment: bool = False
    signed: bool = False
    zero_is_legal: bool = False

    def places(self, generator: np.random.Generator, track: CameraTrack, count: int) -> list[Place]:
        """Moments, or windows; the whole clip is for one quantity only, or length and speed would tell each other."""
        if self.at_moment:
            return moments(generator, track.end, track.scale.smoothing / 2, count)
        return windows(generator, track.end, count, whole=self.quantity is measures.displacement)

    def measure(self, track: CameraTrack, place: Place, profile: Profile) -> float:
        """The true answer in the task's unit; raises Refused."""
        try:
            return self.quantity(track, *((place.start, place.end) if place.at is None else (place.at,)))
        except Refused as refused:
            if profile == "paper" and self.zero_is_legal and refused.code is Code.STATIONARY:
                return 0.0
            raise

    def alike(self, track: CameraTrack, first: float, second: float) -> bool:
        """See Variant: nearer than options may be to each other."""
        return abs(first - second) < track.scale.nearest[0]

    def item(
        self, generator: np.random.Generator, track: CameraTrack, profile: Profile, candidates: Sequence[Candidate]
    ) -> Item:
        """See Variant."""
        if profile == "paper":
            return self._published(generator, track, candidates[0])
        return self._exchangeable(generator, track, candidates)

    def _exchangeable(
        self, generator: np.random.Generator, track: CameraTrack, candidates: Sequence[Candidate]
    ) -> Item:
        """Options of one sign around one of the true magnitudes."""
        magnitudes = np.array([abs(candidate.value) for candidate in candidates])
        least = np.array([self._least(track, candidate.place) for candidate in candidates])
        index, options = exchangeable_scalars(generator, magnitudes, least, track.scale.nearest, self._ulp(track))
        chosen = candidates[index]
        texts = tuple(self._show(float(np.copysign(v, chosen.value)), track) for v in options.values)
        return self._item(chosen, texts, options.answer, {})

    def _published(self, generator: np.random.Generator, track: CameraTrack, candidate: Candidate) -> Item:
        adjusted = published_scalars(
            generator,
            round(candidate.value, track.scale.decimals),
            track.scale.nearest,
            lambda v: self._show(v, track),
            self._ulp(track),
            positive=not self.signed,
        )
        texts = tuple(self._show(float(v), track) for v in adjusted.values)
        drawn = {"e": adjusted.gap, "w": adjusted.weight, "attempts": adjusted.attempts}
        return self._item(candidate, texts, 0, {"adjust": drawn})

    def _item(self, candidate: Candidate, texts: tuple[str, ...], answer: int, facts: dict[str, Any]) -> Item:
        stem = STEMS[self.name].format(t=seconds(candidate.place.at or 0.0))
        return Item(candidate.place, stem, texts, answer, {"value": candidate.value, "unit": self.unit} | facts)

    def _least(self, track: CameraTrack, place: Place) -> float:
        """The smallest magnitude that could have been the answer: an option below it would be known to be wrong."""
        least = track.scale.nearest[0]
        if self.quantity is measures.average_acceleration:
            least = max(least, track.scale.speed_change / (place.end - place.start))
        return least + self._ulp(track)  # printed values may lie half a step below the true ones

    @staticmethod
    def _ulp(track: CameraTrack) -> float:
        return 10.0**-track.scale.decimals

    def _show(self, value: float, track: CameraTrack) -> str:
        return f"{number(value, track.scale.decimals)}{self.unit}"


_LENGTH, _RATE = "Displacement & Path Length", "Speed & Acceleration"
SCALARS = (
    ScalarVariant("displacement", _LENGTH, "m", measures.displacement),
    ScalarVariant("path-length", _LENGTH, "m", measures.path),
    ScalarVariant("average-speed", _RATE, "m/s", measures.average_speed, zero_is_legal=True),
    ScalarVariant("speed", _RATE, "m/s", measures.speed, at_moment=True, zero_is_legal=True),
    ScalarVariant("average-acceleration", _RATE, "m/s²", measures.average_acceleration, signed=True),
    ScalarVariant("acceleration", _RATE, "m/s²", measures.tangential_acceleration, at_moment=True, signed=True),
)

"""Ego-centric orientation: by how much the camera's azimuth changes (specification, 6f, 8)."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import degrees, radians

import numpy as np

from chronotope.families import Profile
from chronotope.families.sti.write.item import Candidate, Item
from chronotope.families.sti.write.measures import near_half_turn, turn
from chronotope.families.sti.write.published import published_turns
from chronotope.families.sti.write.refusal import Code, Refused
from chronotope.families.sti.write.text import STEMS, turn_text
from chronotope.families.sti.write.track import CameraTrack
from chronotope.families.sti.write.windows import Place, windows
from chronotope.question import OptionSet, draw_angle_offsets

__all__ = ["OrientationVariant"]

# The published options lie 15° apart; exchangeable gaps vary about that.
NEAREST_TURN = (10.0, 22.5)  # degrees


@dataclass(frozen=True)
class OrientationVariant:
    """Change of the horizontal viewing direction, in degrees, left positive."""

    name: str = "orientation-change"
    task: str = "Ego-Centric Orientation"

    def places(self, generator: np.random.Generator, track: CameraTrack, count: int) -> list[Place]:
        """Windows, beginning with the whole clip."""
        return windows(generator, track.end, count)

    def measure(self, track: CameraTrack, place: Place, profile: Profile) -> float:
        """Degrees in (-180, 180]; raises Refused."""
        return degrees(turn(track, place.start, place.end))

    def item(
        self, generator: np.random.Generator, track: CameraTrack, profile: Profile, candidates: Sequence[Candidate]
    ) -> Item:
        """See Variant."""
        if profile == "paper":
            printed = round(candidates[0].value, track.scale.turn_decimals)
            return self._item(track, candidates[0], OptionSet(published_turns(printed), 0))
        step = 10.0**-track.scale.turn_decimals
        offsets = draw_angle_offsets(generator, NEAREST_TURN, step=step, turn=360.0)
        for candidate in candidates:
            options = OptionSet.around(candidate.value, offsets, step, turn=360.0)
            # An option that could not have been asked about would be known to be wrong.
            if not any(near_half_turn(radians(value)) for value in options.values):
                return self._item(track, candidate, options)
        raise Refused(Code.NO_DISTRACTORS)

    def _item(self, track: CameraTrack, candidate: Candidate, options: OptionSet) -> Item:
        texts = tuple(turn_text(float(value), track.scale) for value in options.values)
        facts = {"value": candidate.value, "unit": "°"}
        return Item(candidate.place, STEMS[self.name], texts, options.answer, facts)

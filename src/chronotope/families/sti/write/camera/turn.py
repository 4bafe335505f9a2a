"""Ego-centric orientation: the change of the camera's azimuth."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import degrees, radians

import numpy as np

from chronotope.families import Profile
from chronotope.families.sti.measure.motion import near_half_turn, turn
from chronotope.families.sti.refusal import Code
from chronotope.families.sti.scale import SCALES
from chronotope.families.sti.write.camera.text import STEMS, turn_text
from chronotope.families.sti.write.published import published_turns
from chronotope.question import OptionSet, Reason, Refused, exchangeable_scalars
from chronotope.scene import Camera, Candidate, Item, Place, draw_windows

__all__ = ["OrientationVariant"]

# The published options lie 15° apart; exchangeable gaps vary about that.
NEAREST_TURN = (5.0, 22.5)  # degrees
LEAST_TURN = 10.0  # degrees


@dataclass(frozen=True)
class OrientationVariant:
    """Change of the horizontal viewing direction, in degrees, left positive."""

    name: str = "orientation-change"
    task: str = "Ego-Centric Orientation"

    def places(self, generator: np.random.Generator, camera: Camera, count: int) -> list[Place]:
        """Return windows, beginning with the whole clip."""
        return draw_windows(generator, camera.end, count, whole=True)

    def measure(self, camera: Camera, place: Place, profile: Profile) -> float:
        """Return degrees in (-180, 180]; raises Refused.

        Small turns are far more common than large ones, so the option closest to zero would be the best guess. Under
        ``strict`` there are no questions about turns below 10° and no such options.
        """
        camera.require_forward()
        change = degrees(turn(camera.track, camera.up(), place.start, place.end))
        if profile != "paper" and abs(change) < LEAST_TURN:
            raise Refused(Code.SMALL_TURN)
        return change

    def alike(self, camera: Camera, first: float, second: float) -> bool:
        """Check whether two answers are nearly the same.

        They are closer than a tenth of the minimum gap between options.
        """
        return abs((first - second + 180) % 360 - 180) < LEAST_TURN / 10

    def item(
        self, generator: np.random.Generator, camera: Camera, profile: Profile, candidates: Sequence[Candidate]
    ) -> Item:
        """Return the item of the first candidate with valid options.

        Under ``strict`` all options turn to the same side, and their sizes come from the candidates' sizes.

        Raises:
            Refused: If there is none.
        """
        if profile == "paper":
            printed = round(candidates[0].value, SCALES[camera.kind].turn_decimals)
            return self._item(camera, candidates[0], OptionSet(published_turns(printed), 0))
        step = 10.0 ** -SCALES[camera.kind].turn_decimals
        sizes = np.abs([candidate.value for candidate in candidates])
        chosen, options = exchangeable_scalars(generator, sizes, LEAST_TURN + step, NEAREST_TURN, step)
        candidate = candidates[chosen]
        values = np.copysign(options.values, candidate.value)
        if not all(_could_be_asked(float(value)) for value in values):
            raise Refused(Reason.NO_DISTRACTORS)
        return self._item(camera, candidate, OptionSet(values, options.answer))

    def _item(self, camera: Camera, candidate: Candidate, options: OptionSet) -> Item:
        texts = tuple(turn_text(float(value), SCALES[camera.kind]) for value in options.values)
        facts = {"value": candidate.value, "unit": "°"}
        return Item(candidate.place, STEMS[self.name], texts, options.answer, facts)


def _could_be_asked(degrees_turned: float) -> bool:
    """Check whether an option might be the answer.

    An impossible option would be recognized as wrong.
    """
    return abs(degrees_turned) >= LEAST_TURN and not near_half_turn(radians(degrees_turned))

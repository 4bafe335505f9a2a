"""Ego-centric orientation: by how much the camera's azimuth changes."""

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
        """Windows, beginning with the whole clip."""
        return draw_windows(generator, camera.end, count, whole=True)

    def measure(self, camera: Camera, place: Place, profile: Profile) -> float:
        """Degrees in (-180, 180]; raises Refused.

        Small turns are far more common than large ones: under ``strict`` those below 10° are not asked about, and no
        option lies there, or the option nearest to zero would be the best guess.
        """
        camera.require_forward()
        change = degrees(turn(camera.track, camera.up(), place.start, place.end))
        if profile != "paper" and abs(change) < LEAST_TURN:
            raise Refused(Code.SMALL_TURN)
        return change

    def alike(self, camera: Camera, first: float, second: float) -> bool:
        """Check whether two answers are nearly the same.

        They are nearer than a tenth of the least gap between options.
        """
        return abs((first - second + 180) % 360 - 180) < LEAST_TURN / 10

    def item(
        self, generator: np.random.Generator, camera: Camera, profile: Profile, candidates: Sequence[Candidate]
    ) -> Item:
        """Return the item of the first candidate that suits the options.

        Under ``strict`` all options turn to one side, and sizes are laid among those there are.

        Raises:
            Refused: If none does.
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

    One that could not would be known to be wrong.
    """
    return abs(degrees_turned) >= LEAST_TURN and not near_half_turn(radians(degrees_turned))

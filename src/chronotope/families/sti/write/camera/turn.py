"""Ego-centric orientation: the change of the camera's azimuth."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import degrees

import numpy as np

from chronotope.families import Profile
from chronotope.families.sti.measure.motion import turn
from chronotope.families.sti.refusal import Code
from chronotope.families.sti.scale import SCALES
from chronotope.families.sti.write.camera.text import STEMS, turn_text
from chronotope.families.sti.write.published import published_turns
from chronotope.families.sti.write.worlds import LEAST_TURN, Worlds
from chronotope.question import Reason, Refused, angle_text
from chronotope.scene import Camera, Candidate, Item, Place, draw_windows

__all__ = ["OrientationVariant"]

WINDOWS_EACH = 4  # number of windows to try for each requested window


@dataclass(frozen=True)
class OrientationVariant:
    """The change of the horizontal viewing direction in degrees, positive to the left."""

    worlds: Worlds | None = None
    name: str = "orientation-change"
    task: str = "Ego-Centric Orientation"

    def places(self, generator: np.random.Generator, camera: Camera, count: int) -> list[Place]:
        """Return windows, beginning with the whole clip."""
        # Many windows are needed, because few windows have a turn whose options fit the ladder of angles.
        return draw_windows(generator, camera.end, count if self.worlds is None else WINDOWS_EACH * count, whole=True)

    def measure(self, camera: Camera, place: Place, profile: Profile) -> float:
        """Return the change in degrees, in (-180, 180]; raises Refused.

        Small turns are far more common than large turns, so the option closest to zero would be the best guess.
        Therefore, with the profile ``strict``, no question and no option has a turn below 10°.
        """
        camera.require_forward()
        change = degrees(turn(camera.track, camera.up(), place.start, place.end))
        if profile != "paper" and abs(change) < LEAST_TURN:
            raise Refused(Code.SMALL_TURN)
        return change

    def alike(self, camera: Camera, first: float, second: float) -> bool:
        """Check whether two answers are nearly the same.

        Two answers are nearly the same if their difference is below a tenth of the smallest turn in questions.
        """
        return abs((first - second + 180) % 360 - 180) < LEAST_TURN / 10

    def item(
        self, generator: np.random.Generator, camera: Camera, profile: Profile, candidates: Sequence[Candidate]
    ) -> Item:
        """Return the item of the first candidate with valid options.

        With the profile ``strict``, the options are the turn in the clip's five worlds.

        Raises:
            Refused: If no candidate has valid options.
        """
        if self.worlds is None:
            printed = round(candidates[0].value, SCALES[camera.kind].turn_decimals)
            return self._item(camera, candidates[0], published_turns(printed))
        for candidate in candidates:
            turned = self.worlds.turned(candidate.value)
            if turned is not None and self.worlds.angle is not None:
                tags = {"quantity": ("turns",), "spacing": (angle_text(self.worlds.angle),)}
                return replace(self._item(camera, candidate, turned), tags=tags)
        raise Refused(Reason.NO_DISTRACTORS)

    def _item(self, camera: Camera, candidate: Candidate, values: np.ndarray) -> Item:
        """Make an item from ``values`` (5,) in degrees; the first is correct."""
        texts = tuple(turn_text(float(value), SCALES[camera.kind]) for value in values)
        facts = {"value": candidate.value, "unit": "°"}
        return Item(candidate.place, STEMS[self.name], texts, 0, facts)

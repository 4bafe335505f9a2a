"""Distance and speed of the camera."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chronotope.families import Profile
from chronotope.families.sti.measure import motion as measures
from chronotope.families.sti.scale import SCALES
from chronotope.families.sti.write.camera.text import STEMS
from chronotope.families.sti.write.motion import Motion, require_agreement
from chronotope.families.sti.write.worlds import Worlds
from chronotope.scene import Camera, Candidate, Item, Place, draw_moments, draw_windows, seconds


@dataclass(frozen=True)
class CameraMotion:
    """A length, a speed or an acceleration of the camera."""

    motion: Motion
    worlds: Worlds | None = None

    @property
    def name(self) -> str:
        """Return the short name, which is part of the questions' ids."""
        return self.motion.name

    @property
    def task(self) -> str:
        """Return the paper's task."""
        return self.motion.task

    def places(self, generator: np.random.Generator, camera: Camera, count: int) -> list[Place]:
        """Return moments, or windows.

        Only the displacement uses the whole clip, because a length and a speed over the same window reveal each other.
        """
        if self.motion.at_moment:
            return draw_moments(generator, camera.end, camera.limits.smoothing / 2, count, tells=(self.name,))
        return draw_windows(generator, camera.end, count, whole=self.name == "displacement")

    def measure(self, camera: Camera, place: Place, profile: Profile) -> float:
        """Return the true answer in the SI unit, or raise Refused."""
        value = self.motion.measure(camera.track, place, profile)
        if self.motion.quantity is measures.speed and value > 0:
            told = camera.recording.provenance.get("linear_velocity")
            velocities = None if told is None else np.array([row or [np.nan] * 3 for row in told])
            require_agreement(camera.recording.times, velocities, place, value)
        return value

    def alike(self, camera: Camera, first: float, second: float) -> bool:
        """Check whether two answers are closer than the minimum gap between options."""
        if self.worlds is None:
            return abs(first - second) < SCALES[camera.kind].nearest[0]
        return abs(first - second) < (self.worlds.ratio - 1) * max(abs(first), abs(second)) / 2

    def item(
        self, generator: np.random.Generator, camera: Camera, profile: Profile, candidates: Sequence[Candidate]
    ) -> Item:
        """Return the item of the first candidate with valid options.

        Raises:
            Refused: If no candidate has valid options.
        """
        return self.motion.item(generator, camera.track, candidates, self.worlds, self._stem)

    def _stem(self, candidate: Candidate) -> str:
        return STEMS[self.name].format(t=seconds(candidate.place.at or 0.0))

"""Trajectory description of the vehicle that carries the camera."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chronotope.families import Profile
from chronotope.families.sti.measure import Leg, course
from chronotope.families.sti.scale import SCALES
from chronotope.families.sti.write.camera.text import STEMS
from chronotope.families.sti.write.course import TASK, course_item, course_text
from chronotope.families.sti.write.worlds import Worlds
from chronotope.scene import Camera, Candidate, Item, Place, draw_windows


@dataclass(frozen=True)
class CameraCourse:
    """The straight pieces, turns and stops of the vehicle, in order."""

    worlds: Worlds | None = None
    name: str = "trajectory"
    task: str = TASK

    def places(self, generator: np.random.Generator, camera: Camera, count: int) -> list[Place]:
        """Return windows, beginning with the whole clip."""
        return draw_windows(generator, camera.end, count, whole=True)

    def measure(self, camera: Camera, place: Place, profile: Profile) -> tuple[Leg, ...]:
        """Return the legs, or raise Refused."""
        return course(camera.track, camera.ahead(), camera.up(), place.start, place.end)

    def alike(self, camera: Camera, first: tuple[Leg, ...], second: tuple[Leg, ...]) -> bool:
        """Check whether two answers have the same words."""
        return course_text(first) == course_text(second)

    def item(
        self, generator: np.random.Generator, camera: Camera, profile: Profile, candidates: Sequence[Candidate]
    ) -> Item:
        """Return the item of the first candidate with valid options.

        Raises:
            Refused: If no candidate has valid options.
        """
        return course_item(
            generator, candidates, SCALES[camera.kind], [STEMS[self.name]] * len(candidates), self.worlds
        )

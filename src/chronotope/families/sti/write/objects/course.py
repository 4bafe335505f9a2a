"""Trajectory description of a thing that moves."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chronotope.families import Profile
from chronotope.families.sti.measure import Leg, course
from chronotope.families.sti.scale import SCALES
from chronotope.families.sti.write.course import TASK, course_item, course_text
from chronotope.families.sti.write.objects.text import STEMS, stem_about
from chronotope.families.sti.write.worlds import Worlds
from chronotope.question import Reason, Refused
from chronotope.scene import Candidate, Item, Place, SceneView, draw_windows, stretches

LEAST_SEEN = 1.0  # seconds; minimum time for which a thing is visible
PER_THING = 3  # maximum number of windows for each thing
AHEAD = np.array([1.0, 0.0, 0.0])  # the x axis of a box is the facing direction of the thing


@dataclass(frozen=True)
class ThingCourse:
    """The straight pieces, turns and stops of a thing, in order."""

    worlds: Worlds | None = None
    name: str = "thing-trajectory"
    task: str = TASK

    def places(self, generator: np.random.Generator, scene: SceneView, count: int) -> list[Place]:
        """Return windows in which a moving thing is visible.

        For each thing, the longest window comes first.
        """
        places: list[Place] = []
        for name, start, end in stretches(generator, scene):
            try:
                places += draw_windows(generator, end, PER_THING, whole=True, start=start, of=name)
            except Refused:
                places.append(Place(start, end, None, (name,)))
        return places[:count]

    def measure(self, scene: SceneView, place: Place, profile: Profile) -> tuple[Leg, ...]:
        """Return the legs, or raise Refused."""
        [name] = place.entities
        scene.called(place.entities)
        scene.require_window(place.entities, LEAST_SEEN)
        if not place.tells:  # the place of a thing that has no window
            raise Refused(Reason.TOO_SHORT)
        return course(scene.track(name), AHEAD, scene.up(), place.start, place.end)

    def alike(self, scene: SceneView, first: tuple[Leg, ...], second: tuple[Leg, ...]) -> bool:
        """Check whether two answers have the same words."""
        return course_text(first) == course_text(second)

    def item(
        self, generator: np.random.Generator, scene: SceneView, profile: Profile, candidates: Sequence[Candidate]
    ) -> Item:
        """Return the item of the first candidate with valid options.

        Raises:
            Refused: If no candidate has valid options.
        """
        stems = [stem_about(scene, STEMS[self.name], candidate.place.entities) for candidate in candidates]
        return course_item(generator, candidates, SCALES[scene.kind], stems, self.worlds)

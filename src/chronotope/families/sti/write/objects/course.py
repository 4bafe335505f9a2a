"""Trajectory description of a thing that moves (specification, 6g)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chronotope.families import Profile, Refused
from chronotope.families.sti.measure import Leg, course
from chronotope.families.sti.refusal import Code
from chronotope.families.sti.write.course import TASK, course_item, course_text
from chronotope.families.sti.write.item import Candidate, Item
from chronotope.families.sti.write.objects.places import stretches
from chronotope.families.sti.write.objects.scene import Scene
from chronotope.families.sti.write.objects.text import STEMS, stem_about
from chronotope.families.sti.write.windows import Place, windows

__all__ = ["ThingCourse"]

LEAST_SEEN = 1.0  # s
PER_THING = 3  # windows of one thing that may be asked about
AHEAD = np.array([1.0, 0.0, 0.0])  # a box's x axis points where its thing faces


@dataclass(frozen=True)
class ThingCourse:
    """Straight pieces, turns and stops, in their order."""

    name: str = "thing-trajectory"
    task: str = TASK

    def places(self, generator: np.random.Generator, scene: Scene, count: int) -> list[Place]:
        """Windows within the stretch in which each moving thing is seen, beginning with the whole of it."""
        places: list[Place] = []
        for name, start, end in stretches(generator, scene):
            try:
                places += windows(generator, end, PER_THING, whole=True, start=start, of=name)
            except Refused:
                places.append(Place(start, end, None, (name,)))
        return places[:count]

    def measure(self, scene: Scene, place: Place, profile: Profile) -> tuple[Leg, ...]:
        """The legs; raises Refused."""
        [name] = place.entities
        scene.called(place.entities)
        scene.require_window(place.entities, LEAST_SEEN)
        if not place.tells:  # stands for what has no window
            raise Refused(Code.TOO_SHORT)
        return course(scene.track(name), AHEAD, scene.up(), place.start, place.end)

    def alike(self, scene: Scene, first: tuple[Leg, ...], second: tuple[Leg, ...]) -> bool:
        """See Variant: told in the same words."""
        return course_text(first) == course_text(second)

    def item(
        self, generator: np.random.Generator, scene: Scene, profile: Profile, candidates: Sequence[Candidate]
    ) -> Item:
        """See Variant."""
        stems = [stem_about(scene, STEMS[self.name], one.place.entities) for one in candidates]
        return course_item(generator, profile, candidates, scene.scale, stems)

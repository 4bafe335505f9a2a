"""Distance and speed of a thing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from chronotope.families import Profile
from chronotope.families.sti.measure import motion as measures
from chronotope.families.sti.refusal import Code
from chronotope.families.sti.scale import SCALES
from chronotope.families.sti.write.motion import Motion, require_agreement
from chronotope.families.sti.write.objects.text import STEMS, stem_about
from chronotope.families.sti.write.worlds import Worlds
from chronotope.question import Reason, Refused
from chronotope.recording import Kind
from chronotope.scene import Candidate, Item, Place, SceneView, draw_moments, draw_windows, seconds, stretches

LEAST_SEEN = 1.0  # seconds; minimum time for which a thing is visible
LEAST_WAY = 2.0  # m; minimum displacement of a thing outdoors for a question about its path
PER_THING = 3  # maximum number of windows or moments for each thing


@dataclass(frozen=True)
class ThingMotion:
    """A length, a speed or an acceleration of a thing."""

    motion: Motion
    worlds: Worlds | None = None

    @property
    def name(self) -> str:
        """Return the short name, which is part of the questions' ids."""
        return f"thing-{self.motion.name}"

    @property
    def task(self) -> str:
        """Return the paper's task."""
        return self.motion.task

    def places(self, generator: np.random.Generator, scene: SceneView, count: int) -> list[Place]:
        """Return windows or moments in which a moving thing is visible."""
        places: list[Place] = []
        half = scene.limits.smoothing / 2
        for name, start, end in stretches(generator, scene):
            try:
                if self.motion.at_moment:
                    found = draw_moments(generator, end, half, PER_THING, start, (name, self.name))
                    places += [replace(one, start=0.0, end=scene.observer.end, entities=(name,)) for one in found]
                else:
                    whole = self.motion.name == "displacement"
                    places += draw_windows(generator, end, PER_THING, whole=whole, start=start, of=name)
            except Refused:
                places.append(Place(start, end, None, (name,)))
        return places[:count]

    def measure(self, scene: SceneView, place: Place, profile: Profile) -> float:
        """Return the true answer in the SI unit, or raise Refused."""
        [name] = place.entities
        scene.called(place.entities)
        scene.require_window(place.entities, LEAST_SEEN)
        if place.at is None and (self.motion.at_moment or not place.tells):  # the thing has no window
            raise Refused(Reason.TOO_SHORT)
        track = scene.track(name)
        value = self.motion.measure(track, place, profile)
        if self.motion.name == "path-length" and scene.recording.kind is Kind.OUTDOOR:
            first, last = track.piece(place.start, place.end).positions(np.array([place.start, place.end]))
            if np.linalg.norm(last - first) < LEAST_WAY:
                raise Refused(Code.MOTION_BELOW_NOISE)
        if self.motion.quantity is measures.speed:
            require_agreement(scene.recording.times, scene.thing(name).entity.label_speed, place, value)
        return value

    def alike(self, scene: SceneView, first: float, second: float) -> bool:
        """Check whether two answers have the same text.

        For example, things that move together have equal answers.
        """
        return abs(first - second) < 10.0 ** -SCALES[scene.kind].decimals

    def item(
        self, generator: np.random.Generator, scene: SceneView, profile: Profile, candidates: Sequence[Candidate]
    ) -> Item:
        """Return the item of the first candidate with valid options.

        Raises:
            Refused: If no candidate has valid options.
        """
        track = scene.track(candidates[0].place.entities[0])
        return self.motion.item(generator, track, candidates, self.worlds, lambda one: self._stem(scene, one))

    def _stem(self, scene: SceneView, candidate: Candidate) -> str:
        place = candidate.place
        return stem_about(scene, STEMS[self.name], place.entities, t=seconds(place.at or 0.0))

"""Spatial relation: which of five things is nearest to the camera."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chronotope.families import Profile
from chronotope.families.sti.measure.boxes import nearest_point
from chronotope.families.sti.refusal import Code
from chronotope.families.sti.scale import SCALES
from chronotope.families.sti.write.objects.text import STEMS
from chronotope.question import Reason, Refused
from chronotope.scene import Candidate, Item, Place, SceneView, draw_instants, seconds

OFFERED = 5
MOMENTS = 4  # maximum number of moments for each set of things


@dataclass(frozen=True)
class Nearest:
    """The nearest of five random things, whose distance must be clearly the smallest."""

    name: str = "nearest"
    task: str = "Spatial Relation"

    def places(self, generator: np.random.Generator, scene: SceneView, count: int) -> list[Place]:
        """Return some moments of sets of five things.

        In each of ``count`` sets, all five things are visible at the moment.

        Only things whose name states no moment are used. A name such as "the nearest car" always states a moment.
        """
        named = [thing.entity.id for thing in scene.things if thing.name is not None and thing.name.at is None]
        if len(named) < OFFERED:
            ever = sum(thing.sight.ever for thing in scene.things)
            raise Refused(Reason.NOT_VISIBLE if ever < OFFERED <= len(scene.things) else Reason.NOT_UNIQUE)
        clear = scene.clear_at & np.isin([thing.entity.id for thing in scene.things], named)[:, None]
        crowded = np.flatnonzero(clear.sum(axis=0) >= OFFERED)
        if len(crowded) == 0:  # the measurement tells whether they are hidden, or out of the picture
            five = tuple(sorted(generator.choice(named, OFFERED, replace=False).tolist()))
            return draw_instants(generator, scene, five, MOMENTS)
        drawn: dict[tuple[str, ...], None] = {}
        for moment in generator.choice(crowded, count):
            rows = generator.choice(np.flatnonzero(clear[:, moment]), OFFERED, replace=False)
            drawn[tuple(sorted(scene.things[int(row)].entity.id for row in rows))] = None
        return [place for five in drawn for place in draw_instants(generator, scene, five, MOMENTS)]

    def measure(self, scene: SceneView, place: Place, profile: Profile) -> str:
        """Return the id of the nearest thing, or raise Refused.

        The centre of this thing must be nearer than all other centres, by at least the maximum gap between options.
        With the profile ``strict``, the nearest point of this thing must also be nearer than the nearest points of the
        others, so that the answer does not depend on the definition of the distance.
        """
        assert place.at is not None
        scene.require_seen(place.entities, place.at)
        boxes = [scene.seen_box(name, place.at) for name in place.entities]
        centres = np.array([np.linalg.norm(box.centre) for box in boxes])
        first, second = np.argsort(centres, kind="stable")[:2]
        if centres[second] - centres[first] < SCALES[scene.kind].nearest[1]:
            raise Refused(Code.TOO_ALIKE)
        if profile != "paper" and int(np.argmin([nearest_point(box) for box in boxes])) != first:
            raise Refused(Code.TOO_ALIKE)
        return place.entities[first]

    def alike(self, scene: SceneView, first: str, second: str) -> bool:
        """Check whether two answers are the same thing.

        Each thing is the correct answer of at most one question.
        """
        return first == second

    def item(
        self, generator: np.random.Generator, scene: SceneView, profile: Profile, candidates: Sequence[Candidate]
    ) -> Item:
        """Return the item of the first candidate with valid options.

        With the profile ``strict``, the correct thing is chosen first, and then a set and a moment.

        Raises:
            Refused: If no candidate has valid options.
        """
        candidate = candidates[0]
        if profile != "paper":
            members = sorted({name for one in candidates for name in one.place.entities})
            intended = members[int(generator.integers(len(members)))]
            fitting = [one for one in candidates if one.value == intended]
            if not fitting:
                raise Refused(Code.ANSWER_NOT_FOUND)
            candidate = fitting[0]
        place = candidate.place
        stem = STEMS[self.name].format(t=seconds(place.at or 0.0))
        right = place.entities.index(candidate.value)
        return Item(place, stem, tuple(scene.called(place.entities)), right, {"value": candidate.value, "unit": "id"})

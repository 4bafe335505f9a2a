"""Spatial relation: the direction of a thing from the car or the camera."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chronotope.families import Profile
from chronotope.families.sti.measure.boxes import SECTORS, sector_of
from chronotope.families.sti.refusal import Code
from chronotope.families.sti.write.objects.text import STEMS, stem_about
from chronotope.question import Refused
from chronotope.scene import Candidate, Item, Place, SceneView, draw_instants, seconds, shuffled

OFFERED = 5
MOMENTS = 6  # maximum number of moments for each thing


@dataclass(frozen=True)
class Bearing:
    """The sector of a thing: one of eight sectors of 45° about the up axis.

    The first sector is centred on the car's heading, or on the camera's viewing direction if there is no car.
    """

    name: str = "bearing"
    task: str = "Spatial Relation"

    def places(self, generator: np.random.Generator, scene: SceneView, count: int) -> list[Place]:
        """Return some moments of each thing; each thing has one question.

        All things are returned, because some sectors contain only few things.
        """
        places: list[Place] = []
        for (name,) in shuffled(generator, scene, [(thing.entity.id,) for thing in scene.things]):
            places += draw_instants(generator, scene, (name,), MOMENTS, frozenset({("bearing", name)}))
        return places

    def measure(self, scene: SceneView, place: Place, profile: Profile) -> str:
        """Return the sector, or raise Refused."""
        assert place.at is not None
        scene.called(place.entities)
        # A name with "among those in front of it" would reveal that the thing is not behind.
        if profile != "paper":
            scene.refuse_telling_names(place.entities, place.at)
        scene.require_seen(place.entities, place.at)
        camera = scene.camera(place.at)
        if scene.recording.camera_mount is None:  # without a car
            origin = camera
        else:
            origin = camera @ np.linalg.inv(scene.recording.camera_mount)
        offset = scene.box(place.entities[0], place.at).centre - origin[:3, 3]
        return sector_of(offset, camera[:3, :3] @ scene.observer.ahead(), scene.up())

    def alike(self, scene: SceneView, first: str, second: str) -> bool:
        """Return False, because one thing's direction does not reveal another's."""
        return False

    def item(
        self, generator: np.random.Generator, scene: SceneView, profile: Profile, candidates: Sequence[Candidate]
    ) -> Item:
        """Return the item of the first candidate with valid options.

        With the profile ``strict``, the correct sector is chosen before the thing, and only sectors with things are
        offered. A camera on a car sees things in only some of the sectors. If an option were a sector without things, a
        reader could exclude this option.

        Raises:
            Refused: If no candidate has valid options.
        """
        candidate, words = candidates[0], list(SECTORS)
        if profile != "paper":
            words = [word for word in SECTORS if any(one.value == word for one in candidates)]
            if len(words) < OFFERED:
                raise Refused(Code.ANSWER_NOT_FOUND)
            right = words[int(generator.integers(len(words)))]
            candidate = next(one for one in candidates if one.value == right)
        others = [word for word in words if word != candidate.value]
        drawn = generator.permutation(len(others))[: OFFERED - 1]
        texts = (candidate.value, *(others[int(index)] for index in drawn))
        who = "camera" if scene.recording.camera_mount is None else "car"
        time = seconds(candidate.place.at or 0.0)
        stem = stem_about(scene, STEMS[f"{self.name}-{who}"], candidate.place.entities, t=time)
        return Item(candidate.place, stem, texts, 0, {"value": candidate.value, "unit": "word"})

"""Spatial relation: the place of one thing relative to another, seen from the camera."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chronotope.families import Profile
from chronotope.families.sti.measure.boxes import (
    Direction,
    direction_of,
    extents,
    level_axes,
)
from chronotope.families.sti.refusal import Code
from chronotope.families.sti.tasks import DIRECTIONS, opposite
from chronotope.families.sti.write.objects.text import STEMS, stem_about
from chronotope.geometry import Box, as_pose, invert
from chronotope.question import Refused
from chronotope.scene import Candidate, Item, Place, SceneView, draw_instants, moved, pairs_of, seconds, shuffled

PUBLISHED_FACTOR, STRICT_FACTOR = 1.5, 2.0  # minimum ratio of the largest component to the second largest
# The same for the axes of the picture under ``strict``: these axes only must not suggest another word.
PICTURE_FACTOR = 1.1
MOST_PAIRS = 100
MOMENTS = 8  # maximum number of moments for each pair
OFFERED = (DIRECTIONS, tuple(word for word in DIRECTIONS if word not in ("Up", "Down")))


@dataclass(frozen=True)
class Relation:
    """The direction from one thing to another: left, right, up, down, front or back."""

    name: str = "relation"
    task: str = "Spatial Relation"

    def places(self, generator: np.random.Generator, scene: SceneView, count: int) -> list[Place]:
        """Return some moments of each pair of things, in both orders.

        Each pair has one question. The list may be longer than ``count``, because some words are correct only for few
        pairs.
        """
        places: list[Place] = []
        for pair in shuffled(generator, scene, pairs_of(scene))[:MOST_PAIRS]:
            tells = frozenset({("relation", *pair)})
            for place in draw_instants(generator, scene, pair, MOMENTS, tells):
                turned = Place(place.start, place.end, place.at, place.entities[::-1], tells)
                places += [place, turned] if generator.random() < 0.5 else [turned, place]
        return places

    def measure(self, scene: SceneView, place: Place, profile: Profile) -> Direction:
        """Return the correct word and almost correct words, or raise Refused.

        With the profile ``strict``, up is opposite to gravity, as the stem states. A reader who takes the axes of the
        picture instead must find the same word.
        """
        assert place.at is not None
        scene.called(place.entities)
        # The name "the mug on the shelf" would reveal that this mug is above the mug on the table.
        if profile != "paper":
            scene.refuse_telling_names(place.entities, place.at, "place")
        scene.require_seen(place.entities, place.at)
        camera = scene.camera(place.at)
        boxes = [scene.box(name, place.at) for name in place.entities]
        factor = PUBLISHED_FACTOR if profile == "paper" else PICTURE_FACTOR
        found = _direction([moved(invert(camera), box) for box in boxes], factor)
        if found is not None and profile != "paper":
            level = as_pose(level_axes(camera, scene.up()), np.zeros(3))
            again = _direction([moved(level, box) for box in boxes], STRICT_FACTOR)
            found = found if again is not None and again.word == found.word else None
        if found is None:
            raise Refused(Code.AMBIGUOUS_AXIS)
        return found

    def alike(self, scene: SceneView, first: Direction, second: Direction) -> bool:
        """Return False, because one pair's relation does not reveal another's."""
        return False

    def item(
        self, generator: np.random.Generator, scene: SceneView, profile: Profile, candidates: Sequence[Candidate]
    ) -> Item:
        """Return the item of the first candidate with valid options.

        With the profile ``strict``, the correct word is drawn before a pair is chosen, and every word that is offered
        has a pair. Otherwise, words that are rare in scenes (up, down) would be rare answers. If all six words have a
        pair, a random wrong word is omitted, so the offered words do not reveal the answer. If no pair is above the
        other, the four words of the ground are offered. The published rule always offers the opposite word, and omits
        an almost correct word.

        Raises:
            Refused: If no candidate has valid options.
        """
        offered = DIRECTIONS
        if profile == "paper":
            candidate = candidates[0]
            right = candidate.value.word
        else:
            found = {candidate.value.word for candidate in candidates}
            offered = next((words for words in OFFERED if found.issuperset(words)), ())
            if not offered:
                raise Refused(Code.ANSWER_NOT_FOUND)
            right = offered[int(generator.integers(len(offered)))]
            candidate = next(candidate for candidate in candidates if candidate.value.word == right)
        words = [right, *(word for word in offered if word != right)]
        if len(words) == len(DIRECTIONS):
            droppable = words[1:] if profile != "paper" else _droppable(candidate.value)
            words.remove(droppable[int(generator.integers(len(droppable)))])
        time = seconds(candidate.place.at or 0.0)
        stem = stem_about(scene, STEMS[self.name], candidate.place.entities, t=time)
        return Item(candidate.place, stem, tuple(words), 0, {"value": right, "unit": "word"})


def _droppable(direction: Direction) -> list[str]:
    """Return the words that the published rule may omit.

    The result has only the word that comes nearest to being correct. If no wrong word is almost correct, the result has
    all wrong words except the opposite of the correct word.
    """
    kept = (direction.word, opposite(direction.word))
    return list(direction.nearly[:1]) or [word for word in DIRECTIONS if word not in kept]


def _direction(boxes: list[Box], factor: float) -> Direction | None:
    first, second = boxes
    return direction_of(first.centre - second.centre, extents(first) + extents(second), factor)

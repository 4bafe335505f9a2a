"""Dimensional measurement: questions whose answer is a length."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from chronotope.families import Profile
from chronotope.families.sti.measure import boxes as measures
from chronotope.families.sti.refusal import Code
from chronotope.families.sti.scale import DISTANCES, SCALES, Usual
from chronotope.families.sti.write.factors import COUNT
from chronotope.families.sti.write.objects.boxes import CHANGING
from chronotope.families.sti.write.objects.text import (
    STEMS,
    each_taken_as,
    middles,
    require_one_box,
    stem_about,
    upright_box,
)
from chronotope.families.sti.write.scalar import published_item, ratio_item, usual_item
from chronotope.families.sti.write.stated import Ruler, with_ruler
from chronotope.geometry import Box
from chronotope.question import Reason, Refused
from chronotope.recording import Entity
from chronotope.scene import Candidate, Item, Place, SceneView, draw_instants, pairs_of, seconds, shuffled

LEAST_SEEN, LEAST_TOGETHER = 1.0, 0.5  # seconds; minimum time for which one thing is visible, or two things together
MOMENTS = 6  # maximum number of moments for each thing
QUANTITIES = ("length", "width", "height")
SIZE_TAIL = (
    0.02  # a size may be outside the stated range by twice this share, because shapes are built to rounded sizes
)
NAMED_SPREAD = 2.0  # assumed ratio of the largest to the smallest thing with the same name, if the source has no range


@dataclass(frozen=True)
class _Scalar:
    """The common base of all kinds of lengths, which makes and prints the options."""

    name: str
    ratios: Sequence[float] | None = None
    rulers: Sequence[Ruler] = ()  # a window that shows none of them is widened
    task: str = "Dimensional Measurement"

    def alike(self, scene: SceneView, first: float, second: float) -> bool:
        """Check whether two answers have the same text.

        For example, equal things have equal sizes.
        """
        return abs(first - second) * SCALES[scene.kind].length.factor < SCALES[scene.kind].length.step

    def quantity(self, place: Place) -> str:
        """Return the name of the measured quantity."""
        return self.name

    def item(
        self, generator: np.random.Generator, scene: SceneView, profile: Profile, candidates: Sequence[Candidate]
    ) -> Item:
        """Return the item of the first candidate with valid options.

        Raises:
            Refused: If no candidate has valid options.
        """
        scale = SCALES[scene.kind]

        def stem(candidate: Candidate) -> str:
            return self._stem(scene, candidate.place)

        if self.ratios is None:
            item = published_item(generator, candidates[0], scale.length, scale.nearest, stem)
        else:
            usual = self._usual(scene, candidates)
            least = scale.nearest[0]
            if usual is not None:
                item = usual_item(generator, candidates, usual, scale.length, least, stem, self.ratios)
            else:
                within = self._within(candidates)
                item = ratio_item(generator, candidates, scale.length, least, stem, self.ratios, within)
            item = replace(item, tags={**item.tags, "quantity": (self._noun,)})
        return replace(item, facts=item.facts | {"formula": self.quantity(item.place)})

    @property
    def _noun(self) -> str:
        return "distances"

    def _usual(self, scene: SceneView, candidates: Sequence[Candidate]) -> list[Usual] | None:
        """Return the usual answers for each candidate, if known."""
        usual = DISTANCES.get(scene.recording.source, {}).get(self.name)
        return None if usual is None else [usual] * len(candidates)

    def _within(self, candidates: Sequence[Candidate]) -> np.ndarray | None:
        """Return the range (K, 2) m of plausible answers for each candidate.

        If the result is None, the caller uses the range of all candidates' values.
        """
        return None

    def _stem(self, scene: SceneView, place: Place) -> str:
        fields = {"t": seconds(place.at or 0.0), **self._fields(scene, place)}
        return stem_about(scene, STEMS[self._asked(scene, place)], place.entities, **fields)

    def _asked(self, scene: SceneView, place: Place) -> str:
        """Return the key of the stem."""
        return self.quantity(place)

    def _fields(self, scene: SceneView, place: Place) -> dict[str, str]:
        """Return the stem's words about the measured boxes."""
        return {}


def _above_least(scene: SceneView, value: float) -> float:
    """Return the value (m), or raise Refused if it is too small."""
    if value < SCALES[scene.kind].nearest[0]:
        raise Refused(Code.BELOW_PRECISION)
    return value


@dataclass(frozen=True)
class Size(_Scalar):
    """Length, width or height of one thing (a1 to a3)."""

    name: str = "size"

    @property
    def _noun(self) -> str:
        return "sizes"

    def quantity(self, place: Place) -> str:
        """Return the only quantity in ``place.tells``."""
        [quantity] = (fact[2] for fact in place.tells if fact[0] == "size")
        return quantity

    def _usual(self, scene: SceneView, candidates: Sequence[Candidate]) -> list[Usual] | None:
        """Return the sizes that each thing's name allows, if known.

        Simulated worlds state the smallest and the largest size. The logarithm of a size is assumed to be uniform
        between the two.
        """
        found: list[Usual] = []
        for candidate in candidates:
            [name] = candidate.place.entities
            entity, axis = scene.thing(name).entity, QUANTITIES.index(self.quantity(candidate.place))
            if entity.size_range is None:
                return None
            found.append(Usual(*_range_of(entity.size_range, axis), SIZE_TAIL))
        return found

    def _within(self, candidates: Sequence[Candidate]) -> np.ndarray:
        """Return the plausible sizes (K, 2) m for each thing's name.

        The sizes are used if the source does not state them.

        The largest size is assumed to be twice the smallest, and the thing's own size is in the middle of this range.
        """
        values = np.array([candidate.value for candidate in candidates])
        return np.stack([values / NAMED_SPREAD**0.5, values * NAMED_SPREAD**0.5], axis=1)

    def _may_differ(self, entity: Entity, quantity: str) -> bool:
        """Check whether five sizes of things with this name are possible.

        Neighbouring sizes must have at least the smallest ratio of options. If they cannot, a reader who knows the name
        knows the answer: all basketballs, for example, have one size.
        """
        if entity.size_range is None:
            return True
        smallest, largest = _range_of(entity.size_range, QUANTITIES.index(quantity))
        return largest >= smallest * min(self.ratios or (1.0,)) ** (COUNT - 1)

    def places(self, generator: np.random.Generator, scene: SceneView, count: int) -> list[Place]:
        """Return every side of every thing, with the window of its visibility."""
        sides = [(thing.entity.id, quantity) for thing in scene.things for quantity in QUANTITIES]
        return [
            Place(*with_ruler(*scene.printed_window([name]), self.rulers), None, (name,), self._tells(name, quantity))
            for name, quantity in shuffled(generator, scene, sides)[:count]
        ]

    def _tells(self, name: str, quantity: str) -> frozenset[tuple[str, ...]]:
        """Return the facts that the answer reveals.

        With the profile ``strict``, one size is assumed to reveal the other sizes, because things of one kind have
        similar shapes.
        """
        shape = () if self.ratios is None else (("shape", name),)
        return frozenset({("size", name, quantity), *shape})

    def measure(self, scene: SceneView, place: Place, profile: Profile) -> float:
        """Measure the side in metres.

        If length and width of a thing are equal, only its length is asked for.

        Raises:
            Refused: If the side cannot be asked about.
        """
        [name] = place.entities
        scene.called(place.entities)
        scene.require_window(place.entities, LEAST_SEEN)
        if not scene.thing(name).sight.whole.any():
            raise Refused(Reason.OCCLUDED)
        require_one_box(scene, name)
        sides = measures.sides(scene.box(name, scene.first_seen(name)), scene.up(), SCALES[scene.kind].nearest[0] / 2)
        quantity = self.quantity(place)
        if self.ratios is not None and not self._may_differ(scene.thing(name).entity, quantity):
            raise Refused(Reason.NO_DISTRACTORS)
        if quantity != "height":
            upright_box(scene, name)
            if scene.thing(name).entity.category in CHANGING:
                raise Refused(Reason.MOVES)
        if quantity == "width" and sides[0] - sides[1] < SCALES[scene.kind].nearest[0]:
            raise Refused(Reason.ALREADY_ASKED)
        return _above_least(scene, sides[QUANTITIES.index(quantity)])

    def _asked(self, scene: SceneView, place: Place) -> str:
        """Return the key of the stem: "diameter" for a round thing's length."""
        quantity, [name] = self.quantity(place), place.entities
        entity = scene.thing(name).entity
        is_round = entity.symmetry == "any" and abs(entity.size[0] - entity.size[1]) < SCALES[scene.kind].nearest[0]
        return "diameter" if is_round and quantity == "length" else quantity

    def _fields(self, scene: SceneView, place: Place) -> dict[str, str]:
        """Return the stem's words about the measured box."""
        return {} if self.quantity(place) == "height" else {"box": upright_box(scene, place.entities[0])}


def _range_of(size_range: tuple[Sequence[float], Sequence[float]], axis: int) -> tuple[float, float]:
    """Return the smallest and the largest size (m) along an axis.

    The axes are the longer side, the shorter side, and the height.
    """
    smallest, largest = ([*sorted(side[:2], reverse=True), side[2]][axis] for side in size_range)
    return smallest, largest


@dataclass(frozen=True)
class _Apart(_Scalar):
    """A distance between two things.

    If both things rest, the question has a window in which both are visible. If one or both things move, the question
    has a moment instead of a window.
    """

    def places(self, generator: np.random.Generator, scene: SceneView, count: int) -> list[Place]:
        """Return pairs of things; each pair has one question."""
        places: list[Place] = []
        for pair in shuffled(generator, scene, pairs_of(scene))[:count]:
            tells = frozenset({("apart", *pair)})
            if all(scene.rests(name) for name in pair):
                places.append(Place(*with_ruler(*scene.printed_window(pair), self.rulers), None, pair, tells))
            else:
                places += draw_instants(generator, scene, pair, 1, tells)
        return places

    def quantity(self, place: Place) -> str:
        """Return the name of the distance, with "-at" for moments."""
        return self.name if place.at is None else f"{self.name}-at"

    def _boxes(self, scene: SceneView, place: Place) -> tuple[Box, Box]:
        """Return both boxes in the world, or raise Refused."""
        scene.called(place.entities)
        scene.require_window(place.entities, LEAST_TOGETHER)
        if place.at is not None:
            scene.require_seen(place.entities, place.at)
        first, second = (scene.box(name, place.start if place.at is None else place.at) for name in place.entities)
        return first, second


@dataclass(frozen=True)
class Gap(_Apart):
    """The smallest gap between two things.

    The gap is measured between the scanned points of the things, or between their boxes if they have no points.
    """

    name: str = "gap"

    def measure(self, scene: SceneView, place: Place, profile: Profile) -> float:
        """Measure the distance in metres, or raise Refused."""
        each_taken_as(scene, place.entities)
        first, second = self._boxes(scene, place)
        entities = [scene.thing(name).entity for name in place.entities]
        one, other = (entity.points for entity in entities)
        if one is not None and other is not None:
            return _above_least(scene, measures.gap_of_points(one, first, other, second))
        first_round, second_round = (entity.symmetry == "any" for entity in entities)
        return _above_least(
            scene, measures.gap(first, second, first_round, second_round, SCALES[scene.kind].nearest[0])
        )

    def _fields(self, scene: SceneView, place: Place) -> dict[str, str]:
        """Return the stem's words about the shapes of both things."""
        return {"taken": each_taken_as(scene, place.entities)}


@dataclass(frozen=True)
class CentreDistance(_Apart):
    """The distance between the centres of two things (a5)."""

    name: str = "centre-distance"

    def measure(self, scene: SceneView, place: Place, profile: Profile) -> float:
        """Measure the distance in metres, or raise Refused."""
        first, second = self._boxes(scene, place)
        return _above_least(scene, float(np.linalg.norm(first.centre - second.centre)))

    def _fields(self, scene: SceneView, place: Place) -> dict[str, str]:
        """Return the stem's words about the centres of both things."""
        return {"middles": middles(scene, place.entities)}


@dataclass(frozen=True)
class CameraDistance(_Scalar):
    """The distance from the camera to the centre of a thing at a moment (a6)."""

    name: str = "camera-distance"

    def places(self, generator: np.random.Generator, scene: SceneView, count: int) -> list[Place]:
        """Draw some moments of each thing; each thing has one question."""
        places: list[Place] = []
        for (name,) in shuffled(generator, scene, [(thing.entity.id,) for thing in scene.things]):
            places += draw_instants(generator, scene, (name,), MOMENTS, frozenset({("from camera", name)}))
        return places[:count]

    def measure(self, scene: SceneView, place: Place, profile: Profile) -> float:
        """Measure the distance in metres, or raise Refused."""
        assert place.at is not None
        scene.called(place.entities)
        if profile != "paper":
            scene.refuse_telling_names(place.entities, place.at)
        scene.require_seen(place.entities, place.at)
        return _above_least(scene, float(np.linalg.norm(scene.seen_box(place.entities[0], place.at).centre)))

    def _fields(self, scene: SceneView, place: Place) -> dict[str, str]:
        """Return the stem's words about the centre of the thing."""
        return {"middles": middles(scene, place.entities)}

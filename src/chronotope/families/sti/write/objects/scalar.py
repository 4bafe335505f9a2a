"""Dimensional measurement: questions whose answer is one length (specification, 6a and 8)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chronotope.families import Profile
from chronotope.families.sti.write.exchangeable import exchangeable_scalars
from chronotope.families.sti.write.item import Candidate, Item
from chronotope.families.sti.write.objects import measures
from chronotope.families.sti.write.objects.places import instants, pairs_of, shuffled
from chronotope.families.sti.write.objects.scene import Scene
from chronotope.families.sti.write.objects.text import STEMS, length_text
from chronotope.families.sti.write.published import published_scalars
from chronotope.families.sti.write.refusal import Code, Refused
from chronotope.families.sti.write.text import seconds
from chronotope.families.sti.write.windows import Place
from chronotope.question import OptionSet

__all__ = ["CameraDistance", "CentreDistance", "Gap", "Size"]

LEAST_SEEN, LEAST_TOGETHER = 1.0, 0.5  # s that one thing, or two together, are clearly seen
MOMENTS = 6  # of one thing that may be asked about
QUANTITIES = ("length", "width", "height")


@dataclass(frozen=True)
class _Scalar:
    """What all lengths share: how options are laid and printed."""

    name: str
    task: str = "Dimensional Measurement"

    def alike(self, scene: Scene, first: float, second: float) -> bool:
        """See Variant: printed alike, as the sizes of twins are."""
        return abs(first - second) * scene.scale.length.per_metre < scene.scale.length.step

    def quantity(self, place: Place) -> str:
        """The name of what is measured."""
        return self.name

    def item(
        self, generator: np.random.Generator, scene: Scene, profile: Profile, candidates: Sequence[Candidate]
    ) -> Item:
        """See Variant."""
        unit = scene.scale.length
        low, high = (limit * unit.per_metre for limit in scene.scale.nearest)
        if profile == "paper":
            candidate = candidates[0]
            right = round(candidate.value * unit.per_metre, unit.decimals)
            made = published_scalars(
                generator, right, (low, high), lambda v: length_text(v, unit), unit.step, positive=True
            )
            drawn = {"e": made.gap, "w": made.weight, "attempts": made.attempts}
            return self._item(scene, candidate, OptionSet(made.values, 0), {"adjust": drawn})
        values = np.array([candidate.value for candidate in candidates]) * unit.per_metre
        # A member below the least that is asked about would be known to be wrong; half a step for the rounding.
        chosen, options = exchangeable_scalars(generator, values, low + unit.step, (low, high), unit.step)
        return self._item(scene, candidates[chosen], options, {})

    def _item(self, scene: Scene, candidate: Candidate, options: OptionSet, facts: dict[str, Any]) -> Item:
        place, quantity = candidate.place, self.quantity(candidate.place)
        stem = STEMS[quantity].format(*scene.called(place.entities), t=seconds(place.at or 0.0))
        texts = tuple(length_text(float(value), scene.scale.length) for value in options.values)
        facts = {"formula": quantity, "value": candidate.value, "unit": "m"} | facts
        return Item(place, stem, texts, options.answer, facts)


def _above_least(scene: Scene, value: float) -> float:
    """The value (m), refused where the options' least gap would drown it."""
    if value < scene.scale.nearest[0]:
        raise Refused(Code.BELOW_PRECISION)
    return value


@dataclass(frozen=True)
class Size(_Scalar):
    """Length, width or height of one thing (a1 to a3)."""

    name: str = "size"

    def quantity(self, place: Place) -> str:
        """See _Scalar: a place tells one quantity of one thing."""
        [(_, _, quantity)] = place.tells
        return quantity

    def places(self, generator: np.random.Generator, scene: Scene, count: int) -> list[Place]:
        """Every side of every thing, over the time in which it is seen."""
        sides = [(thing.entity.id, quantity) for thing in scene.things for quantity in QUANTITIES]
        return [
            Place(*scene.printed_window([name]), None, (name,), frozenset({("size", name, quantity)}))
            for name, quantity in shuffled(generator, sides)[:count]
        ]

    def measure(self, scene: Scene, place: Place, profile: Profile) -> float:
        """Metres; raises Refused. A thing as wide as it is long is asked for its length only."""
        [name] = place.entities
        scene.called(place.entities)
        scene.require_window(place.entities, LEAST_SEEN)
        if not scene.thing(name).sight.whole.any():
            raise Refused(Code.OCCLUDED)
        sides = measures.sides(scene.box(name, place.start), scene.up(), scene.scale.nearest[0] / 2)
        quantity = self.quantity(place)
        if quantity == "width" and sides[0] - sides[1] < scene.scale.nearest[0]:
            raise Refused(Code.ALREADY_ASKED)
        return _above_least(scene, sides[QUANTITIES.index(quantity)])


@dataclass(frozen=True)
class _Apart(_Scalar):
    """A distance between two things, over the time in which both are seen."""

    def places(self, generator: np.random.Generator, scene: Scene, count: int) -> list[Place]:
        """Pairs of things; one pair is asked for one distance."""
        return [
            Place(*scene.printed_window(pair), None, pair, frozenset({("apart", *pair)}))
            for pair in shuffled(generator, pairs_of(scene))[:count]
        ]

    def _require(self, scene: Scene, place: Place) -> None:
        scene.called(place.entities)
        scene.require_window(place.entities, LEAST_TOGETHER)
        scene.require_rest(place.entities)


@dataclass(frozen=True)
class Gap(_Apart):
    """The smallest gap between the boxes of two things (a4)."""

    name: str = "gap"

    def measure(self, scene: Scene, place: Place, profile: Profile) -> float:
        """Metres; raises Refused."""
        self._require(scene, place)
        first, second = (scene.box(name, place.start) for name in place.entities)
        first_round, second_round = (scene.thing(name).entity.symmetry == "any" for name in place.entities)
        return _above_least(scene, measures.gap(first, second, first_round, second_round, scene.scale.nearest[0]))


@dataclass(frozen=True)
class CentreDistance(_Apart):
    """The distance of the centres of two things (a5)."""

    name: str = "centre-distance"

    def measure(self, scene: Scene, place: Place, profile: Profile) -> float:
        """Metres; raises Refused."""
        self._require(scene, place)
        first, second = (scene.box(name, place.start).centre for name in place.entities)
        return _above_least(scene, float(np.linalg.norm(first - second)))


@dataclass(frozen=True)
class CameraDistance(_Scalar):
    """The distance from the camera to the centre of a thing at a moment (a6)."""

    name: str = "camera-distance"

    def places(self, generator: np.random.Generator, scene: Scene, count: int) -> list[Place]:
        """Some moments of each thing; a thing is asked about once."""
        places: list[Place] = []
        for (name,) in shuffled(generator, [(thing.entity.id,) for thing in scene.things]):
            places += instants(generator, scene, (name,), MOMENTS, frozenset({("from camera", name)}))
        return places[:count]

    def measure(self, scene: Scene, place: Place, profile: Profile) -> float:
        """Metres; raises Refused."""
        assert place.at is not None
        scene.called(place.entities)
        scene.require_seen(place.entities, place.at)
        return _above_least(scene, float(np.linalg.norm(scene.seen_box(place.entities[0], place.at).centre)))

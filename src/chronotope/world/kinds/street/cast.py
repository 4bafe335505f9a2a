"""The things of a street while it is laid out: each has a name of its own, and none stands where another is."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from chronotope.io import slug
from chronotope.recording import Event
from chronotope.world.film_set import Placement
from chronotope.world.kinds.street.clearance import Outline, meet, outline_of
from chronotope.world.rig import Rig
from chronotope.world.street import STREET_KINDS, Fixture, Vehicle, draw_fixture, draw_vehicle
from chronotope.world.things import Piece, Thing

STILL = 1e-6  # m between two frames of a thing that stands


@dataclass
class Cast:
    """The things of a street, as far as they are laid out.

    ``outlines`` are the places that they cover, ``plants`` are pieces of the set, and ``taken`` are the types and
    colours of vehicles that are there.
    """

    generator: np.random.Generator
    times: np.ndarray
    placements: list[Placement] = field(default_factory=list[Placement])
    outlines: list[Outline] = field(default_factory=list[Outline])
    events: list[Event] = field(default_factory=list[Event])
    plants: list[Piece] = field(default_factory=list[Piece])
    taken: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    fixtures: dict[str, Fixture] = field(default_factory=dict[str, Fixture])

    def draw(self, kinds: Mapping[str, int]) -> Vehicle | None:
        """Draw a vehicle of a type and a colour that no other has.

        The result is None if all are taken.
        """
        free = {
            kind: [
                colour for colour in dict.fromkeys(STREET_KINDS[kind].kind.colours) if (kind, colour) not in self.taken
            ]
            for kind in kinds
        }
        weights = {kind: weight for kind, weight in kinds.items() if free[kind]}
        if not weights:
            return None
        kind = weighted(self.generator, weights)
        colour = str(self.generator.choice(free[kind]))
        self.taken.add((kind, colour))
        return draw_vehicle(self.generator, kind, colour)

    def draw_beside(self, kind: str) -> Fixture:
        """Draw a piece of street furniture; all pieces of a type in a street are the same model."""
        if kind not in self.fixtures:
            self.fixtures[kind] = draw_fixture(self.generator, kind)
        return self.fixtures[kind]

    def is_free(self, outline: Outline) -> bool:
        """Check whether nothing else comes where a thing is."""
        return not any(meet(outline, other) for other in self.outlines)

    def has(self, thing: Thing) -> bool:
        """Check whether a thing of this name is there."""
        return any(thing.label == placement.thing.label for placement in self.placements)

    def name(self, label: str) -> str:
        """Return a free id."""
        number = 1 + sum(placement.thing.label == label for placement in self.placements)
        return slug(label) if number == 1 else f"{slug(label)}-{number}"

    def stand(self, thing: Thing, pose: np.ndarray, role: str, foot: tuple[float, float, float] | None = None) -> None:
        """Add a thing that stands for the whole clip.

        ``foot`` is the size (m) of what it covers of the ground.
        """
        self.placements.append(Placement(self.name(thing.label), thing, pose, attributes={"role": role}))
        self.outlines.append(outline_of(pose[None], foot or thing.size))

    def plant(self, thing: Thing, pose: np.ndarray) -> None:
        """Add a plant as a part of the set.

        A plant is not a thing of its own: leaves are narrower than pixels, and the verifier would look at them alone.
        """
        for piece in thing.pieces:
            vertices = piece.vertices @ pose[:3, :3].T + pose[:3, 3]
            self.plants.append(replace(piece, vertices=vertices, caster=vertices))

    def move(self, thing: Thing, path: np.ndarray, rig: Rig, role: str, outline: Outline | None = None) -> None:
        """Add a thing that rolls; ``path`` (T, 4, 4) is that of its frame."""
        name = self.name(thing.label)
        attributes = {"role": role} | ({"box": "unclear"} if role == "cyclist" else {})
        self.placements.append(Placement(name, thing, path[0], path=path, rig=rig, attributes=attributes))
        self.outlines.append(outline or outline_of(path, thing.size))
        moving = np.flatnonzero(np.linalg.norm(np.diff(path[:, :3, 3], axis=0), axis=1) > STILL)
        for run in np.split(moving, np.flatnonzero(np.diff(moving) > 1) + 1) if len(moving) else ():
            start, end = self.times[run[0]], self.times[run[-1] + 1]
            self.events.append(Event("move", float(start), float(end), object=name))


def colours_of(kind: str) -> list[str]:
    """List the colours of a type of vehicles."""
    return list(dict.fromkeys(STREET_KINDS[kind].kind.colours))


def weighted(generator: np.random.Generator, weights: Mapping[str, int]) -> str:
    """Draw a key with a probability in proportion to its weight."""
    shares = np.array(list(weights.values()), float)
    return list(weights)[int(generator.choice(len(weights), p=shares / shares.sum()))]

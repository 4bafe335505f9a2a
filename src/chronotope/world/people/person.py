"""A person: a thing whose soft pieces are moved by the joints of a body."""

from dataclasses import dataclass

import numpy as np

from chronotope.world.people.body import AgeGroup, Sex
from chronotope.world.rig import Weights
from chronotope.world.things import Thing


@dataclass(frozen=True)
class Garment:
    """A garment that a person wears: its noun, such as "T-shirt", and its colour, such as "dark blue"."""

    noun: str
    colour: str

    @property
    def called(self) -> str:
        """Return the usual name of the garment, such as "blue trousers"."""
        return f"{self.colour} {self.noun}"


@dataclass(frozen=True, eq=False)
class Person:
    """A person at rest, with joints that move the body.

    The person's frame has its origin on the floor under the hips; x is forward, y is left, z is up, in m. The pieces of
    ``thing`` are in this frame, in the pose of rest: the legs a little apart, the arms stretched sideways and down.
    ``joints`` are the names of the joints, the root ("Hips") first, and ``parents`` (J,) their parents, -1 for the
    root. ``rest`` (J, 4, 4) are the frames person_T_joint at rest. All of them have the axes of the person's frame, so
    they are pure translations. ``bindings`` have one entry for each piece, and ``parts`` the name of each piece, such
    as "skin" or "hair". ``height`` (m) is without shoes and hair. ``sole`` (m) is the thickness of the soles of the
    shoes. The most visible of the ``garments`` is the first.
    """

    thing: Thing
    joints: tuple[str, ...]
    parents: np.ndarray
    rest: np.ndarray
    bindings: tuple[Weights, ...]
    parts: tuple[str, ...]
    height: float
    sole: float
    sex: Sex
    age: AgeGroup
    garments: tuple[Garment, ...]

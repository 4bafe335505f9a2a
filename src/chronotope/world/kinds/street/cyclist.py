"""Cyclists: a bicycle and the person who rides it as one thing, whose wheels, pedals and legs turn."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.spatial.transform import Rotation

from chronotope.errors import InputError
from chronotope.world.people import Person, draw_person
from chronotope.world.people.motion import Contacts, ride
from chronotope.world.rig import Rig, Weights
from chronotope.world.street import Vehicle, draw_vehicle, drive, pedalled
from chronotope.world.things import Thing
from chronotope.world.things.thing import size_of

ATTEMPTS = 30  # people who are tried on a bicycle
STEPS = 48  # directions of the crank in which a person is tried
SPARE = (-0.004, 0.012)  # m by which pedals are moved for this: frames of a clip miss the lowest pedal by a centimetre
DIGITS = 9


@dataclass(frozen=True, eq=False)
class Cyclist:
    """A person on a bicycle.

    The frame of the thing has its origin on the ground below the middle of the bicycle, and x ahead.
    """

    bicycle: Vehicle
    person: Person

    @cached_property
    def thing(self) -> Thing:
        """Return both as one thing, at rest: the person stands in the middle of the bicycle."""
        lifted = np.array([0.0, 0.0, self.height])
        parts = [replace(piece, vertices=piece.vertices + lifted) for piece in self.bicycle.thing.pieces]
        clothes = self.person.garments[0]
        pieces = (*parts, *self.person.thing.pieces)
        return replace(
            self.person.thing,
            category="cyclist",
            colour=clothes.colour,
            material="",
            pieces=pieces,
            size=size_of(pieces),
            front="its front wheel",
            mass=self.bicycle.thing.mass + self.person.thing.mass,
            solids=(*(solid + lifted for solid in self.bicycle.thing.solids), *self.person.thing.solids),
            called=f"cyclist in the {{colour}} {clothes.noun}",
        )

    @property
    def height(self) -> float:
        """Return the height (m) of the middle of the bicycle's box above the ground."""
        return self.bicycle.thing.size[2] / 2

    def rig(self, ground: np.ndarray) -> Rig:
        """Make the rig of the cyclist on a way.

        ``ground`` (T, 4, 4) contains the poses of the place on the ground below the bicycle.
        """
        bicycle, lift = self.bicycle, np.eye(4)
        lift[2, 3] = self.height
        path = ground @ lift
        wheels = drive(bicycle, path)
        flat = np.column_stack([ground[:, :2, 3], np.unwrap(np.arctan2(ground[:, 1, 0], ground[:, 0, 0]))])
        joints = ride(self.person, flat, contacts_of(bicycle, pedalled(bicycle, path)))
        count = len(bicycle.joints)
        bindings = [
            Weights(binding.bones + count, binding.shares) if isinstance(binding, Weights) else binding + count
            for binding in self.person.bindings
        ]
        return Rig(
            (*bicycle.joints, *self.person.joints),
            np.concatenate([lift @ bicycle.rest, self.person.rest]),
            np.concatenate([wheels.path, np.round(joints, DIGITS)], axis=1),
            (*bicycle.bindings, *bindings),
        )


def draw_cyclist(generator: np.random.Generator, colour: str | None = None) -> Cyclist:
    """Draw a bicycle and an adult whose legs have the right length for it.

    Raises:
        InputError: If nobody fits.
    """
    bicycle = draw_vehicle(generator, "Bicycle", colour)
    contacts = contacts_of(bicycle, np.linspace(0, 2 * np.pi, STEPS))
    tried = [replace(contacts, pedals=contacts.pedals + np.array([0.0, 0.0, spare])) for spare in SPARE]
    for _ in range(ATTEMPTS):
        person = draw_person(generator, age="adult")
        try:
            for moved in tried:
                ride(person, np.zeros((STEPS, 3)), moved)
        except InputError:
            continue
        return Cyclist(bicycle, person)
    raise InputError(f"world: none of {ATTEMPTS} people fits on a bicycle: use another seed")


def contacts_of(bicycle: Vehicle, cranked: np.ndarray) -> Contacts:
    """Return where a rider touches a bicycle whose crank has turned by angles (T,) rad since rest."""
    cockpit = bicycle.cockpit
    assert cockpit is not None
    up = np.array([0.0, 0.0, bicycle.thing.size[2] / 2])
    crank, arm = np.array(cockpit.crank), np.array(cockpit.pedal) - cockpit.crank
    turned = Rotation.from_rotvec(np.outer(cranked, [0.0, 1.0, 0.0]))
    tread = np.array([0.0, 0.0, cockpit.tread])
    pedals = [crank + turned.apply(side) + tread + up for side in (arm, arm * [-1, -1, -1])]
    return Contacts(
        saddle=np.array(cockpit.saddle) + up,
        pedals=np.array(pedals),
        turns=np.arctan2(-arm[2], arm[0]) + cranked,
        grip=np.array(cockpit.grip) + up,
        outwards=np.array(cockpit.outwards),
    )

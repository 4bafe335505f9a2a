"""What a person does: the acts of a script."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

Side = Literal["Left", "Right"]


@dataclass(frozen=True, eq=False)
class Walk:
    """A walk along a way (N, 2) m on the floor, from standing to standing.

    The way starts where the person stands. The ``speed`` (m/s) is lower in curves tighter than about 1 m. A person who
    looks elsewhere than along the way first turns on the spot.
    """

    way: np.ndarray
    speed: float = 1.2


@dataclass(frozen=True)
class Turn:
    """A turn on the spot, until the person looks in the direction ``heading`` (rad, from x to y)."""

    heading: float


@dataclass(frozen=True)
class Stand:
    """Standing for some seconds."""

    seconds: float


@dataclass(frozen=True, eq=False)
class LookAt:
    """A look at a point (3,) m from now on, or ahead again if it is None."""

    point: np.ndarray | None
    seconds: float = 0.6


@dataclass(frozen=True)
class Grasp:
    """A reach for an object by its id, until the fingers touch it; from then on the hand holds it."""

    object: str
    hand: Side = "Right"


@dataclass(frozen=True)
class Carry:
    """The move of what a hand holds to where it is carried: before the body, with the arm bent."""

    hand: Side = "Right"


@dataclass(frozen=True, eq=False)
class Place:
    """The setting down of the held object, and the return of the hand.

    ``goal`` is the pose (4, 4) of the object, or the place (3,) m of its origin; then it stands as it is held.
    """

    object: str
    goal: np.ndarray


@dataclass(frozen=True, eq=False)
class Hold:
    """How a hand holds an object: the pose object_T_hand (4, 4), and the bends ``curls`` (5, 3) rad of the fingers."""

    pose: np.ndarray
    curls: np.ndarray


@dataclass(frozen=True, eq=False)
class Bear:
    """Holding an object in the hands from now on, where it is; each hand has its hold."""

    object: str
    holds: Mapping[Side, Hold]


@dataclass(frozen=True, eq=False)
class Fit:
    """The move of an object that hands bear through places (N, 3) m of its origin, to the last one, where they let go.

    The object is not turned. Each stretch is slow at both ends. Before they let go, the hands press for ``seconds``.
    """

    object: str
    places: np.ndarray
    seconds: float = 0.5


@dataclass(frozen=True, eq=False)
class Press:
    """A press of a button or a lever with the index finger.

    ``point`` (3,) m on the surface and ``direction`` (3,) in which it is pressed are in the world. The finger goes on
    by ``travel`` (m) in ``seconds``, and back.
    """

    object: str
    point: np.ndarray
    direction: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, -1.0]))
    travel: float = 0.0
    seconds: float = 0.4
    hand: Side = "Right"


@dataclass(frozen=True)
class Sit:
    """Sitting down on a seat at a height (m), right behind the person."""

    height: float


@dataclass(frozen=True)
class Rise:
    """Standing up from a seat."""


Act = Walk | Turn | Stand | LookAt | Grasp | Carry | Place | Bear | Fit | Press | Sit | Rise

"""The vehicles and things of streets that move on a stage, by the words of graphs, and the events of their motion."""

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from chronotope.recording import Event
from chronotope.world.film_set import Placement
from chronotope.world.street import STREET_KINDS, Vehicle, drive

TYPES: Mapping[str, str] = {row.kind.noun: name for name, row in STREET_KINDS.items()}
"""The object types of streets by their nouns."""

MOVED = 1e-6  # least change of a pose from frame to frame of what moves


def driven(name: str, vehicle: Vehicle, path: np.ndarray) -> Placement:
    """Place a vehicle or a cart on its way, with wheels that turn.

    ``path`` (T, 4, 4) is that of its frame.
    """
    attributes = {"role": "vehicle"} if STREET_KINDS[vehicle.type].use == "vehicle" else {}
    return Placement(name, vehicle.thing, path[0], path=path, rig=drive(vehicle, path), attributes=attributes)


def moves_of(name: str, path: np.ndarray, times: np.ndarray) -> tuple[Event, ...]:
    """Return an event for each stretch of frames in which a thing moves."""
    moving = np.abs(np.diff(path, axis=0)).max(axis=(1, 2)) > MOVED
    edges = np.flatnonzero(np.diff(np.r_[False, moving, False]))
    return tuple(
        Event("move", float(times[first]), float(times[last]), object=name)
        for first, last in pairwise(edges) if moving[first]
    )  # fmt: skip

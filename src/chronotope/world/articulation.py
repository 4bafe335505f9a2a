"""The placement of articulated things: their joints over time, and the visible changes of their states."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from chronotope.errors import InputError
from chronotope.world.film_set import LookChange, Placement
from chronotope.world.things.articulated import Articulated


class Switch(NamedTuple):
    """A change of a state: from a frame on, the property ``key`` has the value ``value``."""

    frame: int
    key: str
    value: str


def place_articulated(
    identity: str,
    articulated: Articulated,
    poses: np.ndarray,
    openness: Mapping[str, ArrayLike] | None = None,
    switches: Sequence[Switch] = (),
    parent: str | None = None,
) -> Placement:
    """Place an articulated thing whose joints move and whose looks change.

    ``poses`` (T, 4, 4) are the poses world_T_thing, or one pose (4, 4). ``openness`` (T,) is given for each joint that
    moves, from 0 to 1. ``switches`` are in the order of time. The attributes of the placement are the states at first.
    If nothing moves, the placement has no rig, so baked light counts it as a thing that stands still.

    Raises:
        InputError: If a joint or a state does not exist, or if a joint goes beyond its limits.
    """
    moving = poses.ndim == 3 and len(poses) > 1
    rig = articulated.rig(poses, **(openness or {})) if moving or openness else None
    first = {switch.key: switch.value for switch in switches if switch.frame == 0}
    changes = tuple(_change(articulated, switch) for switch in switches)
    return Placement(
        identity,
        articulated.thing,
        poses[0] if poses.ndim == 3 else poses,
        parent,
        path=poses if moving else None,
        attributes=articulated.attributes | first,
        rig=rig,
        changes=changes,
    )


def _change(articulated: Articulated, switch: Switch) -> LookChange:
    values = articulated.states.get(switch.key, {})
    if switch.value not in values:
        offered = ", ".join(f"{key}={value}" for key, values in articulated.states.items() for value in values)
        raise InputError(
            f"world: a {articulated.thing.label} has no state {switch.key}={switch.value}: choose one of {offered}"
        )
    if switch.frame < 0:
        raise InputError(f"world: frame {switch.frame} of the switch of a {articulated.thing.label} is below 0")
    return LookChange(switch.frame, switch.key, switch.value, values[switch.value])

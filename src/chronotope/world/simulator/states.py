"""The states of AI2-THOR's objects, by the names of our own homes."""

from dataclasses import fields
from typing import Any

from chronotope.world.homes.operations import STATE_ACTIONS
from chronotope.world.simulator.metadata import ObjectRecord
from chronotope.world.things import HomeState


def state_of(record: ObjectRecord) -> HomeState:
    """Return the state of an object."""
    return HomeState(
        openness=record["openness"],
        on=record["isToggled"],
        dirty=record["isDirty"],
        sliced=record["isSliced"],
        broken=record["isBroken"],
        cooked=record["isCooked"],
        liquid=record["fillLiquid"],
        used_up=record["isUsedUp"],
    )


def states_of(record: ObjectRecord) -> dict[str, Any]:
    """Return the states of an object, by the names of ``HomeState``.

    Only states that its type can have are among them.
    """
    state = state_of(record)
    shown = {rule.shown for rule in STATE_ACTIONS.values() if record[rule.flag]}
    return {each.name: getattr(state, each.name) for each in fields(state) if each.name in shown}

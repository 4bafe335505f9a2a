"""Operations on the objects of a home: when each is possible, and the home after it.

All functions are pure: they return another home, or raise ``ImpossibleError`` and change nothing.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from chronotope.world.homes.home import Home, HomeObject
from chronotope.world.things import HOME_KINDS, HomeState


class ImpossibleError(Exception):
    """The error for an operation that is impossible; the message is one sentence about the object."""


@dataclass(frozen=True)
class StateAction:
    """An action that changes the state of an object.

    ``flag`` is the capability that the object needs, and ``shown`` the field of the state that the action changes.
    ``wanted`` is called with the state of the object, and returns whether the action is possible; if it is not,
    ``already`` says in words why, such as "is open". ``changed`` is called with the state and the parameter of the
    action, and returns the new state.
    """

    flag: str
    shown: str
    already: str
    wanted: Callable[[HomeState], bool]
    changed: Callable[[HomeState, Any], HomeState]


STATE_ACTIONS: dict[str, StateAction] = {
    "OpenObject": StateAction(
        "openable", "openness", "is open", lambda s: s.openness < 1, lambda s, v: replace(s, openness=float(v))
    ),
    "CloseObject": StateAction(
        "openable", "openness", "is closed", lambda s: s.openness > 0, lambda s, v: replace(s, openness=0.0)
    ),
    "SliceObject": StateAction(
        "sliceable", "sliced", "is sliced", lambda s: not s.sliced, lambda s, v: replace(s, sliced=True)
    ),
    # Shards are neither open nor dirty, and hold no liquid.
    "BreakObject": StateAction(
        "breakable", "broken", "is broken", lambda s: not s.broken, lambda s, v: HomeState(broken=True)
    ),
    "ToggleObjectOn": StateAction("toggleable", "on", "is on", lambda s: not s.on, lambda s, v: replace(s, on=True)),
    "ToggleObjectOff": StateAction("toggleable", "on", "is off", lambda s: s.on, lambda s, v: replace(s, on=False)),
    "CleanObject": StateAction(
        "dirtyable", "dirty", "is clean", lambda s: s.dirty, lambda s, v: replace(s, dirty=False)
    ),
    "DirtyObject": StateAction(
        "dirtyable", "dirty", "is dirty", lambda s: not s.dirty, lambda s, v: replace(s, dirty=True)
    ),
    "CookObject": StateAction(
        "cookable", "cooked", "is cooked", lambda s: not s.cooked, lambda s, v: replace(s, cooked=True)
    ),
    "UseUpObject": StateAction(
        "canBeUsedUp", "used_up", "is used up", lambda s: not s.used_up, lambda s, v: replace(s, used_up=True)
    ),
    "EmptyLiquidFromObject": StateAction(
        "canFillWithLiquid",
        "liquid",
        "is empty",
        lambda s: s.liquid is not None,
        lambda s, v: replace(s, liquid=None),
    ),
    "FillObjectWithLiquid": StateAction(
        "canFillWithLiquid",
        "liquid",
        "is filled",
        lambda s: s.liquid is None,
        lambda s, v: replace(s, liquid=str(v)),
    ),
}
"""Every action that changes the state of an object, by its name."""


def abilities(thing: HomeObject) -> frozenset[str]:
    """Return the capability flags of an object.

    Flags for states are among them only if a person can see the state.
    """
    return _abilities(thing.name, thing.shows)


@cache
def _abilities(name: str, shown: frozenset[str]) -> frozenset[str]:
    flags = HOME_KINDS[name].use.flags
    states = {rule.flag for rule in STATE_ACTIONS.values() if rule.flag in flags and rule.shown in shown}
    return frozenset(states | (flags & {"pickupable", "moveable"}))


def refusal(flags: Collection[str], state: HomeState, action: str) -> str | None:
    """Return the reason why an action cannot change an object's state.

    ``flags`` are the capabilities of the object. The reason is a sentence without its subject. Returns None if the
    action is possible.
    """
    rule = STATE_ACTIONS[action]
    if rule.flag not in flags:
        return f"is not {rule.flag}" if rule.flag[:3] != "can" else f"cannot {_spaced(rule.flag[3:])}"
    if state.broken:
        return "is broken"
    return None if rule.wanted(state) else f"already {rule.already}"


def _spaced(name: str) -> str:
    return "".join(f" {each.lower()}" if each.isupper() else each for each in name).strip()


def change_state(home: Home, thing: HomeObject, action: str, value: Any = None) -> Home:
    """Change the state of an object.

    ``value`` is the parameter of the action: the openness from 0 to 1, or the liquid.

    Raises:
        ImpossibleError: If the object's state does not allow it, or if the changed object has no room.
    """
    reason = refusal(abilities(thing), thing.state, action)
    if reason is not None:
        raise ImpossibleError(f"{thing.id} {reason}")
    after = replace(thing, state=STATE_ACTIONS[action].changed(thing.state, value))
    if after.state == thing.state:
        raise ImpossibleError(f"{thing.id} already {STATE_ACTIONS[action].already} as wanted")
    if not _fits(home, thing, after):
        raise ImpossibleError(f"{thing.id} has no room for this")
    return home.with_object(after)


def _fits(home: Home, before: HomeObject, after: HomeObject) -> bool:
    # Check that a changed object, such as one with a wider open door, has room for it.
    if np.allclose(before.made.thing.size, after.made.thing.size, atol=1e-3):
        return True
    return home.has_room_for(after) and _stays_inside(home, after)


def _stays_inside(home: Home, thing: HomeObject) -> bool:
    """Check that an object does not reach out of a closed space.

    A closed space is, for example, a fridge.
    """
    if thing.parent is None or not home.objects[thing.parent].shelves[thing.shelf].inside:
        return True
    parent = home.objects[thing.parent]
    shelf = parent.shelves[thing.shelf]
    corners = (thing.footprint() - parent.pose[:2, 3]) @ parent.pose[:2, :2]
    reach = np.abs(corners - shelf.centre[:2]).max(axis=0)
    is_low = thing.made.thing.size[2] <= shelf.clear
    return bool(is_low and (reach <= np.array([shelf.length, shelf.width]) / 2 + 1e-6).all())


def remove(home: Home, thing: HomeObject) -> Home:
    """Remove an object from a home.

    Raises:
        ImpossibleError: If the object is not pickupable, or holds another one.
    """
    if not thing.can("pickupable"):
        raise ImpossibleError(f"{thing.id} is not pickupable")
    _check_empty(home, thing)
    return home.without(thing.id)


def _check_empty(home: Home, thing: HomeObject) -> None:
    held = home.children(thing.id)
    if held:
        raise ImpossibleError(f"{thing.id} holds {held[0].id}")

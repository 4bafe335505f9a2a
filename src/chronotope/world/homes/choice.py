"""The choice of the changes between two states of a home, in our own homes and in AI2-THOR alike."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from chronotope.recording import Change
from chronotope.world.homes.operations import STATE_ACTIONS, refusal
from chronotope.world.homes.small_things import held_types
from chronotope.world.things import HOME_KINDS, HomeState
from chronotope.world.things.effects import LIQUIDS

PER_CHANGE = 10  # candidates for each change
MOST = 15  # changes in a home
FAILURES = 50  # attempts that may fail before no further change is tried
LEAST_OF_EACH = 2  # changes of each group, if that many are possible
MOST_OF_ACTION = 0.4  # largest share of one kind of action
LEAST_MOVE = 0.5  # m, least shift of a thing that stays on its receptacle
NOTICEABLE = 0.005  # m2, least area of the largest side of a thing that is moved, added or removed
DEGREES = (0.25, 0.5, 0.75)  # degrees of openness
LEAST_OPENING = 0.25
_SWITCHED = frozenset({"ToggleObjectOn", "ToggleObjectOff"})

Group = Literal["move", "state"]


@dataclass(frozen=True)
class Item:
    """The facts about an object that the choice of changes needs.

    ``abilities`` are the capability flags of the object. ``parent`` is the id of the receptacle that carries the
    object, or None. ``size`` (m) has the sides of its box. ``is_closed`` is true for a receptacle into which nothing
    can be put. An object that is not seen (``is_seen``) is not changed.
    """

    id: str
    type: str
    abilities: frozenset[str]
    state: HomeState
    parent: str | None
    size: tuple[float, float, float]
    is_receptacle: bool
    is_closed: bool = False
    is_seen: bool = True

    @property
    def is_noticeable(self) -> bool:
        """Check whether a person who walks by would notice that the object is missing.

        For example, nobody notices that a pen or a bank card is missing.
        """
        sides = sorted(self.size)
        return sides[1] * sides[2] >= NOTICEABLE


@dataclass(frozen=True)
class Operation:
    """An action on one object. ``value`` is the parameter of the action, if it has one."""

    action: str
    object: str
    group: Group
    value: Any = None


class Changeable(Protocol):
    """A home in which operations can be carried out."""

    def items(self) -> list[Item]:
        """Return all objects as they are now."""
        ...

    def carry_out(self, generator: np.random.Generator, operation: Operation) -> list[Change] | None:
        """Carry out an operation, and return the changes.

        Returns None, and changes nothing, if the operation is impossible.
        """
        ...


def candidates(items: Iterable[Item]) -> list[Operation]:
    """List every operation that is possible in a home."""
    known = list(items)
    found: list[Operation] = []
    occupied = {each.parent for each in known}
    for item in known:
        found += _state_operations(item)
        if item.id in occupied or item.parent is None or not item.is_noticeable:
            continue
        if item.abilities & {"pickupable", "moveable"}:
            found.append(Operation("PlaceObjectAtPoint", item.id, "move"))
        if "pickupable" in item.abilities:
            found.append(Operation("RemoveObject", item.id, "move"))
    found += [Operation("AddObject", each.id, "move") for each in known if each.is_receptacle and held_types(each.type)]
    return found


def _state_operations(item: Item) -> list[Operation]:
    """List the changes of state that are possible for one object."""
    found: list[Operation] = []
    for action in STATE_ACTIONS:
        if refusal(item.abilities, item.state, action) is not None or (action in _SWITCHED and _is_tiny(item.type)):
            continue
        values = LIQUIDS if action == "FillObjectWithLiquid" else (None,)
        found += [Operation(action, item.id, "state", value) for value in values]
    return found


def _is_tiny(name: str) -> bool:
    # AI2-THOR has object types that the table has not.
    return name in HOME_KINDS and HOME_KINDS[name].use.tiny


def draw_opening(generator: np.random.Generator, openness: float) -> float | None:
    """Draw how far an object is opened, from 0 to 1.

    ``openness`` is the openness before. Returns None if the object is so far open already that nobody would notice a
    change.
    """
    degrees = [each for each in DEGREES if each - openness >= LEAST_OPENING]
    return float(generator.choice(degrees)) if degrees else None


def choose_changes(generator: np.random.Generator, place: Changeable) -> tuple[Change, ...]:
    """Carry out random changes in a home.

    The candidates of both groups (moves, and changes of state) are mixed, with at most twice as many of one group as of
    the other. The number of changes is a tenth of the number of mixed candidates, at least 1 and at most 15. Candidates
    for objects that are not seen count for this number, but are not carried out. Each object is changed at most once.
    The group of a change is drawn first, then one of the kinds that have happened least so far, then the operation. So
    a kind that is rarely possible happens as often as other kinds in homes in which it is possible.
    """
    changes: list[Change] = []
    touched: set[str] = set()
    impossible: set[Operation] = set()
    pools = _pools(candidates(place.items()))
    wanted = max(1, min(sum(min(len(pool), _most(pools)) for pool in pools) // PER_CHANGE, MOST))
    mixed = _mix(generator, place, touched)
    actions: Counter[str] = Counter()
    groups: Counter[Group] = Counter()
    failures = 0
    while sum(groups.values()) < wanted and failures < FAILURES:
        possible = [each for each in mixed if each not in impossible]
        allowed = [each for each in possible if _is_allowed(each, possible, wanted, actions, groups)]
        if not allowed:
            break
        operation = _draw(generator, allowed, actions)
        made = place.carry_out(generator, operation)
        if made is None:
            failures += 1
            if operation.group == "state":  # for a move, another place may be drawn
                impossible.add(operation)
            continue
        changes += made
        touched |= {each.object for each in made}
        actions[operation.action] += 1
        groups[operation.group] += 1
        mixed = _mix(generator, place, touched)
    return tuple(changes)


def _draw(generator: np.random.Generator, allowed: list[Operation], done: Counter[str]) -> Operation:
    """Draw an operation of a kind that happened least so far.

    The group of the operation is drawn at random. ``done`` counts the actions that were carried out. Switching on and
    switching off are one kind, because the first state of an object decides which of them is possible; for the same
    reason, cleaning and soiling are one kind.
    """
    group = str(generator.choice(sorted({each.group for each in allowed})))
    counts = Counter[str]()
    for action, count in done.items():
        counts[_kind(action)] += count
    kinds = sorted({_kind(each.action) for each in allowed if each.group == group})
    least = [kind for kind in kinds if counts[kind] == min(counts[each] for each in kinds)]
    kind = str(generator.choice(least))
    of_kind = [each for each in allowed if _kind(each.action) == kind]
    return of_kind[int(generator.integers(len(of_kind)))]


def _kind(action: str) -> str:
    return {"ToggleObjectOff": "ToggleObjectOn", "DirtyObject": "CleanObject"}.get(action, action)


def _pools(found: Iterable[Operation]) -> list[list[Operation]]:
    # Divide candidates into groups.
    known = list(found)
    return [[each for each in known if each.group == group] for group in ("move", "state")]


def _most(pools: list[list[Operation]]) -> int:
    """Return the largest number of candidates of one group that are mixed."""
    return 2 * min(len(pool) for pool in pools) or max(len(pool) for pool in pools)


def _mix(generator: np.random.Generator, place: Changeable, touched: set[str]) -> list[Operation]:
    # Draw equally many candidates of each group, among objects that are seen and were not changed.
    items = place.items()
    seen = {each.id for each in items if each.is_seen}
    pools = _pools(
        each
        for each in candidates(items)
        if each.object in seen and (each.object not in touched or each.action == "AddObject")
    )
    mixed: list[Operation] = []
    for pool in pools:
        chosen = generator.permutation(len(pool))[: _most(pools)]
        mixed += [pool[index] for index in sorted(chosen)]
    return mixed


def _is_allowed(
    operation: Operation, mixed: list[Operation], wanted: int, actions: Counter[str], groups: Counter[Group]
) -> bool:
    """Check that an operation keeps the limits on the shares of actions and of groups."""
    if actions[operation.action] + 1 > max(1, MOST_OF_ACTION * wanted):
        return False
    left, least = wanted - sum(groups.values()), min(LEAST_OF_EACH, wanted // 2)
    lacking = {
        group: min(least - groups[group], sum(each.group == group for each in mixed))
        for group in ("move", "state")
        if groups[group] < least
    }
    others = sum(count for group, count in lacking.items() if group != operation.group)
    return left > others or not others

"""Changes between the two states of a home: what may be done to each object, and what is done."""

from collections import Counter
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from chronotope.recording import Change
from chronotope.world.catalogue.homes import HOME_KINDS
from chronotope.world.kinds.house.home import Home, HomeObject
from chronotope.world.kinds.house.operations import STATE_ACTIONS, ImpossibleError, change_state, refusal, remove
from chronotope.world.kinds.house.small_things import LIQUIDS, held_types, new_object, place_on

__all__ = ["Changed", "candidates", "change_home"]

PER_CHANGE = 10  # candidates for each change
MOST = 15  # changes in a home
FAILURES = 50  # attempts that may fail before no further change is tried
LEAST_OF_EACH = 2  # changes of each group, if that many are possible
MOST_OF_ACTION = 0.4  # largest share of one kind of action
LEAST_MOVE = 0.5  # m, least shift of a thing that stays on its receptacle
NOTICEABLE = 0.005  # m2, least area of the largest side of a thing that is moved, added or removed
TINY = frozenset({"LightSwitch"})  # object types whose switch nobody sees from a distance
DEGREES = (0.25, 0.5, 0.75)  # degrees of openness
LEAST_OPENING = 0.25

Group = Literal["move", "state"]


@dataclass(frozen=True)
class Operation:
    """One thing that may be done to one object. ``value`` is its parameter, if it has one."""

    action: str
    object: str
    group: Group
    value: Any = None


@dataclass(frozen=True, eq=False)
class Changed:
    """A home after all changes, with the log of the changes in order."""

    home: Home
    changes: tuple[Change, ...]


def candidates(home: Home) -> list[Operation]:
    """List every operation that is possible in a home."""
    found = []
    occupied = {each.parent for each in home}
    for thing in home:
        found += _state_operations(thing)
        if thing.id in occupied or thing.parent is None or not _is_noticeable(thing):
            continue
        if thing.can("pickupable") or thing.can("moveable"):
            found.append(Operation("PlaceObjectAtPoint", thing.id, "move"))
        if thing.can("pickupable"):
            found.append(Operation("RemoveObject", thing.id, "move"))
    found += [Operation("AddObject", each.id, "move") for each in home if each.shelves and held_types(each.name)]
    return found


def _is_noticeable(thing: HomeObject) -> bool:
    # A person who walks by does not notice that a pen or a bank card is missing.
    sides = sorted(thing.made.thing.size)
    return sides[1] * sides[2] >= NOTICEABLE


def _state_operations(thing: HomeObject) -> list[Operation]:
    """List the changes of state that are possible for one object."""
    found: list[Operation] = []
    for action in STATE_ACTIONS:
        if refusal(thing, action) is not None or (action in _SWITCHED and thing.name in TINY):
            continue
        values = LIQUIDS if action == "FillObjectWithLiquid" else (None,)
        found += [Operation(action, thing.id, "state", value) for value in values]
    return found


_SWITCHED = frozenset({"ToggleObjectOn", "ToggleObjectOff"})


def change_home(generator: np.random.Generator, home: Home, scene: str) -> Changed:
    """Carry out random changes in a home.

    The number of changes is a tenth of the mixed candidates, at least 1 and at most 15. Each object is changed once.
    """
    changes: list[Change] = []
    touched: set[str] = set()
    mixed = _mix(generator, home, touched)
    wanted = max(1, min(len(mixed) // PER_CHANGE, MOST))
    actions: Counter[str] = Counter()
    groups: Counter[Group] = Counter()
    failures = 0
    while sum(groups.values()) < wanted and failures < FAILURES:
        allowed = [each for each in mixed if _is_allowed(each, mixed, wanted, actions, groups)]
        if not allowed:
            break
        operation = allowed[int(generator.integers(len(allowed)))]
        done = _carry_out(generator, home, operation, scene)
        if done is None:
            failures += 1
            continue
        home, made = done
        changes += made
        touched |= {each.object for each in made}
        actions[operation.action] += 1
        groups[operation.group] += 1
        mixed = _mix(generator, home, touched)
    return Changed(home, tuple(changes))


def _mix(generator: np.random.Generator, home: Home, touched: set[str]) -> list[Operation]:
    # Draw equally many candidates of each group, among objects that were not changed.
    found = [each for each in candidates(home) if each.object not in touched or each.action == "AddObject"]
    pools = [[each for each in found if each.group == group] for group in ("move", "state")]
    most = 2 * min(len(pool) for pool in pools) or max(len(pool) for pool in pools)
    mixed = []
    for pool in pools:
        chosen = generator.permutation(len(pool))[:most]
        mixed += [pool[index] for index in sorted(chosen)]
    return mixed


def _is_allowed(
    operation: Operation, mixed: list[Operation], wanted: int, actions: Counter[str], groups: Counter[Group]
) -> bool:
    """Check the shares of actions and of groups."""
    if actions[operation.action] + 1 > max(1, MOST_OF_ACTION * wanted):
        return False
    left = wanted - sum(groups.values())
    lacking = {
        group: min(LEAST_OF_EACH - groups[group], sum(each.group == group for each in mixed))
        for group in ("move", "state")
        if groups[group] < LEAST_OF_EACH
    }
    others = sum(count for group, count in lacking.items() if group != operation.group)
    return left > others or not others


def _carry_out(
    generator: np.random.Generator, home: Home, operation: Operation, scene: str
) -> tuple[Home, list[Change]] | None:
    """Carry out one operation; None if it is impossible."""
    if operation.action == "AddObject":
        return _add(generator, home, home.objects[operation.object], scene)
    thing = home.objects[operation.object]
    if operation.action == "RemoveObject":
        return remove(home, thing), [_logged(scene, "RemoveObject", thing, None)]
    if operation.action == "PlaceObjectAtPoint":
        return _move(generator, home, thing, scene)
    return _change_state(generator, home, thing, operation, scene)


def _change_state(
    generator: np.random.Generator, home: Home, thing: HomeObject, operation: Operation, scene: str
) -> tuple[Home, list[Change]] | None:
    value, parameters = operation.value, {}
    match operation.action:
        case "OpenObject":
            degrees = [each for each in DEGREES if each - thing.state.openness >= LEAST_OPENING]
            if not degrees:
                return None
            value = float(generator.choice(degrees))
            parameters = {"openness": value}
        case "CloseObject":
            parameters = {"openness": 0.0}
        case "FillObjectWithLiquid":
            parameters = {"liquid_type": value}
        case _:
            pass
    try:
        changed = change_state(home, thing, operation.action, value)
    except ImpossibleError:
        return None
    return changed, [_logged(scene, operation.action, thing, changed.objects[thing.id], parameters)]


def _move(
    generator: np.random.Generator, home: Home, thing: HomeObject, scene: str
) -> tuple[Home, list[Change]] | None:
    """Move an object to another free place that suits its type."""
    rest = home.without(thing.id)
    if thing.can("pickupable"):
        targets = [each for each in rest if each.shelves and thing.name in held_types(each.name)]
    else:
        targets = [each for each in rest if each.id == thing.parent]
    for index in generator.permutation(len(targets)):
        target = targets[int(index)]
        opened, changes = _opened(rest, target, scene)
        if opened is None:
            continue
        placed = place_on(generator, opened, thing, opened.objects[target.id], tuple(range(len(target.shelves))))
        if placed is None:
            continue
        shift = float(np.linalg.norm(placed.thing_pose[:3, 3] - thing.thing_pose[:3, 3]))
        if placed.parent == thing.parent and shift < LEAST_MOVE:
            continue
        changes.append(_logged(scene, "PlaceObjectAtPoint", thing, placed, {"new_receptacle": placed.parent}))
        return opened.with_object(placed), changes
    return None


def _add(
    generator: np.random.Generator, home: Home, parent: HomeObject, scene: str
) -> tuple[Home, list[Change]] | None:
    # Add an object of a type that is not on the receptacle yet.
    there = {each.name for each in home.children(parent.id)}
    types = [name for name in held_types(parent.name) if name not in there]
    if not types or any(shelf.closed for shelf in parent.shelves):
        return None
    name = str(generator.choice(types))
    thing = new_object(generator, home, name, parent.room, "surface")
    placed = place_on(generator, home, thing, parent, tuple(range(len(parent.shelves))))
    if placed is None or not _is_noticeable(placed):
        return None
    return home.with_object(placed), [_logged(scene, "AddObject", None, placed, {"new_receptacle": parent.id})]


def _opened(home: Home, target: HomeObject, scene: str) -> tuple[Home | None, list[Change]]:
    """Open a closed receptacle before something is put into it."""
    if not any(shelf.closed for shelf in target.shelves):
        return home, []
    try:
        opened = change_state(home, target, "OpenObject", 1.0)
    except ImpossibleError:
        return None, []
    change = _logged(scene, "OpenObject", target, opened.objects[target.id], {"openness": 1.0})
    return opened, [replace(change, automatic=True)]


def _logged(
    scene: str,
    action: str,
    before: HomeObject | None,
    after: HomeObject | None,
    parameters: dict[str, Any] | None = None,
) -> Change:
    # Describe one change with the facts about the object before and after it.
    known = after or before
    assert known is not None
    return Change(
        scene=scene,
        operation=action,
        object=known.id,
        parameters={"object_type": known.name, **(parameters or {})},
        before={} if before is None else _facts(before),
        after={} if after is None else _facts(after),
    )


def _facts(thing: HomeObject) -> dict[str, Any]:
    """Return the position, the receptacle and the visible states of an object."""
    shown = HOME_KINDS[thing.name].shows
    return {
        "position": [round(float(each), 6) for each in thing.thing_pose[:3, 3]],
        "receptacle": thing.parent,
        "room": thing.room,
        **{key: value for key, value in asdict(thing.state).items() if key in shown},
    }

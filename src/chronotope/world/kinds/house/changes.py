"""Changes between the two states of a home, carried out on its objects."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol

import numpy as np

from chronotope.recording import Change
from chronotope.world.kinds.house.choice import LEAST_MOVE, Item, Operation, choose_changes, draw_opening
from chronotope.world.kinds.house.home import Home, HomeObject
from chronotope.world.kinds.house.operations import ImpossibleError, abilities, change_state, remove
from chronotope.world.kinds.house.small_things import held_types, new_object, place_on

__all__ = ["Changed", "Eyes", "change_home", "items_of"]

ATTEMPTS = 6  # places that are tried for a new object
_Objects = Mapping[str, HomeObject | None]
_Done = tuple[Home, list[Change]] | None  # the home after an operation, with its log, if it was possible


@dataclass(frozen=True, eq=False)
class Changed:
    """A home after all changes, with the log of the changes in order."""

    home: Home
    changes: tuple[Change, ...]


class Eyes(Protocol):
    """What a person sees who walks through a home in both states."""

    def notices(self, thing: HomeObject) -> bool:
        """Check whether the person would notice that an object is missing."""
        ...

    def tells_apart(self, before: _Objects, after: _Objects) -> bool:
        """Check whether the person notices the changes of all objects.

        The objects are given by their ids.
        """
        ...

    def now_in(self, home: Home) -> None:
        """Look at the home after a change of it."""
        ...


@dataclass
class _ChangingHome:
    """A home that is being changed.

    ``first`` is the home before all changes. ``seen`` are the ids of the objects that ``eyes`` notice.
    """

    first: Home
    home: Home
    scene: str
    eyes: Eyes | None
    seen: frozenset[str]

    def items(self) -> list[Item]:
        return [replace(each, is_seen=self.eyes is None or each.id in self.seen) for each in items_of(self.home)]

    def carry_out(self, generator: np.random.Generator, operation: Operation) -> list[Change] | None:
        taken = self.first.objects  # a thing that was removed before lends its id to no new one
        done = _carry_out(generator, self.home, operation, self.scene, self._is_noticed, taken)
        if done is None:
            return None
        self.home, made = done
        if self.eyes is not None:
            self.eyes.now_in(self.home)
        return made

    def _is_noticed(self, after: Home, changes: list[Change]) -> bool:
        if self.eyes is None:
            return True
        names = [change.object for change in changes]
        return self.eyes.tells_apart(*({each: home.objects.get(each) for each in names} for home in (self.home, after)))


def change_home(generator: np.random.Generator, home: Home, scene: str, eyes: Eyes | None = None) -> Changed:
    """Carry out random changes in a home.

    If there are ``eyes``, they notice each change.
    """
    seen = frozenset[str]() if eyes is None else frozenset(each.id for each in home if eyes.notices(each))
    changing = _ChangingHome(home, home, scene, eyes, seen)
    changes = choose_changes(generator, changing)
    return Changed(changing.home, changes)


def items_of(home: Home) -> list[Item]:
    """Return what the choice of changes must know of a home."""
    return [_item(each) for each in home]


def _item(thing: HomeObject) -> Item:
    size = thing.made.thing.size
    return Item(thing.id, thing.name, abilities(thing), thing.state, thing.parent, size, bool(thing.shelves))


_Check = Callable[[Home, list[Change]], bool]  # whether changes are noticed in the home after them


def _carry_out(
    generator: np.random.Generator,
    home: Home,
    operation: Operation,
    scene: str,
    is_noticed: _Check,
    taken: Collection[str],
) -> _Done:
    """Carry out one operation.

    A new object gets none of the ids ``taken``.

    Returns None if it is impossible, or if nobody would notice it.
    """
    thing = home.objects[operation.object]
    match operation.action:
        case "AddObject":
            return _add(generator, home, thing, scene, is_noticed, taken)
        case "PlaceObjectAtPoint":
            return _move(generator, home, thing, scene, is_noticed)
        case "RemoveObject":
            done = remove(home, thing), [_logged(scene, "RemoveObject", thing, None)]
        case _:
            done = _change_state(generator, home, thing, operation, scene)
    return done if done is not None and is_noticed(*done) else None


def _change_state(
    generator: np.random.Generator, home: Home, thing: HomeObject, operation: Operation, scene: str
) -> _Done:
    value, parameters = operation.value, {}
    match operation.action:
        case "OpenObject":
            value = draw_opening(generator, thing.state.openness)
            if value is None:
                return None
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


def _move(generator: np.random.Generator, home: Home, thing: HomeObject, scene: str, is_noticed: _Check) -> _Done:
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
        done = opened.with_object(placed), changes
        if is_noticed(*done):
            return done
    return None


def _add(
    generator: np.random.Generator,
    home: Home,
    parent: HomeObject,
    scene: str,
    is_noticed: _Check,
    taken: Collection[str],
) -> _Done:
    # Add an object of a type that is not on the receptacle yet.
    there = {each.name for each in home.children(parent.id)}
    types = [name for name in held_types(parent.name) if name not in there]
    if not types or any(shelf.closed for shelf in parent.shelves):
        return None
    for _ in range(ATTEMPTS):
        thing = new_object(generator, home, str(generator.choice(types)), parent.room, "surface", taken)
        placed = place_on(generator, home, thing, parent, tuple(range(len(parent.shelves))))
        if placed is None or not _item(placed).is_noticeable:
            continue
        done = home.with_object(placed), [_logged(scene, "AddObject", None, placed, {"new_receptacle": parent.id})]
        if is_noticed(*done):
            return done
    return None


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
    shown = thing.shows
    return {
        "position": [round(float(each), 6) for each in thing.thing_pose[:3, 3]],
        "receptacle": thing.parent,
        "room": thing.room,
        **{key: value for key, value in asdict(thing.state).items() if key in shown},
    }

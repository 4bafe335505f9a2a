"""Changes between the two states of a home, carried out in our own homes and in AI2-THOR alike."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from chronotope.recording import Change
from chronotope.world.homes.choice import LEAST_MOVE, Item, Operation, choose_changes, draw_opening
from chronotope.world.homes.small_things import held_types

ATTEMPTS = 6  # new objects that are tried for a receptacle
Facts = dict[str, Any]  # position, receptacle, room and visible states of an object, for the log


class Place(Protocol):
    """A home in which changes are made.

    An operation is tried in steps (``lift``, ``act``, ``put``, ``add``, ``remove``). Then ``settle`` keeps the
    operation, or ``undo`` takes its steps back. A step that returns False or None has changed nothing.
    """

    def items(self) -> list[Item]:
        """Return all objects as they are now."""
        ...

    def facts(self, name: str) -> Facts:
        """Return the facts about an object for the log."""
        ...

    def lift(self, name: str) -> None:
        """Take an object away, until it is ``put`` somewhere else."""
        ...

    def act(self, name: str, action: str, value: Any = None) -> bool:
        """Change the state of an object.

        ``value`` is the openness from 0 to 1, or the liquid.
        """
        ...

    def put(self, generator: np.random.Generator, name: str, receptacle: str, least: float) -> bool:
        """Put an object on a free place of a receptacle.

        The place is at least ``least`` (m) from where the object was.
        """
        ...

    def add(self, generator: np.random.Generator, kind: str, receptacle: str) -> str | None:
        """Add an object of a type on a receptacle; return its id."""
        ...

    def remove(self, name: str) -> bool:
        """Remove an object."""
        ...

    def settle(self, names: Sequence[str]) -> bool:
        """Keep the changes of these objects, if a person would notice them.

        Returns False, and keeps nothing, if a person who walks through both states would not notice each of these
        objects.
        """
        ...

    def undo(self) -> None:
        """Take back all steps since the last ``settle``."""
        ...


def make_changes(generator: np.random.Generator, place: Place, scene: str) -> tuple[Change, ...]:
    """Make random changes in a home, and return their log in order.

    ``scene`` is the name of the scene in the log.
    """
    return choose_changes(generator, _Changes(place, scene))


@dataclass
class _Changes:
    """A ``Changeable`` whose operations are carried out in a ``Place``, and logged."""

    place: Place
    scene: str

    def items(self) -> list[Item]:
        return self.place.items()

    def carry_out(self, generator: np.random.Generator, operation: Operation) -> list[Change] | None:
        items = {each.id: each for each in self.place.items()}
        made = self._tried(generator, operation, items[operation.object], items)
        if made is None:
            self.place.undo()
        return made

    def _tried(
        self, generator: np.random.Generator, operation: Operation, item: Item, items: Mapping[str, Item]
    ) -> list[Change] | None:
        match operation.action:
            case "AddObject":
                return self._add(generator, item, items)
            case "PlaceObjectAtPoint":
                return self._move(generator, item, items)
            case "RemoveObject":
                before = self.place.facts(item.id)
                return self._kept([self._log("RemoveObject", item, before, {})] if self.place.remove(item.id) else None)
            case _:
                return self._kept(self._change_state(generator, item, operation))

    def _kept(self, changes: list[Change] | None) -> list[Change] | None:
        return changes if changes and self.place.settle([each.object for each in changes]) else None

    def _change_state(self, generator: np.random.Generator, item: Item, operation: Operation) -> list[Change] | None:
        value, parameters = operation.value, {}
        match operation.action:
            case "OpenObject":
                value = draw_opening(generator, item.state.openness)
                if value is None:
                    return None
                parameters = {"openness": value}
            case "CloseObject":
                parameters = {"openness": 0.0}
            case "FillObjectWithLiquid":
                parameters = {"liquid_type": value}
            case _:
                pass
        return self._acted(item, operation.action, value, parameters)

    def _acted(self, item: Item, action: str, value: Any, parameters: Facts) -> list[Change] | None:
        before = self.place.facts(item.id)
        if not self.place.act(item.id, action, value):
            return None
        return [self._log(action, item, before, self.place.facts(item.id), parameters)]

    def _move(self, generator: np.random.Generator, item: Item, items: Mapping[str, Item]) -> list[Change] | None:
        """Move an object to another free place that suits its type."""
        before = self.place.facts(item.id)
        targets = [each for each in items.values() if _suits(each, item)]
        for index in generator.permutation(len(targets)):
            target = targets[int(index)]
            self.place.lift(item.id)
            changes = self._opened(target)
            least = LEAST_MOVE if target.id == item.parent else 0.0
            if changes is not None and self.place.put(generator, item.id, target.id, least):
                after = self.place.facts(item.id)
                told = {"new_receptacle": after["receptacle"]}
                changes.append(self._log("PlaceObjectAtPoint", item, before, after, told))
                if self._kept(changes):
                    return changes
            self.place.undo()
        return None

    def _opened(self, target: Item) -> list[Change] | None:
        """Open a closed receptacle before something is put into it.

        Returns None if it cannot be opened.
        """
        if not target.is_closed:
            return []
        changes = self._acted(target, "OpenObject", 1.0, {"openness": 1.0})
        return changes and [replace(each, automatic=True) for each in changes]

    def _add(self, generator: np.random.Generator, receptacle: Item, items: Mapping[str, Item]) -> list[Change] | None:
        # Add an object of a type that is not on the receptacle yet.
        there = {each.type for each in items.values() if each.parent == receptacle.id}
        types = [name for name in held_types(receptacle.type) if name not in there]
        if not types or receptacle.is_closed:
            return None
        for _ in range(ATTEMPTS):
            name = self.place.add(generator, str(generator.choice(types)), receptacle.id)
            if name is None:
                continue
            item, after = next(each for each in self.place.items() if each.id == name), self.place.facts(name)
            told = {"new_receptacle": after["receptacle"]}
            made = self._kept([self._log("AddObject", item, {}, after, told)] if item.is_noticeable else None)
            if made is not None:
                return made
            self.place.undo()
        return None

    def _log(self, action: str, item: Item, before: Facts, after: Facts, parameters: Facts | None = None) -> Change:
        told = {"object_type": item.type, **(parameters or {})}
        return Change(self.scene, action, item.id, parameters=told, before=before, after=after)


def _suits(target: Item, moved: Item) -> bool:
    # Check whether an object may be moved to a receptacle.
    if target.id == moved.id or not target.is_receptacle:
        return False
    if "pickupable" in moved.abilities:
        return moved.type in held_types(target.type)
    return target.id == moved.parent

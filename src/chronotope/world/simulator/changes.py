"""A scene of AI2-THOR while it is changed."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

from chronotope.recording import Change
from chronotope.world.homes.changes import make_changes
from chronotope.world.homes.choice import Item
from chronotope.world.homes.operations import STATE_ACTIONS
from chronotope.world.left_handed import Vector, from_vector
from chronotope.world.simulator.metadata import ObjectRecord
from chronotope.world.simulator.states import state_of, states_of
from chronotope.world.simulator.things import parent_of, placed_box
from chronotope.world.simulator.thor import ThorSimulator

POINTS = 60  # points of a receptacle that are tried
_FLAGS = frozenset({"pickupable", "moveable", *(rule.flag for rule in STATE_ACTIONS.values())})
_VALUES = {"OpenObject": "openness", "FillObjectWithLiquid": "fillLiquid"}


def change_scene(
    generator: np.random.Generator,
    simulator: ThorSimulator,
    scene: str = "",
    seen: Collection[str] | None = None,
    room_of: Callable[[np.ndarray], str | None] = lambda point: None,
) -> tuple[Change, ...]:
    """Carry out random changes in a simulator.

    The changes follow the rules for our own homes. ``scene`` is the name of the scene for the log. Positions and states
    in the log are those that the simulator reports; positions are converted to the world's axes. The position of an
    object is the middle of its box. ``seen`` are the ids of the objects that may be changed, and ``room_of`` names the
    room of a point (2,) m.
    """
    return make_changes(generator, _ChangingScene(simulator, seen, room_of), scene)


@dataclass
class _ChangingScene:
    """A simulator whose home is being changed; it is a ``Place``.

    ``touched`` are the ids of changed objects, and ``back`` are the actions that undo the steps being tried. Whether a
    person sees a change is known only when the changed home is filmed, so all possible changes are kept.
    """

    simulator: ThorSimulator
    seen: Collection[str] | None = None
    room_of: Callable[[np.ndarray], str | None] = lambda point: None
    touched: set[str] = field(default_factory=set[str])
    back: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def items(self) -> list[Item]:
        return [_item(each, self.seen is None or each["objectId"] in self.seen) for each in self._records.values()]

    def facts(self, name: str) -> dict[str, Any]:
        record = self._records.get(name)  # what is sliced may be gone
        return {} if record is None else _facts(record, self.room_of)

    @property
    def _records(self) -> dict[str, ObjectRecord]:
        return self.simulator.last_event.objects

    def lift(self, name: str) -> None:
        """Do nothing: the object stays until it is put elsewhere."""

    def act(self, name: str, action: str, value: Any = None) -> bool:
        if name in self.touched:  # each object is changed once
            return False
        given = {_VALUES[action]: value} if action in _VALUES else {}
        if not self.simulator.step(action, objectId=name, **given).success:
            return False
        if action == "OpenObject":  # only what was opened for another object is ever taken back
            self.back.append(("CloseObject", name))
        return True

    def put(self, generator: np.random.Generator, name: str, receptacle: str, least: float) -> bool:
        start = placed_box(self._records[name])[1][:2, 3]
        return any(
            self.simulator.step("PlaceObjectAtPoint", objectId=name, position=point).success
            for point in self._points(generator, receptacle)
            if np.linalg.norm(from_vector(point)[:2] - start) >= least
        )

    def add(self, generator: np.random.Generator, kind: str, receptacle: str) -> str | None:
        name = next(name for number in count() if (name := f"{kind}|added|{number}") not in self._records)
        new = {"objectType": kind, "objectId": name, "seed": int(generator.integers(2**31))}
        for point in self._points(generator, receptacle):
            if self.simulator.step("AddObject", position=point, **new).success and name in self._records:
                self.back.append(("RemoveObject", name))
                return name
        return None

    def _points(self, generator: np.random.Generator, receptacle: str) -> list[Vector]:
        told = self.simulator.step("GetSpawnCoordinatesAboveReceptacle", objectId=receptacle)
        points = told.metadata["actionReturn"] or []
        return [points[int(index)] for index in generator.permutation(len(points))[:POINTS]]

    def remove(self, name: str) -> bool:
        return self.simulator.step("RemoveObject", objectId=name).success

    def settle(self, names: Sequence[str]) -> bool:
        self.touched |= set(names)
        self.back.clear()
        return True

    def undo(self) -> None:
        while self.back:
            action, name = self.back.pop()
            self.simulator.step(action, objectId=name)


def _item(record: ObjectRecord, is_seen: bool) -> Item:
    return Item(
        id=record["objectId"],
        type=record["objectType"],
        abilities=frozenset(flag for flag in _FLAGS if record[flag]),
        state=state_of(record),
        parent=parent_of(record),
        size=placed_box(record)[0],
        is_receptacle=record["receptacle"],
        is_closed=record["openable"] and not record["isOpen"],
        is_seen=is_seen,
    )


def _facts(record: ObjectRecord, room_of: Callable[[np.ndarray], str | None]) -> dict[str, Any]:
    """Return the position, the receptacle, the room and the possible states.

    The room is left out if it is unknown.
    """
    place = placed_box(record)[1][:3, 3]
    room = room_of(place[:2])
    return {
        "position": np.round(place, 6).tolist(),
        "receptacle": parent_of(record),
        **({} if room is None else {"room": room}),
        **states_of(record),
    }

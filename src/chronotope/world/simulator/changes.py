"""Changes between two states of a home, carried out in any simulator."""

from dataclasses import dataclass, field, fields, replace
from itertools import count
from typing import Any

import numpy as np

from chronotope.recording import Change
from chronotope.world.catalogue.homes import HomeState
from chronotope.world.kinds.house.choice import LEAST_MOVE, Item, Operation, choose_changes, draw_opening
from chronotope.world.kinds.house.operations import STATE_ACTIONS
from chronotope.world.kinds.house.small_things import held_types
from chronotope.world.left_handed import Vector, from_vector
from chronotope.world.simulator.interface import Simulator
from chronotope.world.simulator.metadata import ObjectRecord

__all__ = ["change_scene"]

POINTS = 60  # points of a receptacle that are tried
_FLAGS = frozenset({"pickupable", "moveable", *(rule.flag for rule in STATE_ACTIONS.values())})


def change_scene(generator: np.random.Generator, simulator: Simulator, scene: str = "") -> tuple[Change, ...]:
    """Carry out random changes in a simulator.

    The choice follows the rules for our own homes. ``scene`` is the name of the scene for the log. Positions and states
    in the log are what the simulator tells, in the world's axes. The middle of an object's box is its position.
    """
    return choose_changes(generator, _ChangingScene(simulator, scene))


@dataclass
class _ChangingScene:
    """A simulator whose home is being changed; ``touched`` are the ids of changed objects."""

    simulator: Simulator
    scene: str
    touched: set[str] = field(default_factory=set[str])

    def items(self) -> list[Item]:
        return [_item(each) for each in self._records.values()]

    def carry_out(self, generator: np.random.Generator, operation: Operation) -> list[Change] | None:
        made = self._tried(generator, operation, self._records[operation.object])
        self.touched |= {each.object for each in made or ()}
        return made

    def _tried(self, generator: np.random.Generator, operation: Operation, record: ObjectRecord) -> list[Change] | None:
        match operation.action:
            case "AddObject":
                return self._add(generator, record)
            case "RemoveObject":
                return self._done("RemoveObject", record, {}, {})
            case "PlaceObjectAtPoint":
                return self._move(generator, record)
            case "OpenObject":
                openness = draw_opening(generator, record["openness"])
                told = {"openness": openness}
                return None if openness is None else self._done("OpenObject", record, told, told)
            case "CloseObject":
                return self._done("CloseObject", record, {}, {"openness": 0.0})
            case "FillObjectWithLiquid":
                liquid = {"fillLiquid": operation.value}
                return self._done("FillObjectWithLiquid", record, liquid, {"liquid_type": operation.value})
            case action:
                return self._done(action, record, {}, {})

    @property
    def _records(self) -> dict[str, ObjectRecord]:
        return self.simulator.last_event.objects

    def _done(
        self, action: str, record: ObjectRecord, given: dict[str, Any], logged: dict[str, Any]
    ) -> list[Change] | None:
        # Carry out an action on an object, and log it if it succeeds.
        name = record["objectId"]
        if not self.simulator.step(action, objectId=name, **given).success:
            return None
        return [self._log(action, record, self._records.get(name), logged)]

    def _log(
        self, action: str, before: ObjectRecord | None, after: ObjectRecord | None, parameters: dict[str, Any]
    ) -> Change:
        known = after or before
        assert known is not None
        return Change(
            scene=self.scene,
            operation=action,
            object=known["objectId"],
            parameters={"object_type": known["objectType"], **parameters},
            before={} if before is None else _facts(before),
            after={} if after is None else _facts(after),
        )

    def _move(self, generator: np.random.Generator, record: ObjectRecord) -> list[Change] | None:
        """Move an object to another free place that suits its type."""
        parent = _parent(record)
        targets = [each for each in self._records.values() if _suits(each, record)]
        for index in generator.permutation(len(targets)):
            target = targets[int(index)]
            opened = self._open(target)
            if opened is None:
                continue
            for point in self._points(generator, target):
                is_near = np.linalg.norm(from_vector(point)[:2] - _middle(record)[:2]) < LEAST_MOVE
                if target["objectId"] == parent and is_near:
                    continue
                if self.simulator.step("PlaceObjectAtPoint", objectId=record["objectId"], position=point).success:
                    moved = self._records[record["objectId"]]
                    told = {"new_receptacle": _parent(moved)}
                    return [*opened, self._log("PlaceObjectAtPoint", record, moved, told)]
            if opened:
                self.simulator.step("CloseObject", objectId=target["objectId"])
        return None

    def _open(self, target: ObjectRecord) -> list[Change] | None:
        # Open a closed receptacle before something is put into it; None if it cannot be opened.
        if not target["openable"] or target["isOpen"]:
            return []
        if target["objectId"] in self.touched:  # somebody closed it: each object is changed once
            return None
        fully = {"openness": 1.0}
        changes = self._done("OpenObject", target, fully, fully)
        return None if changes is None else [_automatic(each) for each in changes]

    def _points(self, generator: np.random.Generator, target: ObjectRecord) -> list[Vector]:
        told = self.simulator.step("GetSpawnCoordinatesAboveReceptacle", objectId=target["objectId"])
        points = told.metadata["actionReturn"] or []
        return [points[int(index)] for index in generator.permutation(len(points))[:POINTS]]

    def _add(self, generator: np.random.Generator, target: ObjectRecord) -> list[Change] | None:
        # Add an object of a type that is not on the receptacle yet.
        there = {each["objectType"] for each in self._records.values() if _parent(each) == target["objectId"]}
        types = [name for name in held_types(target["objectType"]) if name not in there]
        if not types or (target["openable"] and not target["isOpen"]):
            return None
        kind, seed = str(generator.choice(types)), int(generator.integers(2**31))
        name = next(name for number in count() if (name := f"{kind}|added|{number}") not in self._records)
        new = {"objectType": kind, "objectId": name, "seed": seed}
        for point in self._points(generator, target):
            if self.simulator.step("AddObject", position=point, **new).success and name in self._records:
                added = self._records[name]
                if _item(added).is_noticeable:
                    return [self._log("AddObject", None, added, {"new_receptacle": _parent(added)})]
                self.simulator.step("RemoveObject", objectId=name)
                return None
        return None


def _automatic(change: Change) -> Change:
    return replace(change, automatic=True)


def _suits(target: ObjectRecord, moved: ObjectRecord) -> bool:
    # Check whether an object may be moved to a receptacle.
    if not target["receptacle"] or target["objectId"] == moved["objectId"]:
        return False
    if not moved["pickupable"]:
        return target["objectId"] == _parent(moved)
    return moved["objectType"] in held_types(target["objectType"])


def _parent(record: ObjectRecord) -> str | None:
    return record["parentReceptacles"][0] if record["parentReceptacles"] else None


def _middle(record: ObjectRecord) -> np.ndarray:
    return from_vector(record["axisAlignedBoundingBox"]["center"])


def _state(record: ObjectRecord) -> HomeState:
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


def _item(record: ObjectRecord) -> Item:
    return Item(
        id=record["objectId"],
        type=record["objectType"],
        abilities=frozenset(flag for flag in _FLAGS if record[flag]),
        state=_state(record),
        parent=_parent(record),
        size=_sides(record),
        is_receptacle=record["receptacle"],
    )


def _sides(record: ObjectRecord) -> tuple[float, float, float]:
    turned, aligned = record["objectOrientedBoundingBox"], record["axisAlignedBoundingBox"]["size"]
    if turned is None:
        return aligned["x"], aligned["y"], aligned["z"]
    corners = np.array(turned["cornerPoints"])  # the four lower ones follow each other round the box
    length, width, height = np.linalg.norm(corners[[1, 3, 4]] - corners[0], axis=1).tolist()
    return length, width, height


def _facts(record: ObjectRecord) -> dict[str, Any]:
    """Return the position, the receptacle and the possible states."""
    state = _state(record)
    shown = {rule.shown for rule in STATE_ACTIONS.values() if record[rule.flag]}
    return {
        "position": np.round(_middle(record), 6).tolist(),
        "receptacle": _parent(record),
        **{each.name: getattr(state, each.name) for each in fields(state) if each.name in shown},
    }

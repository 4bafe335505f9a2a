"""The simulator of our own homes."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from chronotope.errors import InputError
from chronotope.world.catalogue.homes import HOME_KINDS
from chronotope.world.explore import Grid, largest_component
from chronotope.world.film_set import FilmSet
from chronotope.world.kinds.house.home import Home, HomeObject
from chronotope.world.kinds.house.operations import ImpossibleError, change_state, put, remove, spawn_points
from chronotope.world.kinds.house.scenery import FIELD, free_floor
from chronotope.world.left_handed import from_vector, to_vector
from chronotope.world.quality import Quality
from chronotope.world.simulator.actions import checked
from chronotope.world.simulator.agent import Stand, agent_of, moved, reachable_positions, teleported, turned
from chronotope.world.simulator.interface import Event, Simulator
from chronotope.world.simulator.metadata import Metadata, ObjectRecord
from chronotope.world.simulator.records import records_of
from chronotope.world.simulator.stage import Stage

__all__ = ["HomeSimulator", "open_home"]


@dataclass(frozen=True, eq=False)
class _Scene:
    """A home, with what follows from it: the floor where the agent can stand, and the records of objects."""

    home: Home
    floor: Grid
    records: list[ObjectRecord]


def _scene_of(home: Home) -> _Scene:
    return _Scene(home, free_floor(home), records_of(home))


class HomeSimulator:
    """Simulates a home; it is a ``Simulator``.

    ``film_set`` has the shell and the lights of the home. ``field`` is the vertical field of view in degrees. At first,
    the agent is at the first point of the largest connected part of the floor, and looks along z. It moves only on the
    points of the grid.

    Raises:
        InputError: If the agent can stand nowhere.
    """

    def __init__(self, home: Home, film_set: FilmSet, quality: Quality, field: float = FIELD) -> None:
        self._stage = Stage(film_set, quality, field)
        self._scene = _scene_of(home)
        cells = largest_component(self._scene.floor).cells.tolist()
        if not cells:
            raise InputError("the home has no point where the agent can stand", fix="leave more floor free")
        self._stand = Stand((cells[0][0], cells[0][1]))
        self._last = self._event("Initialize", "", None)

    @property
    def last_event(self) -> Event:
        """Return the event of the last action, or the first view."""
        return self._last

    @property
    def home(self) -> Home:
        """Return the home after all actions."""
        return self._scene.home

    def step(self, action: str, **parameters: Any) -> Event:
        """Carry out an action."""
        returned, error = None, ""
        try:
            returned = self._carry_out(action, checked(action, parameters))
        except (ImpossibleError, InputError) as problem:
            error = str(problem)
        self._last = self._event(action, error, returned)
        return self._last

    def close(self) -> None:
        """Release the renderer."""
        self._stage.close()

    def _carry_out(self, action: str, values: dict[str, Any]) -> Any:
        # Returns the value for ``actionReturn``; a method that raises has changed nothing.
        stand, floor = self._stand, self._scene.floor
        match action:
            case "GetReachablePositions":
                return reachable_positions(stand, floor)
            case "Teleport":
                self._stand = teleported(floor, values["position"], values["rotation"], values["horizon"])
            case "MoveAhead":
                self._stand = moved(stand, floor, values["moveMagnitude"])
            case "RotateLeft":
                self._stand = turned(stand, -values["degrees"])
            case "RotateRight":
                self._stand = turned(stand, values["degrees"])
            case "GetSpawnCoordinatesAboveReceptacle":
                return [to_vector(point) for point in spawn_points(self._object(values))]
            case "AddObject":
                return self._add(values)
            case _:
                self._scene = _scene_of(self._changed(action, values))
        return None

    def _changed(self, action: str, values: dict[str, Any]) -> Home:
        thing = self._object(values)
        match action:
            case "PlaceObjectAtPoint":
                return put(self.home, thing, from_vector(values["position"]), thing.yaw)
            case "RemoveObject":
                return remove(self.home, thing)
            case _:
                return change_state(self.home, thing, action, values.get("openness", values.get("fillLiquid")))

    def _object(self, values: dict[str, Any]) -> HomeObject:
        name = values["objectId"]
        if name not in self.home.objects:
            raise ImpossibleError(f"no object has the id {name!r}")
        return self.home.objects[name]

    def _add(self, values: dict[str, Any]) -> str:
        name, kind = values["objectId"], values["objectType"]
        if name in self.home.objects:
            raise ImpossibleError(f"an object already has the id {name!r}")
        if kind not in HOME_KINDS:
            raise ImpossibleError(f"no object type {kind!r} is in the catalogue of homes")
        thing = HomeObject(name, kind, values["seed"], "", np.eye(4))
        self._scene = _scene_of(put(self.home, thing, from_vector(values["position"])))
        return name

    def _event(self, action: str, error: str, returned: Any) -> Event:
        home, agent = self._scene.home, agent_of(self._stand, self._scene.floor)
        metadata = Metadata(
            agent=agent,
            objects=self._scene.records,
            lastAction=action,
            lastActionSuccess=not error,
            errorMessage=error,
            actionReturn=returned,
        )
        return Event(metadata, lambda camera: self._stage.draw(home, camera))


@contextmanager
def open_home(home: Home, film_set: FilmSet, quality: Quality, field: float = FIELD) -> Iterator[Simulator]:
    """Simulate a home, and release the renderer at the end.

    The parameters are those of ``HomeSimulator``.

    Raises:
        InputError: If the agent can stand nowhere in the home.
    """
    simulator = HomeSimulator(home, film_set, quality, field)
    try:
        yield simulator
    finally:
        simulator.close()

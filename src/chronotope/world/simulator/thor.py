"""AI2-THOR as a simulator: actions go to its controller, and its events are converted.

The adapter needs the extra ``thor`` and a Unity build of AI2-THOR. The interface has the names, units and axes of
AI2-THOR.
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from chronotope.errors import InputError
from chronotope.world.homes.explore.actions import TURN
from chronotope.world.homes.explore.grid import STEP
from chronotope.world.quality import Quality
from chronotope.world.simulator.actions import ACTIONS, checked
from chronotope.world.simulator.events import Event
from chronotope.world.simulator.thor_events import ThorEvent, event_of

REACH = 1.5  # m, interaction distance
WAITING = {"x": 0.0, "y": -20.0, "z": 0.0}  # where a new object is, below the floor, until it is put at its point
_UPRIGHT = {"x": 0.0, "y": 0.0, "z": 0.0}
_INSTALL = "pip install 'chronotope[thor]'"
_START = (
    "it needs a Unity build, which it downloads when it first starts (CHRONOTOPE_THOR_BUILD may name one), and an X "
    "server or Vulkan"
)


class Controller(Protocol):
    """The part of ``ai2thor.controller.Controller`` that the adapter uses."""

    server: Any
    last_event: Any

    def step(self, action: str, **action_args: Any) -> Any:
        """Carry out an action of AI2-THOR.

        Raises:
            ValueError: If AI2-THOR does not know the action or a parameter. ``last_event`` then has the reason.
        """
        ...

    def stop(self) -> None:
        """Stop the Unity process."""
        ...


class _RefusedError(Exception):
    """The error for an action that AI2-THOR refused, with its message."""


class ThorSimulator:
    """Simulates a scene with AI2-THOR.

    ``controller`` is started, renders depth and instance segmentation, and does not snap to its grid. ``assets`` lists
    the assets of each object type for ``AddObject``; for other types, the assets of the scene are used.
    """

    def __init__(self, controller: Controller, assets: Mapping[str, Sequence[str]] | None = None) -> None:
        self._controller, self._assets = controller, dict(assets or {})
        self._last = self._event("Initialize", None, None)

    @property
    def last_event(self) -> Event:
        """Return the event of the last action, or the first view."""
        return self._last

    def step(self, action: str, **parameters: Any) -> Event:
        """Carry out an action.

        Raises:
            InputError: If AI2-THOR's metadata lacks a field.
        """
        returned, error = None, None
        try:
            returned = self._carry_out(action, self._checked(action, parameters))
        except _RefusedError as problem:
            error = str(problem)
        self._last = self._event(action, error, returned)
        return self._last

    def close(self) -> None:
        """Stop the Unity process."""
        self._controller.stop()

    def _checked(self, action: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return checked(action, parameters)
        except InputError as error:
            raise _RefusedError(str(error)) from error

    def _carry_out(self, action: str, values: dict[str, Any]) -> Any:
        # Returns the value for ``actionReturn``.
        match action:
            case "AddObject":
                return self._add(values)
            case "RemoveObject":
                self._check_removable(values["objectId"])
                return self._send("RemoveFromScene", values)
            case "Teleport":
                rotation = {**_UPRIGHT, "y": values["rotation"]}
                return self._send("Teleport", {**values, "rotation": rotation, "standing": True})
            case _:
                forced = {"forceAction": True} if ACTIONS[action].forced else {}
                return self._send(action, {**values, **forced})

    def _send(self, action: str, values: Mapping[str, Any]) -> Any:
        try:
            told: ThorEvent = self._controller.step(action=action, **values)
        except ValueError as error:
            raise _RefusedError(str(error)) from error
        if not told.metadata["lastActionSuccess"]:
            raise _RefusedError(told.metadata["errorMessage"] or f"AI2-THOR refused {action}")
        return told.metadata["actionReturn"]

    def _check_removable(self, name: str) -> None:
        record = self._last.objects.get(name)
        if record is None:
            raise _RefusedError(f"no object has the id {name!r}")
        if not record["pickupable"]:
            raise _RefusedError(f"{name} is not pickupable")
        if record["receptacleObjectIds"]:
            raise _RefusedError(f"{name} holds {record['receptacleObjectIds'][0]}")

    def _add(self, values: dict[str, Any]) -> str:
        name, kind = values["objectId"], values["objectType"]
        if name in self._last.objects:
            raise _RefusedError(f"an object already has the id {name!r}")
        there = {each["assetId"] for each in self._last.objects.values() if each["objectType"] == kind}
        assets = self._assets.get(kind) or sorted(there - {""})
        if not assets:
            raise _RefusedError(f"no asset of the object type {kind!r} is known")
        chosen = assets[values["seed"] % len(assets)]
        self._send("SpawnAsset", {"assetId": chosen, "generatedId": name, "position": WAITING, "rotation": _UPRIGHT})
        try:
            self._send("PlaceObjectAtPoint", {"objectId": name, "position": values["position"]})
        except _RefusedError:
            self._send("RemoveFromScene", {"objectId": name})
            raise
        return name

    def _event(self, action: str, error: str | None, returned: Any) -> Event:
        far = float(self._controller.server.camera_far_plane)
        return event_of(self._controller.last_event, action, error, returned, far)


@contextmanager
def open_thor(
    scene: str | Mapping[str, Any],
    quality: Quality,
    field: float,
    assets: Mapping[str, Sequence[str]] | None = None,
    **settings: Any,
) -> Iterator[ThorSimulator]:
    """Start AI2-THOR in a scene, and stop it at the end.

    ``scene`` is the name of a scene, or a house; in a house, the agent starts at the house's own pose. ``field`` is the
    vertical field of view in degrees. ``settings`` are further parameters of AI2-THOR's controller, such as
    ``platform`` or ``local_executable_path``.

    Raises:
        InputError: If AI2-THOR is not installed, or does not start. The message says what AI2-THOR needs.
    """
    try:
        from ai2thor.controller import Controller as Started  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise InputError("AI2-THOR is not installed", fix=_INSTALL) from error
    try:
        controller = Started(
            scene=scene,
            width=quality.width,
            height=quality.height,
            gridSize=STEP,
            fieldOfView=field,
            visibilityDistance=REACH,
            rotateStepDegrees=TURN,
            snapToGrid=False,  # AI2-THOR snaps only with turns of 90 degrees
            renderDepthImage=True,
            renderInstanceSegmentation=True,
            **settings,
        )
    except Exception as error:
        raise InputError(f"AI2-THOR does not start ({' '.join(str(error).split())[:160]})", fix=_START) from error
    try:
        _enter(controller, scene)
        yield ThorSimulator(controller, assets)
    finally:
        controller.stop()


def settings_here() -> dict[str, Any]:
    """Return the settings for this machine.

    Without an X server, AI2-THOR draws by itself. The environment variable CHRONOTOPE_THOR_BUILD may name a Unity
    build; otherwise, AI2-THOR downloads one.
    """
    build, settings = os.environ.get("CHRONOTOPE_THOR_BUILD"), dict[str, Any]()
    if build:
        settings["local_executable_path"] = build
    if sys.platform == "linux" and not os.environ.get("DISPLAY"):
        from ai2thor.platform import CloudRendering  # pyright: ignore[reportMissingImports]

        settings["platform"] = CloudRendering
    return settings


def ai2thor_version() -> str:
    """Return the version of the package that starts AI2-THOR."""
    import ai2thor  # pyright: ignore[reportMissingImports]

    return str(ai2thor.__version__)


def _enter(controller: Controller, scene: str | Mapping[str, Any]) -> None:
    # In a house, AI2-THOR leaves the agent at the origin, which may be outside.
    pose = None if isinstance(scene, str) else scene.get("metadata", {}).get("agent")
    if pose is None:
        return
    told: ThorEvent = controller.step(action="Teleport", **pose)
    if not told.metadata["lastActionSuccess"]:
        reason = told.metadata["errorMessage"]
        raise InputError(
            f"the agent cannot enter the house: {reason}", fix="change the pose metadata.agent of the house"
        )

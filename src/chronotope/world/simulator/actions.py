"""The actions of a simulator, with the names and parameters of AI2-THOR."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from chronotope.errors import InputError
from chronotope.world.homes.explore.actions import TURN
from chronotope.world.homes.explore.grid import STEP
from chronotope.world.things.effects import LIQUIDS

HORIZON = (-30.0, 60.0)  # degrees to which the agent can look up and down
_REQUIRED: Any = object()


@dataclass(frozen=True)
class Parameter:
    """A parameter of an action: its check, and a description for error messages.

    A parameter without ``default`` must be given.
    """

    accepts: Callable[[Any], bool]
    expected: str
    default: Any = _REQUIRED

    @property
    def is_required(self) -> bool:
        """Check whether the parameter must be given."""
        return self.default is _REQUIRED


def _is_number(value: Any, low: float = -math.inf, high: float = math.inf) -> bool:
    is_real = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return is_real and low <= value <= high


def _is_point(value: Any) -> bool:
    return isinstance(value, Mapping) and set(value) == {"x", "y", "z"} and all(map(_is_number, value.values()))


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


_OBJECT = Parameter(_is_name, "the id of an object")
_POINT = Parameter(_is_point, "a point with finite numbers x, y and z in metres")
_OPENNESS = Parameter(lambda v: _is_number(v, 0, 1) and v > 0, "a number above 0, at most 1", 1.0)
_DEGREES = Parameter(lambda v: _is_number(v, 0, 180) and v > 0, "degrees above 0, at most 180", float(TURN))
_METRES = Parameter(lambda v: _is_number(v, 0) and v > 0, "metres above 0", STEP)
_LIQUID = Parameter(lambda v: isinstance(v, str) and v in LIQUIDS, f"one of {', '.join(LIQUIDS)}", "water")
_YAW = Parameter(_is_number, "degrees clockwise from z")
_HORIZON = Parameter(lambda v: _is_number(v, *HORIZON), "degrees from {:g} to {:g}".format(*HORIZON), 0.0)
_TRUE = Parameter(lambda v: v is True, "True, because points are listed whether they are seen or not", True)
_TYPE = Parameter(_is_name, "an object type such as Mug")
_SEED = Parameter(lambda v: isinstance(v, int) and _is_number(v, 0), "a whole number, at least 0", 0)


@dataclass(frozen=True)
class ActionKind:
    """An action: its parameters, and whether it acts on an object from any distance."""

    parameters: Mapping[str, Parameter] = field(default_factory=dict[str, Parameter])
    forced: bool = False


def _on_object(**parameters: Parameter) -> ActionKind:
    return ActionKind({"objectId": _OBJECT, **parameters}, forced=True)


ACTIONS: dict[str, ActionKind] = {
    "GetReachablePositions": ActionKind(),
    "Teleport": ActionKind({"position": _POINT, "rotation": _YAW, "horizon": _HORIZON}),
    "MoveAhead": ActionKind({"moveMagnitude": _METRES}),
    "RotateLeft": ActionKind({"degrees": _DEGREES}),
    "RotateRight": ActionKind({"degrees": _DEGREES}),
    "GetSpawnCoordinatesAboveReceptacle": ActionKind({"objectId": _OBJECT, "anywhere": _TRUE}),
    "PlaceObjectAtPoint": ActionKind({"objectId": _OBJECT, "position": _POINT}),
    "OpenObject": _on_object(openness=_OPENNESS),
    "CloseObject": _on_object(),
    "SliceObject": _on_object(),
    "BreakObject": _on_object(),
    "ToggleObjectOn": _on_object(),
    "ToggleObjectOff": _on_object(),
    "CleanObject": _on_object(),
    "DirtyObject": _on_object(),
    "CookObject": _on_object(),
    "FillObjectWithLiquid": _on_object(fillLiquid=_LIQUID),
    "EmptyLiquidFromObject": _on_object(),
    "UseUpObject": _on_object(),
    "AddObject": ActionKind({"objectType": _TYPE, "objectId": _OBJECT, "position": _POINT, "seed": _SEED}),
    "RemoveObject": ActionKind({"objectId": _OBJECT}),
}
"""Every action by its name. ``AddObject`` puts a new object with a given id at a point; ``seed`` chooses its shape."""


def checked(action: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of an action, with all defaults.

    Raises:
        InputError: If the action is unknown, or if a parameter is unknown, missing or wrong.
    """
    kind = ACTIONS.get(action)
    if kind is None:
        raise InputError(f"no action {action!r}", fix=f"choose one of {', '.join(ACTIONS)}")
    for name in parameters:
        if name not in kind.parameters:
            known = ", ".join(kind.parameters) or "no parameters"
            raise InputError(f"no parameter {name!r}", where=action, expected=known)
    values: dict[str, Any] = {}
    for name, parameter in kind.parameters.items():
        if name not in parameters and parameter.is_required:
            raise InputError(f"the parameter {name!r} is missing", where=action, expected=parameter.expected)
        value = parameters.get(name, parameter.default)
        if not parameter.accepts(value):
            raise InputError(f"{name} is {value!r}", where=action, expected=parameter.expected)
        values[name] = value
    return values

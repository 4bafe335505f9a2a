"""The metadata that a simulator reports after each action, in the format of AI2-THOR.

Positions are in metres in left-handed axes: x right, y up, z forward. Angles are in degrees, yaw is clockwise from z,
and a positive horizon looks down. Nothing may change the values of an event.
"""

from typing import Any, TypedDict

from chronotope.world.left_handed import Vector


class AlignedBox(TypedDict):
    """A box along the axes, with its eight corners."""

    center: Vector
    size: Vector
    cornerPoints: list[list[float]]


class OrientedBox(TypedDict):
    """The eight corners of a box that turns with its object."""

    cornerPoints: list[list[float]]


class Agent(TypedDict):
    """The pose of the agent; its camera is above ``position``."""

    position: Vector
    rotation: Vector
    cameraHorizon: float


class ObjectRecord(TypedDict):
    """An object: its place, its capabilities, and its state.

    The first of ``parentReceptacles`` carries the object directly. ``parentReceptacles`` is None if the object stands
    on the floor or hangs on a wall. ``receptacleObjectIds`` is None if the object is not a receptacle. ``openness`` is
    from 0 to 1.
    """

    objectId: str
    assetId: str
    objectType: str
    position: Vector
    rotation: Vector
    parentReceptacles: list[str] | None
    receptacleObjectIds: list[str] | None
    axisAlignedBoundingBox: AlignedBox
    objectOrientedBoundingBox: OrientedBox | None
    pickupable: bool
    moveable: bool
    receptacle: bool
    openable: bool
    sliceable: bool
    breakable: bool
    toggleable: bool
    dirtyable: bool
    cookable: bool
    canFillWithLiquid: bool
    canBeUsedUp: bool
    openness: float
    isOpen: bool
    isSliced: bool
    isBroken: bool
    isToggled: bool
    isDirty: bool
    isCooked: bool
    isFilledWithLiquid: bool
    fillLiquid: str | None
    isUsedUp: bool


class Metadata(TypedDict):
    """The state of a scene after an action, and the result of the action.

    ``objects`` are the things of the scene; walls, floors, doors and windows are not among them.
    """

    agent: Agent
    objects: list[ObjectRecord]
    lastAction: str
    lastActionSuccess: bool
    errorMessage: str
    actionReturn: Any

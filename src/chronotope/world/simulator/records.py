"""The records of the objects of a home, in the format of AI2-THOR."""

import numpy as np

from chronotope.world.kinds.house.home import Home, HomeObject
from chronotope.world.kinds.house.operations import abilities
from chronotope.world.left_handed import Vector, swapped, to_left_handed, to_vector
from chronotope.world.simulator.metadata import AlignedBox, ObjectRecord, OrientedBox

__all__ = ["as_vector", "records_of"]

# The corners of boxes in left-handed axes, in AI2-THOR's order: the last axis changes first, or round the bottom and
# then round the top.
_ALIGNED = np.array([[x, y, z] for x in (1, -1) for y in (1, -1) for z in (1, -1)]) / 2
_ORIENTED = np.array([[x, y, z] for y in (-1, 1) for x, z in ((-1, -1), (1, -1), (1, 1), (-1, 1))]) / 2
_DIGITS = 6  # micrometres; smaller digits are noise


def as_vector(point: np.ndarray) -> Vector:
    """Return a point or size (3,) m in left-handed axes."""
    return to_vector(np.round(point, _DIGITS))


def records_of(home: Home) -> list[ObjectRecord]:
    """Return the records of all objects of a home."""
    held: dict[str, list[str]] = {each.id: [] for each in home}
    carriers = {each.id: _carriers(home, each) for each in home}
    # What lies directly on a receptacle comes first.
    for distance in range(max(map(len, carriers.values()), default=0)):
        for name, chain in carriers.items():
            if distance < len(chain):
                held[chain[distance]].append(name)
    return [_record(each, carriers[each.id], held[each.id]) for each in home]


def _carriers(home: Home, thing: HomeObject) -> list[str]:
    chain: list[str] = []
    parent = thing.parent
    while parent is not None:
        chain.append(parent)
        parent = home.objects[parent].parent
    return chain


def _record(thing: HomeObject, carriers: list[str], held: list[str]) -> ObjectRecord:
    state, flags, is_receptacle = thing.state, abilities(thing), bool(thing.shelves)
    return ObjectRecord(
        objectId=thing.id,
        assetId=thing.asset_id,
        objectType=thing.name,
        position=as_vector(thing.thing_pose[:3, 3]),
        rotation=Vector(x=0.0, y=_yaw(thing), z=0.0),
        parentReceptacles=carriers or None,
        receptacleObjectIds=held if is_receptacle else None,
        axisAlignedBoundingBox=_aligned(thing),
        objectOrientedBoundingBox=_oriented(thing),
        pickupable="pickupable" in flags,
        moveable="moveable" in flags,
        receptacle=is_receptacle,
        openable="openable" in flags,
        sliceable="sliceable" in flags,
        breakable="breakable" in flags,
        toggleable="toggleable" in flags,
        dirtyable="dirtyable" in flags,
        cookable="cookable" in flags,
        canFillWithLiquid="canFillWithLiquid" in flags,
        canBeUsedUp="canBeUsedUp" in flags,
        openness=float(state.openness),
        isOpen=state.openness > 0,
        isSliced=state.sliced,
        isBroken=state.broken,
        isToggled=state.on,
        isDirty=state.dirty,
        isCooked=state.cooked,
        isFilledWithLiquid=state.liquid is not None,
        fillLiquid=state.liquid,
        isUsedUp=state.used_up,
    )


def _yaw(thing: HomeObject) -> float:
    # An object's front looks along +x of its model, as z is forward in left-handed axes.
    return round(float(to_left_handed(np.array([[0.0, 0.0, thing.yaw, 0.0]]))[0, 2]), _DIGITS)


def _aligned(thing: HomeObject) -> AlignedBox:
    pose, size = thing.thing_pose, np.array(thing.made.thing.size)
    extent = np.abs(pose[:3, :3]) @ size
    corners = swapped(pose[:3, 3]) + _ALIGNED * swapped(extent)
    return AlignedBox(
        center=as_vector(pose[:3, 3]), size=as_vector(extent), cornerPoints=np.round(corners, _DIGITS).tolist()
    )


def _oriented(thing: HomeObject) -> OrientedBox:
    pose, size = thing.thing_pose, np.array(thing.made.thing.size)
    corners = swapped(_ORIENTED) * size @ pose[:3, :3].T + pose[:3, 3]
    return OrientedBox(cornerPoints=np.round(swapped(corners), _DIGITS).tolist())

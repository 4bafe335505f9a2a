"""The things of AI2-THOR's records: their boxes in the world, their names and their facts."""

import re
from collections.abc import Callable, Collection, Iterable

import numpy as np

from chronotope.errors import InputError
from chronotope.geometry import as_pose, box_from_corners
from chronotope.world.film_set import Placement
from chronotope.world.left_handed import from_vector, swapped
from chronotope.world.simulator.metadata import ObjectRecord
from chronotope.world.simulator.states import states_of
from chronotope.world.things import HOME_KINDS, Thing


def parent_of(record: ObjectRecord) -> str | None:
    """Return the id of the receptacle that carries an object directly."""
    return record["parentReceptacles"][0] if record["parentReceptacles"] else None


def placed_box(record: ObjectRecord) -> tuple[tuple[float, float, float], np.ndarray]:
    """Return the size (m) and the pose of an object's box.

    The pose is world_T_box (4, 4). The box turns with the object if AI2-THOR reports such a box; otherwise the box is
    along the axes of the house.

    Raises:
        InputError: If the corners that AI2-THOR reports are not those of a box.
    """
    turned, aligned = record["objectOrientedBoundingBox"], record["axisAlignedBoundingBox"]
    if turned is None:
        length, width, height = from_vector(aligned["size"]).tolist()
        return (length, width, height), as_pose(np.eye(3), from_vector(aligned["center"]))
    yaw = np.radians(record["rotation"]["y"])
    corners = swapped(np.array(turned["cornerPoints"], float))
    try:
        (length, width, height), pose = box_from_corners(corners, np.array([np.cos(yaw), -np.sin(yaw), 0.0]))
    except ValueError as error:
        raise InputError(
            f"AI2-THOR tells no box of {record['objectId']}, but other corners", fix="report it"
        ) from error
    return (length, width, height), pose


def is_piece(name: str, whole: Collection[str]) -> str | None:
    """Return the id of the thing whose piece an object is.

    Pieces are slices and cracked parts. Returns None if the object ``name`` is not a piece of one of the things
    ``whole``.
    """
    head, _, tail = name.rpartition("|")
    return head if head in whole and re.search("Sliced|Cracked", tail) else None


def placements_of(
    records: Iterable[ObjectRecord], room_of: Callable[[np.ndarray], str | None]
) -> tuple[Placement, ...]:
    """Return the things of a scene for a film.

    Pieces of other things are left out. ``room_of`` names the room of a point (2,) m.
    """
    known = {each["objectId"]: each for each in records}
    return tuple(_placement(each, room_of) for name, each in known.items() if is_piece(name, known) is None)


def _placement(record: ObjectRecord, room_of: Callable[[np.ndarray], str | None]) -> Placement:
    kind, (size, pose) = record["objectType"], placed_box(record)
    room = room_of(pose[:2, 3])
    states = {key: str(value) for key, value in states_of(record).items()}
    return Placement(
        id=record["objectId"],
        thing=_thing(kind, size),
        pose=pose,
        parent=parent_of(record),
        role="thing" if record["pickupable"] else "furniture",
        attributes={
            "box": "unclear",  # a box of colliders, which need not be the smallest one
            **({} if room is None else {"room": room}),
            **({"function": HOME_KINDS[kind].use.purpose} if kind in HOME_KINDS else {}),
            **states,
        },
    )


def _thing(kind: str, size: tuple[float, float, float]) -> Thing:
    """Return a thing with the usual name of its type.

    Only AI2-THOR knows its shape.
    """
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", kind).lower()
    noun = HOME_KINDS[kind].noun if kind in HOME_KINDS else words
    return Thing(
        category=noun,
        colour=None,
        material="",
        pieces=(),
        size=size,
        symmetry="none",
        front=None,
        mass=0.0,
        solids=(),
        support=None,
    )

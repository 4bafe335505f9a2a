"""Homes in two states without pictures: what the camera sees is computed from the boxes of the objects."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from chronotope.recording import Entity, Recording, Room, Scene
from chronotope.world import world_kinds
from chronotope.world.kinds.house.house import lay_house
from chronotope.world.shot import Shot

FAST = world_kinds()["house"].qualities["fast"]
CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


@cache
def laid_home(seed: int, rooms: int | None = None, number: int | None = None, unlettered: bool = False) -> Scene:
    """Lay out a home and look at it from its walk."""
    shots = lay_house(np.random.default_rng([seed, 5]), FAST, rooms, number=number, unlettered=unlettered)
    name = f"home-{seed}-{rooms}"
    changes = [type(one)(**{**vars(one), "scene": name}) for one in shots.changes]
    return Scene(name, tuple(_recording(name, shot) for shot in shots.states), tuple(changes))


def leaving_out(scene: Scene, state: int, room: str) -> Scene:
    """The scene in which a state's walk has no frame in a room."""
    one = scene.recordings[state]
    kept = np.array([each != room for each in _rooms_of_camera(one.world_T_camera, one.rooms)])
    entities = tuple(replace(each, visible_pixels=each.visible_pixels[kept]) for each in one.entities)
    shorter = replace(
        one,
        times=one.times[: kept.sum()],
        world_T_camera=one.world_T_camera[kept],
        valid=one.valid[kept],
        entities=entities,
    )
    recordings = [shorter if number == state else each for number, each in enumerate(scene.recordings)]
    return Scene(scene.id, tuple(recordings), scene.changes)


def _recording(name: str, shot: Shot) -> Recording:
    return Recording(
        id=f"{name}-{shot.state}",
        kind=shot.kind,
        source="test",
        times=shot.times,
        world_T_camera=shot.camera,
        valid=np.ones(len(shot.times), bool),
        gravity=np.array([0.0, 0.0, -1.0]),
        intrinsics=shot.intrinsics,
        scene=name,
        state=shot.state,
        entities=_entities(shot),
        rooms=shot.rooms,
    )


def _entities(shot: Shot) -> tuple[Entity, ...]:
    """An object is seen from within its room, as large as its projected box."""
    inside = _rooms_of_camera(shot.camera, shot.rooms)
    found = []
    for one in shot.film_set.placements:
        thing = one.thing
        room = one.attributes["room"]
        pixels = _projected(shot, one.poses[0], np.array(thing.size)) * [room == each for each in inside]
        found.append(
            Entity(
                id=one.id,
                label=thing.label,
                category=thing.category,
                size=tuple(round(float(each), 6) for each in thing.size),
                poses=one.poses,
                attributes=({} if thing.colour is None else {"colour": thing.colour})
                | {"box": thing.box, "role": one.role}
                | one.attributes,
                parent=one.parent,
                visible_pixels=pixels.astype(int),
            )
        )
    return tuple(found)


def _rooms_of_camera(camera: np.ndarray, rooms: Sequence[Room]) -> list[str | None]:
    found = []
    for x, y in camera[:, :2, 3]:
        reach = [(np.abs(room.floor - (x, y)).sum(1).min(), room) for room in rooms]
        within = [room for _, room in reach if room.floor[:, 0].min() <= x <= room.floor[:, 0].max()]
        within = [room for room in within if room.floor[:, 1].min() <= y <= room.floor[:, 1].max()]
        found.append(within[0].id if within else None)
    return found


def _projected(shot: Shot, pose: np.ndarray, size: np.ndarray) -> np.ndarray:
    corners = np.c_[CORNERS * size, np.ones(8)] @ pose.T
    seen = np.einsum("tab,cb->tca", np.linalg.inv(shot.camera), corners)[..., :3]
    ahead = (seen[..., 2] > 0.1).all(axis=1)
    depth = np.maximum(seen[..., 2], 0.1)
    places = np.stack([seen[..., 0] / depth, seen[..., 1] / depth], -1) * shot.intrinsics[0, 0]
    places = places + shot.intrinsics[:2, 2]
    places = np.clip(places, 0, 2 * shot.intrinsics[:2, 2])
    spans = places.max(axis=1) - places.min(axis=1)
    return ahead * spans.prod(axis=1)

"""Altered recordings: the same clip mirrored, reversed, at half speed, or in a world of double size.

The functions change the ground truth only. Whoever changes the pictures, too, gets a clip and a recording that belong
together again.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from chronotope.recording.types import Body, Entity, Event, Recording

Alteration = Literal["mirrored", "reversed", "half_speed", "double_size"]
ALTERATIONS: tuple[Alteration, ...] = get_args(Alteration)

SIZE, TIME = 2.0, 2.0
"""The factors of lengths (``double_size``) and of times (``half_speed``)."""

_TICK, _ON_TIME = 0.1, 1e-6  # s
_WORLD = np.diag([1.0, -1.0, 1.0, 1.0])  # the world is mirrored along y, so a z axis that points up stays
_CAMERA = np.diag([-1.0, 1.0, 1.0, 1.0])  # the picture is mirrored along x
_OWN = np.diag([1.0, -1.0, 1.0, 1.0])  # things and vehicles keep their front (x) and their up axis (z)


def altered(recording: Recording, alteration: Alteration) -> Recording:
    """Return the recording of the altered clip, without its clip and its maps.

    - ``mirrored``: the world is mirrored, as seen in a picture whose left and right are exchanged. All axes stay
      right-handed, so the y axes of the camera's vehicle and of things point to the other side.
    - ``reversed``: the last sample is the first.
    - ``half_speed``: all times are doubled.
    - ``double_size``: all lengths are doubled, so all pictures stay the same.

    Surfaces of articulated things (``Entity.body``) are left out of mirrored recordings, because a mirrored left arm
    is a right arm.
    """
    name = twin_name(recording.id, alteration)
    scene = None if recording.scene is None else twin_name(recording.scene, alteration)
    provenance = recording.provenance | {"altered": alteration, "original": recording.id}
    width = None if recording.clip is None else recording.clip.width
    bare = replace(
        recording, id=name, scene=scene, provenance=provenance, clip=None, depth=None, identities=None, depth_scale=None
    )
    match alteration:
        case "mirrored":
            return _mirrored(bare, width)
        case "reversed":
            return _reversed(bare)
        case "half_speed":
            return _slowed(bare)
        case "double_size":
            return _enlarged(bare)


def twin_name(name: str, alteration: Alteration) -> str:
    """Return the id of the altered twin of a recording or a question."""
    return f"{name}-{alteration.replace('_', '-')}"


def sample_order(recording: Recording, alteration: Alteration) -> Sequence[int]:
    """Return the samples of the original, in the order of the twin.

    A reversed clip begins at the last sample whose time has one decimal, if there is one in the last tenth of a second.
    Then all printed times keep one decimal.
    """
    if alteration != "reversed":
        return range(len(recording.times))
    times = recording.times
    printed = np.flatnonzero((np.abs(times - times.round(1)) < _ON_TIME) & (times > times[-1] - _TICK))
    return range(int(printed[-1]) if len(printed) else len(times) - 1, -1, -1)


def _mirrored(recording: Recording, width: int | None) -> Recording:
    intrinsics = None if recording.intrinsics is None else recording.intrinsics.copy()
    if intrinsics is not None and width is not None:
        intrinsics[..., 0, 2] = width - 1 - intrinsics[..., 0, 2]
        intrinsics[..., 0, 1] *= -1  # skew
    mount = recording.camera_mount
    vehicle = recording.vehicle_pose
    return replace(
        recording,
        world_T_camera=_WORLD @ recording.world_T_camera @ _CAMERA,
        gravity=None if recording.gravity is None else _WORLD[:3, :3] @ recording.gravity,
        intrinsics=intrinsics,
        distortion=_mirrored_distortion(recording.distortion),
        vehicle_pose=None if vehicle is None else _WORLD @ vehicle @ _OWN,
        camera_mount=None if mount is None else _OWN @ mount @ _CAMERA,
        velocity=None if recording.velocity is None else recording.velocity @ _WORLD[:3, :3],
        entities=tuple(_mirrored_entity(entity, width) for entity in recording.entities),
        rooms=tuple(replace(room, floor=(room.floor * [1.0, -1.0])[::-1]) for room in recording.rooms),
    )


def _mirrored_distortion(distortion: np.ndarray | None) -> np.ndarray | None:
    """Change the sign of OpenCV's second tangential coefficient, which acts along x."""
    if distortion is None or len(distortion) < 4:
        return distortion
    found = distortion.copy()
    found[3] *= -1
    return found


def _mirrored_entity(entity: Entity, width: int | None) -> Entity:
    box = None
    if entity.box2d is not None and width is not None:
        box = entity.box2d.copy()
        box[:, [0, 2]] = width - entity.box2d[:, [2, 0]]
    return replace(
        entity,
        poses=_WORLD @ entity.poses @ _OWN,
        points=None if entity.points is None else entity.points * np.array([1, -1, 1], entity.points.dtype),
        label_speed=None if entity.label_speed is None else entity.label_speed @ _WORLD[:3, :3],
        box2d=box,
        body=None,
    )


def _reversed(recording: Recording) -> Recording:
    order = np.array(sample_order(recording, "reversed"))
    end = float(recording.times[order[0]])

    def turned(values: np.ndarray | None) -> np.ndarray | None:
        return None if values is None else values[order]

    def backwards(velocity: np.ndarray | None) -> np.ndarray | None:
        return None if velocity is None else -velocity[order]

    def of_thing(entity: Entity) -> Entity:
        return replace(
            entity,
            poses=entity.poses if len(entity.poses) == 1 else entity.poses[order],
            visible=turned(entity.visible),
            visible_pixels=turned(entity.visible_pixels),
            visible_fraction=turned(entity.visible_fraction),
            box2d=turned(entity.box2d),
            label_speed=backwards(entity.label_speed),
            body=None if entity.body is None else replace(entity.body, poses=entity.body.poses[order]),
            changes=(),  # of a thing that changes its state, no twin is made
        )

    def of_event(event: Event) -> Event:
        return replace(event, start=max(0.0, end - event.end), end=max(0.0, end - event.start))

    intrinsics = recording.intrinsics
    per_frame = intrinsics is not None and intrinsics.ndim == 3
    return replace(
        recording,
        times=end - recording.times[order],
        world_T_camera=recording.world_T_camera[order],
        valid=recording.valid[order],
        intrinsics=turned(intrinsics) if per_frame else intrinsics,
        vehicle_pose=turned(recording.vehicle_pose),
        velocity=backwards(recording.velocity),
        entities=tuple(of_thing(entity) for entity in recording.entities),
        events=tuple(sorted((of_event(event) for event in recording.events), key=lambda event: event.start)),
    )


def _slowed(recording: Recording) -> Recording:
    def of_thing(entity: Entity) -> Entity:
        return replace(entity, label_speed=None if entity.label_speed is None else entity.label_speed / TIME)

    def of_event(event: Event) -> Event:
        return replace(event, start=event.start * TIME, end=event.end * TIME)

    return replace(
        recording,
        times=recording.times * TIME,
        velocity=None if recording.velocity is None else recording.velocity / TIME,
        entities=tuple(of_thing(entity) for entity in recording.entities),
        events=tuple(of_event(event) for event in recording.events),
    )


def _enlarged(recording: Recording) -> Recording:
    def of_pose(poses: np.ndarray | None) -> np.ndarray | None:
        if poses is None:
            return None
        found = poses.copy()
        found[..., :3, 3] *= SIZE
        return found

    def of_body(body: Body | None) -> Body | None:
        if body is None:
            return None
        rest, poses = of_pose(body.rest), of_pose(body.poses)
        assert rest is not None and poses is not None
        return replace(body, vertices=body.vertices * SIZE, rest=rest, poses=poses)

    def of_thing(entity: Entity) -> Entity:
        poses = of_pose(entity.poses)
        assert poses is not None
        length, width, height = entity.size
        return replace(
            entity,
            poses=poses,
            size=(length * SIZE, width * SIZE, height * SIZE),
            points=None if entity.points is None else entity.points * entity.points.dtype.type(SIZE),
            label_speed=None if entity.label_speed is None else entity.label_speed * SIZE,
            size_range=None,  # of things in the usual size
            body=of_body(entity.body),
        )

    camera = of_pose(recording.world_T_camera)
    assert camera is not None
    return replace(
        recording,
        world_T_camera=camera,
        vehicle_pose=of_pose(recording.vehicle_pose),
        camera_mount=of_pose(recording.camera_mount),
        velocity=None if recording.velocity is None else recording.velocity * SIZE,
        entities=tuple(of_thing(entity) for entity in recording.entities),
        rooms=tuple(replace(room, floor=room.floor * SIZE) for room in recording.rooms),
    )

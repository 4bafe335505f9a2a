"""Made-up streets: a car with a camera on one of five mounts, among vehicles, people, riders and signs.

Shares no code with the writer. What is seen of a thing follows from the rectangles that boxes fill in the picture: at
least half of one inside, 12 px on its short side, at most 60 % behind a nearer one (specification, section 5).
"""

from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation

from chronotope.recording import Clip, Entity, Kind, Recording

WIDTH, HEIGHT, FPS, FRAMES = 640, 360, 10, 200
MOUNTS = {"Front": 0.0, "Front-Left": 45.0, "Front-Right": -45.0, "Left": 90.0, "Right": -90.0}
MANNERS = ("straight", "left", "right", "ess", "stop", "reverse", "two-turns")
COLOURS = ("white", "black", "red", "blue", "grey", "green", "yellow", "brown")
SIZES = {
    "vehicle": ((3.8, 5.6), (1.7, 2.1), (1.4, 2.2)),
    "pedestrian": ((0.5, 0.9), (0.5, 0.8), (1.5, 1.95)),
    "cyclist": ((1.6, 1.9), (0.6, 0.8), (1.6, 1.9)),
    "sign": ((0.1, 0.3), (0.5, 1.0), (0.6, 1.1)),
}
SIGNS = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) / 2
OPENCV_IN_FLU = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])


def poses_of(x, y, z, yaw, pitch=0.0):
    """Poses (T, 4, 4): x ahead, y left, z up."""
    pitch = np.zeros_like(yaw) + pitch
    poses = np.tile(np.eye(4), (len(yaw), 1, 1))
    poses[:, :3, :3] = Rotation.from_euler("ZY", np.stack([yaw, pitch], 1)).as_matrix()
    poses[:, :3, 3] = np.stack([x, y, np.zeros_like(x) + z], 1)
    return poses


def eased(t, start, end):
    """From 0 to 1 between two times, smoothly."""
    x = np.clip((t - start) / (end - start), 0, 1)
    return x * x * (3 - 2 * x)


def drive(rng, manner, t):
    """Speed (T,) m/s and yaw (T,) rad of a car, without its first direction."""
    cruise = rng.uniform(4, 12)
    speed, yaw = cruise * (1 + 0.15 * np.sin(0.4 * t + rng.uniform(0, 6))), np.zeros_like(t)

    def turn(angle, when, lasting):
        return np.radians(angle) * eased(t, when, when + lasting)

    if manner in ("left", "right"):
        yaw += turn((1 if manner == "left" else -1) * rng.uniform(30, 95), rng.uniform(3, 10), rng.uniform(4, 7))
    elif manner == "ess":
        side = rng.choice([-1, 1])
        yaw += turn(side * rng.uniform(20, 60), 4, 4) - turn(side * rng.uniform(20, 60), 12, 4)
    elif manner == "two-turns":
        side = rng.choice([-1, 1])
        yaw += turn(side * rng.uniform(40, 80), 2, 4) + turn(side * rng.uniform(25, 60), 11, 4)
    elif manner == "stop":
        speed *= 1 - eased(t, 5, 8) + eased(t, rng.uniform(11.5, 13), 17)
    elif manner == "reverse":
        speed = -rng.uniform(1.5, 3) * (1 - eased(t, 7, 9)) + cruise * eased(t, 10, 14)
    else:
        yaw += 0.01 * np.sin(0.3 * t)
    return speed, yaw


def integrate(speed, yaw):
    """Places (T, 2) m of what moves along its yaw at a speed."""
    step = np.stack([speed * np.cos(yaw), speed * np.sin(yaw)], 1) / FPS
    return np.concatenate([[[0.0, 0.0]], np.cumsum((step[1:] + step[:-1]) / 2, axis=0)])


def mounted(rng, name):
    """Vehicle_T_camera of one of the five mounts, a little off."""
    turn = Rotation.from_euler("ZYX", [MOUNTS[name], *rng.uniform(-1, 2, 2)], degrees=True).as_matrix()
    mount = np.eye(4)
    mount[:3, :3] = turn @ OPENCV_IN_FLU
    mount[:3, 3] = turn[:, 0] * 0.4 + [1.2, 0.0, 2.1]
    return mount


def street(seed, *, manner=None, mount=None, things=None, colours=None, seconds=20):
    """A recording of a street; everything follows from the seed."""
    rng = np.random.default_rng([seed, 41])
    t = np.arange(int(seconds * FPS)) / FPS
    manner = MANNERS[seed % len(MANNERS)] if manner is None else manner
    mount = list(MOUNTS)[seed % 5] if mount is None else mount
    speed, yaw = drive(rng, manner, t)
    yaw = yaw + rng.uniform(-np.pi, np.pi)
    places = integrate(speed, yaw) + rng.uniform(-500, 500, 2)
    ego = poses_of(*places.T, 0.002 * np.sin(t), yaw, 0.01 * np.sin(0.5 * t))
    fixed = mounted(rng, mount)
    recording = Recording(
        id=f"made-street-{seed}",
        kind=Kind.OUTDOOR,
        source="made-up",
        times=t,
        world_T_camera=ego @ fixed,
        valid=np.ones(len(t), bool),
        clip=Clip(None, "", float(FPS), WIDTH, HEIGHT),
        gravity=np.array([0.0, 0.0, -1.0]),
        intrinsics=np.array([[345.0, 0, 319.5], [0, 340.0, 179.5], [0, 0, 1]]),
        vehicle_pose=ego,
        camera_mount=fixed,
    )
    colours = bool(seed % 2) if colours is None else colours
    count = int(rng.integers(20, 41)) if things is None else things
    return seen(replace(recording, entities=tuple(one(rng, recording, k, colours) for k in range(count))), seed)


def one(rng, recording, number, colours):
    """One thing, placed where the camera looks at some time."""
    t, ego, look = recording.times, recording.vehicle_pose, recording.world_T_camera
    role = str(rng.choice(["parked", "along", "oncoming", "crossing", "pedestrian", "cyclist", "sign"],
                          p=[0.2, 0.25, 0.15, 0.12, 0.12, 0.08, 0.08]))  # fmt: skip
    category = role if role in SIZES else "vehicle"
    size = tuple(float(rng.uniform(*limits)) for limits in SIZES[category])
    when = int(rng.integers(len(t)))
    ahead, left = look[when, :2, 2], -look[when, :2, 0]
    spot = look[when, :2, 3] + ahead * rng.uniform(7, 32) + left * rng.uniform(-9, 9)
    road = np.arctan2(ego[when, 1, 0], ego[when, 0, 0])
    facing = {"oncoming": np.pi, "crossing": rng.choice([-1, 1]) * np.pi / 2}.get(role, 0.0)
    facing += rng.uniform(-np.pi, np.pi) if role == "pedestrian" else rng.normal() * 0.05
    speed = {"parked": 0.0, "sign": 0.0, "pedestrian": rng.uniform(0.8, 1.7), "cyclist": rng.uniform(2, 6)}.get(
        role, rng.uniform(2, 11)
    )
    if role in ("along", "crossing", "oncoming", "cyclist"):
        shares, course = drive(rng, str(rng.choice(MANNERS[:6], p=[0.3, 0.2, 0.2, 0.1, 0.15, 0.05])), t)
        course = course - course[when]
        speeds = speed * shares / np.abs(shares).max()
    else:
        speeds, course = np.full(len(t), speed), (0.2 * np.sin(0.3 * t) if speed else np.zeros(len(t)))
    heading = road + facing + course
    where = integrate(speeds, heading)
    where = where - where[when] + spot
    high = size[2] / 2 + (2.2 if role == "sign" else 0.0)
    poses = poses_of(*where.T, high, heading)
    attributes = {"colour": str(rng.choice(COLOURS))} if colours and category != "sign" else {}
    velocity = np.stack([speeds * np.cos(heading), speeds * np.sin(heading), 0 * heading], 1)
    if speed == 0 and rng.random() < 0.5:
        poses = poses[:1]
    else:
        poses[:, :3, 3] += rng.normal(size=(len(t), 3)) * 0.01
        poses = with_gaps(rng, poses)
    return Entity(
        id=f"{category}-{number:02d}",
        label=category,
        category=category,
        size=size,
        poses=poses,
        attributes=attributes,
        label_speed=velocity if rng.random() < 0.4 else None,
    )


def with_gaps(rng, poses):
    """Unknown at the ends, sometimes, and now and then for up to a second in between."""
    poses = poses.copy()
    if rng.random() < 0.5:
        poses[: int(rng.integers(1, 60))] = np.nan
    if rng.random() < 0.5:
        poses[-int(rng.integers(1, 60)) :] = np.nan
    if rng.random() < 0.4:
        first = int(rng.integers(20, len(poses) - 30))
        poses[first : first + int(rng.integers(1, 10))] = np.nan
    return poses


def rectangles(recording):
    """Rectangles (N, T, 4) px that boxes fill, NaN where they are not before the camera, and their depths (N, T)."""
    look, found, depths = np.linalg.inv(recording.world_T_camera), [], []
    for entity in recording.entities:
        corners = np.c_[SIGNS * entity.size, np.ones(8)]
        inside = np.einsum("tij,tjk,ck->tci", look, np.broadcast_to(entity.poses, look.shape), corners)[..., :3]
        depth = inside[..., 2].min(1)
        with np.errstate(divide="ignore", invalid="ignore"):
            pixels = np.einsum("ij,tcj->tci", recording.intrinsics, inside / inside[..., 2:])[..., :2]
        boxes = np.concatenate([pixels.min(1), pixels.max(1)], 1)
        boxes[~(depth > 0.5)] = np.nan
        found.append(boxes)
        depths.append(depth)
    return np.array(found), np.array(depths)


def overlap(a, b):
    """Area of what rectangles (..., 4) share."""
    sides = np.minimum(a[..., 2:], b[..., 2:]) - np.maximum(a[..., :2], b[..., :2])
    return np.nan_to_num(np.prod(np.clip(sides, 0, None), axis=-1))


def seen(recording, seed):
    """The recording with what its camera sees of each thing; every second one knows flags alone."""
    if not recording.entities:
        return recording
    boxes, depths = rectangles(recording)
    sides = boxes[..., 2:] - boxes[..., :2]
    area = np.nan_to_num(np.prod(sides, -1), nan=1.0)
    within = overlap(boxes, np.array([0.0, 0.0, WIDTH, HEIGHT])) / area
    covered = overlap(boxes[:, None], boxes[None]) / area[:, None]
    covered = np.where(depths[None] < depths[:, None], covered, 0).max(1)  # NaN depths cover nothing
    with np.errstate(invalid="ignore"):
        visible = (within >= 0.5) & (sides.min(-1) >= 12) & (covered <= 0.6)
    fraction = np.clip(within * (1 - covered), 0, 1)
    entities = []
    for n, entity in enumerate(recording.entities):
        pixels = (area[n] * fraction[n]).astype(int)
        more = {} if seed % 4 < 2 else {"visible_pixels": pixels, "visible_fraction": fraction[n]}
        entities.append(replace(entity, visible=visible[n], **more))
    return replace(recording, entities=tuple(entities))

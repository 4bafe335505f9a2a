"""Made-up rooms: furniture along the walls and on the floor, seen by a camera that somebody carries round.

Shares no code with the writer. What is seen of a box is found by testing points of its surface against all the others.
"""

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation
from sti_tables import NORMALS, blocked

from chronotope.recording import Clip, Entity, Kind, Recording

WIDTH, HEIGHT, FPS = 480, 360, 10
# length, width, height in m (least, most); the height of what it stands on
KINDS = {
    "chair": ((0.45, 0.6), (0.4, 0.55), (0.8, 1.1)),
    "table": ((1.0, 1.8), (0.6, 0.95), (0.7, 0.78)),
    "desk": ((1.1, 1.6), (0.55, 0.8), (0.7, 0.8)),
    "bed": ((1.9, 2.1), (0.9, 1.6), (0.4, 0.7)),
    "sofa": ((1.4, 2.2), (0.8, 1.0), (0.7, 0.95)),
    "cabinet": ((0.5, 1.2), (0.35, 0.6), (0.8, 1.8)),
    "bookshelf": ((0.6, 1.2), (0.25, 0.4), (1.2, 2.0)),
    "refrigerator": ((0.6, 0.8), (0.55, 0.7), (1.4, 1.9)),
    "dresser": ((0.8, 1.3), (0.4, 0.55), (0.7, 1.1)),
    "nightstand": ((0.35, 0.55), (0.3, 0.45), (0.45, 0.65)),
    "trash can": ((0.25, 0.4), (0.2, 0.35), (0.3, 0.6)),
    "suitcase": ((0.5, 0.8), (0.25, 0.35), (0.4, 0.6)),
    "piano": ((1.3, 1.55), (0.55, 0.7), (1.0, 1.25)),
    "printer": ((0.4, 0.55), (0.35, 0.45), (0.3, 0.45)),
    "lamp": ((0.25, 0.4), (0.25, 0.4), (1.2, 1.7)),
    "pillow": ((0.4, 0.65), (0.3, 0.5), (0.1, 0.2)),
}
COLOURS = ("white", "black", "red", "blue", "grey", "green", "yellow", "brown")


def lay(rng, count, room):
    """(kind, size, pose) of things on the floor that do not overlap."""
    found = []
    for _ in range(60 * count):
        if len(found) == count:
            break
        kind = str(rng.choice(list(KINDS)))
        size = np.array([rng.uniform(*limits) for limits in KINDS[kind]])
        radius = np.hypot(*size[:2]) / 2
        place = rng.uniform(-1, 1, 2) * (room / 2 - radius)
        if np.linalg.norm(place) < 0.7 + radius:  # the middle is for whoever carries the camera
            continue
        if any(np.linalg.norm(place - pose[:2, 3]) < radius + np.hypot(*other[:2]) / 2 for _, other, pose in found):
            continue
        pose = np.eye(4)
        yaw = rng.integers(4) * np.pi / 2 + rng.normal() * 0.15
        pose[:3, :3] = Rotation.from_euler("z", yaw).as_matrix()
        pose[:3, 3] = *place, size[2] / 2 + (0.6 if kind in ("pillow", "printer") else 0.0)
        found.append((kind, size, pose))
    return found


def carried(rng, t):
    """Poses (T, 4, 4) of a camera in somebody's hand, who walks about the middle and looks round."""

    def wave(strength, knots):
        return CubicSpline(np.linspace(0, t[-1], knots), strength * rng.normal(size=knots))(t)

    yaw = rng.uniform(-np.pi, np.pi) + rng.choice([-1, 1]) * rng.uniform(0.1, 0.3) * t + wave(0.25, 8)
    down = 0.3 + wave(0.08, 8)
    places = np.stack([wave(0.45, 7), wave(0.45, 7), 1.5 + wave(0.06, 9)], 1)
    turn = Rotation.from_euler("ZYX", np.stack([yaw, down, wave(0.03, 9)], 1)).as_matrix()
    poses = np.tile(np.eye(4), (len(t), 1, 1))
    poses[:, :3, :3] = turn @ np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
    poses[:, :3, 3] = places
    return poses


def sights(poses, intrinsics, boxes, rng):
    """Share of each box's facing surface that is seen, and its pixels: two arrays (T, N)."""
    grid = rng.uniform(-0.5, 0.5, (6, 9, 3))
    points, normals, areas = [], [], []
    for pose, size in boxes:
        local = (np.where(NORMALS[:, None] != 0, NORMALS[:, None] / 2, grid) * size).reshape(-1, 3)
        points.append(local @ pose[:3, :3].T + pose[:3, 3])
        normals.append(np.repeat(NORMALS @ pose[:3, :3].T, 9, axis=0))
        areas.append(np.repeat(np.abs(NORMALS) @ (np.prod(size) / size), 9) / 9)
    points, normals, areas = (np.concatenate(rows) for rows in (points, normals, areas))
    fractions, pixels = np.zeros((2, len(poses), len(boxes)))
    for k in range(0, len(poses), 2):  # every second frame, and the next one alike
        eye = poses[k, :3, 3]
        inside = (points - eye) @ poses[k, :3, :3]
        facing = ((eye - points) * normals).sum(1)
        flat = inside @ intrinsics.T
        with np.errstate(divide="ignore", invalid="ignore"):
            u, v = flat[:, 0] / flat[:, 2], flat[:, 1] / flat[:, 2]
        shown = (facing > 0) & (flat[:, 2] > 0) & (u >= 0) & (u <= WIDTH - 1) & (v >= 0) & (v <= HEIGHT - 1)
        shown[shown] = ~blocked(eye, points[shown], boxes)
        # What a piece of surface covers of the picture falls with the square of its distance, and as it is turned away.
        away = np.linalg.norm(points - eye, axis=1)
        solid = intrinsics[0, 0] ** 2 * areas * facing / away**3
        whole = np.where(facing > 0, areas, 0).reshape(len(boxes), -1).sum(1)
        fractions[k : k + 2] = np.where(shown, areas, 0).reshape(len(boxes), -1).sum(1) / whole
        pixels[k : k + 2] = np.where(shown, solid, 0).reshape(len(boxes), -1).sum(1)
    return fractions, pixels


def room(seed, *, things=None, points=None, seconds=20):
    """A recording of a room; everything follows from the seed."""
    rng = np.random.default_rng([seed, 43])
    t = np.arange(int(seconds * FPS)) / FPS
    poses = carried(rng, t)
    laid = lay(rng, int(rng.integers(10, 26)) if things is None else things, rng.uniform(5, 8, 2))
    intrinsics = np.array([[380.0, 0, (WIDTH - 1) / 2], [0, 380.0, (HEIGHT - 1) / 2], [0, 0, 1.0]])
    fractions, pixels = sights(poses, intrinsics, [(pose, size) for _, size, pose in laid], rng)
    scanned = bool(seed % 2) if points is None else points
    entities = []
    for n, (kind, size, pose) in enumerate(laid):
        fraction = np.clip(fractions[:, n], 0, 1)
        cloud = rng.uniform(-0.5, 0.5, (600, 3))
        cloud[np.arange(600), rng.integers(3, size=600)] = rng.choice([-0.5, 0.5], 600)
        entities.append(
            Entity(
                id=f"{kind.replace(' ', '-')}-{n:02d}",
                label=kind,
                category=kind,
                size=tuple(map(float, size)),
                poses=pose[None],
                attributes={"colour": str(rng.choice(COLOURS))} if rng.random() < 0.7 else {},
                visible=(fraction >= 0.5) & (pixels[:, n] >= 0.001 * WIDTH * HEIGHT),
                visible_pixels=pixels[:, n].astype(int),
                visible_fraction=fraction,
                points=cloud * size if scanned and rng.random() < 0.8 else None,
            )
        )
    return Recording(
        id=f"made-room-{seed}",
        kind=Kind.INDOOR,
        source="made-up",
        times=t,
        world_T_camera=poses,
        valid=np.ones(len(t), bool),
        clip=Clip(None, "", float(FPS), WIDTH, HEIGHT),
        gravity=np.array([0.0, 0.0, -1.0]),
        intrinsics=intrinsics,
        entities=tuple(entities),
    )

"""Made-up tables: boxes of real sizes that stand on a table, on and under a shelf and on each other, seen by a camera.

Shares no code with the writer. What is seen of a box is found by testing points of its surface against all the others.
"""

import numpy as np
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from chronotope.recording import Clip, Entity, Kind, Recording

WIDTH, HEIGHT, FPS = 480, 360, 10
# length, width, height in cm (least, most), symmetry, front
KINDS = {
    "mug": ((9, 14), (7, 10), (8, 12), "none", "its handle"),
    "teapot": ((18, 26), (11, 15), (12, 18), "none", "its spout"),
    "toy car": ((10, 22), (5, 9), (4, 8), "none", "its bonnet"),
    "laptop": ((28, 36), (20, 25), (18, 24), "none", "its screen"),
    "pan": ((28, 42), (16, 24), (4, 7), "none", "its handle"),
    "duck": ((8, 13), (6, 9), (7, 11), "none", "its beak"),
    "bowl": ((12, 24), None, (5, 10), "any", None),
    "plate": ((16, 28), None, (2, 3.5), "any", None),
    "bottle": ((6, 9), None, (18, 32), "any", None),
    "ball": ((5, 20), None, None, "any", None),
    "candle": ((4, 8), None, (6, 20), "any", None),
    "book": ((18, 30), (12, 22), (2, 5), "half", None),
    "box": ((10, 35), (8, 25), (4, 25), "half", None),
    "cube": ((4, 9), None, None, "quarter", None),
}
COLOURS = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "white", "black")
FLAT = ("book", "box")
NORMALS = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], float)


def draw_size(rng, kind, scale=1.0):
    length, width, height, symmetry, front = KINDS[kind]
    first = rng.uniform(*length)
    second = first if width is None else min(rng.uniform(*width), first)
    third = first if height is None else rng.uniform(*height)
    return np.array([first, second, third]) / 100 * scale, symmetry, front


def pose_at(x, y, z, yaw):
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = Rotation.from_euler("z", yaw).as_matrix(), [x, y, z]
    return pose


class Layout:
    """Boxes as they are put down, one after the other, without overlaps on any level."""

    def __init__(self, rng, most):
        self.rng, self.most, self.rows, self.shelf = rng, most, [], None

    def free(self, x, y, radius, level):
        return all(
            np.hypot(x - r["x"], y - r["y"]) > 0.9 * (radius + r["radius"]) for r in self.rows if r["level"] == level
        )

    def put(self, kind, colour, level, base, spread, parent, scale=1.0, centre=(0.0, 0.0), ceiling=np.inf):
        size, symmetry, front = draw_size(self.rng, kind, scale)
        radius = np.hypot(*size[:2]) / 2
        if size[2] > ceiling or len(self.rows) >= self.most:
            return None
        for _ in range(40):
            x, y = self.rng.uniform(-1, 1, 2) * spread + centre
            if self.free(x, y, radius, level):
                break
        else:
            return None
        label = f"{colour} {kind}"
        count = sum(row["label"] == label for row in self.rows)
        self.rows.append(
            {
                "id": label.replace(" ", "-") + (f"-{count + 1}" if count else ""), "label": label, "kind": kind,
                "colour": colour, "size": size, "symmetry": symmetry, "front": front, "x": x, "y": y,
                "radius": radius, "level": level, "parent": parent,
                "pose": pose_at(x, y, base + size[2] / 2, self.rng.uniform(-np.pi, np.pi)),
            }
        )  # fmt: skip
        return self.rows[-1]


def lay(rng, most=11):
    """Rows of things on a table whose top is z = 0: a shelf, a stack, two of one kind, and more."""
    layout = Layout(rng, most)
    kinds = list(KINDS)

    def draw():
        return str(rng.choice(kinds)), str(rng.choice(COLOURS))

    yaw, high = rng.uniform(-0.3, 0.3), rng.uniform(0.22, 0.28)
    place = np.array([rng.uniform(-0.15, 0.15), rng.uniform(0.0, 0.15)])
    layout.shelf = {"pose": pose_at(*place, high / 2, yaw), "size": np.array([0.55, 0.24, high]), "place": place}
    for level, base, ceiling in (("above", high, 0.2), ("table", 0.0, high - 0.05)):
        for _ in range(3):
            parent = "shelf" if level == "above" else "table"
            layout.put(*draw(), level, base, (0.18, 0.05), parent, centre=place, ceiling=ceiling)
    below = layout.put(str(rng.choice(FLAT)), str(rng.choice(COLOURS)), "table", 0.0, (0.42, 0.3), "table")
    if below is not None:
        on = (below["x"], below["y"])
        layout.put(*draw(), below["id"], below["size"][2], (0.0, 0.0), below["id"], centre=on, ceiling=0.2)
    if rng.random() < 0.6:
        kind, colour = draw()
        for scale in (0.8, 1.25):
            layout.put(kind, colour, "table", 0.0, (0.42, 0.3), "table", scale=scale)
    for _ in range(20):
        layout.put(*draw(), "table", 0.0, (0.42, 0.3), "table")
    return layout


def camera_way(rng, seconds):
    """Poses (T, 4, 4) of a camera that goes round, low for a part of the time."""
    x = np.linspace(0, 1, int(seconds * FPS))
    start, turn = rng.uniform(-np.pi, np.pi), rng.choice([-1, 1]) * rng.uniform(0.6, 2.0)
    angle = start + turn * x**2
    low, high = np.radians(rng.uniform(10, 17)), np.radians(rng.uniform(30, 44))
    elevation = low + (high - low) * (0.5 - 0.5 * np.cos(2 * np.pi * x * rng.uniform(0.4, 1.1)))
    distance = rng.uniform(0.85, 1.4) - 0.2 * x
    away = np.stack([np.cos(elevation) * np.cos(angle), np.cos(elevation) * np.sin(angle), np.sin(elevation)], 1)
    target = np.array([0.0, 0.0, 0.08]) + 0.02 * np.sin(3 * x[:, None] + np.array([0.0, 1.0, 2.0]))
    poses = np.tile(np.eye(4), (len(x), 1, 1))
    for k in range(len(x)):
        poses[k, :3, 3] = target[k] + distance[k] * away[k]
        ahead = -away[k]
        right = np.cross(ahead, [0, 0, 1])
        right /= np.linalg.norm(right)
        poses[k, :3, :3] = np.stack([right, np.cross(ahead, right), ahead], 1)
    return poses


def blocked(start, points, boxes):
    """Whether the straight lines from ``start`` (3,) to points (N, 3) pass through any box (pose, size): (N,) bool."""
    hit = np.zeros(len(points), bool)
    for pose, size in boxes:
        a = (start - pose[:3, 3]) @ pose[:3, :3]
        d = (points - pose[:3, 3]) @ pose[:3, :3] - a
        with np.errstate(divide="ignore", invalid="ignore"):
            one, two = (-size / 2 - a) / d, (size / 2 - a) / d
        enter, leave = np.minimum(one, two).max(1), np.maximum(one, two).min(1)
        hit |= (np.maximum(enter, 0) < np.minimum(leave, 0.999)) & (leave > 0)
    return hit


def seen(poses, intrinsics, rows, boards, rng):
    """Share of each box that is seen, and its pixels: two arrays (T, N)."""
    fractions, pixels = np.zeros((len(poses), len(rows))), np.zeros((len(poses), len(rows)))
    grid = rng.uniform(-0.5, 0.5, (6, 12, 3))
    solids = [(row["pose"], row["size"]) for row in rows]
    for n, row in enumerate(rows):
        pose, size = row["pose"], row["size"]
        local = np.where(NORMALS[:, None] != 0, NORMALS[:, None] / 2, grid) * size
        area = np.repeat(np.abs(NORMALS) @ (np.prod(size) / size), 12)
        points = local.reshape(-1, 3) @ pose[:3, :3].T + pose[:3, 3]
        normals = np.repeat(NORMALS @ pose[:3, :3].T, 12, axis=0)
        others = [solid for m, solid in enumerate(solids) if m != n] + boards
        signs = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
        corners = (signs * size / 2) @ pose[:3, :3].T + pose[:3, 3]
        for t in range(0, len(poses), 2):  # every second frame, and the next one alike
            eye = poses[t, :3, 3]
            facing = ((eye - points) * normals).sum(1) > 0
            camera = (points - eye) @ poses[t, :3, :3]
            flat = camera @ intrinsics.T
            u, v = flat[:, 0] / flat[:, 2], flat[:, 1] / flat[:, 2]
            inside = facing & (flat[:, 2] > 0) & (u >= 0) & (u <= WIDTH - 1) & (v >= 0) & (v <= HEIGHT - 1)
            inside[inside] = ~blocked(eye, points[inside], others)
            fractions[t : t + 2, n] = area[inside].sum() / area[facing].sum()
            flat = (corners - eye) @ poses[t, :3, :3] @ intrinsics.T
            whole = ConvexHull(flat[:, :2] / flat[:, 2:]).volume
            pixels[t : t + 2, n] = np.floor(whole * fractions[t, n])
    return fractions, pixels


def table(seed, *, seconds=8.0, most=11, gravity=(0.0, 0.0, -1.0)):
    """A recording of a table; everything follows from the seed."""
    rng = np.random.default_rng([seed, 29])
    layout, poses = lay(rng, most), camera_way(rng, seconds)
    focal = HEIGHT / 2 / np.tan(np.radians(rng.uniform(44, 52)) / 2)
    intrinsics = np.array([[focal, 0, (WIDTH - 1) / 2], [0, focal, (HEIGHT - 1) / 2], [0, 0, 1.0]])
    shelf, high = layout.shelf, layout.shelf["size"][2]
    board = pose_at(*shelf["place"], high - 0.008, 0.0)
    board[:3, :3] = shelf["pose"][:3, :3]
    fractions, pixels = seen(poses, intrinsics, layout.rows, [(board, np.array([0.55, 0.24, 0.016]))], rng)
    share = pixels / (WIDTH * HEIGHT)
    entities = [furniture("table", pose_at(0, 0, -0.37, 0), (1.4, 0.9, 0.74), None)]
    entities.append(furniture("shelf", shelf["pose"], tuple(shelf["size"]), "table"))
    for n, row in enumerate(layout.rows):
        attributes = {"colour": row["colour"], "material": "plastic"}
        if row["front"]:
            attributes["front"] = row["front"]
        entities.append(
            Entity(
                row["id"], row["label"], row["kind"], tuple(map(float, row["size"])), row["pose"][None], attributes,
                row["parent"], row["symmetry"], (share[:, n] >= 0.001) & (fractions[:, n] >= 0.5),
                pixels[:, n].astype(int), fractions[:, n],
            )
        )  # fmt: skip
    return Recording(
        id=f"made-table-{seed}",
        kind=Kind.DESKTOP,
        source="made-up",
        times=np.arange(len(poses)) / FPS,
        world_T_camera=poses,
        valid=np.ones(len(poses), bool),
        clip=Clip(None, "", FPS, WIDTH, HEIGHT),
        gravity=None if gravity is None else np.array(gravity),
        intrinsics=intrinsics,
        entities=tuple(entities),
    )


def furniture(kind, pose, size, parent):
    attributes = {"role": "furniture", "colour": "brown"}
    return Entity(kind, f"brown {kind}", kind, tuple(map(float, size)), pose[None], attributes, parent, "half")

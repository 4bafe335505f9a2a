"""Scenes of boxes, balls and cylinders on a table, cast ray by ray and written as recordings; nothing of Chronotope's
simulated worlds takes part."""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
from PIL import Image

from chronotope.media import encode_clip
from chronotope.recording import Clip, Entity, Kind, Recording, save_recording

SCALE = 10_000.0
LIGHT = np.array([0.4, -0.5, 0.77])
FLOOR = -0.7


@dataclass(frozen=True)
class Solid:
    """A box, ball or upright cylinder; size (length, width, height) m of its box, which is tight."""

    id: str
    shape: str
    size: tuple[float, float, float]
    pose: np.ndarray
    colour: tuple[float, float, float]
    parent: str | None = None


@dataclass(frozen=True)
class View:
    """How a scene is filmed: picture size and focal length in px, poses world_T_camera (T, 4, 4), rate."""

    width: int
    height: int
    focal: float
    poses: np.ndarray
    fps: int = 10

    @property
    def intrinsics(self) -> np.ndarray:
        return np.array(
            [[self.focal, 0, (self.width - 1) / 2], [0, self.focal, (self.height - 1) / 2], [0, 0, 1]], float
        )


@dataclass
class Drawn:
    pictures: list[np.ndarray] = field(default_factory=list)
    depths: list[np.ndarray] = field(default_factory=list)
    identities: list[np.ndarray] = field(default_factory=list)


def upright(x: float, y: float, z: float, yaw: float) -> np.ndarray:
    pose = np.eye(4)
    pose[:2, :2] = [[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]]
    pose[:3, 3] = x, y, z
    return pose


def facing(eye: np.ndarray, target: np.ndarray) -> np.ndarray:
    """world_T_camera of a level camera at ``eye`` that looks at ``target``."""
    z = (target - eye) / np.linalg.norm(target - eye)
    x = np.cross(z, [0, 0, 1])
    x /= np.linalg.norm(x)
    pose = np.eye(4)
    pose[:3] = np.stack([x, np.cross(z, x), z, eye], axis=1)
    return pose


def round_trip(frames: int, turn: float, start: float, low: float, high: float, distance: float) -> np.ndarray:
    """Poses of a camera that goes round the table's middle by ``turn`` (rad), rising from ``low`` to ``high`` (rad)."""
    poses = []
    for x in np.linspace(0, 1, frames):
        azimuth, elevation = start + turn * x, low + (high - low) * x
        away = np.array([np.cos(azimuth) * np.cos(elevation), np.sin(azimuth) * np.cos(elevation), np.sin(elevation)])
        poses.append(facing(away * (distance - 0.1 * x), np.array([0.02 * np.sin(3 * x), 0.02 * np.cos(3 * x), 0.05])))
    return np.array(poses)


def hit(solid: Solid, origin: np.ndarray, rays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ray parameters (N,) of the first hit, inf where there is none, and normals (N, 3), in the solid's own frame."""
    half = np.array(solid.size) / 2
    return {"ball": _ball, "box": _box, "cylinder": _cylinder, "cone": _cone, "cup": _cup}[solid.shape](
        half, origin, rays
    )


def _at(origin: np.ndarray, rays: np.ndarray, t: np.ndarray) -> np.ndarray:
    return origin + np.where(np.isfinite(t), t, 0)[:, None] * rays


def _roots(a: np.ndarray, b: np.ndarray, c: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
    """Both solutions of a t^2 + 2 b t + c = 0 in ascending order; inf where there is none."""
    inside = b**2 - a * c
    root = np.sqrt(np.maximum(inside, 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        one, two = (-b - root) / a, (-b + root) / a
    gone = (inside <= 0) | (a == 0)
    return np.where(gone, np.inf, np.minimum(one, two)), np.where(gone, np.inf, np.maximum(one, two))


def _ball(half: np.ndarray, origin: np.ndarray, rays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    t, _ = _roots((rays**2).sum(1), rays @ origin, origin @ origin - half[0] ** 2)
    t = np.where(t > 0, t, np.inf)
    return t, _at(origin, rays, t) / half[0]


def _box(half: np.ndarray, origin: np.ndarray, rays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    with np.errstate(divide="ignore", invalid="ignore"):
        one, two = (-half - origin) / rays, (half - origin) / rays
    near, far = np.fmin(one, two), np.fmax(one, two)
    enter, leave, axis = near.max(1), far.min(1), near.argmax(1)
    normal = np.zeros_like(rays)
    normal[np.arange(len(rays)), axis] = -np.sign(rays[np.arange(len(rays)), axis])
    return np.where((enter < leave) & (enter > 0), enter, np.inf), normal


def _flat(height: float, least: float, most: float, origin: np.ndarray, rays: np.ndarray) -> np.ndarray:
    """Hits of the level ring between two radii at a height."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (height - origin[2]) / rays[:, 2]
    t = np.where((t > 0) & np.isfinite(t), t, np.inf)
    radius = np.linalg.norm(_at(origin, rays, t)[:, :2], axis=1)
    return np.where((radius >= least) & (radius <= most), t, np.inf)


def _round(radius: float, low: float, high: float, outer: bool, origin: np.ndarray, rays: np.ndarray) -> np.ndarray:
    """Hits of an upright tube between two heights, from outside or from inside."""
    flat, start = rays[:, :2], origin[:2]
    near, far = _roots((flat**2).sum(1), flat @ start, start @ start - radius**2)
    t = near if outer else far
    height = _at(origin, rays, t)[:, 2]
    return np.where((t > 0) & (height >= low) & (height <= high), t, np.inf)


def _first(origin: np.ndarray, rays: np.ndarray, sides: np.ndarray, flats: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first of hits on tubes (S, N) and level rings (F, N), with normals."""
    side, flat = sides.min(0), flats.min(0)
    t = np.minimum(side, flat)
    out = _at(origin, rays, t) * [1, 1, 0]
    out *= -np.sign((out * rays).sum(1, keepdims=True))
    out /= np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)
    return t, np.where((flat < side)[:, None], [0, 0, 1] * -np.sign(rays), out)


def _cylinder(half: np.ndarray, origin: np.ndarray, rays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    side = _round(half[0], -half[2], half[2], True, origin, rays)
    flats = [_flat(height, 0, half[0], origin, rays) for height in (-half[2], half[2])]
    return _first(origin, rays, side[None], np.array(flats))


def _cup(half: np.ndarray, origin: np.ndarray, rays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Open above, its wall and its bottom 4 mm thick."""
    inner, bottom = half[0] - 0.004, -half[2] + 0.004
    sides = [
        _round(half[0], -half[2], half[2], True, origin, rays),
        _round(inner, bottom, half[2], False, origin, rays),
    ]
    flats = [
        _flat(half[2], inner, half[0], origin, rays),
        _flat(bottom, 0, inner, origin, rays),
        _flat(-half[2], 0, half[0], origin, rays),
    ]
    return _first(origin, rays, np.array(sides), np.array(flats))


def _cone(half: np.ndarray, origin: np.ndarray, rays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Its tip is above; from beneath nobody looks."""
    slope = (half[0] / (2 * half[2])) ** 2
    down, flat, start = half[2] - origin[2], rays[:, :2], origin[:2]
    a = (flat**2).sum(1) - slope * rays[:, 2] ** 2
    both = np.array(_roots(a, flat @ start + slope * down * rays[:, 2], start @ start - slope * down**2))
    heights = np.array([_at(origin, rays, each)[:, 2] for each in both])  # of the other half of the double cone too
    t = np.where((both > 0) & (np.abs(heights) <= half[2]), both, np.inf).min(0)
    at = _at(origin, rays, t)
    normal = np.concatenate([at[:, :2], slope * (half[2] - at[:, 2:])], axis=1)
    return t, normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-9)


def passes(rays: np.ndarray, origin: np.ndarray, radius: float) -> np.ndarray:
    """Which rays (N, 3) from ``origin`` come within ``radius`` of the point 0."""
    along = rays @ origin
    return (along < 0) & (along**2 >= (rays**2).sum(1) * (origin @ origin - radius**2))


def texture(at: np.ndarray, colour: np.ndarray, period: float) -> np.ndarray:
    """Colours (N, 3) 0..1 of points (N, 3): soft stripes and a chequer upon one colour."""
    chequer = np.floor(at / period + 0.31).sum(1) % 2
    grain = np.sin(at @ [61.0, 37.0, 53.0]) * np.sin(at @ [-23.0, 71.0, 17.0])
    return colour * (0.85 + 0.12 * chequer + 0.06 * grain)[:, None]


def cast(solids: list[Solid], view: View, pose: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Picture uint8 (H, W, 3), depth (H, W) m with NaN for the sky, identities (H, W) uint8."""
    rows, columns = np.mgrid[: view.height, : view.width].reshape(2, -1)
    rays = np.stack(
        [
            (columns - view.intrinsics[0, 2]) / view.focal,
            (rows - view.intrinsics[1, 2]) / view.focal,
            np.ones(rows.shape),
        ],
        axis=1,
    )
    world, eye = rays @ pose[:3, :3].T, pose[:3, 3]
    best = np.where(world[:, 2] < -1e-6, (FLOOR - eye[2]) / np.minimum(world[:, 2], -1e-6), np.inf)
    best = np.where(best < 6, best, np.inf)
    at = eye + np.where(np.isfinite(best), best, 0)[:, None] * world
    colours = np.where(
        np.isfinite(best)[:, None], texture(at, np.array([0.55, 0.5, 0.45]), 0.2), np.array([0.75, 0.8, 0.85])
    )
    identities = np.zeros(len(rays), np.uint8)
    for value, solid in enumerate(solids, 1):
        turn, place = solid.pose[:3, :3], solid.pose[:3, 3]
        near = np.flatnonzero(passes(world, eye - place, float(np.linalg.norm(solid.size)) / 2))
        own_rays, own_eye = world[near] @ turn, (eye - place) @ turn
        t, normal = hit(solid, own_eye, own_rays)
        front = t < best[near]
        first, t, own = near[front], t[front, None], own_rays[front]
        best[first], identities[first] = t[:, 0], value
        shade = 0.45 + 0.55 * np.clip(normal[front] @ turn.T @ LIGHT, 0, 1)
        period = 0.12 if solid.parent is None else 0.035
        own = own_eye + t * own
        colours[first] = texture(own, np.array(solid.colour), period) * shade[:, None]
    shape = (view.height, view.width)
    picture = (np.clip(colours, 0, 1) * 255).astype(np.uint8).reshape(*shape, 3)
    return picture, np.where(np.isfinite(best), best, np.nan).reshape(shape), identities.reshape(shape)


def posed(solids: list[Solid], moves: dict[str, np.ndarray], frame: int) -> list[Solid]:
    return [replace(solid, pose=moves[solid.id][frame]) if solid.id in moves else solid for solid in solids]


def draw(solids: list[Solid], view: View, moves: dict[str, np.ndarray]) -> Drawn:
    drawn = Drawn()
    for k, pose in enumerate(view.poses):
        picture, depth, identities = cast(posed(solids, moves, k), view, pose)
        drawn.pictures.append(picture)
        drawn.depths.append(depth)
        drawn.identities.append(identities)
    return drawn


def write_map(path: Path, values: np.ndarray) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(values).save(path, compress_level=1)


def depth_values(depth: np.ndarray) -> np.ndarray:
    return np.nan_to_num(np.rint(depth * SCALE), nan=0).astype(np.uint16)


def claims(solids: list[Solid], moves: dict[str, np.ndarray], identities: list[np.ndarray]) -> tuple[Entity, ...]:
    """The entities with what is seen of them, counted pixel by pixel."""
    entities = []
    for value, solid in enumerate(solids, 1):
        pixels = np.array([int((each == value).sum()) for each in identities])
        box = np.full((len(identities), 4), np.nan)
        for k, each in enumerate(identities):
            rows, columns = np.nonzero(each == value)
            if len(rows):
                box[k] = columns.min(), rows.min(), columns.max(), rows.max()
        fraction = np.clip(pixels / max(pixels.max(), 1), 0, 1)
        entities.append(
            Entity(
                id=solid.id,
                label=solid.id.replace("-", " "),
                category=solid.shape,
                size=solid.size,
                poses=moves.get(solid.id, solid.pose[None]),
                attributes={} if solid.parent else {"role": "furniture"},
                parent=solid.parent,
                symmetry="none" if solid.shape == "box" else "any",
                visible=(pixels >= 40) & (fraction >= 0.5),
                visible_pixels=pixels,
                visible_fraction=fraction,
                box2d=box,
            )
        )
    return tuple(entities)


def write(
    solids: list[Solid], view: View, folder: Path, moves: dict[str, np.ndarray] | None = None
) -> tuple[Recording, Path]:
    """Cast a scene and write it as a recording in the benchmark folder ``folder``.

    ``moves`` are the poses (T, 4, 4) of things that do not stay, by id.
    """
    moves, name = moves or {}, "cast"
    drawn = draw(solids, view, moves)
    inside = folder / "recordings" / name
    for k, (depth, identities) in enumerate(zip(drawn.depths, drawn.identities, strict=True)):
        write_map(inside / "depth" / f"{k:06d}.png", depth_values(depth))
        write_map(inside / "identities" / f"{k:06d}.png", identities)
    clip = folder / "clips" / f"{name}.mp4"
    clip.parent.mkdir(parents=True, exist_ok=True)
    facts = encode_clip(drawn.pictures, clip, Fraction(view.fps))
    samples = len(view.poses)
    recording = Recording(
        id=name,
        kind=Kind.DESKTOP,
        source="tests",
        times=np.arange(samples) / view.fps,
        world_T_camera=view.poses,
        valid=np.ones(samples, bool),
        clip=Clip(clip, facts.sha256, float(view.fps), facts.width, facts.height),
        gravity=np.array([0.0, 0.0, -1.0]),
        intrinsics=view.intrinsics,
        depth=tuple(f"depth/{k:06d}.png" for k in range(samples)),
        identities=tuple(f"identities/{k:06d}.png" for k in range(samples)),
        entities=claims(solids, moves, drawn.identities),
        depth_scale=SCALE,
    )
    save_recording(recording, inside)
    return recording, inside


COLOURS = [
    (0.8, 0.15, 0.1), (0.1, 0.3, 0.75), (0.9, 0.75, 0.1), (0.15, 0.6, 0.2), (0.9, 0.9, 0.88), (0.5, 0.2, 0.6),
    (0.15, 0.15, 0.17), (0.95, 0.5, 0.1),
]  # fmt: skip


def random_scene(generator: np.random.Generator, things: int = 7) -> list[Solid]:
    """A table with things that stand apart on it, one of them upon another."""
    table = Solid("table", "box", (1.3, 0.9, 0.04), upright(0, 0, -0.02, 0), (0.6, 0.42, 0.28))
    solids = [table]
    taken: list[tuple[float, float, float]] = []
    for index in range(things):
        shape = ("box", "cylinder", "ball", "cup", "cone")[index % 5]
        length = float(generator.uniform(0.07, 0.24 if shape == "box" else 0.13))
        size = {
            "box": (length, length * float(generator.uniform(0.4, 0.95)), float(generator.uniform(0.04, 0.22))),
            "cylinder": (length, length, float(generator.uniform(0.04, 0.25))),
            "ball": (length, length, length),
            "cup": (length, length, float(generator.uniform(0.04, 0.12))),
            "cone": (length, length, float(generator.uniform(0.06, 0.15))),
        }[shape]
        for _ in range(200):
            x, y = generator.uniform([-0.42, -0.28], [0.42, 0.28])
            if all(np.hypot(x - a, y - b) > length * 0.7 + c + 0.02 for a, b, c in taken):
                break
        else:
            continue
        taken.append((x, y, length * 0.7))
        pose = upright(x, y, size[2] / 2, float(generator.uniform(0, 2 * np.pi)))
        solids.append(Solid(f"{shape}-{index}", shape, size, pose, COLOURS[index % len(COLOURS)], "table"))
    base = solids[1]
    x, y = base.pose[:2, 3]
    height = float(generator.uniform(0.04, 0.08))
    pose = upright(x, y, base.size[2] + height / 2, 0.3)
    solids.append(Solid("cup", "cylinder", (0.06, 0.06, height), pose, COLOURS[4], base.id))
    return solids


def random_view(generator: np.random.Generator, frames: int = 24, width: int = 320, fps: int = 10) -> View:
    # As fast as a camera that goes a third of the way round in 8 s.
    turn = float(generator.choice([-1, 1]) * generator.uniform(0.014, 0.028)) * frames * 10 / fps
    low, high = np.radians(generator.uniform(12, 20)), np.radians(generator.uniform(32, 42))
    poses = round_trip(
        frames, turn, float(generator.uniform(0, 2 * np.pi)), low, high, float(generator.uniform(1.0, 1.3))
    )
    return View(width, width * 3 // 4, width * float(generator.uniform(0.8, 0.95)), poses, fps)

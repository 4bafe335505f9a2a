"""Photograph-like pictures of the steps: what the pages of the manual show, in a room with its light."""

import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from chronotope.media import encode_picture
from chronotope.world.camera import intrinsics_of, look_at
from chronotope.world.film_set import FilmSet, Placement
from chronotope.world.furniture.filmed.shots import AMBIENT, WALLS, thing_of
from chronotope.world.furniture.filmed.situation import upright
from chronotope.world.furniture.manual import Photograph
from chronotope.world.furniture.page.page import explode
from chronotope.world.furniture.page.view import View
from chronotope.world.furniture.product import Joining, Product
from chronotope.world.interiors.surroundings import draw_lights, draw_room
from chronotope.world.quality import Quality
from chronotope.world.render import render

FARTHEST = 2.8  # m, from the camera to the middle of the parts; beyond it, the view becomes wider
FIELDS = np.arange(44.0, 100.0, 4.0)  # degrees, vertical fields of view
FILLED = 0.88  # share of the picture that the parts fill
AWAY = np.array([0.0, 0.0, -40.0])  # m, where parts are that a step does not show: under the floor, beyond the view


def photograph_at(quality: Quality) -> Photograph:
    """Return `photograph` at a quality."""

    def made(product: Product, views: Sequence[View], name: str, folder: Path) -> tuple[Path, ...]:
        return photograph(product, views, name, quality, folder)

    return made


def photograph(product: Product, views: Sequence[View], name: str, quality: Quality, folder: Path) -> tuple[Path, ...]:
    """Draw a picture of each step in one room, and write ``photo/step-1.jpg`` and so on into a folder.

    The room follows from the ``name`` of the product.

    Raises:
        InputError: If the engine or OpenGL is missing.
    """
    film_set, focal, cameras = stage_photos(product, views, name, quality)
    (folder / "photo").mkdir()
    files: list[Path] = []
    for number, drawn in enumerate(render(film_set, quality, focal, cameras)):
        files.append(folder / "photo" / f"step-{number + 1}.jpg")
        files[-1].write_bytes(encode_picture(drawn.rgb, "jpeg").data)
    return tuple(files)


def stage_photos(
    product: Product, views: Sequence[View], name: str, quality: Quality
) -> tuple[FilmSet, float, np.ndarray]:
    """Return the set of the pictures, the focal length (px) and the cameras (T, 4, 4).

    The set has a frame for each step. A frame shows what the page of its step shows, from the direction of its
    view: the same parts, and new parts moved out along their ways. There are no arrows and fasteners.
    """
    generator = np.random.default_rng(zlib.crc32(f"photographs of {name}".encode()))
    backdrop, _ = draw_room(generator, WALLS, has_rug=False)
    azimuth = np.pi / 4 + np.pi / 2 * int(generator.integers(4)) + float(generator.uniform(-0.12, 0.12))
    lights = draw_lights(generator, azimuth, 0.3)
    poses = [_poses(product, step.shown, view, azimuth) for step, view in zip(product.steps, views, strict=True)]
    corners = [
        np.concatenate([product.parts[part].points @ pose[:3, :3].T + pose[:3, 3] for part, pose in of.items()])
        for of in poses
    ]
    turns = [next(iter(of.values()))[:3, :3] for of in poses]
    ahead = [turn @ view.axes[2] for turn, view in zip(turns, views, strict=True)]
    field, cameras = _cameras(corners, ahead, quality.width / quality.height)
    hidden = np.eye(4)
    hidden[:3, 3] = AWAY
    placements: list[Placement] = []
    for part, (thing, middle) in enumerate(thing_of(part) for part in product.parts):
        path = np.stack([of.get(part, hidden) for of in poses])
        path[:, :3, 3] += path[:, :3, :3] @ middle
        placements.append(Placement(f"part-{part}", thing, path[0], path=path))
    film_set = FilmSet(tuple(placements), backdrop, lights, AMBIENT, near=0.1, far=12.0, shadowed=0.6)
    return film_set, float(intrinsics_of(field, quality.width, quality.height)[1, 1]), cameras


def _poses(product: Product, joining: Joining, view: View, azimuth: float) -> dict[int, np.ndarray]:
    """Return the pose world_T_product (4, 4) of each part that a step shows; new parts are moved out.

    The viewer is in the direction ``azimuth`` (rad) of the room, and the lowest corner is on the floor.
    """
    straight = upright(joining.up, 0.0) @ view.axes[2]
    turn = upright(joining.up, float(azimuth + np.pi - np.arctan2(straight[1], straight[0])))
    shown = explode(product, joining)
    points = shown.points @ turn.T
    low, high = points.min(axis=0), points.max(axis=0)
    shift = -np.array([*((low + high)[:2] / 2), low[2]])
    groups = [(joining.base, np.zeros(3)), *((entry.parts, away) for entry, away in shown.ways)]
    poses: dict[int, np.ndarray] = {}
    for parts, away in groups:
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = turn, shift + turn @ away
        poses |= dict.fromkeys(parts, pose)
    return poses


def _cameras(corners: Sequence[np.ndarray], ahead: Sequence[np.ndarray], aspect: float) -> tuple[float, np.ndarray]:
    """Return the field of view (degrees) and the poses (T, 4, 4) of the cameras.

    Each camera shows all corners of its step.

    ``ahead`` are the directions (3,) of the views.
    """
    middles = [(points.min(axis=0) + points.max(axis=0)) / 2 for points in corners]
    field, away = float(FIELDS[0]), list[float]()
    for field in FIELDS.tolist():
        half = FILLED * np.tan(np.radians(field) / 2)
        seen = zip(corners, middles, ahead, strict=True)
        away = [_distance(points - middle, way, half, aspect) for points, middle, way in seen]
        if max(away) <= FARTHEST:
            break
    eyes = np.stack([middle - far * way for middle, far, way in zip(middles, away, ahead, strict=True)])
    return field, look_at(eyes, np.stack(middles))


def _distance(points: np.ndarray, way: np.ndarray, half: float, aspect: float) -> float:
    """Return how far away (m) a level camera sees all points (N, 3) around its aim."""
    right = np.cross(way, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    down = np.cross(way, right)
    sides = np.maximum(np.abs(points @ right) / (half * aspect), np.abs(points @ down) / half)
    return float((sides - points @ way).max())

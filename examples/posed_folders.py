"""Write small posed-frame folders: a camera moved past standing cards, drawn with NumPy and Pillow, its poses exact.

The folders come in the four plain forms that Chronotope reads, two of each: pictures beside a ``poses.txt``, 7-Scenes,
TUM RGB-D and KITTI odometry. This script shares no code with Chronotope, so that it can bear witness for or against it.

Worlds are right-handed with z up, in metres and seconds; a turn to the left is positive. Camera axes are OpenCV (x
right, y down, z forward), a pose maps camera coordinates to the world, and pixel centres lie at whole numbers.
"""

import argparse
import os
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFont

FPS = 10
NEAR = 0.02  # m; nothing nearer to the camera's plane is drawn
SUN = np.array([0.36, -0.48, 0.8])
COLOURS = {
    **{"red": (205, 40, 38), "orange": (240, 130, 20), "yellow": (240, 208, 40), "green": (40, 140, 60)},
    **{"turquoise": (40, 185, 175), "blue": (35, 80, 190), "violet": (115, 55, 160), "pink": (238, 120, 170)},
    **{"brown": (112, 70, 42), "white": (238, 238, 232), "black": (44, 44, 48), "lime": (160, 215, 60)},
}
RGB = tuple[int, int, int]


# ---------------------------------------------------------------------------------------------- the camera's motion
def ease(t: np.ndarray, start: float, seconds: float) -> np.ndarray:
    """Go from 0 to 1 between ``start`` and ``start + seconds``, with speed and acceleration zero at both ends."""
    x = np.clip((t - start) / seconds, 0, 1)
    return x**3 * (10 - 15 * x + 6 * x * x)


@dataclass(frozen=True)
class Flight:
    """One folder to write.

    ``motion(t, pace, extent)`` gives speed (m/s), yaw (deg), height (m) and elevation (deg) of a camera that moves
    where it looks, or, on a desktop, the place (x, y, z) of one that looks at the middle of the table; the factors,
    near 1, come from the seed.
    """

    name: str
    form: str  # one of WRITERS
    kind: str  # one of PLACES
    seconds: float
    says: str
    motion: Callable[[np.ndarray, float, float], tuple]
    size: tuple[int, int] = (320, 240)


FLIGHTS = (
    Flight(
        *("drone-climb-turn-right", "simple", "outdoor", 8, "gains speed and height and bends to the right"),
        lambda t, p, e: (p * (3 + 0.5 * t), -80 * e * ease(t, 2, 4.5), 2.2 + 5 * ease(t, 0, 9), -6 - 14 * ease(t, 0, 9)),
    ),
    Flight(
        *("walk-turn-left", "7-scenes", "indoor", 8, "slows down for a bend to the left and walks on"),
        lambda t, p, e: (p * (1.2 - 0.5 * ease(t, 1.5, 2) + 0.5 * ease(t, 5, 2)), 90 * e * ease(t, 2.5, 3), 1.6, -9),
    ),
    Flight(
        *("walk-stop-look-right", "tum", "indoor", 8, "walks, stands still and looks to the right"),
        lambda t, p, e: (p * 1.3 * (1 - ease(t, 2, 2)), -110 * e * ease(t, 4.2, 3.6), 1.55, -8),
    ),
    Flight(
        *("car-turn-left", "kitti", "outdoor", 9, "brakes for a bend to the left and accelerates out of it"),
        lambda t, p, e: (p * (8 - 4 * ease(t, 1, 3) + 3 * ease(t, 6, 3)), 75 * e * ease(t, 3, 3.8), 1.6, 0),
        (416, 160),
    ),
    Flight(
        *("desk-rise", "simple", "desktop", 7, "rises before a table top and comes nearer"),
        lambda t, p, e: (0.35 * ease(t, 0.3, 7 / p) - 0.9, 0.12 - 0.3 * ease(t, 0, 7), 0.16 + 0.42 * e * ease(t, 0.3, 7 / p)),
    ),
    Flight(
        *("desk-orbit", "7-scenes", "desktop", 8, "circles a table top faster and faster, to its own right"),
        lambda t, p, e: (*(0.72 * e * np.array([np.cos(orbit(t, p)), np.sin(orbit(t, p))])), 0.36),
    ),
    Flight(
        *("walk-s-curve", "tum", "indoor", 8.5, "walks an S, faster and faster, to the right and then to the left"),
        lambda t, p, e: (p * (0.8 + 0.7 * ease(t, 1, 7)), e * (85 * ease(t, 4.2, 3.6) - 50 * ease(t, 0.6, 3.2)), 1.6, -9),
    ),
    Flight(
        *("car-accelerate-brake", "kitti", "outdoor", 9, "keeps straight on, accelerates, brakes almost to a stand"),
        lambda t, p, e: (p * (3 + e * (6 * ease(t, 0.5, 4) - 7.5 * ease(t, 5, 3.8))), 0, 1.6, 0),
        (416, 160),
    ),
)


def orbit(t: np.ndarray, pace: float) -> np.ndarray:
    """Return the angle (rad) of a camera that circles faster and faster."""
    return -2.4 + pace * (0.09 + 0.018 * t) * t


def generator(flight: Flight, seed: int, purpose: int) -> np.random.Generator:
    """Give each folder, and each thing drawn by lot in it, random numbers of its own."""
    return np.random.default_rng([seed, purpose, *flight.name.encode()])


def picture_times(flight: Flight) -> np.ndarray:
    """Return the times (N,) s of a folder's pictures."""
    return np.arange(round(flight.seconds * FPS) + 1) / FPS


def poses(flight: Flight, t: np.ndarray, seed: int) -> np.ndarray:
    """Return world_T_camera (N, 4, 4) at times (N,) s after the first picture."""
    factors = generator(flight, seed, 0).uniform(0.93, 1.07, 2)
    a, b, c, d = (np.broadcast_to(value, t.shape) for value in (*flight.motion(t, *factors), 0)[:4])
    if flight.kind == "desktop":
        position = np.stack([a, b, c], axis=1)
        yaw, elevation = np.unwrap(np.arctan2(-b, -a)), np.arctan2(0.04 - c, np.hypot(a, b))
    else:
        fine = np.arange(-1000, 14001) / 1000  # one grid for all: a time has one place, whoever asks for it
        speed, turned = (np.broadcast_to(value, fine.shape) for value in flight.motion(fine, *factors)[:2])
        velocity = speed * np.array([np.cos(np.radians(turned)), np.sin(np.radians(turned))])
        path = np.pad(np.cumsum((velocity[:, 1:] + velocity[:, :-1]) / 2000, axis=1), ((0, 0), (1, 0)))
        x, y = path - path[:, 1000:1001]
        position = np.stack([np.interp(t, fine, x), np.interp(t, fine, y), c], axis=1)
        yaw, elevation = np.radians(b), np.radians(d)
    forward = np.stack([np.cos(yaw) * np.cos(elevation), np.sin(yaw) * np.cos(elevation), np.sin(elevation)], axis=1)
    right = np.stack([np.sin(yaw), -np.cos(yaw), np.zeros_like(yaw)], axis=1)
    out = np.tile(np.eye(4), (len(t), 1, 1))
    out[:, :3] = np.stack([right, np.cross(forward, right), forward, position], axis=2)
    return out


def intrinsics(size: tuple[int, int]) -> np.ndarray:
    """Return the camera matrix (3, 3) px for pictures of this width and height."""
    focal = 0.45 * sum(size)
    return np.array([[focal, 0, (size[0] - 1) / 2], [0, focal, (size[1] - 1) / 2], [0, 0, 1]])


# ------------------------------------------------------------------------------------------------------- what is seen
class Place(NamedTuple):
    """What a kind of scene looks like: lengths in m, ranges as (least, most)."""

    tile: float  # side of a tile of the ground
    texel: float  # side of a pixel of the ground's texture
    margin: float  # of ground around the path
    cards: int
    distance: tuple[float, float]  # of a card from the camera in whose view it is planted
    width: tuple[float, float]  # of a card
    height: tuple[float, float]  # of a card
    clearance: float  # of a card from the camera's path and from the other cards
    haze: float  # distance at which 63 % of a colour is lost
    ground: tuple[RGB, ...]  # colours of the tiles
    horizon: RGB
    zenith: RGB


PLACES = {
    "outdoor": Place(
        *(1.0, 0.05, 34, 30, (6, 24), (0.8, 1.6), (1.2, 2.2), 2.0, 120),
        *(((176, 170, 160), (158, 152, 146), (186, 164, 140), (150, 156, 160)), (204, 216, 226), (92, 148, 214)),
    ),
    "indoor": Place(
        *(0.5, 0.01, 2.6, 12, (1.6, 5), (0.5, 0.9), (0.9, 1.9), 0.6, 400),
        *(((196, 170, 132), (178, 150, 112), (206, 186, 152)), (236, 234, 228), (206, 204, 200)),
    ),
    "desktop": Place(
        *(0.1, 0.00125, 2.0, 11, (0.4, 1.1), (0.07, 0.14), (0.1, 0.2), 0.1, 400),
        *(((206, 214, 206), (186, 200, 194), (214, 208, 190)), (222, 218, 210), (206, 204, 200)),
    ),
}


class Texture:
    """A picture at falling resolutions, row 0 below; ``texel`` is the side (m) of a pixel of the finest."""

    def __init__(self, picture: np.ndarray, texel: float, grain: np.ndarray | None = None):
        self.texel, self.grain = texel, grain
        levels = [np.ascontiguousarray(picture, dtype=np.uint8)]
        while min(levels[-1].shape[:2]) > 3:
            rows, columns = (n // 2 * 2 for n in levels[-1].shape[:2])
            even = levels[-1][:rows, :columns].astype(np.uint16)
            levels.append(((even[::2, ::2] + even[1::2, ::2] + even[::2, 1::2] + even[1::2, 1::2] + 2) // 4).astype(np.uint8))
        self.heights, self.widths = np.array([level.shape[:2] for level in levels]).T
        self.starts = np.cumsum(self.heights * self.widths) - self.heights * self.widths
        self.pixels = np.concatenate([level.reshape(-1, 3) for level in levels])

    def colours(self, a: np.ndarray, b: np.ndarray, footprint: np.ndarray) -> np.ndarray:
        """Return colours (N, 3) at a from the left, b from below (m), averaged over about ``footprint`` (N,) m."""
        level = np.clip(np.rint(np.log2(footprint / self.texel)), 0, len(self.starts) - 1).astype(np.int32)
        fine = (self.texel * np.exp2(level)).astype(np.float32)
        column = np.minimum((a / fine).astype(np.int32), self.widths[level] - 1)
        row = np.minimum((b / fine).astype(np.int32), self.heights[level] - 1)
        out = self.pixels[self.starts[level] + row * self.widths[level] + column].astype(np.float32)
        if self.grain is not None:  # fine structure that repeats and fades where it could not be resolved
            step, n = np.float32(self.texel / 5), len(self.grain)
            speck = self.grain[(b / step).astype(np.int32) % n, (a / step).astype(np.int32) % n]
            out *= (1 + speck * np.clip(1.5 - footprint / (3 * step), 0, 1))[:, None]
        return out


class Surface(NamedTuple):
    """A flat rectangle: lower left corner and unit edges in the world, size (m), texture; the colour's name if a card."""

    corner: np.ndarray
    across: np.ndarray
    upward: np.ndarray
    size: tuple[float, float]
    texture: Texture
    colour: str = ""

    def at(self, a: float, b: float) -> np.ndarray:
        """Return the world point (3,) at these shares of the width (from the left) and of the height (from below)."""
        return self.corner + a * self.size[0] * self.across + b * self.size[1] * self.upward


def paint_card(number: int, colour: str, width: float, height: float) -> Texture:
    """Paint a door or panel with its number on it; from 84 % of its height upwards it is plain."""
    base = np.array(COLOURS[colour])
    dark = tuple(base * 7 // 10)
    rows, columns = 256, round(256 * width / height)
    picture = Image.new("RGB", (columns, rows), COLOURS[colour])
    draw = ImageDraw.Draw(picture)
    left, right = 0.14 * columns, 0.86 * columns
    if number % 3 == 0:
        draw.rectangle((left, 160, right, 236), outline=dark, width=6)
    elif number % 3 == 1:
        for y in range(162, 240, 18):
            draw.rectangle((left, y, right, y + 8), fill=dark)
    else:
        draw.ellipse((columns / 2 - 36, 162, columns / 2 + 36, 234), outline=dark, width=9)
    ink = (30, 30, 34) if base.mean() > 150 else (250, 250, 245)
    draw.text((columns / 2, 98), str(number), fill=ink, font=ImageFont.load_default(min(100, 0.62 * columns)), anchor="mm")
    return Texture(np.asarray(picture)[::-1], height / rows)


def paint_wall(door: int, tint: RGB, width: float, height: float) -> Texture:
    """Paint a wall with a rail at 0.9 m, windows of 1.1 m by 1.1 m, and in one place a door of 0.9 m by 2 m."""
    picture = Image.new("RGB", (round(width * 80), round(height * 80)), tint)  # 80 pixels per metre
    draw = ImageDraw.Draw(picture)

    def box(x: float, low: float, wide: float, high: float, fill: RGB) -> None:
        draw.rectangle((80 * x, 80 * (height - low - high), 80 * (x + wide), 80 * (height - low)), fill=fill)

    box(0, 0, width, 0.9, (tint[0] * 17 // 20, tint[1] * 17 // 20, tint[2] * 17 // 20))
    box(0, 0.88, width, 0.05, (120, 92, 66))
    box(0, 0, width, 0.1, (96, 72, 52))
    places = np.arange(0.8, width - 1.2, 2)
    for k, x in enumerate(places):
        if k == door % len(places):
            box(x, 0, 1.02, 2.06, (84, 60, 42))
            box(x + 0.06, 0, 0.9, 2, (150, 104, 66))
            box(x + 0.82, 1, 0.07, 0.07, (230, 214, 150))
        else:
            box(x, 1.1, 1.1, 1.1, (240, 240, 236))
            box(x + 0.06, 1.16, 0.46, 0.98, (150, 192, 226))
            box(x + 0.58, 1.16, 0.46, 0.98, (150, 192, 226))
    return Texture(np.asarray(picture)[::-1], 1 / 80)


def lay(rng: np.random.Generator, place: Place, low: np.ndarray, high: np.ndarray, cards: list, way: np.ndarray) -> Surface:
    """Lay tiles on the ground from one corner (2,) to the other; with a way (N, 3), lawns and a street of 7 m along it."""
    shape = tuple(np.ceil((high - low) / place.tile).astype(int)[::-1])
    tiles = np.array(place.ground)[rng.integers(len(place.ground), size=shape)]
    if len(way):
        noise = Image.fromarray(rng.integers(0, 256, (shape[0] // 7, shape[1] // 7), dtype=np.uint8))
        lawn = np.asarray(noise.resize(shape[::-1], Image.Resampling.BICUBIC)) > 140
        tiles[lawn] = (98, 134, 66)
    tiles = np.clip(tiles * rng.uniform(0.92, 1.06, (*shape, 1)), 0, 255).astype(np.uint8)
    n = round(place.tile / place.texel)
    fine = np.repeat(np.repeat(tiles, n, axis=0), n, axis=1)
    fine[::n], fine[:, ::n] = fine[::n] // 5 * 4, fine[:, ::n] // 5 * 4
    picture = Image.fromarray(fine)
    draw = ImageDraw.Draw(picture)
    pixels = [tuple(point) for point in (way[:, :2] - low) / place.texel]
    if pixels:
        draw.line(pixels, fill=(112, 112, 116), width=round(7 / place.texel), joint="curve")
    for start in range(0, len(pixels) - 4, 8):  # dashes of 3 m every 6 m
        draw.line(pixels[start : start + 4], fill=(232, 230, 220), width=round(0.15 / place.texel))
    for card in cards:  # the ground is darker where a card stands on it
        foot = [tuple((card.at(a, 0)[:2] - low) / place.texel) for a in (0, 1)]
        draw.line(foot, fill=(72, 68, 62), width=round(0.1 * card.size[0] / place.texel))
    grain = rng.normal(0, 0.07, (256, 256)).clip(-0.2, 0.2).astype(np.float32)
    size = (shape[1] * place.tile, shape[0] * place.tile)
    x, y, _ = np.eye(3)
    return Surface(np.array([*low, 0]), x, y, size, Texture(np.asarray(picture), place.texel, grain))


def plant(rng: np.random.Generator, place: Place, path: np.ndarray, low: np.ndarray, high: np.ndarray) -> list[Surface]:
    """Stand cards on the ground in view of the path (N, 4, 4), clear of it and of each other, between two corners (2,)."""
    cards: list[Surface] = []
    names = rng.permutation(list(COLOURS))
    for _ in range(4000):
        pose = path[rng.integers(len(path))]
        view = pose[:2, 2] + rng.uniform(-0.55, 0.55) * pose[:2, 0]
        middle = pose[:2, 3] + rng.uniform(*place.distance) * view / np.hypot(*view)
        turned = np.arctan2(-view[1], -view[0]) + rng.uniform(-0.6, 0.6)
        across = np.array([-np.sin(turned), np.cos(turned), 0])
        width, height = rng.uniform(*place.width), rng.uniform(*place.height)
        foot = middle + np.linspace(-0.5, 0.5, 9)[:, None] * width * across[:2]
        taken = np.array([*path[:, :2, 3], *(card.at(0.5, 0)[:2] for card in cards)])
        if np.linalg.norm(foot[:, None] - taken, axis=2).min() < place.clearance:
            continue
        if np.all(foot > low + 0.2 * place.clearance) and np.all(foot < high - 0.2 * place.clearance):
            colour = str(names[len(cards) % len(names)])
            texture = paint_card(len(cards) + 1, colour, width, height)
            cards.append(Surface(np.array([*foot[0], 0]), across, np.eye(3)[2], (width, height), texture, colour))
        if len(cards) == place.cards:
            break
    return cards


def scene(flight: Flight, seed: int) -> list[Surface]:
    """Build what a folder's camera sees; the cards are the surfaces that name a colour."""
    rng, place = generator(flight, seed, 1), PLACES[flight.kind]
    path = poses(flight, picture_times(flight), seed)
    low, high = path[:, :2, 3].min(axis=0) - place.margin, path[:, :2, 3].max(axis=0) + place.margin
    low, high = np.floor(low / place.tile) * place.tile, np.ceil(high / place.tile) * place.tile
    cards = plant(rng, place, path, low, high)
    way = np.zeros((0, 2))
    if flight.kind == "outdoor":
        ends = path[[0, -1], :2, 3] + [[-40], [70]] * path[[0, -1], :2, 2]
        line = np.concatenate([ends[:1], path[:, :2, 3], ends[1:]])
        gone = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])
        way = np.stack([np.interp(np.arange(0, gone[-1], 0.75), gone, values) for values in line.T], axis=1)
    walls = []
    if flight.kind == "indoor":
        (x0, y0), (x1, y1) = low, high
        corners = np.array([(x0, y1, 0), (x1, y1, 0), (x1, y0, 0), (x0, y0, 0)])
        for k, tint in enumerate([(226, 210, 178), (186, 204, 218), (222, 188, 180), (194, 212, 184)]):
            edge = corners[(k + 1) % 4] - corners[k]
            size = (float(np.abs(edge).max()), 2.7)
            walls.append(Surface(corners[k], edge / size[0], np.eye(3)[2], size, paint_wall(rng.integers(9), tint, *size)))
    return [*cards, *walls, lay(rng, place, low, high, cards, way)]


# ---------------------------------------------------------------------------------------------------------- drawing
def background(place: Place, pose: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return sky, hills and far ground (rows, columns, 3) for the rays (x, y, 1) of a camera."""
    rays = np.stack(np.broadcast_arrays(x[None], y[:, None], np.float32(1)), axis=2) @ pose[:3, :3].T.astype(np.float32)
    rise = rays[..., 2] / np.hypot(rays[..., 0], rays[..., 1])
    sky, horizon = np.array(place.zenith, np.float32), np.array(place.horizon, np.float32)
    out = horizon + np.clip(rise * 1.6, 0, 1)[..., None] * (sky - horizon)
    out[rise < 0] = horizon * 0.82
    if place.tile == 1:
        azimuth = np.arctan2(rays[..., 1], rays[..., 0])
        hills = 0.055 + 0.022 * np.sin(3 * azimuth) + 0.016 * np.sin(7 * azimuth + 1) + 0.006 * np.sin(23 * azimuth)
        out[(rise >= 0) & (rise < hills)] = (128, 152, 148)
    return out


def window(corners: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[slice, slice] | None:
    """Return the rows and columns of the rays (x, y, 1) that can meet a polygon (4, 3) in camera axes, or None."""
    kept = []
    for p, q in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        kept += [p] if p[2] > NEAR else []
        kept += [p + (NEAR - p[2]) / (q[2] - p[2]) * (q - p)] if (p[2] > NEAR) != (q[2] > NEAR) else []
    if not kept:
        return None
    seen = np.array(kept)[:, :2] / np.array(kept)[:, 2:]
    (x0, y0), (x1, y1) = seen.min(axis=0), seen.max(axis=0)
    rows, columns = slice(*np.searchsorted(y, (y0, y1))), slice(*np.searchsorted(x, (x0, x1)))
    return (rows, columns) if rows.start < rows.stop and columns.start < columns.stop else None


def render(surfaces: list[Surface], place: Place, pose: np.ndarray, size: tuple[int, int]) -> Image.Image:
    """Cast four rays per pixel from ``pose`` and average them."""
    K = intrinsics(size)
    x, y = (((np.arange(2 * n) - 0.5) / 2 - K[i, 2]) / K[i, i] for i, n in enumerate(size))
    x, y = x.astype(np.float32), y.astype(np.float32)
    out, depth = background(place, pose, x, y), np.full((len(y), len(x)), np.inf, np.float32)
    for surface in sorted(surfaces, key=lambda s: np.linalg.norm(s.at(0.5, 0.5) - pose[:3, 3])):
        corners = np.array([surface.at(*share) for share in ((0, 0), (1, 0), (1, 1), (0, 1))])
        seen = window((corners - pose[:3, 3]) @ pose[:3, :3], x, y)
        if seen is None:
            continue
        across, upward, normal = np.array([surface.across, surface.upward, np.cross(surface.across, surface.upward)]) @ pose[:3, :3]
        corner = pose[:3, :3].T @ (surface.corner - pose[:3, 3])
        u, v = x[None, seen[1]], y[seen[0], None]

        def dot(n: np.ndarray, u: np.ndarray = u, v: np.ndarray = v) -> np.ndarray:
            return np.float32(n[0]) * u + (np.float32(n[1]) * v + np.float32(n[2]))

        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.float32(normal @ corner) / dot(normal)
            a, b = t * dot(across) - np.float32(across @ corner), t * dot(upward) - np.float32(upward @ corner)
            hit = (t > NEAR) & (t < depth[seen]) & (a >= 0) & (a < surface.size[0]) & (b >= 0) & (b < surface.size[1])
        t, a, b = t[hit], a[hit], b[hit]
        slant = np.abs(dot(normal))[hit] / np.sqrt(1 + u * u + v * v)[hit]
        if normal @ corner > 0:  # from behind, too, a number reads from left to right
            a = np.float32(surface.size[0]) - a
        light = 0.76 + 0.24 * abs(SUN @ np.cross(surface.across, surface.upward))
        colours = surface.texture.colours(a, b, t * np.float32(0.5 / K[0, 0]) / np.sqrt(np.maximum(slant, 0.02)))
        clear = np.exp(t / np.float32(-place.haze))[:, None]
        out[seen][hit] = colours * (np.float32(light) * clear) + np.array(place.horizon, np.float32) * (1 - clear)
        depth[seen][hit] = t
    fine = out.reshape(size[1], 2, size[0], 2, 3)
    return Image.fromarray(np.clip(fine.mean(axis=(1, 3)) + 0.5, 0, 255).astype(np.uint8))


# ---------------------------------------------------------------------------------------------------------- writing
@dataclass(frozen=True)
class Take:
    """What is written: a flight, its seed, its pictures, one pose (4, 4) for each and the camera matrix."""

    flight: Flight
    seed: int
    pictures: list[Image.Image]
    poses: np.ndarray
    intrinsics: np.ndarray

    def save(self, folder: Path, names: list[str]) -> None:
        """Save the pictures under these names."""
        folder.mkdir(exist_ok=True)
        for picture, name in zip(self.pictures, names, strict=True):
            picture.save(folder / name, quality=92, compress_level=4)

    def settle(self, folder: Path) -> None:
        """Say what the form cannot: frame rate, kind of scene, and the direction in which things fall."""
        text = f"fps: {FPS}\nkind: {self.flight.kind}\ngravity: [0, 0, -1]\n"
        (folder / "chronotope.yaml").write_text(text, encoding="utf-8")


def write_simple(folder: Path, take: Take) -> None:
    """Write poses.txt (16 numbers a row, 12 on a desktop), intrinsics.txt and the folder frames."""
    numbers = 12 if take.flight.kind == "desktop" else 16
    note = "camera to world, row by row, metres; camera axes: x right, y down, z forward"
    np.savetxt(folder / "poses.txt", take.poses.reshape(-1, 16)[:, :numbers], fmt="%.9f", header=note)
    np.savetxt(folder / "intrinsics.txt", take.intrinsics, fmt="%.6f")
    take.save(folder / "frames", [f"{k:06d}.jpg" for k in range(len(take.pictures))])
    take.settle(folder)


def write_seven_scenes(folder: Path, take: Take) -> None:
    """Write frame-000000.color.jpg with frame-000000.pose.txt, and camera-intrinsics.txt."""
    for k, pose in enumerate(take.poses):
        np.savetxt(folder / f"frame-{k:06d}.pose.txt", pose)
    np.savetxt(folder / "camera-intrinsics.txt", take.intrinsics)
    take.save(folder, [f"frame-{k:06d}.color.jpg" for k in range(len(take.pictures))])
    take.settle(folder)


def quaternion(R: np.ndarray) -> np.ndarray:
    """Return x, y, z, w of a rotation matrix: the eigenvector that Bar-Itzhack's symmetric matrix keeps."""
    (a, b, c), (d, e, f), (g, h, i) = R
    N = np.array([[a - e - i, b + d, c + g, h - f], [b + d, e - a - i, f + h, c - g], [c + g, f + h, i - a - e, d - b], [h - f, c - g, d - b, a + e + i]])
    return np.linalg.eigh(N)[1][:, -1]


def write_tum(folder: Path, take: Take) -> None:
    """Write rgb.txt, rgb and groundtruth.txt, 100 poses a second rounded to 4 decimals, at stamps of their own."""
    start = 1700000000 + 1000 * FLIGHTS.index(take.flight)
    stamps = [f"{start + t + 0.003371:.6f}" for t in picture_times(take.flight)]
    t = np.arange(-20, round(100 * take.flight.seconds) + 20) / 100
    rows = ["# ground truth trajectory", f"# file: '{take.flight.name}'", "# timestamp tx ty tz qx qy qz qw"]
    for moment, pose in zip(t, poses(take.flight, t - 0.003371, take.seed), strict=True):
        values = " ".join(f"{value:.4f}" for value in (*pose[:3, 3], *quaternion(pose[:3, :3])))
        rows.append(f"{start + moment:.4f} {values}")
    (folder / "groundtruth.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
    listed = ["# color images", f"# file: '{take.flight.name}'", "# timestamp filename", *(f"{s} rgb/{s}.png" for s in stamps)]
    (folder / "rgb.txt").write_text("\n".join(listed) + "\n", encoding="utf-8")
    take.save(folder / "rgb", [f"{stamp}.png" for stamp in stamps])


def write_kitti(folder: Path, take: Take) -> None:
    """Write poses.txt (in the axes of the first camera), calib.txt with P0 to P3, times.txt and image_2."""
    np.savetxt(folder / "poses.txt", (np.linalg.inv(take.poses[0]) @ take.poses)[:, :3].reshape(-1, 12), fmt="%.6e")
    np.savetxt(folder / "times.txt", picture_times(take.flight), fmt="%.6e")
    lines = []
    for k, right in enumerate((0, 0.54, 0, 0.54)):  # the grey and colour pairs, each with its right camera 54 cm off
        P = take.intrinsics @ np.hstack([np.eye(3), [[-right], [0], [0]]])
        lines.append(f"P{k}: " + " ".join(f"{value:.12e}" for value in P.ravel()))
    (folder / "calib.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    take.save(folder / "image_2", [f"{k:06d}.png" for k in range(len(take.pictures))])


WRITERS = {"simple": write_simple, "7-scenes": write_seven_scenes, "tum": write_tum, "kitti": write_kitti}


def write(flight: Flight, out: Path, seed: int = 0, size: tuple[int, int] | None = None) -> str:
    """Write one folder into ``out`` and return a line that says what its camera does."""
    matrices = poses(flight, picture_times(flight), seed)
    size = size or flight.size
    surfaces = scene(flight, seed)
    pictures = [render(surfaces, PLACES[flight.kind], pose, size) for pose in matrices]
    with tempfile.TemporaryDirectory(dir=out, prefix=".") as hidden:  # so that no half-written folder stays
        folder = Path(hidden, flight.name)
        folder.mkdir()
        WRITERS[flight.form](folder, Take(flight, seed, pictures, matrices, intrinsics(size)))
        folder.rename(out / flight.name)
    fine = poses(flight, np.arange(0, flight.seconds + 0.005, 0.01), seed)
    steps = np.linalg.norm(np.diff(fine[:, :3, 3], axis=0), axis=1)
    turn = np.degrees(np.unwrap(np.arctan2(fine[:, 1, 2], fine[:, 0, 2])))
    turned = f"{abs(turn[-1] - turn[0]):.0f}° {'left' if turn[-1] > turn[0] else 'right'}"
    measured = f"{steps.sum():.2f} m in {flight.seconds:g} s, {100 * steps[0]:.2f} to {100 * steps[-1]:.2f} m/s"
    return f"{flight.name} ({flight.form}, {flight.kind}): {flight.says}; {measured}, view turns {turned}"


def write_named(name: str, out: Path, seed: int) -> str:
    """Write the folder of this name: what a worker process is told."""
    return write(next(flight for flight in FLIGHTS if flight.name == name), out, seed)


def main() -> None:
    """Run the command line."""
    example = "example: python examples/posed_folders.py clips && chronotope build sti clips --out bench"
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog=example)
    parser.add_argument("out", type=Path, metavar="OUT", help="where the folders go")
    parser.add_argument("--folders", type=int, default=8, choices=range(1, 9), help="how many (default 8)")
    parser.add_argument("--seed", type=int, default=0, help="varies cards, colours, pace and extent (default 0)")
    wanted = parser.parse_args()
    names = [flight.name for flight in FLIGHTS[: wanted.folders]]
    there = [str(wanted.out / name) for name in names if (wanted.out / name).exists()]
    if there:
        parser.error(f"{there[0]} is there already: remove it or name another folder")
    wanted.out.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(min(len(names), os.cpu_count() or 1)) as pool:
        for line in pool.map(write_named, names, [wanted.out] * len(names), [wanted.seed] * len(names)):
            print(line, flush=True)
    print(f"{len(names)} folders in {wanted.out}")


if __name__ == "__main__":
    main()

"""The scenes of posed_folders.py (numbered cards in a street, in a room or on a table) and their rendering.

Worlds are right-handed with z up, in metres. Camera axes are OpenCV (x right, y down, z forward), a pose maps camera
coordinates to the world, and pixel centres have whole-number coordinates.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

NEAR = 0.02  # m; surfaces nearer to the camera's plane are not drawn
SUN = np.array([0.36, -0.48, 0.8])
COLOURS = {
    "red": (205, 40, 38), "orange": (240, 130, 20), "yellow": (240, 208, 40), "green": (40, 140, 60),
    "turquoise": (40, 185, 175), "blue": (35, 80, 190), "violet": (115, 55, 160), "pink": (238, 120, 170),
    "brown": (112, 70, 42), "white": (238, 238, 232), "black": (44, 44, 48), "lime": (160, 215, 60),
}  # fmt: skip
RGB = tuple[int, int, int]
WALLS: tuple[RGB, ...] = ((226, 210, 178), (186, 204, 218), (222, 188, 180), (194, 212, 184))


class Place(NamedTuple):
    """The look of a kind of scene: lengths in m, ranges as (least, most)."""

    tile: float  # side of a tile of the ground
    texel: float  # side of a pixel of the ground's texture
    margin: float  # width of the ground around the path
    cards: int
    distance: tuple[float, float]  # distance from a card to the camera pose that faces the card
    width: tuple[float, float]  # width of a card
    height: tuple[float, float]  # height of a card
    clearance: float  # least distance from a card to the camera's path and to other cards
    haze: float  # distance at which a colour consists of 63 % haze
    ground: tuple[RGB, ...]  # colours of the tiles
    beyond: RGB  # colour beyond the edge of the ground
    horizon: RGB
    zenith: RGB


# fmt: off
PLACES = {
    "outdoor": Place(1.0, 0.05, 55, 28, (7, 30), (0.8, 1.6), (1.2, 2.2), 4.3, 130,
                     ((176, 170, 160), (158, 152, 146), (186, 164, 140), (150, 156, 160)),
                     (176, 190, 176), (204, 216, 226), (92, 148, 214)),
    "indoor": Place(0.5, 0.01, 2.9, 12, (1.6, 5), (0.5, 0.9), (0.9, 1.9), 0.7, 400,
                    ((196, 170, 132), (178, 150, 112), (206, 186, 152)),
                    (150, 140, 126), (236, 234, 228), (206, 204, 200)),
    "desktop": Place(0.1, 0.00125, 0, 11, (0.4, 1.1), (0.07, 0.14), (0.1, 0.2), 0.1, 400,
                     ((168, 122, 80), (152, 108, 70), (178, 134, 90)),
                     (104, 96, 90), (222, 218, 210), (206, 204, 200)),
}
# fmt: on


class Texture:
    """A picture in decreasing resolutions, with row 0 at the bottom; ``texel`` is the side (m) of the finest pixel."""

    def __init__(self, picture: np.ndarray, texel: float, grain: np.ndarray | None = None):
        self.grain = grain
        levels = [np.ascontiguousarray(picture, dtype=np.uint8)]
        while min(levels[-1].shape[:2]) > 3:
            rows, columns = (n // 2 * 2 for n in levels[-1].shape[:2])
            even = levels[-1][:rows, :columns].astype(np.uint16)
            total = even[::2, ::2] + even[1::2, ::2] + even[::2, 1::2] + even[1::2, 1::2]
            levels.append(((total + 2) // 4).astype(np.uint8))
        self.heights, self.widths = np.array([level.shape[:2] for level in levels], np.int32).T
        self.starts = np.cumsum(self.heights * self.widths, dtype=np.int32) - self.heights * self.widths
        self.texels = (texel * 2.0 ** np.arange(len(levels))).astype(np.float32)
        self.pixels = np.concatenate([level.reshape(-1, 3) for level in levels])

    def colours(self, a: np.ndarray, b: np.ndarray, footprint: np.ndarray) -> np.ndarray:
        """Return colours (N, 3) at ``a`` from the left and ``b`` from below (m), averaged over ``footprint`` (N,) m."""
        level = np.clip(np.rint(np.log2(footprint / self.texels[0])), 0, len(self.texels) - 1).astype(np.int32)
        fine, wide = self.texels[level], self.widths[level]
        column = np.minimum((a / fine).astype(np.int32), wide - 1)
        row = np.minimum((b / fine).astype(np.int32), self.heights[level] - 1)
        out = self.pixels[self.starts[level] + row * wide + column].astype(np.float32)
        if self.grain is not None:  # repeated fine structure, which fades if it cannot be resolved
            step, n = self.texels[0] / 5, len(self.grain)
            speck = self.grain[(b / step).astype(np.int32) % n, (a / step).astype(np.int32) % n]
            out *= (1 + speck * np.clip(1.5 - footprint / (3 * step), 0, 1))[:, None]
        return out


class Surface(NamedTuple):
    """A flat rectangle: lower left corner and unit edges in the world, size (m), texture, and the colour of a card."""

    corner: np.ndarray
    across: np.ndarray
    upward: np.ndarray
    size: tuple[float, float]
    texture: Texture
    colour: str = ""

    def at(self, a: float, b: float) -> np.ndarray:
        """Return a world point (3,), at the fractions ``a`` of the width and ``b`` of the height."""
        return self.corner + a * self.size[0] * self.across + b * self.size[1] * self.upward


def paint_card(number: int, colour: str, width: float, height: float) -> Texture:
    """Paint a door or panel with its number; the part above 84 % of the height is plain."""
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
    font = ImageFont.load_default(min(100, 0.62 * columns))
    draw.text((columns / 2, 98), str(number), fill=ink, font=font, anchor="mm")
    return Texture(np.asarray(picture)[::-1], height / rows)


def paint_wall(door: int, tint: RGB, width: float, height: float) -> Texture:
    """Paint a wall with a rail at 0.9 m, windows of 1.1 m by 1.1 m, and one door of 0.9 m by 2 m."""
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


def draw_street(draw: ImageDraw.ImageDraw, way: np.ndarray) -> None:
    """Draw a street, 7 m wide, along a path (N, 2) in pixels (5 cm) with a point every 0.75 m."""
    aside = np.gradient(way, axis=0)[:, ::-1] / 15 * [-1, 1]
    for left, right, fill in ((70, -70, (112, 112, 116)), (66, 64, (214, 212, 204)), (-64, -66, (214, 212, 204))):
        band = np.concatenate([way + left * aside, (way + right * aside)[::-1]])
        draw.polygon([tuple(point) for point in band], fill=fill)
    for k in range(0, len(way) - 4, 8):  # dashes of 3 m every 6 m
        band = np.concatenate([way[k : k + 5] + 2 * aside[k : k + 5], (way[k : k + 5] - 2 * aside[k : k + 5])[::-1]])
        draw.polygon([tuple(point) for point in band], fill=(228, 226, 218))


def draw_mat(draw: ImageDraw.ImageDraw, origin: np.ndarray) -> None:
    """Draw a cutting mat of 90 cm by 60 cm around a pixel (2,), with a line every centimetre (8 pixels)."""
    x, y = origin
    draw.rectangle((x - 376, y - 256, x + 376, y + 256), fill=(38, 92, 84))
    for k in range(-45, 46):
        bold = k % 10 == 0
        for line in ((x + 8 * k, y - 240, x + 8 * k, y + 240), (x - 360, y + 8 * k, x + 360, y + 8 * k)):
            if abs(k) <= 30 or line[0] == line[2]:
                draw.line(line, fill=(206, 214, 150) if bold else (70, 124, 112), width=2 if bold else 1)


def lay(
    rng: np.random.Generator, kind: str, low: np.ndarray, high: np.ndarray, cards: Sequence[Surface], way: np.ndarray
) -> Surface:
    """Make the ground between two corners (2,): tiles, with lawns and a street, or with planks and a mat."""
    place = PLACES[kind]
    rows, columns = np.rint((high - low) / place.tile).astype(int)[::-1]
    tiles = np.array(place.ground)[rng.integers(len(place.ground), size=(rows, columns))]
    if kind == "desktop":
        tiles = np.repeat(tiles[:, :1], columns, axis=1)
    if kind == "outdoor":
        noise = Image.fromarray(rng.integers(0, 256, (rows // 7, columns // 7), dtype=np.uint8))
        tiles[np.asarray(noise.resize((columns, rows), Image.Resampling.BICUBIC)) > 140] = (98, 134, 66)
    tiles = np.clip(tiles * rng.uniform(0.94, 1.06, (rows, columns, 1)), 0, 255).astype(np.uint8)
    n = round(place.tile / place.texel)
    fine = np.repeat(np.repeat(tiles, n, axis=0), n, axis=1)
    fine[::n] = fine[::n] // 5 * 4
    if kind != "desktop":
        fine[:, ::n] = fine[:, ::n] // 5 * 4
    picture = Image.fromarray(fine)
    draw = ImageDraw.Draw(picture)
    if kind == "outdoor":
        draw_street(draw, (way - low) / place.texel)
    if kind == "desktop":
        draw_mat(draw, -low / place.texel)
    for card in cards:  # the ground is darker under a card
        foot = [tuple((card.at(a, 0)[:2] - low) / place.texel) for a in (0, 1)]
        draw.line(foot, fill=(60, 58, 54), width=round(0.1 * card.size[0] / place.texel))
    grain = rng.normal(0, 0.07, (256, 256)).clip(-0.2, 0.2).astype(np.float32)
    picture = np.asarray(picture.filter(ImageFilter.GaussianBlur(0.6)))
    x, y, _ = np.eye(3)
    return Surface(np.array([*low, 0]), x, y, tuple(high - low), Texture(picture, place.texel, grain))


def plant(
    rng: np.random.Generator, place: Place, path: np.ndarray, low: np.ndarray, high: np.ndarray, way: np.ndarray
) -> list[Surface]:
    """Place cards between two corners (2,), in view of a path (N, 4, 4), away from a street and each other."""
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
        taken = np.array([*way, *(card.at(0.5, 0)[:2] for card in cards)])
        inside = np.all(foot > low + 0.2 * place.clearance) and np.all(foot < high - 0.2 * place.clearance)
        if inside and np.linalg.norm(foot[:, None] - taken, axis=2).min() > place.clearance:
            colour = str(names[len(cards) % len(names)])
            texture = paint_card(len(cards) + 1, colour, width, height)
            cards.append(Surface(np.array([*foot[0], 0]), across, np.eye(3)[2], (width, height), texture, colour))
        if len(cards) == place.cards:
            break
    return cards


def build(kind: str, path: np.ndarray, rng: np.random.Generator) -> list[Surface]:
    """Build a scene of this kind (one of PLACES) around a path (N, 4, 4); surfaces with a colour are cards."""
    place = PLACES[kind]
    spots = path[:, :2, 3]
    low, high = spots.min(axis=0) - place.margin, spots.max(axis=0) + place.margin
    low, high = np.floor(low / place.tile) * place.tile, np.ceil(high / place.tile) * place.tile
    if kind == "outdoor":  # the street continues before and behind the path
        line = np.concatenate([spots[:1] - 60 * path[:1, :2, 2], spots, spots[-1:] + 90 * path[-1:, :2, 2]])
        gone = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])
        way = np.stack([np.interp(np.arange(0, gone[-1], 0.75), gone, values) for values in line.T], axis=1)
    else:  # no card is directly in front of the camera
        way = np.concatenate([spots, spots + place.clearance * path[:, :2, 2]])
    if kind == "desktop":
        low, high = np.array([-0.8, -0.6]), np.array([0.8, 0.6])
    cards = plant(rng, place, path, low, high, way)
    walls = []
    corners = np.array([(low[0], high[1], 0), (*high, 0), (high[0], low[1], 0), (*low, 0)])
    for k, tint in enumerate(WALLS if kind == "indoor" else ()):
        edge = corners[(k + 1) % 4] - corners[k]
        size = (float(np.abs(edge).max()), 2.7)
        texture = paint_wall(int(rng.integers(9)), tint, *size)
        walls.append(Surface(corners[k], edge / size[0], np.eye(3)[2], size, texture))
    return [*cards, *walls, lay(rng, kind, low, high, cards, way)]


def background(place: Place, pose: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the colours of sky, hills and horizon (rows, columns, 3) for the rays (x, y, 1) of a camera."""
    east, north, up = (row[0] * x + (row[1] * y[:, None] + row[2]) for row in pose[:3, :3].astype(np.float32))
    rise = up / np.hypot(east, north)
    horizon, zenith = np.array([place.horizon, place.zenith], np.float32)
    out = horizon + np.clip(rise * 1.6, 0, 1)[..., None] * (zenith - horizon)
    if place is PLACES["outdoor"]:
        azimuth = np.arctan2(north, east)
        hills = 0.055 + 0.022 * np.sin(3 * azimuth) + 0.016 * np.sin(7 * azimuth + 1) + 0.006 * np.sin(23 * azimuth)
        out[rise < hills] = (128, 152, 148)
    out[rise < 0] = place.beyond
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


def render(
    surfaces: Sequence[Surface], kind: str, pose: np.ndarray, K: np.ndarray, size: tuple[int, int]
) -> Image.Image:
    """Cast four rays per pixel through the camera matrix K (3, 3) from a pose (4, 4) and average them."""
    place = PLACES[kind]
    x, y = (((np.arange(2 * n) - 0.5) / 2 - K[i, 2]) / K[i, i] for i, n in enumerate(size))
    x, y = x.astype(np.float32), y.astype(np.float32)
    depth, out = np.full((len(y), len(x)), np.inf, np.float32), np.zeros((len(y), len(x), 3), np.float32)
    haze = np.array(place.horizon, np.float32)
    R, light_from = pose[:3, :3], SUN @ pose[:3, :3]
    for surface in sorted(surfaces, key=lambda s: np.linalg.norm(s.at(0.5, 0.5) - pose[:3, 3])):
        across, upward, corner = np.array([surface.across, surface.upward, surface.corner - pose[:3, 3]]) @ R
        right, top = surface.size[0] * across, surface.size[1] * upward
        seen = window(np.array([corner, corner + right, corner + right + top, corner + top]), x, y)
        if seen is None:
            continue
        normal = np.cross(across, upward)
        u, v = x[None, seen[1]], y[seen[0], None]

        def dot(n: np.ndarray, u: np.ndarray = u, v: np.ndarray = v) -> np.ndarray:
            return np.float32(n[0]) * u + (np.float32(n[1]) * v + np.float32(n[2]))

        facing = dot(normal)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.float32(normal @ corner) / facing
            a, b = t * dot(across) - np.float32(across @ corner), t * dot(upward) - np.float32(upward @ corner)
            hit = (t > NEAR) & (t < depth[seen]) & (a >= 0) & (a < surface.size[0]) & (b >= 0) & (b < surface.size[1])
        t, a, b = t[hit], a[hit], b[hit]
        slant = np.abs(facing / np.sqrt(1 + u * u + v * v))[hit]
        if normal @ corner > 0:  # the number on the back of a card is not mirrored
            a = np.float32(surface.size[0]) - a
        footprint = t * np.float32(0.5 / K[0, 0]) / np.sqrt(np.maximum(slant, np.float32(0.02)))
        clear = np.exp(t / np.float32(-place.haze))[:, None]
        light = np.float32(0.76 + 0.24 * abs(light_from @ normal))
        out[seen][hit] = surface.texture.colours(a, b, footprint) * (light * clear) + haze * (1 - clear)
        depth[seen][hit] = t
    bare = (depth == np.inf).astype(np.float32)
    total, bare = (part[::2, ::2] + part[1::2, ::2] + part[::2, 1::2] + part[1::2, 1::2] for part in (out, bare))
    total += bare[..., None] * background(place, pose, x.reshape(-1, 2).mean(axis=1), y.reshape(-1, 2).mean(axis=1))
    return Image.fromarray((np.minimum(total / 4, 255) + 0.5).astype(np.uint8))

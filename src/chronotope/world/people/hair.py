"""Hair: caps with thickness and strands on the skull, with locks that hang, a tail or a bun."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.ndimage import gaussian_filter, gaussian_filter1d

from chronotope.world.people.body import AgeGroup, Ancestry, Sex
from chronotope.world.people.head import Head
from chronotope.world.people.measures import Measures
from chronotope.world.people.sheet import strongest
from chronotope.world.rig import Weights
from chronotope.world.things import Look, Piece
from chronotope.world.things.mesh import Mesh, tube

HairKind = Literal["short", "cropped", "long", "bob", "ponytail", "bun", "curly", "fringe of hair"]

_AROUND, _UP = 56, 13  # columns and rows of a cap
_HANGING, _INSIDE = 8, 2  # rows of hair that hangs, and of the inside of a cap that shows at its edge
_FLAT = 1e-9  # m², twice the area of the smallest face
_SIZE = 128  # px


@dataclass(frozen=True)
class Style:
    """The measures of a kind of hair, as shares of the height of the skull over the eyes.

    ``thick`` is the thickness on top, ``side`` at the sides. ``down`` is how far hair hangs under the eyes; it hangs
    from the angle ``free`` (degrees from the face) on. ``bumps`` is the height of curls. ``receding`` raises the
    hairline in front. ``sheen`` is the difference between light and dark strands. ``fringe`` lowers the hairline on the
    forehead.
    """

    thick: float
    side: float
    down: float = 0.0
    free: float = 180.0
    bumps: float = 0.0
    receding: float = 0.0
    sheen: float = 0.22
    fringe: float = 0.0


STYLES: dict[HairKind, Style] = {
    "short": Style(0.20, 0.10),
    "cropped": Style(0.055, 0.035, sheen=0.12),
    "long": Style(0.17, 0.13, down=1.5, free=58),
    "bob": Style(0.19, 0.15, down=0.95, free=60, fringe=0.22),
    "ponytail": Style(0.10, 0.08),
    "bun": Style(0.10, 0.08),
    "curly": Style(0.46, 0.40, bumps=0.035, sheen=0.35),
    "fringe of hair": Style(0.05, 0.07, receding=1.0),
}


_USUAL: dict[tuple[Sex, AgeGroup], tuple[HairKind, ...]] = {
    ("female", "child"): ("long", "bob", "ponytail"),
    ("female", "adult"): ("long", "long", "bob", "ponytail", "bun"),
    ("female", "old"): ("bob", "bun", "short"),
    ("male", "child"): ("short", "short", "cropped"),
    ("male", "adult"): ("short", "short", "cropped"),
    ("male", "old"): ("short", "cropped", "fringe of hair"),
}


def draw_hair_kind(generator: np.random.Generator, sex: Sex, age: AgeGroup, ancestry: Ancestry) -> HairKind:
    """Draw a kind of hair that people of a sex, an age group and an ancestry often have."""
    usual = _USUAL[sex, age]
    usual = ("curly", "curly", *usual) if ancestry == "african" else usual
    return usual[int(generator.integers(len(usual)))]


def make_hair(
    generator: np.random.Generator, measures: Measures, head: Head, kind: HairKind, colour: tuple[float, float, float]
) -> list[tuple[Piece, Weights]]:
    """Make the pieces of the hair of a head."""
    style = STYLES[kind]
    look = Look((1.0, 1.0, 1.0), 0.18, 0.25, _strands(generator, colour, style))
    meshes = [_cap(generator, head, style)]
    if kind == "ponytail":
        meshes += [_tail(head)]
    if kind == "bun":
        meshes += [_bun(head)]
    return [(Piece(places, rows, picture, look), _bound(measures, head, places)) for places, rows, picture in meshes]


def _strands(generator: np.random.Generator, colour: tuple[float, float, float], style: Style) -> np.ndarray:
    """Paint strands (h, w, 3) uint8 that run from top to bottom, or curls."""
    noise = generator.normal(size=(_SIZE, _SIZE))
    if style.bumps:
        noise = gaussian_filter(noise, 1.6, mode="wrap")
    else:
        noise = gaussian_filter1d(gaussian_filter1d(noise, 14, axis=0, mode="wrap"), 0.9, axis=1, mode="wrap")
    shade = 1 + style.sheen * noise / noise.std() * 0.7
    base = np.array(colour) * shade[..., None] + 0.012 * noise[..., None] / noise.std()
    return np.rint(255 * np.clip(base, 0.015, 1)).astype(np.uint8)


def _cap(generator: np.random.Generator, head: Head, style: Style) -> Mesh:
    """Make a cap, whose outer surface goes from the crown to the edge of the hair.

    The part of its inside that shows belongs to it.
    """
    h = head.rise
    angle = np.linspace(-np.pi, np.pi, _AROUND, endpoint=False)
    locks = _smooth_noise(generator, _AROUND, 1.2)
    edge = head.hairline(angle, style.receding) + 0.025 * h * locks
    edge = edge - style.fringe * h * np.clip(1.6 - np.abs(np.degrees(angle)) / 30, 0, 1)
    hanging = _step((np.abs(np.degrees(angle)) - style.free + 10) / 20) if style.down else np.zeros(_AROUND)
    lowest = np.where(hanging > 0, np.maximum(edge, head.middle[2] + 0.12 * h), edge)
    # Slopes at which the cap ends on the skull.
    first = np.empty(_AROUND)
    slopes = np.radians(np.linspace(-60, 88, 30))
    places, _ = head.skull(*np.broadcast_arrays(angle[:, None], slopes))
    for k in range(_AROUND):
        first[k] = np.interp(lowest[k], np.maximum.accumulate(places[k, :, 2]), slopes)
    share = np.linspace(0, 1, _UP) ** 0.85
    slope = np.pi / 2 - share[:, None] * (np.pi / 2 - first[None])
    ways = np.broadcast_to(angle, slope.shape)
    skull, out = head.skull(ways, slope)
    upright = np.clip(out[..., 2] * 1.4 - 0.1, 0, 1)
    full = style.side + (style.thick - style.side) * upright
    # Thin at the edge, so that hair grows out of the skin, but not where it hangs.
    rim = np.clip((1 - share[:, None]) / (0.45 if style.bumps else 0.22), 0, 1) ** 0.6
    rim = rim + (1 - rim) * hanging[None]
    tuft = 1 + 0.16 * _smooth_noise(generator, _AROUND, 0.8)[None] * np.clip(share[:, None] * 2, 0, 1)
    thick = h * (0.03 + (full - 0.03) * rim * tuft)
    if style.bumps:
        thick = thick + h * style.bumps * _curls(generator, out) * rim
    outer = skull + thick[..., None] * out
    inner = skull - 0.03 * h * out
    if style.down:
        outer, inner = _hang(generator, head, style, outer, inner, angle, hanging)
    return _joined(outer, inner, angle, _INSIDE + (_HANGING if style.down else 0))


def _hang(
    generator: np.random.Generator,
    head: Head,
    style: Style,
    outer: np.ndarray,
    inner: np.ndarray,
    angle: np.ndarray,
    hanging: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Continue a cap downwards, where its hair hangs."""
    h, rows = head.rise, _HANGING
    locks = _smooth_noise(generator, _AROUND, 1.0)
    end = head.middle[2] - style.down * h + 0.05 * h * locks
    last, base = outer[-1], inner[-1]
    drop = np.linspace(0, 1, rows + 1)[1:, None]
    radial = np.stack([np.cos(angle), np.sin(angle), np.zeros(_AROUND)], axis=1)
    # Past the ears, then in towards the neck.
    side = np.abs(np.sin(angle))
    far = np.linalg.norm((last - head.middle)[:, :2], axis=1)
    wide = np.maximum(far, (head.ear + 0.06 * h) * side + far * (1 - side))
    bulge = np.sin(np.pi * np.clip(drop * 1.1, 0, 1)) * 0.05 * h
    reach = far + (wide - far) * np.clip(drop * 4, 0, 1) + bulge - 0.10 * h * drop**2
    back = np.clip(-np.cos(angle), 0, 1)
    reach = reach + 0.03 * h * locks * drop + 0.22 * h * back * drop**2  # over the shoulders and the back
    height = last[:, 2] + (end - last[:, 2]) * drop
    down = np.empty((rows, _AROUND, 3))
    down[..., :2] = head.middle[:2] + reach[..., None] * radial[None, :, :2]
    down[..., 2] = height
    inside = down - (0.13 * h) * radial[None]
    part = hanging[None, :, None]
    # Columns over the face end at the hairline: their further rows stay there.
    down = part * down + (1 - part) * last[None]
    inside = part * inside + (1 - part) * base[None]
    inside[-1] = 0.5 * inside[-1] + 0.5 * down[-1]
    return np.concatenate([outer, down]), np.concatenate([inner, inside])


def _joined(outer: np.ndarray, inner: np.ndarray, angle: np.ndarray, turned: int) -> Mesh:
    """Join an outer surface (R, N, 3) to the last rows of the inner one.

    Both go from the crown to the edge. The ``turned`` rows of the inner surface next to the edge are what can be seen
    of it.
    """
    height, count = outer.shape[:2]
    both = np.concatenate([outer[1:], inner[: height - 1 - turned : -1]])
    crown = outer[0].mean(axis=0)
    vertices = np.concatenate([both.reshape(-1, 3), [crown]])
    here = np.arange(count)
    after = np.roll(here, -1)
    faces = [np.stack([np.full(count, len(both) * count), here, after], axis=1)]
    for row in range(len(both) - 1):
        top, low = row * count, (row + 1) * count
        faces += [np.stack([top + here, low + here, low + after], axis=1)]
        faces += [np.stack([top + here, low + after, top + after], axis=1)]
    along = np.linspace(0.02, 1, height - 1)
    along = np.concatenate([along, along[: height - 2 - turned : -1]])
    uv = np.stack(np.broadcast_arrays(3 * np.abs(angle)[None] / np.pi, 1 - along[:, None]), axis=2)
    uv = np.concatenate([uv.reshape(-1, 2), [[0.0, 1.0]]])
    rows = np.concatenate(faces)
    # Hair that does not hang has rows on top of each other.
    a, b, c = vertices[rows].transpose(1, 0, 2)
    used, rows = np.unique(rows[np.linalg.norm(np.cross(b - a, c - a), axis=1) > _FLAT], return_inverse=True)
    return Mesh(vertices[used], rows.reshape(-1, 3), uv[used])


def _tail(head: Head) -> Mesh:
    """Make a tail that hangs from the back of the head."""
    h = head.rise
    start, _ = head.skull(np.array(np.pi), np.array(np.radians(22.0)))
    way = np.array([(0.10, 0.02), (-0.18, 0.06), (-0.36, -0.10), (-0.42, -0.45), (-0.40, -0.85), (-0.36, -1.25)])
    radius = np.array([0.10, 0.12, 0.19, 0.21, 0.17, 0.05])
    at = np.linspace(0, 1, len(way))
    fine = np.linspace(0, 1, 14)
    path = np.stack([np.interp(fine, at, way[:, 0]), np.zeros(14), np.interp(fine, at, way[:, 1])], axis=1)
    path = start + h * gaussian_filter1d(path, 1.0, axis=0, mode="nearest")
    return tube(path, h * np.interp(fine, at, radius), 14)


def _bun(head: Head) -> Mesh:
    """Make a bun on the back of the head."""
    h = head.rise
    start, out = head.skull(np.array(np.pi), np.array(np.radians(38.0)))
    polar = np.linspace(0, np.pi, 12)
    path = start + h * (0.10 - 0.30 * np.cos(polar))[:, None] * out
    return tube(path, h * 0.33 * np.sin(np.clip(polar, 0.12, np.pi - 0.12)), 18)


def _smooth_noise(generator: np.random.Generator, count: int, width: float) -> np.ndarray:
    """Return noise (count,) around a circle, with the deviation 1."""
    noise = gaussian_filter1d(generator.normal(size=count), width, mode="wrap")
    return (noise - noise.mean()) / noise.std()


def _curls(generator: np.random.Generator, ways: np.ndarray) -> np.ndarray:
    """Return noise (...) in directions (..., 3), with the deviation 1: waves that run in all directions."""
    waves = generator.normal(size=(24, 3))
    waves *= generator.uniform(5, 11, (24, 1)) / np.linalg.norm(waves, axis=1, keepdims=True)
    noise = np.cos(ways @ waves.T + generator.uniform(0, 2 * np.pi, 24)).sum(axis=-1)
    return noise / np.sqrt(12)


def _step(value: np.ndarray) -> np.ndarray:
    value = np.clip(value, 0, 1)
    return value * value * (3 - 2 * value)


def _bound(measures: Measures, head: Head, places: np.ndarray) -> Weights:
    """Bind hair to the head; what hangs lower follows the neck and the trunk more and more."""
    neck, chest = measures.body.joint("Neck")[2], measures.body.joint("Neck")[2] - 0.5 * head.rise
    level = measures.body.joint("Head")[2] - 0.1 * head.rise
    shares = np.zeros((len(places), len(measures.names)))
    to_neck = np.clip((level - places[:, 2]) / (level - neck), 0, 1) * 0.5
    to_chest = np.clip((neck - places[:, 2]) / (neck - chest), 0, 1) * 0.5
    shares[:, measures.number("Head")] = 1 - to_neck - to_chest
    shares[:, measures.number("Neck")] = to_neck
    shares[:, measures.number("Spine2")] = to_chest
    return strongest(shares)

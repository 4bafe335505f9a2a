"""Small things of homes that lie about: keys, watches, discs; and foil in its box."""

import colorsys

import numpy as np

from chronotope.world.things import textures
from chronotope.world.things.colours import plain
from chronotope.world.things.joinery import BLACK, STEEL, board, clad, rod
from chronotope.world.things.kind import HomeState, Model
from chronotope.world.things.mesh import (
    Mesh,
    block,
    cylinder,
    ellipsoid,
    lathe,
    loft,
    merge,
    moved,
    pictured,
    turned,
    volume,
)
from chronotope.world.things.thing import Look, Paint

_PALE, _BRASS = plain((0.96, 0.95, 0.91), "paper"), plain((0.80, 0.62, 0.22), "metal")
_WIDE = 96  # px, width of a picture


def watch(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a wristwatch with a closed strap, its dial on top."""
    length, width, tall = (float(each) for each in size)
    thin, dial = 0.003, 0.5 * width
    turn = np.arange(40) * (2 * np.pi / 40)
    a, b, half = length / 2, (tall - 0.009) / 2, 0.26 * width
    rings = []
    for scale, y in ((1.0, half), (1.0, -half), (1 - thin / b, -half), (1 - thin / b, half)):
        rings.append(np.stack([a * scale * np.cos(turn), np.full(40, y), b + b * scale * np.sin(turn)], axis=1))
    strap = loft(np.array(rings), closed=True)
    case = moved(cylinder(dial, 0.010, "z", 0.002, 28), by=(0, 0, tall - 0.006))
    face = moved(cylinder(0.84 * dial, 0.001, "z", 0, 28), by=(0, 0, tall - 0.0008))
    hands = merge(
        rod((0, 0, tall - 0.0002), (0.6 * dial, 0, tall - 0.0002), 0.0007, 6),
        rod((0, 0, tall - 0.0002), (0.1 * dial, 0.42 * dial, tall - 0.0002), 0.0009, 6),
    )
    metal = _BRASS if generator.random() < 0.5 else STEEL
    light = paint.colour in ("black", "brown", "blue")
    return Model(
        ((strap, paint.look), (case, metal), (face, _PALE if light else BLACK), (hands, BLACK if light else _PALE)),
        (strap, case),
    )


def disc(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a compact disc: its shining side, or a printed side with a title."""
    radius, tall = float(min(size[0], size[1])) / 2, float(size[2])
    profile = [(0.13 * radius, 0), (radius, 0), (radius, tall), (0.13 * radius, tall)]
    body = lathe(np.array(profile), 44, closed=True)
    y, x = np.mgrid[:_WIDE, :_WIDE] / _WIDE - 0.5
    hue = np.arctan2(y, x) / np.pi % 1
    colours = np.array([colorsys.hsv_to_rgb(each, 0.32, 0.97) for each in np.linspace(0, 1, 64)])
    picture = np.rint(255 * colours[(hue * 63).astype(int)]).astype(np.uint8)
    if generator.random() < 0.4:
        picture = textures.paper(generator, paint.look.colour, (_WIDE, _WIDE))
        picture = textures.write(picture, "MUSIC", (0.97, 0.96, 0.92), (0.28, 0.66, 0.72, 0.78))
    picture[np.hypot(x, y) < 0.17] = (225, 228, 232)
    top = pictured(lathe(np.array([(0.13 * radius, tall), *[(r * radius, tall + 0.0004) for r in (0.14, 0.97)],
                                   (0.98 * radius, tall)]), 44, closed=True))  # fmt: skip
    top = top._replace(faces=top.faces[:, ::-1]) if volume(top.vertices, top.faces) < 0 else top
    return Model(((body, STEEL), (top, Look((1, 1, 1), 0.8, 0.9, picture))), (body,))


def keys(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make three keys on a ring, with a coloured tag."""
    length, width, tall = (float(each) for each in size)
    middle, reach = -0.12 * length, 0.16 * length
    hoop = _flat_ring(reach, 0.0022)
    hoop = moved(hoop, by=(middle, 0, tall / 2))
    keys, solids = [], []
    for number, degrees in enumerate((-34.0, 0.0, 34.0)):
        blade = 0.5 * length * (1.0, 0.9, 0.95)[number]
        z = 0.003 + 0.002 * number
        head = moved(_flat_ring(0.075 * length, 0.02 * length, 0.002), by=(0.9 * reach, 0, 0))
        shaft = moved(block((blade, 0.045 * length, 0.0018), 0), by=(0.9 * reach + 0.06 * length + blade / 2, 0, 0))
        teeth = [
            moved(block((0.03 * length, 0.03 * length, 0.0018), 0), by=(0.9 * reach + x * length, 0.035 * length, 0))
            for x in (0.34, 0.41, 0.48)
        ]
        key = moved(turned(merge(head, shaft, *teeth), "z", 0.55 * degrees * width / 0.08), by=(middle, 0, z))
        keys.append(key)
        solids.append(shaft)
    tag = moved(
        block((0.30 * length, 0.24 * length, 0.0045), 0.001, 0.012), by=(middle - reach - 0.13 * length, 0, 0.004)
    )
    whole = np.concatenate([each.vertices for each in (*keys, tag, hoop)])
    low, high = whole.min(axis=0), whole.max(axis=0)
    shift, scale = -np.array([*((low + high) / 2)[:2], low[2]]), size / (high - low)

    def fit(mesh: Mesh) -> Mesh:
        return mesh._replace(vertices=(mesh.vertices + shift) * scale)

    return Model(
        ((fit(merge(keys[0], keys[2], hoop)), STEEL), (fit(keys[1]), _BRASS), (fit(tag), paint.look)),
        (fit(tag), *(fit(each) for each in keys)),
    )


def _flat_ring(radius: float, wide: float, tall: float | None = None) -> Mesh:
    # Make a level ring about the origin; its cross-section is a rectangle.
    half = (wide if tall is None else tall) / 2
    profile = [(radius - wide, -half), (radius, -half), (radius, half), (radius - wide, half)]
    return lathe(np.array(profile), 28, closed=True)


def foil(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a long box with a window of print and a strip of foil at its front."""
    deep, wide, tall = (float(each) for each in size)
    back = 0.82 * deep
    box = clad(moved(block((back, wide, tall), 0.001), by=(-0.09 * deep, 0, tall / 2)))
    x = -0.09 * deep + back / 2
    picture = textures.paper(generator, paint.look.colour, (48, 192))
    picture = textures.write(picture, "FOIL", (0.97, 0.97, 0.95), (0.08, 0.2, 0.6, 0.8))
    picture[:, 140:] = (205, 208, 212)
    label = moved(turned(pictured(block((0.9 * back, 0.96 * wide, 0.0006))), "z", 0), by=(-0.09 * deep, 0, tall))
    label = label._replace(
        uv=np.stack([label.vertices[:, 1] / wide + 0.5, 0.5 - (label.vertices[:, 0] + 0.09 * deep) / back], axis=1)
    )
    sheet = board((x - 0.001, -0.46 * wide, 0.86 * tall), (deep / 2, 0.46 * wide, 0.86 * tall + 0.0012))
    crease = [
        moved(
            ellipsoid((0.5 * (deep / 2 - x), 0.05 * wide, 0.0018), 10), by=((x + deep / 2) / 2, y * wide, 0.86 * tall)
        )
        for y in (-0.33, -0.1, 0.14, 0.36)
    ]
    silver = Look((0.86, 0.87, 0.89), 0.95, 0.95)
    return Model(
        ((box, paint.look), (label, plain((1, 1, 1), "cardboard", picture)), (merge(sheet, *crease), silver)), (box,)
    )

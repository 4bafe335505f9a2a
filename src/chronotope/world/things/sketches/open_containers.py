"""Open containers that are opaque and deep: tub, bin, flowerpot, tin, crate, drum, hat box and barrel.

Things in them are hidden from the side and visible from above. For collisions, each is a floor and a ring of solids, so
that things can lie inside.
"""

import itertools

import numpy as np

from chronotope.world.things import textures
from chronotope.world.things.colours import legible, plain, shade
from chronotope.world.things.joinery import BLACK, board, clad
from chronotope.world.things.kind import Model
from chronotope.world.things.lettering import inked
from chronotope.world.things.mesh import Mesh, curve, ellipsoid, fillet, hollow, lathe, merge, moved, ring, tube, turned
from chronotope.world.things.pictograms import polygon
from chronotope.world.things.thing import Look, Paint

SECTORS = 12  # solids around a wall
SEGMENTS = 48
_STEEL, _TERRACOTTA = (0.74, 0.74, 0.76), (0.70, 0.35, 0.21)
_LOOSE = [(-0.5, 0.26), (0.17, 0.26), (0.17, 0.08), (0.52, 0.38), (0.17, 0.68), (0.17, 0.5), (-0.5, 0.5)]


def _walls(outer: np.ndarray, wall: float, floor: float) -> tuple[np.ndarray, ...]:
    """Cut a round vessel into solids: a floor, and the sectors of its wall.

    ``outer`` (N, 2) is its profile of (radius, z) from the rim of the bottom to the top.
    """
    solids = [np.concatenate([ring(outer[0, 0], 24), ring(outer[0, 0], 24, floor)])]
    turns = np.linspace(0, 2 * np.pi, 2 * SECTORS + 1)
    for (low, high), first in itertools.product(itertools.pairwise(outer), range(0, 2 * SECTORS, 2)):
        if high[1] - low[1] < 1e-6:
            continue
        reach = np.array([(r - inset, z) for r, z in (low, high) for inset in (0.0, wall)])
        angle = turns[first : first + 3, None]
        solids.append(
            np.stack(np.broadcast_arrays(reach[:, 0] * np.cos(angle), reach[:, 0] * np.sin(angle), reach[:, 1]), axis=2)
            .reshape(-1, 3)
        )  # fmt: skip
    return tuple(solids)


def _vessel(side: np.ndarray, wall: float, floor: float) -> Mesh:
    """Turn the profile (N, 2) of a side into a vessel with a floor and a wall."""
    return lathe(hollow(np.concatenate([[(0.0, side[0, 1])], side]), wall, floor), SEGMENTS)


def _band(side: np.ndarray, low: float, high: float, thick: float = 0.0008, sunk: float = 0.002) -> Mesh:
    """Make a band with a picture around a side, between two heights.

    ``side`` (N, 2) is the profile of (radius, z).
    """
    inner = side[(side[:, 1] > low) & (side[:, 1] < high)]
    ends = [(float(np.interp(z, side[:, 1], side[:, 0])), z) for z in (low, high)]
    path = np.array([ends[0], *inner, ends[1]])
    mesh = lathe(np.concatenate([np.add(path, (thick, 0)), np.add(path[::-1], (-sunk, 0))]), SEGMENTS, closed=True)
    z = mesh.vertices[:, 2]
    return mesh._replace(uv=np.column_stack([mesh.uv[:, 0], (high - z) / (high - low)]))


def tub(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a wide flexible tub with two handles, which rise from its rim at both ends of x."""
    low, high, height = 0.125, generator.uniform(0.165, 0.18), 0.20
    side = fillet([(low, 0), (high, height - 0.014), (high + 0.007, height - 0.012), (high + 0.007, height)], 0.004, 3)
    body = _vessel(side, 0.006, 0.006)
    turn = np.linspace(0, np.pi, 22)
    path = np.column_stack(
        [np.full(22, high + 0.002) + 0.018 * np.sin(turn), 0.062 * np.cos(turn), height - 0.018 + 0.062 * np.sin(turn)]
    )
    grip = tube(path, 0.0085, 12)
    grips = [grip, turned(grip, "z", 180)]
    return Model(((merge(body, *grips), paint.look),), (*_walls(side, 0.006, 0.006), *grips))


def waste_bin(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a round bin that is wider at its top, with three bent arrows printed on three sides."""
    low, high, height = 0.098, generator.uniform(0.125, 0.135), 0.29
    side = np.array([(low, 0), (high, height - 0.02), (high + 0.005, height - 0.02), (high + 0.005, height)])
    body = _vessel(side, 0.004, 0.005)
    sheet = np.broadcast_to(textures.ink(paint.look.colour), (192, 768, 3))
    arrow = np.array(_LOOSE)
    outlines = []
    for middle, turn in itertools.product((128, 384, 640), (0.0, 120.0, 240.0)):
        c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
        outlines.append(arrow @ np.array([[c, s], [-s, c]]) * 74 + (middle, 100))
    print_ = inked(sheet, polygon((192, 768), *outlines), legible(paint))
    band = _band(side, 0.06, 0.23)
    look = Look((1, 1, 1), paint.look.specular, paint.look.shininess, print_)
    return Model(((body, paint.look), (band, look)), _walls(side, 0.004, 0.005))


def flowerpot(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a flowerpot with a thick collar, on a saucer. A brown one is bare clay."""
    low, high, height = 0.056, generator.uniform(0.080, 0.088), 0.16
    collar = height * generator.uniform(0.74, 0.8)
    neck = low + (high - 0.006 - low) * collar / height
    side = np.array([(low, 0.006), (neck, collar), (neck + 0.007, collar + 0.001), (high + 0.004, height)])
    body = _vessel(side, 0.007, 0.010)
    dish = [(0, 0), (0.068, 0), (0.080, 0.022), (0.077, 0.022), (0.066, 0.005), (0, 0.005)]
    saucer = lathe(fillet(dish, 0.002, 2), SEGMENTS)
    look = plain(_TERRACOTTA, "clay") if paint.colour == "brown" else paint.look
    solids = (*_walls(side, 0.007, 0.010), np.concatenate([ring(0.068, 24), ring(0.080, 24, 0.022)]))
    return Model(((merge(body, saucer), look),), solids)


def open_tin(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a tin without its lid: ribbed steel inside and at both ends, with a paper label."""
    radius, height = 0.0495, generator.uniform(0.112, 0.122)
    levels = np.linspace(0.006, height - 0.006, 43)
    ribbed = np.column_stack([radius - 0.0006 - 0.0008 * (np.cos(np.arange(43) * np.pi / 3) > 0), levels])
    side = np.array([(radius + 0.001, 0), (radius + 0.001, 0.003), *ribbed, (radius + 0.001, height - 0.003),
                     (radius + 0.001, height)])  # fmt: skip
    body = _vessel(side, 0.0016, 0.003)
    sheet = textures.paper(generator, paint.look.colour, (96, 384))
    letters = legible(paint)
    sheet[6:12] = sheet[84:90] = textures.ink(letters)
    down, across = np.mgrid[:96, :384]
    for middle in (64, 192, 320):  # a plain oval emblem with a ring
        away = np.hypot((across - middle) / 34, (down - 48) / 24)
        sheet[away < 1] = textures.ink(letters)
        sheet[(away < 0.84) & (away > 0.74)] = textures.ink(paint.look.colour)
    label = _band(np.array([(radius - 0.0002, 0.0), (radius - 0.0002, height)]), 0.016, height - 0.020)
    coarse = np.array([(radius + 0.001, 0.0), (radius + 0.001, height)])
    return Model(
        ((body, plain(_STEEL, "steel")), (label, Look((1, 1, 1), 0.15, 0.3, sheet))), _walls(coarse, 0.003, 0.003)
    )


def crate(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a crate of boards that has no lid.

    Each side has three boards, and each corner a post.
    """
    a, b, height, thick = 0.17, generator.uniform(0.12, 0.13), 0.20, 0.011
    wood = paint.look if paint.colour != "brown" else plain((1.0, 1.0, 1.0), "wood", textures.wood(generator, "birch"))
    seam = plain(shade(paint.look.colour, 0.45) if paint.colour != "brown" else (0.36, 0.25, 0.14), "wood")
    boards, lining, posts = [], [], []
    tall = (height - 2 * 0.006) / 3
    for sign, level in itertools.product((-1, 1), range(3)):
        low, high = level * (tall + 0.006), level * (tall + 0.006) + tall
        boards.append(board((-a, sign * b, low), (a, sign * (b - thick), high)))
        boards.append(board((sign * a, -b + thick, low), (sign * (a - thick), b - thick, high)))
    for sign in (-1, 1):
        inner = thick + 0.004
        lining.append(board((-a + thick, sign * (b - thick), 0.004), (a - thick, sign * (b - inner), height - 0.006)))
        lining.append(board((sign * (a - thick), -b + inner, 0.004), (sign * (a - inner), b - inner, height - 0.006)))
        side = sign * (a + 0.0006)
        lining.append(board((side, -0.042, height - 0.042), (side - sign * 0.002, 0.042, height - 0.018)))
    for x, y in itertools.product((-1, 1), (-1, 1)):
        near, far = thick + 0.003, thick + 0.026
        posts.append(board((x * (a - near), y * (b - near), 0.004), (x * (a - far), y * (b - far), height - 0.004)))
    floor = board((-a + thick, -b + thick, 0.0), (a - thick, b - thick, 0.012))
    return Model(((merge(*boards, *posts, floor), wood), (merge(*lining), seam)), (*boards, *lining, *posts, floor))


def oil_drum(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a small steel drum without its lid, with two hoops and a thick rim."""
    radius, height, hoop = 0.145, generator.uniform(0.36, 0.38), 0.006
    points = [(radius + 0.004, 0.0), (radius + 0.004, 0.010), (radius, 0.014)]
    for middle in (0.34 * height, 0.66 * height):
        points += [(radius, middle - 0.010), (radius + hoop, middle - 0.003), (radius + hoop, middle + 0.003),
                   (radius, middle + 0.010)]  # fmt: skip
    points += [(radius, height - 0.016), (radius + 0.005, height - 0.012), (radius + 0.005, height)]
    body = _vessel(np.array(points), 0.004, 0.008)
    coarse = np.array([(radius + 0.005, 0.0), (radius + 0.005, height)])
    return Model(((body, paint.look),), _walls(coarse, 0.009, 0.008))


def hat_box(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a round hat box of striped board, without its lid.

    A ribbon has a bow at the front (+x).
    """
    radius, height = 0.16, generator.uniform(0.17, 0.19)
    side = np.array([(radius, 0.0), (radius, height)])
    body = _vessel(side, 0.004, 0.004)
    pale = (0.95, 0.93, 0.88) if paint.colour != "white" else (0.62, 0.70, 0.80)
    striped = textures.stripes(generator, paint.look.colour, pale, 48, 768, upright=True)[:64]
    paper = _band(side, 0.0, height - 0.0005, 0.001)
    tone = plain(shade(paint.look.colour, 0.5) if paint.colour != "black" else (0.72, 0.12, 0.16), "fabric")
    ribbon = _band(side, 0.38 * height, 0.56 * height, 0.0022)
    middle = np.array([radius + 0.008, 0.0, 0.47 * height])
    turn = np.linspace(0, 2 * np.pi, 26)[:-1]
    loop = np.column_stack([0.008 * np.sin(2 * turn), 0.034 + 0.030 * np.cos(turn), 0.020 * np.sin(turn)])
    loops = [moved(tube(loop * (1, sign, 1), [(0.003, 0.009)] * 25, 10, closed=True, up=(1, 0, 0)), by=middle)
             for sign in (1, -1)]  # fmt: skip
    ends = [
        tube(middle + np.array([(0, 0, 0), (0, s * 0.02, -0.03), (0.001, s * 0.034, -0.062)]), [(0.008, 0.0015)] * 3, 8,
             up=(1, 0, 0))
        for s in (-1, 1)
    ]  # fmt: skip
    knot = moved(ellipsoid((0.008, 0.010, 0.011), 14), by=middle)
    bow = merge(ribbon, *loops, *ends, knot)
    return Model(
        ((body, plain(pale, "cardboard")), (paper, Look((1, 1, 1), 0.05, 0.1, striped)), (bow, tone)),
        (*_walls(side, 0.004, 0.004), merge(*loops, *ends, knot)),
    )


def barrel(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a wooden barrel without its head: staves with a belly, and four hoops."""
    end, belly = 0.118, generator.uniform(0.146, 0.154)
    side = curve([(end, 0.0), (0.5 * (end + belly) + 0.009, 0.09), (belly, 0.18),
                  (0.5 * (end + belly) + 0.009, 0.27), (end, 0.36)], 25)  # fmt: skip
    body = _vessel(side, 0.012, 0.020)
    staves = textures.wood(generator, "oak", 512, planks=16).transpose(1, 0, 2).copy()
    look = plain((1.0, 1.0, 1.0), "wood", staves)
    hoops = [_band(side, low, low + 0.024, 0.002) for low in (0.010, 0.085, 0.251, 0.326)]
    metal = BLACK if paint.colour != "black" else plain(_STEEL, "steel")
    coarse = side[::4]
    return Model(((body, look), (clad(merge(*hoops)), metal)), _walls(coarse, 0.012, 0.020))


def orange(generator: np.random.Generator, paint: Paint) -> Model:
    """Make an orange: a slightly flat ball with pores and a small green star."""
    pores = 1 + 0.05 * np.clip(generator.normal(size=(192, 192, 1)), -2, 1)
    skin = np.rint(255 * np.clip(np.array((0.95, 0.50, 0.06)) * pores, 0, 1)).astype(np.uint8)
    body = ellipsoid((0.038, 0.038, 0.036), 32)
    star = moved(ellipsoid((0.0045, 0.0045, 0.0018), 10), by=(0, 0, 0.0355))
    return Model(((body, plain((1, 1, 1), "fruit", skin)), (star, plain((0.28, 0.36, 0.14), "leaf"))), (body,))

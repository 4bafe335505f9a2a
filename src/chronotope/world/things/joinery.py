"""Parts that furniture has in common: boards, fronts, hinges, looks, and the walls of vessels."""

import itertools
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from chronotope.world.things import textures
from chronotope.world.things.colours import plain, shade
from chronotope.world.things.kind import Shelf
from chronotope.world.things.mesh import Mesh, block, ellipsoid, loft, merge, moved, ring, tube, turned
from chronotope.world.things.thing import Look, Paint

BLACK, DARK = plain((0.06, 0.06, 0.07), "plastic"), plain((0.17, 0.17, 0.18), "plastic")
STEEL, WHITE = plain((0.72, 0.73, 0.75), "steel"), plain((0.93, 0.93, 0.92), "plastic")
JET = plain((0.72, 0.88, 0.98), "glass")  # running water
SHUT = 0.25  # below this openness, things inside can neither be seen nor reached
_METRES = 0.6  # m of a surface that one picture of a material covers
_CORNERS = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)])
_SIDES = np.array([(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])

Corner = Sequence[float]


def board(low: Corner, high: Corner) -> Mesh:
    """Make a box between two opposite corners (3,) m.

    A picture of wood has its grain along the longest side.
    """
    first, last = np.minimum(low, high), np.maximum(low, high)
    return clad(Mesh((first + _CORNERS * (last - first))[_SIDES.ravel()], _BOX_FACES, np.zeros((24, 2))))


_BOX_FACES = np.concatenate([4 * k + np.array([(0, 1, 2), (0, 2, 3)]) for k in range(6)])


def boards(*corners: tuple[Corner, Corner]) -> Mesh:
    """Make several boxes, each from its two opposite corners."""
    return merge(*(board(low, high) for low, high in corners))


def apart(mesh: Mesh) -> tuple[np.ndarray, ...]:
    """Return the corners of each box in a mesh that ``boards`` made."""
    return tuple(mesh.vertices[k : k + 36] for k in range(0, len(mesh.vertices), 36))


def clad(mesh: Mesh, metres: float = _METRES) -> Mesh:
    """Map pictures of a material onto a mesh.

    The pictures are mapped from six sides, one picture per ``metres``.
    """
    points = mesh.vertices[mesh.faces]
    normal = np.abs(np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]))
    extent = np.ptp(mesh.vertices, axis=0)
    order = np.argsort(-extent, kind="stable")  # the grain follows the longest side
    away = np.argmax(normal, axis=1)
    first = np.where(away == order[0], order[1], order[0])
    second = 3 - away - first
    rows = np.arange(len(points))[:, None]
    uv = np.stack([points[rows, np.arange(3), first[:, None]], points[rows, np.arange(3), second[:, None]]], axis=2)
    return Mesh(points.reshape(-1, 3), np.arange(3 * len(points)).reshape(-1, 3), uv.reshape(-1, 2) / metres)


def cushion(low: Corner, high: Corner, radius: float = 0.05) -> Mesh:
    """Make an upholstered box with round edges.

    The cushion lies between two opposite corners (3,) m.
    """
    first, last = np.minimum(low, high), np.maximum(low, high)
    radius = min(radius, 0.49 * float((last - first).min()))
    return clad(moved(block((last - first).tolist(), radius), by=(first + last) / 2), 0.3)


def rod(start: Corner, end: Corner, radius: ArrayLike, segments: int = 12) -> Mesh:
    """Make a straight round bar.

    ``radius`` is one radius, or the radii of both ends. The ends of a steep bar are level, so that a leg stands flat on
    the floor.
    """
    radii = np.broadcast_to(np.asarray(radius, float), 2)
    low, high = np.array(start, float), np.array(end, float)
    if abs(high[2] - low[2]) > np.hypot(*(high - low)[:2]):
        if low[2] > high[2]:
            low, high, radii = high, low, radii[::-1]
        circle = ring(1.0, segments)
        return clad(loft(np.array([low + radii[0] * circle, high + radii[1] * circle])))
    return clad(tube(np.array([start, end], float), radii, segments))


def hinged(mesh: Mesh, at: tuple[float, float], degrees: float) -> Mesh:
    """Turn a mesh about the upright line through ``at`` (x, y)."""
    return moved(turned(moved(mesh, by=(-at[0], -at[1], 0)), "z", degrees), by=(at[0], at[1], 0))


def tilted(mesh: Mesh, at: tuple[float, float], degrees: float) -> Mesh:
    """Turn a mesh about the line along y through ``at`` (x, z)."""
    return moved(turned(moved(mesh, by=(-at[0], 0, -at[1])), "y", degrees), by=(at[0], 0, at[1]))


def carcass(low: Corner, high: Corner, wall: float, back: bool = True) -> tuple[Mesh, ...]:
    """Make the boards of a box that is open to +x.

    The boards are bottom, top, left, right and perhaps the back.
    """
    (x0, y0, z0), (x1, y1, z1) = low, high
    made = [
        board((x0, y0 + wall, z0), (x1, y1 - wall, z0 + wall)),
        board((x0, y0 + wall, z1 - wall), (x1, y1 - wall, z1)),
        board((x0, y0, z0), (x1, y0 + wall, z1)),
        board((x0, y1 - wall, z0), (x1, y1, z1)),
    ]
    if back:
        made.append(board((x0, y0 + wall, z0 + wall), (x0 + 0.6 * wall, y1 - wall, z1 - wall)))
    return tuple(made)


def front(
    low: tuple[float, float], high: tuple[float, float], x: float, style: int, side: Literal["low", "high", "middle"]
) -> tuple[Mesh, Mesh]:
    """Make the front of a door or drawer with its handle.

    The front lies between two corners (y, z) m, from ``x`` to ``x + 0.045``. ``style`` 0 is smooth with a bar, 1 has a
    frame and a knob, 2 is smooth with a knob, and 3 has a frame and a bar. ``side`` is the place of the handle in y.
    """
    (y0, z0), (y1, z1) = np.array(low) + 0.002, np.array(high) - 0.002
    wide, tall = y1 - y0, z1 - z0
    thick = 0.018
    if style in (1, 3):
        rail = min(0.06, 0.22 * min(wide, tall))
        face = boards(
            ((x, y0 + rail, z0 + rail), (x + 0.55 * thick, y1 - rail, z1 - rail)),
            ((x, y0, z0), (x + thick, y0 + rail, z1)),
            ((x, y1 - rail, z0), (x + thick, y1, z1)),
            ((x, y0 + rail, z0), (x + thick, y1 - rail, z0 + rail)),
            ((x, y0 + rail, z1 - rail), (x + thick, y1 - rail, z1)),
        )
    else:
        face = board((x, y0, z0), (x + thick, y1, z1))
    inset = min(0.035, 0.25 * wide)
    y = {"low": y0 + inset, "high": y1 - inset, "middle": (y0 + y1) / 2}[side]
    z = (z0 + z1) / 2
    out = x + thick
    if style in (1, 2):
        stem = rod((out - 0.004, y, z), (out + 0.014, y, z), 0.006, 8)
        return face, merge(stem, moved(ellipsoid((0.008, 0.014, 0.014), 12), by=(out + 0.018, y, z)))
    ahead = 0.018
    reach = min(0.07, 0.3 * (wide if side == "middle" else tall))
    way = np.array((0, reach, 0) if side == "middle" else (0, 0, reach))
    middle = np.array((out + ahead, y, z))
    bar = rod(tuple(middle - way), tuple(middle + way), 0.006, 8)
    pegs = [rod(tuple(p - (ahead + 0.004, 0, 0)), tuple(p), 0.005, 8) for p in (middle - 0.8 * way, middle + 0.8 * way)]
    return face, merge(bar, *pegs)


def pane(low: tuple[float, float], high: tuple[float, float], x: float, depth: float = 0.004) -> Mesh:
    """Make an upright slab with one picture on its front.

    The slab lies between two corners (y, z) m, from ``x`` to ``x + depth``. The picture is not mirrored when seen from
    +x.
    """
    (y0, z0), (y1, z1) = low, high
    made = board((x, y0, z0), (x + depth, y1, z1))
    return mapped(made, (y0, z0), (y1, z1))


def mapped(mesh: Mesh, low: tuple[float, float], high: tuple[float, float]) -> Mesh:
    """Map one picture onto a mesh along -x.

    The picture covers the rectangle between two corners (y, z) m.
    """
    (y0, z0), (y1, z1) = low, high
    return mesh._replace(
        uv=np.stack([(mesh.vertices[:, 1] - y0) / (y1 - y0), (z1 - mesh.vertices[:, 2]) / (z1 - z0)], axis=1)
    )


def vessel(outlines: Sequence[tuple[np.ndarray, float]], closed: bool = False) -> Mesh:
    """Join level outlines (N, 2), each at its height z (m).

    The outlines go up outside and down inside, so that the vessel has a wall. A ``closed`` wall has no floor.
    """
    rings = np.array([np.column_stack([outline, np.full(len(outline), z)]) for outline, z in outlines])
    return loft(rings, closed=closed)


def wall_solids(
    outer: np.ndarray, inner: np.ndarray, low: float, high: float, count: int = 8
) -> tuple[np.ndarray, ...]:
    """Cut the wall between two outlines (N, 2) into ``count`` solids.

    The outlines are (outer, inner) at the height ``high``; the wall goes straight down to ``low``.
    """
    edges = np.linspace(0, len(outer), count + 1).round().astype(int)
    made = []
    for first, last in itertools.pairwise(edges):
        index = np.arange(first, last + 1) % len(outer)
        both = np.concatenate([outer[index], inner[index]])
        made.append(np.concatenate([np.column_stack([both, np.full(len(both), z)]) for z in (low, high)]))
    return tuple(made)


def top_of(low: tuple[float, float], high: tuple[float, float], z: float, clear: float = np.inf) -> Shelf:
    """Return the shelf of a level rectangle.

    The rectangle is between two corners (x, y) m at height ``z``.
    """
    (x0, y0), (x1, y1) = low, high
    return Shelf(((x0 + x1) / 2, (y0 + y1) / 2, z), x1 - x0, y1 - y0, clear)


def hidden(shelves: Iterable[Shelf], closed: bool) -> tuple[Shelf, ...]:
    """Return the same shelves as places inside a thing."""
    return tuple(Shelf(s.centre, s.length, s.width, s.clear, True, closed) for s in shelves)


@lru_cache(maxsize=32)
def _wood(kind: str, number: int) -> np.ndarray:
    return textures.wood(np.random.default_rng(number), kind, 256)


@lru_cache(maxsize=4)
def _weave(number: int) -> np.ndarray:
    picture = textures.fabric(np.random.default_rng(number), (0.9, 0.9, 0.9), 256, 32 + 16 * number)
    return picture


def wooden(generator: np.random.Generator, kinds: Sequence[str] = ("oak", "walnut", "beech", "cherry")) -> Look:
    """Choose the look of bare wood.

    The picture of the wood is one of a few, which all things share.
    """
    kind, number = str(generator.choice(list(kinds))), int(generator.integers(0, 2))
    return plain((1.0, 1.0, 1.0), "wood", _wood(kind, number))


def surface(generator: np.random.Generator, paint: Paint) -> Look:
    """Choose the look of the main material of furniture.

    Brown wood is bare, and wood of another colour is painted. Fabric has a weave.
    """
    bare = wooden(generator)
    number = int(generator.integers(0, 3))
    if paint.material == "wood" and paint.colour == "brown":
        return bare
    if paint.material == "fabric":
        return plain(shade(paint.look.colour, 1.05), "fabric", _weave(number))
    return paint.look


def plated(paint: Paint) -> Look:
    """Return the look of a tap or holder.

    The metal is painted black, golden, or bare steel.
    """
    return plain(paint.look.colour, "metal") if paint.colour in ("black", "golden") else STEEL

"""Containers with an open top: where contents can lie in them, measured from their vertices."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from chronotope.errors import InputError
from chronotope.world.things.colours import plain, shade
from chronotope.world.things.draw import draw_thing
from chronotope.world.things.effects import LIQUIDS
from chronotope.world.things.mesh import cylinder, pictured
from chronotope.world.things.object_types import STAGE_KINDS
from chronotope.world.things.thing import Piece, Thing, finished, size_of

CONTAINERS = tuple(noun for noun, kind in STAGE_KINDS.items() if kind.hollow)
"""The nouns of the kinds of open containers."""

DIRECTIONS = 360  # around the axis, in which a container is measured
ANGLES = np.arange(DIRECTIONS) * (2 * np.pi / DIRECTIONS)
FOOT = 0.02  # share of the height of a thing in which it stands on its support
INNER = 0.4  # where the floor is measured, as a share of the half sides of the foot
NECK = 0.75  # the rim is at least this share as far from the axis as the wall below
CLEAR = 0.03  # share of the depth at the floor in which rounded corners and seams are ignored
SHRUNK = 0.998  # a disc of liquid as a share of the inner radius, so that it stays inside the wall
FILM = 0.002  # m, thickness of a disc of liquid
SIDE = 256  # px of the picture of a liquid
EDGE = 0.90, 1.25  # share of the radius from which on a liquid is lighter, and by how much it is lighter at the wall
WINDOW, PANES, MIRRORED = (-0.30, 0.34), 0.16, 0.62  # the middle of a mirrored window, half a pane, and its strength


@dataclass(frozen=True, eq=False)
class Container:
    """An open container, and the room in it; all places are in the frame of ``thing``, in m.

    ``axis`` (x, y) is the middle of its floor. ``rim`` is the height of the lowest point of its rim, and ``floor`` the
    height of its floor inside. ``radius`` is the radius of the widest upright cylinder about the axis that has room
    from the floor to the rim. ``half`` are half the sides along x and y of the largest such box, whose sides have the
    ratio of the opening.
    """

    thing: Thing
    axis: tuple[float, float]
    rim: float
    floor: float
    radius: float
    half: tuple[float, float]

    @property
    def depth(self) -> float:
        """Return the depth (m) inside, from the rim to the floor."""
        return self.rim - self.floor


def draw_container(generator: np.random.Generator, kind: str | None = None, colour: str | None = None) -> Container:
    """Draw an open container, by default of a random kind and colour.

    Raises:
        InputError: If there is no such kind of container, or if it does not have the colour.
    """
    if kind is not None and kind not in CONTAINERS:
        raise InputError(f"world: no open container {kind!r}: choose one of {', '.join(CONTAINERS)}")
    return measured(draw_thing(generator, kind or str(generator.choice(CONTAINERS)), colour))


def measured(thing: Thing) -> Container:
    """Measure the room inside a thing with an open top.

    The axis goes through the middle of what the thing stands on. Half-planes from the axis cut the thing, and each cut
    shows the wall in one direction. A handle over the opening is left out.

    Raises:
        InputError: If the thing has no opening.
    """
    triangles = np.concatenate([piece.vertices[piece.faces] for piece in thing.pieces])
    axis, foot = _foot_of(thing)
    triangles = triangles - (*axis, 0.0)
    floor = float(np.median([_top_at(triangles, *(INNER * foot * _way(angle))) for angle in ANGLES[::12]]))
    if floor > 0:
        raise InputError(f"world: a {thing.label} has no open top with a deep floor: choose an open container")
    cuts = [_cut(triangles, angle) for angle in ANGLES]
    wall = np.array([_nearest(cut, floor + CLEAR * thing.size[2], 0.0) for cut in cuts])
    rim = min(
        float(cut[(cut[..., 0] > NECK * out).all(axis=1), :, 1].max()) for cut, out in zip(cuts, wall, strict=True)
    )
    reach = np.array([_nearest(cut, floor + CLEAR * (rim - floor), rim) for cut in cuts])
    # `reach` is the outline of the free room; the largest box in it has the ratio of its reaches along x and y.
    quarter = DIRECTIONS // 4
    sides = np.minimum(reach[[0, quarter]], reach[[2 * quarter, 3 * quarter]])
    across = np.maximum(np.abs([_way(angle) for angle in ANGLES]), 1e-9)
    half = sides * np.min(reach / np.min(sides / across, axis=1))
    return Container(thing, axis, rim, floor, float(reach.min()), (float(half[0]), float(half[1])))


def _foot_of(thing: Thing) -> tuple[tuple[float, float], np.ndarray]:
    """Return the middle (x, y) of what a thing stands on, and half its sides (2,), in m."""
    points = np.concatenate([piece.vertices for piece in thing.pieces])
    lowest = points[points[:, 2] < (FOOT - 0.5) * thing.size[2], :2]
    low, high = lowest.min(axis=0), lowest.max(axis=0)
    x, y = np.round((low + high) / 2, 6)
    return (float(x), float(y)), (high - low) / 2


def _way(angle: float) -> np.ndarray:
    return np.array([np.cos(angle), np.sin(angle)])


def draw_liquid(container: Container, liquid: str, level: float) -> tuple[Thing, np.ndarray]:
    """Fill a container with a liquid, as a level disc that is a thing of its own.

    ``liquid`` is "water", "coffee" or "wine", and ``level`` (0 to 1) is its height between the floor and the rim.
    Returns the disc, and its place (3,) m in the frame of the container. The disc is round: in a box it leaves the
    corners free.

    Raises:
        InputError: If there is no such liquid, or if the level is not between 0 and 1.
    """
    if liquid not in LIQUIDS:
        raise InputError(f"world: no liquid {liquid!r}: choose one of {', '.join(LIQUIDS)}")
    if not 0 < level < 1:
        raise InputError(f"world: a level of {level} is not between the floor (0) and the rim (1)")
    triangles = np.concatenate([piece.vertices[piece.faces] for piece in container.thing.pieces])
    height = container.floor + level * container.depth
    middle = (*container.axis, 0.0)
    radius = SHRUNK * min(_nearest(_cut(triangles - middle, angle), height - FILM, height) for angle in ANGLES)
    look = plain((1.0, 1.0, 1.0), "glass", _surface(LIQUIDS[liquid]))
    piece = finished(pictured(cylinder(radius, FILM, "z", 0.0, 48)), look)
    return _disc(liquid, piece), np.array([*container.axis, height - FILM / 2])


def _surface(colour: tuple[float, float, float]) -> np.ndarray:
    """Paint a liquid from above, lighter at the wall.

    The mirror image of a window tells that it is a liquid.
    """
    y, x = (np.indices((SIDE, SIDE)) + 0.5) / SIDE * 2 - 1
    wall = np.clip((np.hypot(x, y) - EDGE[0]) / (1 - EDGE[0]), 0, 1)[..., None]
    base, light = np.array(colour), np.array(shade(colour, EDGE[1]))
    across, up = x - WINDOW[0] - 0.25 * (y - WINDOW[1]), y - WINDOW[1]
    soft = 0.02  # of the radius, over which the border of a pane fades
    panes = np.zeros((SIDE, SIDE))
    for side, level in product((-1.08, 1.08), repeat=2):
        apart = np.maximum(np.abs(across - side * PANES), np.abs(up - level * PANES))
        panes = np.maximum(panes, np.clip((PANES - apart) / soft, 0, 1))
    mixed = base + wall * (light - base)
    mixed = mixed + MIRRORED * panes[..., None] * (1 - mixed)
    return np.round(mixed * 255).astype(np.uint8)


def _disc(liquid: str, piece: Piece) -> Thing:
    return Thing(
        category=liquid, colour=None, material="liquid", pieces=(piece,), size=size_of((piece,)), symmetry="any",
        front=None, mass=float(np.pi * piece.vertices[:, 0].max() ** 2 * FILM * 1000), solids=(piece.vertices,),
        support=None, called="{category}",
    )  # fmt: skip


def _cut(triangles: np.ndarray, angle: float) -> np.ndarray:
    """Cut triangles (F, 3, 3) by the half-plane at an angle (rad) about z.

    Returns segments (N, 2, 2) of (radius, z).
    """
    c, s = np.cos(angle), np.sin(angle)
    off = triangles[..., 1] * c - triangles[..., 0] * s + 1e-9  # so that no vertex is exactly in the plane
    ahead = off > 0
    crossed = (ahead[:, 0] != ahead[:, 1]) | (ahead[:, 1] != ahead[:, 2])
    off, triangles = off[crossed], triangles[crossed]
    flat = np.stack([triangles[..., 0] * c + triangles[..., 1] * s, triangles[..., 2]], axis=2)
    following = off[:, [1, 2, 0]]
    changes = (off > 0) != (following > 0)  # two of the three edges of each triangle cross the plane
    shares = off / np.where(changes, off - following, 1.0)
    ends = flat + shares[..., None] * (flat[:, [1, 2, 0]] - flat)
    segments = ends[changes].reshape(-1, 2, 2)
    return segments[(segments[..., 0] > 0).any(axis=1)]


def _nearest(cut: np.ndarray, low: float, high: float) -> float:
    """Return the radius at which a cut is nearest to the axis between two heights.

    The cut has segments (N, 2, 2) of (radius, z).
    """
    start, end = cut[:, 0], cut[:, 1]
    rise = end[:, 1] - start[:, 1]
    level = np.where(np.abs(rise) < 1e-12, 1e-12, rise)
    shares = np.clip(np.stack([(low - start[:, 1]) / level, (high - start[:, 1]) / level], axis=1), 0, 1)
    inside = np.minimum(start[:, 1], end[:, 1]) <= high
    inside &= np.maximum(start[:, 1], end[:, 1]) >= low
    radii = start[:, :1] + shares * (end[:, :1] - start[:, :1])
    return float(radii[inside].min())


def _top_at(triangles: np.ndarray, x: float, y: float) -> float:
    """Return the height of the uppermost of triangles (F, 3, 3) over a point, or -inf."""
    over = triangles[(triangles[..., 0].min(axis=1) <= x) & (triangles[..., 0].max(axis=1) >= x)]
    a, b, c = (over[:, k, :2] - (x, y) for k in range(3))
    shares = np.stack([_cross(b, c), _cross(c, a), _cross(a, b)], axis=1)
    whole = shares.sum(axis=1)
    kept = (np.abs(whole) > 1e-14) & ((shares >= 0).all(axis=1) | (shares <= 0).all(axis=1))
    heights = (shares[kept] * over[kept][..., 2]).sum(axis=1) / whole[kept]
    return float(heights.max(initial=-np.inf))


def _cross(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]

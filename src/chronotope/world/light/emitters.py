"""Things that give light: windows, ceiling lamps, lit lamps and screens; and the sun that shines through windows."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from chronotope.io import sha256_bytes
from chronotope.world.light.cells import Cells
from chronotope.world.light.rays import spread
from chronotope.world.light.surfaces import Surfaces, linear
from chronotope.world.things import Look

PATCH = 1.0  # m


class Emitter(NamedTuple):
    """A piece that gives light, as places on its surface.

    For each of S sets of rays, there are K ``places`` (S, K, 3) m with ``normals`` (S, K, 3). Each place gives light of
    the power ``power`` (S, K, 3), which is radiance times area. ``middle`` (3,) m and ``reach`` (m) are the centre and
    the radius of a ball around the piece; ``area`` is in m2.
    """

    places: np.ndarray
    normals: np.ndarray
    power: np.ndarray
    name: str
    middle: np.ndarray
    reach: float
    area: float


def colours_at(look: Look, uv: np.ndarray) -> np.ndarray:
    """Return the linear colours (N, 3) of a look.

    Colours at uv (N, 2) between pixels are means with linear weights.
    """
    colour = linear(np.array(look.colour))
    if look.texture is None:
        return np.broadcast_to(colour, (len(uv), 3))
    height, width, _ = look.texture.shape
    place = uv * (width, height) - 0.5
    corner = np.floor(place).astype(np.int64)
    share = (place - corner).astype(np.float32)[:, :, None]
    picture = _linear_picture(look)
    left, right = corner[:, 0] % width, (corner[:, 0] + 1) % width
    low, high = corner[:, 1] % height, (corner[:, 1] + 1) % height
    above = picture[low, left] * (1 - share[:, 0]) + picture[low, right] * share[:, 0]
    beneath = picture[high, left] * (1 - share[:, 0]) + picture[high, right] * share[:, 0]
    return colour.astype(np.float32) * (above * (1 - share[:, 1]) + beneath * share[:, 1])


@lru_cache(maxsize=64)
def _linear_picture(look: Look) -> np.ndarray:
    return linear(np.arange(256) / 255.0).astype(np.float32)[look.texture]


def emitters_of(
    surfaces: Surfaces, cells: Cells, is_open: np.ndarray, sets: int, name: str, lights: int
) -> list[Emitter]:
    """List the pieces that glow.

    Each emitter has ``sets`` sets of ``lights`` places to which rays are cast. Only cells whose ``is_open`` (C,) is
    true give light: the outer sides of windows and the sides of lamps at ceilings give none.
    """
    glowing = np.unique(cells.piece[is_open & (surfaces.glow[cells.piece] > 0) & (cells.areas > 0)])
    return [_emitter(surfaces, cells, is_open, int(piece), sets, f"{name} {piece}", lights) for piece in glowing]


def _emitter(
    surfaces: Surfaces, cells: Cells, is_open: np.ndarray, piece: int, sets: int, name: str, lights: int
) -> Emitter:
    mine = np.flatnonzero((cells.piece == piece) & is_open)
    halves, area = np.bincount(cells.cell, minlength=len(cells))[mine], cells.areas[mine]
    facing = _outward(cells, mine)
    look = surfaces.looks[piece]
    shares = np.array([spread(lights, 3, pattern) for pattern in range(sets)]).reshape(-1, 3)
    chosen = np.minimum(np.searchsorted(np.cumsum(area) / area.sum(), shares[:, 0]), len(mine) - 1)
    share = shares[:, 1:]
    is_out = (share.sum(axis=1) > 1) & (halves[chosen] == 1)
    share = np.where(is_out[:, None], 1 - share, share)
    cell = mine[chosen]
    places = cells.origin[cell] + np.einsum("nk,nkd->nd", share, cells.sides[cell])
    corner = cells.uv[cell]
    uv = corner[:, 0] + share[:, :1] * (corner[:, 1] - corner[:, 0]) + share[:, 1:] * (corner[:, 2] - corner[:, 0])
    power = colours_at(look, uv) * look.glow * area.sum() / lights
    middle = (places.min(axis=0) + places.max(axis=0)) / 2
    return Emitter(
        places.reshape(sets, lights, 3),
        facing[chosen].reshape(sets, lights, 3),
        power.reshape(sets, lights, 3),
        name,
        middle,
        float(np.linalg.norm(places - middle, axis=1).max()),
        float(area.sum()),
    )


def patches_of(places: np.ndarray, normals: np.ndarray, power: np.ndarray, sets: int, lights: int) -> list[Emitter]:
    """Group sunlit places into emitters.

    ``places`` (N, 3) m have normals (N, 3) and give the power (N, 3), radiance times area. Each group is about PATCH m
    wide, faces one way, and has ``sets`` sets of ``lights`` places. Single rays would find such small bright patches
    only by chance.
    """
    strength = power.sum(axis=1)
    key = np.column_stack([np.floor(places / PATCH), np.rint(1.4 * normals)]).astype(np.int64)
    _, group = np.unique(key, axis=0, return_inverse=True)
    patches = []
    for number in range(int(group.max(initial=-1)) + 1):
        mine = np.flatnonzero(group.ravel() == number)
        total = strength[mine].sum()
        shares = np.array([spread(lights, 1, pattern)[:, 0] for pattern in range(sets)])
        chosen = mine[np.minimum(np.searchsorted(np.cumsum(strength[mine]) / total, shares), len(mine) - 1)]
        given = power[chosen] / strength[chosen][..., None] * total / lights
        middle = (places[mine].min(axis=0) + places[mine].max(axis=0)) / 2
        reach = float(np.linalg.norm(places[mine] - middle, axis=1).max())
        patches.append(Emitter(places[chosen], normals[chosen], given, _named(places[chosen]), middle, reach, PATCH**2))
    return patches


def _named(places: np.ndarray) -> str:
    """Name a patch by its places.

    The rays to a patch are the same in each state in which the patch has this name.
    """
    return f"sun {sha256_bytes(places.tobytes())}"


def _outward(cells: Cells, mine: np.ndarray) -> np.ndarray:
    """Return the outward unit normals of cells.

    The sides of a cell may turn either way.
    """
    crossed = np.cross(cells.sides[mine, 0], cells.sides[mine, 1])
    crossed /= np.maximum(np.linalg.norm(crossed, axis=1, keepdims=True), 1e-18)
    return crossed * np.where((crossed * cells.normals[mine, 0]).sum(axis=1) < 0, -1, 1)[:, None]

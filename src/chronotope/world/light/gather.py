"""The light that reaches points: from emitters, from the sky, and from other surfaces."""

from collections.abc import Iterator, Sized
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from chronotope.world.light.cells import Cells
from chronotope.world.light.emitters import Emitter
from chronotope.world.light.points import LIFT, PATTERNS, Points
from chronotope.world.light.rays import hemisphere, turned_to
from chronotope.world.light.surfaces import Surfaces
from chronotope.world.light.tracer import Hits, Tracer

PROBES = 16  # directions that show whether a point is inside a solid, or outdoors
BLOCK = 4096  # points whose rays are cast together
WITHIN = 0.25  # share of rays that meet the inner side of a surface: the point is inside a solid
OUTDOORS = 0.08  # share of rays that meet nothing; a home has only narrow gaps above its outside doors
FEW = 5  # every fifth place of an emitter tells first whether a point sees the emitter
DIMMEST = 1e-3  # irradiance from an emitter that is left out, if a bright sky gives pi


SKY, INNER = -1, -2


def blocks(points: Sized) -> Iterator[tuple[int, slice]]:
    """Yield numbered blocks of points, or of what has a row for each point."""
    for number, start in enumerate(range(0, len(points), BLOCK)):
        yield number, slice(start, min(start + BLOCK, len(points)))


def _fans(points: Points, part: np.ndarray, rays: int, step: int = 1) -> tuple[np.ndarray, np.ndarray]:
    sets = np.array([hemisphere(rays, pattern)[::step] for pattern in range(PATTERNS)], np.float32)
    ways = turned_to(points.normals[part], sets[points.pattern[part]])
    return np.repeat(points.starts(part), len(sets[0]), axis=0), ways.reshape(-1, 3)


def probe(points: Points, surfaces: Surfaces, tracer: Tracer, rays: int, outdoors: float = OUTDOORS) -> np.ndarray:
    """Check which points (N,) are neither inside a solid nor outdoors.

    A point is outdoors if more than the share ``outdoors`` of its rays meets nothing. A few of the ``rays`` from each
    point are enough to decide this.
    """
    is_lit = np.zeros(len(points), bool)
    normals = facing(surfaces)
    for _, block in blocks(points):
        part = np.arange(block.start, block.stop)
        starts, ways = _fans(points, part, rays, rays // PROBES)
        hits = tracer.meet(starts, ways)
        inner = _is_inner(hits, ways, normals)
        is_lit[block] = (inner.reshape(len(part), -1).mean(axis=1) < WITHIN) & (
            (hits.triangle < 0).reshape(len(part), -1).mean(axis=1) < outdoors
        )
    return is_lit


def _is_inner(hits: Hits, ways: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Check which rays (N,) meet the inner side of a surface."""
    return (hits.triangle >= 0) & (np.einsum("nd,nd->n", ways, normals[hits.triangle]) > 0)


def facing(surfaces: Surfaces) -> np.ndarray:
    """Return the outward normals (F, 3) of triangles, not scaled."""
    a, b, c = (surfaces.vertices[surfaces.faces[:, k]] for k in range(3))
    return np.cross(b - a, c - a).astype(np.float32)


def look_around(
    points: Points, alive: np.ndarray, name: str | None, scene: "Scene", tracer: Tracer, seen: np.ndarray
) -> np.ndarray:
    """Cast rays from the points ``alive`` (A,).

    For each ray, ``seen`` (A, R) gets the place on a grid next to the end of the ray, or SKY or INNER. The result is
    true for points (A,) that are outside of all solids.
    """
    is_outside = np.empty(len(alive), bool)
    for number, block in blocks(alive):
        part = alive[block]
        starts, ways = _fans(points, part, scene.rays)
        hits = tracer.meet(starts, ways, None if name is None else f"{name} {number}")
        found = scene.cells.nearest(np.maximum(hits.triangle, 0), hits.u, hits.v)
        found[hits.triangle < 0] = SKY
        found[_is_inner(hits, ways, scene.facing)] = INNER
        seen[block] = found.reshape(len(part), scene.rays)
        is_outside[block] = (seen[block] == INNER).mean(axis=1) < WITHIN
    return is_outside


@dataclass(frozen=True, eq=False)
class Scene:
    """All cells of a state, and the outward normals (F, 3) of all triangles, not scaled.

    ``rays`` is the number of directions from each point.
    """

    cells: Cells
    facing: np.ndarray
    rays: int


def direct_light(
    points: Points, alive: np.ndarray, emitter: Emitter, tracer: Tracer, name: str | None = None
) -> np.ndarray:
    """Return the irradiance (N, 3) that an emitter gives to points."""
    light = np.zeros((len(points), 3))
    near = alive[_may_see(points, alive, emitter)]
    for number, block in blocks(near):
        part = near[block]
        called = (None, None) if name is None else (f"{name} few {number}", f"{name} all {number}")
        some = part[_from_places(points, part, emitter, tracer, FEW, called[0])[1]]
        if len(some):
            light[some] = _from_places(points, some, emitter, tracer, 1, called[1])[0]
    return light


def _may_see(points: Points, alive: np.ndarray, emitter: Emitter) -> np.ndarray:
    away = emitter.middle - points.places[alive]
    distance = np.sqrt(np.einsum("nd,nd->n", away, away))
    here = np.einsum("nd,nd->n", away, points.normals[alive]) + emitter.reach
    power = emitter.power.sum(axis=1).max()
    near = np.maximum(distance - emitter.reach, 0.05)
    return power * np.minimum(here / np.maximum(distance, 0.05), 1) / near**2 > DIMMEST


def _from_places(
    points: Points, part: np.ndarray, emitter: Emitter, tracer: Tracer, step: int, name: str | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the irradiance (N, 3) from every ``step``-th place of an emitter.

    Also returns which points (N,) would see any of these places if the common triangles were the only ones.
    """
    pattern = points.pattern[part]
    starts = points.starts(part)
    places, normals, power = (each[:, ::step].astype(np.float32) for each in emitter[:3])
    away = places[pattern] - starts[:, None]
    square = np.einsum("nkd,nkd->nk", away, away)
    length = np.sqrt(square)
    here = np.einsum("nkd,nd->nk", away, points.normals[part].astype(np.float32))
    there = -np.einsum("nkd,nkd->nk", away, normals[pattern])
    rows, columns = np.nonzero((here > 0) & (there > 0))
    far = length[rows, columns]
    known, blocked = tracer.is_blocked(starts[rows], away[rows, columns] / far[:, None], far - 2 * LIFT, name)
    # each place stands for a disc of its share of the area, so that the light stays finite next to it
    disc = emitter.area / places.shape[1] / np.pi
    weight = np.zeros_like(length)
    weight[rows, columns] = ~blocked * (here * there / (square * (square + disc)))[rows, columns]
    sees = np.bincount(rows[~known], minlength=len(part)) > 0
    return np.einsum("nk,nkc->nc", weight, power[pattern]) * step, sees


def solve(light: np.ndarray, seen: np.ndarray, colour: np.ndarray, sky: np.ndarray, bounces: int) -> np.ndarray:
    """Add the light of some bounces to the direct light (N, 3).

    ``seen`` (N, R) is the point at the end of each ray, or SKY or INNER, and ``colour`` (N, 3) are the colours of
    points. Rays with the end INNER are ignored, because they began inside a solid.
    """
    known = np.maximum((seen != INNER).sum(axis=1), 1)[:, None]
    first = total = light + (seen == SKY).sum(axis=1)[:, None] / known * sky * np.pi
    for _ in range(bounces):
        given = np.concatenate([(colour * total).astype(np.float32), np.zeros((1, 3), np.float32)])
        got = np.empty((len(seen), 3), np.float32)
        for _, block in blocks(seen):  # all links of a street at once would take several gigabytes
            got[block] = _linked(seen[block], len(seen)) @ given
        total = first + got / known
    return total


def _linked(rows: np.ndarray, count: int) -> csr_array:
    """Return the matrix (N, count + 1) that adds up the points at the ends of rays."""
    ends = np.where(rows < 0, count, rows).astype(np.int32).ravel()  # an empty point after all others
    starts = np.arange(0, rows.size + 1, rows.shape[1])
    return csr_array((np.ones(len(ends), np.float32), ends, starts), shape=(len(rows), count + 1))

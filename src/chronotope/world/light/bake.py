"""The baking of light into the sets of a scene's states."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from chronotope.world.catalogue import Piece
from chronotope.world.film_set import FilmSet, Placement
from chronotope.world.light.cells import Cells, cells_of, grids_joined, points_of
from chronotope.world.light.emitters import Emitter, emitters_of, patches_of
from chronotope.world.light.gather import Scene, direct_light, facing, look_around, probe, solve
from chronotope.world.light.grids import nearest_lit, smoothed
from chronotope.world.light.paint import Baked, Lighting, paint
from chronotope.world.light.points import PATTERNS, Points, choose_points
from chronotope.world.light.sun import Sun, panes_of, sun_over, sunlight
from chronotope.world.light.surfaces import Surfaces, joined, placed, surfaces_of
from chronotope.world.light.tone import exposure_of
from chronotope.world.light.tracer import Memory, Tracer

__all__ = ["bake", "bake_states"]

SHELL = 0.06  # m between the points of walls, floors and ceilings
THING = (0.015, 0.05)  # m between the points of things, from the smallest to the largest
PER_THING = 14  # points along a thing
BOUNCES = 5
SKY_LIGHT = np.array([0.75, 0.85, 1.0])  # radiance of the sky, for rays that leave the set


@dataclass(frozen=True, eq=False)
class _Part:
    """Some pieces of a set: their surfaces, cells and points, and the points at which light is gathered."""

    surfaces: Surfaces
    cells: Cells
    points: Points
    emitters: list[Emitter]

    @staticmethod
    def of(pieces: Sequence[Piece], shell: int, name: str, first: int = 0) -> "_Part":
        surfaces = surfaces_of(pieces)
        spacing = np.array([SHELL if number < shell else _spacing(piece) for number, piece in enumerate(pieces)])
        cells = cells_of(surfaces, spacing, first)
        return _Part(surfaces, cells, choose_points(surfaces, cells), emitters_of(surfaces, cells, PATTERNS, name))


def _spacing(piece: Piece) -> float:
    return float(np.clip(np.ptp(piece.vertices, axis=0).max() / PER_THING, *THING))


def bake(film_set: FilmSet) -> Baked:
    """Bake the light of a set.

    Raises:
        InputError: If the ray caster is missing.
    """
    return next(bake_states([film_set]))


def bake_states(film_sets: Sequence[FilmSet]) -> Iterator[Baked]:
    """Yield the baked light of each state of a scene.

    Rays from and to what all states share are cast once. In each state, the same rays meet only what is different
    there, so the light is the same as if each state were baked alone. All states have the exposure of the first.
    """
    first = film_sets[0]
    shared = [placement for placement in first.placements if all(_has(each, placement) for each in film_sets)]
    known = {placement.id for placement in shared}
    shell = [*first.backdrop, *(lamp.piece for lamp in first.lamps)]
    common = _Common.of([*shell, *_pieces(shared)], len(shell), len(first.backdrop))
    exposure: float | None = None
    for film_set in film_sets:
        own = [placement for placement in film_set.placements if placement.id not in known]
        baked, exposure = _bake_state(common, _pieces(own), exposure)
        yield baked


def _has(film_set: FilmSet, placement: Placement) -> bool:
    """Check whether a set has the same thing in the same place."""
    other = next((each for each in film_set.placements if each.id == placement.id), None)
    return other is not None and np.array_equal(other.pose, placement.pose) and _is_same(other, placement)


def _is_same(one: Placement, two: Placement) -> bool:
    if one.thing is two.thing:
        return True
    if len(one.thing.pieces) != len(two.thing.pieces):
        return False
    return all(
        np.array_equal(a.vertices, b.vertices)
        and np.array_equal(a.faces, b.faces)
        and a.look.colour == b.look.colour
        and a.look.glow == b.look.glow
        and _is_same_picture(a.look.texture, b.look.texture)
        for a, b in zip(one.thing.pieces, two.thing.pieces, strict=True)
    )


def _is_same_picture(one: np.ndarray | None, two: np.ndarray | None) -> bool:
    return one is two or (one is not None and two is not None and np.array_equal(one, two))


def _pieces(placements: Sequence[Placement]) -> list[Piece]:
    return [placed(piece, placement.pose) for placement in placements for piece in placement.thing.pieces]


@dataclass(frozen=True, eq=False)
class _Common:
    """What all states share: pieces, the points that are indoors, the sun, and what rays met."""

    part: _Part
    alive: np.ndarray
    is_shell: np.ndarray
    sun: Sun | None
    memory: Memory

    @staticmethod
    def of(pieces: Sequence[Piece], shell: int, backdrop: int) -> "_Common":
        part = _Part.of(pieces, shell, "common")
        tracer = Tracer(part.surfaces)
        alive = np.flatnonzero(probe(part.points, part.surfaces, tracer))
        glass = [number for number in range(backdrop) if part.surfaces.looks[number].glow > 0]
        sun = sun_over(part.surfaces, panes_of(part.surfaces, glass, tracer))
        return _Common(part, alive, part.points.piece < shell, sun, Memory())


def _bake_state(common: _Common, pieces: Sequence[Piece], exposure: float | None) -> tuple[Baked, float]:
    part = common.part
    own = _Part.of(pieces, 0, "own", part.cells.count)
    tracer = Tracer(part.surfaces, own.surfaces, common.memory)
    surfaces = joined(part.surfaces, own.surfaces)
    cells = grids_joined(part.cells, own.cells, len(part.surfaces.looks))
    points = _points_joined(part.points, own.points, len(part.surfaces.looks))
    scene = Scene(cells, facing(surfaces))
    fresh = len(part.points) + np.flatnonzero(probe(own.points, surfaces, tracer))
    alive = np.concatenate([common.alive, fresh])
    views = [look_around(points, some, scene, tracer, name) for some, name in ((common.alive, "around"), (fresh, None))]
    seen, is_outside = (np.concatenate(both) for both in zip(*views, strict=True))
    is_lit = np.zeros(len(points), bool)
    is_lit[alive] = is_outside
    direct = np.zeros((len(points), 3))
    for emitter in part.emitters:
        direct += direct_light(points, common.alive, emitter, tracer, emitter.name)
        direct += direct_light(points, fresh, emitter, tracer, None)
    for emitter in own.emitters:
        direct += direct_light(points, alive, emitter, tracer, None)
    where, normal, cell = points_of(cells, 0.0)
    sunny = np.zeros((len(points), 3))
    if common.sun is not None:
        sunny[alive] = sunlight(common.sun, points.places[alive], points.normals[alive], tracer)
    sunny[~is_lit] = 0
    colour = np.where(surfaces.glow[:, None] > 0, 0.0, surfaces.colours)[points.piece]
    for patch in _patches(cells, points, cell, sunny * colour):
        direct += direct_light(points, alive, patch, tracer, None)
    source = nearest_lit(points, is_lit, (where, normal, cells.piece[cell]))
    soft = _spread(alive, seen, source, colour, direct)
    if exposure is None:
        inside = np.zeros(len(points), bool)
        inside[common.alive] = common.is_shell[common.alive]
        exposure = exposure_of((soft + sunny)[inside & is_lit])
    is_seen = np.bincount(cell, (points.of >= 0) & is_lit[np.maximum(points.of, 0)], minlength=len(cells)) > 0
    lighting = Lighting(smoothed(cells, soft[source]), sunny[source], is_seen, exposure, common.sun, tracer)
    return paint(surfaces, cells, lighting), exposure


def _patches(cells: Cells, points: Points, cell: np.ndarray, given: np.ndarray) -> list[Emitter]:
    """Return the patches that the sun lights, as emitters.

    ``given`` (N, 3) is the light that points give back.
    """
    drawn = points.of >= 0
    shares = np.bincount(cell[drawn], minlength=len(cells))
    area = np.bincount(points.of[drawn], (cells.areas / np.maximum(shares, 1))[cell[drawn]], minlength=len(points))
    lit = np.flatnonzero(given.sum(axis=1) > 0)
    return patches_of(points.places[lit], points.normals[lit], given[lit] * area[lit, None] / np.pi, PATTERNS)


def _spread(
    alive: np.ndarray, seen: np.ndarray, source: np.ndarray, colour: np.ndarray, direct: np.ndarray
) -> np.ndarray:
    """Return the light (N, 3) of all points after all bounces."""
    number = np.full(len(colour), -1, np.int32)
    number[alive] = np.arange(len(alive))
    ends = np.where(seen >= 0, number[source[np.maximum(seen, 0)]], seen)
    soft = np.zeros_like(direct)
    soft[alive] = solve(direct[alive], ends, colour[alive], SKY_LIGHT, BOUNCES)
    return soft


def _points_joined(first: Points, second: Points, pieces: int) -> Points:
    return Points(
        np.concatenate([first.places, second.places]),
        np.concatenate([first.normals, second.normals]),
        np.concatenate([first.piece, second.piece + pieces]),
        np.concatenate([first.pattern, second.pattern]),
        np.concatenate([first.of, np.where(second.of < 0, -1, second.of + len(first))]),
    )

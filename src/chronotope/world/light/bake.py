"""The baking of light into the sets of a scene's states."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from chronotope.world.film_set import Daylight, FilmSet, Placement
from chronotope.world.light.cells import Cells, cells_of, grids_joined
from chronotope.world.light.detail import FINE, Detail, outdoors
from chronotope.world.light.emitters import Emitter, emitters_of, patches_of
from chronotope.world.light.gather import OUTDOORS, Scene, blocks, direct_light, facing, look_around, probe, solve
from chronotope.world.light.grids import coarse, nearest_lit, smoothed
from chronotope.world.light.paint import Baked, Lighting, Sheet, paint
from chronotope.world.light.points import PATTERNS, Points, choose_points, points_joined
from chronotope.world.light.sun import Sun, panes_of, sun_outdoors, sun_over, sunlight
from chronotope.world.light.surfaces import Surfaces, joined, placed, surfaces_of
from chronotope.world.light.tone import exposure_of
from chronotope.world.light.tracer import Memory, Tracer
from chronotope.world.light.unwatched import plain_sheet, set_aside, without
from chronotope.world.light.watched import View, watched
from chronotope.world.things import Piece

EVERYWHERE = 1.1  # share of the rays of a point that may meet nothing, outdoors
SKY_LIGHT = np.array([0.75, 0.85, 1.0])  # radiance of the sky, for rays that leave the set


@dataclass(frozen=True, eq=False)
class _Part:
    """Some pieces of a set: their surfaces, cells and points."""

    surfaces: Surfaces
    cells: Cells
    points: Points
    is_seen: np.ndarray  # (P,)

    @staticmethod
    def of(pieces: Sequence[Piece], shell: int, detail: Detail, first: int = 0, views: Sequence[View] = ()) -> "_Part":
        surfaces = surfaces_of(pieces)
        spacing = np.array(
            [detail.shell if number < shell else _spacing(piece, detail) for number, piece in enumerate(pieces)]
        )
        is_seen = np.ones(len(pieces), bool)
        if views:
            is_seen = watched(views, Tracer(surfaces), surfaces.piece, len(pieces))
            spacing = np.where(is_seen, spacing, detail.unseen * spacing)
        cells = cells_of(surfaces, spacing, first)
        shared, turns = (np.where(is_seen, *pair) for pair in (detail.shared, detail.turns))
        return _Part(surfaces, cells, choose_points(surfaces, cells, shared, turns), is_seen)

    def emitters(self, alive: np.ndarray, name: str, lights: int) -> list[Emitter]:
        """List the emitters.

        ``alive`` are the points that are neither inside solids nor outdoors, and ``lights`` the number of places on an
        emitter.
        """
        is_alive = np.isin(self.points.of, alive)
        is_open = np.bincount(coarse(self.cells)[0], is_alive, minlength=len(self.cells)) > 0
        return emitters_of(self.surfaces, self.cells, is_open, PATTERNS, name, lights)


@dataclass(frozen=True, eq=False)
class Light:
    """The irradiance of the points of a state: ``soft`` (N, 3), and ``sunny`` (N, 3) directly from the sun.

    A bright sky gives pi. ``source`` (T,) is, for each place on a grid, the point from which it takes its light.
    ``is_lit`` (N,) is true for points that are indoors and outside of solids, and ``is_shell`` (N,) for those lit
    points that are on floors, walls and ceilings. ``is_seen`` (P,) is true for pieces that a camera sees.
    """

    surfaces: Surfaces
    cells: Cells
    points: Points
    source: np.ndarray
    is_lit: np.ndarray
    is_shell: np.ndarray
    is_seen: np.ndarray
    soft: np.ndarray
    sunny: np.ndarray
    sun: Sun | None
    tracer: Tracer


def _spacing(piece: Piece, detail: Detail) -> float:
    return float(np.clip(np.ptp(piece.vertices, axis=0).max() / detail.per_thing, *detail.thing))


def bake(film_set: FilmSet) -> Baked:
    """Bake the light of a set.

    Raises:
        InputError: If the ray caster is missing.
    """
    return next(bake_states([film_set]))


def bake_states(film_sets: Sequence[FilmSet], views: Sequence[View] = (), detail: Detail = FINE) -> Iterator[Baked]:
    """Yield the baked light of each state of a scene.

    All states have the exposure of the first state. If ``views`` are given (the cameras of all states), light is
    coarser on pieces that no camera sees.

    Raises:
        InputError: If the ray caster is missing.
    """
    if film_sets[0].daylight is not None:
        detail = outdoors(detail)
    exposure: float | None = None
    more: tuple[Sheet, ...] = ()
    if views and detail.aside:
        ids, pieces = set_aside(film_sets[0], {each.id for each in _shared(film_sets)}, views, detail.aside)
        film_sets = [without(film_set, ids) for film_set in film_sets]
        more = (plain_sheet(pieces),) if pieces else ()
    for light in light_states(film_sets, detail, views):
        if exposure is None:
            exposure = exposure_of((light.soft + light.sunny)[light.is_shell])
        yield Baked((*_painted(light, exposure, detail).sheets, *more))


def light_states(film_sets: Sequence[FilmSet], detail: Detail = FINE, views: Sequence[View] = ()) -> Iterator[Light]:
    """Yield the light of each state of a scene.

    Rays to the surfaces that all states share are cast once. For each state, the same rays are then cast only to the
    other surfaces of this state. The light is the same as if each state were baked alone, except that a point in the
    penumbra of a changed thing may get a little light that too few rays would have missed.

    Raises:
        InputError: If the ray caster is missing.
    """
    first = film_sets[0]
    shared = _shared(film_sets)
    known = {placement.id for placement in shared}
    shell = [*first.backdrop, *(lamp.piece for lamp in first.lamps)]
    common = _Common.of([*shell, *_pieces(shared)], len(shell), len(first.backdrop), views, detail, first.daylight)
    if len(film_sets) == 1:  # nobody would ask for the remembered rays, and a street has 200 million of them
        common = replace(common, memory=None)
    for film_set in film_sets:
        own = [each for each in film_set.placements if each.id not in known]
        yield _light_state(common, _pieces(own), detail)


def _shared(film_sets: Sequence[FilmSet]) -> list[Placement]:
    """Return the things that are the same, and in the same place, in all states."""
    return [placement for placement in film_sets[0].placements if all(_has(each, placement) for each in film_sets)]


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
    """The common parts of all states: pieces, points indoors, the sun, and the surfaces that rays met."""

    part: _Part
    alive: np.ndarray
    emitters: list[Emitter]
    is_shell: np.ndarray
    sun: Sun | None
    memory: Memory | None

    @staticmethod
    def of(
        pieces: Sequence[Piece],
        shell: int,
        backdrop: int,
        views: Sequence[View],
        detail: Detail,
        daylight: Daylight | None,
    ) -> "_Common":
        part = _Part.of(pieces, shell, detail, views=views)
        tracer = Tracer(part.surfaces)
        outdoors = OUTDOORS if daylight is None else EVERYWHERE
        alive = np.flatnonzero(probe(part.points, part.surfaces, tracer, detail.rays, outdoors))
        if daylight is None:
            glass = [number for number in range(backdrop) if part.surfaces.looks[number].glow > 0]
            sun = sun_over(part.surfaces, panes_of(part.surfaces, glass, tracer))
        else:
            sun = sun_outdoors(daylight.towards)
        emitters = part.emitters(alive, "common", detail.lights)
        return _Common(part, alive, emitters, part.points.piece < shell, sun, Memory())


def _light_state(common: _Common, pieces: Sequence[Piece], detail: Detail) -> Light:
    """Compute the light of a state.

    ``pieces`` are the pieces of this state that not all states have.
    """
    part = common.part
    own = _Part.of(pieces, 0, detail, part.cells.count)
    tracer = Tracer(part.surfaces, own.surfaces, common.memory)
    surfaces = joined(part.surfaces, own.surfaces)
    cells = grids_joined(part.cells, own.cells, len(part.surfaces.looks))
    points = points_joined(part.points, own.points, len(part.surfaces.looks))
    is_outdoors = common.sun is not None and common.sun.is_open
    outdoors = EVERYWHERE if is_outdoors else OUTDOORS
    open_own = np.flatnonzero(probe(own.points, surfaces, tracer, detail.rays, outdoors))
    fresh = len(part.points) + open_own
    alive = np.concatenate([common.alive, fresh])
    scene = Scene(cells, facing(surfaces), detail.rays)
    seen = np.empty((len(alive), scene.rays), np.int32)
    is_lit = np.zeros(len(points), bool)
    first = len(common.alive)
    is_lit[common.alive] = look_around(points, common.alive, "around", scene, tracer, seen[:first])
    is_lit[fresh] = look_around(points, fresh, None, scene, tracer, seen[first:])
    sunny = np.zeros((len(points), 3))
    if common.sun is not None:
        lit = np.flatnonzero(is_lit)
        sunny[lit] = sunlight(common.sun, points.places[lit], points.normals[lit], tracer)
    colour = np.where(surfaces.glow[:, None] > 0, 0.0, surfaces.colours)[points.piece]
    direct = np.zeros((len(points), 3))
    # Sunny patches are small indoors, so single rays would miss them; outdoors, rays find them.
    patches = [] if is_outdoors else _patches(cells, points, sunny * colour, detail.patch_lights)
    for emitter in (*common.emitters, *patches):
        direct += direct_light(points, common.alive, emitter, tracer, emitter.name)
        direct += direct_light(points, fresh, emitter, tracer)
    for emitter in own.emitters(open_own, "own", detail.lights):
        direct += direct_light(points, alive, emitter, tracer)
    source = nearest_lit(points, is_lit, cells)
    bright = direct + sunny if is_outdoors else direct
    soft = _spread(alive, seen, source, colour, bright, detail.bounces)
    if is_outdoors:
        soft[alive] -= sunny[alive]
    is_shell = np.zeros(len(points), bool)
    is_shell[: len(part.points)] = common.is_shell
    is_seen = np.concatenate([part.is_seen, own.is_seen])
    is_shell &= is_lit
    return Light(surfaces, cells, points, source, is_lit, is_shell, is_seen, soft, sunny, common.sun, tracer)


def _painted(light: Light, exposure: float, detail: Detail) -> Baked:
    cells, points = light.cells, light.points
    found = (points.of >= 0) & light.is_lit[np.maximum(points.of, 0)]
    is_seen = np.bincount(coarse(cells)[0], found, minlength=len(cells)) > 0
    is_seen &= light.is_seen[cells.piece]
    soft, sunny = smoothed(cells, light.soft[light.source]), light.sunny[light.source]
    return paint(light.surfaces, cells, Lighting(soft, sunny, is_seen, exposure, light.sun, light.tracer), detail)


def _patches(cells: Cells, points: Points, given: np.ndarray, lights: int) -> list[Emitter]:
    """Return the patches of surfaces in the sun, as emitters.

    ``given`` (N, 3) is the sunlight that points reflect, and ``lights`` is the number of places on a patch.
    """
    cell, drawn = coarse(cells)[0], points.of >= 0
    shares = np.bincount(cell[drawn], minlength=len(cells))
    area = np.bincount(points.of[drawn], (cells.areas / np.maximum(shares, 1))[cell[drawn]], minlength=len(points))
    lit = np.flatnonzero(given.sum(axis=1) > 0)
    return patches_of(points.places[lit], points.normals[lit], given[lit] * area[lit, None] / np.pi, PATTERNS, lights)


def _spread(
    alive: np.ndarray, seen: np.ndarray, source: np.ndarray, colour: np.ndarray, direct: np.ndarray, bounces: int
) -> np.ndarray:
    """Return the light (N, 3) of all points after all bounces.

    The places in ``seen`` (A, R) become the numbers of points.
    """
    number = np.full(len(colour), -1, np.int32)
    number[alive] = np.arange(len(alive))
    nearest = number[source]
    for _, block in blocks(seen):  # all rays of a street take a gigabyte
        seen[block] = np.where(seen[block] >= 0, nearest[np.maximum(seen[block], 0)], seen[block])
    soft = np.zeros_like(direct)
    soft[alive] = solve(direct[alive], seen, colour[alive], SKY_LIGHT, bounces)
    return soft

"""Small things that no camera sees: they are left out when coarse light is computed."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from chronotope.world.film_set import FilmSet, Placement
from chronotope.world.light.paint import Sheet
from chronotope.world.light.surfaces import placed, surfaces_of
from chronotope.world.light.tone import MIDDLE, glossy, toned
from chronotope.world.light.tracer import Tracer
from chronotope.world.light.watched import View, watched
from chronotope.world.things import Piece


def set_aside(
    film_set: FilmSet, shared: Collection[str], views: Sequence[View], smaller: float
) -> tuple[set[str], tuple[Piece, ...]]:
    """Find things that are not seen, give no light and are small.

    A thing is small if all its sides are shorter than ``smaller`` (m). Only things whose ids are in ``shared`` are
    taken. Returns the ids of the things found, and their pieces in world coordinates.
    """
    owners: list[Placement | None] = [None] * len(film_set.backdrop)
    pieces = list(film_set.backdrop)
    for placement in film_set.placements:
        pieces += [placed(piece, placement.pose) for piece in placement.thing.pieces]
        owners += [placement] * len(placement.thing.pieces)
    surfaces = surfaces_of(pieces)
    is_seen = watched(views, Tracer(surfaces), surfaces.piece, len(pieces))
    needed = {owner.id for owner, seen in zip(owners, is_seen, strict=True) if owner is not None and seen}
    for placement in film_set.placements:
        gives_light = any(piece.look.glow > 0 for piece in placement.thing.pieces)
        if gives_light or placement.id not in shared or max(placement.thing.size) >= smaller:
            needed.add(placement.id)
    ids = {placement.id for placement in film_set.placements} - needed
    aside = [piece for piece, owner in zip(pieces, owners, strict=True) if owner is not None and owner.id in ids]
    return ids, tuple(aside)


def without(film_set: FilmSet, ids: Collection[str]) -> FilmSet:
    """Return a set without some things."""
    return replace(film_set, placements=tuple(each for each in film_set.placements if each.id not in ids))


def plain_sheet(pieces: Sequence[Piece]) -> Sheet:
    """Return a sheet that shows pieces in their mean colours.

    The colours are those in light of middle brightness.
    """
    surfaces = surfaces_of(pieces)
    picture = np.rint(255 * np.clip(toned(MIDDLE * glossy(surfaces.colours, surfaces.specular[:, None])), 0, 1)).astype(
        np.uint8
    )[None]
    across = np.repeat((surfaces.piece + 0.5) / len(pieces), 3)
    return Sheet(
        surfaces.vertices[surfaces.faces].reshape(-1, 3),
        np.arange(3 * len(surfaces.faces)).reshape(-1, 3),
        np.stack([across, np.full_like(across, 0.5)], axis=1),
        picture,
    )

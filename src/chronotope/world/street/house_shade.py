"""The bodies in houses that cast their shadows on streets."""

from dataclasses import replace

from chronotope.world.things import Piece

SMALLER = 0.985  # size of the body, so that a coarse shadow map speckles no wall
TALL = 2.5  # m; lower pieces, such as kerbs, cast no shadow


def with_shade(piece: Piece) -> Piece:
    """Let a house cast a shadow, by a body a little smaller than the house."""
    low, high = piece.vertices.min(axis=0), piece.vertices.max(axis=0)
    if high[2] - low[2] < TALL:
        return piece
    middle = (low + high) / 2
    return replace(piece, caster=middle + SMALLER * (piece.vertices - middle))

"""The check that a person would call a thing by its colour."""

from collections.abc import Sequence

import numpy as np

from chronotope.world.things.colours import COLOURS, lab, shades_of
from chronotope.world.things.thing import Look, Piece

MAIN = 0.5  # least share of what is seen that has the colour
POINTS, CELLS = 2000, 18  # points on the surface, and cells of the picture along its longer side
VIEWS, ABOVE = (-50.0, 0.0, 50.0), np.radians(25.0)  # degrees from the front, and height of the camera
ALIKE = 30.0  # largest distance of a shade from the named colour, in CIE Lab with half the lightness


def has_main_colour(pieces: Sequence[Piece], colour: str) -> bool:
    """Check whether a thing is mostly of one colour.

    The thing is seen from its front, and from both sides of it, from slightly above. ``colour`` is one of the painted
    colours. A picture on a surface counts by the share of its pixels that have the colour.
    """
    alike = np.array([_share(piece.look, colour) for piece in pieces])
    return bool(alike[seen_pieces(pieces)].mean() >= MAIN)


def seen_pieces(pieces: Sequence[Piece]) -> np.ndarray:
    """Return the number (N,) of the piece at each seen point."""
    points, owners = _points(pieces)
    return np.concatenate([owners[_nearest(points, np.radians(turn))] for turn in VIEWS])


def _points(pieces: Sequence[Piece]) -> tuple[np.ndarray, np.ndarray]:
    """Spread points (N, 3) m over all pieces.

    The second result is the number of the piece of each point.
    """
    generator = np.random.default_rng(0)
    corners = np.concatenate([piece.vertices[piece.faces] for piece in pieces])
    owners = np.repeat(np.arange(len(pieces)), [len(piece.faces) for piece in pieces])
    a, b, c = corners.transpose(1, 0, 2)
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    chosen = generator.choice(len(areas), POINTS, p=areas / areas.sum())
    u, v = np.sort(generator.uniform(0, 1, (2, POINTS, 1)), axis=0)
    return u * a[chosen] + (v - u) * b[chosen] + (1 - v) * c[chosen], owners[chosen]


def _nearest(points: np.ndarray, turn: float) -> np.ndarray:
    """Return the numbers of the points that hide all others.

    ``turn`` (rad) is the direction of the camera, from the front. The picture has cells, and each cell shows its
    nearest point.
    """
    c, s, up = np.cos(turn), np.sin(turn), np.sin(ABOVE)
    towards = np.array([c * np.cos(ABOVE), s * np.cos(ABOVE), up])
    right, top = np.array([-s, c, 0.0]), np.array([-c * up, -s * up, np.cos(ABOVE)])
    place = points @ np.stack([right, top], axis=1)
    low, high = place.min(axis=0), place.max(axis=0)
    column, row = np.minimum((place - low) / np.maximum((high - low).max(), 1e-9) * CELLS, CELLS - 1).astype(int).T
    order = np.argsort(-(points @ towards), kind="stable")
    _, first = np.unique((row * CELLS + column)[order], return_index=True)
    return order[first]


def _share(look: Look, colour: str) -> float:
    """Return the share of a surface that has a colour."""
    away = (lab(shades_of(look)) - lab(np.array(COLOURS[colour]))) * (0.5, 1, 1)
    return float((np.linalg.norm(away, axis=1) < ALIKE).mean())

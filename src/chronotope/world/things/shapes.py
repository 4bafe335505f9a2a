"""The word by which a person calls the shape of a thing, for types whose shape is plain.

The shape is measured from the vertices. A thing whose shape is between two words, such as a nearly square table, has no
word.
"""

from collections.abc import Sequence

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from chronotope.world.things.kind import Side
from chronotope.world.things.thing import Piece

TOP = 0.12  # share of the height of a thing that belongs to its top
CIRCLE, CORNERS, CONE = np.pi / 4, 0.94, 0.5  # shares of their boxes that outlines fill; corners may be rounded
NEAR = 0.025  # allowed difference of such a share
EVEN, LONG = 1.06, 1.2  # ratio of two sides that look equal, at most, and unequal, at least


def shape_of(side: Side | None, pieces: Sequence[Piece]) -> str | None:
    """Return the word for the shape of a thing, or None.

    ``side`` is the side from which people name the shape, or None if the type of the thing has no plain shape.
    """
    if side is None:
        return None
    points = np.concatenate([piece.vertices for piece in pieces])
    if side == "front":
        return _flat(points[:, 1:])
    if side == "top":
        height = points[:, 2].min() + (1 - TOP) * np.ptp(points[:, 2])
        return _flat(points[points[:, 2] >= height, :2])
    return _body(points)


def _flat(points: np.ndarray) -> str | None:
    """Name the outline of points (N, 2)."""
    sides = np.ptp(points, axis=0)
    kind, ratio = _outline(points), sides.max() / sides.min()
    words = {"round": ("round", "oval"), "cornered": ("square", "rectangular")}.get(kind or "")
    return None if words is None else _by_ratio(ratio, *words)


def _body(points: np.ndarray) -> str | None:
    """Name the body of points (N, 3) by its outlines.

    The outlines are seen from above, from the front and from the side.
    """
    above, front, side = (_outline(points[:, axes]) for axes in ([0, 1], [1, 2], [0, 2]))
    length, width, height = np.ptp(points, axis=0)
    if (above, front, side) == ("cornered", "cornered", "cornered"):
        sides = np.sort([length, width, height])
        return _by_ratio(sides[2] / sides[0], "cubic", "rectangular")
    if above != "round" or max(length, width) > EVEN * min(length, width):
        return None
    if front == side == "cornered":
        return "cylindrical"
    if front == side == "round" and max(height, length) <= EVEN * min(height, length):
        return "spherical"
    return "conical" if front == side == "pointed" else None


def _outline(points: np.ndarray) -> str | None:
    """Tell whether a hull (N, 2) is round, cornered or pointed."""
    try:
        share = ConvexHull(points).volume / np.prod(np.ptp(points, axis=0))
    except QhullError:  # the points are on a line
        return None
    if share >= CORNERS:
        return "cornered"
    return "round" if abs(share - CIRCLE) <= NEAR else "pointed" if abs(share - CONE) <= NEAR else None


def _by_ratio(ratio: float, even: str, uneven: str) -> str | None:
    return even if ratio <= EVEN else uneven if ratio >= LONG else None

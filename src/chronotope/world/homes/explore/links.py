"""Link each shape with its nearest ones by shortest ways."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csgraph

from chronotope.world.homes.explore.maps import Cell, Maps
from chronotope.world.homes.explore.rectangles import Shape

NEIGHBOURS = 4
CHOICES = 4  # outline cells beside the closest one that a link can start from
_LONGER = 0.04  # cells (0.01 m): a detour through other links that is not longer than this replaces a link


@dataclass(frozen=True)
class Link:
    """Hold a shortest way (N, 2) in cells between two shapes.

    ``shapes`` are their numbers.
    """

    shapes: tuple[int, int]
    path: np.ndarray

    @property
    def length(self) -> int:
        """Return the number of steps."""
        return len(self.path) - 1


def link_shapes(shapes: list[Shape], maps: Maps) -> list[Link]:
    """Link each shape with its nearest shapes, without links that others replace.

    A link is left out when the way through other links is shorter by more than 0.01 m.
    """
    pairs = nearest_pairs(shapes)
    choices = [_choices(shapes[one], shapes[other]) for one, other in pairs]
    maps.prepare((int(x), int(y)) for starts, _ in choices for x, y in starts)
    links = []
    for pair, (starts, ends) in zip(pairs, choices, strict=True):
        lengths = maps.between(starts, ends)
        start, end = np.unravel_index(np.argmin(lengths), lengths.shape)
        links.append((pair, float(lengths[start, end]), starts[start], ends[end]))
    weights = np.zeros((len(shapes), len(shapes)))
    for (one, other), length, _, _ in links:
        weights[one, other] = weights[other, one] = max(length, 1e-6)  # 0 means no edge
    routes = csgraph.floyd_warshall(weights) if len(shapes) else weights
    return [
        Link(pair, maps.path(_cell(end), _cell(start))[::-1])
        for pair, length, start, end in links
        if length <= routes[pair] + _LONGER
    ]


def _cell(cell: np.ndarray) -> Cell:
    return int(cell[0]), int(cell[1])


def nearest_pairs(shapes: list[Shape]) -> list[tuple[int, int]]:
    """Return the pairs of each shape with its four nearest shapes.

    All ties at the fourth distance are included.
    """
    gaps = np.full((len(shapes), len(shapes)), np.inf)
    for one, shape in enumerate(shapes):
        for other in range(one + 1, len(shapes)):
            gaps[one, other] = gaps[other, one] = _manhattan(shape.outline, shapes[other].outline).min()
    pairs: set[tuple[int, int]] = set()
    for one, row in enumerate(gaps):
        limit = np.sort(row)[min(NEIGHBOURS, len(row)) - 1]
        near = np.flatnonzero((row <= limit) & np.isfinite(row))
        pairs |= {(min(one, int(other)), max(one, int(other))) for other in near}
    return sorted(pairs)


def _choices(one: Shape, other: Shape) -> tuple[np.ndarray, np.ndarray]:
    """Return the outline cells that a link of two shapes can join."""
    gaps = _manhattan(one.outline, other.outline)
    start, end = np.unravel_index(np.argmin(gaps), gaps.shape)
    return _around(one.outline, int(start)), _around(other.outline, int(end))


def _around(outline: np.ndarray, middle: int) -> np.ndarray:
    distances = np.abs(outline - outline[middle]).sum(axis=1)
    return outline[np.argsort(distances, kind="stable")[: CHOICES + 1]]


def _manhattan(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.abs(one[:, None] - other[None]).sum(axis=2)

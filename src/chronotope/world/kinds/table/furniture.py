"""The furniture on which things stand: a table and a low shelf."""

import numpy as np

from chronotope.world.catalogue import Look, Thing
from chronotope.world.slabs import corners_of, slab

__all__ = ["make_shelf", "make_table"]

TOP = 0.035  # m, thickness of the table's top
LEG = 0.06
BOARD = 0.016
TILE = 0.8  # m after which a texture repeats


def make_table(size: tuple[float, float, float], look: Look, colour: str, material: str) -> Thing:
    """Make a table of four legs.

    The origin is in the middle of the table's box, and sizes are in m.
    """
    length, width, height = size
    boxes = [((length, width, TOP), (0.0, 0.0, height / 2 - TOP / 2))]
    for x in (-1, 1):
        for y in (-1, 1):
            place = (x * (length / 2 - LEG), y * (width / 2 - LEG), -TOP / 2)
            boxes.append(((LEG, LEG, height - TOP), place))
    return _furniture("table", boxes, look, colour, material, 25.0)


def make_shelf(size: tuple[float, float, float], look: Look, colour: str, material: str) -> Thing:
    """Make a board on two sides, open in front and behind.

    Sizes are in m.
    """
    length, width, height = size
    boxes = [((length, width, BOARD), (0.0, 0.0, height / 2 - BOARD / 2))]
    for x in (-1, 1):
        sides = (BOARD, width * 0.96, height - BOARD)
        boxes.append((sides, (x * (length / 2 - 2 * BOARD), 0.0, -BOARD / 2)))
    return _furniture("shelf", boxes, look, colour, material, 2.0)


def _furniture(category: str, boxes: list, look: Look, colour: str, material: str, mass: float) -> Thing:
    pieces = tuple(slab(size, centre, look, TILE) for size, centre in boxes)
    points = np.concatenate([piece.vertices for piece in pieces])
    return Thing(
        category=category,
        colour=colour,
        material=material,
        pieces=pieces,
        size=_extent(points),
        symmetry="half",
        front=None,
        mass=mass,
        solids=tuple(corners_of(size, centre) for size, centre in boxes),
        support=None,
    )


def _extent(points: np.ndarray) -> tuple[float, float, float]:
    """Size (m) of the box of points (N, 3)."""
    length, width, height = (points.max(axis=0) - points.min(axis=0)).tolist()
    return length, width, height

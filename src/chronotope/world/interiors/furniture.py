"""The furniture under things: the table itself, and smaller furniture on it that supports more things."""

from collections.abc import Sequence

import numpy as np

from chronotope.world.slabs import corners_of, slab
from chronotope.world.things import Look, Piece, Thing
from chronotope.world.things.mesh import fillet, finish, lathe

TOP = 0.035  # m, thickness of the table's top
LEG = 0.06
BOARD = 0.016
TILE = 0.8  # m, period of a texture
SUNK = 0.006  # m, distance between the furniture's surface and the body that casts its shadow

Size = tuple[float, float, float]
Box = tuple[Sequence[float], Sequence[float]]


def make_table(size: Size, look: Look, colour: str, material: str, legs: Look) -> Thing:
    """Make a table with four legs.

    The origin is in the middle of the table's box, and sizes are in m.
    """
    length, width, height = size
    top: Box = ((length, width, TOP), (0.0, 0.0, height / 2 - TOP / 2))
    boxes: list[Box] = []
    for x in (-1, 1):
        for y in (-1, 1):
            place = (x * (length / 2 - LEG), y * (width / 2 - LEG), -TOP / 2)
            boxes.append(((LEG, LEG, height - TOP), place))
    return _furniture("table", [(top, look), *((box, legs) for box in boxes)], colour, material, 25.0)


def make_round_table(size: Size, look: Look, colour: str, material: str, legs: Look) -> Thing:
    """Make a table with a round top on one foot."""
    radius, height = size[0] / 2, size[2]
    top = _disc(radius, height / 2 - TOP, height / 2, look)
    outline = [
        (0, 0),
        (0.3, 0),
        (0.3, 0.02),
        (0.05, 0.06),
        (0.04, height - 0.06),
        (0.12, height - TOP),
        (0, height - TOP),
    ]
    foot = lathe(fillet(outline, 0.02), 40)
    foot = finish(foot._replace(vertices=foot.vertices - [0.0, 0.0, height / 2]), False)
    pieces = (top, Piece(foot.vertices, foot.faces, None, legs))
    return _of_pieces("table", pieces, (top.vertices, foot.vertices), colour, material, 25.0, "any")


def make_stand(size: Size, look: Look, colour: str, material: str) -> Thing:
    """Make a board on two side panels, open in front and behind.

    Sizes are in m.
    """
    length, width, height = size
    boxes: list[Box] = [((length, width, BOARD), (0.0, 0.0, height / 2 - BOARD / 2))]
    for x in (-1, 1):
        sides = (BOARD, width * 0.96, height - BOARD)
        boxes.append((sides, (x * (length / 2 - 2 * BOARD), 0.0, -BOARD / 2)))
    return _furniture("stand", [(box, look) for box in boxes], colour, material, 2.0)


def make_bookshelf(size: Size, look: Look, colour: str, material: str, middle: float) -> Thing:
    """Make a shelf of two boards with a back (along -y).

    ``middle`` (m) is measured from the foot of the shelf to the upper side of the lower board.
    """
    length, width, height = size
    boxes: list[Box] = [((length, width, BOARD), (0.0, 0.0, height / 2 - BOARD / 2))]
    boxes.append(((length - 2 * BOARD, width - 0.008, BOARD), (0.0, 0.004, middle - height / 2 - BOARD / 2)))
    boxes += [((BOARD, width, height - BOARD), (x * (length / 2 - BOARD / 2), 0.0, -BOARD / 2)) for x in (-1, 1)]
    boxes.append(((length - 2 * BOARD, 0.008, height - BOARD), (0.0, 0.004 - width / 2, -BOARD / 2)))
    return _furniture("shelf", [(box, look) for box in boxes], colour, material, 3.0)


def make_crate(size: Size, look: Look, colour: str, material: str) -> Thing:
    """Make a wooden crate of slats, upside down."""
    length, width, height = size
    inner, slat, gap = look, BOARD / 2, 0.008
    rows = max(2, round(height / 0.07))
    tall = (height - (rows - 1) * gap - slat) / rows
    boxes: list[Box] = [((length, width, slat), (0.0, 0.0, height / 2 - slat / 2))]
    for row in range(rows):
        z = -height / 2 + tall / 2 + row * (tall + gap)
        for side in (-1, 1):
            boxes.append(((length - 2 * slat, slat, tall), (0.0, side * (width / 2 - slat / 2), z)))
            boxes.append(((slat, width, tall), (side * (length / 2 - slat / 2), 0.0, z)))
    for x in (-1, 1):
        for y in (-1, 1):
            post = (x * (length / 2 - 0.020), y * (width / 2 - 0.020), -slat / 2)
            boxes.append(((0.022, 0.022, height - slat), post))
    return _furniture("crate", [(box, inner) for box in boxes], colour, material, 2.0)


def make_cake_stand(size: Size, look: Look, colour: str, material: str) -> Thing:
    """Make a round plate on a foot."""
    radius, height = size[0] / 2, size[2]
    outline = [
        (0, 0), (radius * 0.55, 0), (radius * 0.5, 0.008), (0.018, 0.03), (0.014, height * 0.6), (0.03, height - 0.012),
        (radius - 0.004, height - 0.010), (radius, height - 0.006), (radius, height), (0, height),
    ]  # fmt: skip
    body = lathe(fillet(outline, 0.003, 2), 56)
    body = finish(body._replace(vertices=body.vertices - [0.0, 0.0, height / 2]), False)
    piece = Piece(body.vertices, body.faces, None, look)
    low, high = body.vertices[:, 2] < 0.0, body.vertices[:, 2] > height / 2 - 0.013
    return _of_pieces("cake stand", (piece,), (body.vertices[low], body.vertices[high]), colour, material, 1.5, "any")


def _disc(radius: float, low: float, high: float, look: Look) -> Piece:
    """Make a round board with a picture on top, grain along x."""
    mesh = lathe([(0, low), (radius, low), (radius, high), (0, high)], 72)
    mesh = finish(mesh._replace(uv=mesh.vertices[:, :2] / TILE), True)
    middle = np.array([0.0, 0.0, (low + high) / 2])
    inner = np.array([1 - SUNK / radius, 1 - SUNK / radius, 1 - 2 * SUNK / (high - low)])
    return Piece(mesh.vertices, mesh.faces, mesh.uv, look, middle + (mesh.vertices - middle) * inner)


def _furniture(category: str, boxes: Sequence[tuple[Box, Look]], colour: str, material: str, mass: float) -> Thing:
    slabs = [slab(size, centre, look, TILE, SUNK) for (size, centre), look in boxes]
    looks = list(dict.fromkeys(look for _, look in boxes))
    pieces = tuple(_joined([piece for piece in slabs if piece.look is look]) for look in looks)
    solids = tuple(corners_of(size, centre) for (size, centre), _ in boxes)
    return _of_pieces(category, pieces, solids, colour, material, mass, "half")


def _joined(slabs: Sequence[Piece]) -> Piece:
    """Join slabs of the same look into one piece."""
    starts = np.cumsum([0, *(len(each.vertices) for each in slabs[:-1])])
    return Piece(
        np.concatenate([each.vertices for each in slabs]),
        np.concatenate([each.faces + start for each, start in zip(slabs, starts, strict=True)]),
        np.concatenate([each.uv for each in slabs if each.uv is not None]),
        slabs[0].look,
        np.concatenate([each.vertices if each.caster is None else each.caster for each in slabs]),
    )


def _of_pieces(
    category: str,
    pieces: tuple[Piece, ...],
    solids: tuple[np.ndarray, ...],
    colour: str,
    material: str,
    mass: float,
    symmetry: str,
) -> Thing:
    points = np.concatenate([piece.vertices for piece in pieces])
    length, width, height = (points.max(axis=0) - points.min(axis=0)).tolist()
    return Thing(
        category=category,
        colour=colour,
        material=material,
        pieces=pieces,
        size=(length, width, height),
        symmetry="any" if symmetry == "any" else "half",
        front=None,
        mass=mass,
        solids=solids,
        support=None,
    )

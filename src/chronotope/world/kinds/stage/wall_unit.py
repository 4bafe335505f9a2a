"""The wall unit of height ordering: three levels for things, and a compartment below each of the upper two."""

from dataclasses import replace

import numpy as np

from chronotope.world.kinds.stage.wall_dressing import ROWS, rows
from chronotope.world.slabs import corners_of, slab
from chronotope.world.things import Look, Piece, Thing, textures
from chronotope.world.things.thing import size_of

SUPPORTS = (0.07, 0.87, 1.90)  # m, heights of the three levels
WIDTH, DEPTH, BOARD = 1.2, 0.42, 0.025  # m
INNER = WIDTH - 2 * BOARD
SPANS = ((0.6125, SUPPORTS[1] - BOARD), (1.4725, SUPPORTS[2] - BOARD))  # m, from bottom to top of each compartment
HANDLE = 0.03  # m, by which handles stand out
BACK = (0.0, 0.24 - DEPTH / 2, 0.0)  # m, of the back of a row in the unit
LIGHT_WOODS = ("oak", "beech", "birch", "cherry")
RED, STEEL = Look((0.66, 0.14, 0.12), 0.3, 0.4), Look((0.72, 0.73, 0.75), 0.5, 0.6)
DARK = Look((0.16, 0.14, 0.13), 0.5, 0.5)

Box = tuple[tuple[float, float, float], tuple[float, float, float]]


def draw_unit(generator: np.random.Generator, front: str) -> Thing:
    """Draw a wall unit; its compartments have doors, or show what ``front`` names.

    That is a row of things, or "tools" for the drawers of a tool chest.
    """
    kind = str(generator.choice(LIGHT_WOODS))
    wood = Look((1.0, 1.0, 1.0), 0.2, 0.3, textures.wood(generator, kind, planks=2))
    boxes, top = _boxes(), SUPPORTS[2]
    goods: list[Piece] = []
    for low, high in SPANS if front in ROWS else ():
        goods += rows(generator, front, INNER, low, high)
    fronts, handles = ([], []) if goods else _drawers() if front else _doors()
    # Handles stand out, so the middle of the box is before the boards.
    lift = np.array([0.0, -HANDLE / 2 if handles else 0.0, top / 2])
    groups = ((boxes, wood), (fronts, RED if front else wood), (handles, STEEL if front else DARK))
    pieces = tuple(
        slab(size, (np.array(centre) - lift).tolist(), look, 0.9, 0.004)
        for group, look in groups
        for size, centre in group
    )
    turn = np.array([-1.0, -1.0, 1.0])  # rows stand with their backs at y = 0 and look along y
    pieces += tuple(replace(piece, vertices=np.round(piece.vertices * turn - lift + BACK, 6)) for piece in goods)
    solids = tuple(corners_of(size, (np.array(centre) - lift).tolist()) for size, centre in boxes)
    return Thing(
        "wall unit", None, "wood", pieces, size_of(pieces), "none", "its front", 60.0, solids, None, "{category}"
    )


def _boxes() -> list[Box]:
    low, _, top = SUPPORTS
    half = WIDTH / 2 - BOARD / 2
    boards: list[Box] = [((WIDTH, DEPTH, BOARD), (0, 0, level - BOARD / 2)) for level in SUPPORTS]
    sides: list[Box] = [((BOARD, DEPTH, top - BOARD), (side * half, 0, (top - BOARD) / 2)) for side in (-1, 1)]
    inner: list[Box] = [((INNER, DEPTH, BOARD), (0, 0, height)) for height in (0.60, 1.46)]
    back: Box = (INNER, 0.012, top - 0.02), (0, DEPTH / 2 - 0.006, top / 2)
    foot: Box = (INNER, DEPTH - 0.03, low - BOARD), (0, 0.015, (low - BOARD) / 2)
    return [*boards, *inner, back, foot, *sides]


def _doors() -> tuple[list[Box], list[Box]]:
    """Return three doors with knobs for each compartment."""
    doors: list[Box] = [
        ((INNER / 3 - 0.008, 0.02, high - low - 0.0075), ((number - 1) * INNER / 3, 0.01 - DEPTH / 2, (low + high) / 2))
        for number in range(3) for low, high in SPANS
    ]  # fmt: skip
    return doors, [((0.03, HANDLE, 0.03), (c[0], -DEPTH / 2 - HANDLE / 2, c[2])) for _, c in doors]


def _drawers() -> tuple[list[Box], list[Box]]:
    """Return three by two drawers with wide handles for each compartment, as of a tool chest."""
    drawers: list[Box] = []
    for low, high in SPANS:
        tall = (high - low) / 3
        drawers += [
            ((INNER / 2 - 0.012, 0.02, tall - 0.012), (side * INNER / 4, 0.01 - DEPTH / 2, low + (row + 0.5) * tall))
            for row in range(3) for side in (-1, 1)
        ]  # fmt: skip
    return drawers, [((0.3, HANDLE, 0.014), (c[0], -DEPTH / 2 - HANDLE / 2, c[2])) for _, c in drawers]

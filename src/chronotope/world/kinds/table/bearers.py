"""The random choice of the table, and of the furniture on it that supports more things."""

from dataclasses import replace

import numpy as np

from chronotope.world.film_set import Placement
from chronotope.world.grounds import Ground, stand
from chronotope.world.interiors.furniture import (
    BOARD,
    make_bookshelf,
    make_cake_stand,
    make_crate,
    make_round_table,
    make_stand,
    make_table,
)
from chronotope.world.interiors.surroundings import PAINTS, top_look, wood_look
from chronotope.world.things import Look, Thing

LEVELS = ((0.42, 0.52), (0.70, 0.78), (0.70, 0.78), (0.84, 0.95))  # m, heights of tables
ROUND_SHARE = 0.25
# Shelves and stands are the most frequent, because only they have places for one thing exactly above another thing.
# Questions about directions need a table with a pair of things for every answer, and "above" and "below" would be rare
# without such places.
KINDS = {"shelf": 0.5, "stand": 0.25, "crate": 0.125, "cake stand": 0.125}
EDGE = 0.04  # m, width of the free margin along the edge of a table
REACH = ((0.36, 0.62), (0.26, 0.42))  # m; ranges for the limit of things' distance from the middle, along x and y
INSIDE = 0.04  # m, smallest gap between a thing in a shelf and the board above it


def add_table(generator: np.random.Generator) -> tuple[Placement, Ground]:
    """Draw a table with the ground on its top."""
    low, high = LEVELS[generator.integers(len(LEVELS))]
    height = float(generator.uniform(low, high))
    look, colour, material = top_look(generator)
    legs = look if material == "wood" or generator.random() < 0.5 else _leg_look(generator)
    if generator.random() < ROUND_SHARE:
        across = float(generator.uniform(1.0, 1.3))
        table = make_round_table((across, across, height), look, colour, material, legs)
        half = np.array([0.80, 0.60]) * (across / 2 - EDGE)  # a rectangle with its corners on the edge
    else:
        size = (float(generator.uniform(1.1, 1.6)), float(generator.uniform(0.75, 1.0)), height)
        table = make_table(size, look, colour, material, legs)
        half = np.array(size[:2]) / 2 - EDGE
    half = np.minimum(half, [generator.uniform(*reach) for reach in REACH])
    pose = np.eye(4)
    pose[2, 3] = height / 2
    return Placement("table", table, pose, role="furniture"), Ground("table", np.array([0.0, 0.0, height]), half)


def _leg_look(generator: np.random.Generator) -> Look:
    colour = str(generator.choice(["white", "black", "grey"]))
    return Look(PAINTS[colour], 0.3, 0.4)


def add_bearer(
    generator: np.random.Generator, desk: Ground, azimuth: float, tallest: float
) -> tuple[Placement | None, list[Ground]]:
    """Add a shelf, a stand, a crate or a cake stand.

    The open side of the furniture faces the camera. Returns the placement (None if there is no free place), and the
    grounds on and in the furniture. ``tallest`` (m) is the largest height that a thing on top may have.
    """
    kind = str(generator.choice(list(KINDS), p=list(KINDS.values())))
    thing, levels = _draw(generator, kind)
    yaw = azimuth - np.pi / 2 + float(generator.uniform(-0.4, 0.4))
    placed = stand(generator, thing, desk, kind.replace(" ", "-"), yaw)
    if placed is None:
        return None, []
    pose = placed.pose.copy()
    height = thing.size[2]
    pose[2, 3] = desk.middle[2] + height / 2
    half = np.array(thing.size[:2]) / 2 - [0.012, 0.006]
    if kind == "cake stand":
        half = half * 0.7
    inside = half - [2 * BOARD, 0.01]
    grounds = []
    for level in levels:
        middle = np.array([*pose[:2, 3], desk.middle[2] + level])
        if level == levels[-1]:
            grounds.append(Ground(placed.id, middle, half, yaw, tallest))
        else:
            above = min(other for other in levels if other > level)
            owner = placed.id if level > 0 else desk.owner
            grounds.append(Ground(owner, middle, inside, yaw, above - level - BOARD - INSIDE))
    return replace(placed, pose=pose, role="furniture"), grounds


def _draw(generator: np.random.Generator, kind: str) -> tuple[Thing, list[float]]:
    """Draw a piece of furniture.

    Returns the furniture, and the heights (m) of the surfaces that support things, measured from the foot of the
    furniture.
    """
    look, colour = wood_look(generator)
    material = "wood"
    if kind in ("shelf", "stand") and generator.random() < 0.4:
        colour = str(generator.choice(list(PAINTS)))
        look, material = Look(PAINTS[colour], 0.2, 0.35), "painted wood"
    if kind == "stand":
        size = _uniform(generator, (0.36, 0.60), (0.22, 0.30), (0.14, 0.27))
        return make_stand(size, look, colour, material), [0.0, size[2]]
    if kind == "shelf":
        size = _uniform(generator, (0.42, 0.66), (0.20, 0.27), (0.36, 0.52))
        middle = float(generator.uniform(0.45, 0.55)) * size[2]
        return make_bookshelf(size, look, colour, material, middle), [0.0, middle, size[2]]
    if kind == "crate":
        size = _uniform(generator, (0.30, 0.46), (0.24, 0.32), (0.12, 0.26))
        return make_crate(size, look, colour, material), [size[2]]
    across = float(generator.uniform(0.24, 0.36))
    shade = str(generator.choice(["white", "light blue", "beige"]))
    plain = Look(PAINTS[shade], 0.5, 0.7)
    height = float(generator.uniform(0.08, 0.17))
    return make_cake_stand((across, across, height), plain, shade, "ceramic"), [height]


def _uniform(generator: np.random.Generator, *ranges: tuple[float, float]) -> tuple[float, float, float]:
    length, width, height = (float(generator.uniform(*each)) for each in ranges)
    return length, width, height

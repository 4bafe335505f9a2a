"""The table of a stage, in the colour and material of its graph."""

from typing import Any

import numpy as np

from chronotope.world.film_set import Placement
from chronotope.world.interiors.furniture import make_table
from chronotope.world.interiors.surroundings import PAINTS, STONES, WOODS
from chronotope.world.things import Look, textures

WHITE = (1.0, 1.0, 1.0)


def draw_table(generator: np.random.Generator, size: tuple[float, float, float], looks: Any) -> Placement:
    """Draw a table of a size (m) about the origin; ``looks`` has its colour and its material."""
    look = surface_look(generator, looks.color, looks.material)
    table = make_table(size, look, looks.color, looks.material, look)
    pose = np.eye(4)
    pose[2, 3] = size[2] / 2
    return Placement("anchor", table, pose, role="furniture")


def surface_look(generator: np.random.Generator, colour: str, material: str) -> Look:
    """Draw the look of a surface of a table."""
    if material == "wood":
        kinds = [kind for kind, word in WOODS.items() if word == colour]
        return Look(WHITE, 0.25, 0.3, textures.wood(generator, kinds[int(generator.integers(len(kinds)))], planks=3))
    if material == "stone":
        return Look(WHITE, 0.35, 0.5, textures.marble(generator, STONES[colour]))
    return Look(WHITE, 0.2, 0.35, textures.plaster(generator, PAINTS[colour], 256))

"""The cast of a stage: people as the words of a graph say."""

from typing import Any

import numpy as np

from chronotope.world.kinds.stage.graph.vocabulary import BODIES, TROUSERS, apart
from chronotope.world.people import Person, draw_person

SHIRT, LEGS = "T-shirt", "trousers"


def draw_actor(generator: np.random.Generator, looks: Any) -> Person:
    """Draw a person of a graph.

    ``looks`` says who it is by ``type``, and has the ``color`` of the T-shirt.
    """
    sex, age = BODIES[looks.type]
    muted = [colour for colour in TROUSERS if apart(colour, looks.color)]
    colours = {SHIRT: looks.color, LEGS: muted[int(generator.integers(len(muted)))]}
    return draw_person(generator, sex=sex, age=age, garments=(SHIRT, LEGS), colours=colours)  # type: ignore[arg-type]

"""Random products that can be assembled, and the words about their steps."""

import numpy as np

from chronotope.world.furniture.designs import DESIGNS
from chronotope.world.furniture.possible import faults_of_assembly
from chronotope.world.furniture.product import Product

ATTEMPTS = 60
STEPS, PARTS = (3, 10), (4, 20)  # limits of the numbers of steps and parts, as in manuals of IKEA
_FIRST = ("ber", "dal", "fal", "gran", "hol", "kal", "lin", "mal", "nor", "ros", "sten", "tor", "vin", "as", "el", "ot")
_LAST = ("by", "eda", "fors", "holm", "inge", "lunda", "mora", "nas", "sta", "vik", "tuna", "torp", "anda", "ered")


def draw_product(generator: np.random.Generator, number: int) -> Product:
    """Draw a product that can be assembled; its ``number`` in a set, from 0, chooses its category.

    Raises:
        RuntimeError: If no product of many can be assembled, which is a fault of its design.
    """
    design = DESIGNS[number % len(DESIGNS)]
    faults: list[str] = []
    for _ in range(ATTEMPTS):
        name = f"{generator.choice(_FIRST)}{generator.choice(_LAST)}"
        product = design(generator, name)
        if not STEPS[0] <= len(product.steps) <= STEPS[1] or not PARTS[0] <= len(product.parts) <= PARTS[1]:
            continue
        faults = faults_of_assembly(product)
        if not faults:
            return product
    raise RuntimeError(f"{design.__name__}: no product in {ATTEMPTS} attempts can be assembled: {faults[:1]}")

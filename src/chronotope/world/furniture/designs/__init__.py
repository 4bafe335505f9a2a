"""The designs of furniture: each function draws one product of its category from a random number generator."""

from collections.abc import Callable

import numpy as np

from chronotope.world.furniture.designs.seats import bench, chair, stool
from chronotope.world.furniture.designs.storage import cabinet, shelf
from chronotope.world.furniture.designs.surfaces import desk, table
from chronotope.world.furniture.product import Product

# In the order in which the products of a set take them.
DESIGNS: tuple[Callable[[np.random.Generator, str], Product], ...] = (chair, table, shelf, stool, cabinet, bench, desk)

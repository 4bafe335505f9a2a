"""Light that is baked once into pictures, so that the renderer draws a home without lamps."""

from chronotope.world.light.bake import bake, bake_states
from chronotope.world.light.detail import DETAILS
from chronotope.world.light.paint import Baked, Sheet

__all__ = ["DETAILS", "Baked", "Sheet", "bake", "bake_states"]

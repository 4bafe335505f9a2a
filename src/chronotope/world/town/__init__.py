"""A town as it is seen from the air: landmarks that people name, and houses, roads and trees around them."""

from chronotope.world.town.filler import Clearing, draw_town
from chronotope.world.town.landmarks import FROM_ABOVE, LANDMARKS, draw_landmark

__all__ = ["FROM_ABOVE", "LANDMARKS", "Clearing", "draw_landmark", "draw_town"]

"""Articulated things with rigid parts: lids, levers, buttons, fans, flags, barriers, lamps and traffic lights.

``draw_articulated`` draws one by its noun. The words are those of every articulated thing: a thing, its joints, their
frames at rest, and the bindings of its pieces.
"""

from chronotope.world.things.articulated.articulated import Articulated, Limit
from chronotope.world.things.articulated.draw import ARTICULATED, draw_articulated

__all__ = ["ARTICULATED", "Articulated", "Limit", "draw_articulated"]

"""The catalogue of things: meshes, surfaces and hulls at real sizes, chosen at random.

The things are everyday things that people can name immediately.
"""

from chronotope.world.catalogue import textures
from chronotope.world.catalogue.colours import COLOURS
from chronotope.world.catalogue.draw import CATEGORIES, draw_thing, draw_twins
from chronotope.world.catalogue.sizes import Sizes
from chronotope.world.catalogue.things import Category, Look, Piece, Thing

__all__ = [
    "CATEGORIES",
    "COLOURS",
    "Category",
    "Look",
    "Piece",
    "Sizes",
    "Thing",
    "draw_thing",
    "draw_twins",
    "textures",
]

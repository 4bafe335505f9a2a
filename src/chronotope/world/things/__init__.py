"""Things: their object types, colours, meshes and surfaces at real sizes.

``draw_thing`` draws an everyday thing that people can name immediately, for a table. ``draw_home_thing`` draws a thing
of a home, by the object types of AI2-THOR, with its visible state.
"""

from chronotope.world.things import textures
from chronotope.world.things.colours import COLOURS
from chronotope.world.things.draw import CATEGORIES, draw_thing, draw_twins
from chronotope.world.things.draw_home import HOME_KINDS, draw_home_thing
from chronotope.world.things.kind import HomeKind, HomeState, HomeThing, Model, Shelf
from chronotope.world.things.sizes import Sizes
from chronotope.world.things.thing import Category, Look, Piece, Thing

__all__ = [
    "CATEGORIES",
    "COLOURS",
    "HOME_KINDS",
    "Category",
    "HomeKind",
    "HomeState",
    "HomeThing",
    "Look",
    "Model",
    "Piece",
    "Shelf",
    "Sizes",
    "Thing",
    "draw_home_thing",
    "draw_thing",
    "draw_twins",
    "textures",
]

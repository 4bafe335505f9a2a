"""Things: their object types, colours, meshes and surfaces at real sizes.

``draw_thing`` draws an everyday thing that people can name immediately, for a table. ``draw_home_thing`` draws a thing
of a home, by the object types of AI2-THOR, with its visible state.
"""

from chronotope.world.things import textures
from chronotope.world.things.colours import COLOURS
from chronotope.world.things.draw import draw_home_thing, draw_thing, draw_twins
from chronotope.world.things.kind import HomeState, HomeThing, Kind, Model, Shelf
from chronotope.world.things.object_types import HOME_KINDS, TABLE_KINDS
from chronotope.world.things.sizes import Sizes
from chronotope.world.things.thing import Look, Piece, Thing

__all__ = [
    "COLOURS",
    "HOME_KINDS",
    "TABLE_KINDS",
    "HomeState",
    "HomeThing",
    "Kind",
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

"""Things: their object types, colours, meshes and surfaces at real sizes.

``draw_thing`` draws an everyday thing that people can name immediately, for a table or a stage. ``draw_home_thing``
draws a thing of a home, by the object types of AI2-THOR, with its visible state. ``draw_container`` draws a container
with an open top and measures the room in it, and ``draw_sign`` draws a sign with any words.
"""

from typing import TYPE_CHECKING

from chronotope.lazy import public_names

if TYPE_CHECKING:
    from chronotope.world.things.colours import COLOURS
    from chronotope.world.things.draw import draw_home_thing, draw_thing, draw_twins
    from chronotope.world.things.kind import HomeState, HomeThing, Kind, Model, Shelf
    from chronotope.world.things.object_types import HOME_KINDS, STAGE_KINDS, TABLE_KINDS
    from chronotope.world.things.open_tops import CONTAINERS, Container, draw_container, draw_liquid
    from chronotope.world.things.signs import SIGNS, Line, draw_sign
    from chronotope.world.things.sizes import Sizes
    from chronotope.world.things.thing import Look, Piece, Thing

__all__ = [
    "COLOURS",
    "CONTAINERS",
    "HOME_KINDS",
    "SIGNS",
    "STAGE_KINDS",
    "TABLE_KINDS",
    "Container",
    "HomeState",
    "HomeThing",
    "Kind",
    "Line",
    "Look",
    "Model",
    "Piece",
    "Shelf",
    "Sizes",
    "Thing",
    "draw_container",
    "draw_home_thing",
    "draw_liquid",
    "draw_sign",
    "draw_thing",
    "draw_twins",
]

__getattr__, __dir__ = public_names(
    __name__,
    {
        ".colours": ("COLOURS",),
        ".draw": ("draw_home_thing", "draw_thing", "draw_twins"),
        ".kind": ("HomeState", "HomeThing", "Kind", "Model", "Shelf"),
        ".object_types": ("HOME_KINDS", "STAGE_KINDS", "TABLE_KINDS"),
        ".open_tops": ("CONTAINERS", "Container", "draw_container", "draw_liquid"),
        ".signs": ("SIGNS", "Line", "draw_sign"),
        ".sizes": ("Sizes",),
        ".thing": ("Look", "Piece", "Thing"),
    },
)

"""Things of homes at real size, by the object types of AI2-THOR, each with its visible states."""

from chronotope.world.catalogue.homes.draw import HOME_KINDS, draw_home_thing
from chronotope.world.catalogue.homes.kind import HomeKind, HomeState, HomeThing, Model, Shelf

__all__ = ["HOME_KINDS", "HomeKind", "HomeState", "HomeThing", "Model", "Shelf", "draw_home_thing"]

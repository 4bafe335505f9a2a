"""The asset forge: sized furniture models of Sweet Home 3D become shapes of things of homes."""

from chronotope.world.forge.forge import Forged, forge
from chronotope.world.forge.models import Models, read_models

__all__ = ["Forged", "Models", "forge", "read_models"]

"""The kinds of simulated world: each is a folder here, or comes from another package.

A kind of world lays out the scene and plans the camera's path. `chronotope.world.film` makes recordings of this scene.
To add a kind of world, make a package with an object ``KIND`` in this folder, or declare a package with the entry point
``chronotope.worlds``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from chronotope.plugins import installed, own_parts

if TYPE_CHECKING:
    import numpy as np

    from chronotope.world.quality import Quality
    from chronotope.world.shot import Shots

__all__ = ["WorldKind", "world_kinds"]


@dataclass(frozen=True)
class WorldKind:
    """A kind of world, which ``world:<name>:N`` names.

    ``scenes`` is the plural noun for its scenes. ``lay`` lays out one scene in each of its states, with all random
    numbers from the generator. ``lay`` imports the engine, so that finding the kinds of world loads no engine. ``lay``
    raises InputError if the engine is missing, or if no scene could be laid out.
    """

    name: str
    scenes: str
    lay: "Callable[[np.random.Generator, Quality], Shots]"


@cache
def world_kinds() -> dict[str, WorldKind]:
    """Find every kind of world, by name.

    The packages of this folder come first, then the entry points ``chronotope.worlds``.

    Raises:
        InputError: If an entry point cannot be loaded or is not a kind of world, or if two kinds have the same name.
    """
    own = own_parts(__name__, __path__, "KIND")
    return installed("chronotope.worlds", WorldKind, ("kind of world", "kinds of world"), own)

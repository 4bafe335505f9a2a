"""A walk of some seconds through a home, filmed by a camera in a hand."""

from typing import TYPE_CHECKING

from chronotope.world.kinds import WorldKind

if TYPE_CHECKING:
    import numpy as np

    from chronotope.world.quality import Quality
    from chronotope.world.shot import Shots

__all__ = ["KIND"]


def _lay(generator: "np.random.Generator", quality: "Quality") -> "Shots":
    from chronotope.world.kinds.walk.walk import lay_walk

    return lay_walk(generator, quality)


KIND = WorldKind("walk", "walks", _lay)

"""A walk of some seconds through a home, filmed by a camera in a hand."""

from typing import TYPE_CHECKING

from chronotope.world.homes.people_options import NOBODY, PeopleOptions
from chronotope.world.kinds import WorldKind
from chronotope.world.quality import QUALITIES, Quality, QualityName

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

    from chronotope.world.shot import Shots

__all__ = ["KIND"]

BAKED: dict[QualityName, Quality] = {
    "lit": Quality("lit", 480, 360, 10, (8.0, 8.0), 0, 2, 20, baked=True, fineness="coarse"),
    "photo": Quality("photo", 640, 480, 30, (10.0, 16.0), 0, 8, 18, baked=True),
}


def _lay(
    generator: "np.random.Generator", quality: Quality, options: PeopleOptions = NOBODY, assets: "Path | None" = None
) -> "Shots":
    from chronotope.world.homes.assets import opened
    from chronotope.world.kinds.walk.walk import lay_walk

    return lay_walk(generator, quality, opened(assets), options.people)


KIND = WorldKind("walk", "walks", _lay, {**QUALITIES, **BAKED}, takes_assets=True, options=PeopleOptions)

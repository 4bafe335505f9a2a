"""A home in two states, filmed by a camera that walks through it."""

from typing import TYPE_CHECKING

from chronotope.world.homes.people_options import NOBODY, PeopleOptions
from chronotope.world.kinds import WorldKind
from chronotope.world.quality import Quality, QualityName

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

    from chronotope.world.shot import Shots

__all__ = ["KIND"]

# Both videos show the complete home, so their lengths follow from the route.
QUALITIES: dict[QualityName, Quality] = {
    "fast": Quality("fast", 448, 448, 3, (0.0, 0.0), 0, 0, 20),
    "lit": Quality("lit", 448, 448, 3, (0.0, 0.0), 0, 0, 20, baked=True, fineness="coarse"),
    "full": Quality("full", 1024, 768, 3, (0.0, 0.0), 2048, 4, 18),
    "photo": Quality("photo", 1024, 768, 3, (0.0, 0.0), 0, 4, 18, baked=True),
}


def _lay(
    generator: "np.random.Generator",
    quality: Quality,
    options: PeopleOptions = NOBODY,
    assets: "Path | None" = None,
    number: int | None = None,
) -> "Shots":
    from chronotope.world.homes.assets import opened
    from chronotope.world.kinds.house.house import lay_house

    return lay_house(generator, quality, assets=opened(assets), number=number, people=options.people)


def _read(
    path: "Path",
    generator: "np.random.Generator",
    quality: Quality,
    options: PeopleOptions = NOBODY,
    assets: "Path | None" = None,
) -> "Shots":
    from chronotope.world.homes.assets import opened
    from chronotope.world.kinds.house.house import lay_file

    return lay_file(path, generator, quality, opened(assets), options.people)


KIND = WorldKind(
    "house",
    "houses",
    _lay,
    QUALITIES,
    _read,
    takes_assets=True,
    takes_engine=True,
    takes_number=True,
    options=PeopleOptions,
    has_states=True,
)

"""A home in two states, filmed by a camera that walks through it."""

from typing import TYPE_CHECKING

from pydantic import Field

from chronotope.world.homes.people_options import PeopleOptions
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


class HouseOptions(PeopleOptions):
    """How many people there are in a home, and whether anything in it can be read."""

    unlettered: bool = Field(
        default=False,
        description="homes without letters: no books, posters or boxes, and dark displays; so they can be mirrored "
        "(chronotope vary)",
    )


USUAL = HouseOptions()


def _lay(
    generator: "np.random.Generator",
    quality: Quality,
    options: HouseOptions = USUAL,
    assets: "Path | None" = None,
    number: int | None = None,
) -> "Shots":
    from chronotope.world.homes.assets import opened
    from chronotope.world.kinds.house.house import lay_house

    told = options.model_dump()
    return lay_house(generator, quality, assets=opened(assets), number=number, **told)


def _read(
    path: "Path",
    generator: "np.random.Generator",
    quality: Quality,
    options: HouseOptions = USUAL,
    assets: "Path | None" = None,
) -> "Shots":
    from chronotope.world.homes.assets import opened
    from chronotope.world.kinds.house.house import lay_file

    return lay_file(path, generator, quality, opened(assets), options.people, options.unlettered)


KIND = WorldKind(
    "house",
    "houses",
    _lay,
    QUALITIES,
    _read,
    takes_assets=True,
    takes_engine=True,
    takes_number=True,
    options=HouseOptions,
    has_states=True,
)

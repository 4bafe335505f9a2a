"""A street with traffic, filmed through the windscreen of a car that drives in it."""

from typing import TYPE_CHECKING

from chronotope.world.kinds import WorldKind
from chronotope.world.quality import Quality, QualityName

if TYPE_CHECKING:
    import numpy as np

    from chronotope.world.shot import Shots

__all__ = ["KIND"]

QUALITIES: dict[QualityName, Quality] = {
    "fast": Quality("fast", 640, 360, 10, (10.0, 10.0), 2048, 2, 20),
    "lit": Quality("lit", 640, 360, 10, (10.0, 10.0), 0, 2, 20, baked=True, fineness="coarse"),
    "full": Quality("full", 960, 540, 20, (10.0, 15.0), 4096, 4, 18),
    "photo": Quality("photo", 960, 540, 20, (10.0, 15.0), 0, 4, 18, baked=True),
}


def _lay(generator: "np.random.Generator", quality: Quality, number: int | None = None) -> "Shots":
    from chronotope.world.kinds.street.street import lay_street

    return lay_street(generator, quality, number or 0)


KIND = WorldKind("street", "streets", _lay, QUALITIES, takes_number=True)

"""A workshop: furniture that is assembled, with its manual, and videos of people who assemble it."""

from typing import TYPE_CHECKING

from chronotope.world.kinds import WorldKind
from chronotope.world.kinds.furniture.workshop_options import WorkshopOptions
from chronotope.world.quality import QUALITIES, Quality, QualityName

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy as np

    from chronotope.recording import Procedure

__all__ = ["KIND"]


def _make(
    generator: "np.random.Generator",
    name: str,
    number: int,
    folder: "Path",
    quality: Quality,
    options: WorkshopOptions,
    tell: "Callable[[float, str], None]",
    path: "Path | None" = None,
) -> "Procedure":
    from chronotope.world.furniture.manual import make_manual

    photograph = None
    if options.photos:
        from chronotope.world.furniture.filmed.photos import photograph_at

        photograph = photograph_at(quality)
    if path is not None:
        from chronotope.world.furniture.meshes.manual import manual_of_meshes

        return manual_of_meshes(generator, name, number, folder, path, photograph)
    if not options.takes and not options.mistakes:
        return make_manual(generator, name, number, folder, photograph)
    from chronotope.world.furniture.filmed.procedure import make_filmed

    return make_filmed(generator, name, number, folder, options, quality, tell, photograph)


def _count(path: "Path") -> tuple[int, tuple[tuple[str, str], ...]]:
    from chronotope.world.furniture.meshes.reading import find_products

    found, failures = find_products(path)
    return len(found), failures


# Takes are long, so the pictures of previews are small and few.
_QUALITIES: dict[QualityName, Quality] = {
    "fast": Quality("fast", 400, 300, 8, (0.0, 0.0), 1024, 2, 22),
    "full": QUALITIES["full"],
}

KIND = WorldKind("furniture", "products", None, _QUALITIES, make=_make, count=_count, options=WorkshopOptions)

"""A workshop: furniture that is assembled, with its manual."""

from typing import TYPE_CHECKING

from chronotope.world.kinds import WorldKind

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

    from chronotope.recording import Procedure

__all__ = ["KIND"]


def _make(generator: "np.random.Generator", name: str, number: int, folder: "Path") -> "Procedure":
    from chronotope.world.furniture.manual import make_manual

    return make_manual(generator, name, number, folder)


KIND = WorldKind("furniture", "products", None, {}, make=_make)

"""The kinds of simulated world: each is a folder here, or comes from another package.

A kind lays out what is filmed and plans how the camera goes; `chronotope.world.film` makes recordings of it. To add
one, make a package with an object ``KIND`` in this folder, or name one by the entry point ``chronotope.worlds``.
"""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

from chronotope.errors import InputError

if TYPE_CHECKING:
    import numpy as np

    from chronotope.world.quality import Quality
    from chronotope.world.shot import Shots

__all__ = ["WorldKind", "world_kinds"]

GROUP = "chronotope.worlds"


@dataclass(frozen=True)
class WorldKind:
    """A kind of world, which ``world:<name>:N`` names.

    ``scenes`` is what its scenes are called, in the plural. ``lay`` lays out one scene in each of its states; all that
    is random comes from the generator. It does its own imports, so that finding the kinds loads no engine; it raises
    InputError if the engine is missing, or if nothing could be laid out.
    """

    name: str
    scenes: str
    lay: "Callable[[np.random.Generator, Quality], Shots]"


@cache
def world_kinds() -> dict[str, WorldKind]:
    """Find every kind of world, by name.

    The packages of this folder come first, then the entry points ``chronotope.worlds``.

    Raises:
        InputError: If an entry point cannot be loaded or names something else, or if two kinds have one name.
    """
    own = sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)
    found: dict[str, WorldKind] = {}
    candidates: list[tuple[str, Any]] = [(name, importlib.import_module(f"{__name__}.{name}").KIND) for name in own]
    candidates += [(point.name, _loaded(point)) for point in entry_points(group=GROUP)]
    for name, kind in candidates:
        if not isinstance(kind, WorldKind):
            raise InputError(f"entry point {name!r} of {GROUP} is not a WorldKind: it must name a KIND object")
        if kind.name in found:
            raise InputError(f"two installed kinds of world are called {kind.name!r}: uninstall one of them")
        found[kind.name] = kind
    return found


def _loaded(point: EntryPoint) -> Any:
    try:
        return point.load()
    except (ImportError, AttributeError) as error:
        raise InputError(
            f"the installed kind of world {point.name!r} cannot be loaded from {point.value} ({error}): mend or "
            "uninstall it"
        ) from error

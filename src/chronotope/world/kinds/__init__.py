"""The kinds of simulated world, each in a folder of this package or in another package.

A kind of world lays out a scene and plans the camera's path. `chronotope.world.film` makes recordings of the scene.
To add a kind of world, make a package with an object ``KIND`` in this folder, or declare a package with the entry point
``chronotope.worlds``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Literal

from chronotope.plugins import installed, own_parts
from chronotope.world.quality import QUALITIES, Quality, QualityName

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import BaseModel

    from chronotope.recording import Procedure
    from chronotope.world.shot import Plan, Shots

__all__ = ["WorldKind", "world_kinds"]


@dataclass(frozen=True)
class WorldKind:
    """A kind of world, named in the source ``world:<name>:N``.

    ``scenes`` is the plural noun for its scenes. ``lay(generator, quality)`` lays out one scene in each of its states,
    with all random numbers from the generator. Only ``lay`` imports the engine, so a search for kinds of world does not
    load it. ``lay`` raises InputError if the engine is missing, or if it finds no possible scene. ``qualities`` are the
    sizes of its clips. ``read(path, generator, quality)`` is for kinds whose scenes may come from files, named in the
    source ``world:<name>:FILE``. ``read`` lays out the scene of a file; random numbers for everything that the file
    does not state come from the generator. ``read`` raises InputError if the file is not such a scene. If
    ``takes_assets`` is true, ``lay`` and ``read`` also take ``assets``, the path of a folder of the asset forge. If
    ``takes_engine`` is true, AI2-THOR can film such scenes, too. If ``takes_number`` is true, ``lay`` also takes
    ``number``, the place of the scene in its set, from 0: rare things are spread evenly over a set.
    ``order(seed, number, options)`` is for kinds that number the scenes of a set in another order: it returns the
    number that ``lay`` and ``plan`` get. ``options`` is a
    Pydantic model whose fields are flags of ``chronotope build``, each with a default and a description. If a kind has
    options, ``lay`` and ``read`` also take ``options``, an instance of the model. If ``has_states`` is true, each scene
    has several states, so questions can be about what changed. ``plan(generator, number, options, path)`` is for kinds
    whose scenes are described in texts before they are drawn: it returns the `Plan` of a scene. A kind with ``make``
    has manuals instead of scenes, and no ``lay``: ``make(generator, name, number, folder)`` writes the pages of a
    manual into a folder, and returns the procedure. ``count(path)`` is for kinds with ``make`` whose products may come
    from a folder, named in the source ``world:<name>:FOLDER``: it returns their number, and the name of each product
    that cannot be read with the reason. ``make`` then also takes ``path``.
    """

    name: str
    scenes: str
    lay: "Callable[..., Shots] | None"
    qualities: Mapping[QualityName, Quality] = field(default_factory=lambda: QUALITIES)
    read: "Callable[..., Shots] | None" = None
    takes_assets: bool = False
    takes_engine: bool = False
    takes_number: bool = False
    order: "Callable[[int, int, BaseModel], int] | None" = None
    options: "type[BaseModel] | None" = None
    has_states: bool = False
    plan: "Callable[..., Plan] | None" = None
    make: "Callable[..., Procedure] | None" = None
    count: "Callable[[Path], tuple[int, tuple[tuple[str, str], ...]]] | None" = None

    @property
    def subject(self) -> Literal["scene", "procedure"]:
        """Return whether the kind makes scenes or procedures."""
        return "scene" if self.make is None else "procedure"

    @property
    def layout(self) -> "Callable[..., Shots]":
        """Return ``lay`` of a kind that makes scenes."""
        assert self.lay is not None, f"world:{self.name} has no scenes"
        return self.lay


@cache
def world_kinds() -> dict[str, WorldKind]:
    """Find every kind of world, by name.

    The packages of this folder come first, then the entry points ``chronotope.worlds``.

    Raises:
        InputError: If an entry point cannot be loaded or is not a kind of world, or if two kinds have the same name.
    """
    own = own_parts(__name__, __path__, "KIND")
    return installed("chronotope.worlds", WorldKind, ("kind of world", "kinds of world"), own)

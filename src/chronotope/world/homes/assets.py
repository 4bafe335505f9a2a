"""Assets of homes: shapes of things of homes from a folder of assets (see `world.asset_folder`)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from zlib import crc32

import numpy as np

from chronotope.errors import InputError
from chronotope.io import printable
from chronotope.world.asset_folder import AGAIN, INDEX, AssetEntry, open_folder, read_parts
from chronotope.world.things.kind import HomeState, HomeThing, Model, Shelf, build
from chronotope.world.things.mesh import Mesh, merge, slices
from chronotope.world.things.object_types import HOME_KINDS
from chronotope.world.things.thing import Look, Paint

SHARE = 0.75  # probability that a thing whose type has assets is one of them
SLICES = 8  # level slices of an asset, whose hulls are its shape in collisions


@dataclass(frozen=True, eq=False)
class Asset:
    """One asset of an open folder."""

    entry: AssetEntry
    folder: Path
    shows: frozenset[str] = frozenset()  # the states that it can show

    @cached_property
    def made(self) -> HomeThing:
        """Return the shape of the asset.

        Raises:
            InputError: If the file of the asset is missing or damaged.
        """
        parts = read_parts(self.folder, self.entry)
        try:
            return asset_thing(self.entry, [(part.mesh, part.look) for part in parts])
        except (ValueError, ArithmeticError, RuntimeError) as error:  # QhullError of a mesh without a volume
            raise InputError(
                f"{self.folder / self.entry.file}: cannot be made into a thing ({printable(str(error))}): {AGAIN}"
            ) from error


def asset_thing(entry: AssetEntry, parts: Sequence[tuple[Mesh, Look]]) -> HomeThing:
    """Build the thing of an asset.

    The thing has no states, and carries things only on the shelves of its entry.
    """
    built_in = HOME_KINDS[entry.type]
    front = built_in.front if built_in.use.fronted else None
    kind = replace(built_in, shows=frozenset(), symmetry="half" if front is None else "none", along=None, front=front)
    shelves = tuple(Shelf(each.centre, each.length, each.width) for each in entry.shelves)
    whole = merge(*(mesh for mesh, _ in parts))
    model = Model(tuple(parts), _solids(whole), shelves)
    paint = Paint("", "", parts[0][1])  # nobody states its materials
    made = build(kind, 0, HomeState(), paint, np.array(entry.size), model)
    return replace(made, thing=replace(made.thing, colour=entry.colour))


def _solids(whole: Mesh) -> tuple[np.ndarray, ...]:
    low, high = whole.vertices[:, 2].min(), whole.vertices[:, 2].max()
    cut = slices(whole, np.linspace(low, high + 1e-9, SLICES + 1).tolist())
    solid = [points for points in cut if len(points) > 4 and np.ptp(points, axis=0).min() > 1e-3]
    return tuple(solid) or (whole.vertices,)


@dataclass(frozen=True, eq=False)
class Assets:
    """The assets of a folder, by their ids.

    ``sha256`` is the hash of the index, which has the hashes of all files.
    """

    folder: Path
    sha256: str
    settings: str
    by_id: dict[str, Asset]

    def choose(self, name: str, seed: int) -> Asset | None:
        """Choose the asset of a thing by its type and seed.

        Returns None if the thing has a built-in shape.
        """
        found = [asset for asset in self.by_id.values() if asset.entry.type == name]
        generator = np.random.default_rng([seed, crc32(name.encode())])
        if not found or generator.random() >= SHARE:
            return None
        return found[int(generator.integers(len(found)))]

    def named(self, name: str) -> Asset:
        """Return an asset by its id.

        Raises:
            InputError: If there is no such asset.
        """
        if name not in self.by_id:
            raise InputError(f"{self.folder}: has no asset {name}: give the folder with which the house was made")
        return self.by_id[name]


def open_assets(folder: Path) -> Assets:
    """Open a folder of assets, for its things of homes.

    Raises:
        InputError: If the folder has no index, or if its index is not an index of assets.
    """
    opened = open_folder(folder)
    by_id = {entry.id: Asset(entry, folder) for entry in opened.of("home", tuple(HOME_KINDS))}
    return Assets(folder, opened.sha256, opened.settings, by_id)


def opened(folder: Path | None) -> Assets | None:
    """Open a folder of assets, or nothing without a folder.

    A folder that did not change is opened only once.
    """
    if folder is None:
        return None
    path = folder / INDEX
    changed = path.stat().st_mtime_ns if path.exists() else 0
    return _opened(folder, changed)


@lru_cache(maxsize=4)
def _opened(folder: Path, changed: int) -> Assets:
    return open_assets(folder)

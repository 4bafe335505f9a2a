"""Assets: shapes of things of homes in a folder, each with its size, licence and author (see `world.homes.forge`)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from io import BytesIO
from pathlib import Path
from typing import Annotated, Literal
from zlib import crc32

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from chronotope.errors import InputError
from chronotope.io import name_fault, printable, read_bytes, read_json, sha256_bytes, sha256_file
from chronotope.io.arrays import read_arrays
from chronotope.io.fields import first_fault
from chronotope.world.things.kind import HomeState, HomeThing, Model, Shelf, build
from chronotope.world.things.mesh import Mesh, merge, slices
from chronotope.world.things.object_types import HOME_KINDS
from chronotope.world.things.thing import Look, Paint

INDEX = "index.json"
SHARE = 0.75  # probability that a thing whose type has assets is one of them
SLICES = 8  # level slices of an asset, whose hulls are its shape in collisions
_MOST, _MOST_UNPACKED = 2**26, 2**27  # bytes, largest file of an asset, packed and unpacked
_ARRAYS = ("vertices", "faces", "counts", "looks")
_SIZE_ERROR = 0.005  # m, largest difference of an asset's box from its stated size
LARGEST = 20.0  # m, largest size of an asset
Length = Annotated[float, Field(gt=0, le=LARGEST)]
Shown = Annotated[str, AfterValidator(lambda text: printable(text, 1000))]
Place = Annotated[float, Field(ge=-LARGEST, le=LARGEST)]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)


class ShelfEntry(_Entry):
    """A level rectangle that carries things: its middle, its length along x, and its width along y (m)."""

    centre: tuple[Place, Place, Place]
    length: Length
    width: Length


class AssetEntry(_Entry):
    """The facts about one asset.

    ``size`` is along x (to the front), y and z (m). ``colour`` is the main colour, or None without a main colour.
    ``author``, ``licence`` and ``attribution`` are as the library states them; ``source`` names the model in the
    library, and ``source_sha256`` is the hash of the model's files in the library.
    """

    id: str
    type: str
    name: Shown
    file: str
    sha256: str
    size: tuple[Length, Length, Length]
    triangles: int
    colour: str | None
    shelves: tuple[ShelfEntry, ...]
    licence: Shown
    author: Shown
    attribution: Shown
    source: Shown
    library: Shown
    source_sha256: str


class AssetIndex(_Entry):
    """The index of a folder of assets; ``settings`` is the hash of the settings with which the assets were made."""

    format: Literal["chronotope-assets"] = "chronotope-assets"
    version: Literal[1] = 1
    settings: str
    assets: tuple[AssetEntry, ...]


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
        path = self.folder / self.entry.file
        data = read_bytes(path, _MOST)
        if sha256_bytes(data) != self.entry.sha256:
            raise InputError(f"{path}: differs from {INDEX}: forge the assets again into an empty folder")
        stored = read_arrays(path, _ARRAYS, _MOST_UNPACKED, BytesIO(data))
        if fault := _fault_of(stored, self.entry):
            raise InputError(f"{path}: is not an asset ({fault}): forge the assets again into an empty folder")
        try:
            return asset_thing(self.entry, _parts(*(stored[name] for name in _ARRAYS)))
        except (ValueError, ArithmeticError, RuntimeError) as error:  # QhullError of a mesh without a volume
            raise InputError(
                f"{path}: cannot be made into a thing ({printable(str(error))}): forge the assets again into an empty "
                "folder"
            ) from error


def _fault_of(stored: dict[str, np.ndarray], entry: AssetEntry) -> str | None:
    """Describe the fault of the arrays of an asset, or return None."""
    if missing := [name for name in _ARRAYS if name not in stored]:
        return f"the array {missing[0]} is missing"
    vertices, faces, counts, looks = (stored[name] for name in _ARRAYS)
    columns = {"vertices": (vertices, 3), "faces": (faces, 3), "counts": (counts, 2), "looks": (looks, 5)}
    for name, (array, count) in columns.items():
        if array.ndim != 2 or array.shape[1] != count or not len(array):
            return f"the array {name} has the shape {array.shape}, expected (N, {count})"
        if name in ("faces", "counts") and array.dtype.kind not in "iu":
            return f"the array {name} has no whole numbers"
        if not np.isfinite(array).all():
            return f"the array {name} has values that are not finite"
    totals = counts.astype(object).sum(axis=0).tolist()  # whole numbers of Python do not overflow
    if counts.min() < 1 or len(looks) != len(counts) or totals != [len(vertices), len(faces)]:
        return f"counts are of {totals} vertices and faces in {len(looks)} parts, and the arrays have others"
    if faces.min() < 0 or (faces >= np.repeat(counts[:, 0], counts[:, 1])[:, None]).any():
        return "a face has a vertex that is not there"
    if looks.min() < 0 or looks.max() > 1:
        return "a look has a value that is not from 0 to 1"
    box = np.ptp(vertices.astype(float), axis=0)
    if np.abs(vertices).max() > 2 * LARGEST or np.abs(box - entry.size).max() > _SIZE_ERROR:
        return f"its box has {np.round(box, 3).tolist()} m, and {INDEX} states {list(entry.size)} m"
    return None


def _parts(vertices: np.ndarray, faces: np.ndarray, counts: np.ndarray, looks: np.ndarray) -> list[tuple[Mesh, Look]]:
    # The meshes of an asset, each with its look; ``counts`` (P, 2) are the numbers of vertices and faces of each.
    parts: list[tuple[Mesh, Look]] = []
    at = np.concatenate([[[0, 0]], np.cumsum(counts, axis=0)]).astype(int)
    for (v0, f0), (v1, f1), (r, g, b, specular, shininess) in zip(at[:-1], at[1:], looks.tolist(), strict=True):
        points = vertices[v0:v1].astype(float)
        mesh = Mesh(points, faces[f0:f1].astype(np.int64), np.zeros((len(points), 2)))
        parts.append((mesh, Look((r, g, b), specular, shininess)))
    return parts


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
    """Open a folder of assets.

    Raises:
        InputError: If the folder has no index, or if its index is not an index of assets.
    """
    path = folder / INDEX
    if not path.is_file():
        raise InputError(f"{folder}: is not a folder of assets: expected {INDEX}; make it with chronotope forge")
    try:
        index = AssetIndex.model_validate(read_json(path))
    except ValidationError as error:
        raise InputError(f"{path}: is not an index of assets: {first_fault(error)}") from error
    for each in index.assets:
        if fault := name_fault(each.file) or name_fault(each.id):
            raise InputError(f"{path}: {fault}")
    unknown = next((each for each in index.assets if each.type not in HOME_KINDS), None)
    if unknown is not None:
        raise InputError(f"{path}: {unknown.id} has the object type {unknown.type!r}, which no home has")
    return Assets(folder, sha256_file(path), index.settings, {each.id: Asset(each, folder) for each in index.assets})


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

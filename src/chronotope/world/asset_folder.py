"""Folders of assets: shapes of things of homes and of streets, each with its size, licence and author.

``world.forge`` makes such a folder from furniture libraries. Each asset has a file of arrays and an entry in the index.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from chronotope.errors import InputError
from chronotope.io import name_fault, printable, read_bytes, read_json, sha256_bytes, sha256_file
from chronotope.io.arrays import read_arrays
from chronotope.io.fields import first_fault
from chronotope.world.things.mesh import Mesh
from chronotope.world.things.thing import Look

INDEX = "index.json"
LARGEST = 20.0  # m, largest size of an asset
PIXELS = 256  # px, largest side of a picture
_MOST, _MOST_UNPACKED = 2**26, 2**27  # bytes, largest file of an asset, packed and unpacked
_NEEDED = ("vertices", "faces", "counts", "looks")
_PICTURES = ("uv", "shown", "shapes", "pixels")  # all or none of them
_ARRAYS = (*_NEEDED, *_PICTURES, "joints")
_SIZE_ERROR = 0.005  # m, largest difference of an asset's box from its stated size
_FURTHEST = 1000.0  # largest uv coordinate
AGAIN = "forge the assets again into an empty folder"
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


class WheelEntry(_Entry):
    """A wheel of a vehicle: the name of its joint, its middle, its radius and its width (m); its axle is along y."""

    joint: Annotated[str, Field(pattern=r"^wheel(_[a-z]+)*$", max_length=40)]
    centre: tuple[Place, Place, Place]
    radius: Length
    width: Length


class AssetEntry(_Entry):
    """The facts about one asset.

    ``use`` says whether it is a thing of homes or of streets, and ``type`` is its object type there. ``size`` is along
    x (to the front), y and z (m). ``colour`` is the main colour, or None without a main colour. ``shelves`` are of
    things of homes, and ``wheels`` of vehicles. ``author``, ``licence`` and ``attribution`` are as the library states
    them; ``source`` names the model in the library, and ``source_sha256`` is the hash of the model's files in the
    library.
    """

    id: str
    use: Literal["home", "street"] = "home"
    type: str
    name: Shown
    file: str
    sha256: str
    size: tuple[Length, Length, Length]
    triangles: int
    colour: str | None
    shelves: tuple[ShelfEntry, ...]
    wheels: tuple[WheelEntry, ...] = ()
    licence: Shown
    author: Shown
    attribution: Shown
    source: Shown
    library: Shown
    source_sha256: str

    @property
    def rights(self) -> dict[str, str]:
        """Return what a recording states about the asset: its id, its licence and its attribution."""
        return {"id": self.id, "licence": self.licence, "attribution": self.attribution}


class AssetIndex(_Entry):
    """The index of a folder of assets; ``settings`` is the hash of the settings with which the assets were made."""

    format: Literal["chronotope-assets"] = "chronotope-assets"
    version: Literal[1, 2] = 2
    settings: str
    assets: tuple[AssetEntry, ...]


class Part(NamedTuple):
    """A part of an asset: its mesh, its look, and the joint that carries it (0: the body; k: the k-th wheel)."""

    mesh: Mesh
    look: Look
    joint: int = 0


@dataclass(frozen=True, eq=False)
class AssetFolder:
    """An open folder of assets: its entries, the hash of its index, and the hash of the settings of its making."""

    folder: Path
    sha256: str
    settings: str
    entries: tuple[AssetEntry, ...]

    def of(self, use: str, types: Sequence[str]) -> tuple[AssetEntry, ...]:
        """Return the entries of one use.

        Raises:
            InputError: If an entry has none of the object ``types``.
        """
        found = tuple(entry for entry in self.entries if entry.use == use)
        unknown = next((entry for entry in found if entry.type not in types), None)
        if unknown is not None:
            raise InputError(
                f"{self.folder / INDEX}: {unknown.id} has the object type {unknown.type!r}, which no {use} has"
            )
        return found


def open_folder(folder: Path) -> AssetFolder:
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
    for entry in index.assets:
        if fault := name_fault(entry.file) or name_fault(entry.id):
            raise InputError(f"{path}: {fault}")
    return AssetFolder(folder, sha256_file(path), index.settings, index.assets)


def read_parts(folder: Path, entry: AssetEntry) -> list[Part]:
    """Read the parts of an asset.

    Raises:
        InputError: If the file of the asset is missing or damaged.
    """
    path = folder / entry.file
    data = read_bytes(path, _MOST)
    if sha256_bytes(data) != entry.sha256:
        raise InputError(f"{path}: differs from {INDEX}: {AGAIN}")
    stored = read_arrays(path, _ARRAYS, _MOST_UNPACKED, BytesIO(data))
    if fault := _fault_of(stored, entry) or _picture_fault(stored):
        raise InputError(f"{path}: is not an asset ({fault}): {AGAIN}")
    return _parts(stored)


def pack_parts(parts: Sequence[Part]) -> bytes:
    """Return the bytes of the file of an asset; equal parts give equal bytes."""
    meshes = [part.mesh for part in parts]
    arrays = {
        "vertices": np.concatenate([mesh.vertices for mesh in meshes]).astype(np.float32),
        "faces": np.concatenate([mesh.faces for mesh in meshes]).astype(np.uint16),
        "counts": np.array([[len(mesh.vertices), len(mesh.faces)] for mesh in meshes], np.int32),
        "looks": np.array([(*part.look.colour, part.look.specular, part.look.shininess) for part in parts], float),
    }
    if any(part.joint for part in parts):
        arrays["joints"] = np.array([part.joint for part in parts], np.uint8)
    pictures: dict[bytes, tuple[int, np.ndarray]] = {}
    shown = np.full(len(parts), -1, np.int16)
    for number, part in enumerate(parts):
        if part.look.texture is not None:
            picture = np.ascontiguousarray(part.look.texture, np.uint8)
            shown[number] = pictures.setdefault(picture.tobytes(), (len(pictures), picture))[0]
    if pictures:
        kept = [picture for _, picture in pictures.values()]
        arrays["uv"] = np.concatenate([mesh.uv for mesh in meshes]).astype(np.float32)
        arrays["shown"] = shown
        arrays["shapes"] = np.array([picture.shape[:2] for picture in kept], np.int32)
        arrays["pixels"] = np.concatenate([picture.ravel() for picture in kept])
    # Archives of NumPy have no time stamps, so equal arrays give equal bytes.
    packed = BytesIO()
    np.savez_compressed(packed, **arrays)
    return packed.getvalue()


def _fault_of(stored: dict[str, np.ndarray], entry: AssetEntry) -> str | None:
    """Describe the fault of the arrays of an asset, or return None."""
    if missing := [name for name in _NEEDED if name not in stored]:
        return f"the array {missing[0]} is missing"
    vertices, faces, counts, looks = (stored[name] for name in _NEEDED)
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
    joints = stored.get("joints", np.zeros(len(counts), int))
    if (
        joints.dtype.kind not in "iu"
        or joints.shape != (len(counts),)
        or not 0 <= joints.min() <= joints.max() <= len(entry.wheels)
    ):
        return f"a part is on a joint that is not there: expected {len(counts)} numbers up to {len(entry.wheels)}"
    box = np.ptp(vertices.astype(float), axis=0)
    if np.abs(vertices).max() > 2 * LARGEST or np.abs(box - entry.size).max() > _SIZE_ERROR:
        return f"its box has {np.round(box, 3).tolist()} m, and {INDEX} states {list(entry.size)} m"
    return None


def _picture_fault(stored: dict[str, np.ndarray]) -> str | None:
    """Describe the fault of the pictures of an asset, or return None."""
    there = [name for name in _PICTURES if name in stored]
    if not there:
        return None
    if len(there) < len(_PICTURES):
        return f"has the array {there[0]} without {next(name for name in _PICTURES if name not in stored)}"
    uv, shown, shapes, pixels = (stored[name] for name in _PICTURES)
    if uv.shape != (len(stored["vertices"]), 2) or not np.isfinite(uv).all() or np.abs(uv).max() > _FURTHEST:
        return f"the array uv has the shape {uv.shape}, or values beyond {_FURTHEST:g}"
    if shapes.ndim != 2 or shapes.shape[1] != 2 or not len(shapes) or shapes.dtype.kind not in "iu":
        return f"the array shapes has the shape {shapes.shape}, expected whole numbers (N, 2)"
    if shapes.min() < 1 or shapes.max() > PIXELS:
        return f"a picture has a side of {shapes.max()} px, expected 1 to {PIXELS}"
    if pixels.dtype != np.uint8 or pixels.shape != (3 * int(shapes.prod(axis=1).sum()),):
        return f"the array pixels has the shape {pixels.shape}, which is not that of its pictures"
    if (
        shown.dtype.kind not in "iu"
        or shown.shape != (len(stored["counts"]),)
        or not (-1 <= shown.min() <= shown.max() < len(shapes))
    ):
        return "a part shows a picture that is not there"
    return None


def _parts(stored: dict[str, np.ndarray]) -> list[Part]:
    vertices, faces, counts, looks = (stored[name] for name in _NEEDED)
    uv = stored.get("uv", np.zeros((len(vertices), 2))).astype(float)
    shown = stored.get("shown", np.full(len(counts), -1))
    joints = stored.get("joints", np.zeros(len(counts), int))
    pictures: list[np.ndarray] = []
    start = 0
    for height, width in stored.get("shapes", np.zeros((0, 2), int)).tolist():
        pictures.append(stored["pixels"][start : start + 3 * height * width].reshape(height, width, 3))
        start += 3 * height * width
    parts: list[Part] = []
    at = np.concatenate([[[0, 0]], np.cumsum(counts, axis=0)]).astype(int)
    for number, ((v0, f0), (v1, f1)) in enumerate(pairwise(at)):
        r, g, b, specular, shininess = looks[number].tolist()
        picture = None if shown[number] < 0 else pictures[shown[number]]
        mesh = Mesh(vertices[v0:v1].astype(float), faces[f0:f1].astype(np.int64), uv[v0:v1])
        parts.append(Part(mesh, Look((r, g, b), specular, shininess, picture), int(joints[number])))
    return parts

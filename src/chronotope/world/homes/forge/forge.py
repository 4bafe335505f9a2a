"""Assets of homes from furniture libraries: chosen, made smaller, measured and written into a folder."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.io import canonical_json, printable, sha256_bytes, sha256_file, slug, write_atomically, write_json
from chronotope.world.homes.assets import INDEX, AssetEntry, AssetIndex, ShelfEntry, asset_thing, open_assets
from chronotope.world.homes.forge import colouring, shaping, tops
from chronotope.world.homes.forge.colouring import Patch, patches_of
from chronotope.world.homes.forge.library import ADDRESSES, Library, LibraryRow, open_libraries
from chronotope.world.homes.forge.models import Models
from chronotope.world.homes.forge.shaping import MOST, require_simplification, shaped
from chronotope.world.homes.forge.tops import flat_top
from chronotope.world.homes.forge.wavefront import read_model
from chronotope.world.things.colour_table import COLOUR_TABLE
from chronotope.world.things.colours import lab
from chronotope.world.things.main_colour import has_main_colour, seen_pieces
from chronotope.world.things.mesh import Mesh
from chronotope.world.things.object_types import HOME_KINDS
from chronotope.world.things.thing import Look, Piece

MOST_OF_IT = 0.6  # least share of what is seen that has the colour
NEAR = 20.0  # largest distance from the named colour, in CIE Lab
# Colours that have other names than those of the table: what is nearest to one of them is called by no colour.
OTHERS = (
    (0.25, 0.25, 0.26),
    (0.42, 0.42, 0.43),
    (0.60, 0.60, 0.61),
    (0.74, 0.74, 0.75),
    (0.88, 0.82, 0.70),
    (0.76, 0.66, 0.52),
    (0.62, 0.45, 0.28),
    (0.50, 0.47, 0.40),
    (0.45, 0.45, 0.20),
    (0.35, 0.60, 0.62),
    (0.62, 0.75, 0.86),
    (0.10, 0.14, 0.28),
    (0.06, 0.08, 0.16),
    (0.45, 0.12, 0.12),
    (0.45, 0.22, 0.18),
    (0.95, 0.25, 0.05),
    (0.90, 0.70, 0.20),
    (0.15, 0.35, 0.40),
    (0.17, 0.09, 0.08),
    (0.18, 0.17, 0.16),
)


def colour_of(pieces: Sequence[Piece]) -> str | None:
    """Return the name of the colour that most of a thing has.

    Returns None if no colour covers most of the thing.
    """
    painted = {name: row.srgb for name, row in COLOUR_TABLE.items() if row.names_assets}
    names = [*painted, *(None for _ in OTHERS)]
    known = lab(np.array([*painted.values(), *OTHERS]))
    looks = lab(np.array([piece.look.colour for piece in pieces]))
    away = np.linalg.norm(looks[:, None] - known[None], axis=2)
    nearest = np.where(away.min(axis=1) <= NEAR, away.argmin(axis=1), len(names))
    counts = np.bincount(nearest[seen_pieces(pieces)], minlength=len(names) + 1)
    most = int(counts[: len(names)].argmax())
    name = names[most]
    is_main = counts[most] >= MOST_OF_IT * counts.sum() and name is not None and has_main_colour(pieces, name)
    return name if is_main else None


VERSION = 1  # is increased when the same model gives another asset
HIGHEST = 1.4  # m, things are put on tops that are at most as high


@dataclass(frozen=True)
class Forged:
    """The result of `forge`: the entries of the index, the number of new ones, and why models were left out."""

    entries: tuple[AssetEntry, ...]
    new: int
    left_out: dict[str, str]


def forge(
    source: Path,
    out: Path,
    models: Models,
    tell: Callable[[int, int, str], None] | None = None,
    keep_going: bool = False,
) -> Forged:
    """Make the assets of a folder from one or more libraries.

    The ``source`` is a library or a folder of libraries. ``models`` says which models become things of which object
    types. Assets that the folder already has are kept if they come from the same files. ``tell`` is called after each
    model with the number of finished models, the number of all models, and the name of the model. With ``keep_going``,
    a broken model is left out.

    Raises:
        InputError: If the source is not a library or has none of the models, if a model is broken, or if the library
            that makes meshes smaller is missing.
    """
    require_simplification()
    say = tell or (lambda done, total, name: None)
    with open_libraries(source) as libraries:
        wanted = [
            (library, number, name)
            for library in libraries
            for number, name in library.ids.items()
            if name in models.types
        ]
        if not wanted:
            raise InputError(
                f"{source}: has none of the {len(models.types)} models that are known: expected the furniture "
                "libraries of Sweet Home 3D, or name the models of another library with --models"
            )
        settings = sha256_bytes(canonical_json([VERSION, models.settings, _limits()]).encode())
        known = _known(out, settings)
        entries: dict[str, AssetEntry] = {}
        left_out: dict[str, str] = {}
        new = 0
        for done, (library, number, name) in enumerate(wanted):
            say(done, len(wanted), name)
            try:
                with _faults_of(library, name):
                    row = library.row(number)
                    source_hash = library.sha256_of(row)
                    entry = known.get(slug(row.id))
                    if entry is None or entry.source_sha256 != source_hash or not _is_whole(out, entry):
                        entry = _made(library, row, source_hash, models, out)
                        new += 1
            except InputError as error:
                if not keep_going:
                    raise
                left_out[name] = str(error)
                continue
            if isinstance(entry, str):
                left_out[name] = entry
                continue
            entries[entry.id] = entry
            _write_index(out, settings, {**known, **entries})
        _write_index(out, settings, entries)
        say(len(wanted), len(wanted), "")
    return Forged(tuple(entries[name] for name in sorted(entries)), new, left_out)


@contextmanager
def _faults_of(library: Library, name: str) -> Iterator[None]:
    """Turn the faults of a broken model into one sentence."""
    where = f"{library.path}: the model {printable(name)}"
    try:
        with np.errstate(all="ignore"):
            yield
    except InputError as error:
        told = str(error).removeprefix(f"{library.path}: ")
        raise InputError(f"{library.path}: {told}" if printable(name) in told else f"{where}: {told}") from error
    # Numerical faults of meshes that no check foresees, such as a hull without a volume (QhullError, a RuntimeError).
    except (ValueError, ArithmeticError, LookupError, TypeError, RuntimeError, MemoryError) as error:
        raise InputError(
            f"{where} cannot be made into a thing ({printable(str(error))}): leave it out with --keep-going"
        ) from error


def _limits() -> list[float]:
    return [shaping.TRIANGLES, shaping.FEWEST, shaping.SHEET, colouring.MOST, colouring.ALIKE, tops.CELL, tops.LEVEL]


def _known(out: Path, settings: str) -> dict[str, AssetEntry]:
    """Return the assets of an earlier run with the same settings."""
    if not (out / INDEX).exists():
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise InputError(f"{out}: exists and is not a folder of assets: choose another folder")
        return {}
    opened = open_assets(out)
    if opened.settings != settings:
        return {}
    return {name: asset.entry for name, asset in opened.by_id.items()}


def _is_whole(out: Path, entry: AssetEntry) -> bool:
    path = out / entry.file
    return path.is_file() and sha256_file(path) == entry.sha256


def _write_index(out: Path, settings: str, entries: dict[str, AssetEntry]) -> None:
    index = AssetIndex(settings=settings, assets=tuple(entries[name] for name in sorted(entries)))
    out.mkdir(parents=True, exist_ok=True)
    write_json(out / INDEX, index.model_dump(mode="json"))


def _made(library: Library, row: LibraryRow, source_hash: str, models: Models, out: Path) -> AssetEntry | str:
    """Make one asset and write its file.

    Returns the reason if the model is left out.
    """
    name = models.types[row.id]
    yaw = models.yaw.get(row.id, 0.0)
    wide, deep, tall = row.size
    size = np.array([deep, wide, tall] if yaw % 180 == 0 else [wide, deep, tall])
    patches = shaped(patches_of(read_model(row.model, library.read, library.has)), row.turn, size, yaw)
    triangles = sum(len(patch.faces) for patch in patches)
    if triangles > MOST:
        return f"has {triangles} triangles after it was made smaller, and at most {MOST} are used"
    patches = [_rounded(patch) for patch in patches]
    data = _packed(patches)
    identity = slug(row.id)
    entry = AssetEntry(
        id=identity,
        type=name,
        name=row.name,
        file=f"{identity}.npz",
        sha256=sha256_bytes(data),
        size=(float(size[0]), float(size[1]), float(size[2])),
        triangles=triangles,
        colour=None,
        shelves=_shelves(name, patches),
        licence=library.licence_of(row),
        author=row.author,
        attribution=_attribution(library, row),
        source=row.id,
        library=library.path.name,
        source_sha256=source_hash,
    )
    made = asset_thing(entry, [(Mesh(p.vertices, p.faces, p.vertices[:, :2]), _look(p)) for p in patches])
    entry = entry.model_copy(update={"colour": colour_of(made.thing.pieces)})
    out.mkdir(parents=True, exist_ok=True)
    with write_atomically(out / entry.file) as path:
        path.write_bytes(data)
    return entry


def _look(patch: Patch) -> Look:
    r, g, b, specular, shininess = patch.look
    return Look((r, g, b), specular, shininess)


def _rounded(patch: Patch) -> Patch:
    return Patch(patch.vertices.astype(np.float32).astype(float), patch.faces, patch.look)


def _shelves(name: str, patches: list[Patch]) -> tuple[ShelfEntry, ...]:
    if not HOME_KINDS[name].use.flat_top:
        return ()
    found = flat_top(np.concatenate([patch.vertices[patch.faces] for patch in patches]))
    if found is None or found[0][2] > HIGHEST:
        return ()
    centre, length, width = found
    return (ShelfEntry(centre=centre, length=length, width=width),)


def _attribution(library: Library, row: LibraryRow) -> str:
    licence = library.licence_of(row)
    address = f" ({ADDRESSES[licence]})" if licence in ADDRESSES else ""
    return (
        f'"{row.name}" ({row.id}) by {row.author}, {licence}{address}, from {library.path.name} of '
        "Sweet Home 3D; the mesh was simplified, and its pictures were replaced by plain colours"
    )


def _packed(patches: list[Patch]) -> bytes:
    # Archives of NumPy have no time stamps, so equal arrays give equal bytes.
    packed = BytesIO()
    np.savez_compressed(
        packed,
        vertices=np.concatenate([patch.vertices for patch in patches]).astype(np.float32),
        faces=np.concatenate([patch.faces for patch in patches]).astype(np.uint16),
        counts=np.array([[len(patch.vertices), len(patch.faces)] for patch in patches], np.int32),
        looks=np.array([patch.look for patch in patches], float),
    )
    return packed.getvalue()

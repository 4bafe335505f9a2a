"""Assets of homes and streets from furniture libraries: chosen, made smaller, measured and written into a folder."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.io import canonical_json, printable, sha256_bytes, sha256_file, slug, write_atomically, write_json
from chronotope.world.asset_folder import INDEX, AssetEntry, AssetIndex, open_folder
from chronotope.world.forge import home_assets, street_assets
from chronotope.world.forge.home_assets import make_home_asset
from chronotope.world.forge.library import ADDRESSES, Library, LibraryRow, open_libraries
from chronotope.world.forge.models import Models
from chronotope.world.forge.shaping import require_simplification
from chronotope.world.forge.street_assets import make_street_asset
from chronotope.world.forge.wavefront import read_model

VERSION = 2  # is increased when the same model gives another asset


@dataclass(frozen=True)
class Forged:
    """The result of `forge`: the folder, the entries of the index, the number of new ones, and what was left out."""

    folder: Path
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
        wanted = _wanted(source, libraries, models)
        settings = sha256_bytes(
            canonical_json([VERSION, models.settings, home_assets.LIMITS, street_assets.LIMITS]).encode()
        )
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
    return Forged(out, tuple(entries[name] for name in sorted(entries)), new, left_out)


def _wanted(source: Path, libraries: list[Library], models: Models) -> list[tuple[Library, int, str]]:
    """Return the models of libraries that the table has: the library, the number and the id of each."""
    wanted = [
        (library, number, name) for library in libraries for number, name in library.ids.items() if name in models.known
    ]
    if not wanted:
        raise InputError(
            f"{source}: has none of the {len(models.known)} models that are known: expected the furniture "
            "libraries of Sweet Home 3D, or name the models of another library with --models"
        )
    return wanted


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


def _known(out: Path, settings: str) -> dict[str, AssetEntry]:
    """Return the assets of an earlier run with the same settings."""
    if not (out / INDEX).exists():
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise InputError(f"{out}: exists and is not a folder of assets: choose another folder")
        return {}
    opened = open_folder(out)
    return {entry.id: entry for entry in opened.entries} if opened.settings == settings else {}


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
    identity = slug(row.id)
    is_street = row.id in models.street
    facts = {
        "id": identity,
        "name": row.name,
        "file": f"{identity}.npz",
        "licence": library.licence_of(row),
        "author": row.author,
        "attribution": _attribution(library, row, is_street),
        "source": row.id,
        "library": library.path.name,
        "source_sha256": source_hash,
    }
    surfaces = read_model(row.model, library.read, library.has)
    made = (make_street_asset if is_street else make_home_asset)(row, surfaces, models, facts)
    if isinstance(made, str):
        return made
    entry, data = made
    out.mkdir(parents=True, exist_ok=True)
    with write_atomically(out / entry.file) as path:
        path.write_bytes(data)
    return entry.model_copy(update={"sha256": sha256_bytes(data)})


def _attribution(library: Library, row: LibraryRow, is_street: bool) -> str:
    licence = library.licence_of(row)
    address = f" ({ADDRESSES[licence]})" if licence in ADDRESSES else ""
    changed = (
        "the mesh was simplified, its pictures were made smaller, and its number plates are blank"
        if is_street
        else "the mesh was simplified, and its pictures were replaced by plain colours"
    )
    return (
        f'"{row.name}" ({row.id}) by {row.author}, {licence}{address}, from {library.path.name} of '
        f"Sweet Home 3D; {changed}"
    )

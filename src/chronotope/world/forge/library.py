"""Furniture libraries of Sweet Home 3D: their models, sizes, authors and licences.

A library is a zip archive (``.sh3f``, ``.jar`` or ``.zip``) with ``PluginFurnitureCatalog.properties`` and the files of
the models in OBJ form. In the catalogue, each model has a number N and the keys ``id#N``, ``name#N``, ``model#N``,
``width#N``, ``depth#N``, ``height#N`` (cm), and perhaps ``creator#N``, ``license#N``, ``elevation#N`` (cm) and
``modelRotation#N`` (nine numbers, by rows).
"""

import lzma
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.io import irregular, printable, sha256_bytes, sha256_file, unreadable

CATALOGUE = "PluginFurnitureCatalog.properties"
PACKAGE = "the Debian package sweethome3d-furniture has them in /usr/share/sweethome3d/furniture"
_SUFFIXES = (".sh3f", ".jar", ".zip")
_MOST, _MOST_CATALOGUE, _MOST_LINES = 2**26, 2**24, 200_000  # bytes of an unpacked file; of the catalogue; its lines
_MOST_ALL = 2**28  # bytes of all files of a model
SMALLEST, LARGEST = 0.1, 2000  # cm, sizes of a model
_DAMAGED = (  # what damaged archives raise
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError, EOFError, struct.error),
    *(NotImplementedError, RuntimeError, ValueError, LookupError, MemoryError),
)
_LICENCES = (  # a part of an address or of a name of a licence, and its short name
    ("creativecommons.org/choose/zero", "CC0-1.0"),
    ("creativecommons.org/publicdomain/zero/1.0", "CC0-1.0"),
    ("creativecommons.org/licenses/by/3.0/us", "CC-BY-3.0-US"),
    ("creativecommons.org/licenses/by/3.0", "CC-BY-3.0"),
    ("creativecommons.org/licenses/by/4.0", "CC-BY-4.0"),
    ("creative commons attribution 3.0 united states", "CC-BY-3.0-US"),
    ("creative commons attribution 3.0", "CC-BY-3.0"),
    ("creative commons attribution 4.0", "CC-BY-4.0"),
    ("creative commons zero", "CC0-1.0"),
)

ADDRESSES = {  # CC BY demands the address of the licence beside the name of the author
    "CC0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    "CC-BY-3.0": "https://creativecommons.org/licenses/by/3.0/",
    "CC-BY-3.0-US": "https://creativecommons.org/licenses/by/3.0/us/",
    "CC-BY-4.0": "https://creativecommons.org/licenses/by/4.0/",
}


@dataclass(frozen=True)
class LibraryRow:
    """A model of a library.

    ``size`` is its width, depth and height (m), and ``turn`` (3, 3) turns the vertices of the file before they are
    scaled to this size. ``model`` is the path of its OBJ file in the archive.
    """

    id: str
    name: str
    model: str
    size: tuple[float, float, float]
    turn: np.ndarray
    elevation: float
    author: str
    stated: str | None

    @property
    def folder(self) -> str:
        """Return the folder of the model in the archive, with a slash."""
        return self.model.rpartition("/")[0] + "/"


class Library:
    """An open library: its rows, and the bytes of its files."""

    def __init__(self, path: Path, archive: zipfile.ZipFile) -> None:
        self.path, self._archive = path, archive
        self._names = {name.lower(): name for name in archive.namelist()}

    @cached_property
    def values(self) -> dict[str, str]:
        """Return the keys and values of the catalogue."""
        return _properties(f"{self.path}: {CATALOGUE}", self.read(CATALOGUE, _MOST_CATALOGUE))

    @cached_property
    def sha256(self) -> str:
        """Return the hash of the archive."""
        return sha256_file(self.path)

    @cached_property
    def licence(self) -> str:
        """Return the short name of the library's licence.

        An unknown licence is returned as the library states it.
        """
        text = self.read("LICENSE.TXT").decode("latin-1") if self.has("LICENSE.TXT") else ""
        stated = self.values.get("license", "")
        return short_licence(text) or short_licence(stated) or printable(stated) or "not stated"

    @cached_property
    def ids(self) -> dict[int, str]:
        """Return the ids of all models by their numbers, in order."""
        numbers = sorted(int(key[3:]) for key in self.values if re.fullmatch(r"id#[0-9]{1,9}", key))
        return {number: self.values[f"id#{number}"] for number in numbers if f"id#{number}" in self.values}

    def row(self, number: int) -> LibraryRow:
        """Return a model of the catalogue by its number.

        Raises:
            InputError: If the model has no size, or if its size, its elevation or its turn cannot be true.
        """
        values = {key: self.values.get(f"{key}#{number}", "") for key in ("id", "name", "model", "creator", "license")}
        where = f"{self.path}: {CATALOGUE}: model {number} ({printable(values['id'])})"
        size = [self._number(where, f"{key}#{number}") for key in ("width", "depth", "height")]
        if min(size) < SMALLEST or max(size) > LARGEST:
            raise InputError(
                f"{where}: its size is {' x '.join(f'{each:g}' for each in size)} cm: expected three numbers from "
                f"{SMALLEST} to {LARGEST}"
            )
        return LibraryRow(
            id=values["id"],
            name=printable(values["name"]),
            model=values["model"].lstrip("/"),
            size=(size[0] / 100, size[1] / 100, size[2] / 100),
            turn=self._turn(where, number),
            elevation=self._number(where, f"elevation#{number}", "0") / 100,
            author=printable(values["creator"]) or "not stated",
            stated=printable(values["license"]) or None,
        )

    def _turn(self, where: str, number: int) -> np.ndarray:
        stated = self.values.get(f"modelRotation#{number}", "1 0 0 0 1 0 0 0 1")
        try:
            turn = np.array(stated.split()[:10], float).reshape(3, 3)
        except ValueError:
            turn = np.zeros((3, 3))
        # The length of the rows does not matter, because the model is scaled to its size. NaN fails each comparison.
        lengths = np.abs(turn).max(axis=1, keepdims=True)
        is_true = (lengths > 1e-6).all() and (lengths < 1e6).all() and abs(np.linalg.det(turn / lengths)) > 1e-3
        if not is_true:
            raise InputError(
                f"{where}: modelRotation is {printable(stated, 100)!r}: expected nine numbers of a rotation"
            )
        return turn

    def _number(self, where: str, key: str, standard: str = "nothing") -> float:
        text = self.values.get(key, standard)
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise InputError(f"{where}: {key.partition('#')[0]} is {printable(text, 60)!r}: expected a number of cm")
        return number

    def licence_of(self, row: LibraryRow) -> str:
        """Return the short name of a model's licence."""
        return self.licence if row.stated is None else short_licence(row.stated) or row.stated

    def has(self, name: str) -> bool:
        """Check whether the archive has a file, in any case of letters."""
        return name.lower() in self._names

    def read(self, name: str, most: int = _MOST) -> bytes:
        """Return the bytes of a file.

        Raises:
            InputError: If the archive has no such file, or if it is damaged or has more than ``most`` bytes.
        """
        if not self.has(name):
            raise InputError(
                f"{self.path}: has no file {printable(name)}: expected a furniture library of Sweet Home 3D"
            )
        info = self._archive.getinfo(self._names[name.lower()])
        if info.file_size > most:
            raise InputError(f"{self.path}: {name} has {info.file_size:,} bytes: expected at most {most:,}")
        try:
            return self._archive.read(info)
        except _DAMAGED as error:
            raise InputError(
                f"{self.path}: {name} is damaged ({printable(str(error))}): fetch the library again"
            ) from error

    def sha256_of(self, row: LibraryRow) -> str:
        """Hash the files of a model, and its catalogue row."""
        names = sorted(name for name in self._names.values() if name.startswith(row.folder) and name[-1] != "/")
        if not row.folder.strip("/"):
            names = [row.model]
        infos = (self._archive.NameToInfo[name] for name in names if name in self._archive.NameToInfo)
        if sum(info.file_size for info in infos) > _MOST_ALL:
            raise InputError(f"{self.path}: {row.folder} has more than {_MOST_ALL >> 20} MB: leave the model out")
        parts = [sha256_bytes(self.read(name)) for name in names]
        return sha256_bytes("\n".join([*names, *parts, repr((row.id, row.size, row.turn.tolist()))]).encode())


def short_licence(text: str) -> str | None:
    """Return the short name of a licence in a text.

    Returns None if none is known.
    """
    plain = " ".join(text.lower().split())
    return next((name for part, name in _LICENCES if part in plain), None)


@contextmanager
def open_libraries(source: Path) -> Iterator[list[Library]]:
    """Open a library, or all libraries of a folder, by name.

    Raises:
        InputError: If there is no library.
    """
    if not source.exists():
        raise InputError(f"{source}: no such file or folder: expected furniture libraries of Sweet Home 3D; {PACKAGE}")
    paths = [source]
    if source.is_dir():
        paths = sorted(path for path in source.iterdir() if path.suffix.lower() in _SUFFIXES)
    if not paths:
        raise InputError(f"{source}: has no file {' or '.join(f'*{each}' for each in _SUFFIXES)}; {PACKAGE}")
    with ExitStack() as stack:
        yield [Library(path, stack.enter_context(_archive(path))) for path in paths]


def _archive(path: Path) -> zipfile.ZipFile:
    if fault := irregular(path, "a furniture library"):
        raise InputError(fault)
    try:
        return zipfile.ZipFile(path)
    except _DAMAGED as error:
        if isinstance(error, OSError):
            raise InputError(unreadable(path, error)) from error
        raise InputError(
            f"{path}: is not a furniture library of Sweet Home 3D: expected a zip archive with {CATALOGUE}; {PACKAGE}"
        ) from error


def _properties(where: str, data: bytes) -> dict[str, str]:
    # The keys and values of a Java properties file; a backslash at the end of a line continues it.
    found: dict[str, str] = {}
    started: list[str] = []
    for number, coded in enumerate(BytesIO(data + b"\n"), 1):
        if number > _MOST_LINES:
            raise InputError(f"{where}: has more than {_MOST_LINES:,} lines: expected a catalogue of furniture")
        part = coded.decode("latin-1").lstrip().rstrip("\r\n")
        if part.endswith("\\"):
            started.append(part[:-1])
            continue
        line, started = "".join([*started, part]).rstrip(), []
        if line and line[0] not in "#!":
            place = sign.start() if (sign := re.search("[=:]", line)) else len(line)
            found[_unescaped(line[:place].rstrip())] = _unescaped(line[place + 1 :].lstrip())
    return found


def _unescaped(text: str) -> str:
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), text)
    return re.sub(r"\\(.)", r"\1", text)

"""Furniture libraries of Sweet Home 3D: their models, sizes, authors and licences.

A library is a zip archive (``.sh3f``, ``.jar`` or ``.zip``) with ``PluginFurnitureCatalog.properties`` and the files of
the models in OBJ form. In the catalogue, each model has a number N and the keys ``id#N``, ``name#N``, ``model#N``,
``width#N``, ``depth#N``, ``height#N`` (cm), and perhaps ``creator#N``, ``license#N``, ``elevation#N`` (cm) and
``modelRotation#N`` (nine numbers, by rows).
"""

import re
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.io import sha256_bytes, sha256_file, unreadable

__all__ = ["ADDRESSES", "Library", "Row", "open_libraries"]

CATALOGUE = "PluginFurnitureCatalog.properties"
PACKAGE = "the Debian package sweethome3d-furniture has them in /usr/share/sweethome3d/furniture"
_SUFFIXES = (".sh3f", ".jar", ".zip")
_MOST = 2**28  # bytes, largest unpacked file of a model
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
class Row:
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
        return _properties(self.read(CATALOGUE).decode("latin-1"))

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
        return short_licence(text) or short_licence(stated) or stated or "not stated"

    def rows(self) -> list[Row]:
        """Return all models of the catalogue, in its order.

        Raises:
            InputError: If a model has no file or no size.
        """
        numbers = sorted(int(key[3:]) for key in self.values if re.fullmatch(r"id#\d+", key))
        return [self._row(number) for number in numbers]

    def _row(self, number: int) -> Row:
        values = {key: self.values.get(f"{key}#{number}", "") for key in ("id", "name", "model", "creator", "license")}
        where = f"{self.path}: {CATALOGUE}: model {number} ({values['id']})"
        size = [self._number(where, f"{key}#{number}") for key in ("width", "depth", "height")]
        if min(size) <= 0:
            raise InputError(f"{where}: its size is {size} cm: expected three positive numbers")
        turn = self.values.get(f"modelRotation#{number}", "1 0 0 0 1 0 0 0 1").split()
        try:
            matrix = np.array(turn, float).reshape(3, 3)
        except ValueError:
            raise InputError(f"{where}: modelRotation is {' '.join(turn)!r}: expected nine numbers") from None
        return Row(
            id=values["id"],
            name=values["name"],
            model=values["model"].lstrip("/"),
            size=(size[0] / 100, size[1] / 100, size[2] / 100),
            turn=matrix,
            elevation=self._number(where, f"elevation#{number}", "0") / 100,
            author=values["creator"] or "not stated",
            stated=values["license"] or None,
        )

    def _number(self, where: str, key: str, standard: str = "nothing") -> float:
        text = self.values.get(key, standard)
        try:
            return float(text)
        except ValueError:
            raise InputError(f"{where}: {key.partition('#')[0]} is {text!r}: expected a number of cm") from None

    def licence_of(self, row: Row) -> str:
        """Return the short name of a model's licence."""
        return self.licence if row.stated is None else short_licence(row.stated) or row.stated

    def has(self, name: str) -> bool:
        """Check whether the archive has a file, in any case of letters."""
        return name.lower() in self._names

    def read(self, name: str) -> bytes:
        """Return the bytes of a file.

        Raises:
            InputError: If the archive has no such file, or if it is damaged.
        """
        if not self.has(name):
            raise InputError(f"{self.path}: has no file {name}: expected a furniture library of Sweet Home 3D")
        info = self._archive.getinfo(self._names[name.lower()])
        if info.file_size > _MOST:
            raise InputError(f"{self.path}: {name} has {info.file_size} bytes: expected at most {_MOST}")
        try:
            return self._archive.read(info)
        except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError) as error:
            raise InputError(f"{self.path}: {name} is damaged ({error}): fetch the library again") from error

    def sha256_of(self, row: Row) -> str:
        """Hash the files of a model, and its catalogue row."""
        names = sorted(name for name in self._names.values() if name.startswith(row.folder) and name[-1] != "/")
        if not row.folder.strip("/"):
            names = [row.model]
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
    try:
        return zipfile.ZipFile(path)
    except zipfile.BadZipFile as error:
        raise InputError(
            f"{path}: is no furniture library of Sweet Home 3D: expected a zip archive with {CATALOGUE}; {PACKAGE}"
        ) from error
    except OSError as error:
        raise InputError(unreadable(path, error)) from error


def _properties(text: str) -> dict[str, str]:
    # The keys and values of a Java properties file.
    found: dict[str, str] = {}
    for line in re.sub(r"\\\r?\n[ \t]*", "", text).splitlines():
        line = line.strip()
        if line and line[0] not in "#!":
            key, _, value = re.sub(r"\s*[=:]\s*", "=", line, count=1).partition("=")
            found[_unescaped(key)] = _unescaped(value)
    return found


def _unescaped(text: str) -> str:
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), text)
    return re.sub(r"\\(.)", r"\1", text)

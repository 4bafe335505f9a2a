"""Safe unpacking of archives (.zip, .tar) into the cache folder.

An archive is unpacked completely or not at all. All files of an archive are written into a separate cache folder, and
never next to the archive. Links and devices are refused. The number and the total size of the files are limited.
"""

import bz2
import gzip
import lzma
import shutil
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from chronotope.errors import InputError
from chronotope.io import path_fault, refusal, remedy, sha256_bytes, write_atomically
from chronotope.media import cache_folder

TARS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
SUFFIXES = (".zip", *TARS)
TABLES = (".parquet", ".json", ".jsonl", ".tsv")
DEEPEST = 4  # levels of subfolders; on hubs, no known archive is in a deeper folder
MOST_FILES = 500_000
# The highest ratio of unpacked to packed size, if the files exceed SMALL bytes. Videos hardly grow, tables grow by a
# factor of ten, malicious archives by a factor of thousands.
MOST_GROWTH, SMALL = 100, 256 * 1024**2
ROOM_LEFT = 64 * 1024**2  # bytes of disk space that stay free after unpacking
# The headers before a file's content (names and attributes) are read into memory at once. Global headers, which apply
# to all files, stay in memory; usual archives have one or two such headers.
MOST_HEADERS, MOST_GLOBALS = 1024**2, 64
BLOCK = 1024**2
MOST_DIRECTORY = 64 * 1024**2  # bytes of the list of files in a .zip file; about 500,000 files
_END_BYTES = 66_000  # bytes at the end of a .zip file with its end records and its longest comment
_IGNORED = ("__MACOSX", ".DS_Store", "Icon\r")
_DAMAGED = (
    *(zipfile.BadZipFile, tarfile.TarError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, EOFError),
    *(NotImplementedError, RuntimeError, ValueError),
)
_COMPRESSED = ((b"\x1f\x8b", gzip.open), (b"BZh", bz2.open), (b"\xfd7zXZ\x00", lzma.open))

Tell = Callable[[str], None]


@dataclass(frozen=True)
class _Member:
    """A file in an archive: its path, its stated size in bytes, and a function that opens it."""

    name: str
    size: int
    open: Callable[[], IO[bytes]]


def is_archive(path: Path) -> bool:
    """Check whether a path is a file with an archive's suffix."""
    return path.name.lower().endswith(SUFFIXES) and path.is_file()


def archives_in(folder: Path, deepest: int = DEEPEST) -> list[Path]:
    """List the archives in a folder and its subfolders.

    ``deepest`` is the number of levels of subfolders to search. If the path is not a folder, the list is empty.
    """
    found: list[Path] = []
    if folder.is_dir():
        for item in sorted(folder.iterdir()):
            if is_archive(item):
                found.append(item)
            elif deepest and item.is_dir() and not item.name.startswith("."):
                found += archives_in(item, deepest - 1)
    return found


def holds_table(archive: Path) -> bool:
    """Check whether a .zip archive contains a table.

    Only the names in the archive are read. A table has the suffix .parquet, .json, .jsonl or .tsv.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            return any(name.lower().endswith(TABLES) for name in opened.namelist())
    except (OSError, *_DAMAGED):
        return False


def unpacked(archive: Path, told: Tell = lambda _: None, among: int = 1) -> Path:
    """Return the cache folder with an archive's content.

    If the cache does not contain the archive's content yet, the archive is unpacked first. ``told`` is called with a
    message when unpacking begins. ``among`` is the number of archives that are unpacked together: they share the bytes
    that any archive may grow to. After an error, the cache contains no file of the archive.

    Raises:
        InputError: If the archive is damaged or encrypted, contains a link, a device or an unsafe path, exceeds the
            limits of size, or does not fit on the disk.
    """
    real = archive.resolve()
    facts = real.stat()
    key = sha256_bytes(f"{real}\n{facts.st_size}\n{facts.st_mtime_ns}".encode())[:32]
    folder = cache_folder() / "unpacked" / key
    if not folder.is_dir():
        told(f"unpacking {archive.name}")
        try:
            with write_atomically(folder) as temporary:
                temporary.mkdir()
                _unpack(archive, real, temporary, folder, among)
        except _DAMAGED as error:
            if isinstance(error, InputError):
                raise
            raise InputError(
                f"{archive}: cannot be unpacked ({' '.join(str(error).split()) or 'it ends too early'}): download the "
                "archive again, or unpack it yourself and give the path of the folder"
            ) from error
        except OSError as error:
            if not folder.is_dir():  # otherwise another process has unpacked the archive meanwhile
                raise InputError(
                    f"{archive}: cannot be unpacked into {folder} ({refusal(error)}): {remedy(error)}"
                ) from error
    return folder


def _unpack(archive: Path, real: Path, target: Path, folder: Path, among: int) -> None:
    most = max(SMALL // among, MOST_GROWTH * real.stat().st_size)
    free = shutil.disk_usage(target).free - ROOM_LEFT
    written = count = 0
    with _members(archive, real, most) as members:
        for member in members:
            count += 1
            if count > MOST_FILES:
                raise InputError(f"{archive}: contains more than {MOST_FILES:,} files, too many for a release")
            written += _write(archive, member, target, min(most, free) - written)
            if written > most:
                raise _grown(archive)
            if written > free:
                raise InputError(
                    f"{archive}: there is not enough disk space for its files in {folder.parent} "
                    f"({free / 1e9:.1f} GB are free): free disk space, or set CHRONOTOPE_CACHE to another folder"
                )


def _write(archive: Path, member: _Member, target: Path, room: int) -> int:
    """Write one file of an archive, and return its size in bytes.

    At most ``room`` bytes are written. If the file is larger, the result is a number above ``room``.
    """
    if member.size > room:
        return member.size
    place = target / member.name
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.exists():
        raise InputError(
            f"{archive}: contains the file {member.name!r} twice: unpack the archive yourself and give the path of the "
            "folder"
        )
    written = 0
    with member.open() as source, place.open("xb") as file:
        while block := source.read(BLOCK):
            written += len(block)
            if written > room:
                return written
            file.write(block)
    return written


@contextmanager
def _members(archive: Path, real: Path, most: int) -> Iterator[Iterator[_Member]]:
    """Yield the files of an archive after checking that they are safe."""
    if archive.name.lower().endswith(".zip"):
        _check_directory(archive, real)
        with zipfile.ZipFile(real) as packed:
            yield _of_zip(archive, packed)
    else:
        with _decompressed(real) as file:
            content = _Bounded(archive, file, most)
            with tarfile.open(fileobj=content, mode="r:") as packed:  # type: ignore[call-overload]
                yield _of_tar(archive, packed, content)


def _check_directory(archive: Path, real: Path) -> None:
    """Check the size of a .zip file's directory.

    `zipfile` reads it into memory at once.
    """
    with real.open("rb") as file:
        file.seek(max(0, real.stat().st_size - _END_BYTES))
        end = file.read(_END_BYTES)
    for mark, form, offset in ((b"PK\x05\x06", "<L", 12), (b"PK\x06\x06", "<Q", 40)):
        at = end.rfind(mark)
        if at < 0 or at + offset + struct.calcsize(form) > len(end):
            continue
        [size] = struct.unpack_from(form, end, at + offset)
        if MOST_DIRECTORY < size != 0xFFFFFFFF:  # this value stands for the one in the other record
            raise InputError(
                f"{archive}: lists its files in {size >> 20} MB, more than any known release: unpack the archive "
                "yourself only if you trust it"
            )


def _of_zip(archive: Path, packed: zipfile.ZipFile) -> Iterator[_Member]:
    for info in packed.infolist():
        # PowerShell writes backslashes, against the format. The name is checked only after they are replaced.
        name = info.filename.replace("\\", "/")
        kind = stat.S_IFMT(info.external_attr >> 16)
        if name.endswith("/"):
            continue
        if kind not in (0, stat.S_IFREG):
            raise _unsafe(archive, info.filename, "a link or a device")
        if info.flag_bits & 1:
            raise _unsafe(archive, info.filename, "encrypted")
        if (safe := _safe(archive, name)) is not None:
            yield _Member(safe, info.file_size, lambda info=info: packed.open(info))


def _decompressed(real: Path) -> IO[bytes]:
    """Open a .tar file, and decompress it if needed.

    The first bytes of the file decide the method of decompression, because the suffix of a file name can be wrong.
    """
    with real.open("rb") as file:
        start = file.read(8)
    opener = next((one for magic, one in _COMPRESSED if start.startswith(magic)), None)
    return real.open("rb") if opener is None else opener(real, "rb")  # type: ignore[return-value]


class _Bounded:
    """The content of a .tar file, readable only up to a limit.

    The module `tarfile` reads headers of any length into memory. This class therefore limits the headers of each file,
    and refuses to read or skip anything after the first ``most`` bytes.
    """

    def __init__(self, archive: Path, file: IO[bytes], most: int) -> None:
        self.granted = MOST_HEADERS
        self._archive, self._file, self._most = archive, file, most

    def read(self, size: int) -> bytes:
        if not 0 <= size <= self.granted:
            raise InputError(
                f"{self._archive}: has more than {MOST_HEADERS >> 20} MB of headers before the content of a file, more "
                "than any known release: unpack the archive yourself only if you trust it"
            )
        data = self._file.read(size)
        self.granted -= len(data)
        if self._file.tell() > self._most:
            raise _grown(self._archive)
        return data

    def finish(self) -> None:
        """Read to the end of the file to verify its checksum."""
        self.granted = self._most + BLOCK
        while self.read(min(BLOCK, self.granted)):
            pass

    def seek(self, place: int) -> int:
        if place > self._most:
            raise _grown(self._archive)
        return self._file.seek(place)

    def tell(self) -> int:
        return self._file.tell()


def _of_tar(archive: Path, packed: tarfile.TarFile, content: _Bounded) -> Iterator[_Member]:
    while True:
        content.granted = MOST_HEADERS
        info = packed.next()
        if info is None:
            return content.finish()
        packed.members.clear()  # type: ignore[attr-defined] # tarfile keeps the headers of all earlier files in memory
        if len(packed.pax_headers) > MOST_GLOBALS:
            raise InputError(f"{archive}: has more than {MOST_GLOBALS} global headers, more than any known release")
        if info.isdir():
            continue
        if not info.isreg() or info.issparse():
            raise _unsafe(archive, info.name, "a link or a device")
        if (name := _safe(archive, info.name)) is not None:
            content.granted = info.size
            yield _Member(name, info.size, lambda info=info: packed.extractfile(info))  # type: ignore[arg-type, return-value]


def _grown(archive: Path) -> InputError:
    return InputError(
        f"{archive}: grows to more than {MOST_GROWTH} times its size when unpacked, more than any known release"
    )


def _safe(archive: Path, name: str) -> str | None:
    """Return the safe name of a file, or None for skipped files.

    The extra files that macOS adds to archives are skipped.

    Raises:
        InputError: If the name of the file is not a safe relative path.
    """
    plain = name.removeprefix("./")
    if set(PurePosixPath(plain).parts) & set(_IGNORED):
        return None
    if (fault := path_fault(plain)) is not None:
        raise InputError(f"{archive}: {fault}: unpack the archive yourself only if you trust it")
    return plain


def _unsafe(archive: Path, name: str, what: str) -> InputError:
    return InputError(
        f"{archive}: {name[:200]!r} is {what}, which Chronotope does not unpack: unpack the archive yourself if you "
        "trust it, and give the path of the folder"
    )

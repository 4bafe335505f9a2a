"""A cache of encoded frames on disk, in files named by a hash of the content.

One file contains the pictures of one frame plan. The name of the file is the key of the plan. The file begins with a
line of JSON, which has the length and the SHA-256 of every picture. The bytes of the pictures follow this line. A file
has its final name only when it is complete, and the file is checked whenever it is read. So any number of processes can
share the folder, and the folder can be deleted at any time.
"""

import hashlib
import json
import os
import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from io import BufferedReader
from pathlib import Path

import platformdirs

from chronotope.errors import InputError
from chronotope.io import canonical_json, sha256_bytes, write_atomically
from chronotope.media.picture_encoding import Encoded, encode_picture
from chronotope.media.plan import FramePlan

# Increase this number if a change of the code changes the bytes of any plan. Entries of older code are then not used.
ENTRY_VERSION = 2
SUFFIX = ".frames"
ABANDONED_S = 86_400.0


def cache_folder() -> Path:
    """Return the folder of all caches.

    The environment variable ``CHRONOTOPE_CACHE`` names this folder. Without this variable, the user's cache folder
    is used.
    """
    given = os.environ.get("CHRONOTOPE_CACHE")
    return Path(given) if given else Path(platformdirs.user_cache_dir("chronotope", appauthor=False))


class FrameCache:
    """Encoded pictures of frame plans, made once and stored in a folder of limited size.

    The default of ``folder`` is the folder ``frames`` in ``cache_folder``. ``max_bytes`` limits the total size of
    the files. If the limit is exceeded, the least recently used files are deleted. Several threads and processes
    can safely use the same cache.

    If the folder cannot be read or written, clips are decoded whenever they are needed. ``problem`` then has an
    error message about the first picture that was not stored; otherwise it is None.
    """

    def __init__(self, folder: Path | None = None, max_bytes: int = 4 * 1024**3) -> None:
        self.folder = folder if folder is not None else cache_folder() / "frames"
        self.max_bytes = max_bytes
        self.problem: str | None = None
        self._lock = threading.Lock()
        self._unchecked_bytes: int | None = None
        self._hashes: dict[tuple[str, int, int], str] = {}

    def frames(self, path: Path | str, plans: Sequence[FramePlan]) -> list[list[Encoded]]:
        """Return the encoded pictures of each plan, in the plan's order.

        Pictures in the cache are read from the cache. For all other pictures, the clip at ``path`` is opened and
        decoded once, and its SHA-256 is compared with the SHA-256 in the plans. If all pictures are in the cache,
        the clip does not need to exist.

        Raises:
            InputError: If the clip is not the clip of the plans, or if it cannot be decoded.
        """
        found: dict[str, dict[int, Encoded]] = {}
        missing: dict[str, FramePlan] = {}
        for plan in plans:
            if plan.key not in found and plan.key not in missing:
                entry = self._read(plan)
                if entry is None:
                    missing[plan.key] = plan
                else:
                    found[plan.key] = entry
        if missing:
            made = self._make(Path(path), list(missing.values()))
            for key, entry in zip(missing, made, strict=True):
                self._write(key, entry)
                found[key] = entry
        return [[found[plan.key][index] for index in plan.indices] for plan in plans]

    def _make(self, path: Path, plans: Sequence[FramePlan]) -> list[dict[int, Encoded]]:
        """Check, decode and encode a clip, which is opened only once."""
        try:
            with path.open("rb") as file:
                self._check_clip(path, file, plans)
                return _make(path, file, plans)
        except OSError as error:
            raise InputError(f"{path}: cannot be opened ({error.strerror}); check the path") from error

    def _check_clip(self, path: Path, file: BufferedReader, plans: Iterable[FramePlan]) -> None:
        """Check that the file is the clip of the plans.

        Raises:
            InputError: If the file has another SHA-256 than the clip of a plan.
        """
        status = os.fstat(file.fileno())
        memo = (str(path.absolute()), status.st_size, status.st_mtime_ns)
        if memo not in self._hashes:
            self._hashes[memo] = hashlib.file_digest(file, "sha256").hexdigest()
        found = self._hashes[memo]
        for plan in plans:
            if plan.clip != found:
                raise InputError(
                    f"{path}: is not the clip of the frame plan (SHA-256 {found}, expected {plan.clip}); restore the "
                    "clip "
                    "or make a new plan"
                )

    def _read(self, plan: FramePlan) -> dict[int, Encoded] | None:
        """Return the cached pictures of a plan by frame index, or None.

        A damaged file is deleted if possible.
        """
        path = self.folder / (plan.key + SUFFIX)
        try:
            with path.open("rb") as file:
                entry = _parse(file, plan)
        except OSError:
            return None
        with suppress(OSError):
            if entry is None:
                path.unlink()
            else:
                # The time of use is set here, because file systems seldom record that a file was read. Another process
                # may have deleted the entry.
                os.utime(path)
        return entry

    def _write(self, key: str, entry: dict[int, Encoded]) -> None:
        """Store the pictures of a plan.

        If the pictures cannot be stored, ``problem`` describes the reason.
        """
        pictures = [[index, len(e.data), e.sha256, e.media_type] for index, e in entry.items()]
        header = canonical_json({"version": ENTRY_VERSION, "key": key, "pictures": pictures}).encode() + b"\n"
        size = len(header) + sum(len(e.data) for e in entry.values())
        try:
            with write_atomically(self.folder / (key + SUFFIX)) as temporary, temporary.open("wb") as file:
                file.write(header)
                file.writelines(e.data for e in entry.values())
            with self._lock:
                # Listing the folder takes longer than writing an entry. Therefore, the size of the folder is checked
                # only when new entries together exceed 1/64 of the limit. The folder may exceed its limit by this
                # amount.
                if self._unchecked_bytes is None or self._unchecked_bytes + size > self.max_bytes / 64:
                    self._evict()
                    self._unchecked_bytes = 0
                else:
                    self._unchecked_bytes += size
        except OSError as error:
            with self._lock:
                self.problem = self.problem or (
                    f"{self.folder}: frames cannot be cached here ({error.strerror or error}), so clips are decoded "
                    "each time: free disk space, or set CHRONOTOPE_CACHE to another folder"
                )

    def _evict(self) -> None:
        """Delete incomplete files of killed processes, and old files.

        The least recently used files are deleted while the folder is larger than the limit.
        """
        entries: list[tuple[float, int, str]] = []
        now = time.time()
        for item in os.scandir(self.folder):
            # Other processes evict too: a file may be gone by now.
            with suppress(FileNotFoundError):
                status = item.stat()
                if not item.name.endswith(SUFFIX):
                    continue
                if item.name.startswith(".") and now - status.st_mtime > ABANDONED_S:
                    Path(item.path).unlink()
                elif not item.name.startswith("."):
                    entries.append((status.st_mtime, status.st_size, item.path))
        total = sum(size for _, size, _ in entries)
        for _, size, path in sorted(entries):
            if total <= self.max_bytes:
                return
            Path(path).unlink(missing_ok=True)
            total -= size


def _make(path: Path, file: BufferedReader, plans: Sequence[FramePlan]) -> list[dict[int, Encoded]]:
    """Decode and encode the frames of all plans in one pass.

    The function returns the pictures of each plan by frame index, ascending. Plans that need a frame with the same
    size and encoding share the encoded picture.
    """
    from chronotope.media import decode  # cached pictures need no PyAV

    made: list[dict[int, Encoded]] = [{} for _ in plans]
    wanted = [frozenset(plan.indices) for plan in plans]
    for index, size, picture in decode(path, plans, file):
        encoded: dict[tuple[str, int], Encoded] = {}
        for plan, indices, entry in zip(plans, wanted, made, strict=True):
            if plan.size == size and index in indices:
                form = (plan.codec, plan.quality)
                if form not in encoded and plan.codec != "file":  # this codec is not for clips
                    encoded[form] = encode_picture(picture, plan.codec, plan.quality)
                entry[index] = encoded[form]
    return made


def _parse(file: BufferedReader, plan: FramePlan) -> dict[int, Encoded] | None:
    """Read and check the pictures in a cache file.

    The result is None if the file is damaged.
    """
    try:
        facts = json.loads(file.readline())
        if facts["version"] != ENTRY_VERSION or facts["key"] != plan.key:
            return None
        entry: dict[int, Encoded] = {}
        for index, length, sha256, media_type in facts["pictures"]:
            data = file.read(length)
            if len(data) != length or sha256_bytes(data) != sha256:
                return None
            entry[index] = Encoded(data, sha256, media_type)
    except (ValueError, KeyError, TypeError):
        return None
    return entry if not file.read(1) and entry.keys() == set(plan.indices) else None

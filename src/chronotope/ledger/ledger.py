"""The ledger file of all calls to models: lines are appended and never rewritten.

The first line is a header, ``{"schema": 1}``. Every other line is one LedgerLine as JSON, with a checksum (see
`chronotope.ledger.content`).

``append`` passes a line to the operating system in one write before it returns. The line is then kept even if the
process is killed (``kill -9``), because it is in the system's page cache. The line is not forced to the disk (fsync),
because fsync would cost milliseconds per call on the event loop, and would protect only against power loss.

If the disk is full, lines wait in memory until there is room. Room for the answers to calls in flight can be reserved
before the calls are sent (``reserve``).
"""

import errno
import io
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from chronotope.errors import InputError
from chronotope.io import refuse_links, remedy
from chronotope.io.packed import PackedDict
from chronotope.ledger.content import HEADER, LedgerContent, encode, parse
from chronotope.ledger.line import LedgerLine, bounded

NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
AGAIN = 1.0  # seconds between two attempts to write the waiting lines
PATIENCE = 600.0  # seconds; the maximum time for which answers wait in memory for disk space


def answers(lines: Iterable[LedgerLine]) -> Mapping[str, LedgerLine]:
    """Return the valid line of each key.

    The valid line of a key is the last line with a reply. If no line of a key has a reply, the last line is valid.
    """
    best = PackedDict[LedgerLine]()
    for line in lines:
        if line.state == "replied" or (known := best.get(line.key)) is None or known.state != "replied":
            best[line.key] = line
    return best


@dataclass
class Ledger:
    """A ledger that is open for writing, made by ``Ledger.open``.

    Only one process at a time can open a ledger for writing. All threads of this process may append lines. ``problem``
    is a sentence about damaged lines, which are ignored.
    """

    path: Path
    replied: PackedDict[LedgerLine]  # by key: the last line with a reply
    problem: str | None
    _file: int = field(repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _waiting: list[LedgerLine] = field(default_factory=list[LedgerLine], repr=False)
    _room: IO[bytes] | None = field(default=None, repr=False)

    @classmethod
    @contextmanager
    def open(cls, path: Path) -> Generator["Ledger"]:
        """Lock the ledger at ``path``, repair its end, and yield it.

        A missing file is created. An incomplete last line is removed. If an error is raised, the file does not change.

        Raises:
            InputError: If one of these conditions is met:

                - Another process has opened the ledger for writing.
                - The file cannot be written, is a link, or is not a regular file.
                - The file is not a ledger, or was written by a newer version.
        """
        from filelock import FileLock, Timeout  # importing takes 0.1 s, mostly for asyncio

        lock = FileLock(path.with_name(path.name + ".lock"), timeout=0, thread_local=False)
        new = not path.parent.exists()
        try:
            refuse_links(path, Path(lock.lock_file))
            path.parent.mkdir(parents=True, exist_ok=True)
            lock.acquire()
        except Timeout as error:
            raise InputError(
                f"{path.parent}: another process writes to this folder and has locked {path.name}.lock: wait until "
                "that process ends, or use another folder"
            ) from error
        except OSError as error:
            raise InputError(
                f"{path}: the ledger cannot be written ({error.strerror}): write to another folder"
            ) from error
        try:
            try:
                file, content = _open_repaired(path)
            except InputError:
                if new:  # the new folder contains only the empty ledger and its lock
                    shutil.rmtree(path.parent, ignore_errors=True)
                raise
            replied = PackedDict((line.key, line) for line in content.lines if line.state == "replied")
            ledger = cls(path, replied, content.problem, file)
            try:
                yield ledger
            finally:
                ledger._close()
        finally:
            lock.release()

    def reserve(self, size: int) -> None:
        """Reserve ``size`` bytes on the disk for lines.

        The reserved bytes are released when the disk is full, so that the answers to paid calls can be written. The
        reserved bytes are also released when the ledger is closed. The method does nothing if the file system cannot
        reserve room.

        Raises:
            InputError: If the disk has fewer free bytes.
        """
        room = None
        try:
            room = tempfile.TemporaryFile(dir=self.path.parent)  # noqa: SIM115 - deleted when the process ends
            os.posix_fallocate(room.fileno(), 0, size)
        except (OSError, AttributeError) as error:
            if room is not None:
                room.close()
            if isinstance(error, OSError) and error.errno in NO_ROOM:
                raise InputError(
                    f"{self.path}: no disk space for {size:,} bytes of answers ({error.strerror}), so no request is "
                    f"sent: {remedy(error)}"
                ) from None
            return
        self._room = room

    def append(self, line: LedgerLine) -> None:
        """Append one line, which is kept even if the process is killed.

        Any thread may call this method, and it is fast enough for asyncio. After an error, the file still ends with a
        complete line, but no further calls to models should be made. A line that could not be written waits in memory
        for the next ``append`` or ``settle``. A reply that is too large is written as a failed call (see `bounded`).

        Raises:
            InputError: If the disk is full, or if the file was moved or deleted.
        """
        with self._lock:
            self._waiting.append(bounded(line))
            self._write_waiting()

    def settle(self, patience: float, tell: Callable[[str], None] | None) -> None:
        """Write the lines that wait in memory.

        The method waits up to ``patience`` seconds for room on the disk, and reports this once through ``tell``.

        Raises:
            InputError: If some lines still cannot be written.
        """
        end, told = time.monotonic() + patience, False
        while self._waiting:
            with suppress(InputError), self._lock:  # append() has already raised this error
                self._write_waiting()
            if not self._waiting:
                break
            if time.monotonic() >= end:
                raise InputError(
                    f"{self.path}: {len(self._waiting)} answers were never written, because the disk was full for "
                    f"{patience:g} s: free disk space and run again, which repeats these requests"
                )
            if tell is not None and not told:
                tell(f"{len(self._waiting)} answers wait in memory for disk space for {self.path}")
            told = True
            time.sleep(AGAIN)

    @contextmanager
    def keeping(self, size: int, tell: Callable[[str], None] | None = None) -> Generator[None]:
        """Reserve ``size`` bytes while calls are made, then write waiting lines.

        ``size`` is the maximum size of the lines of all calls in flight. After an interruption, the method does not
        wait for room on the disk.

        Raises:
            InputError: If the disk has too little room, or if some lines cannot be written.
        """
        self.reserve(size)
        patience = PATIENCE
        try:
            yield
        except KeyboardInterrupt:
            patience = 0.0
            raise
        finally:
            self.settle(patience, tell)

    def _write_waiting(self) -> None:
        """Write as many waiting lines as possible.

        Raises:
            InputError: If some lines cannot be written, or if the file was moved or deleted.
        """
        refused: OSError | None = None
        for line in list(self._waiting):
            data = encode(line)
            try:
                _write(self._file, data)
            except OSError as error:
                refused = error
                if self._room is None:
                    continue
                self._give_room_back()
                try:
                    _write(self._file, data)
                except OSError:
                    continue
            self._waiting = [one for one in self._waiting if one is not line]
            if line.state == "replied":
                self.replied[line.key] = line
        if refused is not None:
            raise InputError(
                f"{self.path}: no further line can be written ({refused.strerror}): free disk space and run "
                "again; every earlier answer is kept"
            ) from refused
        if not self._is_in_place():
            raise InputError(
                f"{self.path}: the ledger was deleted, moved or replaced during the run, so no further request is "
                "sent: do not change the folder during a run, and run again"
            )

    def _is_in_place(self) -> bool:
        try:
            return os.path.samestat(os.lstat(self.path), os.fstat(self._file))
        except OSError:
            return False

    def _give_room_back(self) -> None:
        if self._room is not None:
            self._room.close()
            self._room = None

    def _close(self) -> None:
        self._give_room_back()
        try:
            if self._waiting:
                with suppress(InputError):
                    self._write_waiting()
        finally:
            os.close(self._file)


def _open_repaired(path: Path) -> tuple[int, LedgerContent]:
    """Open a ledger, remove an incomplete last line, and read the ledger.

    Returns the file descriptor and the content.

    Raises:
        InputError: If the file cannot be opened or written, or is not a ledger.
    """
    try:
        with path.open("rb") if path.exists() else io.BytesIO() as there:
            content = parse(path, there)
            size = there.seek(0, os.SEEK_END)
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0), 0o666)
    except OSError as error:
        raise InputError(f"{path}: the ledger cannot be opened ({error.strerror}): {remedy(error)}") from error
    try:
        if content.whole < size:
            os.ftruncate(file, content.whole)
        if content.unfinished:
            _write(file, b"\n")
        if content.whole == 0:
            _write(file, HEADER)
    except OSError as error:
        os.close(file)
        raise InputError(
            f"{path}: no line can be written ({error.strerror}): {remedy(error)}; every earlier answer is kept"
        ) from error
    except BaseException:
        os.close(file)
        raise
    return file, content


def _write(file: int, data: bytes) -> None:
    """Append all bytes of ``data``, or none.

    After a failure, the file is cut to its old length. No line of another process is lost then, because the lock keeps
    other processes from writing to the file.
    """
    start = os.fstat(file).st_size
    left = memoryview(data)
    try:
        while left:
            left = left[os.write(file, left) :]
    except BaseException:
        # Only an incomplete line is removed: an interrupt can also come after the whole line is written.
        if os.fstat(file).st_size < start + len(data):
            os.ftruncate(file, start)
        raise

"""The file of every model call: one line each, appended and never rewritten.

The first line is a header, ``{"schema": 1}``; every other line is one LedgerLine as JSON.

A line is handed to the operating system before ``append`` returns, in one write. That survives the death of the
process, ``kill -9`` included, because what was written lives in the system's page cache. It is not forced to the disc
(fsync): that would cost milliseconds a call on the event loop and would only protect from power loss.
"""

import json
import os
import shutil
import threading
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from filelock import FileLock, Timeout
from pydantic import ValidationError

from chronotope.errors import InputError
from chronotope.ledger.line import LedgerLine

__all__ = ["SCHEMA", "Ledger", "answers", "read_ledger"]

SCHEMA = 1
_HEADER = json.dumps({"schema": SCHEMA}).encode() + b"\n"


@dataclass(frozen=True)
class _Content:
    """What a ledger file holds: its lines, the bytes that are whole, and whether only the last newline is missing."""

    lines: list[LedgerLine]
    whole: int
    unfinished: bool


def _encode(line: LedgerLine) -> bytes:
    fields = {name: value for name, value in line.model_dump(mode="json").items() if value is not None}
    # Log-probabilities may be -inf: it is written as Python writes it (-Infinity), since no paid answer may be lost.
    try:
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    except UnicodeEncodeError:  # half a surrogate pair in a reply has no UTF-8, but has a JSON escape
        return json.dumps(fields, separators=(",", ":")).encode() + b"\n"


def _check_header(path: Path, raw: bytes) -> None:
    try:
        header = json.loads(raw)
    except ValueError:
        header = None
    schema = cast("dict[str, Any]", header).get("schema") if isinstance(header, dict) else None
    if type(schema) is not int or schema < 1:
        raise InputError(
            f'{path}: line 1 is no ledger header, expected {{"schema": {SCHEMA}}}: name a ledger, or restore this one'
        )
    if schema > SCHEMA:
        raise InputError(
            f"{path}: written by a newer Chronotope (ledger schema {schema}, this one reads up to {SCHEMA}): update it"
        )


def _decode(path: Path, number: int, raw: bytes) -> LedgerLine:
    try:
        return LedgerLine.model_validate(json.loads(raw))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the line"
        reason = f"{where}: {first['msg']}"
    except (ValueError, RecursionError) as error:
        reason = str(error)
    raise InputError(
        f"{path}: line {number} is no ledger line ({reason}): restore the file from a copy, "
        "or delete that line and its call will be made again"
    )


def _parse(path: Path, data: bytes) -> _Content:
    """The content of a ledger; a last line without its newline counts only if nothing else of it is missing."""
    *rows, tail = data.split(b"\n")
    whole = len(data) - len(tail)
    unfinished = False
    if tail:
        try:
            complete = isinstance(json.loads(tail), dict)  # no part of a JSON object is a JSON object
        except (ValueError, RecursionError):
            complete = False
        if complete:
            rows.append(tail)
            whole, unfinished = len(data), True
    if rows:
        _check_header(path, rows[0])
    return _Content([_decode(path, number, raw) for number, raw in enumerate(rows[1:], 2)], whole, unfinished)


def read_ledger(path: Path) -> list[LedgerLine]:
    """The lines of a ledger in the order written, read without its lock, even while a run goes on writing to it.

    A torn last line is left out. Raises InputError where the file is missing, is no ledger, was written by a newer
    version or is broken before its end.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: the ledger cannot be read ({error.strerror})") from error
    return _parse(path, data).lines


def answers(lines: Iterable[LedgerLine]) -> dict[str, LedgerLine]:
    """By key: the last line that brought a reply, and where none did, the last line."""
    best: dict[str, LedgerLine] = {}
    for line in lines:
        if line.state == "replied" or line.key not in best or best[line.key].state != "replied":
            best[line.key] = line
    return best


@dataclass
class Ledger:
    """A ledger open for writing, made by ``Ledger.open``: in one process at a time, any of whose threads may append."""

    path: Path
    replied: dict[str, LedgerLine]  # by key: the last line that brought a reply
    _file: int = field(repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @classmethod
    @contextmanager
    def open(cls, path: Path) -> Generator["Ledger"]:
        """Lock the ledger at ``path`` (made where there is none), repair a torn last line, and yield it.

        Raises InputError where another process has it open, it cannot be written, it is no ledger, was written by a
        newer version, or is broken before its end.
        """
        lock = FileLock(path.with_name(path.name + ".lock"), timeout=0, thread_local=False)
        new = not path.parent.exists()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            lock.acquire()
        except Timeout as error:
            raise InputError(
                f"{path.parent}: another process is writing to it (it holds {path.name}.lock): "
                "wait until that has ended, or write to another folder"
            ) from error
        except OSError as error:
            raise InputError(
                f"{path}: the ledger cannot be written ({error.strerror}): write to another folder"
            ) from error
        try:
            try:
                file, lines = _open_repaired(path)
            except InputError:
                if new:  # nothing but this ledger, without a line, and its lock
                    shutil.rmtree(path.parent, ignore_errors=True)
                raise
            try:
                yield cls(path, {line.key: line for line in lines if line.state == "replied"}, file)
            finally:
                os.close(file)
        finally:
            lock.release()

    def append(self, line: LedgerLine) -> None:
        """Write one line; when this returns, it outlives the process. Safe from any thread, quick enough for asyncio.

        Raises InputError where the disc takes no more; the file then ends with the line before.
        """
        with self._lock:
            _write(self.path, self._file, _encode(line))
            if line.state == "replied":
                self.replied[line.key] = line


def _open_repaired(path: Path) -> tuple[int, list[LedgerLine]]:
    """The descriptor of a ledger that ends with a whole line, and its lines."""
    try:
        data = path.read_bytes() if path.exists() else b""
        content = _parse(path, data)
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    except OSError as error:
        raise InputError(f"{path}: the ledger cannot be opened ({error.strerror})") from error
    try:
        if content.whole < len(data):
            os.ftruncate(file, content.whole)
        if content.unfinished:
            _write(path, file, b"\n")
        if content.whole == 0:
            _write(path, file, _HEADER)
    except BaseException:
        os.close(file)
        raise
    return file, content.lines


def _write(path: Path, file: int, data: bytes) -> None:
    """Append ``data`` whole or not at all; the lock makes this process the only writer."""
    start = os.fstat(file).st_size
    left = memoryview(data)
    try:
        while left:
            left = left[os.write(file, left) :]
    except BaseException as error:
        # Only part of a line is taken back: an interrupt may come when all of it is already written.
        if os.fstat(file).st_size < start + len(data):
            os.ftruncate(file, start)
        if isinstance(error, OSError):
            raise InputError(
                f"{path}: the ledger cannot take another line ({error.strerror}): make room and run again; "
                "every earlier answer is kept"
            ) from error
        raise

"""Files written whole or not at all, and the few ways in which content is named: hashes, canonical JSON, slugs."""

import errno
import hashlib
import json
import os
import re
import shutil
import stat
import unicodedata
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from chronotope.errors import InputError

__all__ = [
    "canonical_json",
    "irregular",
    "irregular_kind",
    "name_fault",
    "path_fault",
    "plain_name",
    "plain_refusal",
    "read_bytes",
    "read_json",
    "read_text",
    "read_yaml",
    "refusal",
    "remedy",
    "sha256_bytes",
    "sha256_file",
    "slug",
    "write_atomically",
    "write_json",
    "write_yaml",
]


def sha256_bytes(data: bytes) -> str:
    """Hexadecimal SHA-256 of some bytes."""
    return hashlib.sha256(data).hexdigest()


def sha256_file(path: Path) -> str:
    """Hexadecimal SHA-256 of a file's bytes; InputError where it is a pipe or a device."""
    if fault := irregular(path):
        raise InputError(fault)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def irregular_kind(path: Path) -> str | None:
    """What a path names if it is no ordinary file ("a pipe"), of which reading may never end; None otherwise.

    Links are followed. What is not there, or may not be looked at, is for who opens it to tell.
    """
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return None
    return next((words for is_kind, words in _KINDS if is_kind(mode)), None)


def irregular(path: Path, expected: str = "a file") -> str | None:
    """The sentence about a path of ``irregular_kind``."""
    kind = irregular_kind(path)
    return None if kind is None else f"{path}: is {kind}, expected {expected}; put the right file in its place"


def canonical_json(value: Any) -> str:
    """One line of JSON that is the same for equal values: sorted keys, no spaces, shortest float text, no NaN."""
    return _CANONICAL.encode(value)


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def slug(text: str) -> str:
    """A stable name of lower-case ASCII letters, digits, dots, dashes and underscores, safe as a file name.

    A text of which nothing is left (another script) is named by its hash.
    """
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    name = re.sub(r"[^a-z0-9._]+", "-", ascii_text.lower()).strip("-._")
    return name or f"n{sha256_bytes(text.encode())[:12]}"


def plain_name(text: str) -> str:
    """The text itself if it is plain (up to 100 ASCII letters, digits, ``.-_``, no dot first), else its slug."""
    return text if re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}", text) else slug(text)[:100]


def path_fault(path: str) -> str | None:
    """What is wrong with a path inside a folder: None for a relative one with slashes that stays in the folder.

    Signs that join letters or set their direction are part of names in some scripts; breaks of lines are not.
    """
    parts = path.split("/")
    try:
        path.encode()
    except UnicodeEncodeError:
        return f"path {path[:200]!r} is not text in UTF-8; rename the file"
    if any(unicodedata.category(sign) in ("Cc", "Zl", "Zp") for sign in path):
        return f"path {path[:200]!r} has a line break or a control character in it; rename the file"
    unsafe = path.startswith("/") or "\\" in path or (len(path) > 1 and path[1] == ":")
    if unsafe or any(part in ("", ".", "..") for part in parts) or str(PurePosixPath(path)) != path:
        return (
            f"path {path[:200]!r} is not safe; expected one relative to the folder, with slashes, without '.' and '..'"
        )
    return None


def name_fault(name: str) -> str | None:
    """What is wrong with a name that is to be a file's: None for a printable one that is a single part of a path."""
    if name.isprintable() and not set(name) & set("/\\") and not name.startswith(".") and 0 < len(name.encode()) <= 200:
        return None
    return f"{name[:60]!r} is no safe name; expected up to 200 printable characters without '/' and '\\', no '.' first"


@contextmanager
def write_atomically(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; what is written there (a file or a folder) takes its place at the end.

    After an exception nothing of it is left. The temporary name keeps the suffix, because encoders look at it. An
    OSError that names no file, or a temporary one, is raised again as one that names ``path``.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{uuid.uuid4().hex}.partial{path.suffix}")
    try:
        yield temporary
        temporary.replace(path)
    except OSError as error:
        plain = plain_refusal(error)
        if plain.filename is None or Path(plain.filename).is_relative_to(temporary):
            plain.filename = str(path)
        raise plain from error
    finally:
        if temporary.is_dir():
            shutil.rmtree(temporary, ignore_errors=True)
        else:
            # A read-only file system refuses to remove even what is not there, and would hide why nothing is.
            with suppress(OSError):
                temporary.unlink()


_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_NO_RIGHT = (errno.EACCES, errno.EPERM)
_NOT_TAKEN = (*_NO_ROOM, errno.EROFS)


def refusal(error: OSError) -> str:
    """Why the operating system refused, without number and file name, whichever library passes it on."""
    return os.strerror(error.errno) if error.errno else error.strerror or str(error)


def remedy(error: OSError) -> str:
    """What to do about it."""
    if error.errno in _NO_ROOM:
        return "make room and run the same command again"
    if error.errno in _NO_RIGHT:
        return "give yourself the right to it, or choose another place"
    return "choose another place" if error.errno == errno.EROFS else "check the path"


def plain_refusal(error: OSError) -> OSError:
    """The error with its number, its words and the one file that it is about; of a list of them (shutil) the first."""
    if isinstance(error, shutil.Error) and error.args and isinstance(error.args[0], list):
        source, target, words = error.args[0][0]
        found = re.match(r"\[Errno (\d+)\]", str(words))
        number = int(found[1]) if found else errno.EIO
        return OSError(number, os.strerror(number), str(target if number in _NOT_TAKEN else source))
    if not error.errno:
        return error
    of_target = error.filename2 is not None and error.errno in _NOT_TAKEN  # of a copy
    return OSError(error.errno, refusal(error), error.filename2 if of_target else error.filename)


def write_json(path: Path, value: Any) -> None:
    """Write indented JSON, whole or not at all."""
    with write_atomically(path) as temporary:
        temporary.write_text(json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")


def write_yaml(path: Path, value: Any) -> None:
    """Write YAML with the keys in the order given, whole or not at all."""
    with write_atomically(path) as temporary:
        text = yaml.dump(value, Dumper=_PlainDumper, sort_keys=False, allow_unicode=True, width=120)
        temporary.write_text(text, encoding="utf-8")


_MOST_JSON = 64 << 20  # of Python values made of it, some 25 times as much
_MOST_YAML = 512 << 10  # PyYAML takes 10 s for that


def read_bytes(path: Path, most: int) -> bytes:
    """A file of at most ``most`` bytes; InputError for any other, a pipe or a device included."""
    if fault := irregular(path):
        raise InputError(fault)
    try:
        with path.open("rb") as file:
            data = file.read(most + 1) if os.fstat(file.fileno()).st_size <= most else None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({refusal(error)}): {remedy(error)}") from error
    if data is None or len(data) > most:
        size = f"{most >> 20} MB" if most >> 20 else f"{most >> 10} KB"
        raise InputError(f"{path}: over {size}, which no such file needs; put the right file in its place")
    return data


def read_text(path: Path, most: int) -> str:
    """The text in UTF-8 of a file, see `read_bytes`; InputError for any other text."""
    try:
        return read_bytes(path, most).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: cannot be read ({error}): expected text in UTF-8") from error


def read_json(path: Path, parse_int: Callable[[str], Any] | None = None, most: int = _MOST_JSON) -> Any:
    """Read a JSON file of up to ``most`` bytes (64 MB); InputError names it and, if known, the place of the fault.

    ``parse_int`` makes of a whole number's digits what stands for it, for those that Python does not take.
    """
    text = read_text(path, most)
    try:
        return json.loads(text, parse_int=parse_int)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}: not JSON at line {error.lineno}, column {error.colno} ({error.msg})") from error
    except RecursionError as error:
        raise InputError(f"{path}: not JSON that can be read (nested too deeply)") from error
    except ValueError as error:  # what Python says of a whole number of thousands of digits
        raise InputError(f"{path}: not JSON that can be read (a number has too many digits)") from error


class _PlainLoader(yaml.SafeLoader):
    """YAML without aliases: ten lines of them stand for gigabytes."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark
            raise yaml.YAMLError(
                f"line {mark.line + 1} has an alias (*name), and aliases are not read: write out what it stands for"
            )
        return super().compose_node(parent, index)


class _PlainDumper(yaml.SafeDumper):
    """YAML without aliases, as it is read."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def read_yaml(path: Path) -> dict[str, Any]:
    """Read a YAML file of up to 512 KB that holds a mapping, without aliases; InputError names what is wrong."""
    text = read_text(path, _MOST_YAML)
    try:
        value = yaml.load(text, _PlainLoader)  # a SafeLoader
    except yaml.YAMLError as error:
        raise InputError(f"{path}: not YAML ({' '.join(str(error).split())})") from error
    except (ValueError, AttributeError, RecursionError) as error:  # dates that are none, huge numbers, deep nesting
        raise InputError(f"{path}: not YAML that can be read ({' '.join(str(error).split())[:80]})") from error
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InputError(f"{path}: expected 'name: value' lines, found {type(value).__name__}")
    return value

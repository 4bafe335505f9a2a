"""Files written whole or not at all, and the few ways in which content is named: hashes, canonical JSON, slugs."""

import errno
import hashlib
import json
import os
import re
import shutil
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
    "name_fault",
    "path_fault",
    "plain_refusal",
    "read_json",
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
    """Hexadecimal SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def canonical_json(value: Any) -> str:
    """One line of JSON that is the same for equal values: sorted keys, no spaces, shortest float text, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def slug(text: str) -> str:
    """A stable name of lower-case ASCII letters, digits, dots, dashes and underscores, safe as a file name.

    A text of which nothing is left (another script) is named by its hash.
    """
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    name = re.sub(r"[^a-z0-9._]+", "-", ascii_text.lower()).strip("-._")
    return name or f"n{sha256_bytes(text.encode())[:12]}"


def path_fault(path: str) -> str | None:
    """What is wrong with a path inside a folder: None for a relative one with slashes that stays in the folder."""
    parts = path.split("/")
    try:
        path.encode()
    except UnicodeEncodeError:
        return f"path {path!r} is not text in UTF-8; rename the file"
    unsafe = path.startswith("/") or "\\" in path or "\0" in path or (len(path) > 1 and path[1] == ":")
    if unsafe or any(part in ("", ".", "..") for part in parts) or str(PurePosixPath(path)) != path:
        return f"path {path!r} is not safe; expected one relative to the folder, with slashes, without '.' and '..'"
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
        temporary.write_text(yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=120), encoding="utf-8")


def read_json(path: Path, parse_int: Callable[[str], Any] | None = None) -> Any:
    """Read a JSON file; InputError names the file and, where it can, the place where it breaks.

    ``parse_int`` makes of a whole number's digits what stands for it, for those that Python does not take.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"), parse_int=parse_int)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({refusal(error)}): {remedy(error)}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: cannot be read ({error}): expected text in UTF-8") from error
    except json.JSONDecodeError as error:
        raise InputError(f"{path}: not JSON at line {error.lineno}, column {error.colno} ({error.msg})") from error
    except RecursionError as error:
        raise InputError(f"{path}: not JSON that can be read (nested too deeply)") from error
    except ValueError as error:  # what Python says of a whole number of thousands of digits
        raise InputError(f"{path}: not JSON that can be read (a number has too many digits)") from error


def read_yaml(path: Path) -> dict[str, Any]:
    """Read a YAML file that holds a mapping; InputError names the file and what is wrong."""
    try:
        value = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({refusal(error)}): {remedy(error)}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: cannot be read ({error}): expected text in UTF-8") from error
    except yaml.YAMLError as error:
        raise InputError(f"{path}: not YAML ({' '.join(str(error).split())})") from error
    except (ValueError, AttributeError, RecursionError) as error:  # dates that are none, huge numbers, deep nesting
        raise InputError(f"{path}: not YAML that can be read ({' '.join(str(error).split())[:80]})") from error
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InputError(f"{path}: expected 'name: value' lines, found {type(value).__name__}")
    return value

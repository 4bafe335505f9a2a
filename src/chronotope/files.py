"""Files written whole or not at all, and the few ways in which content is named: hashes, canonical JSON, slugs."""

import hashlib
import json
import re
import shutil
import unicodedata
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from chronotope.errors import InputError

__all__ = [
    "canonical_json",
    "read_json",
    "read_yaml",
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


@contextmanager
def write_atomically(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; what is written there (a file or a folder) takes its place at the end.

    After an exception nothing of it is left. The temporary name keeps the suffix, because encoders look at it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{uuid.uuid4().hex}.partial{path.suffix}")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        if temporary.is_dir():
            shutil.rmtree(temporary, ignore_errors=True)
        else:
            temporary.unlink(missing_ok=True)


def write_json(path: Path, value: Any) -> None:
    """Write indented JSON, whole or not at all."""
    with write_atomically(path) as temporary:
        temporary.write_text(json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")


def write_yaml(path: Path, value: Any) -> None:
    """Write YAML with the keys in the order given, whole or not at all."""
    with write_atomically(path) as temporary:
        temporary.write_text(yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=120), encoding="utf-8")


def read_json(path: Path) -> Any:
    """Read a JSON file; InputError names the file and the place where it breaks."""
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from error
    except json.JSONDecodeError as error:
        raise InputError(f"{path}: not JSON at line {error.lineno}, column {error.colno} ({error.msg})") from error


def read_yaml(path: Path) -> dict[str, Any]:
    """Read a YAML file that holds a mapping; InputError names the file and what is wrong."""
    try:
        value = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from error
    except yaml.YAMLError as error:
        raise InputError(f"{path}: not YAML ({' '.join(str(error).split())})") from error
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InputError(f"{path}: expected 'name: value' lines, found {type(value).__name__}")
    return value

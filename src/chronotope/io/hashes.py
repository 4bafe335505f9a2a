"""Hashes of bytes and of files, and canonical JSON for hashing values."""

import hashlib
import json
from pathlib import Path
from typing import Any

from chronotope.errors import InputError
from chronotope.io.system import irregular


def sha256_bytes(data: bytes) -> str:
    """Return the hexadecimal SHA-256 of ``data``."""
    return hashlib.sha256(data).hexdigest()


def sha256_file(path: Path) -> str:
    """Return the hexadecimal SHA-256 of a file's bytes.

    Raises:
        InputError: If the file is a pipe or a device.
    """
    if fault := irregular(path):
        raise InputError(fault)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def canonical_json(value: Any) -> str:
    """Write a value as one canonical line of JSON.

    Equal values give equal lines: keys are sorted, there are no spaces between the elements, and floats have their
    shortest text. NaN and infinity raise ValueError.
    """
    return _CANONICAL.encode(value)


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)

"""Name content by its hash: bytes, files, and values as canonical JSON."""

import hashlib
import json
from pathlib import Path
from typing import Any

from chronotope.errors import InputError
from chronotope.io.system import irregular

__all__ = ["canonical_json", "sha256_bytes", "sha256_file"]


def sha256_bytes(data: bytes) -> str:
    """Hexadecimal SHA-256 of some bytes."""
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

    Equal values give equal lines: keys are sorted, there are no spaces, floats have their shortest text, and NaN is
    refused.
    """
    return _CANONICAL.encode(value)


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)

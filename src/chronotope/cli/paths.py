"""Paths that users give on the command line."""

from pathlib import Path

from chronotope.errors import InputError


def existing(path: Path) -> Path:
    """Check that a path exists; return the path.

    Raises:
        InputError: If there is no file or folder at the path.
    """
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    return path

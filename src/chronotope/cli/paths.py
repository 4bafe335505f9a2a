"""Paths that people name."""

from pathlib import Path

from chronotope.errors import InputError

__all__ = ["existing"]


def existing(path: Path) -> Path:
    """The path, or a sentence if there is nothing there."""
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    return path

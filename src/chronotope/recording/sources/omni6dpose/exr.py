"""Masks in OpenEXR files, if the package that reads them is installed (the extra ``exr``)."""

import importlib
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.errors import InputError

__all__ = ["can_read_exr", "read_mask"]


def can_read_exr() -> bool:
    """Check whether EXR files can be read here."""
    return _library() is not None


def read_mask(path: Path) -> np.ndarray:
    """Read the ids (H, W) uint8 of a mask.

    They are 255 times its red channel, or its only one, rounded. Call it only if ``can_read_exr``.

    Raises:
        InputError: If the file is not such a picture.
    """
    library = _library()
    if library is None:
        raise InputError(f"{path}: reading EXR files needs OpenEXR: pip install OpenEXR")
    try:
        with library.File(str(path), separate_channels=True) as file:
            channels = file.channels()
            found = channels.get("R") or (next(iter(channels.values())) if len(channels) == 1 else None)
            values = None if found is None else np.asarray(found.pixels, np.float32) * 255
            names = ", ".join(sorted(channels))
    except (OSError, RuntimeError, ValueError, TypeError) as error:  # what the library raises on wrong bytes
        raise InputError(f"{path}: cannot be read as an EXR file ({error}): download it again") from error
    if values is None or values.ndim != 2:
        raise InputError(f"{path}: has the channels {names}, expected R, or a single channel")
    return np.rint(np.fmin(np.fmax(values, 0), 255)).astype(np.uint8)  # what is no number becomes 0


def _library() -> Any:
    try:
        return importlib.import_module("OpenEXR")
    except ImportError:
        return None

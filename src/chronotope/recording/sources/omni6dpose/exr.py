"""Reader of masks in OpenEXR files, which needs the optional package OpenEXR (the extra ``exr``)."""

import importlib
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.errors import InputError

__all__ = ["can_read_exr", "read_mask"]


def can_read_exr() -> bool:
    """Check whether the package that reads EXR files is installed."""
    return _library() is not None


def read_mask(path: Path) -> np.ndarray:
    """Read the ids (H, W) uint8 of a mask.

    An id is 255 times the value of the red channel, rounded. If the file has only one channel, this channel is used
    instead of the red channel. Call this function only if ``can_read_exr`` returns True.

    Raises:
        InputError: If the file is not an EXR picture with a red channel or a single channel.
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
    except (OSError, RuntimeError, ValueError, TypeError) as error:  # raised by the library for wrong bytes
        raise InputError(f"{path}: cannot be read as an EXR file ({error}): download the file again") from error
    if values is None or values.ndim != 2:
        raise InputError(f"{path}: has the channels {names}, expected a channel R or a single channel")
    return np.rint(np.fmin(np.fmax(values, 0), 255)).astype(np.uint8)  # NaN becomes 0


def _library() -> Any:
    try:
        return importlib.import_module("OpenEXR")
    except ImportError:
        return None

"""Pictures of what is not colour: depth and identities, one PNG per sample, read and written in one place.

Depth is 16 bit: value divided by ``provenance["depth_scale"]`` is the distance in m along the optical axis (not along
the ray), 0 is no value. Identities are 8 bit: value v is the entity at position v - 1 of the recording, 0 is none.
"""

from pathlib import Path

import numpy as np
from PIL import Image

from chronotope.errors import InputError
from chronotope.media import open_picture

__all__ = ["read_depth", "read_identities", "write_depth", "write_identities"]

_MOST = 2**16 - 1
_FAST = 1  # zlib's level: a third of the time of the usual one, a tenth larger


def write_depth(path: Path, depth: np.ndarray, scale: float) -> None:
    """Write depth (H, W) m as a 16-bit PNG; what is not finite, not positive, or too far for 16 bits has no value."""
    with np.errstate(invalid="ignore"):
        values = np.rint(depth * scale)
        values = np.where((values >= 1) & (values <= _MOST), values, 0)
    Image.fromarray(values.astype(np.uint16)).save(path, "PNG", compress_level=_FAST)


def write_identities(path: Path, identities: np.ndarray) -> None:
    """Write identities (H, W) uint8 as an 8-bit PNG."""
    Image.fromarray(np.ascontiguousarray(identities, np.uint8)).save(path, "PNG", compress_level=_FAST)


def read_depth(path: Path, scale: float) -> np.ndarray:
    """Depth (H, W) float32 m, NaN where there is none. InputError where the file is no 16-bit picture."""
    values = _read(path, ("I;16", "I"), "a 16-bit grey picture").astype(np.float32)
    values[values == 0] = np.nan
    return values / np.float32(scale)


def read_identities(path: Path) -> np.ndarray:
    """Identities (H, W) uint8. InputError where the file is no 8-bit picture."""
    return _read(path, ("L",), "an 8-bit grey picture")


def _read(path: Path, modes: tuple[str, ...], expected: str) -> np.ndarray:
    try:
        with open_picture(path) as picture:
            if picture.mode not in modes:
                raise InputError(f"{path}: is a picture of mode {picture.mode}, expected {expected}: make it anew")
            return np.asarray(picture)
    except InputError:
        raise  # of the mode
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:  # what Pillow raises
        raise InputError(f"{path}: cannot be read as {expected} ({error}): make it anew") from error
